//! Foreign code: what the runtime is asked to call, and what it answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::{DecisionResult, Program, ScriptResource};
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, InstanceKey, TenantId, Timestamp, Value,
};

use crate::need::Need;

/// What stops the interpretation until it is answered.
#[derive(Clone, Debug)]
pub(crate) enum Yield {
    Invoke(Invoke),
    Need(Need),
}

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
    /// The element that the token is at; another one for listeners of flows and of the process.
    pub activity: ElementId,
    /// The word for what a listener is called for.
    pub event: Option<&'static str>,
    /// All variables visible to the element.
    pub variables: Document,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// Code of the application, by the name it is registered under.
    Delegate {
        name: Arc<str>,
        /// What is injected into it.
        fields: Vec<(Arc<str>, Value)>,
    },
    /// Code of the model.
    Program { program: Arc<Program>, result_variable: Option<Arc<str>> },
    /// Code of another resource, by its name.
    Resource { resource: Arc<ScriptResource>, name: Arc<str>, result_variable: Option<Arc<str>> },
    /// A decision, which may be of another deployment.
    Decision(DecisionCall),
    /// A method of an object of the application, out of an expression.
    Bean { bean: Arc<str>, method: Arc<str>, arguments: Vec<Value> },
    /// Something that the compatible systems bring along, by the word of their `type`.
    Builtin { kind: Arc<str>, fields: Vec<(Arc<str>, Value)> },
}

impl Callee {
    /// The same for calls of the same code.
    pub fn name(&self) -> Arc<str> {
        match self {
            Self::Delegate { name, .. } => name.clone(),
            Self::Program { program, .. } => program.source.clone(),
            Self::Resource { name, .. } => name.clone(),
            Self::Decision(call) => call.decision.clone(),
            Self::Bean { bean, .. } => bean.clone(),
            Self::Builtin { kind, .. } => kind.clone(),
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
    /// The name is the key of one definition.
    Definition,
}

#[derive(Clone, Debug)]
pub enum InvokeResult {
    Done {
        variables: Document,
    },
    /// As `Done`, with more to tell.
    Changed {
        variables: Document,
        /// Of the element's own scope.
        locals: Document,
        removed: Vec<Arc<str>>,
        /// What the code gave back.
        value: Value,
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

    /// Whether expressions may call methods of an object of that name.
    fn knows_bean(&self, name: &str) -> bool {
        self.knows(name)
    }

    /// Whether expressions may read properties of it, by calling methods for them.
    fn bean_has_properties(&self, _name: &str) -> bool {
        true
    }
}
