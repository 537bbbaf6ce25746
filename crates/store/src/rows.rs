//! Rows as every store keeps them. Each carries its tenant and the name of its engine.

use std::sync::Arc;

use orloj_types::{
    DefinitionKey, DeploymentKey, ElementId, ElementInstanceKey, EngineName, IncidentKey,
    InstanceKey, JobKey, ProcessId, StoredValue, TenantId, Timestamp, UserTaskKey,
};

use crate::decision::{DecisionRow, NewRequirements};
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

/// An instance with the values too large for its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedInstance {
    pub row: InstanceRow,
    pub variables: Vec<VariableRow>,
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
            _ => return None,
        })
    }

    /// Whether workers acquire it, by its type; the engine acquires the others.
    pub const fn is_for_workers(self) -> bool {
        matches!(self, Self::Worker | Self::Listener)
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
    Failed = 3,
    ErrorThrown = 4,
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
    pub failure: Option<Arc<str>>,
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
}

#[derive(Clone, Debug)]
pub struct NewDeployment {
    pub key: DeploymentKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub resources: Vec<NewResource>,
    pub now: Timestamp,
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
}

#[derive(Clone, Debug)]
pub struct NewDefinition {
    /// Used when the resource is new; a duplicate keeps the key it has.
    pub key: DefinitionKey,
    pub process_id: ProcessId,
    /// They take the place of those of the version before.
    pub starts: Vec<NewStart>,
}

/// What a deployment led to: the definitions and decisions of all its resources, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDeployment {
    pub key: DeploymentKey,
    /// Every resource equalled the latest version of its processes and decisions: nothing was
    /// written.
    pub duplicate: bool,
    pub definitions: Vec<DefinitionRow>,
    pub decisions: Vec<DecisionRow>,
}
