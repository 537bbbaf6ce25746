//! Nodes: who may lock jobs, and until when.
//!
//! A node owns a row while it lives. Liveness is told by a counter that the node raises with
//! every beat and the others watch with their own clocks, so clocks need not agree. A node whose
//! counter stood still for the time-out is fenced: its row and lanes are removed and its job locks
//! cleared in one transaction. Every group checks its lane, so nothing a fenced node still sends
//! is committed.

use orloj_types::{EngineName, JobKey, NodeNumber, Timestamp};

/// A process that wants to become a node.
#[derive(Clone, Debug)]
pub struct Claim {
    /// A node of the same name is this one's predecessor and is fenced at once.
    pub name: String,
    pub engine: EngineName,
    /// Committer lanes to open.
    pub lanes: u8,
    pub now: Timestamp,
}

/// The right to lock and commit. `session` is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    pub node: NodeNumber,
    pub session: i64,
    /// Keys of this node must be above it: an earlier owner of the number may have given those.
    pub keys_above: i64,
}

/// One heartbeat; the store answers with all a node needs to know while idle, in one statement.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    pub lease: Lease,
    pub now: Timestamp,
    /// The highest key given so far.
    pub key_high: i64,
    /// No engine job this node holds has a key below this; recovery looks only above it.
    /// Acquisitions and groups lower the stored value themselves when they lock older jobs.
    pub lock_floor: JobKey,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulse {
    /// The earliest moment at which a waiting job or a start event becomes due or a worker's lock
    /// runs out.
    pub next_due_at: Option<Timestamp>,
    /// Whether unlocked ready jobs of the engine's own kinds exist.
    pub engine_jobs_ready: bool,
    /// All nodes, this one included.
    pub nodes: Vec<NodeRow>,
    /// The newest definition or decision, to notice deployments of other nodes.
    pub newest_definition: i64,
    /// Whether broadcasts are under way: the node that threw one may be gone.
    pub has_broadcasts: bool,
    /// When the first buffered message expires. No work waits for that moment.
    pub message_expires_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    pub node: NodeNumber,
    pub session: i64,
    pub name: String,
    /// Raised with every beat.
    pub beat: i64,
    pub seen_at: Timestamp,
}
