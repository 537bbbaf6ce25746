//! Foreign code: what the runtime is asked to call, and what it answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{DefinitionKey, Document, ElementId, ElementInstanceKey, InstanceKey, TenantId};

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

/// Which delegates the process has registered; the others become worker jobs.
pub trait Delegates {
    fn knows(&self, name: &str) -> bool;
}
