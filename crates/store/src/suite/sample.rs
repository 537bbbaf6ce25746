//! Rows and groups to write, and a node to write them as.

use std::sync::Arc;

use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, InstanceKey, JobKey, NodeNumber, TenantId,
    Timestamp,
};
use thin_vec::thin_vec;

use crate::suite::engine;
use crate::{
    Acquire, Beat, Change, Channel, Claim, CommitError, EndedRow, Fit, Group, IncidentRow,
    InstanceRow, InstanceWrite, JobKind, JobRow, JobState, JobWrite, Lease, LoadedInstance,
    MessageKey, MessageRow, NodeProfile, RecordPage, RecordPageKind, Selection, Store,
    SubscriptionKind, SubscriptionRow, UserTaskRow, VariableRow, Wanted,
};

pub(super) const NOW: Timestamp = Timestamp::from_ms(1_800_000_000_000);
pub(super) const DEFINITION: DefinitionKey = DefinitionKey::new(7);

pub(super) fn after(ms: i64) -> Timestamp {
    NOW.plus_ms(ms)
}

/// A node with one lane, which counts its groups.
pub(super) struct Node {
    pub store: Arc<dyn Store>,
    pub lease: Lease,
    group: i64,
}

impl Node {
    pub async fn join(store: &Arc<dyn Store>, name: &str) -> Self {
        let lease = store.join(claim(name)).await.expect("join");
        Self { store: Arc::clone(store), lease, group: 0 }
    }

    /// One that has joined.
    pub fn join_as(store: &Arc<dyn Store>, lease: Lease) -> Self {
        Self { store: Arc::clone(store), lease, group: 0 }
    }

    pub async fn delete_jobs(&mut self, keys: impl IntoIterator<Item = i64>) {
        let jobs = keys.into_iter().map(|key| JobWrite::Delete(JobKey::new(key))).collect();
        self.write(Change { jobs, ..Change::default() }).await;
    }

    pub async fn commit(&mut self, changes: Vec<Change>) -> Result<(), CommitError> {
        self.group += 1;
        self.store.commit(group(self.lease, 0, self.group, changes)).await.map(drop)
    }

    /// Commits one change that must apply; gives what fits because of it.
    pub async fn fits(&mut self, change: Change) -> Vec<Fit> {
        self.group += 1;
        let committed = self.store.commit(group(self.lease, 0, self.group, vec![change])).await;
        committed.expect("commit").fits
    }

    /// Commits one change that must apply.
    pub async fn write(&mut self, change: Change) {
        self.commit(vec![change]).await.expect("commit");
    }

    pub async fn write_jobs(&mut self, jobs: impl IntoIterator<Item = JobRow>) {
        let jobs = jobs.into_iter().map(|row| JobWrite::Insert(Box::new(row))).collect();
        self.write(Change { jobs, ..Change::default() }).await;
    }

    pub async fn acquire(&self, wanted: Wanted, limit: u32) -> Vec<JobRow> {
        self.try_acquire(wanted, limit).await.expect("acquire")
    }

    pub async fn try_acquire(
        &self,
        wanted: Wanted,
        limit: u32,
    ) -> Result<Vec<JobRow>, crate::Error> {
        self.store.acquire(Acquire { lease: self.lease, wanted, limit, now: NOW }).await
    }

    pub async fn beat(&self, lock_floor: i64) -> crate::Pulse {
        self.store.beat(self.heartbeat(lock_floor)).await.expect("beat")
    }

    pub fn heartbeat(&self, lock_floor: i64) -> Beat {
        let lock_floor = JobKey::new(lock_floor);
        let long_held = Vec::new();
        Beat {
            lease: self.lease,
            now: NOW,
            key_high: 1_000,
            lock_floor,
            long_held,
            settings_seen: 0,
        }
    }

    /// The counter this node stands at, as another one would see it.
    pub async fn counter(&self) -> i64 {
        let nodes = self.store.nodes().await.expect("nodes");
        let row = nodes.iter().find(|row| row.session == self.lease.session);
        row.expect("the node is listed").beat
    }
}

pub(super) fn claim(name: &str) -> Claim {
    let profile = NodeProfile::default();
    Claim { name: name.to_owned(), engine: engine(), lanes: 2, now: NOW, profile }
}

/// A lease that no store has given.
pub(super) fn foreign_lease(lease: Lease) -> Lease {
    Lease { node: NodeNumber(lease.node.0 + 1), session: lease.session + 1_000, keys_above: 0 }
}

pub(super) fn group(lease: Lease, lane: u8, id: i64, changes: Vec<Change>) -> Arc<Group> {
    Arc::new(Group { lease, lane, id, changes, now: NOW })
}

pub(super) fn instance(key: i64) -> InstanceRow {
    InstanceRow {
        key: InstanceKey::new(key),
        rev: 1,
        engine: engine(),
        tenant: TenantId::none(),
        definition: DEFINITION,
        business_key: Some("order 4711".into()),
        record: vec![1, 2, 3],
        events: vec![9],
        caller: None,
        root: None,
    }
}

pub(super) fn insert(key: i64) -> Change {
    Change { instances: thin_vec![InstanceWrite::Insert(instance(key))], ..Change::default() }
}

/// From `expected_rev` to the next one; the record tells the revision.
pub(super) fn update(key: i64, expected_rev: i32) -> Change {
    let rev = expected_rev + 1;
    let update = InstanceWrite::Update {
        key: InstanceKey::new(key),
        expected_rev,
        rev,
        record: rev.to_be_bytes().to_vec(),
        events: vec![8, 8],
    };
    Change { instances: thin_vec![update], ..Change::default() }
}

pub(super) fn delete(key: i64, expected_rev: i32) -> Change {
    let delete = InstanceWrite::Delete { key: InstanceKey::new(key), expected_rev };
    Change { instances: thin_vec![delete], ..Change::default() }
}

/// A worker job of type `pay`, ready and unlocked.
pub(super) fn job(key: i64) -> JobRow {
    JobRow {
        key: JobKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        instance: InstanceKey::new(1),
        definition: DEFINITION,
        element_instance: ElementInstanceKey::new(2),
        element: ElementId::new("task"),
        kind: JobKind::Worker,
        job_type: "pay".into(),
        state: JobState::Ready,
        retries_left: 3,
        priority: 0,
        exclusive: false,
        due_at: None,
        lock_session: None,
        lock_worker: None,
        lock_until: None,
        attempt: 0,
        activations: Vec::new(),
        failure: None,
        created_at: NOW,
        topic: "pay".into(),
        category: None,
        limit_key: None,
        batch: None,
        payload: None,
        failure_details: None,
        failed_element: None,
    }
}

/// A continuation, ready and unlocked.
pub(super) fn engine_job(key: i64) -> JobRow {
    let (job_type, topic) = ("".into(), "".into());
    JobRow { kind: JobKind::AsyncBefore, job_type, topic, exclusive: true, ..job(key) }
}

pub(super) fn timer(key: i64, due_at: Timestamp) -> JobRow {
    JobRow {
        kind: JobKind::Timer,
        state: JobState::Waiting,
        due_at: Some(due_at),
        ..engine_job(key)
    }
}

pub(super) fn worker_locked(key: i64, until: Timestamp) -> JobRow {
    JobRow { lock_worker: Some("anna".into()), lock_until: Some(until), attempt: 1, ..job(key) }
}

pub(super) fn session_locked(key: i64, session: i64) -> JobRow {
    JobRow { lock_session: Some(session), attempt: 1, ..engine_job(key) }
}

/// All of the engine's own, by priority.
pub(super) fn for_engine() -> Wanted {
    Wanted::Engine(Selection::default())
}

pub(super) fn for_worker(job_type: &str) -> Wanted {
    Wanted::Worker { job_type: job_type.into(), worker: "anna".into(), until: after(10_000) }
}

pub(super) fn variable(instance: i64, scope: i64, name: &str, value: &str) -> VariableRow {
    VariableRow {
        instance: InstanceKey::new(instance),
        scope: ElementInstanceKey::new(scope),
        name: name.into(),
        value: orloj_types::StoredValue::text(value),
        engine: engine(),
        tenant: TenantId::none(),
    }
}

pub(super) fn page(instance: i64, kind: RecordPageKind, first: i64, bytes: &[u8]) -> RecordPage {
    RecordPage {
        instance: InstanceKey::new(instance),
        kind,
        first: ElementInstanceKey::new(first),
        engine: engine(),
        tenant: TenantId::none(),
        bytes: bytes.to_vec(),
    }
}

pub(super) fn user_task(key: i64, instance: i64) -> UserTaskRow {
    UserTaskRow {
        key: orloj_types::UserTaskKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        instance: InstanceKey::new(instance),
        definition: DEFINITION,
        element_instance: ElementInstanceKey::new(key - 1),
        element: ElementId::new("approve"),
        name: Some("Approve".into()),
        assignee: None,
        candidate_groups: vec!["sales".into(), "back office".into()],
        candidate_users: Vec::new(),
        due_at: Some(after(5)),
        priority: 50,
        form_key: None,
        created_at: NOW,
    }
}

pub(super) fn incident(key: i64, instance: i64) -> IncidentRow {
    IncidentRow {
        key: orloj_types::IncidentKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        instance: InstanceKey::new(instance),
        definition: DEFINITION,
        element_instance: ElementInstanceKey::new(key - 1),
        element: ElementId::new("task"),
        job: Some(JobKey::new(key + 1)),
        kind: "JOB_NO_RETRIES".into(),
        message: "no retries left".into(),
        created_at: NOW,
        cause: orloj_types::IncidentKey::new(key),
        root_cause: orloj_types::IncidentKey::new(key),
        configuration: None,
        annotation: None,
    }
}

/// Of a message; `key` belongs to an element instance whose key is one less, of instance 10.
pub(super) fn subscription(key: i64, name: &str, correlation_key: Option<&str>) -> SubscriptionRow {
    SubscriptionRow {
        key: orloj_types::SubscriptionKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        instance: InstanceKey::new(10),
        definition: DEFINITION,
        element_instance: ElementInstanceKey::new(key - 1),
        event: ElementId::new("receive"),
        kind: SubscriptionKind::Message,
        name: name.into(),
        correlation_key: correlation_key.map(Into::into),
    }
}

pub(super) fn message(key: i64, name: &str, correlation_key: &str) -> MessageRow {
    MessageRow {
        key: MessageKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        name: name.into(),
        correlation_key: correlation_key.into(),
        message_id: None,
        variables: vec![4, 7, 11],
        expires_at: after(60_000),
    }
}

pub(super) fn channel(name: &str, correlation_key: &str) -> Channel {
    message(0, name, correlation_key).channel()
}

pub(super) fn ended(key: i64) -> EndedRow {
    EndedRow {
        key: InstanceKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        definition: DEFINITION,
        business_key: None,
        completed: true,
        started_at: NOW,
        ended_at: after(20),
        variables: vec![1],
        caller: None,
        root: None,
        removal_at: None,
    }
}

pub(super) async fn load(store: &Arc<dyn Store>, key: i64) -> Option<LoadedInstance> {
    let mut loaded = store.load(vec![InstanceKey::new(key)]).await.expect("load");
    assert!(loaded.len() <= 1, "one key was asked for");
    loaded.pop()
}

/// The revision of a live instance.
pub(super) async fn rev(store: &Arc<dyn Store>, key: i64) -> Option<i32> {
    load(store, key).await.map(|loaded| loaded.row.rev)
}

pub(super) async fn stored_job(store: &Arc<dyn Store>, key: i64) -> Option<JobRow> {
    store.job(JobKey::new(key)).await.expect("job")
}

pub(super) fn keys(jobs: &[JobRow]) -> Vec<i64> {
    jobs.iter().map(|job| job.key.raw()).collect()
}
