use orloj::Rejection;
use orloj::api::{Error, Missing};
use orloj::settings::Settings;
use orloj_interpreter::JobState;
use orloj_types::{
    Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, Timestamp, UserTaskKey,
};

use super::ast::Behaviour;
use super::decision::Decision;
use super::order::Order;
use super::seen::SeenInstance;
use crate::sketch::Sketch;

/// Something that can play a story: an interpreter alone, an engine on a store, a server.
///
/// After every call everything that can happen at this moment has happened.
pub trait Depth {
    fn deploy(&mut self, sketch: &Sketch) -> Result<(), String>;
    /// The next version of its id.
    fn deploy_decision(&mut self, decision: &Decision) -> Result<(), String>;
    /// Waits once more where several nodes tell one another of work in real time; false where
    /// waiting changes nothing.
    fn settle_again(&mut self) -> bool {
        false
    }
    fn now(&self) -> Timestamp;
    /// Moves the clock in one step.
    fn advance(&mut self, ms: i64);
    /// Of its latest version unless one is named.
    fn start(
        &mut self,
        process: &str,
        version: Option<usize>,
        variables: Document,
    ) -> Result<InstanceKey, Refusal>;
    /// At most one job.
    fn take(&mut self, lock: &Lock) -> Result<Option<Taken>, Refusal>;
    fn complete(&mut self, job: JobKey, variables: Document) -> Result<(), Refusal>;
    fn fail(&mut self, fail: orloj::FailJob) -> Result<(), Refusal>;
    fn throw(&mut self, throw: orloj::ThrowError) -> Result<(), Refusal>;
    /// The lock ends so long from now.
    fn extend(&mut self, job: JobKey, ms: i64) -> Result<(), Refusal>;
    fn complete_task(&mut self, task: UserTaskKey, variables: Document) -> Result<(), Refusal>;
    fn set_variables(
        &mut self,
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    ) -> Result<(), Refusal>;
    fn update_retries(&mut self, job: JobKey, retries: i32) -> Result<(), Refusal>;
    fn resolve(&mut self, incident: IncidentKey) -> Result<(), Refusal>;
    fn cancel(&mut self, instance: InstanceKey) -> Result<(), Refusal>;
    fn publish(&mut self, message: orloj::PublishMessage) -> Result<(), Refusal>;
    fn correlate(&mut self, message: orloj::Correlate) -> Result<(), Refusal>;
    fn signal(&mut self, signal: orloj::BroadcastSignal) -> Result<(), Refusal>;
    fn ask_conditions(&mut self, instance: InstanceKey, variables: Document)
    -> Result<(), Refusal>;
    fn suspend(&mut self, instance: InstanceKey) -> Result<(), Refusal>;
    fn resume(&mut self, instance: InstanceKey) -> Result<(), Refusal>;
    /// Goes on as an instance of the latest version of this process.
    fn migrate(
        &mut self,
        instance: InstanceKey,
        process: &str,
        plan: &[(String, String)],
    ) -> Result<(), Refusal>;
    /// Every instance there ever was, with its process, oldest first.
    fn instances(&mut self) -> Vec<(String, InstanceKey)>;
    /// An operator does something.
    fn order(&mut self, order: Order) -> Result<(), Refusal>;
    fn script(&mut self, delegate: &str, script: &[Behaviour]);
    /// Names of the delegates called so far.
    fn calls(&self) -> Vec<String>;
    /// The same, of one node.
    fn calls_on(&self, node: &str) -> Vec<String>;
    /// Told something else, if anything is given.
    fn restart(&mut self, settings: Option<Settings>);
    fn observe(&mut self, name: &str, instance: InstanceKey) -> SeenInstance;
}

/// What a worker asks for.
#[derive(Clone, Debug)]
pub struct Lock {
    pub worker: String,
    pub job_type: String,
    pub ms: i64,
}

/// A job as its worker gets it.
#[derive(Clone, Debug)]
pub struct Taken {
    pub job: JobKey,
    pub job_type: String,
    pub variables: Document,
}

/// Why something was not done, in the words of stories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl From<&Rejection> for Refusal {
    fn from(rejection: &Rejection) -> Self {
        Self(match rejection {
            Rejection::InstanceNotFound(_) => "instance not found".into(),
            Rejection::JobNotFound(_) => "job not found".into(),
            Rejection::JobState { state, .. } => {
                let state = match state {
                    JobState::Ready => "ready",
                    JobState::Waiting => "waiting",
                    JobState::Parked => "parked",
                    JobState::Failed => "failed",
                    JobState::ErrorThrown => "stopped by an error",
                    JobState::Suspended => "suspended",
                };
                format!("job is {state}")
            }
            Rejection::IncidentNotFound(_) => "incident not found".into(),
            Rejection::IncidentNeedsRetries { .. } => "retries needed".into(),
            Rejection::UserTaskNotFound(_) => "task not found".into(),
            Rejection::ScopeNotFound(_) => "scope not found".into(),
            Rejection::NoNoneStart => "no start event".into(),
            Rejection::SubscriptionNotFound(_) => "subscription not found".into(),
            Rejection::NoSuchStart(_) => "no such start event".into(),
            Rejection::ConditionsHear(_) => "conditions hear by themselves".into(),
            Rejection::Suspended(_) | Rejection::AlreadySuspended(_) => "suspended".into(),
            Rejection::NotSuspended(_) => "not suspended".into(),
            Rejection::ElementNotFound(_) => "element not found".into(),
            Rejection::NotPossible { element, reason } => format!("{element}: {reason}"),
            Rejection::VariablesRefused { .. } => "no variables taken".into(),
            Rejection::ResultRefused { .. } => "result refused".into(),
            Rejection::ActivationNotFound { .. } => "no such activation".into(),
            Rejection::ErrorRefused { .. } => "no error taken".into(),
            Rejection::RetriesTooFew(_) => "too few retries".into(),
            Rejection::RetriesNegative(_) => "negative retries".into(),
            Rejection::NotATimer(_) => "no timer".into(),
            Rejection::ForWorkers(_) => "job is for workers".into(),
            Rejection::TimerInvalid { .. } => "no valid timer".into(),
            Rejection::JobOfSuspended(_) => "instance is suspended".into(),
            Rejection::IncidentBelow(_) => "incident of a called instance".into(),
            Rejection::IncidentKindReserved(_) => "kind of incident reserved".into(),
            Rejection::DefinitionSuspended(_) => "definition is suspended".into(),
            Rejection::Failed { element, message } => format!("{element} failed: {message}"),
            Rejection::TooManyVisits { .. } => "too many visits".into(),
        })
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match &error {
            Error::Rejected(rejection) => rejection.into(),
            Error::MessageExists => Self("message exists".into()),
            // Two stand for any number above.
            Error::Ambiguous { count, .. } => Self(format!("{} wait", (*count).min(2))),
            Error::Missing(Missing::Job(_)) => Self("job not found".into()),
            Error::NotLocked(_) => Self("job is not locked".into()),
            other => Self(other.to_string()),
        }
    }
}
