//! A store that notes when each instance's last change was on disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use orloj::store::*;
use orloj::types::*;

/// Moments by instance. Shared between the nodes of one measurement.
pub type Moments = Arc<Mutex<HashMap<InstanceKey, Instant>>>;

pub struct Timed {
    inner: Arc<dyn Store>,
    committed: Moments,
}

impl Timed {
    pub fn new(inner: Arc<dyn Store>, committed: Moments) -> Self {
        Self { inner, committed }
    }
}

macro_rules! pass {
    ($(fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> Fut<'_, $out> {
            self.inner.$name($($arg),*)
        })*
    };
}

impl Store for Timed {
    fn commit(&self, group: Arc<Group>) -> Fut<'_, Committed, CommitError> {
        Box::pin(async move {
            let met = self.inner.commit(group.clone()).await?;
            let at = Instant::now();
            let mut committed = self.committed.lock().expect("no panic while it was held");
            for write in group.changes.iter().flat_map(|change| &change.instances) {
                committed.insert(write.key(), at);
            }
            Ok(met)
        })
    }

    fn prepare(&self, group: &Arc<Group>) {
        self.inner.prepare(group);
    }

    pass! {
        fn join(claim: Claim) -> Lease;
        fn beat(beat: Beat) -> Pulse;
        fn fence(session: i64, beat: i64) -> bool;
        fn leave(lease: Lease) -> ();
        fn nodes() -> Vec<NodeRow>;
        fn landed(lease: Lease, lane: u8, id: i64) -> bool;
        fn load(instances: Vec<InstanceKey>) -> Vec<LoadedInstance>;
        fn acquire(acquire: Acquire) -> Vec<JobRow>;
        fn due(now: Timestamp, limit: u32) -> Vec<JobRow>;
        fn due_for_workers(now: Timestamp, limit: u32) -> Vec<JobRow>;
        fn expire(now: Timestamp) -> Vec<Arc<str>>;
        fn release(lease: Lease, jobs: Vec<(JobKey, i32)>) -> ();
        fn extend_lock(extend: ExtendLock) -> Extended;
        fn job(key: JobKey) -> Option<JobRow>;
        fn incident(key: IncidentKey) -> Option<IncidentRow>;
        fn user_task(key: UserTaskKey) -> Option<UserTaskRow>;
        fn instance_of(scope: ElementInstanceKey) -> Option<InstanceKey>;
        fn subscription(key: SubscriptionKey) -> Option<SubscriptionRow>;
        fn subscriptions(query: SubscriptionQuery) -> Vec<SubscriptionRow>;
        fn last_subscription(kind: SubscriptionKind, name: Arc<str>) -> Option<SubscriptionKey>;
        fn message(key: MessageKey) -> Option<MessageRow>;
        fn messages(query: MessageQuery) -> Vec<MessageRow>;
        fn fit(channel: Channel, now: Timestamp) -> Option<Fit>;
        fn fits(now: Timestamp, after: Option<MessageKey>, limit: u32) -> Vec<Fit>;
        fn expire_messages(now: Timestamp, limit: u32) -> u32;
        fn broadcasts(limit: u32) -> Vec<BroadcastRow>;
        fn starts(query: StartQuery) -> Vec<StartRow>;
        fn called_instances(by: CalledBy, page: Page) -> Vec<InstanceRow>;
        fn called_ended(by: CalledBy, page: Page) -> Vec<EndedRow>;
        fn deploy(deployment: NewDeployment) -> StoredDeployment;
        fn definition(key: DefinitionKey) -> Option<DefinitionRow>;
        fn find_definition(process_id: ProcessId, tenant: TenantId, version: Option<i32>) -> Option<DefinitionRow>;
        fn decision(key: DecisionKey) -> Option<DecisionRow>;
        fn find_decision(decision_id: Arc<str>, tenant: TenantId, version: DecisionVersion) -> Option<DecisionRow>;
        fn find_asset(kind: AssetKind, asset_id: Arc<str>, tenant: TenantId, version: DecisionVersion) -> Option<AssetRow>;
        fn delete_file(key: i64) -> Option<i64>;
        fn resource(deployment: DeploymentKey, name: Arc<str>) -> Option<Arc<[u8]>>;
        fn definitions(filter: DefinitionFilter, page: Page) -> Vec<DefinitionRow>;
        fn decisions(page: Page) -> Vec<DecisionRow>;
        fn assets(page: Page) -> Vec<AssetRow>;
        fn instances(filter: InstanceFilter, page: Page) -> Vec<InstanceRow>;
        fn ended(filter: EndedFilter, page: Page) -> Vec<EndedRow>;
        fn ended_instance(key: InstanceKey) -> Option<EndedRow>;
        fn history(instance: InstanceKey) -> Vec<HistoryRow>;
        fn jobs(filter: JobFilter, page: Page) -> Vec<JobRow>;
        fn incidents(filter: IncidentFilter, page: Page) -> Vec<IncidentRow>;
        fn user_tasks(filter: UserTaskFilter, page: Page) -> Vec<UserTaskRow>;
        fn describe_node(lease: Lease, profile: NodeProfile) -> i64;
        fn limits() -> Vec<LimitRow>;
        fn set_limit(limit: NewLimit, now: Timestamp) -> i64;
        fn delete_limit(scope: LimitScope, name: Arc<str>) -> Option<i64>;
        fn set_definition_suspended(definitions: Vec<DefinitionKey>, suspended: bool) -> Option<i64>;
        fn job_definition(key: JobDefinitionKey) -> Option<JobDefinitionRow>;
        fn job_definitions(filter: JobDefinitionFilter, page: Page) -> Vec<JobDefinitionRow>;
        fn settings() -> StoredSettings;
        fn delete_definition(delete: DeleteDefinition) -> DefinitionDeleted;
        fn set_deployment_tenant(set: SetTenant) -> TenantSet;
        fn settle_deployment_tenant(deployment: DeploymentKey, now: Timestamp, logs_chores: bool) -> bool;
        fn set_job_definition(key: JobDefinitionKey, change: JobDefinitionChange) -> Option<i64>;
        fn count_instances(filter: InstanceFilter) -> u64;
        fn count_jobs(filter: JobFilter) -> u64;
        fn count_job_definitions(filter: JobDefinitionFilter) -> u64;
        fn count_incidents(filter: IncidentFilter) -> u64;
        fn batch(key: BatchKey) -> Option<BatchRow>;
        fn batches(filter: BatchFilter, page: Page) -> Vec<BatchRow>;
        fn ended_batches(filter: BatchFilter, page: Page) -> Vec<EndedBatchRow>;
        fn operations(filter: OperationFilter, page: Page) -> Vec<OperationRow>;
        fn chore_log(filter: ChoreLogFilter, page: Page) -> Vec<ChoreLogRow>;
        fn add_meters(meters: Vec<MeterRow>) -> ();
        fn meters(query: MeterQuery) -> Vec<MeterSum>;
        fn prune(query: PruneQuery) -> Pruned;
        fn set_removal(instances: Vec<InstanceKey>, at: Option<Timestamp>) -> u32;
        fn set_batch_removal(batches: Vec<BatchKey>, at: Option<Timestamp>) -> u32;
        fn notify(notices: Vec<Notice>) -> ();
        fn close() -> ();
    }

    fn listen(&self, sink: Box<dyn Fn(Notice) + Send + Sync>) {
        self.inner.listen(sink);
    }
}
