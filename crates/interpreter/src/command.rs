//! What can be asked of an instance, and why it may be refused.

use std::sync::Arc;

use orloj_types::{
    DefinitionKey, Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, NodeNumber,
    TenantId, Timestamp, UserTaskKey,
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
    SetVariables {
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    },
    Cancel,
}

#[derive(Clone, Debug)]
pub struct Start {
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    pub variables: Document,
    pub awaited_by: Option<NodeNumber>,
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
    #[error("no scope {0}")]
    ScopeNotFound(ElementInstanceKey),
    #[error("the process has no start event without a trigger")]
    NoNoneStart,
    #[error("retries must be at least 1, not {0}")]
    RetriesTooFew(i32),
    /// Foreign code or an expression failed on the way of a synchronous command.
    #[error("{element}: {message}")]
    Failed { element: Arc<str>, message: Arc<str> },
    #[error("more than {limit} elements visited in one command")]
    TooManyVisits { limit: u32 },
}
