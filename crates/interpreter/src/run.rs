//! One command at work: interpreted until it needs foreign code or is done.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::Process;
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, InstanceKey, KeyBlock, KeyGenerator,
    TenantId, Timestamp,
};

use crate::command::{Command, Rejection};
use crate::outcome::Outcome;
use crate::record::Record;

/// Foreign code the runtime is to call. Its result is matched by (element instance, ordinal).
#[derive(Clone, Debug)]
pub struct Invoke {
    pub element_instance: ElementInstanceKey,
    /// Counts the invokes of one element instance within one attempt.
    pub ordinal: u32,
    /// The name the delegate is registered under.
    pub delegate: Arc<str>,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    pub element: ElementId,
    /// All variables visible to the element.
    pub variables: Document,
}

#[derive(Clone, Debug)]
pub enum InvokeResult {
    Done {
        variables: Document,
    },
    Failed {
        message: Arc<str>,
    },
    /// A BPMN error for the model's catch events.
    Error {
        code: Arc<str>,
        message: Arc<str>,
        variables: Document,
    },
}

/// Results foreign code has already given in this attempt.
pub type InvokeResults = BTreeMap<(ElementInstanceKey, u32), InvokeResult>;

#[derive(Debug)]
pub enum Progress {
    /// Call this, then [`Run::resume`].
    Invoke(Invoke),
    Done(Outcome),
    Rejected(Rejection),
}

/// Which delegates the process has registered; the others become worker jobs.
pub trait Delegates {
    fn knows(&self, name: &str) -> bool;
}

/// What a command is interpreted against.
#[derive(Clone)]
pub struct Input {
    pub process: Arc<Process>,
    /// `None` only for [`Command::Start`].
    pub record: Option<Record>,
    pub command: Command,
    pub now: Timestamp,
    /// Rewound when an earlier attempt was lost, so that keys repeat.
    pub keys: KeyBlock,
    /// Results of an earlier attempt, used before foreign code is called again.
    pub results: InvokeResults,
}
