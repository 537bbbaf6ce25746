//! The checked process graph: what the parser promises and the interpreter relies on.
//!
//! Dialects end here. Every difference of meaning between the compatible systems is an explicit
//! field of the graph; nothing downstream asks where a model came from. Every index is valid,
//! every expression parses, every reference resolves.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{Expression, Language, Profile};
use orloj_types::{ElementId, ProcessId};
use orloj_xml::Position;

use crate::retry::RetryCycle;

/// Index into [`Process::elements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementIndex(pub u32);

/// Index into [`Process::flows`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowIndex(pub u32);

/// One executable process of a file.
#[derive(Clone, Debug)]
pub struct Process {
    pub id: ProcessId,
    pub name: Option<Arc<str>>,
    pub version_tag: Option<Arc<str>>,
    /// In document order.
    pub elements: Vec<Element>,
    /// In document order.
    pub flows: Vec<Flow>,
    /// The start event without a trigger, where there is one.
    pub none_start: Option<ElementIndex>,
    pub semantics: Semantics,
    /// By the author's id; state refers to elements only this way.
    pub by_id: BTreeMap<ElementId, ElementIndex>,
}

impl Process {
    pub fn element(&self, index: ElementIndex) -> &Element {
        &self.elements[index.0 as usize]
    }

    pub fn flow(&self, index: FlowIndex) -> &Flow {
        &self.flows[index.0 as usize]
    }

    pub fn find(&self, id: &str) -> Option<ElementIndex> {
        self.by_id.get(id).copied()
    }
}

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
    /// Jobs that failed for good: the word the history and the incident use.
    pub incident_names: IncidentNames,
    /// What a repeating timer does about firings that are already past.
    pub missed_firings: MissedFirings,
    /// How the branches of a fork take turns within one command.
    pub walk: Walk,
    pub joins: Joins,
    /// Where variables go that end an element without being a worker job's: of a user task or of
    /// a caught error. Worker jobs say it themselves.
    pub completion: CompletionVariables,
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
pub enum IncidentNames {
    /// `JOB_NO_RETRIES`, `CONDITION_ERROR` and so on.
    Zeebe,
    /// `failedJob`, `failedExternalTask`.
    Camunda,
    /// `deadLetter`.
    Flowable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissedFirings {
    /// Each fires, one after the other, at once.
    Replay,
    /// They are left out; the next is the first after now.
    Skip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// One step of each branch in turn.
    BreadthFirst,
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

#[derive(Clone, Debug)]
pub struct Element {
    pub id: ElementId,
    pub name: Option<Arc<str>>,
    pub kind: ElementKind,
    /// In document order of the flows.
    pub incoming: Vec<FlowIndex>,
    /// In the order the process visits siblings.
    pub outgoing: Vec<FlowIndex>,
    pub default_flow: Option<FlowIndex>,
    /// Boundary events attached here, in the order the process visits siblings.
    pub boundaries: Vec<ElementIndex>,
    pub async_before: Option<SavePoint>,
    pub async_after: Option<SavePoint>,
    pub jobs: JobSettings,
    pub inputs: Vec<Mapping>,
    pub outputs: Vec<Mapping>,
    pub position: Position,
}

/// An asynchronous continuation: the state is saved and a job carries on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavePoint {
    pub exclusive: bool,
}

/// How jobs of an element are made. Absent fields mean the process's own defaults.
#[derive(Clone, Debug, Default)]
pub struct JobSettings {
    pub retry_cycle: Option<RetryCycle>,
    /// Of asynchronous continuations and timers of the element.
    pub priority: Option<Expression>,
}

#[derive(Clone, Debug)]
pub enum ElementKind {
    NoneStart,
    NoneEnd,
    ServiceTask(ServiceTask),
    UserTask(UserTask),
    ScriptTask(ScriptTask),
    DecisionTask(DecisionTask),
    ExclusiveGateway,
    ParallelGateway,
    TimerCatch(Timer),
    TimerBoundary { attached_to: ElementIndex, interrupting: bool, timer: Timer },
    ErrorBoundary { attached_to: ElementIndex, catches: ErrorCatch },
}

impl ElementKind {
    /// The word of the BPMN schema, for messages and history.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoneStart => "startEvent",
            Self::NoneEnd => "endEvent",
            Self::ServiceTask(ServiceTask::Worker(task)) if task.is_user_task => "userTask",
            Self::ServiceTask(_) => "serviceTask",
            Self::UserTask(_) => "userTask",
            Self::ScriptTask(_) => "scriptTask",
            Self::DecisionTask(_) => "businessRuleTask",
            Self::ExclusiveGateway => "exclusiveGateway",
            Self::ParallelGateway => "parallelGateway",
            Self::TimerCatch(_) => "intermediateCatchEvent",
            Self::TimerBoundary { .. } | Self::ErrorBoundary { .. } => "boundaryEvent",
        }
    }
}

#[derive(Clone, Debug)]
pub enum ServiceTask {
    /// A client of one of the faces does the work.
    Worker(WorkerTask),
    /// Code registered in this process under `name`; where nobody registered it, a worker job of
    /// that type, so that delegates can be moved out of a process one by one.
    Delegate(DelegateTask),
}

#[derive(Clone, Debug)]
pub struct WorkerTask {
    /// Type or topic.
    pub job_type: Expression,
    /// `None`: the process's default.
    pub retries: Option<Expression>,
    pub priority: Option<Expression>,
    pub headers: Vec<(Arc<str>, Arc<str>)>,
    /// A user task of Zeebe without its own implementation is a job too.
    pub is_user_task: bool,
    pub completion: CompletionVariables,
}

/// Where the variables of a completed worker job go when the element has no output mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionVariables {
    /// Merge from the element's scope outward; with output mappings everything else stays local.
    Merge,
    /// Set where they exist, else on the instance.
    Assign,
}

#[derive(Clone, Debug)]
pub struct DelegateTask {
    /// Class name, or the bean a `${bean}` expression names.
    pub name: Arc<str>,
    /// Worker job settings for when nobody registered the name.
    pub worker: WorkerTask,
}

/// Code written into the model.
#[derive(Clone, Debug)]
pub struct ScriptTask {
    pub script: Script,
    /// Where the script's value goes; without one it is dropped.
    pub result_variable: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub enum Script {
    /// FEEL or UEL.
    Expression(Expression),
    /// A program, run outside of the interpreter.
    Program(Arc<Program>),
}

/// A program as the model has it. Whether it parses is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub language: ProgramLanguage,
    /// Whose objects and methods it expects.
    pub host: ProgramHost,
    pub source: Arc<str>,
    /// Whether a name that is assigned without being declared becomes a variable.
    pub stores_assigned: bool,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramLanguage {
    JavaScript,
    Groovy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramHost {
    Camunda,
    Flowable,
}

/// Where a text of the model stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Of its first character.
    pub start: Position,
    /// Whether the file has the text as it is, so that places inside of it can be told.
    pub is_verbatim: bool,
}

impl Place {
    /// The place in the file of a place in the text; both count from one.
    pub fn of(&self, line: u32, column: u32) -> Position {
        match line {
            _ if !self.is_verbatim => self.start,
            0 | 1 => Position {
                line: self.start.line,
                column: self.start.column + column.saturating_sub(1),
            },
            _ => Position { line: self.start.line + (line - 1), column },
        }
    }
}

/// A decision of another file, asked within the command.
#[derive(Clone, Debug)]
pub struct DecisionTask {
    /// Gives the decision's id.
    pub decision: Expression,
    pub binding: DecisionBinding,
    pub result: DecisionResult,
}

/// Which version of a decision is meant.
#[derive(Clone, Debug)]
pub enum DecisionBinding {
    Latest,
    /// The one deployed together with the process.
    Deployment,
    /// The same, or the latest where the deployment has none.
    DeploymentOrLatest,
    Version(Expression),
    /// The newest with this tag.
    VersionTag(Expression),
}

/// What becomes of a decision's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionResult {
    /// The value, whatever it is, under a name.
    Value { variable: Arc<str> },
    /// The rules that matched, put into shape.
    Rules { shape: RulesShape, variable: Option<Arc<str>> },
    /// Each output of the only rule under its own name; the rules of a decision that can give
    /// several are a list under the decision's id.
    Outputs {
        /// Whether the process fails when no rule matches.
        needs_hit: bool,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RulesShape {
    SingleEntry,
    SingleResult,
    CollectEntries,
    #[default]
    ResultList,
}

#[derive(Clone, Debug, Default)]
pub struct UserTask {
    pub assignee: Option<Expression>,
    pub candidate_groups: Option<Expression>,
    pub candidate_users: Option<Expression>,
    pub due_date: Option<Expression>,
    pub priority: Option<Expression>,
    pub form_key: Option<Arc<str>>,
}

#[derive(Clone, Debug)]
pub struct Timer {
    pub kind: TimerKind,
    /// Gives ISO 8601 text.
    pub value: Expression,
    /// Whether the timer's job is exclusive.
    pub exclusive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerKind {
    Date,
    Duration,
    Cycle,
}

#[derive(Clone, Debug, Default)]
pub struct ErrorCatch {
    /// `None` catches every error.
    pub code: Option<Arc<str>>,
    /// Variables that receive code and message when the error is caught.
    pub code_variable: Option<Arc<str>>,
    pub message_variable: Option<Arc<str>>,
}

/// One entry of an input/output mapping, in document order.
#[derive(Clone, Debug)]
pub struct Mapping {
    pub source: Expression,
    /// A dotted path: the last part is set inside the objects the others name.
    pub target: Vec<Arc<str>>,
}

#[derive(Clone, Debug)]
pub struct Flow {
    pub id: ElementId,
    pub source: ElementIndex,
    pub target: ElementIndex,
    pub condition: Option<Expression>,
}
