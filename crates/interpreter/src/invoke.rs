//! Foreign code: what the runtime is asked to call, and what it answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::FactChange;
use orloj_model::{DecisionResult, Program, ScriptResource};
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, InstanceKey, TenantId, Timestamp, Value,
};

use crate::edits::VariableEdit;
use crate::need::Need;
use crate::record::TaskProperties;
use crate::retry_policy::RetryPolicy;

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
    /// The same scope by scope, for code of models.
    pub scopes: Option<Box<InvokeScopes>>,
}

/// The variables that scopes around the code have.
#[derive(Clone, Debug, Default)]
pub struct InvokeScopes {
    pub local: Document,
    pub instance: Document,
    /// All that is visible from the scope that the element lies in.
    pub parent: Document,
    pub parent_local: Document,
    /// What names stand for, where that is not what is visible.
    pub inputs: Option<Document>,
    /// The user task that the code listens to.
    pub task: Option<TaskProperties>,
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
        /// In the order they are to be made.
        edits: Vec<VariableEdit>,
        /// The instance's from now on, where the code has set one; null takes it away.
        business_key: Option<Option<Arc<str>>>,
        /// What becomes of the user task that the code listens to.
        task: Vec<FactChange>,
        /// What the code gave back.
        value: Value,
    },
    Failed {
        message: Arc<str>,
    },
    /// As `Failed`, with more to tell.
    Faulted {
        message: Arc<str>,
        /// More than a line, such as a stack trace.
        details: Option<Arc<str>>,
        /// Another try would come to the same: the job is given up at once.
        is_final: bool,
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

    /// Whether the object has a method.
    fn bean_has(&self, _name: &str, _method: &str) -> bool {
        true
    }

    /// What a name stands for in expressions, where that is a value and no object.
    fn bean_value(&self, _name: &str) -> Option<Value> {
        None
    }

    /// Who decides about failed jobs of a topic, instead of the model.
    fn retry_policy(&self, _topic: &str) -> Option<&dyn RetryPolicy> {
        None
    }
}
