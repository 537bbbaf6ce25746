//! Rows as every store keeps them. Each carries its tenant and the name of its engine.

use std::sync::Arc;

use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, ElementId, ElementInstanceKey, EngineName, IncidentKey,
    InstanceKey, JobKey, Order, ProcessId, StoredValue, TenantId, Timestamp, UserTaskKey,
};

use crate::asset::{AssetRow, NewAsset};
use crate::decision::{DecisionRow, NewRequirements};
use crate::job_definition::NewJobDefinition;
use crate::start::NewStart;

/// A live instance: its record, guarded by `rev`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceRow {
    pub key: InstanceKey,
    pub rev: i32,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub definition: DefinitionKey,
    pub business_key: Option<Arc<str>>,
    /// A [`crate::format`] record.
    pub record: Vec<u8>,
    /// History not yet moved into rows of its own: [`crate::format`] events.
    pub events: Vec<u8>,
    /// The instance whose call activity started it.
    pub caller: Option<InstanceKey>,
    /// The outermost caller.
    pub root: Option<InstanceKey>,
}

impl InstanceRow {
    pub fn is_called(&self) -> bool {
        self.caller.is_some() || self.root.is_some()
    }
}

/// An instance with the values too large for its record, and the pages of a large one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedInstance {
    pub row: InstanceRow,
    pub variables: Vec<VariableRow>,
    /// In no order.
    pub pages: Vec<RecordPage>,
}

/// A part of the record of an instance that has many element instances (docs/adr/0012).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPage {
    pub instance: InstanceKey,
    pub kind: RecordPageKind,
    /// The lowest key it may hold; with the kind it names the page.
    pub first: ElementInstanceKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    /// A [`crate::format`] record that has nothing but the page's entries.
    pub bytes: Vec<u8>,
}

/// The numbers are part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RecordPageKind {
    Elements = 0,
    Variables = 1,
}

impl RecordPageKind {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Elements,
            1 => Self::Variables,
            _ => return None,
        })
    }
}

/// A variable too large for its instance's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableRow {
    pub instance: InstanceKey,
    pub scope: ElementInstanceKey,
    pub name: Arc<str>,
    pub value: StoredValue,
    pub engine: EngineName,
    pub tenant: TenantId,
}

/// The numbers are part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum JobKind {
    AsyncBefore = 0,
    AsyncAfter = 1,
    Worker = 2,
    Timer = 3,
    /// What is left of an activity after its work, as a job of its own.
    AsyncComplete = 4,
    /// A listener that a worker runs.
    Listener = 5,
    /// The delivery of a signal to one subscription.
    Signal = 6,
    // Those below are chores: jobs of no instance.
    StartTimer = 7,
    SuspendDefinition = 8,
    ActivateDefinition = 9,
    SuspendJobDefinition = 10,
    ActivateJobDefinition = 11,
    BatchSeed = 12,
    BatchMonitor = 13,
    BatchPart = 14,
    HistoryCleanup = 15,
}

impl JobKind {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::AsyncBefore,
            1 => Self::AsyncAfter,
            2 => Self::Worker,
            3 => Self::Timer,
            4 => Self::AsyncComplete,
            5 => Self::Listener,
            6 => Self::Signal,
            7 => Self::StartTimer,
            8 => Self::SuspendDefinition,
            9 => Self::ActivateDefinition,
            10 => Self::SuspendJobDefinition,
            11 => Self::ActivateJobDefinition,
            12 => Self::BatchSeed,
            13 => Self::BatchMonitor,
            14 => Self::BatchPart,
            15 => Self::HistoryCleanup,
            _ => return None,
        })
    }

    /// Whether workers acquire it, by its type; the engine acquires the others.
    pub const fn is_for_workers(self) -> bool {
        matches!(self, Self::Worker | Self::Listener)
    }

    /// Whether it belongs to no instance: its row is all there is of it.
    pub const fn is_chore(self) -> bool {
        self as u8 >= Self::StartTimer as u8
    }

    /// Whether it waits for a moment that someone has named.
    pub const fn is_timer(self) -> bool {
        matches!(
            self,
            Self::Timer
                | Self::StartTimer
                | Self::SuspendDefinition
                | Self::ActivateDefinition
                | Self::SuspendJobDefinition
                | Self::ActivateJobDefinition
        )
    }
}

/// The numbers are part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum JobState {
    /// Acquirable unless locked.
    Ready = 0,
    /// Becomes ready when due.
    Waiting = 1,
    /// Exclusive, behind another one of its instance.
    Parked = 2,
    /// Without retries left: a dead letter.
    Failed = 3,
    ErrorThrown = 4,
    /// It, its instance, its definition or its job definition is suspended.
    Suspended = 5,
}

impl JobState {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Ready,
            1 => Self::Waiting,
            2 => Self::Parked,
            3 => Self::Failed,
            4 => Self::ErrorThrown,
            5 => Self::Suspended,
            _ => return None,
        })
    }
}

/// A job with its lock. A lock is either a node's (`lock_session`, lives as long as the node's
/// heartbeat) or a worker's (`lock_worker` and `lock_until`), never both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRow {
    pub key: JobKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub element_instance: ElementInstanceKey,
    pub element: ElementId,
    pub kind: JobKind,
    /// Type or topic of worker jobs; empty for the engine's own.
    pub job_type: Arc<str>,
    pub state: JobState,
    pub retries_left: i32,
    pub priority: i64,
    pub exclusive: bool,
    pub due_at: Option<Timestamp>,
    pub lock_session: Option<i64>,
    pub lock_worker: Option<Arc<str>>,
    pub lock_until: Option<Timestamp>,
    /// Counts the locks ever given; a late answer of an earlier one can be told apart.
    pub attempt: i32,
    /// Worker locks that ended without an answer, and the present one: [`crate::format`]
    /// activations, appended by every acquisition for a worker.
    pub activations: Vec<u8>,
    /// Of the last failure; at most [`FAILURE_CHARS_MAX`].
    pub failure: Option<Arc<str>>,
    pub created_at: Timestamp,
    /// What limits and circuit breakers count by: the type of a worker job, the name of the foreign
    /// code that another one calls. Empty for pure continuations.
    pub topic: Arc<str>,
    pub category: Option<Arc<str>>,
    /// A key of the model's own to limit by.
    pub limit_key: Option<Arc<str>>,
    pub batch: Option<BatchKey>,
    /// What a chore is to do: bytes of the runtime.
    pub payload: Option<Vec<u8>>,
    /// Where the last failure came from; at most [`FAILURE_DETAILS_BYTES_MAX`].
    pub failure_details: Option<Arc<str>>,
    pub failed_element: Option<ElementId>,
}

/// A message that people read; the whole story is in the details.
pub const FAILURE_CHARS_MAX: usize = 4_000;
/// Some hundred lines of a stack trace.
pub const FAILURE_DETAILS_BYTES_MAX: usize = 64 << 10;

impl JobRow {
    pub fn is_locked(&self) -> bool {
        self.lock_session.is_some() || self.lock_until.is_some()
    }

    /// Jobs sort as these do, lowest first.
    pub fn place(&self, order: Order) -> [i64; 4] {
        let run_at = self.due_at.unwrap_or(self.created_at);
        order.place_of(self.priority, self.kind.is_timer(), run_at, self.key)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserTaskRow {
    pub key: UserTaskKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub element_instance: ElementInstanceKey,
    pub element: ElementId,
    pub name: Option<Arc<str>>,
    pub assignee: Option<Arc<str>>,
    /// Comma-separated in one column, as they are only read back.
    pub candidate_groups: Vec<Arc<str>>,
    pub candidate_users: Vec<Arc<str>>,
    pub due_at: Option<Timestamp>,
    pub priority: i64,
    pub form_key: Option<Arc<str>>,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentRow {
    pub key: IncidentKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub element_instance: ElementInstanceKey,
    pub element: ElementId,
    pub job: Option<JobKey>,
    pub kind: Arc<str>,
    pub message: Arc<str>,
    pub created_at: Timestamp,
    /// The incident of the called instance that this one tells of; itself where it began.
    pub cause: IncidentKey,
    /// Where the chain of causes begins.
    pub root_cause: IncidentKey,
    /// Free text of one that a client has opened.
    pub configuration: Option<Arc<str>>,
    /// A note of whoever looks after it.
    pub annotation: Option<Arc<str>>,
}

/// A stretch of an instance's history. Append-only; clustered by instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    pub instance: InstanceKey,
    /// Ordinal of the stretch within its instance: the instance's `rev` that wrote it.
    pub rev: i32,
    pub engine: EngineName,
    pub tenant: TenantId,
    /// When the stretch was written; history is dropped by age.
    pub at: Timestamp,
    /// [`crate::format`] events.
    pub events: Vec<u8>,
}

/// An instance that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedRow {
    pub key: InstanceKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub definition: DefinitionKey,
    pub business_key: Option<Arc<str>>,
    /// Completed, or cancelled.
    pub completed: bool,
    pub started_at: Timestamp,
    pub ended_at: Timestamp,
    /// The instance's own variables at the end: [`crate::format`] variables.
    pub variables: Vec<u8>,
    /// As it was of the live instance.
    pub caller: Option<InstanceKey>,
    pub root: Option<InstanceKey>,
    /// From when on it may be pruned; `None`: nothing says so.
    pub removal_at: Option<Timestamp>,
}

impl EndedRow {
    pub fn is_called(&self) -> bool {
        self.caller.is_some() || self.root.is_some()
    }
}

/// One deployed version of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionRow {
    pub key: DefinitionKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub process_id: ProcessId,
    pub version: i32,
    pub deployment: DeploymentKey,
    pub resource_name: Arc<str>,
    pub checksum: [u8; 16],
    /// Which dialect the file was read as; a definition once accepted keeps loading the same way.
    pub dialect: Arc<str>,
    /// The level of checks the file passed when it was accepted.
    pub checks: i32,
    pub deployed_at: Timestamp,
    pub suspended: bool,
    /// Instances that run go on; no other is started, and no query finds it but by its key.
    pub is_deleted: bool,
}

#[derive(Clone, Debug)]
pub struct NewDeployment {
    pub key: DeploymentKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub resources: Vec<NewResource>,
    pub now: Timestamp,
    /// Whether the log of chores tells of the start timers that go and come.
    pub logs_chores: bool,
}

impl NewDeployment {
    /// Whether nodes have to be told of it by the version of the settings.
    pub fn has_suspended(&self) -> bool {
        let mut definitions = self.resources.iter().flat_map(|resource| &resource.definitions);
        definitions.any(|definition| definition.suspended)
    }
}

#[derive(Clone, Debug)]
pub struct NewResource {
    pub name: Arc<str>,
    pub content: Arc<[u8]>,
    pub checksum: [u8; 16],
    pub dialect: Arc<str>,
    pub checks: i32,
    pub definitions: Vec<NewDefinition>,
    /// Of a file of decisions.
    pub requirements: Option<NewRequirements>,
    /// Of a form, or of what jobs are linked to.
    pub asset: Option<NewAsset>,
}

#[derive(Clone, Debug)]
pub struct NewDefinition {
    /// Used when the resource is new; a duplicate keeps the key it has.
    pub key: DefinitionKey,
    pub process_id: ProcessId,
    /// It is suspended from its first moment on. The settings get another version with it.
    pub suspended: bool,
    /// They take the place of those of the version before.
    pub starts: Vec<NewStart>,
    pub job_definitions: Vec<NewJobDefinition>,
    /// Chores that come with it, such as its start timers. Those start timers of earlier versions
    /// go, also while they are run: then their write is in conflict.
    pub chores: Vec<JobRow>,
}

/// What a deployment led to: what is in all its resources, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDeployment {
    /// As it was given; under that of a duplicate there is nothing.
    pub key: DeploymentKey,
    /// Every resource equalled the latest version of what is in it: nothing was written.
    pub duplicate: bool,
    pub definitions: Vec<DefinitionRow>,
    pub decisions: Vec<DecisionRow>,
    pub assets: Vec<AssetRow>,
    /// The version of the settings that tells of definitions which came suspended.
    pub settings: Option<i64>,
}
