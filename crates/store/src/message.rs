//! Messages that wait for someone who wants them.
//!
//! A message and a subscription fit when tenant, name and correlation key are equal: they share a
//! *channel*. Commits that add to one channel happen one after the other, and each looks at what
//! the channel holds after it. So of a message and a subscription that are committed at the same
//! time, the later one always sees the earlier, and its commit reports a [`Fit`]. Whoever gets a
//! fit correlates the two by an ordinary change, which takes the message ([`MessageTaken`], or its
//! removal), and looks at the channel again until nothing fits. A report that is lost with its node
//! is found again by [`crate::Store::fits`].

use std::fmt;
use std::sync::Arc;

use orloj_types::{EngineName, InstanceKey, ProcessId, SubscriptionKey, TenantId, Timestamp};

/// A buffered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct MessageKey(i64);

impl MessageKey {
    pub const fn new(raw: i64) -> Self {
        Self(raw)
    }

    pub const fn raw(self) -> i64 {
        self.0
    }
}

impl fmt::Display for MessageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageRow {
    pub key: MessageKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub name: Arc<str>,
    pub correlation_key: Arc<str>,
    /// Unique in its channel while the message is buffered; adding it again is a conflict.
    pub message_id: Option<Arc<str>>,
    /// [`crate::format`] variables.
    pub variables: Vec<u8>,
    /// From this moment on it fits nothing and its id is free.
    pub expires_at: Timestamp,
}

impl MessageRow {
    pub fn channel(&self) -> Channel {
        Channel {
            engine: self.engine.clone(),
            tenant: self.tenant.clone(),
            name: self.name.clone(),
            correlation_key: self.correlation_key.clone(),
        }
    }
}

/// That a process got a message. Once for each message and process id: a second time is a conflict,
/// as it is when the message is gone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageTaken {
    pub message: MessageKey,
    pub process_id: ProcessId,
}

/// What a channel holds, oldest first; expired messages are left out.
#[derive(Clone, Debug)]
pub struct MessageQuery {
    pub channel: Channel,
    /// `None` matches all.
    pub message_id: Option<Arc<str>>,
    /// Without those that this process has got.
    pub not_taken_by: Option<ProcessId>,
    pub now: Timestamp,
    pub after: Option<MessageKey>,
    /// Clamped to [`crate::PAGE_ROWS_MAX`].
    pub limit: u32,
}

/// What a message and a subscription must have in common; a start event has no correlation key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel {
    pub engine: EngineName,
    pub tenant: TenantId,
    pub name: Arc<str>,
    pub correlation_key: Arc<str>,
}

/// The oldest message of a channel that an open subscription could get, and the oldest such
/// subscription. A message that the subscription's process has taken already does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    pub message: MessageKey,
    pub subscription: SubscriptionKey,
    pub instance: InstanceKey,
}

/// What a group met when it was committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Committed {
    /// At most one for each channel that the group added to.
    pub fits: Vec<Fit>,
}
