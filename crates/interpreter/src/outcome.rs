//! What a command did: the new state, the rows that follow from it, what happened, what to answer.

use std::sync::Arc;

use orloj_model::JobHandler;
use orloj_types::{
    DefinitionKey, Document, ElementId, ElementInstanceKey, IncidentKey, InstanceKey, JobKey,
    SubscriptionKey, Timestamp, UserTaskKey,
};

use crate::command::Activation;
use crate::record::{Caller, Job, Record, Role, Subscription};

/// Of one instance; those of other instances that the command changed come with it.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    /// The instance did not exist before.
    pub is_new: bool,
    /// `None`: the instance has ended.
    pub record: Option<Box<Record>>,
    /// Set when the instance has ended.
    pub end: Option<End>,
    pub jobs: Vec<JobChange>,
    /// In the instance's queue of exclusive jobs. If nobody has locked the holder, a
    /// [`crate::Command::Overtake`] is to follow.
    pub overtaking: Option<Overtaking>,
    pub user_tasks: Vec<UserTaskChange>,
    pub incidents: Vec<IncidentChange>,
    pub subscriptions: Vec<SubscriptionChange>,
    /// In the order it happened.
    pub events: Vec<Event>,
    /// To be heard by every instance that waits for them, and by start events.
    pub signals: Vec<Signal>,
    /// Set when the command's job has failed: what it did was undone, and this is what is left.
    pub failed: Option<JobFailure>,
    /// Of the other instances that belong to the same change: called ones and callers. All of it
    /// is applied, or nothing.
    pub others: Vec<Outcome>,
}

impl Outcome {
    /// Of an instance that a command has looked at and not changed.
    pub fn unchanged(record: Record) -> Self {
        Self {
            instance: record.instance,
            definition: record.definition,
            is_new: false,
            record: Some(Box::new(record)),
            end: None,
            jobs: Vec::new(),
            overtaking: None,
            user_tasks: Vec::new(),
            incidents: Vec::new(),
            subscriptions: Vec::new(),
            events: Vec::new(),
            signals: Vec::new(),
            failed: None,
            others: Vec::new(),
        }
    }
}

/// A job that waits for its turn goes before the one whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtaking {
    pub holder: JobKey,
    pub by: JobKey,
}

/// Why a job's run was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFailure {
    pub job: JobKey,
    /// Where it failed, which need not be the job's own element.
    pub element: ElementId,
    pub message: Arc<str>,
    /// After this failure.
    pub retries_left: i32,
}

/// A signal on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    pub name: Arc<str>,
    pub variables: Document,
    /// Heard only by this instance.
    pub only: Option<InstanceKey>,
    /// This instance, which has thrown it, has heard it already.
    pub heard_by: Option<InstanceKey>,
    /// Heard in jobs of their own and not at once: whoever waits for it is given a
    /// [`crate::Command::DeferTrigger`] instead of a [`crate::Command::Trigger`].
    pub is_async: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SubscriptionChange {
    Insert(SubscriptionRow),
    Delete(SubscriptionKey),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SubscriptionRow {
    pub subscription: Subscription,
    pub element_instance: ElementInstanceKey,
}

#[derive(Clone, Debug, PartialEq)]
pub struct End {
    pub how: EndKind,
    /// The instance's own variables at the end.
    pub variables: Document,
    pub business_key: Option<Arc<str>>,
    pub caller: Option<Caller>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndKind {
    Completed,
    Cancelled,
}

/// Each job appears at most once.
#[derive(Clone, Debug, PartialEq)]
pub enum JobChange {
    Insert(JobRow),
    /// `unlock`: the job loses its lock with this change.
    Update {
        row: JobRow,
        unlock: bool,
    },
    Delete(JobKey),
}

/// A job with what its row needs from the element it belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRow {
    pub job: Job,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    /// What limits and circuit breakers count it by: the type of a worker job, the name of the
    /// foreign code that an engine job calls, empty for a pure continuation.
    pub topic: Arc<str>,
    /// Why it failed the last time. `None` in an update: as it was, for the record does not keep it.
    pub failure: Option<Failed>,
}

/// What a row keeps of a job's last failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub message: Arc<str>,
    /// More than a line, such as a stack trace.
    pub details: Option<Arc<str>>,
    /// Where it failed, which need not be the job's own element.
    pub element: ElementId,
}

#[derive(Clone, Debug, PartialEq)]
pub enum UserTaskChange {
    Insert(UserTaskRow),
    /// The task now belongs to an element of this name.
    Move {
        key: UserTaskKey,
        element: ElementId,
    },
    Delete(UserTaskKey),
}

#[derive(Clone, Debug, PartialEq)]
pub struct UserTaskRow {
    pub key: UserTaskKey,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    pub name: Option<Arc<str>>,
    pub description: Option<Arc<str>>,
    pub owner: Option<Arc<str>>,
    pub category: Option<Arc<str>>,
    pub assignee: Option<Arc<str>>,
    pub candidate_groups: Vec<Arc<str>>,
    pub candidate_users: Vec<Arc<str>>,
    pub due_at: Option<Timestamp>,
    pub follow_up_at: Option<Timestamp>,
    pub priority: i64,
    pub form_key: Option<Arc<str>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum IncidentChange {
    Insert(IncidentRow),
    /// A note of whoever looks after it.
    Annotate {
        key: IncidentKey,
        annotation: Option<Arc<str>>,
    },
    Delete(IncidentKey),
}

#[derive(Clone, Debug, PartialEq)]
pub struct IncidentRow {
    pub key: IncidentKey,
    pub kind: Arc<str>,
    pub message: Arc<str>,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    pub job: Option<JobKey>,
    /// Free text of one that a client has opened.
    pub configuration: Option<Arc<str>>,
    /// The incident of the called instance that this one tells of; itself where it began.
    pub cause: IncidentKey,
    /// Where the chain of causes begins.
    pub root_cause: IncidentKey,
}

/// Something that happened, for history. All at the command's `now`, unless it says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    InstanceStarted,
    InstanceEnded {
        how: EndKind,
    },
    ElementEntered {
        key: ElementInstanceKey,
        element: ElementId,
        scope: ElementInstanceKey,
        role: Role,
    },
    ElementLeft {
        key: ElementInstanceKey,
        how: LeaveKind,
    },
    JobCreated {
        key: JobKey,
        element_instance: ElementInstanceKey,
        job_type: Arc<str>,
        about: JobSketch,
    },
    JobActivated {
        key: JobKey,
        activation: Activation,
    },
    JobCompleted {
        key: JobKey,
    },
    JobFailed {
        key: JobKey,
        /// Of this try.
        retries_before: i32,
        retries_left: i32,
        /// That it has from now on.
        due_at: Option<Timestamp>,
        message: Arc<str>,
        /// Where it failed.
        element: ElementId,
        /// A stack trace mostly.
        details: Option<Arc<str>>,
    },
    /// Someone has changed the job.
    JobChanged {
        key: JobKey,
        what: JobEdit,
    },
    JobThrew {
        key: JobKey,
        code: Arc<str>,
    },
    JobCancelled {
        key: JobKey,
    },
    IncidentOpened {
        key: IncidentKey,
        element_instance: ElementInstanceKey,
        kind: Arc<str>,
        message: Arc<str>,
        job: Option<JobKey>,
        element: ElementId,
        cause: IncidentKey,
        root_cause: IncidentKey,
    },
    IncidentClosed {
        key: IncidentKey,
        how: IncidentEnd,
    },
    /// Foreign code answered for a token that is gone; its result was dropped.
    ResultDropped {
        element_instance: ElementInstanceKey,
    },
    /// A call activity has started an instance.
    InstanceCalled {
        element_instance: ElementInstanceKey,
        called: InstanceKey,
    },
    UserTaskCreated {
        key: UserTaskKey,
        element_instance: ElementInstanceKey,
        element: ElementId,
        name: Option<Arc<str>>,
        priority: i64,
        due_at: Option<Timestamp>,
    },
    UserTaskAssigned {
        key: UserTaskKey,
        assignee: Arc<str>,
    },
    UserTaskEnded {
        key: UserTaskKey,
        how: TaskEnd,
    },
    /// Listeners have corrected what is told of the task.
    UserTaskCorrected {
        key: UserTaskKey,
        priority: i64,
        due_at: Option<Timestamp>,
    },
    /// What was to happen to the task did not: a listener has denied it.
    UserTaskDenied {
        key: UserTaskKey,
        reason: Arc<str>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    Completed,
    /// It went with its element, or could not be made whole.
    Deleted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveKind {
    Completed,
    Terminated,
}

/// A job as it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSketch {
    pub element: ElementId,
    /// The job definition's word, for those that have one.
    pub handler: Option<JobHandler>,
    pub retries: i32,
    pub priority: i64,
    pub due_at: Option<Timestamp>,
}

/// What was changed about a job, to what it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEdit {
    Retries(i32),
    DueDate(Option<Timestamp>),
    Priority(i64),
    Suspended,
    Resumed,
    MovedToDeadLetters,
    MadeExecutable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncidentEnd {
    /// What it told of can go on.
    Resolved,
    /// What it told of is gone.
    Deleted,
}
