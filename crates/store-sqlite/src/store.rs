//! The contract, each call handed to the thread that does it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_channel::oneshot;
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
use rusqlite::Connection;

use crate::error::{closed, portable};
use crate::options::Options;
use crate::threads::Threads;
use crate::writer::Writer;
use crate::{
    acquire, assets, batches, chore_log, commit, decisions, definitions, event_queries, event_rows,
    events, job_queries, jobs, limits, meters, nodes, operations, prune, queries, rows, settings,
    tenants,
};

/// Clones share one store; the last one to go closes it.
#[derive(Clone)]
pub struct SqliteStore {
    threads: Arc<Threads>,
    engine: EngineName,
    is_open: Arc<AtomicBool>,
    /// How many engines use the file.
    engines: Arc<AtomicUsize>,
}

impl SqliteStore {
    /// Opens, creates or migrates. Blocks.
    pub fn open(options: &Options) -> Result<Self, Error> {
        let threads = Arc::new(Threads::start(options)?);
        Ok(Self {
            threads,
            engine: options.engine.clone(),
            is_open: Arc::new(AtomicBool::new(true)),
            engines: Arc::new(AtomicUsize::new(1)),
        })
    }

    /// Another engine in the same file, of this process. Each is closed by itself; the file with the
    /// last of them.
    pub fn for_engine(&self, engine: EngineName) -> Self {
        self.engines.fetch_add(1, Ordering::SeqCst);
        Self { engine, is_open: Arc::new(AtomicBool::new(true)), ..self.clone() }
    }

    /// Runs on the writer's thread. Once begun it is done, also when the future is dropped.
    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Writer) -> Result<T, Error> + Send + 'static,
    ) -> Fut<'_, T> {
        let engine = self.engine.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            // A caller that is gone does not miss the answer.
            self.threads.write(Box::new(move |writer| {
                writer.seat(&engine);
                drop(answer.send(work(writer)));
            }))?;
            answered.await.unwrap_or_else(|_| Err(closed()))
        })
    }

    /// Runs on a reader's thread.
    fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &EngineName) -> rusqlite::Result<T> + Send + 'static,
    ) -> Fut<'_, T> {
        let engine = self.engine.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.threads.read(Box::new(move |connection| {
                drop(answer.send(work(connection, &engine).map_err(portable)));
            }))?;
            answered.await.unwrap_or_else(|_| Err(closed()))
        })
    }
}

impl Store for SqliteStore {
    fn join(&self, claim: Claim) -> Fut<'_, Lease> {
        self.write(move |writer| nodes::join(writer, &claim))
    }

    fn beat(&self, beat: Beat) -> Fut<'_, Pulse> {
        self.write(move |writer| nodes::beat(writer, &beat))
    }

    fn fence(&self, session: i64, beat: i64) -> Fut<'_, bool> {
        self.write(move |writer| nodes::fence(writer, session, beat))
    }

    fn leave(&self, lease: Lease) -> Fut<'_, ()> {
        self.write(move |writer| nodes::leave(writer, lease))
    }

    fn nodes(&self) -> Fut<'_, Vec<NodeRow>> {
        self.read(|connection, engine| nodes::nodes(connection, engine))
    }

    fn commit(&self, group: Arc<Group>) -> Fut<'_, Committed, CommitError> {
        let engine = self.engine.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.threads
                .write(Box::new(move |writer| {
                    writer.seat(&engine);
                    drop(answer.send(commit::commit(writer, &group)));
                }))
                .map_err(|error| CommitError::Unavailable(error.to_string()))?;
            // A task that was dropped unrun and one that panicked half way look the same.
            let lost = |_| Err(CommitError::Unknown("the writing thread has ended".to_owned()));
            answered.await.unwrap_or_else(lost)
        })
    }

    /// On the writer's thread, hence after every group sent before.
    fn landed(&self, lease: Lease, lane: u8, id: i64) -> Fut<'_, bool> {
        self.write(move |writer| commit::landed(writer, lease, lane, id))
    }

    fn load(&self, instances: Vec<InstanceKey>) -> Fut<'_, Vec<LoadedInstance>> {
        self.read(move |connection, _| queries::load(connection, &instances))
    }

    fn acquire(&self, wanted: Acquire) -> Fut<'_, Vec<JobRow>> {
        self.write(move |writer| acquire::acquire(writer, &wanted))
    }

    fn due(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>> {
        self.read(move |connection, engine| jobs::due(connection, engine, now, limit))
    }

    fn due_for_workers(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>> {
        self.read(move |connection, engine| jobs::due_for_workers(connection, engine, now, limit))
    }

    fn expire(&self, now: Timestamp) -> Fut<'_, Vec<Arc<str>>> {
        self.write(move |writer| jobs::expire(writer, now))
    }

    fn release(&self, lease: Lease, released: Vec<(JobKey, i32)>) -> Fut<'_, ()> {
        self.write(move |writer| jobs::release(writer, lease, &released))
    }

    fn extend_lock(&self, extend: ExtendLock) -> Fut<'_, Extended> {
        self.write(move |writer| jobs::extend_lock(writer, extend))
    }

    fn job(&self, key: JobKey) -> Fut<'_, Option<JobRow>> {
        self.read(move |connection, _| {
            queries::by_key(
                connection,
                include_str!("../queries/job_load.sql"),
                key.raw(),
                rows::job,
            )
        })
    }

    fn incident(&self, key: IncidentKey) -> Fut<'_, Option<IncidentRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/incident_load.sql");
            queries::by_key(connection, sql, key.raw(), rows::incident)
        })
    }

    fn user_task(&self, key: UserTaskKey) -> Fut<'_, Option<UserTaskRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/user_task_load.sql");
            queries::by_key(connection, sql, key.raw(), rows::user_task)
        })
    }

    fn instance_of(&self, scope: ElementInstanceKey) -> Fut<'_, Option<InstanceKey>> {
        self.read(move |connection, _| queries::instance_of(connection, scope))
    }

    fn subscription(&self, key: SubscriptionKey) -> Fut<'_, Option<SubscriptionRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/subscription_load.sql");
            queries::by_key(connection, sql, key.raw(), event_rows::subscription)
        })
    }

    fn subscriptions(&self, query: SubscriptionQuery) -> Fut<'_, Vec<SubscriptionRow>> {
        self.read(move |connection, _| event_queries::subscriptions(connection, &query))
    }

    fn last_subscription(
        &self,
        kind: SubscriptionKind,
        name: Arc<str>,
    ) -> Fut<'_, Option<SubscriptionKey>> {
        self.read(move |connection, engine| {
            event_queries::last_subscription(connection, engine, kind, &name)
        })
    }

    fn message(&self, key: MessageKey) -> Fut<'_, Option<MessageRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/message_load.sql");
            queries::by_key(connection, sql, key.raw(), event_rows::message)
        })
    }

    fn messages(&self, query: MessageQuery) -> Fut<'_, Vec<MessageRow>> {
        self.read(move |connection, _| event_queries::messages(connection, &query))
    }

    fn fit(&self, channel: Channel, now: Timestamp) -> Fut<'_, Option<Fit>> {
        self.read(move |connection, _| events::fit(connection, &channel, now))
    }

    fn fits(&self, now: Timestamp, after: Option<MessageKey>, limit: u32) -> Fut<'_, Vec<Fit>> {
        self.read(move |connection, engine| events::all_fits(connection, engine, now, after, limit))
    }

    fn expire_messages(&self, now: Timestamp, limit: u32) -> Fut<'_, u32> {
        self.write(move |writer| {
            let engine = writer.engine.clone();
            writer.write(|connection| {
                events::expire_messages(connection, &engine, now, limit).map_err(portable)
            })
        })
    }

    fn broadcasts(&self, limit: u32) -> Fut<'_, Vec<BroadcastRow>> {
        self.read(move |connection, engine| event_queries::broadcasts(connection, engine, limit))
    }

    fn starts(&self, query: StartQuery) -> Fut<'_, Vec<StartRow>> {
        self.read(move |connection, _| event_queries::starts(connection, &query))
    }

    fn called_instances(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<InstanceRow>> {
        self.read(move |connection, engine| {
            event_queries::called_instances(connection, engine, by, page)
        })
    }

    fn called_ended(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<EndedRow>> {
        self.read(move |connection, engine| {
            event_queries::called_ended(connection, engine, by, page)
        })
    }

    fn deploy(&self, deployment: NewDeployment) -> Fut<'_, StoredDeployment> {
        self.write(move |writer| definitions::deploy(writer, &deployment))
    }

    fn definition(&self, key: DefinitionKey) -> Fut<'_, Option<DefinitionRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/definition_load.sql");
            queries::by_key(connection, sql, key.raw(), rows::definition)
        })
    }

    fn find_definition(
        &self,
        process_id: ProcessId,
        tenant: TenantId,
        version: Option<i32>,
    ) -> Fut<'_, Option<DefinitionRow>> {
        self.read(move |connection, engine| {
            definitions::find(connection, engine, &process_id, &tenant, version)
        })
    }

    fn decision(&self, key: DecisionKey) -> Fut<'_, Option<DecisionRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/decision_load.sql");
            queries::by_key(connection, sql, key.0, rows::decision)
        })
    }

    fn find_decision(
        &self,
        decision_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<DecisionRow>> {
        self.read(move |connection, engine| {
            decisions::find(connection, engine, &decision_id, &tenant, &version)
        })
    }

    fn find_asset(
        &self,
        kind: AssetKind,
        asset_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<AssetRow>> {
        self.read(move |connection, engine| {
            assets::find(connection, engine, kind, &asset_id, &tenant, &version)
        })
    }

    fn delete_file(&self, key: i64) -> Fut<'_, Option<i64>> {
        let engine = self.engine.clone();
        self.write(move |writer| assets::delete_file(writer, &engine, key))
    }

    fn resource(&self, deployment: DeploymentKey, name: Arc<str>) -> Fut<'_, Option<Arc<[u8]>>> {
        self.read(move |connection, _| definitions::resource(connection, deployment, &name))
    }

    fn definitions(&self, filter: DefinitionFilter, page: Page) -> Fut<'_, Vec<DefinitionRow>> {
        self.read(move |connection, engine| queries::definitions(connection, engine, &filter, page))
    }

    fn decisions(&self, page: Page) -> Fut<'_, Vec<DecisionRow>> {
        self.read(move |connection, engine| decisions::list(connection, engine, page))
    }

    fn assets(&self, page: Page) -> Fut<'_, Vec<AssetRow>> {
        self.read(move |connection, engine| assets::list(connection, engine, page))
    }

    fn instances(&self, filter: InstanceFilter, page: Page) -> Fut<'_, Vec<InstanceRow>> {
        self.read(move |connection, engine| queries::instances(connection, engine, &filter, page))
    }

    fn ended(&self, filter: EndedFilter, page: Page) -> Fut<'_, Vec<EndedRow>> {
        self.read(move |connection, engine| queries::ended(connection, engine, &filter, page))
    }

    fn ended_instance(&self, key: InstanceKey) -> Fut<'_, Option<EndedRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/ended_load.sql");
            queries::by_key(connection, sql, key.raw(), rows::ended)
        })
    }

    fn history(&self, instance: InstanceKey) -> Fut<'_, Vec<HistoryRow>> {
        self.read(move |connection, _| queries::history(connection, instance))
    }

    fn jobs(&self, filter: JobFilter, page: Page) -> Fut<'_, Vec<JobRow>> {
        self.read(move |connection, engine| job_queries::jobs(connection, engine, &filter, page))
    }

    fn incidents(&self, filter: IncidentFilter, page: Page) -> Fut<'_, Vec<IncidentRow>> {
        self.read(move |connection, engine| queries::incidents(connection, engine, &filter, page))
    }

    fn user_tasks(&self, filter: UserTaskFilter, page: Page) -> Fut<'_, Vec<UserTaskRow>> {
        self.read(move |connection, engine| queries::user_tasks(connection, engine, &filter, page))
    }

    fn describe_node(&self, lease: Lease, profile: NodeProfile) -> Fut<'_, i64> {
        self.write(move |writer| settings::describe_node(writer, lease, &profile))
    }

    fn settings(&self) -> Fut<'_, StoredSettings> {
        self.read(move |connection, engine| settings::stored(connection, engine))
    }

    fn limits(&self) -> Fut<'_, Vec<LimitRow>> {
        self.read(move |connection, engine| limits::all(connection, engine))
    }

    fn set_limit(&self, limit: NewLimit, now: Timestamp) -> Fut<'_, i64> {
        self.write(move |writer| {
            limit.check()?;
            limits::set(writer, limit, now)
        })
    }

    fn delete_limit(&self, scope: LimitScope, name: Arc<str>) -> Fut<'_, Option<i64>> {
        self.write(move |writer| limits::delete(writer, scope, &name))
    }

    fn delete_definition(&self, delete: DeleteDefinition) -> Fut<'_, DefinitionDeleted> {
        self.write(move |writer| definitions::delete(writer, &delete))
    }

    fn set_deployment_tenant(&self, set: SetTenant) -> Fut<'_, TenantSet> {
        self.write(move |writer| tenants::set(writer, &set))
    }

    fn settle_deployment_tenant(
        &self,
        deployment: DeploymentKey,
        now: Timestamp,
        logs_chores: bool,
    ) -> Fut<'_, bool> {
        self.write(move |writer| tenants::settle(writer, deployment, now, logs_chores))
    }

    fn set_definition_suspended(
        &self,
        definitions: Vec<DefinitionKey>,
        suspended: bool,
    ) -> Fut<'_, Option<i64>> {
        self.write(move |writer| settings::suspend_definitions(writer, &definitions, suspended))
    }

    fn job_definition(&self, key: JobDefinitionKey) -> Fut<'_, Option<JobDefinitionRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/job_definition_load.sql");
            queries::by_key(connection, sql, key.raw(), settings::job_definition)
        })
    }

    fn job_definitions(
        &self,
        filter: JobDefinitionFilter,
        page: Page,
    ) -> Fut<'_, Vec<JobDefinitionRow>> {
        self.read(move |connection, engine| {
            settings::job_definitions(connection, engine, &filter, page)
        })
    }

    fn set_job_definition(
        &self,
        key: JobDefinitionKey,
        change: JobDefinitionChange,
    ) -> Fut<'_, Option<i64>> {
        self.write(move |writer| settings::set_job_definition(writer, key, change))
    }

    fn count_instances(&self, filter: InstanceFilter) -> Fut<'_, u64> {
        self.read(move |connection, engine| queries::count_instances(connection, engine, &filter))
    }

    fn count_jobs(&self, filter: JobFilter) -> Fut<'_, u64> {
        self.read(move |connection, engine| job_queries::count(connection, engine, &filter))
    }

    fn count_job_definitions(&self, filter: JobDefinitionFilter) -> Fut<'_, u64> {
        self.read(move |connection, engine| {
            settings::count_job_definitions(connection, engine, &filter)
        })
    }

    fn count_incidents(&self, filter: IncidentFilter) -> Fut<'_, u64> {
        self.read(move |connection, engine| queries::count_incidents(connection, engine, &filter))
    }

    fn batch(&self, key: BatchKey) -> Fut<'_, Option<BatchRow>> {
        self.read(move |connection, _| {
            let sql = include_str!("../queries/batch_load.sql");
            queries::by_key(connection, sql, key.raw(), batches::batch)
        })
    }

    fn batches(&self, filter: BatchFilter, page: Page) -> Fut<'_, Vec<BatchRow>> {
        self.read(move |connection, engine| batches::list(connection, engine, &filter, page))
    }

    fn ended_batches(&self, filter: BatchFilter, page: Page) -> Fut<'_, Vec<EndedBatchRow>> {
        self.read(move |connection, engine| batches::list_ended(connection, engine, &filter, page))
    }

    fn operations(&self, filter: OperationFilter, page: Page) -> Fut<'_, Vec<OperationRow>> {
        self.read(move |connection, engine| operations::list(connection, engine, &filter, page))
    }

    fn chore_log(&self, filter: ChoreLogFilter, page: Page) -> Fut<'_, Vec<ChoreLogRow>> {
        self.read(move |connection, engine| chore_log::list(connection, engine, &filter, page))
    }

    fn add_meters(&self, added: Vec<MeterRow>) -> Fut<'_, ()> {
        self.write(move |writer| meters::add(writer, &added))
    }

    fn meters(&self, query: MeterQuery) -> Fut<'_, Vec<MeterSum>> {
        self.read(move |connection, engine| meters::sums(connection, engine, &query))
    }

    fn prune(&self, query: PruneQuery) -> Fut<'_, Pruned> {
        self.write(move |writer| prune::prune(writer, &query))
    }

    fn set_removal(&self, instances: Vec<InstanceKey>, at: Option<Timestamp>) -> Fut<'_, u32> {
        self.write(move |writer| prune::set_removal(writer, &instances, at))
    }

    fn set_batch_removal(&self, batches: Vec<BatchKey>, at: Option<Timestamp>) -> Fut<'_, u32> {
        self.write(move |writer| prune::set_batch_removal(writer, &batches, at))
    }

    /// The file has one owner: there is no other node to tell.
    fn notify(&self, _notices: Vec<Notice>) -> Fut<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// No other node will ever say anything.
    fn listen(&self, _sink: Box<dyn Fn(Notice) + Send + Sync>) {}

    fn close(&self) -> Fut<'_, ()> {
        Box::pin(async move {
            let left = match self.is_open.swap(false, Ordering::SeqCst) {
                true => self.engines.fetch_sub(1, Ordering::SeqCst) - 1,
                false => self.engines.load(Ordering::SeqCst),
            };
            if left > 0 {
                return Ok(());
            }
            self.threads.close();
            let ended = self.threads.ending().subscribe();
            ended.await.unwrap_or_else(|_| Err(closed()))
        })
    }
}
