//! Notices: hints to other nodes, sent outside of transactions. Losing one costs time, never work.

use std::sync::Arc;

use orloj_types::{InstanceKey, NodeNumber, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Unlocked ready jobs of these types exist; the empty type stands for the engine's own.
    JobsReady { types: Vec<Arc<str>> },
    /// Something becomes due at this moment.
    DueAt(Timestamp),
    /// A node has joined: from now on there is someone to tell.
    Joined,
    /// Told by the store itself: from now on notices are heard. What was told before was not.
    Listening,
    /// A definition was added.
    Deployed,
    /// The settings have this version now.
    Settings(i64),
    /// An instance has ended whose result is awaited on `node`.
    InstanceEnded { instance: InstanceKey, node: NodeNumber },
}
