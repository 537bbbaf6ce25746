//! What a dialect means, as choices that the interpreter follows.

use orloj_expr::{Language, Profile};

use super::constructs::{Catching, Choices, Loops, Undoing};
use super::incident_names::IncidentNames;
use super::job_rules::JobRules;
use super::task::CompletionVariables;
use super::timer_rules::TimerRules;
use super::value_rules::ValueRules;

/// What the dialect of the model means, decided once by the parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semantics {
    pub language: Language,
    /// Whose rules UEL follows where the engines differ.
    pub uel: Profile,
    /// In which order siblings are visited: of several true conditions the first visited wins,
    /// and a fork enters its branches in this order.
    pub siblings: SiblingOrder,
    pub failures: Failures,
    /// What an error does that no catch event waits for.
    pub uncaught_error: UncaughtError,
    /// How often a job of this process is tried unless the element says otherwise.
    pub retries_default: u32,
    /// Wait between two tries of a failed asynchronous job without a retry cycle.
    pub retry_delay_ms: i64,
    /// A job that failed for good still gets the due date of a further try.
    pub dead_jobs_are_due: bool,
    /// A repeating timer goes on to its next firing when one has failed.
    pub repeats_despite_failure: bool,
    /// The words that history and incidents use.
    pub incident_names: IncidentNames,
    pub timers: TimerRules,
    /// How the branches of a fork take turns within one command.
    pub walk: Walk,
    pub joins: Joins,
    /// Where variables go that end an element without being a worker job's: of a user task or of
    /// a caught error. Worker jobs say it themselves.
    pub completion: CompletionVariables,
    pub locals: Locals,
    pub end_listeners: EndListeners,
    pub conditions: Conditions,
    pub task_events: TaskEvents,
    pub cancelling: Cancelling,
    pub loops: Loops,
    pub undoing: Undoing,
    pub choices: Choices,
    pub catching: Catching,
    pub jobs: JobRules,
    pub values: ValueRules,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiblingOrder {
    /// As written in the file.
    Document,
    /// From the last to the first, as Zeebe reads them.
    Reversed,
}

/// What happens when the process itself cannot go on (a condition fails, a mapping fails).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// The element keeps its token and opens an incident; the command that led there succeeds.
    Incident,
    /// The whole command is undone: the caller gets the failure, or the job loses a retry.
    RollBack,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UncaughtError {
    /// The job waits with an incident.
    Incident,
    /// The element ends and its token with it.
    EndToken,
    /// As any other failure.
    Fail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// One element of each branch in turn.
    BreadthFirst,
    /// As `BreadthFirst`, but that an element begins is one turn and that it ends another; only
    /// gateways do both at once.
    Halves,
    /// A branch runs until it waits or ends, then the next.
    DepthFirst,
}

/// When the tokens at a parallel join go on together, and how history counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    /// One by each incoming flow; all of them are one visit, entered when complete.
    PerFlow,
    /// As many as there are incoming flows, whichever way they came; each is a visit that ends
    /// when the join is complete.
    PerToken,
    /// As `PerToken`, but each visit ends as soon as it has begun.
    PerTokenEndedAtOnce,
}

/// Which variables code at an element calls local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locals {
    /// The element's own: gone with it.
    Element,
    /// Those of the token: they go with it along the first flow, and end at a subprocess.
    Token,
    /// Of an element that is a scope its own. Of another those of the scope around it, while the
    /// token is alone in there; else those of the token.
    Scope,
}

/// When the listeners of an element's end are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndListeners {
    /// The output mappings see what they did.
    BeforeOutputs,
    /// Nothing waits on the element any more.
    AfterOutputs,
}

/// When conditional events are asked whether they occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conditions {
    /// When they begin to wait, and after each change of a variable that they see.
    OnChange,
    /// Only when a client wants it.
    OnDemand,
}

/// In which order the listeners of a user task are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEvents {
    /// Created, then assigned; deleted only if it was not completed.
    CreatedFirst,
    /// Assigned, then created; deleted in any case.
    AssignedFirst,
}

/// What an element instance does that is ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelling {
    /// Nothing: it is gone.
    Silent,
    /// A user task calls its listeners.
    TaskListeners,
    /// As if it ended by itself: listeners are called and output mappings made.
    ListenersAndOutputs,
}
