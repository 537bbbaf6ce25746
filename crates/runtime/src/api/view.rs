//! What people and faces are shown.

use std::sync::Arc;

use orloj_store::{
    AssetKey, AssetKind, AssetRow, DecisionKey, DecisionRow, JobKind, JobState, NodeProfile,
    Requirements,
};
use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, Document, ElementId, ElementInstanceKey, IncidentKey,
    InstanceKey, JobKey, ProcessId, TenantId, Timestamp, UserTaskKey,
};

use crate::remedy::Remedy;

#[derive(Clone, Debug)]
pub struct DefinitionView {
    pub key: DefinitionKey,
    pub process_id: ProcessId,
    pub version: i32,
    pub resource_name: Arc<str>,
    pub deployment: DeploymentKey,
    pub tenant: TenantId,
    pub deployed_at: Timestamp,
    pub suspended: bool,
}

#[derive(Clone, Debug)]
pub struct DecisionView {
    pub key: DecisionKey,
    pub decision_id: Arc<str>,
    pub name: Arc<str>,
    pub version: i32,
    pub version_tag: Option<Arc<str>>,
    /// The file it is part of.
    pub requirements: Requirements,
    pub resource_name: Arc<str>,
    pub deployment: DeploymentKey,
    pub tenant: TenantId,
    pub deployed_at: Timestamp,
}

impl From<&DecisionRow> for DecisionView {
    fn from(row: &DecisionRow) -> Self {
        Self {
            key: row.key,
            decision_id: row.decision_id.clone(),
            name: row.name.clone(),
            version: row.version,
            version_tag: row.version_tag.clone(),
            requirements: row.requirements.clone(),
            resource_name: row.resource_name.clone(),
            deployment: row.deployment,
            tenant: row.tenant.clone(),
            deployed_at: row.deployed_at,
        }
    }
}

/// A deployed file that elements refer to.
#[derive(Clone, Debug)]
pub struct AssetView {
    pub key: AssetKey,
    pub kind: AssetKind,
    pub asset_id: Arc<str>,
    pub version: i32,
    pub version_tag: Option<Arc<str>>,
    pub resource_name: Arc<str>,
    pub deployment: DeploymentKey,
    pub tenant: TenantId,
    pub deployed_at: Timestamp,
}

impl From<&AssetRow> for AssetView {
    fn from(row: &AssetRow) -> Self {
        Self {
            key: row.key,
            kind: row.kind,
            asset_id: row.asset_id.clone(),
            version: row.version,
            version_tag: row.version_tag.clone(),
            resource_name: row.resource_name.clone(),
            deployment: row.deployment,
            tenant: row.tenant.clone(),
            deployed_at: row.deployed_at,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstanceState {
    Active,
    Completed,
    Cancelled,
}

#[derive(Clone, Debug)]
pub struct InstanceView {
    pub key: InstanceKey,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub version: i32,
    pub tenant: TenantId,
    pub business_key: Option<Arc<str>>,
    pub state: InstanceState,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub is_suspended: bool,
}

#[derive(Clone, Debug)]
pub struct InstanceDetail {
    pub view: InstanceView,
    /// Where its tokens are; empty when it has ended.
    pub elements: Vec<ElementView>,
    /// The instance's own variables.
    pub variables: Document,
    pub jobs: Vec<JobView>,
    pub incidents: Vec<IncidentView>,
    /// Oldest first.
    pub history: Vec<EventView>,
}

#[derive(Clone, Debug)]
pub struct ElementView {
    pub key: ElementInstanceKey,
    pub element: ElementId,
    pub scope: ElementInstanceKey,
    /// `entering`, `active` or `leaving`.
    pub state: &'static str,
    pub entered_at: Timestamp,
    /// Its own variables, where it has some.
    pub variables: Document,
}

/// One thing that happened to an instance.
#[derive(Clone, Debug)]
pub struct EventView {
    pub at: Timestamp,
    /// Such as `element-entered` or `job-failed`.
    pub what: Arc<str>,
    /// Of the element instance, job or incident it is about.
    pub key: i64,
    /// Element id, job type, worker, error code or incident kind.
    pub name: Arc<str>,
    pub message: Arc<str>,
    /// Retries left, where that is said.
    pub retries_left: Option<i64>,
}

#[derive(Clone, Debug)]
pub struct JobView {
    pub key: JobKey,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
    pub kind: JobKind,
    pub job_type: Arc<str>,
    pub state: JobState,
    pub retries_left: i32,
    pub priority: i64,
    pub exclusive: bool,
    pub due_at: Option<Timestamp>,
    /// Name of the node, or of the worker, that holds its lock.
    pub locked_by: Option<Arc<str>>,
    /// End of a worker's lock; a node's has none while the node lives.
    pub locked_until: Option<Timestamp>,
    pub attempt: i32,
    pub failure: Option<Arc<str>>,
    /// Where the last failure was.
    pub failed_element: Option<ElementId>,
    pub created_at: Timestamp,
    /// What limits and circuit breakers count by; empty where nothing foreign is called.
    pub topic: Arc<str>,
    pub category: Option<Arc<str>>,
    pub limit_key: Option<Arc<str>>,
    pub batch: Option<BatchKey>,
    pub tenant: TenantId,
}

#[derive(Clone, Debug)]
pub struct IncidentView {
    pub key: IncidentKey,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub element: ElementId,
    pub element_instance: ElementInstanceKey,
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
    pub tenant: TenantId,
}

#[derive(Clone, Debug)]
pub struct UserTaskView {
    pub key: UserTaskKey,
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub element: ElementId,
    pub name: Option<Arc<str>>,
    pub assignee: Option<Arc<str>>,
    pub candidate_groups: Vec<Arc<str>>,
    pub candidate_users: Vec<Arc<str>>,
    pub due_at: Option<Timestamp>,
    pub priority: i64,
    pub created_at: Timestamp,
    pub tenant: TenantId,
}

#[derive(Clone, Debug)]
pub struct NodeView {
    pub number: u16,
    pub name: String,
    pub session: i64,
    pub seen_at: Timestamp,
    pub is_self: bool,
    /// The version of the settings that it goes by.
    pub settings_seen: i64,
    /// What its executor takes.
    pub profile: NodeProfile,
}

/// Why a job is not running, in the order in which things would have to change.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub job: JobView,
    /// Empty: nothing stands in its way.
    pub reasons: Vec<Reason>,
}

#[derive(Clone, Debug)]
pub struct Reason {
    /// A stable word, such as `no-retries`.
    pub code: &'static str,
    pub text: String,
    /// What a person can do about it.
    pub remedy: Option<Remedy>,
    /// Whom to ask for it, where it acts on one node and several share the store.
    pub on_node: Option<Arc<str>>,
}
