//! Signals on their way to many instances: worked off in pieces, by whoever finds them.

use std::fmt;
use std::sync::Arc;

use orloj_types::{EngineName, TenantId};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BroadcastKey(i64);

impl BroadcastKey {
    pub const fn new(raw: i64) -> Self {
        Self(raw)
    }

    pub const fn raw(self) -> i64 {
        self.0
    }
}

impl fmt::Display for BroadcastKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BroadcastRow {
    pub key: BroadcastKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub name: Arc<str>,
    /// [`crate::format`] variables.
    pub variables: Vec<u8>,
    /// How far it has come, in the words of those who work it off: a store only compares them.
    /// Empty at first.
    pub place: Arc<str>,
}

/// Both are a conflict of the whole change when the broadcast is gone or somewhere else than
/// `expected`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BroadcastWrite {
    Progress { key: BroadcastKey, expected: Arc<str>, place: Arc<str> },
    Done { key: BroadcastKey, expected: Arc<str> },
}

impl BroadcastWrite {
    /// The row it is about, and where that must be.
    pub fn expects(&self) -> (BroadcastKey, &str) {
        match self {
            Self::Progress { key, expected, .. } | Self::Done { key, expected } => (*key, expected),
        }
    }
}
