//! Where gRPC statuses are chosen, all of them.
//!
//! Clients read more than the code. Node's SDK forgives a late completion only when the text holds
//! `COMPLETE` or `FAIL` and the job's key, so a refused command is always told as
//! `Command '<INTENT>' rejected with code '<TYPE>': <reason>`. It also takes an UNAVAILABLE for a
//! lost connection, and tries again, unless the text says `partition`.

use orloj::{Error, Missing, RejectedJobState as JobState, Rejection};
use orloj_types::DocumentError;
use tonic::{Code, Status};

use crate::options::MESSAGE_BYTES_MAX;
use crate::wire::deployment_problems;

/// A command as the protocol's texts name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    Activate,
    Complete,
    Fail,
    ThrowError,
    UpdateRetries,
    UpdateTimeout,
    UpdatePriority,
    Create,
    CreateWithAwaitingResult,
    Cancel,
    Resolve,
    Update,
    Evaluate,
    Publish,
    Broadcast,
    Modify,
    Migrate,
    Delete,
}

impl Intent {
    fn name(self) -> &'static str {
        match self {
            Self::Activate => "ACTIVATE",
            Self::Complete => "COMPLETE",
            Self::Fail => "FAIL",
            Self::ThrowError => "THROW_ERROR",
            Self::UpdateRetries => "UPDATE_RETRIES",
            Self::UpdateTimeout => "UPDATE_TIMEOUT",
            Self::UpdatePriority => "UPDATE_PRIORITY",
            Self::Create => "CREATE",
            Self::CreateWithAwaitingResult => "CREATE_WITH_AWAITING_RESULT",
            Self::Cancel => "CANCEL",
            Self::Resolve => "RESOLVE",
            Self::Update => "UPDATE",
            Self::Evaluate => "EVALUATE",
            Self::Publish => "PUBLISH",
            Self::Broadcast => "BROADCAST",
            Self::Modify => "MODIFY",
            Self::Migrate => "MIGRATE",
            Self::Delete => "DELETE",
        }
    }
}

/// Why a command is refused, in the protocol's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    InvalidArgument,
    NotFound,
    InvalidState,
    AlreadyExists,
    ProcessingError,
}

impl Refusal {
    fn name_and_code(self) -> (&'static str, Code) {
        match self {
            Self::InvalidArgument => ("INVALID_ARGUMENT", Code::InvalidArgument),
            Self::NotFound => ("NOT_FOUND", Code::NotFound),
            Self::InvalidState => ("INVALID_STATE", Code::FailedPrecondition),
            Self::AlreadyExists => ("ALREADY_EXISTS", Code::AlreadyExists),
            Self::ProcessingError => ("PROCESSING_ERROR", Code::Internal),
        }
    }
}

/// The engine's answer to a command, where it is an error.
pub(crate) fn of(intent: Intent, error: Error) -> Status {
    let (refusal, reason) = match error {
        Error::Rejected(rejection) => of_rejection(&rejection),
        Error::Missing(missing) => (Refusal::NotFound, of_missing(&missing)),
        Error::Invalid(reason) => (Refusal::InvalidArgument, reason),
        Error::Variables(error) => return bad_document("variables", &error),
        Error::Deployment(problems) => (Refusal::InvalidArgument, deployment_problems(&problems)),
        Error::Locked(job) => {
            (Refusal::InvalidState, format!("job with key '{job}' is being worked on"))
        }
        Error::JobFailed(failure) => (Refusal::InvalidState, failure.message.to_string()),
        Error::OfSuspendedDefinition { job, .. } => (
            Refusal::InvalidState,
            format!("job with key '{job}' belongs to a suspended process definition"),
        ),
        Error::Overtaken => {
            (Refusal::InvalidState, "someone else changed it at the same moment".to_owned())
        }
        Error::NotLocked(job) => (
            Refusal::InvalidState,
            format!("job with key '{job}' has no running timeout: no worker holds it"),
        ),
        Error::IsCalled { instance, root } => (
            Refusal::InvalidState,
            format!(
                "process instance with key '{instance}' is called by another; cancel the root \
                 process instance '{root}' instead"
            ),
        ),
        Error::MessageExists => (
            Refusal::AlreadyExists,
            "a message with the same name, correlation key and id is buffered".to_owned(),
        ),
        Error::Ambiguous { name, count: 0 } => {
            (Refusal::InvalidState, format!("message '{name}' fits no subscription"))
        }
        Error::Ambiguous { name, .. } => {
            (Refusal::InvalidState, format!("message '{name}' fits more than one subscription"))
        }
        Error::Deadline => return too_slow(intent),
        Error::Overloaded(reason) => {
            return status(Code::ResourceExhausted, format!("too much work under way: {reason}"));
        }
        Error::Unavailable(reason) => return status(Code::Unavailable, reason),
        Error::ShuttingDown => return closing(),
        Error::Internal(reason) => {
            tracing::error!(command = intent.name(), reason, "internal error");
            return status(Code::Internal, format!("Unexpected error occurred: {reason}"));
        }
    };
    rejected(intent, refusal, &reason)
}

fn of_rejection(rejection: &Rejection) -> (Refusal, String) {
    match rejection {
        Rejection::InstanceNotFound(key) => {
            (Refusal::NotFound, format!("no process instance with key '{key}' is running"))
        }
        Rejection::JobNotFound(key) => {
            (Refusal::NotFound, format!("no job with key '{key}' exists"))
        }
        Rejection::JobState { job, state } => (
            Refusal::InvalidState,
            format!("job with key '{job}' is in state '{}'", job_state(*state)),
        ),
        Rejection::IncidentNotFound(key) => {
            (Refusal::NotFound, format!("no incident with key '{key}' exists"))
        }
        Rejection::IncidentNeedsRetries { incident, job } => (
            Refusal::InvalidState,
            format!(
                "job with key '{job}' of incident '{incident}' has no retries left; \
                 raise its retries first"
            ),
        ),
        Rejection::UserTaskNotFound(key) => {
            (Refusal::NotFound, format!("no user task with key '{key}' exists"))
        }
        Rejection::ScopeNotFound(key) => {
            (Refusal::NotFound, format!("no element instance with key '{key}' is active"))
        }
        Rejection::NoNoneStart => (
            Refusal::InvalidState,
            "the process has no none start event, so it cannot be created by a command".to_owned(),
        ),
        Rejection::SubscriptionNotFound(key) => {
            (Refusal::NotFound, format!("no subscription with key '{key}' exists"))
        }
        Rejection::NoSuchStart(event) => {
            (Refusal::InvalidArgument, format!("the process has no start event '{event}'"))
        }
        Rejection::ConditionsHear(key) => (
            Refusal::InvalidState,
            format!("conditions of process instance with key '{key}' are asked at every change"),
        ),
        Rejection::Suspended(key) => {
            (Refusal::InvalidState, format!("process instance with key '{key}' is suspended"))
        }
        Rejection::AlreadySuspended(key) => (
            Refusal::InvalidState,
            format!("process instance with key '{key}' is suspended already"),
        ),
        Rejection::NotSuspended(key) => {
            (Refusal::InvalidState, format!("process instance with key '{key}' is not suspended"))
        }
        Rejection::ElementNotFound(element) => {
            (Refusal::InvalidArgument, format!("the process has no element '{element}'"))
        }
        Rejection::NotPossible { element, reason } => {
            (Refusal::InvalidArgument, format!("element '{element}': {reason}"))
        }
        Rejection::VariablesRefused { job } => (
            Refusal::InvalidArgument,
            format!("job with key '{job}' is that of a task listener and takes no variables"),
        ),
        Rejection::ResultRefused { job, reason } => (
            Refusal::InvalidArgument,
            format!("the result of job with key '{job}' is refused: {reason}"),
        ),
        Rejection::ActivationNotFound { job, element } => {
            (Refusal::NotFound, format!("job with key '{job}' cannot begin an element '{element}'"))
        }
        Rejection::ErrorRefused { job } => (
            Refusal::InvalidState,
            format!("job with key '{job}' is that of a listener and throws no errors"),
        ),
        Rejection::RetriesTooFew(retries) => {
            (Refusal::InvalidArgument, format!("retries must be at least 1, but are {retries}"))
        }
        Rejection::RetriesNegative(retries) => {
            (Refusal::InvalidArgument, format!("retries must not be negative, but are {retries}"))
        }
        Rejection::NotATimer(key) => {
            (Refusal::InvalidState, format!("job with key '{key}' is no timer"))
        }
        Rejection::ForWorkers(key) => (
            Refusal::InvalidState,
            format!("job with key '{key}' is for workers and not made a dead letter by hand"),
        ),
        Rejection::TimerInvalid { job, reason } => (
            Refusal::InvalidArgument,
            format!("the timer of job with key '{job}' cannot be computed: {reason}"),
        ),
        Rejection::JobOfSuspended(key) => (
            Refusal::InvalidState,
            format!("job with key '{key}' belongs to a suspended process instance"),
        ),
        Rejection::IncidentBelow(key) => (
            Refusal::InvalidState,
            format!("incident with key '{key}' is that of a called process instance"),
        ),
        Rejection::IncidentKindReserved(kind) => (
            Refusal::InvalidArgument,
            format!("incidents of kind '{kind}' are opened by the engine only"),
        ),
        Rejection::DefinitionSuspended(key) => {
            (Refusal::InvalidState, format!("process definition with key '{key}' is suspended"))
        }
        Rejection::Failed { element, message } => {
            (Refusal::ProcessingError, format!("element '{element}': {message}"))
        }
        Rejection::TooManyVisits { limit } => (
            Refusal::ProcessingError,
            format!(
                "more than {limit} elements were visited by one command: a loop this long needs a \
                 save point (asyncBefore or asyncAfter)"
            ),
        ),
    }
}

fn of_missing(missing: &Missing) -> String {
    match missing {
        Missing::Process(id) => format!("no process with id '{id}' is deployed"),
        Missing::Version { process_id, version } => {
            format!("no version {version} of the process with id '{process_id}' is deployed")
        }
        Missing::Definition(key) => format!("no process definition with key '{key}' is deployed"),
        Missing::Decision(id) => format!("no decision found for id '{id}'"),
        Missing::DecisionKey(key) => format!("no decision found for key '{key}'"),
        Missing::File(key) => format!("no resource found with key '{key}'"),
        Missing::Instance(key) => format!("no process instance with key '{key}' is running"),
        Missing::Job(key) => format!("no job with key '{key}' exists"),
        Missing::Incident(key) => format!("no incident with key '{key}' exists"),
        Missing::Deployment(key) => format!("no deployment with key '{key}' exists"),
        Missing::JobDefinition(key) => format!("no job definition with key '{key}' exists"),
        Missing::Batch(key) => format!("no batch with key '{key}' exists"),
        Missing::Limit(name) => format!("no limit with name '{name}' exists"),
        Missing::UserTask(key) => format!("no user task with key '{key}' exists"),
        Missing::ElementInstance(key) => format!("no element instance with key '{key}' is active"),
    }
}

/// The state a Zeebe job would be in.
fn job_state(state: JobState) -> &'static str {
    match state {
        JobState::Ready | JobState::Parked => "ACTIVATABLE",
        // A worker's job waits only for its back-off to end.
        // Zeebe knows no suspended jobs; they cannot be activated either.
        JobState::Waiting | JobState::Failed | JobState::Suspended => "FAILED",
        JobState::ErrorThrown => "ERROR_THROWN",
    }
}

/// A command that may not be done.
pub(crate) fn rejected(intent: Intent, refusal: Refusal, reason: &str) -> Status {
    let (name, code) = refusal.name_and_code();
    status(code, format!("Command '{}' rejected with code '{name}': {reason}", intent.name()))
}

/// A request that never becomes a command.
pub(crate) fn invalid(message: impl Into<String>) -> Status {
    status(Code::InvalidArgument, message.into())
}

pub(crate) fn bad_document(property: &str, error: &DocumentError) -> Status {
    invalid(match error {
        DocumentError::Syntax { excerpt, reason } => {
            format!("Invalid JSON value: {excerpt} (property '{property}': {reason})")
        }
        DocumentError::NotAnObject { .. }
        | DocumentError::TooDeep
        | DocumentError::NameTooLong
        | DocumentError::Nul => format!("property '{property}': {error}"),
    })
}

/// A call of the protocol that a later release answers.
pub(crate) fn not_yet(what: &str) -> Status {
    status(Code::Unimplemented, format!("{what} is not supported by this release of Orloj yet"))
}

/// A lease the engine never gave.
pub(crate) fn not_leased(intent: Intent, job: i64) -> Status {
    let reason = format!("job with key '{job}' was not handed out with a lease");
    rejected(intent, Refusal::InvalidState, &reason)
}

pub(crate) fn too_slow(intent: Intent) -> Status {
    let text = "Time out between gateway and broker: the command";
    status(Code::DeadlineExceeded, format!("{text} '{}' was not answered in time", intent.name()))
}

/// The instance whose result someone waited for will never have one.
///
/// DIFFERENCE: Zeebe leaves the caller waiting until its time is up.
pub(crate) fn cancelled_instance(instance: i64) -> Status {
    let text = format!("process instance with key '{instance}' was cancelled before it completed");
    status(Code::Aborted, text)
}

/// For calls that arrive, or wait, while the gateway shuts down.
pub(crate) fn closing() -> Status {
    status(Code::Unavailable, "the gateway is shutting down".to_owned())
}

/// For streams that are open when the gateway shuts down.
pub(crate) fn stream_closed() -> Status {
    status(Code::Cancelled, "the gateway is shutting down; open the stream again".to_owned())
}

/// In place of the transport's own status, which says OUT_OF_RANGE where gRPC's convention, and
/// Zeebe, say RESOURCE_EXHAUSTED.
pub(crate) fn message_too_large() -> Status {
    let text = format!("the request is larger than {MESSAGE_BYTES_MAX} bytes");
    status(Code::ResourceExhausted, text)
}

pub(crate) fn unknown_service(name: &str) -> Status {
    status(Code::NotFound, format!("no service '{name}' is known here"))
}

/// The text travels as a header, percent-encoded, and gRPC's C core (Python, Ruby, PHP) starts to
/// refuse answers whose headers go beyond 8 KiB. Zeebe cuts its longest texts at 12 KiB.
const TEXT_ENCODED_BYTES_MAX: usize = 7 * 1024 + 512;
const CUT_MARK: &str = "[cut]";

fn status(code: Code, mut text: String) -> Status {
    let mut encoded = 0;
    let mut fitting = 0;
    for (at, c) in text.char_indices() {
        encoded += if c.is_ascii_alphanumeric() { 1 } else { 3 * c.len_utf8() };
        if encoded > TEXT_ENCODED_BYTES_MAX {
            text.truncate(fitting);
            text.push_str(CUT_MARK);
            break;
        }
        fitting = at + c.len_utf8();
    }
    Status::new(code, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use orloj_types::{IncidentKey, InstanceKey, JobKey};

    fn text(intent: Intent, error: Error) -> (Code, String) {
        let status = of(intent, error);
        (status.code(), status.message().to_owned())
    }

    #[test]
    fn a_refused_command_names_intent_type_and_key() {
        let job = JobKey::new(2_251_799_813_685_249);
        let (code, text) = text(Intent::Complete, Rejection::JobNotFound(job).into());
        assert_eq!(code, Code::NotFound);
        assert_eq!(
            text,
            "Command 'COMPLETE' rejected with code 'NOT_FOUND': \
             no job with key '2251799813685249' exists"
        );
    }

    #[test]
    fn every_error_has_its_code() {
        let job = JobKey::new(7);
        let failed = Rejection::JobState { job, state: JobState::Failed };
        let needs = Rejection::IncidentNeedsRetries { incident: IncidentKey::new(1), job };
        let broken = Rejection::Failed { element: "a".into(), message: "b".into() };
        let cases: [(Error, Code); 17] = [
            (failed.into(), Code::FailedPrecondition),
            (needs.into(), Code::FailedPrecondition),
            (Rejection::NoNoneStart.into(), Code::FailedPrecondition),
            (Rejection::RetriesTooFew(0).into(), Code::InvalidArgument),
            (Rejection::InstanceNotFound(InstanceKey::new(1)).into(), Code::NotFound),
            (broken.into(), Code::Internal),
            (Rejection::TooManyVisits { limit: 1 }.into(), Code::Internal),
            (Error::Missing(Missing::Process("p".into())), Code::NotFound),
            (Error::Invalid("x".into()), Code::InvalidArgument),
            (Error::Variables(DocumentError::TooDeep), Code::InvalidArgument),
            (Error::Deployment(Vec::new()), Code::InvalidArgument),
            (Error::NotLocked(job), Code::FailedPrecondition),
            (Error::Deadline, Code::DeadlineExceeded),
            (Error::Overloaded("x".into()), Code::ResourceExhausted),
            (Error::Unavailable("x".into()), Code::Unavailable),
            (Error::ShuttingDown, Code::Unavailable),
            (Error::Internal("x".into()), Code::Internal),
        ];
        for (error, code) in cases {
            let said = error.to_string();
            assert_eq!(of(Intent::Complete, error).code(), code, "{said}");
        }
    }

    #[test]
    fn texts_that_clients_look_for() {
        let syntax = DocumentError::Syntax { excerpt: "{a".into(), reason: "bad".into() };
        assert!(bad_document("variables", &syntax).message().starts_with("Invalid JSON value: {a"));
        let array = DocumentError::NotAnObject { found: "ARRAY" };
        let text = bad_document("variables", &array);
        for part in ["variables", "root level object", "ARRAY"] {
            assert!(text.message().contains(part), "{text}");
        }
        let slow = too_slow(Intent::Create);
        assert!(slow.message().starts_with("Time out between gateway and broker"));
        let internal = of(Intent::Create, Error::Internal("x".into()));
        assert!(internal.message().starts_with("Unexpected error occurred"));
    }

    #[test]
    fn long_texts_are_cut_so_that_their_header_fits() {
        for text in ["x".repeat(100_000), " ".repeat(100_000), "é".repeat(100_000)] {
            let status = invalid(text);
            let mut headers = tonic::codegen::http::HeaderMap::new();
            status.add_header(&mut headers).expect("a header");
            assert!(headers["grpc-message"].len() <= 8 * 1024 - 256);
            assert!(status.message().ends_with(CUT_MARK));
        }
        assert_eq!(invalid("short").message(), "short");
    }
}
