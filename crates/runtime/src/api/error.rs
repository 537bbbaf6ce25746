use std::sync::Arc;

use orloj_interpreter::{JobFailure, Rejection};
use orloj_model::Diagnostic;
use orloj_types::{DefinitionKey, DocumentError, InstanceKey, JobKey};

/// Why the engine did not do what it was asked. Nothing has changed, except for `Deadline`.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Refused by the rules of the process.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error("{0}")]
    Missing(Missing),
    /// The request itself makes no sense.
    #[error("{0}")]
    Invalid(String),
    #[error("variables: {0}")]
    Variables(#[from] DocumentError),
    /// Resources that could not be deployed; every problem is listed.
    #[error("{} problem(s) in the deployment", problems(.0))]
    Deployment(Vec<ResourceProblem>),
    /// The instance ends with the one that called it, and not by itself.
    #[error("instance {instance} is called by another; cancel instance {root} instead")]
    IsCalled { instance: InstanceKey, root: InstanceKey },
    /// A buffered message has the same id.
    #[error("a message of this name, key and id waits already")]
    MessageExists,
    /// Not exactly one could get the message: none, or at least as many as the count says.
    #[error(
        "message '{name}' could be correlated with {} waiting instance or start event",
        if *count == 0 { "no" } else { "more than one" }
    )]
    Ambiguous { name: Arc<str>, count: usize },
    /// Someone works on the job; what was asked for has to wait for its end.
    #[error("job {0} is locked")]
    Locked(JobKey),
    /// The run that was asked for failed, and the job with it.
    #[error("job {} failed at {}: {}", .0.job, .0.element, .0.message)]
    JobFailed(JobFailure),
    /// Someone else changed the same thing at the same moment; look again.
    #[error("changed by someone else at the same moment")]
    Overtaken,
    /// A start timer runs again when its definition is resumed, and not by itself.
    #[error(
        "job {job} stays suspended, since its definition is suspended: orloj definition resume \
         {definition}"
    )]
    OfSuspendedDefinition { job: JobKey, definition: DefinitionKey },
    /// A lock cannot be moved because nobody holds it.
    #[error("job {0} is not locked by a worker")]
    NotLocked(JobKey),
    /// Not finished in time; it goes on.
    #[error("not finished in time")]
    Deadline,
    /// Too much work under way; try again later.
    #[error("overloaded: {0}")]
    Overloaded(String),
    /// The store cannot be reached; try again later.
    #[error("unavailable: {0}")]
    Unavailable(String),
    #[error("the engine is shutting down")]
    ShuttingDown,
    /// A defect of the engine, contained to this request.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Something the caller named does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    #[error("no process '{0}'")]
    Process(Arc<str>),
    #[error("no version {version} of process '{process_id}'")]
    Version { process_id: Arc<str>, version: i32 },
    #[error("no definition {0}")]
    Definition(i64),
    #[error("no decision '{0}'")]
    Decision(Arc<str>),
    #[error("no decision {0}")]
    DecisionKey(i64),
    /// Neither a file of decisions nor one that elements refer to.
    #[error("no deployed file {0}")]
    File(i64),
    #[error("no instance {0}")]
    Instance(i64),
    #[error("no job {0}")]
    Job(i64),
    #[error("no incident {0}")]
    Incident(i64),
    #[error("no user task {0}")]
    UserTask(i64),
    #[error("no deployment {0}")]
    Deployment(i64),
    #[error("no job definition {0}")]
    JobDefinition(i64),
    #[error("no batch {0}")]
    Batch(i64),
    #[error("no limit for {0}")]
    Limit(Arc<str>),
    #[error("no element instance {0}")]
    ElementInstance(i64),
}

#[derive(Clone, Debug)]
pub struct ResourceProblem {
    pub resource: Arc<str>,
    /// Empty when the resource as a whole is to blame; then `message` says why.
    pub diagnostics: Vec<Diagnostic>,
    pub message: String,
}

fn problems(resources: &[ResourceProblem]) -> usize {
    resources.iter().map(|resource| resource.diagnostics.len().max(1)).sum()
}
