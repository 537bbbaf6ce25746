//! Nodes: who may lock jobs, and until when.
//!
//! A node owns a row while it lives. Liveness is told by a counter that the node raises with
//! every beat and the others watch with their own clocks, so clocks need not agree. A node whose
//! counter stood still for the time-out is fenced: its row and lanes are removed and its job locks
//! cleared in one transaction. Every group checks its lane, so nothing a fenced node still sends
//! is committed.

use std::ops::RangeInclusive;
use std::sync::Arc;

use orloj_types::{DeploymentKey, EngineName, JobKey, NodeNumber, Order, TenantId, Timestamp};

/// A process that wants to become a node.
#[derive(Clone, Debug)]
pub struct Claim {
    /// A node of the same name is this one's predecessor and is fenced at once.
    pub name: String,
    pub engine: EngineName,
    /// Committer lanes to open.
    pub lanes: u8,
    pub now: Timestamp,
    /// The store makes the index that its order needs.
    pub profile: NodeProfile,
}

/// What a node's executor takes, for others to see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeProfile {
    /// Whether it acquires jobs of the engine's own at all.
    pub is_active: bool,
    /// Whether it makes timers ready that are due. One that acquires nothing may do so all the same.
    pub fires_timers: bool,
    pub order: Order,
    pub priorities: RangeInclusive<i64>,
    /// `Some`: the deployments that are registered with it; it takes their jobs and those of none.
    pub deployments: Option<Vec<DeploymentKey>>,
    /// `Some`: the job categories it takes.
    pub categories: Option<Vec<Arc<str>>>,
    /// `Some`: only jobs of this tenant.
    pub tenant: Option<TenantId>,
    /// Leaves the clean-up of history to others.
    pub without_cleanup: bool,
    /// Leaves jobs that have no due date.
    pub needs_due_date: bool,
}

impl Default for NodeProfile {
    /// It takes everything.
    fn default() -> Self {
        Self {
            is_active: true,
            fires_timers: true,
            order: Order::default(),
            priorities: i64::MIN..=i64::MAX,
            deployments: None,
            categories: None,
            tenant: None,
            without_cleanup: false,
            needs_due_date: false,
        }
    }
}

impl NodeProfile {
    pub fn is_deployment_aware(&self) -> bool {
        self.deployments.is_some()
    }
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
#[derive(Clone, Debug)]
pub struct Beat {
    pub lease: Lease,
    pub now: Timestamp,
    /// The highest key given so far.
    pub key_high: i64,
    /// No engine job this node holds has a key below this, but those that are listed: the locks
    /// that acquisitions and updates give, and those of [`Beat::long_held`]. Recovery reads the
    /// list, and all rows from the floor on. Groups lower the stored value themselves when they
    /// insert locked jobs with older keys.
    pub lock_floor: JobKey,
    /// Jobs that this node has held for so long that the floor would stay behind: to be listed.
    pub long_held: Vec<JobKey>,
    /// The version of the settings that the node goes by.
    pub settings_seen: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pulse {
    /// The earliest moment at which a waiting job becomes due or a worker's lock runs out.
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
    /// Raised by every change of limits, of what is suspended, of priorities set for job
    /// definitions, and of what nodes take.
    pub settings_version: i64,
    /// Those of [`Beat::long_held`] that are listed now, as long as they are locked. The others are
    /// being written by someone, or not held.
    pub listed: Vec<JobKey>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeRow {
    pub node: NodeNumber,
    pub session: i64,
    pub name: String,
    /// Raised with every beat.
    pub beat: i64,
    pub seen_at: Timestamp,
    pub settings_seen: i64,
    pub profile: NodeProfile,
}
