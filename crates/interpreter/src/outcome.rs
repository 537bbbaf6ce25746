//! What a command did: the new state, the rows that follow from it, what happened, what to answer.

use std::sync::Arc;

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
    pub record: Option<Record>,
    /// Set when the instance has ended.
    pub end: Option<End>,
    pub jobs: Vec<JobChange>,
    pub user_tasks: Vec<UserTaskChange>,
    pub incidents: Vec<IncidentChange>,
    pub subscriptions: Vec<SubscriptionChange>,
    /// In the order it happened.
    pub events: Vec<Event>,
    /// To be heard by every instance that waits for them, and by start events.
    pub signals: Vec<Signal>,
    /// Of the other instances that belong to the same change: called ones and callers. All of it
    /// is applied, or nothing.
    pub others: Vec<Outcome>,
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
    /// Heard in jobs of their own and not at once.
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
    /// Why it failed the last time. `None` in an update: as it was, for the record does not keep it.
    pub failure: Option<Arc<str>>,
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
        retries_left: i32,
        message: Arc<str>,
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
    },
    IncidentClosed {
        key: IncidentKey,
    },
    /// Foreign code answered for a token that is gone; its result was dropped.
    ResultDropped {
        element_instance: ElementInstanceKey,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveKind {
    Completed,
    Terminated,
}
