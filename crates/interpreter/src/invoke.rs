//! Foreign code: what the runtime is asked to call, and what it answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::{DecisionResult, Program};
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, InstanceKey, TenantId, Timestamp,
};

/// Foreign code the runtime is to call. Its result is matched by (element instance, ordinal).
#[derive(Clone, Debug)]
pub struct Invoke {
    pub element_instance: ElementInstanceKey,
    /// Counts the invokes of one element instance within one attempt.
    pub ordinal: u32,
    pub callee: Callee,
    /// The moment the command is interpreted at.
    pub now: Timestamp,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    pub element: ElementId,
    /// All variables visible to the element.
    pub variables: Document,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// Code of the application, by the name it is registered under.
    Delegate(Arc<str>),
    /// Code of the model.
    Program { program: Arc<Program>, result_variable: Option<Arc<str>> },
    /// A decision, which may be of another deployment.
    Decision(DecisionCall),
}

impl Callee {
    /// The same for calls of the same code.
    pub fn name(&self) -> Arc<str> {
        match self {
            Self::Delegate(name) => name.clone(),
            Self::Program { program, .. } => program.source.clone(),
            Self::Decision(call) => call.decision.clone(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionCall {
    pub decision: Arc<str>,
    pub binding: Bound,
    pub result: DecisionResult,
}

/// Which version of a decision is asked, everything evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    Latest,
    /// The one deployed together with the process.
    Deployment,
    DeploymentOrLatest,
    Version(i32),
    VersionTag(Arc<str>),
}

#[derive(Clone, Debug)]
pub enum InvokeResult {
    Done {
        variables: Document,
    },
    /// As `Done`, and variables are gone.
    Changed {
        variables: Document,
        removed: Vec<Arc<str>>,
    },
    Failed {
        message: Arc<str>,
    },
    /// What was to be called does not exist.
    NotFound {
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
