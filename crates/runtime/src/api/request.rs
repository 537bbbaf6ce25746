use std::sync::Arc;

use orloj_dmn::{LogicKind, TableRecord};
use orloj_model::{Dialect, ListenerEvent};
use orloj_store::DecisionKey;
use orloj_types::{
    DefinitionKey, DeploymentKey, Document, ElementId, ElementInstanceKey, InstanceKey, JobKey,
    ProcessId, TenantId, Timestamp, Value,
};

/// Resources deployed together, all or none.
#[derive(Clone, Debug, Default)]
pub struct Deploy {
    pub tenant: TenantId,
    pub resources: Vec<Resource>,
    /// What a file without any vendor's extension is read as. `None`: as the other files of the
    /// deployment, where these agree, else as Camunda 7's.
    pub plain_dialect: Option<Dialect>,
    /// Processes are deployed suspended and activated then; `None`: they are active at once.
    /// Where nothing is new, nothing is suspended.
    pub activate_at: Option<Timestamp>,
}

impl Deploy {
    /// One file.
    pub fn file(name: &str, content: &[u8]) -> Self {
        let resource = Resource { name: name.into(), content: content.into() };
        Self { resources: vec![resource], ..Self::default() }
    }

    /// No instance is started before. A moment that has passed is as good as now.
    pub fn activate_at(self, at: Timestamp) -> Self {
        Self { activate_at: Some(at), ..self }
    }
}

#[derive(Clone, Debug)]
pub struct Resource {
    pub name: Arc<str>,
    pub content: Arc<[u8]>,
}

#[derive(Clone, Debug)]
pub struct Deployed {
    /// A new one in any case, as clients of Zeebe expect it.
    pub key: DeploymentKey,
    /// Nothing was new: the definitions are those that were there.
    pub duplicate: bool,
    pub definitions: Vec<super::DefinitionView>,
    pub decisions: Vec<super::DecisionView>,
    pub assets: Vec<super::AssetView>,
    /// What is taken otherwise than it is written, by file.
    pub warnings: Vec<super::ResourceProblem>,
}

impl Deployed {
    /// The deployment under which it is found: of a duplicate the newest that brought some of it.
    pub fn found_in(&self) -> DeploymentKey {
        let definitions = self.definitions.iter().map(|one| one.deployment);
        let decisions = self.decisions.iter().map(|one| one.deployment);
        let assets = self.assets.iter().map(|one| one.deployment);
        definitions.chain(decisions).chain(assets).max().unwrap_or(self.key)
    }
}

/// Asks a decision, outside of any process.
#[derive(Clone, Debug)]
pub struct EvaluateDecision {
    pub which: WhichDecision,
    pub tenant: TenantId,
    pub variables: Document,
}

#[derive(Clone, Debug)]
pub enum WhichDecision {
    /// By the author's id.
    Latest(Arc<str>),
    Key(DecisionKey),
}

/// A decision's answer, and how it came about.
#[derive(Clone, Debug)]
pub struct DecisionMade {
    /// Of this evaluation.
    pub key: i64,
    pub decision: super::DecisionView,
    /// The value, or why there is none.
    pub result: Result<Value, DecisionFailure>,
    /// The decisions that were needed, required ones first.
    pub steps: Vec<DecisionStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionFailure {
    /// Where it failed: the decision asked for, or one that it requires.
    pub decision_id: Arc<str>,
    pub message: String,
}

#[derive(Clone, Debug)]
pub struct DecisionStep {
    pub decision: super::DecisionView,
    pub logic: LogicKind,
    pub value: Value,
    /// What the table saw and which rules matched, where the decision is one.
    pub table: Option<TableRecord>,
}

/// Which definition to start.
#[derive(Clone, Debug)]
pub enum Which {
    Latest(ProcessId),
    Version(ProcessId, i32),
    Definition(DefinitionKey),
}

#[derive(Clone, Debug)]
pub struct StartInstance {
    pub which: Which,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    pub variables: Document,
    /// Tokens begin before these elements, and at no start event. Empty: at the start event
    /// without a trigger.
    pub before: Vec<ElementId>,
    /// Words that every job of it shows, and what it calls has too.
    pub tags: Vec<Arc<str>>,
    /// It is cancelled when one of these elements has been completed.
    pub stops_after: Vec<ElementId>,
}

impl StartInstance {
    pub fn latest(process_id: &str) -> Self {
        Self {
            which: Which::Latest(process_id.into()),
            tenant: TenantId::none(),
            business_key: None,
            variables: Document::new(),
            before: Vec::new(),
            tags: Vec::new(),
            stops_after: Vec::new(),
        }
    }

    pub fn with(mut self, variables: Document) -> Self {
        self.variables = variables;
        self
    }
}

/// Variables that the conditions of start events are asked about.
#[derive(Clone, Debug, Default)]
pub struct EvaluateStartConditions {
    pub tenant: TenantId,
    /// Only of this definition, else of the last one of every process.
    pub definition: Option<DefinitionKey>,
    /// Of the instances that are started.
    pub business_key: Option<Arc<str>>,
    pub variables: Document,
}

/// What conditions have started.
#[derive(Clone, Debug)]
pub struct ConditionsEvaluated {
    /// Of the evaluation.
    pub key: i64,
    pub instances: Vec<Started>,
}

#[derive(Clone, Debug)]
pub struct Started {
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub version: i32,
    pub tenant: TenantId,
}

/// An instance someone waited for.
#[derive(Clone, Debug)]
pub struct Finished {
    pub started: Started,
    /// False: it was cancelled.
    pub completed: bool,
    /// The instance's own variables at the end.
    pub variables: Document,
}

/// A worker asks for jobs.
#[derive(Clone, Debug)]
pub struct ActivateJobs {
    pub job_type: Arc<str>,
    /// May be empty.
    pub worker: Arc<str>,
    /// The lock's length.
    pub timeout_ms: i64,
    pub jobs_max: u32,
    /// Empty: all variables.
    pub fetch_variables: Vec<Arc<str>>,
    pub long_poll: LongPoll,
    /// Together the variables of one answer stay below this many bytes, except for a single job.
    pub bytes_max: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongPoll {
    /// Answer at once, with nothing if there is nothing.
    No,
    /// Wait for the first job at most this long.
    UpToMs(i64),
}

/// A worker wants jobs pushed as they become ready.
#[derive(Clone, Debug)]
pub struct StreamJobs {
    pub job_type: Arc<str>,
    pub worker: Arc<str>,
    pub timeout_ms: i64,
    pub fetch_variables: Vec<Arc<str>>,
    /// How many jobs may be on their way to the worker, not yet taken from the stream.
    pub credit: u32,
}

/// A job handed to a worker.
#[derive(Clone, Debug)]
pub struct ActivatedJob {
    pub key: JobKey,
    pub job_type: Arc<str>,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub version: i32,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    pub headers: Arc<[(Arc<str>, Arc<str>)]>,
    pub worker: Arc<str>,
    pub retries: i32,
    pub deadline: Timestamp,
    /// A JSON object.
    pub variables: String,
    pub tenant: TenantId,
    pub priority: i64,
    pub business_key: Option<Arc<str>>,
    /// Which lock this is; a later one has a higher number.
    pub attempt: i32,
    pub purpose: Purpose,
    /// The words that its instance was started with.
    pub tags: Arc<[Arc<str>]>,
}

/// What a worker's job is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The element's own work.
    #[default]
    Element,
    /// To decide what happens in an ad-hoc subprocess.
    AdHoc,
    /// A listener of an element, of a process or of a user task.
    Listener(ListenerEvent),
}

#[derive(Clone, Debug)]
pub struct FailJob {
    pub job: JobKey,
    pub retries: i32,
    pub message: Arc<str>,
    /// More than a line, such as a stack trace; kept with the job, up to 64 KiB.
    pub details: Option<Arc<str>>,
    pub back_off_ms: i64,
    pub variables: Document,
}

#[derive(Clone, Debug)]
pub struct ThrowError {
    pub job: JobKey,
    pub code: Arc<str>,
    pub message: Arc<str>,
    pub variables: Document,
}

/// A worker needs longer (or shorter): the lock ends so long from now.
#[derive(Clone, Copy, Debug)]
pub struct Extend {
    pub job: JobKey,
    pub timeout_ms: i64,
}
