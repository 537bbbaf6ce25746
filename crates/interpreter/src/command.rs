//! What can be asked of an instance, and why it may be refused.

use std::sync::Arc;

use orloj_model::{JobDefinition, Process, TimerKind};
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, IncidentKey, InstanceKey, JobKey,
    NodeNumber, SubscriptionKey, TenantId, Timestamp, UserTaskKey,
};

use crate::job_result::JobResult;
use crate::record::JobState;

#[derive(Clone, Debug)]
pub enum Command {
    Start(Start),
    /// The executor runs an asynchronous continuation or a due timer that it has locked.
    RunJob {
        job: JobKey,
    },
    /// A waiting job has become due. With `at_once`, what needs no foreign code is done with it;
    /// otherwise the job becomes ready (or parked), to be locked before it runs.
    JobDue {
        job: JobKey,
        at_once: bool,
    },
    /// A worker is done.
    CompleteJob {
        job: JobKey,
        variables: Document,
        result: JobResult,
        activations: Vec<Activation>,
    },
    FailJob(FailJob),
    ThrowError(ThrowError),
    /// The job is so large that nobody can be given it. It keeps its retries and waits for a person.
    HoldBackJob {
        job: JobKey,
        message: Arc<str>,
        activations: Vec<Activation>,
    },
    UpdateRetries {
        job: JobKey,
        retries: i32,
    },
    /// An operator changes something about a job, or has something done with it.
    ManageJob {
        job: JobKey,
        what: JobOrder,
        /// What it failed with the last time, for an incident: the record does not keep it.
        failure: Option<Arc<str>>,
    },
    /// Those of them that the instance has are suspended, or resumed.
    SuspendJobs {
        jobs: Vec<JobKey>,
    },
    ResumeJobs {
        jobs: Vec<JobKey>,
    },
    /// The same of those that are of one job definition.
    SuspendJobsOf {
        definition: JobDefinition,
        jobs: Vec<JobKey>,
        suspended: bool,
    },
    /// An exclusive job that waits for its turn takes the place of the one whose turn it is. The
    /// sender sees to it that nobody has locked that one when this takes effect; the instance is
    /// the one that has the queue.
    Overtake {
        holder: JobKey,
        by: JobKey,
    },
    /// The engine runs the job here and now, whatever its due date, retries, suspension and lock
    /// say. When it fails the outcome tells why.
    ExecuteJob {
        job: JobKey,
    },
    ResolveIncident {
        incident: IncidentKey,
    },
    /// A client tells of a problem of its own.
    OpenIncident(OpenIncident),
    AnnotateIncident {
        incident: IncidentKey,
        annotation: Option<Arc<str>>,
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
    /// As `Trigger`, but in a job of its own: an asynchronous signal has come.
    DeferTrigger {
        subscription: SubscriptionKey,
        variables: Document,
    },
    SetVariables {
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    },
    /// Conditional events that hear nothing by themselves are asked whether they occur, after these
    /// variables are set.
    AskConditions {
        variables: Document,
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

/// What an operator wants of a job.
#[derive(Clone, Debug, PartialEq)]
pub enum JobOrder {
    /// None are left: the job waits for a person. More than that: it is tried again.
    SetRetries {
        retries: i32,
        /// Also the due date, which may be taken away.
        due: Option<Option<Timestamp>>,
    },
    SetDueDate {
        due: Option<Timestamp>,
        /// Later firings of a repetition move by as much.
        cascade: bool,
    },
    /// The model's timer is evaluated again.
    RecalculateDueDate {
        /// As if it was the moment the job was made; otherwise from now.
        from_creation: bool,
    },
    SetPriority(i64),
    /// The job is gone; its token stays where it is.
    Delete,
    MoveToDeadLetters,
    /// A dead letter is tried again.
    MoveToExecutable {
        retries: i32,
    },
    /// A job that waits for its due date runs now.
    MoveTimerToExecutable,
    /// Another timer takes the place of this one.
    Reschedule {
        timer: NewTimer,
        /// The key that it gets, so that whoever asks for it knows it.
        new: JobKey,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewTimer {
    pub kind: TimerKind,
    pub text: Arc<str>,
}

#[derive(Clone, Debug)]
pub struct OpenIncident {
    pub element_instance: ElementInstanceKey,
    /// The client's word.
    pub kind: Arc<str>,
    pub configuration: Option<Arc<str>>,
    pub message: Arc<str>,
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
    /// For each of the element instances a token comes to the element, and they are cancelled.
    Move {
        from: MoveFrom,
        to: ElementId,
        inside: MoveInside,
        /// Its ancestor is used where `inside` says so.
        place: Place,
    },
}

#[derive(Clone, Debug)]
pub enum MoveFrom {
    One(ElementInstanceKey),
    /// All instances of the element.
    All(ElementId),
}

/// The element instance that the new token has to lie in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveInside {
    /// The one that the place names, if it does.
    #[default]
    Named,
    /// The scope that the old one lies in.
    Parent,
    /// The nearest of those around the old one that is around the element too.
    Hierarchy,
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
    /// Each the scopes' own: of the subprocess around the element that has this name, and without
    /// a name of the instance.
    pub scoped: Vec<(Option<ElementId>, Document)>,
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
    /// Tokens begin before these elements instead, and at no start event.
    pub before: Vec<ElementId>,
    /// See [`crate::Record::tags`].
    pub tags: Arc<[Arc<str>]>,
    /// See [`crate::Record::stops_after`].
    pub stops_after: Vec<ElementId>,
}

#[derive(Clone, Debug)]
pub struct FailJob {
    pub job: JobKey,
    /// Exactly this many are left afterwards.
    pub retries: i32,
    pub message: Arc<str>,
    /// More than a line, such as a stack trace.
    pub details: Option<Arc<str>>,
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
    #[error("the conditional events of instance {0} hear of every change by themselves")]
    ConditionsHear(InstanceKey),
    #[error("the process has no start event without a trigger")]
    NoNoneStart,
    #[error("the process has no start event {0}")]
    NoSuchStart(ElementId),
    #[error("instance {0} is suspended")]
    Suspended(InstanceKey),
    #[error("instance {0} is already suspended")]
    AlreadySuspended(InstanceKey),
    #[error("instance {0} is not suspended")]
    NotSuspended(InstanceKey),
    #[error("the process has no element {0}")]
    ElementNotFound(ElementId),
    #[error("{element}: {reason}")]
    NotPossible { element: ElementId, reason: &'static str },
    /// The job of a listener of a user task.
    #[error("job {job} is that of a task listener and takes no variables")]
    VariablesRefused { job: JobKey },
    #[error("the result of job {job} is refused: {reason}")]
    ResultRefused { job: JobKey, reason: &'static str },
    /// There is no such element to begin in an ad-hoc subprocess.
    #[error("job {job} cannot begin {element}")]
    ActivationNotFound { job: JobKey, element: ElementId },
    #[error("job {job} is that of a listener and throws no errors")]
    ErrorRefused { job: JobKey },
    #[error("retries must be at least 1, not {0}")]
    RetriesTooFew(i32),
    #[error("retries must not be negative, but are {0}")]
    RetriesNegative(i32),
    #[error("job {0} is no timer")]
    NotATimer(JobKey),
    #[error(
        "job {0} is for workers: only they, and the loss of its retries, make it a dead letter"
    )]
    ForWorkers(JobKey),
    #[error("the timer of job {job} cannot be computed: {reason}")]
    TimerInvalid { job: JobKey, reason: Arc<str> },
    #[error("job {0} belongs to a suspended instance")]
    JobOfSuspended(JobKey),
    #[error("incident {0} tells of one in a called instance and is resolved with it")]
    IncidentBelow(IncidentKey),
    #[error("{0:?} is a kind of incident that only the engine opens")]
    IncidentKindReserved(Arc<str>),
    #[error("definition {0} is suspended")]
    DefinitionSuspended(DefinitionKey),
    /// Foreign code or an expression failed on the way of a synchronous command.
    #[error("{element}: {message}")]
    Failed { element: Arc<str>, message: Arc<str> },
    #[error(
        "more than {limit} elements visited in one command: a loop this long needs a save point \
         (asyncBefore or asyncAfter)"
    )]
    TooManyVisits { limit: u32 },
}

impl Command {
    /// The job of the engine's own that it runs, if it comes to that.
    pub fn job_run(&self) -> Option<JobKey> {
        match self {
            Self::RunJob { job } | Self::JobDue { job, .. } | Self::ExecuteJob { job } => {
                Some(*job)
            }
            _ => None,
        }
    }
}

impl Rejection {
    /// The answer when there is no record: what the command was about is gone with its instance.
    pub fn gone(command: &Command, instance: InstanceKey) -> Self {
        match command {
            Command::RunJob { job }
            | Command::JobDue { job, .. }
            | Command::CompleteJob { job, .. }
            | Command::HoldBackJob { job, .. }
            | Command::ManageJob { job, .. }
            | Command::ExecuteJob { job }
            | Command::UpdateRetries { job, .. } => Self::JobNotFound(*job),
            Command::SuspendJobs { jobs }
            | Command::ResumeJobs { jobs }
            | Command::SuspendJobsOf { jobs, .. } => match jobs.first() {
                Some(job) => Self::JobNotFound(*job),
                None => Self::InstanceNotFound(instance),
            },
            Command::Overtake { by, .. } => Self::JobNotFound(*by),
            Command::FailJob(fail) => Self::JobNotFound(fail.job),
            Command::ThrowError(throw) => Self::JobNotFound(throw.job),
            Command::ResolveIncident { incident } | Command::AnnotateIncident { incident, .. } => {
                Self::IncidentNotFound(*incident)
            }
            Command::OpenIncident(open) => Self::ScopeNotFound(open.element_instance),
            Command::CompleteUserTask { task, .. } => Self::UserTaskNotFound(*task),
            Command::SetVariables { scope, .. } => Self::ScopeNotFound(*scope),
            Command::Trigger { subscription, .. } | Command::DeferTrigger { subscription, .. } => {
                Self::SubscriptionNotFound(*subscription)
            }
            Command::Start(_)
            | Command::AskConditions { .. }
            | Command::Modify { .. }
            | Command::Migrate(_)
            | Command::Suspend
            | Command::Resume
            | Command::Cancel
            | Command::Delete => Self::InstanceNotFound(instance),
        }
    }
}
