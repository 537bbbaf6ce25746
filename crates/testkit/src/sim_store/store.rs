use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use orloj_store::{
    Acquire, AssetKind, AssetRow, BatchFilter, BatchRow, Beat, BroadcastRow, CalledBy, Channel,
    ChoreLogFilter, ChoreLogRow, Claim, CommitError, Committed, DecisionKey, DecisionRow,
    DecisionVersion, DefinitionDeleted, DefinitionFilter, DefinitionRow, DeleteDefinition,
    EndedBatchRow, EndedFilter, EndedRow, Error, ExtendLock, Extended, Fit, Fut, Group, HistoryRow,
    IncidentFilter, IncidentRow, InstanceFilter, InstanceRow, JobDefinitionChange,
    JobDefinitionFilter, JobDefinitionRow, JobFilter, JobRow, Lease, LimitRow, LimitScope,
    LoadedInstance, MessageKey, MessageQuery, MessageRow, MeterQuery, MeterRow, MeterSum,
    NewDeployment, NewLimit, NodeProfile, NodeRow, Notice, OperationFilter, OperationRow, Page,
    PruneQuery, Pruned, Pulse, SetTenant, StartQuery, StartRow, Store, StoredDeployment,
    StoredSettings, SubscriptionKind, SubscriptionQuery, SubscriptionRow, TenantSet,
    UserTaskFilter, UserTaskRow,
};
use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, ElementInstanceKey, EngineName, IncidentKey,
    InstanceKey, JobDefinitionKey, JobKey, ProcessId, SubscriptionKey, TenantId, Timestamp,
    UserTaskKey,
};

use super::{Core, Kind};

/// [`Core`] behind the contract: every future is ready when it is first polled.
#[derive(Debug)]
pub struct SimStore {
    core: Mutex<Core>,
    loads: AtomicUsize,
    job_definition_reads: AtomicUsize,
    loses_tenant_answer: AtomicBool,
}

impl SimStore {
    pub fn new(engine: EngineName, kind: Kind) -> Self {
        Self {
            core: Mutex::new(Core::new(engine, kind)),
            loads: AtomicUsize::new(0),
            job_definition_reads: AtomicUsize::new(0),
            loses_tenant_answer: AtomicBool::new(false),
        }
    }

    /// The next change of a tenant is made, and whoever asked for it does not hear of it.
    pub fn lose_tenant_answer(&self) {
        self.loses_tenant_answer.store(true, Ordering::SeqCst);
    }

    /// How many instances were asked for so far.
    pub fn loads(&self) -> usize {
        self.loads.load(Ordering::SeqCst)
    }

    /// How often single job definitions were read so far.
    pub fn job_definition_reads(&self) -> usize {
        self.job_definition_reads.load(Ordering::SeqCst)
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write<'a, T: Send + 'a, E: Send + 'a>(
        &'a self,
        work: impl FnOnce(&mut Core) -> Result<T, E> + Send + 'a,
    ) -> Fut<'a, T, E> {
        Box::pin(async move { work(&mut self.core()) })
    }

    fn read<'a, T: Send + 'a>(&'a self, work: impl FnOnce(&Core) -> T + Send + 'a) -> Fut<'a, T> {
        Box::pin(async move {
            let core = self.core();
            core.open()?;
            Ok(work(&core))
        })
    }
}

impl Store for SimStore {
    fn join(&self, claim: Claim) -> Fut<'_, Lease> {
        self.write(move |core| core.join(&claim))
    }

    fn beat(&self, beat: Beat) -> Fut<'_, Pulse> {
        self.write(move |core| core.beat(&beat))
    }

    fn fence(&self, session: i64, beat: i64) -> Fut<'_, bool> {
        self.write(move |core| core.fence(session, beat))
    }

    fn leave(&self, lease: Lease) -> Fut<'_, ()> {
        self.write(move |core| core.leave(lease))
    }

    fn nodes(&self) -> Fut<'_, Vec<NodeRow>> {
        self.read(Core::nodes)
    }

    fn commit(&self, group: Arc<Group>) -> Fut<'_, Committed, CommitError> {
        self.write(move |core| core.commit(&group))
    }

    fn landed(&self, lease: Lease, lane: u8, id: i64) -> Fut<'_, bool> {
        self.write(move |core| core.landed(lease, lane, id))
    }

    fn load(&self, instances: Vec<InstanceKey>) -> Fut<'_, Vec<LoadedInstance>> {
        self.loads.fetch_add(instances.len(), Ordering::SeqCst);
        self.read(move |core| core.load(&instances))
    }

    fn acquire(&self, acquire: Acquire) -> Fut<'_, Vec<JobRow>> {
        self.write(move |core| core.acquire(&acquire))
    }

    fn due(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>> {
        self.write(move |core| core.due(now, limit))
    }

    fn due_for_workers(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>> {
        self.write(move |core| core.due_for_workers(now, limit))
    }

    fn expire(&self, now: Timestamp) -> Fut<'_, Vec<Arc<str>>> {
        self.write(move |core| core.expire(now))
    }

    fn release(&self, lease: Lease, jobs: Vec<(JobKey, i32)>) -> Fut<'_, ()> {
        self.write(move |core| core.release(lease, &jobs))
    }

    fn extend_lock(&self, extend: ExtendLock) -> Fut<'_, Extended> {
        self.write(move |core| core.extend_lock(extend))
    }

    fn job(&self, key: JobKey) -> Fut<'_, Option<JobRow>> {
        self.read(move |core| core.jobs.get(&key).cloned())
    }

    fn incident(&self, key: IncidentKey) -> Fut<'_, Option<IncidentRow>> {
        self.read(move |core| core.incidents.get(&key).cloned())
    }

    fn user_task(&self, key: UserTaskKey) -> Fut<'_, Option<UserTaskRow>> {
        self.read(move |core| core.user_tasks.get(&key).cloned())
    }

    fn instance_of(&self, scope: ElementInstanceKey) -> Fut<'_, Option<InstanceKey>> {
        self.read(move |core| core.instance_of(scope))
    }

    fn subscription(&self, key: SubscriptionKey) -> Fut<'_, Option<SubscriptionRow>> {
        self.read(move |core| core.subscriptions.get(&key).cloned())
    }

    fn subscriptions(&self, query: SubscriptionQuery) -> Fut<'_, Vec<SubscriptionRow>> {
        self.read(move |core| core.list_subscriptions(&query))
    }

    fn last_subscription(
        &self,
        kind: SubscriptionKind,
        name: Arc<str>,
    ) -> Fut<'_, Option<SubscriptionKey>> {
        self.read(move |core| core.last_subscription(kind, &name))
    }

    fn message(&self, key: MessageKey) -> Fut<'_, Option<MessageRow>> {
        self.read(move |core| core.messages.get(&key).cloned())
    }

    fn messages(&self, query: MessageQuery) -> Fut<'_, Vec<MessageRow>> {
        self.read(move |core| core.list_messages(&query))
    }

    fn fit(&self, channel: Channel, now: Timestamp) -> Fut<'_, Option<Fit>> {
        self.read(move |core| core.fit(&channel, now))
    }

    fn fits(&self, now: Timestamp, after: Option<MessageKey>, limit: u32) -> Fut<'_, Vec<Fit>> {
        self.read(move |core| core.list_fits(now, after, limit))
    }

    fn expire_messages(&self, now: Timestamp, limit: u32) -> Fut<'_, u32> {
        self.write(move |core| core.expire_messages(now, limit))
    }

    fn broadcasts(&self, limit: u32) -> Fut<'_, Vec<BroadcastRow>> {
        self.read(move |core| core.list_broadcasts(limit))
    }

    fn starts(&self, query: StartQuery) -> Fut<'_, Vec<StartRow>> {
        self.read(move |core| core.list_starts(&query))
    }

    fn called_instances(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<InstanceRow>> {
        self.read(move |core| core.list_called(by, page))
    }

    fn called_ended(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<EndedRow>> {
        self.read(move |core| core.list_called_ended(by, page))
    }

    fn deploy(&self, deployment: NewDeployment) -> Fut<'_, StoredDeployment> {
        self.write(move |core| core.deploy(&deployment))
    }

    fn definition(&self, key: DefinitionKey) -> Fut<'_, Option<DefinitionRow>> {
        self.read(move |core| core.definitions.get(&key).cloned())
    }

    fn find_definition(
        &self,
        process_id: ProcessId,
        tenant: TenantId,
        version: Option<i32>,
    ) -> Fut<'_, Option<DefinitionRow>> {
        self.read(move |core| core.find_definition(&process_id, &tenant, version).cloned())
    }

    fn decision(&self, key: DecisionKey) -> Fut<'_, Option<DecisionRow>> {
        self.read(move |core| core.decisions.get(&key).cloned())
    }

    fn find_decision(
        &self,
        decision_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<DecisionRow>> {
        self.read(move |core| core.find_decision(&decision_id, &tenant, &version).cloned())
    }

    fn find_asset(
        &self,
        kind: AssetKind,
        asset_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<AssetRow>> {
        self.read(move |core| core.find_asset(kind, &asset_id, &tenant, &version).cloned())
    }

    fn delete_file(&self, key: i64) -> Fut<'_, Option<i64>> {
        self.write(move |core| core.delete_file(key))
    }

    fn resource(&self, deployment: DeploymentKey, name: Arc<str>) -> Fut<'_, Option<Arc<[u8]>>> {
        self.read(move |core| core.resources.get(&(deployment, name)).cloned())
    }

    fn definitions(&self, filter: DefinitionFilter, page: Page) -> Fut<'_, Vec<DefinitionRow>> {
        self.read(move |core| core.list_definitions(&filter, page))
    }

    fn decisions(&self, page: Page) -> Fut<'_, Vec<DecisionRow>> {
        self.read(move |core| core.list_decisions(page))
    }

    fn assets(&self, page: Page) -> Fut<'_, Vec<AssetRow>> {
        self.read(move |core| core.list_assets(page))
    }

    fn instances(&self, filter: InstanceFilter, page: Page) -> Fut<'_, Vec<InstanceRow>> {
        self.read(move |core| core.list_instances(&filter, page))
    }

    fn ended(&self, filter: EndedFilter, page: Page) -> Fut<'_, Vec<EndedRow>> {
        self.read(move |core| core.list_ended(&filter, page))
    }

    fn ended_instance(&self, key: InstanceKey) -> Fut<'_, Option<EndedRow>> {
        self.read(move |core| core.ended.get(&key).cloned())
    }

    fn history(&self, instance: InstanceKey) -> Fut<'_, Vec<HistoryRow>> {
        self.read(move |core| core.list_history(instance))
    }

    fn jobs(&self, filter: JobFilter, page: Page) -> Fut<'_, Vec<JobRow>> {
        self.read(move |core| core.list_jobs(&filter, page))
    }

    fn incidents(&self, filter: IncidentFilter, page: Page) -> Fut<'_, Vec<IncidentRow>> {
        self.read(move |core| core.list_incidents(&filter, page))
    }

    fn user_tasks(&self, filter: UserTaskFilter, page: Page) -> Fut<'_, Vec<UserTaskRow>> {
        self.read(move |core| core.list_user_tasks(&filter, page))
    }

    fn describe_node(&self, lease: Lease, profile: NodeProfile) -> Fut<'_, i64> {
        self.write(move |core| core.describe_node(lease, profile))
    }

    fn settings(&self) -> Fut<'_, StoredSettings> {
        self.read(Core::stored_settings)
    }

    fn limits(&self) -> Fut<'_, Vec<LimitRow>> {
        self.read(Core::list_limits)
    }

    fn set_limit(&self, limit: NewLimit, now: Timestamp) -> Fut<'_, i64> {
        self.write(move |core| core.set_limit(limit, now))
    }

    fn delete_limit(&self, scope: LimitScope, name: Arc<str>) -> Fut<'_, Option<i64>> {
        self.write(move |core| core.delete_limit(scope, &name))
    }

    fn delete_definition(&self, delete: DeleteDefinition) -> Fut<'_, DefinitionDeleted> {
        self.write(move |core| core.delete_definition(&delete))
    }

    fn set_deployment_tenant(&self, set: SetTenant) -> Fut<'_, TenantSet> {
        self.write(move |core| {
            let answer = core.set_deployment_tenant(&set);
            match self.loses_tenant_answer.swap(false, Ordering::SeqCst) {
                true => Err(Error::Unavailable("connection closed".to_owned())),
                false => answer,
            }
        })
    }

    fn settle_deployment_tenant(
        &self,
        deployment: DeploymentKey,
        now: Timestamp,
        logs_chores: bool,
    ) -> Fut<'_, bool> {
        self.write(move |core| core.settle_deployment_tenant(deployment, now, logs_chores))
    }

    fn set_definition_suspended(
        &self,
        definitions: Vec<DefinitionKey>,
        suspended: bool,
    ) -> Fut<'_, Option<i64>> {
        self.write(move |core| core.suspend_definitions(&definitions, suspended))
    }

    fn job_definition(&self, key: JobDefinitionKey) -> Fut<'_, Option<JobDefinitionRow>> {
        self.job_definition_reads.fetch_add(1, Ordering::SeqCst);
        self.read(move |core| core.job_definitions.get(&key).cloned())
    }

    fn job_definitions(
        &self,
        filter: JobDefinitionFilter,
        page: Page,
    ) -> Fut<'_, Vec<JobDefinitionRow>> {
        self.read(move |core| core.list_job_definitions(&filter, page))
    }

    fn set_job_definition(
        &self,
        key: JobDefinitionKey,
        change: JobDefinitionChange,
    ) -> Fut<'_, Option<i64>> {
        self.write(move |core| core.set_job_definition(key, change))
    }

    fn count_instances(&self, filter: InstanceFilter) -> Fut<'_, u64> {
        self.read(move |core| core.count_instances(&filter))
    }

    fn count_jobs(&self, filter: JobFilter) -> Fut<'_, u64> {
        self.read(move |core| core.count_jobs(&filter))
    }

    fn count_job_definitions(&self, filter: JobDefinitionFilter) -> Fut<'_, u64> {
        self.read(move |core| core.count_job_definitions(&filter))
    }

    fn count_incidents(&self, filter: IncidentFilter) -> Fut<'_, u64> {
        self.read(move |core| core.count_incidents(&filter))
    }

    fn batch(&self, key: BatchKey) -> Fut<'_, Option<BatchRow>> {
        self.read(move |core| core.batches.get(&key).cloned())
    }

    fn batches(&self, filter: BatchFilter, page: Page) -> Fut<'_, Vec<BatchRow>> {
        self.read(move |core| core.list_batches(&filter, page))
    }

    fn ended_batches(&self, filter: BatchFilter, page: Page) -> Fut<'_, Vec<EndedBatchRow>> {
        self.read(move |core| core.list_ended_batches(&filter, page))
    }

    fn operations(&self, filter: OperationFilter, page: Page) -> Fut<'_, Vec<OperationRow>> {
        self.read(move |core| core.list_operations(&filter, page))
    }

    fn chore_log(&self, filter: ChoreLogFilter, page: Page) -> Fut<'_, Vec<ChoreLogRow>> {
        self.read(move |core| core.list_chore_log(&filter, page))
    }

    fn add_meters(&self, meters: Vec<MeterRow>) -> Fut<'_, ()> {
        self.write(move |core| core.add_meters(meters))
    }

    fn meters(&self, query: MeterQuery) -> Fut<'_, Vec<MeterSum>> {
        self.read(move |core| core.sum_meters(&query))
    }

    fn prune(&self, query: PruneQuery) -> Fut<'_, Pruned> {
        self.write(move |core| core.prune(&query))
    }

    fn set_removal(&self, instances: Vec<InstanceKey>, at: Option<Timestamp>) -> Fut<'_, u32> {
        self.write(move |core| core.set_removal(&instances, at))
    }

    fn set_batch_removal(&self, batches: Vec<BatchKey>, at: Option<Timestamp>) -> Fut<'_, u32> {
        self.write(move |core| core.set_batch_removal(&batches, at))
    }

    /// Hints may be lost: this store has nobody to tell. The simulation delivers notices itself.
    fn notify(&self, _notices: Vec<Notice>) -> Fut<'_, ()> {
        Box::pin(std::future::ready(Ok::<(), Error>(())))
    }

    fn listen(&self, _sink: Box<dyn Fn(Notice) + Send + Sync>) {}

    fn close(&self) -> Fut<'_, ()> {
        self.write(|core| {
            core.close();
            Ok(())
        })
    }
}
