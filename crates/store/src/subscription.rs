//! Waits for something that comes from outside of the instance.

use std::sync::Arc;

use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, EngineName, InstanceKey, SubscriptionKey,
    TenantId,
};

/// The record of the instance decides; the row repeats it, so that it can be found by what it
/// waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubscriptionRow {
    pub key: SubscriptionKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub element_instance: ElementInstanceKey,
    /// The event that waits; a receive task waits for its own.
    pub event: ElementId,
    pub kind: SubscriptionKind,
    /// Of the message, signal, variable or type of event; empty where there is none.
    pub name: Arc<str>,
    /// Only buffered messages with the same one are matched with it; without one, none is.
    pub correlation_key: Option<Arc<str>>,
}

/// The numbers are part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SubscriptionKind {
    Message = 0,
    Signal = 1,
    Condition = 2,
    /// Continued from outside, by hand.
    Hand = 3,
    /// An event of a registry outside of the process.
    Registry = 4,
    Variable = 5,
}

impl SubscriptionKind {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Message,
            1 => Self::Signal,
            2 => Self::Condition,
            3 => Self::Hand,
            4 => Self::Registry,
            5 => Self::Variable,
            _ => return None,
        })
    }
}

/// Absent fields match all. Oldest first.
///
/// A name, a name and a correlation key, and the business key of those that wait for a message are
/// found by an index; without any of them all subscriptions from `after` on are read.
#[derive(Clone, Debug)]
pub struct SubscriptionQuery {
    pub engine: EngineName,
    pub tenant: Option<TenantId>,
    pub kind: SubscriptionKind,
    pub name: Option<Arc<str>>,
    pub correlation_key: Option<Arc<str>>,
    pub instance: Option<InstanceKey>,
    /// Of the instance that waits.
    pub business_key: Option<Arc<str>>,
    pub after: Option<SubscriptionKey>,
    /// Clamped to [`crate::PAGE_ROWS_MAX`].
    pub limit: u32,
}
