//! What a command did: the new state, the rows that follow from it, what happened, what to answer.

use std::sync::Arc;

use orloj_types::{
    Document, ElementId, ElementInstanceKey, IncidentKey, JobKey, Timestamp, UserTaskKey,
};

use crate::command::Activation;
use crate::record::{Job, Record};

#[derive(Clone, Debug)]
pub struct Outcome {
    /// `None`: the instance has ended.
    pub record: Option<Record>,
    /// Set when the instance has ended.
    pub end: Option<End>,
    pub jobs: Vec<JobChange>,
    pub user_tasks: Vec<UserTaskChange>,
    pub incidents: Vec<IncidentChange>,
    /// In the order it happened.
    pub events: Vec<Event>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct End {
    pub how: EndKind,
    /// The instance's own variables at the end.
    pub variables: Document,
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
    Delete(UserTaskKey),
}

#[derive(Clone, Debug, PartialEq)]
pub struct UserTaskRow {
    pub key: UserTaskKey,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    pub name: Option<Arc<str>>,
    pub assignee: Option<Arc<str>>,
    pub candidate_groups: Vec<Arc<str>>,
    pub candidate_users: Vec<Arc<str>>,
    pub due_at: Option<Timestamp>,
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
