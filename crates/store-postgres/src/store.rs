#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio_postgres::Row;

use crate::at_hand::AtHand;
use crate::commit::{Epochs, Lane};
use crate::connector::Connector;
use crate::error::{is_lost, portable};
use crate::floor::Floor;
use crate::landed::Landed;
use crate::listen_address;
use crate::listener;
use crate::migrate::migrate;
use crate::options::Options;
use crate::pool::Pool;
use crate::sql::{RowTypes, Sql};
use crate::transaction::Params;

/// A statement that is not answered by then will not be.
const ANSWER_MAX: Duration = Duration::from_secs(30);

/// A database opened for one engine.
pub struct PostgresStore {
    shared: Arc<Shared>,
    listen_connector: Arc<Connector>,
    runtime: Handle,
    listeners: Mutex<Vec<AbortHandle>>,
}

/// What every call needs; its methods are spread over the files of their subjects.
pub(crate) struct Shared {
    pub engine: EngineName,
    pub schema: String,
    pub sql: Sql,
    pub types: RowTypes,
    pub connector: Arc<Connector>,
    pub lanes: Vec<Lane>,
    pub readers: Pool,
    /// The connection of heartbeats.
    pub pulse: Pool,
    pub epochs: Epochs,
    pub landed: Landed,
    pub floor: Floor,
    pub at_hand: AtHand,
    /// See [`Options::in_bulk`].
    pub in_bulk: bool,
    pub channel: String,
    /// Tells own notifications from those of others.
    pub sender: u64,
}

impl PostgresStore {
    /// Connects, and creates or migrates the schema. Needs a runtime that outlives the store: all
    /// connections but the committers' belong to it. A committer's belongs to the runtime of whoever
    /// commits first, and is opened again when that has ended.
    pub async fn connect(options: Options) -> Result<Self, Error> {
        options.check()?;
        let (url, listen_url) = listen_address::taken_from(&options.url)?;
        let connector = Arc::new(Connector::new(&url)?);
        let listen_connector = match &listen_url {
            Some(url) => Arc::new(Connector::new(url)?),
            None => Arc::clone(&connector),
        };
        let readers = Pool::new(Arc::clone(&connector), options.readers);
        migrate(&readers, &options.schema).await?;
        let types = RowTypes::load(&**readers.get().await?, &options.schema).await?;
        let shared = Arc::new(Shared {
            channel: channel(&options.schema, &options.engine),
            sender: RandomState::new().build_hasher().finish(),
            sql: Sql::new(&options.schema),
            types,
            lanes: (0..options.lanes).map(|_| Lane::default()).collect(),
            pulse: Pool::new(Arc::clone(&connector), 1),
            readers,
            connector,
            epochs: Epochs::default(),
            landed: Landed::default(),
            floor: Floor::default(),
            at_hand: AtHand::default(),
            in_bulk: options.in_bulk,
            engine: options.engine,
            schema: options.schema,
        });
        shared.make_schema_indexes().await?;
        Ok(Self {
            shared,
            listen_connector,
            runtime: Handle::current(),
            listeners: Mutex::default(),
        })
    }
}

impl Shared {
    pub fn lane(&self, number: u8) -> &Lane {
        &self.lanes[usize::from(number) % self.lanes.len()]
    }

    /// A statement that changes nothing; repeated when the connection turns out to be dead, as one
    /// that lay idle may be.
    pub async fn read(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>, Error> {
        match try_run(&self.readers, sql, params).await? {
            Err(error) if is_lost(&error) => self.run(&self.readers, sql, params).await,
            answer => answer.map_err(|e| portable(&e)),
        }
    }

    /// A statement that may have taken effect though its answer was lost.
    pub async fn write(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>, Error> {
        self.run(&self.readers, sql, params).await
    }

    pub async fn run(&self, pool: &Pool, sql: &str, params: Params<'_>) -> Result<Vec<Row>, Error> {
        try_run(pool, sql, params).await?.map_err(|e| portable(&e))
    }

    async fn close(&self) {
        self.connector.close();
        self.readers.close();
        self.pulse.close();
        for lane in &self.lanes {
            lane.close().await;
        }
    }
}

async fn try_run(
    pool: &Pool,
    sql: &str,
    params: Params<'_>,
) -> Result<Result<Vec<Row>, tokio_postgres::Error>, Error> {
    let mut connection = pool.get().await?;
    // Given up while it runs, a statement is not to hold up the next one on its connection.
    connection.dirty = true;
    let answer = tokio::time::timeout(ANSWER_MAX, connection.query_typed(sql, params)).await;
    let answer = answer
        .map_err(|_| Error::Unavailable(format!("no answer within {} s", ANSWER_MAX.as_secs())))?;
    connection.dirty = false;
    Ok(answer)
}

/// Names of channels have at most 63 bytes, those of schemas and engines any number; so a channel
/// is named by a hash (FNV-1a, which is the same on every node).
fn channel(schema: &str, engine: &EngineName) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in schema.bytes().chain([0]).chain(engine.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("orloj_{hash:016x}")
}

impl Store for PostgresStore {
    fn join(&self, claim: Claim) -> Fut<'_, Lease> {
        Box::pin(async move { self.shared.join(&claim).await })
    }

    fn beat(&self, beat: Beat) -> Fut<'_, Pulse> {
        Box::pin(self.shared.beat(beat))
    }

    fn fence(&self, session: i64, beat: i64) -> Fut<'_, bool> {
        Box::pin(self.shared.fence(session, beat))
    }

    fn leave(&self, lease: Lease) -> Fut<'_, ()> {
        Box::pin(self.shared.leave(lease))
    }

    fn nodes(&self) -> Fut<'_, Vec<NodeRow>> {
        Box::pin(self.shared.nodes())
    }

    fn commit(&self, group: Arc<Group>) -> Fut<'_, Committed, CommitError> {
        Box::pin(async move { self.shared.commit(&group).await })
    }

    fn prepare(&self, group: &Arc<Group>) {
        self.shared.prepare(group);
    }

    fn landed(&self, lease: Lease, lane: u8, id: i64) -> Fut<'_, bool> {
        Box::pin(self.shared.landed(lease, lane, id))
    }

    fn load(&self, instances: Vec<InstanceKey>) -> Fut<'_, Vec<LoadedInstance>> {
        Box::pin(async move { self.shared.load(&instances).await })
    }

    fn acquire(&self, acquire: Acquire) -> Fut<'_, Vec<JobRow>> {
        Box::pin(async move {
            // A server that hangs while its connection lives must not end acquisition for good.
            let taken = tokio::time::timeout(ANSWER_MAX, self.shared.acquire(&acquire)).await;
            let silent = || format!("no answer within {} s", ANSWER_MAX.as_secs());
            taken.unwrap_or_else(|_| Err(Error::Unavailable(silent())))
        })
    }

    fn due(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>> {
        Box::pin(self.shared.due(now, limit))
    }

    fn due_for_workers(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>> {
        Box::pin(self.shared.due_for_workers(now, limit))
    }

    fn expire(&self, now: Timestamp) -> Fut<'_, Vec<Arc<str>>> {
        Box::pin(self.shared.expire(now))
    }

    fn release(&self, lease: Lease, jobs: Vec<(JobKey, i32)>) -> Fut<'_, ()> {
        Box::pin(async move { self.shared.release(lease, &jobs).await })
    }

    fn extend_lock(&self, extend: ExtendLock) -> Fut<'_, Extended> {
        Box::pin(self.shared.extend_lock(extend))
    }

    fn job(&self, key: JobKey) -> Fut<'_, Option<JobRow>> {
        Box::pin(self.shared.job(key))
    }

    fn incident(&self, key: IncidentKey) -> Fut<'_, Option<IncidentRow>> {
        Box::pin(self.shared.incident(key))
    }

    fn user_task(&self, key: UserTaskKey) -> Fut<'_, Option<UserTaskRow>> {
        Box::pin(self.shared.user_task(key))
    }

    fn instance_of(&self, scope: ElementInstanceKey) -> Fut<'_, Option<InstanceKey>> {
        Box::pin(self.shared.instance_of(scope))
    }

    fn subscription(&self, key: SubscriptionKey) -> Fut<'_, Option<SubscriptionRow>> {
        Box::pin(self.shared.subscription(key))
    }

    fn subscriptions(&self, query: SubscriptionQuery) -> Fut<'_, Vec<SubscriptionRow>> {
        Box::pin(async move { self.shared.subscriptions(&query).await })
    }

    fn last_subscription(
        &self,
        kind: SubscriptionKind,
        name: Arc<str>,
    ) -> Fut<'_, Option<SubscriptionKey>> {
        Box::pin(async move { self.shared.last_subscription(kind, &name).await })
    }

    fn message(&self, key: MessageKey) -> Fut<'_, Option<MessageRow>> {
        Box::pin(self.shared.message(key))
    }

    fn messages(&self, query: MessageQuery) -> Fut<'_, Vec<MessageRow>> {
        Box::pin(async move { self.shared.messages(&query).await })
    }

    fn fit(&self, channel: Channel, now: Timestamp) -> Fut<'_, Option<Fit>> {
        Box::pin(async move { self.shared.fit(&channel, now).await })
    }

    fn fits(&self, now: Timestamp, after: Option<MessageKey>, limit: u32) -> Fut<'_, Vec<Fit>> {
        Box::pin(self.shared.fits(now, after, limit))
    }

    fn expire_messages(&self, now: Timestamp, limit: u32) -> Fut<'_, u32> {
        Box::pin(self.shared.expire_messages(now, limit))
    }

    fn broadcasts(&self, limit: u32) -> Fut<'_, Vec<BroadcastRow>> {
        Box::pin(self.shared.broadcasts(limit))
    }

    fn starts(&self, query: StartQuery) -> Fut<'_, Vec<StartRow>> {
        Box::pin(async move { self.shared.starts(&query).await })
    }

    fn called_instances(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<InstanceRow>> {
        Box::pin(self.shared.called_instances(by, page))
    }

    fn called_ended(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<EndedRow>> {
        Box::pin(self.shared.called_ended(by, page))
    }

    fn deploy(&self, deployment: NewDeployment) -> Fut<'_, StoredDeployment> {
        Box::pin(async move { self.shared.deploy(&deployment).await })
    }

    fn definition(&self, key: DefinitionKey) -> Fut<'_, Option<DefinitionRow>> {
        Box::pin(self.shared.definition(key))
    }

    fn find_definition(
        &self,
        process_id: ProcessId,
        tenant: TenantId,
        version: Option<i32>,
    ) -> Fut<'_, Option<DefinitionRow>> {
        Box::pin(async move { self.shared.find_definition(&process_id, &tenant, version).await })
    }

    fn decision(&self, key: DecisionKey) -> Fut<'_, Option<DecisionRow>> {
        Box::pin(self.shared.decision(key))
    }

    fn find_decision(
        &self,
        decision_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<DecisionRow>> {
        Box::pin(async move { self.shared.find_decision(&decision_id, &tenant, &version).await })
    }

    fn find_asset(
        &self,
        kind: AssetKind,
        asset_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<AssetRow>> {
        Box::pin(async move { self.shared.find_asset(kind, &asset_id, &tenant, &version).await })
    }

    fn delete_file(&self, key: i64) -> Fut<'_, Option<i64>> {
        Box::pin(self.shared.delete_file(key))
    }

    fn resource(&self, deployment: DeploymentKey, name: Arc<str>) -> Fut<'_, Option<Arc<[u8]>>> {
        Box::pin(async move { self.shared.resource(deployment, &name).await })
    }

    fn definitions(&self, filter: DefinitionFilter, page: Page) -> Fut<'_, Vec<DefinitionRow>> {
        Box::pin(async move { self.shared.definitions(&filter, page).await })
    }

    fn decisions(&self, page: Page) -> Fut<'_, Vec<DecisionRow>> {
        Box::pin(self.shared.decisions(page))
    }

    fn assets(&self, page: Page) -> Fut<'_, Vec<AssetRow>> {
        Box::pin(self.shared.assets(page))
    }

    fn instances(&self, filter: InstanceFilter, page: Page) -> Fut<'_, Vec<InstanceRow>> {
        Box::pin(async move { self.shared.instances(&filter, page).await })
    }

    fn ended(&self, filter: EndedFilter, page: Page) -> Fut<'_, Vec<EndedRow>> {
        Box::pin(async move { self.shared.ended(&filter, page).await })
    }

    fn ended_instance(&self, key: InstanceKey) -> Fut<'_, Option<EndedRow>> {
        Box::pin(self.shared.ended_instance(key))
    }

    fn history(&self, instance: InstanceKey) -> Fut<'_, Vec<HistoryRow>> {
        Box::pin(self.shared.history(instance))
    }

    fn jobs(&self, filter: JobFilter, page: Page) -> Fut<'_, Vec<JobRow>> {
        Box::pin(async move { self.shared.jobs(&filter, page).await })
    }

    fn incidents(&self, filter: IncidentFilter, page: Page) -> Fut<'_, Vec<IncidentRow>> {
        Box::pin(async move { self.shared.incidents(&filter, page).await })
    }

    fn user_tasks(&self, filter: UserTaskFilter, page: Page) -> Fut<'_, Vec<UserTaskRow>> {
        Box::pin(async move { self.shared.user_tasks(&filter, page).await })
    }

    fn describe_node(&self, lease: Lease, profile: NodeProfile) -> Fut<'_, i64> {
        Box::pin(async move { self.shared.describe_node(lease, &profile).await })
    }

    fn settings(&self) -> Fut<'_, StoredSettings> {
        Box::pin(self.shared.settings())
    }

    fn limits(&self) -> Fut<'_, Vec<LimitRow>> {
        Box::pin(self.shared.limits())
    }

    fn set_limit(&self, limit: NewLimit, now: Timestamp) -> Fut<'_, i64> {
        Box::pin(self.shared.set_limit(limit, now))
    }

    fn delete_limit(&self, scope: LimitScope, name: Arc<str>) -> Fut<'_, Option<i64>> {
        Box::pin(async move { self.shared.delete_limit(scope, &name).await })
    }

    fn delete_definition(&self, delete: DeleteDefinition) -> Fut<'_, DefinitionDeleted> {
        Box::pin(async move { self.shared.delete_definition(&delete).await })
    }

    fn set_deployment_tenant(&self, set: SetTenant) -> Fut<'_, TenantSet> {
        Box::pin(async move { self.shared.set_deployment_tenant(&set).await })
    }

    fn settle_deployment_tenant(
        &self,
        deployment: DeploymentKey,
        now: Timestamp,
        logs_chores: bool,
    ) -> Fut<'_, bool> {
        let settled = self.shared.settle_deployment_tenant(deployment, now, logs_chores);
        Box::pin(settled)
    }

    fn set_definition_suspended(
        &self,
        definitions: Vec<DefinitionKey>,
        suspended: bool,
    ) -> Fut<'_, Option<i64>> {
        Box::pin(async move { self.shared.suspend_definitions(&definitions, suspended).await })
    }

    fn job_definition(&self, key: JobDefinitionKey) -> Fut<'_, Option<JobDefinitionRow>> {
        Box::pin(self.shared.job_definition(key))
    }

    fn job_definitions(
        &self,
        filter: JobDefinitionFilter,
        page: Page,
    ) -> Fut<'_, Vec<JobDefinitionRow>> {
        Box::pin(async move { self.shared.job_definitions(&filter, page).await })
    }

    fn set_job_definition(
        &self,
        key: JobDefinitionKey,
        change: JobDefinitionChange,
    ) -> Fut<'_, Option<i64>> {
        Box::pin(self.shared.set_job_definition(key, change))
    }

    fn count_instances(&self, filter: InstanceFilter) -> Fut<'_, u64> {
        Box::pin(async move { self.shared.count_instances(&filter).await })
    }

    fn count_jobs(&self, filter: JobFilter) -> Fut<'_, u64> {
        Box::pin(async move { self.shared.count_jobs(&filter).await })
    }

    fn count_job_definitions(&self, filter: JobDefinitionFilter) -> Fut<'_, u64> {
        Box::pin(async move { self.shared.count_job_definitions(&filter).await })
    }

    fn count_incidents(&self, filter: IncidentFilter) -> Fut<'_, u64> {
        Box::pin(async move { self.shared.count_incidents(&filter).await })
    }

    fn batch(&self, key: BatchKey) -> Fut<'_, Option<BatchRow>> {
        Box::pin(self.shared.batch(key))
    }

    fn batches(&self, filter: BatchFilter, page: Page) -> Fut<'_, Vec<BatchRow>> {
        Box::pin(async move { self.shared.batches(&filter, page).await })
    }

    fn ended_batches(&self, filter: BatchFilter, page: Page) -> Fut<'_, Vec<EndedBatchRow>> {
        Box::pin(async move { self.shared.ended_batches(&filter, page).await })
    }

    fn operations(&self, filter: OperationFilter, page: Page) -> Fut<'_, Vec<OperationRow>> {
        Box::pin(async move { self.shared.operations(&filter, page).await })
    }

    fn chore_log(&self, filter: ChoreLogFilter, page: Page) -> Fut<'_, Vec<ChoreLogRow>> {
        Box::pin(async move { self.shared.chore_log(&filter, page).await })
    }

    fn add_meters(&self, meters: Vec<MeterRow>) -> Fut<'_, ()> {
        Box::pin(async move { self.shared.add_meters(&meters).await })
    }

    fn meters(&self, query: MeterQuery) -> Fut<'_, Vec<MeterSum>> {
        Box::pin(async move { self.shared.meters(&query).await })
    }

    fn prune(&self, query: PruneQuery) -> Fut<'_, Pruned> {
        Box::pin(async move { self.shared.prune(&query).await })
    }

    fn set_removal(&self, instances: Vec<InstanceKey>, at: Option<Timestamp>) -> Fut<'_, u32> {
        Box::pin(async move { self.shared.set_removal(&instances, at).await })
    }

    fn set_batch_removal(&self, batches: Vec<BatchKey>, at: Option<Timestamp>) -> Fut<'_, u32> {
        Box::pin(async move { self.shared.set_batch_removal(&batches, at).await })
    }

    fn notify(&self, notices: Vec<Notice>) -> Fut<'_, ()> {
        Box::pin(async move { self.shared.notify(&notices).await })
    }

    fn listen(&self, sink: Box<dyn Fn(Notice) + Send + Sync>) {
        let connector = Arc::clone(&self.listen_connector);
        let task = self.runtime.spawn(listener::run(Arc::clone(&self.shared), connector, sink));
        let mut listeners = self.listeners.lock().expect("nothing panics while it is held");
        listeners.push(task.abort_handle());
    }

    fn close(&self) -> Fut<'_, ()> {
        Box::pin(async move {
            let listeners = {
                let mut guard = self.listeners.lock().expect("nothing panics while it is held");
                std::mem::take(&mut *guard)
            };
            listeners.iter().for_each(AbortHandle::abort);
            self.shared.close().await;
            Ok(())
        })
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        let listeners = self.listeners.lock().map(|mut l| std::mem::take(&mut *l));
        listeners.unwrap_or_default().iter().for_each(AbortHandle::abort);
        self.shared.connector.close();
    }
}
