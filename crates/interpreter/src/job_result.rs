//! What a worker says about a job besides variables.

use std::sync::Arc;

use orloj_types::{Document, ElementId};

/// Only listeners of user tasks and ad-hoc subprocesses ask for one; other jobs ignore it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum JobResult {
    #[default]
    None,
    UserTask(UserTaskResult),
    AdHoc(AdHocResult),
}

/// Of a listener of a user task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserTaskResult {
    /// What was to happen to the task does not.
    pub is_denied: bool,
    /// Why it is denied.
    pub reason: Option<Arc<str>>,
    pub corrections: Corrections,
}

/// What the task is to have instead; `None` keeps what it has, what is empty takes it away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corrections {
    pub assignee: Option<Arc<str>>,
    pub due_date: Option<Arc<str>>,
    pub follow_up_date: Option<Arc<str>>,
    pub candidate_users: Option<Vec<Arc<str>>>,
    pub candidate_groups: Option<Vec<Arc<str>>>,
    pub priority: Option<i64>,
}

impl Corrections {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Of the job of an ad-hoc subprocess.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdHocResult {
    /// What begins, each with variables of its own.
    pub activate: Vec<(ElementId, Document)>,
    /// Nothing else is to begin: the subprocess ends with the last that is at work.
    pub is_fulfilled: bool,
    /// What is still at work ends now.
    pub cancels_rest: bool,
}
