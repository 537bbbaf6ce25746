//! What can be asked of an instance, and why it may be refused.

use std::sync::Arc;

use orloj_model::Process;
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, IncidentKey, InstanceKey, JobKey,
    NodeNumber, SubscriptionKey, TenantId, Timestamp, UserTaskKey,
};

use crate::record::JobState;

#[derive(Clone, Debug)]
pub enum Command {
    Start(Start),
    /// The executor runs an asynchronous continuation or a due timer that it has locked.
    RunJob {
        job: JobKey,
    },
    /// A waiting job has become due. What needs no foreign code happens at once; otherwise the
    /// job becomes ready (or parked), to be locked before any foreign code runs.
    JobDue {
        job: JobKey,
    },
    /// A worker is done.
    CompleteJob {
        job: JobKey,
        variables: Document,
        activations: Vec<Activation>,
    },
    FailJob(FailJob),
    ThrowError(ThrowError),
    UpdateRetries {
        job: JobKey,
        retries: i32,
    },
    ResolveIncident {
        incident: IncidentKey,
    },
    CompleteUserTask {
        task: UserTaskKey,
        variables: Document,
    },
    /// What a subscription waits for has come.
    Trigger {
        subscription: SubscriptionKey,
        variables: Document,
    },
    SetVariables {
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    },
    /// Tokens are moved by hand, in this order.
    Modify {
        instructions: Vec<Instruction>,
    },
    /// The instance goes on as one of another definition.
    Migrate(Migrate),
    /// Nothing of the instance is worked on until it is resumed.
    Suspend,
    Resume,
    Cancel,
    /// As `Cancel`, but no listener is called and no mapping made.
    Delete,
}

#[derive(Clone, Debug)]
pub enum Instruction {
    /// A token comes to the element.
    StartBefore {
        element: ElementId,
        place: Place,
    },
    /// A token goes along the only outgoing flow of the element.
    StartAfter {
        element: ElementId,
        place: Place,
    },
    /// A token goes along the flow.
    StartTransition {
        flow: ElementId,
        place: Place,
    },
    Cancel {
        element_instance: ElementInstanceKey,
    },
    /// All instances of the element.
    CancelAll {
        element: ElementId,
    },
}

/// Where a token begins, and with what.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The element instance that it has to lie in, where several could be meant.
    pub ancestor: Option<ElementInstanceKey>,
    /// Set from the scope outward.
    pub variables: Document,
    /// Of the element instance itself.
    pub locals: Document,
}

#[derive(Clone, Debug)]
pub struct Migrate {
    pub definition: DefinitionKey,
    pub target: Arc<Process>,
    /// Which element becomes which.
    pub plan: Vec<(ElementId, ElementId)>,
}

#[derive(Clone, Debug)]
pub struct Start {
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    pub variables: Document,
    pub awaited_by: Option<NodeNumber>,
    /// The key of the message that starts it; see [`crate::Record::started_with`].
    pub started_with: Option<Arc<str>>,
    /// The start event whose trigger came; `None`: the one without a trigger.
    pub at: Option<ElementId>,
}

#[derive(Clone, Debug)]
pub struct FailJob {
    pub job: JobKey,
    /// Exactly this many are left afterwards.
    pub retries: i32,
    pub message: Arc<str>,
    pub back_off_ms: i64,
    pub variables: Document,
    pub activations: Vec<Activation>,
}

#[derive(Clone, Debug)]
pub struct ThrowError {
    pub job: JobKey,
    pub code: Arc<str>,
    pub message: Arc<str>,
    pub variables: Document,
    pub activations: Vec<Activation>,
}

/// A worker took the job at a moment: kept for history, which tells who worked on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activation {
    pub worker: Arc<str>,
    pub at: Timestamp,
}

/// A command refused by the rules: a normal answer. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    #[error("no instance {0}")]
    InstanceNotFound(InstanceKey),
    #[error("no job {0}")]
    JobNotFound(JobKey),
    #[error("job {job} is in state {state:?}")]
    JobState { job: JobKey, state: JobState },
    #[error("no incident {0}")]
    IncidentNotFound(IncidentKey),
    #[error("job {job} of incident {incident} has no retries left; raise them first")]
    IncidentNeedsRetries { incident: IncidentKey, job: JobKey },
    #[error("no user task {0}")]
    UserTaskNotFound(UserTaskKey),
    #[error("no subscription {0}")]
    SubscriptionNotFound(SubscriptionKey),
    #[error("no scope {0}")]
    ScopeNotFound(ElementInstanceKey),
    #[error("the process has no start event without a trigger")]
    NoNoneStart,
    #[error("the process has no start event {0}")]
    NoSuchStart(ElementId),
    #[error("instance {0} is suspended")]
    Suspended(InstanceKey),
    #[error("instance {0} is not suspended")]
    NotSuspended(InstanceKey),
    #[error("the process has no element {0}")]
    ElementNotFound(ElementId),
    #[error("{element}: {reason}")]
    NotPossible { element: ElementId, reason: &'static str },
    /// The job of a listener of a user task.
    #[error("job {job} is that of a task listener and takes no variables")]
    VariablesRefused { job: JobKey },
    #[error("job {job} is that of a listener and throws no errors")]
    ErrorRefused { job: JobKey },
    #[error("retries must be at least 1, not {0}")]
    RetriesTooFew(i32),
    /// Foreign code or an expression failed on the way of a synchronous command.
    #[error("{element}: {message}")]
    Failed { element: Arc<str>, message: Arc<str> },
    #[error("more than {limit} elements visited in one command")]
    TooManyVisits { limit: u32 },
}

impl Rejection {
    /// The answer when there is no record: what the command was about is gone with its instance.
    pub fn gone(command: &Command, instance: InstanceKey) -> Self {
        match command {
            Command::RunJob { job }
            | Command::JobDue { job }
            | Command::CompleteJob { job, .. }
            | Command::UpdateRetries { job, .. } => Self::JobNotFound(*job),
            Command::FailJob(fail) => Self::JobNotFound(fail.job),
            Command::ThrowError(throw) => Self::JobNotFound(throw.job),
            Command::ResolveIncident { incident } => Self::IncidentNotFound(*incident),
            Command::CompleteUserTask { task, .. } => Self::UserTaskNotFound(*task),
            Command::SetVariables { scope, .. } => Self::ScopeNotFound(*scope),
            Command::Trigger { subscription, .. } => Self::SubscriptionNotFound(*subscription),
            Command::Start(_)
            | Command::Modify { .. }
            | Command::Migrate(_)
            | Command::Suspend
            | Command::Resume
            | Command::Cancel
            | Command::Delete => Self::InstanceNotFound(instance),
        }
    }
}
