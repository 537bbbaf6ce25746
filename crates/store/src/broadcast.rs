//! Signals on their way to many instances: worked off in pieces, by whoever finds them.

use std::fmt;
use std::sync::Arc;

use orloj_types::{EngineName, SubscriptionKey, TenantId};

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
    /// Subscriptions up to this one have been told.
    pub after: Option<SubscriptionKey>,
}

/// Both are a conflict of the whole change when the broadcast is gone or somewhere else than
/// `expected`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BroadcastWrite {
    Progress { key: BroadcastKey, expected: Option<SubscriptionKey>, after: SubscriptionKey },
    Done { key: BroadcastKey, expected: Option<SubscriptionKey> },
}

impl BroadcastWrite {
    /// The row it is about, and where that must be.
    pub fn expects(&self) -> (BroadcastKey, Option<SubscriptionKey>) {
        match self {
            Self::Progress { key, expected, .. } | Self::Done { key, expected } => {
                (*key, *expected)
            }
        }
    }
}
