use std::sync::Arc;

use orloj_expr::Expression;

use super::element::Mapping;
use super::event::{ErrorThrow, MessageCatch};
use super::listener::{Code, Field};

#[derive(Clone, Debug)]
pub enum ServiceTask {
    /// A client of one of the faces does the work.
    Worker(WorkerTask),
    /// Code registered in this process under `name`; where nobody registered it, a worker job of
    /// that type, so that delegates can be moved out of a process one by one.
    Delegate(DelegateTask),
    Expression(ExpressionTask),
    /// Something that the systems bring along: mail, HTTP, a shell. Code registered under the word
    /// of its kind does it, else a client.
    Builtin(BuiltinTask),
}

impl ServiceTask {
    /// The job of the task, where a client does or may do the work.
    pub fn worker(&self) -> Option<&WorkerTask> {
        match self {
            Self::Worker(worker) => Some(worker),
            Self::Delegate(task) => Some(&task.worker),
            Self::Expression(task) => task.worker.as_ref(),
            Self::Builtin(task) => Some(&task.worker),
        }
    }

    pub fn worker_mut(&mut self) -> Option<&mut WorkerTask> {
        match self {
            Self::Worker(worker) => Some(worker),
            Self::Delegate(task) => Some(&mut task.worker),
            Self::Expression(task) => task.worker.as_mut(),
            Self::Builtin(task) => Some(&mut task.worker),
        }
    }

    /// Where the value of the work goes.
    pub fn result_variable(&self) -> Option<&Arc<str>> {
        match self {
            Self::Worker(_) => None,
            Self::Delegate(task) => task.result_variable.as_ref(),
            Self::Expression(task) => task.result_variable.as_ref(),
            Self::Builtin(task) => task.result_variable.as_ref(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct WorkerTask {
    /// Type or topic.
    pub job_type: Expression,
    /// `None`: the process's default.
    pub retries: Option<Expression>,
    pub priority: Option<Expression>,
    pub headers: Vec<(Arc<str>, Arc<str>)>,
    /// A user task of Zeebe without its own implementation is a job too.
    pub is_user_task: bool,
    pub completion: CompletionVariables,
    /// Whether a completed job continues the element at once, or by a job of its own.
    pub completes_by_job: Option<super::element::SavePoint>,
    /// Headers whose value is known only when the job is made.
    pub computed_headers: Vec<ComputedHeader>,
    /// Whether the client is given the process's variables.
    pub includes_variables: bool,
    /// What the client is given instead of them. Empty: see `includes_variables`.
    pub inputs: Vec<CallMapping>,
    /// What is kept of the variables that complete the job. Empty: all.
    pub outputs: Vec<CallMapping>,
    /// Asked in order when the job is completed or fails: the first that is true throws its error
    /// instead.
    pub errors: Vec<WorkerError>,
    /// Free metadata that clients can ask for.
    pub properties: Vec<(Arc<str>, Arc<str>)>,
    /// Of a user task: the form whose key the client is told.
    pub form: Option<FormReference>,
    /// Other resources whose keys the client is told.
    pub linked_resources: Vec<LinkedResource>,
}

impl WorkerTask {
    /// A job of this type with nothing special about it.
    pub fn of(job_type: Expression, completion: CompletionVariables) -> Self {
        Self {
            job_type,
            retries: None,
            priority: None,
            headers: Vec::new(),
            is_user_task: false,
            completion,
            completes_by_job: None,
            computed_headers: Vec::new(),
            includes_variables: true,
            inputs: Vec::new(),
            outputs: Vec::new(),
            errors: Vec::new(),
            properties: Vec::new(),
            form: None,
            linked_resources: Vec::new(),
        }
    }

    /// The client is told which variable the process expects its result in.
    #[must_use]
    pub fn with_result(mut self, variable: Option<&Arc<str>>) -> Self {
        self.headers.extend(variable.map(|name| (RESULT_HEADER.into(), name.clone())));
        self
    }
}

/// Names the variable that a client's result goes to, where the model names one.
const RESULT_HEADER: &str = "resultVariable";

/// Tells a client the keys of what its job is linked to, as JSON.
pub const LINKS_HEADER: &str = "linkedResources";

/// A file of any kind that a job refers to.
#[derive(Clone, Debug)]
pub struct LinkedResource {
    pub id: Arc<str>,
    /// The author's word for what it is.
    pub kind: Arc<str>,
    pub link_name: Option<Arc<str>>,
    pub binding: CallBinding,
}

#[derive(Clone, Debug)]
pub struct ComputedHeader {
    pub name: Arc<str>,
    pub value: Expression,
    pub kind: HeaderKind,
}

/// What the names of headers begin with that the engine writes itself, and models may not use.
/// They are Zeebe's: whoever reads them is a worker for it.
pub const RESERVED_HEADERS: &str = "io.camunda.zeebe:";

/// What the value of a computed header has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    Text,
    /// A list of texts, written as JSON.
    TextList,
    /// A date with time and zone, or nothing.
    DateTime,
}

#[derive(Clone, Debug)]
pub struct WorkerError {
    pub condition: Expression,
    pub error: ErrorThrow,
}

/// Where the variables of a completed worker job go when the element has no output mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionVariables {
    /// Merge from the element's scope outward; with output mappings everything else stays local.
    Merge,
    /// Set where they exist, else on the instance.
    Assign,
}

#[derive(Clone, Debug)]
pub struct DelegateTask {
    /// Class name, or the bean a `${bean}` expression names; the text of `computed`, where there
    /// is one.
    pub name: Arc<str>,
    /// An expression that gives the delegate and is more than a name.
    pub computed: Option<Expression>,
    pub fields: Vec<Field>,
    /// Where the delegate's value goes, if it gives one.
    pub result_variable: Option<Arc<str>>,
    /// The element waits to be continued from outside after the call.
    pub is_triggerable: bool,
    /// Failures that are errors of the process.
    pub exceptions: Vec<ExceptionMapping>,
    /// Worker job settings for when nobody registered the name.
    pub worker: WorkerTask,
}

/// An expression whose evaluation is the work: it may call beans.
#[derive(Clone, Debug)]
pub struct ExpressionTask {
    pub expression: Expression,
    pub result_variable: Option<Arc<str>>,
    /// The result is a variable of the element's scope only.
    pub is_result_local: bool,
    /// The result lives only as long as the command.
    pub is_result_transient: bool,
    pub is_triggerable: bool,
    /// Failures that are errors of the process.
    pub exceptions: Vec<ExceptionMapping>,
    /// Of an expression that is one call of a method: the job for when nobody registered the
    /// object.
    pub worker: Option<WorkerTask>,
}

/// A failure of code that counts as an error of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExceptionMapping {
    pub error_code: Arc<str>,
    pub of: MappedFailures,
}

/// Which failures a mapping is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappedFailures {
    /// Those that no other mapping is for.
    Rest,
    /// By what has failed; neither, where the model names what cannot occur here.
    Named { code: bool, expressions: bool },
}

#[derive(Clone, Debug)]
pub struct BuiltinTask {
    /// The word of the `type` attribute; `connector` for one of those.
    pub kind: Arc<str>,
    pub fields: Vec<Field>,
    pub result_variable: Option<Arc<str>>,
    /// The element waits to be continued from outside after the call.
    pub is_triggerable: bool,
    pub connector: Option<Connector>,
    /// The registry's event that is sent, where the task sends one.
    pub event: Option<SentEvent>,
    /// Failures that are errors of the process.
    pub exceptions: Vec<ExceptionMapping>,
    /// Worker job settings for when nobody registered the kind. Of an event that is answered: with
    /// what the answer gives as outputs.
    pub worker: WorkerTask,
}

/// Something of another library, called with inputs of its own.
#[derive(Clone, Debug)]
pub struct Connector {
    pub id: Expression,
    pub inputs: Vec<Mapping>,
    /// What is kept of the connector's answer. Empty: all.
    pub outputs: Vec<Mapping>,
}

/// An event that goes to a registry outside of the process.
#[derive(Clone, Debug)]
pub struct SentEvent {
    pub event_type: Expression,
    /// `None`: that of the event's own definition, or the system's.
    pub channel: Option<Expression>,
    /// What goes along.
    pub inputs: Vec<CallMapping>,
    /// The type of the event that continues a triggerable task; `None`: the same.
    pub answer_type: Option<Expression>,
    /// What the answer has to agree with.
    pub correlation: Vec<(Arc<str>, Expression)>,
    pub is_synchronous: bool,
}

#[derive(Clone, Debug, Default)]
pub struct UserTask {
    pub assignee: Option<Expression>,
    pub candidate_groups: Option<Expression>,
    pub candidate_users: Option<Expression>,
    pub due_date: Option<Expression>,
    pub follow_up_date: Option<Expression>,
    pub priority: Option<Expression>,
    /// A name for whoever draws the form; it may be an expression.
    pub form_key: Option<Arc<str>>,
    /// Such a name, computed when the task begins.
    pub form_name: Option<Expression>,
    /// A form of this engine.
    pub form: Option<FormReference>,
    pub owner: Option<Expression>,
    pub category: Option<Expression>,
    /// Computed name and description; `None`: the element's own.
    pub name: Option<Expression>,
    pub description: Option<Expression>,
    /// Gives the variable that receives the task's key.
    pub task_key_variable: Option<Expression>,
    /// People linked to the task in other ways. Nothing is kept of them, but they must be
    /// computable.
    pub links: Vec<Expression>,
    /// Gives the variable that receives who completed the task.
    pub completer_variable: Option<Expression>,
    /// Handed to clients as they are.
    pub headers: Vec<(Arc<str>, Arc<str>)>,
}

#[derive(Clone, Debug)]
pub struct FormReference {
    pub form: Expression,
    pub binding: CallBinding,
    /// The task begins only when the form has been found; otherwise whoever draws it looks for it.
    pub is_needed: bool,
}

#[derive(Clone, Debug)]
pub struct ReceiveTask {
    /// `None`: continued from outside, by hand.
    pub message: Option<MessageCatch>,
}

#[derive(Clone, Debug)]
pub struct CallActivity {
    /// Gives the id of the process.
    pub process: Expression,
    pub binding: CallBinding,
    pub tenant: Option<Expression>,
    /// `None`: the called instance has none.
    pub business_key: Option<Expression>,
    /// Without a `business_key` the called instance has that of the caller.
    pub inherits_business_key: bool,
    pub inputs: Vec<CallMapping>,
    pub outputs: Vec<CallMapping>,
    /// Code that maps variables in both directions, after `inputs` and `outputs`.
    pub variable_mapping: Option<Code>,
    /// Where the tenant has no such process, that of no tenant is taken.
    pub falls_back_to_no_tenant: bool,
    /// Name of the called instance.
    pub instance_name: Option<Expression>,
    /// The variable that receives the called instance's key.
    pub instance_key_variable: Option<Expression>,
    /// The end of the called instance continues the caller by a job of its own.
    pub completes_by_job: Option<super::element::SavePoint>,
    /// Failures that are errors of the process.
    pub exceptions: Vec<ExceptionMapping>,
}

/// Which version of a process is called.
#[derive(Clone, Debug)]
pub enum CallBinding {
    Latest,
    /// The one deployed together with the caller.
    Deployment,
    /// The same, or the latest where the deployment has none.
    DeploymentOrLatest,
    Version(Expression),
    VersionTag(Expression),
    /// `process` gives the key of one definition and not the id of a process.
    Definition,
}

/// What goes into a called instance or comes out of it.
#[derive(Clone, Debug)]
pub enum CallMapping {
    /// All variables that are seen, or only those of the nearest scope. Of outputs: set outward,
    /// or on the element.
    All { is_local: bool },
    Value {
        source: Expression,
        target: Expression,
        /// Of inputs: only the nearest scope is looked at. Of outputs: set on the element and not
        /// outward.
        is_local: bool,
        /// Lives only as long as the command.
        is_transient: bool,
        /// Where nothing is found, nothing is set.
        skips_missing: bool,
    },
}
