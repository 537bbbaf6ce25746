//! The contract.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, ElementInstanceKey, IncidentKey, InstanceKey,
    JobDefinitionKey, JobKey, ProcessId, SubscriptionKey, TenantId, Timestamp, UserTaskKey,
};

use crate::asset::{AssetKind, AssetRow};
use crate::batch::{BatchFilter, BatchRow, EndedBatchRow};
use crate::broadcast::BroadcastRow;
use crate::change::Group;
use crate::chore_log::{ChoreLogFilter, ChoreLogRow};
use crate::decision::{DecisionKey, DecisionRow, DecisionVersion};
use crate::delete_definition::{DefinitionDeleted, DeleteDefinition};
use crate::error::{CommitError, Error};
use crate::job_definition::{JobDefinitionChange, JobDefinitionFilter, JobDefinitionRow};
use crate::job_filter::JobFilter;
use crate::limit::{LimitRow, LimitScope, NewLimit};
use crate::message::{Channel, Committed, Fit, MessageKey, MessageQuery, MessageRow};
use crate::meter::{MeterQuery, MeterRow, MeterSum};
use crate::node::{Beat, Claim, Lease, NodeProfile, NodeRow, Pulse};
use crate::notice::Notice;
use crate::operation::{OperationFilter, OperationRow};
use crate::prune::{PruneQuery, Pruned};
use crate::query::{
    CalledBy, DefinitionFilter, EndedFilter, IncidentFilter, InstanceFilter, Page, UserTaskFilter,
};
use crate::rows::{
    DefinitionRow, EndedRow, HistoryRow, IncidentRow, InstanceRow, JobRow, LoadedInstance,
    NewDeployment, StoredDeployment, UserTaskRow,
};
use crate::selection::Selection;
use crate::settings::StoredSettings;
use crate::start::{StartQuery, StartRow};
use crate::subscription::{SubscriptionKind, SubscriptionQuery, SubscriptionRow};
use crate::tenant::{SetTenant, TenantSet};

pub type Fut<'a, T, E = Error> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// Which unlocked, ready jobs an acquisition takes. Those that match a [limit](LimitRow) only as
/// far as it allows.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// The engine's own: continuations, timers and chores. Locked for the node's session.
    Engine(Selection),
    /// Jobs for workers of one type, by priority (highest first), then key. Locked for `worker`
    /// until `until`; the activation is appended.
    Worker { job_type: Arc<str>, worker: Arc<str>, until: Timestamp },
}

#[derive(Clone, Debug)]
pub struct Acquire {
    pub lease: Lease,
    pub wanted: Wanted,
    pub limit: u32,
    pub now: Timestamp,
}

/// Moves the end of a worker's lock.
#[derive(Clone, Copy, Debug)]
pub struct ExtendLock {
    pub job: JobKey,
    pub until: Timestamp,
    pub now: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extended {
    Done,
    /// The job exists but no worker holds it, or the lock has already run out.
    NotLocked,
    NotFound,
}

/// What every store does. Time is always a parameter. Everything that writes is durable when the
/// future resolves.
///
/// Futures are polled on more than one runtime: those of a node on its thread's own, which ends
/// with the node. What must live longer, such as a pool's connections, belongs to a runtime of the
/// store's choosing.
pub trait Store: Send + Sync + 'static {
    // ---- nodes

    /// Registers a node: picks a free number, opens its lanes, fences the predecessor of the same
    /// name (an embedded store, which has one owner, fences every other node).
    fn join(&self, claim: Claim) -> Fut<'_, Lease>;

    /// `Error::Fenced` when the lease is gone.
    fn beat(&self, beat: Beat) -> Fut<'_, Pulse>;

    /// Takes the lease of a node that looks dead: only if its counter is still `beat`. Removes its
    /// row and lanes and clears its job locks in one transaction. False: it lives, or is gone.
    /// Instances of those jobs may get another revision.
    fn fence(&self, session: i64, beat: i64) -> Fut<'_, bool>;

    /// Gives the lease back: like being fenced, by own will. Idempotent.
    fn leave(&self, lease: Lease) -> Fut<'_, ()>;

    fn nodes(&self) -> Fut<'_, Vec<NodeRow>>;

    /// What the node takes from now on; the index that its order needs is made. Gives the version
    /// of the settings that says so.
    fn describe_node(&self, lease: Lease, profile: NodeProfile) -> Fut<'_, i64>;

    // ---- changes

    /// Applies a group in one transaction. See [`CommitError`] for what else may happen.
    fn commit(&self, group: Arc<Group>) -> Fut<'_, Committed, CommitError>;

    /// Told of the group that a lane will most likely be asked to commit next, so that a store may
    /// translate it while the lane is busy. It may never be committed.
    fn prepare(&self, _group: &Arc<Group>) {}

    /// Whether the lane's group `id` was committed. Waits for a transaction still under way.
    /// `Error::Fenced` when the lease is gone: then it may have landed before the fencing, and the
    /// instance's revisions tell.
    fn landed(&self, lease: Lease, lane: u8, id: i64) -> Fut<'_, bool>;

    /// Those that exist, in any order.
    fn load(&self, instances: Vec<InstanceKey>) -> Fut<'_, Vec<LoadedInstance>>;

    // ---- jobs

    /// An exclusive job of the engine's own is not taken while another one of its instance (or of
    /// its hierarchy, as the selection says) is locked though it is not ready: that one was stopped
    /// while it ran, and whoever runs it is not done with it.
    fn acquire(&self, acquire: Acquire) -> Fut<'_, Vec<JobRow>>;

    /// Waiting jobs due at `now` or before, earliest first. Locks nothing.
    fn due(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>>;

    /// The same of those that workers acquire, however many others are due.
    fn due_for_workers(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>>;

    /// Clears worker locks whose end lies before `now`; gives the types of those jobs.
    fn expire(&self, now: Timestamp) -> Fut<'_, Vec<Arc<str>>>;

    /// Clears the locks of these jobs: engine jobs this session holds and does not get to, worker
    /// jobs that could not be delivered. Each only if its `attempt` is still the given one. Costs
    /// no retry. Instances of those jobs may get another revision.
    fn release(&self, lease: Lease, jobs: Vec<(JobKey, i32)>) -> Fut<'_, ()>;

    fn extend_lock(&self, extend: ExtendLock) -> Fut<'_, Extended>;

    fn job(&self, key: JobKey) -> Fut<'_, Option<JobRow>>;
    fn incident(&self, key: IncidentKey) -> Fut<'_, Option<IncidentRow>>;
    fn user_task(&self, key: UserTaskKey) -> Fut<'_, Option<UserTaskRow>>;

    /// The live instance that an element instance belongs to, found by the rows it waits with.
    fn instance_of(&self, scope: ElementInstanceKey) -> Fut<'_, Option<InstanceKey>>;

    // ---- what is set

    /// Everything that nodes go by.
    fn settings(&self) -> Fut<'_, StoredSettings>;

    /// By scope, then name.
    fn limits(&self) -> Fut<'_, Vec<LimitRow>>;

    /// Sets or replaces one. Gives the version of the settings: the limit is kept exactly as soon
    /// as every live node has seen that version.
    fn set_limit(&self, limit: NewLimit, now: Timestamp) -> Fut<'_, i64>;

    /// `None` when there is none.
    fn delete_limit(&self, scope: LimitScope, name: Arc<str>) -> Fut<'_, Option<i64>>;

    // ---- waits and messages

    fn subscription(&self, key: SubscriptionKey) -> Fut<'_, Option<SubscriptionRow>>;

    fn subscriptions(&self, query: SubscriptionQuery) -> Fut<'_, Vec<SubscriptionRow>>;

    /// The highest key of those that wait for what has this name, in any tenant.
    fn last_subscription(
        &self,
        kind: SubscriptionKind,
        name: Arc<str>,
    ) -> Fut<'_, Option<SubscriptionKey>>;

    fn message(&self, key: MessageKey) -> Fut<'_, Option<MessageRow>>;

    fn messages(&self, query: MessageQuery) -> Fut<'_, Vec<MessageRow>>;

    /// The fit of a channel, if there is one.
    fn fit(&self, channel: Channel, now: Timestamp) -> Fut<'_, Option<Fit>>;

    /// Every buffered message after this one that fits something, oldest first, each with the
    /// oldest subscription it fits. For what was reported to a node that did not live to see it.
    fn fits(&self, now: Timestamp, after: Option<MessageKey>, limit: u32) -> Fut<'_, Vec<Fit>>;

    /// Removes expired messages, at most `limit`; gives their number.
    fn expire_messages(&self, now: Timestamp, limit: u32) -> Fut<'_, u32>;

    /// Oldest first.
    fn broadcasts(&self, limit: u32) -> Fut<'_, Vec<BroadcastRow>>;

    // ---- definitions

    /// Assigns versions, or finds that nothing is new: a resource is a duplicate when the latest
    /// version of everything in it has the same resource name and checksum; if any resource is new,
    /// all get new versions. Serialised per engine. Definitions that come suspended raise the
    /// version of the settings in the same transaction; nothing is suspended by a duplicate.
    fn deploy(&self, deployment: NewDeployment) -> Fut<'_, StoredDeployment>;

    fn definition(&self, key: DefinitionKey) -> Fut<'_, Option<DefinitionRow>>;

    /// `version` `None`: the latest.
    fn find_definition(
        &self,
        process_id: ProcessId,
        tenant: TenantId,
        version: Option<i32>,
    ) -> Fut<'_, Option<DefinitionRow>>;

    /// Serialised with deployments.
    fn delete_definition(&self, delete: DeleteDefinition) -> Fut<'_, DefinitionDeleted>;

    /// All at once. Serialised with deployments.
    fn set_deployment_tenant(&self, set: SetTenant) -> Fut<'_, TenantSet>;

    /// Does the same to what nodes have written with the tenant of before, because they had not
    /// heard of the change yet. To be called when every live node has seen its version of the
    /// settings; until then the settings tell that it is to be settled. False: there is nothing to
    /// settle.
    fn settle_deployment_tenant(
        &self,
        deployment: DeploymentKey,
        now: Timestamp,
        logs_chores: bool,
    ) -> Fut<'_, bool>;

    fn decision(&self, key: DecisionKey) -> Fut<'_, Option<DecisionRow>>;

    fn find_decision(
        &self,
        decision_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<DecisionRow>>;

    fn find_asset(
        &self,
        kind: AssetKind,
        asset_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<AssetRow>>;

    /// The file of decisions, or the asset, of this key is found no more. Gives the version of the
    /// settings; `None` when there is no such thing. Serialised with deployments.
    fn delete_file(&self, key: i64) -> Fut<'_, Option<i64>>;

    fn resource(&self, deployment: DeploymentKey, name: Arc<str>) -> Fut<'_, Option<Arc<[u8]>>>;

    /// Those that are not deleted; so the two that follow.
    fn definitions(&self, filter: DefinitionFilter, page: Page) -> Fut<'_, Vec<DefinitionRow>>;
    fn decisions(&self, page: Page) -> Fut<'_, Vec<DecisionRow>>;
    fn assets(&self, page: Page) -> Fut<'_, Vec<AssetRow>>;

    /// Gives the version of the settings; `None` when none of them exists.
    fn set_definition_suspended(
        &self,
        definitions: Vec<DefinitionKey>,
        suspended: bool,
    ) -> Fut<'_, Option<i64>>;

    fn job_definition(&self, key: JobDefinitionKey) -> Fut<'_, Option<JobDefinitionRow>>;

    fn job_definitions(
        &self,
        filter: JobDefinitionFilter,
        page: Page,
    ) -> Fut<'_, Vec<JobDefinitionRow>>;

    /// Gives the version of the settings; `None` when there is no such job definition.
    fn set_job_definition(
        &self,
        key: JobDefinitionKey,
        change: JobDefinitionChange,
    ) -> Fut<'_, Option<i64>>;

    /// Start events of the latest versions.
    fn starts(&self, query: StartQuery) -> Fut<'_, Vec<StartRow>>;

    // ---- queries

    fn instances(&self, filter: InstanceFilter, page: Page) -> Fut<'_, Vec<InstanceRow>>;
    fn ended(&self, filter: EndedFilter, page: Page) -> Fut<'_, Vec<EndedRow>>;
    fn ended_instance(&self, key: InstanceKey) -> Fut<'_, Option<EndedRow>>;
    /// Live ones.
    fn called_instances(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<InstanceRow>>;
    fn called_ended(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<EndedRow>>;
    /// Oldest first. The newest events of a live instance are in its row.
    fn history(&self, instance: InstanceKey) -> Fut<'_, Vec<HistoryRow>>;
    fn jobs(&self, filter: JobFilter, page: Page) -> Fut<'_, Vec<JobRow>>;
    fn incidents(&self, filter: IncidentFilter, page: Page) -> Fut<'_, Vec<IncidentRow>>;
    fn user_tasks(&self, filter: UserTaskFilter, page: Page) -> Fut<'_, Vec<UserTaskRow>>;
    fn count_instances(&self, filter: InstanceFilter) -> Fut<'_, u64>;
    /// Order and offset do not count.
    fn count_jobs(&self, filter: JobFilter) -> Fut<'_, u64>;
    fn count_job_definitions(&self, filter: JobDefinitionFilter) -> Fut<'_, u64>;
    fn count_incidents(&self, filter: IncidentFilter) -> Fut<'_, u64>;

    // ---- batches, operations, meters, what is old

    fn batch(&self, key: BatchKey) -> Fut<'_, Option<BatchRow>>;
    fn batches(&self, filter: BatchFilter, page: Page) -> Fut<'_, Vec<BatchRow>>;
    /// Ended ones.
    fn ended_batches(&self, filter: BatchFilter, page: Page) -> Fut<'_, Vec<EndedBatchRow>>;
    fn operations(&self, filter: OperationFilter, page: Page) -> Fut<'_, Vec<OperationRow>>;
    /// Paged by the numbers of the rows.
    fn chore_log(&self, filter: ChoreLogFilter, page: Page) -> Fut<'_, Vec<ChoreLogRow>>;
    fn add_meters(&self, meters: Vec<MeterRow>) -> Fut<'_, ()>;
    fn meters(&self, query: MeterQuery) -> Fut<'_, Vec<MeterSum>>;
    fn prune(&self, query: PruneQuery) -> Fut<'_, Pruned>;
    /// Sets from when on ended instances may be pruned; `None`: nothing says so. Gives how many of
    /// them there are.
    fn set_removal(&self, instances: Vec<InstanceKey>, at: Option<Timestamp>) -> Fut<'_, u32>;
    /// The same of ended batches.
    fn set_batch_removal(&self, batches: Vec<BatchKey>, at: Option<Timestamp>) -> Fut<'_, u32>;

    // ---- hints

    /// Tells the other nodes; may be lost.
    fn notify(&self, notices: Vec<Notice>) -> Fut<'_, ()>;

    /// Calls `sink` for every notice of another node, from now on.
    fn listen(&self, sink: Box<dyn Fn(Notice) + Send + Sync>);

    /// Closes connections and threads; flushes what an embedded store keeps in its log.
    fn close(&self) -> Fut<'_, ()>;
}
