//! The one place where an HTTP status is chosen. No arm catches the rest: a refusal that the
//! engine learns must be given its status here.

use axum::http::StatusCode;
use orloj::{Error, Missing, Rejection};

use crate::failure::{Failure, RequestFault};

/// The status, and the code that scripts may rely on.
pub fn of(failure: &Failure) -> (StatusCode, &'static str) {
    match failure {
        Failure::Engine(error) => of_error(error),
        Failure::Request(fault) => of_fault(fault),
    }
}

fn of_error(error: &Error) -> (StatusCode, &'static str) {
    match error {
        Error::Rejected(rejection) => of_rejection(rejection),
        Error::Missing(missing) => (StatusCode::NOT_FOUND, missing_code(missing)),
        Error::Invalid(_) => (StatusCode::BAD_REQUEST, "invalid-request"),
        Error::Variables(_) => (StatusCode::BAD_REQUEST, "invalid-variables"),
        Error::Deployment(_) => (StatusCode::BAD_REQUEST, "invalid-deployment"),
        Error::Locked(_) => (StatusCode::CONFLICT, "job-locked"),
        Error::JobFailed(_) => (StatusCode::CONFLICT, "job-failed"),
        Error::OfSuspendedDefinition { .. } => (StatusCode::CONFLICT, "definition-suspended"),
        Error::Overtaken => (StatusCode::CONFLICT, "overtaken"),
        Error::NotLocked(_) => (StatusCode::CONFLICT, "job-not-locked"),
        Error::IsCalled { .. } => (StatusCode::CONFLICT, "instance-is-called"),
        Error::MessageExists => (StatusCode::CONFLICT, "message-exists"),
        Error::Ambiguous { count: 0, .. } => (StatusCode::NOT_FOUND, "nobody-waits"),
        Error::Ambiguous { .. } => (StatusCode::CONFLICT, "several-wait"),
        Error::Deadline => (StatusCode::GATEWAY_TIMEOUT, "deadline"),
        Error::Overloaded(_) => (StatusCode::SERVICE_UNAVAILABLE, "overloaded"),
        Error::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        Error::ShuttingDown => (StatusCode::SERVICE_UNAVAILABLE, "shutting-down"),
        Error::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
    }
}

fn of_rejection(rejection: &Rejection) -> (StatusCode, &'static str) {
    match rejection {
        Rejection::InstanceNotFound(_) => (StatusCode::NOT_FOUND, "instance-not-found"),
        Rejection::JobNotFound(_) => (StatusCode::NOT_FOUND, "job-not-found"),
        Rejection::JobState { .. } => (StatusCode::CONFLICT, "job-state"),
        Rejection::IncidentNotFound(_) => (StatusCode::NOT_FOUND, "incident-not-found"),
        Rejection::IncidentNeedsRetries { .. } => (StatusCode::CONFLICT, "incident-needs-retries"),
        Rejection::UserTaskNotFound(_) => (StatusCode::NOT_FOUND, "user-task-not-found"),
        Rejection::ScopeNotFound(_) => (StatusCode::NOT_FOUND, "element-instance-not-found"),
        Rejection::NoNoneStart => (StatusCode::CONFLICT, "no-none-start"),
        Rejection::SubscriptionNotFound(_) => (StatusCode::NOT_FOUND, "subscription-not-found"),
        Rejection::NoSuchStart(_) => (StatusCode::BAD_REQUEST, "no-such-start"),
        Rejection::ConditionsHear(_) => (StatusCode::CONFLICT, "conditions-hear"),
        Rejection::Suspended(_) => (StatusCode::CONFLICT, "suspended"),
        Rejection::AlreadySuspended(_) => (StatusCode::CONFLICT, "suspended"),
        Rejection::NotSuspended(_) => (StatusCode::CONFLICT, "not-suspended"),
        Rejection::ElementNotFound(_) => (StatusCode::BAD_REQUEST, "element-not-found"),
        Rejection::NotPossible { .. } => (StatusCode::CONFLICT, "not-possible"),
        Rejection::VariablesRefused { .. } => (StatusCode::CONFLICT, "variables-refused"),
        Rejection::ResultRefused { .. } => (StatusCode::CONFLICT, "result-refused"),
        Rejection::ActivationNotFound { .. } => (StatusCode::NOT_FOUND, "no-such-activation"),
        Rejection::ErrorRefused { .. } => (StatusCode::CONFLICT, "error-refused"),
        Rejection::RetriesTooFew(_) => (StatusCode::BAD_REQUEST, "retries-too-few"),
        Rejection::RetriesNegative(_) => (StatusCode::BAD_REQUEST, "retries-negative"),
        Rejection::NotATimer(_) => (StatusCode::CONFLICT, "not-a-timer"),
        Rejection::ForWorkers(_) => (StatusCode::CONFLICT, "for-workers"),
        Rejection::TimerInvalid { .. } => (StatusCode::BAD_REQUEST, "timer-invalid"),
        Rejection::JobOfSuspended(_) => (StatusCode::CONFLICT, "job-of-suspended"),
        Rejection::IncidentBelow(_) => (StatusCode::CONFLICT, "incident-below"),
        Rejection::IncidentKindReserved(_) => (StatusCode::BAD_REQUEST, "incident-kind-reserved"),
        Rejection::DefinitionSuspended(_) => (StatusCode::CONFLICT, "definition-suspended"),
        Rejection::Failed { .. } => (StatusCode::CONFLICT, "process-failed"),
        Rejection::TooManyVisits { .. } => (StatusCode::CONFLICT, "too-many-visits"),
    }
}

fn missing_code(missing: &Missing) -> &'static str {
    match missing {
        Missing::Process(_) => "process-not-found",
        Missing::Version { .. } => "version-not-found",
        Missing::Definition(_) => "definition-not-found",
        Missing::Decision(_) | Missing::DecisionKey(_) => "decision-not-found",
        Missing::File(_) => "file-not-found",
        Missing::Instance(_) => "instance-not-found",
        Missing::Job(_) => "job-not-found",
        Missing::Incident(_) => "incident-not-found",
        Missing::UserTask(_) => "user-task-not-found",
        Missing::Deployment(_) => "deployment-not-found",
        Missing::JobDefinition(_) => "job-definition-not-found",
        Missing::Batch(_) => "batch-not-found",
        Missing::Limit(_) => "limit-not-found",
        Missing::ElementInstance(_) => "element-instance-not-found",
    }
}

fn of_fault(fault: &RequestFault) -> (StatusCode, &'static str) {
    match fault {
        RequestFault::NoSuchPath => (StatusCode::NOT_FOUND, "no-such-path"),
        RequestFault::NoSuchMethod => (StatusCode::METHOD_NOT_ALLOWED, "no-such-method"),
        RequestFault::Key(_) => (StatusCode::BAD_REQUEST, "invalid-key"),
        RequestFault::Query(_) => (StatusCode::BAD_REQUEST, "invalid-query"),
        RequestFault::Body(_) => (StatusCode::BAD_REQUEST, "invalid-body"),
        RequestFault::NoSuchVariable(_) => (StatusCode::NOT_FOUND, "variable-not-found"),
        RequestFault::NoSuchJob(_) => (StatusCode::NOT_FOUND, "job-not-found"),
        RequestFault::BodyTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "body-too-large"),
        RequestFault::CrossSite => (StatusCode::FORBIDDEN, "cross-site"),
        RequestFault::NotReady => (StatusCode::SERVICE_UNAVAILABLE, "not-ready"),
    }
}
