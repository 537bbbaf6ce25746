use std::sync::Arc;

use orloj_interpreter::{MoveFrom, MoveInside};
use orloj_types::{Document, ElementId, ElementInstanceKey, InstanceKey, TenantId};

/// A message for whoever waits for its name and key, now or until it expires.
#[derive(Clone, Debug, Default)]
pub struct PublishMessage {
    pub name: Arc<str>,
    pub correlation_key: Arc<str>,
    /// How long it waits for someone to wait for it. Zero: only those that wait now get it.
    pub time_to_live_ms: i64,
    /// While a message with the same one waits in the same place, another is refused.
    pub message_id: Option<Arc<str>>,
    pub variables: Document,
    pub tenant: TenantId,
}

/// A message for exactly one waiting instance or start event, now.
#[derive(Clone, Debug, Default)]
pub struct Correlate {
    pub name: Arc<str>,
    /// Absent fields match all.
    pub business_key: Option<Arc<str>>,
    pub instance: Option<InstanceKey>,
    pub tenant: TenantId,
    pub variables: Document,
}

/// Who got a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correlated {
    Waiting(InstanceKey),
    Started(InstanceKey),
}

#[derive(Clone, Debug, Default)]
pub struct BroadcastSignal {
    pub name: Arc<str>,
    pub variables: Document,
    pub tenant: TenantId,
}

/// Tokens moved by hand.
#[derive(Clone, Debug, Default)]
pub struct Modify {
    /// Done first: tokens begin before these elements.
    pub activate: Vec<Activate>,
    /// As if these elements had been left, each by its only flow.
    pub activate_after: Vec<Activate>,
    /// Tokens begin on these flows.
    pub activate_flow: Vec<Activate>,
    pub moves: Vec<Move>,
    pub terminate: Vec<ElementInstanceKey>,
    /// All instances of these elements.
    pub terminate_all: Vec<ElementId>,
}

#[derive(Clone, Debug)]
pub struct Activate {
    pub element: ElementId,
    /// The scope that the element lies in, where several could be meant.
    pub ancestor: Option<ElementInstanceKey>,
    /// Of the scope around the element.
    pub variables: Document,
    /// Of the element's own scope; a flow has none, nor has an element that is not entered.
    pub locals: Document,
    /// Each the scopes' own: of the subprocess around the element that has this name, and without
    /// a name of the instance.
    pub scoped: Vec<(Option<ElementId>, Document)>,
}

/// The element is activated for each of the element instances, which are terminated.
#[derive(Clone, Debug)]
pub struct Move {
    pub from: MoveFrom,
    pub to: Activate,
    pub inside: MoveInside,
}

/// An instance goes on as one of another definition.
#[derive(Clone, Debug)]
pub struct MigrateInstance {
    pub which: super::Which,
    pub tenant: TenantId,
    /// Which element becomes which.
    pub plan: Vec<(ElementId, ElementId)>,
}
