//! Jobs that are locked by the node which makes them, together with their instance: nearly all are
//! done with the next revision, and a store may keep them in a way of its own until then.

use std::sync::Arc;

use orloj_types::{DefinitionKey, InstanceKey, JobKey};
use thin_vec::{ThinVec, thin_vec};

use crate::suite::sample::{
    NOW, Node, delete, for_engine, group, insert, keys, load, session_locked, stored_job, update,
};
use crate::{
    Beat, Change, CommitError, ExtendLock, Extended, JobFilter, JobRow, JobState, JobUpdate,
    JobWrite, LockWrite, Migration, Page, Store,
};

const PAGE: Page = Page { before: None, limit: 99 };

fn begun(node: &Node, key: i64, instance: i64) -> JobRow {
    let instance = InstanceKey::new(instance);
    JobRow { instance, topic: "shop.Charge".into(), ..session_locked(key, node.lease.session) }
}

fn inserts(rows: impl IntoIterator<Item = JobRow>) -> ThinVec<JobWrite> {
    rows.into_iter().map(|row| JobWrite::Insert(Box::new(row))).collect()
}

fn gone(key: i64) -> JobWrite {
    JobWrite::Delete(JobKey::new(key))
}

fn failed(key: i64, lock: LockWrite) -> JobWrite {
    JobWrite::Update(JobUpdate {
        key: JobKey::new(key),
        state: JobState::Ready,
        retries_left: 2,
        priority: 7,
        due_at: None,
        failure: Some("no line".into()),
        failure_details: None,
        failed_element: None,
        lock,
    })
}

/// Instance 10 with job 11.
async fn begin(store: &Arc<dyn Store>, name: &str) -> Node {
    let mut node = Node::join(store, name).await;
    let jobs = inserts([begun(&node, 11, 10)]);
    node.write(Change { jobs, ..insert(10) }).await;
    node
}

async fn listed(store: &Arc<dyn Store>, filter: JobFilter) -> Vec<i64> {
    let rows = store.jobs(filter.clone(), PAGE).await.expect("jobs");
    assert_eq!(store.count_jobs(filter).await.expect("count"), rows.len() as u64);
    keys(&rows)
}

pub(super) async fn it_is_a_job_like_others(store: Arc<dyn Store>) {
    let mut node = begin(&store, "n").await;
    node.write_jobs([begun(&node, 9, 8), begun(&node, 12, 8)]).await;
    assert_eq!(stored_job(&store, 11).await, Some(begun(&node, 11, 10)));
    assert_eq!(listed(&store, JobFilter::default()).await, [12, 11, 9], "newest first");
    let page = Page { before: Some(12), limit: 1 };
    let next = store.jobs(JobFilter::default(), page).await.expect("jobs");
    assert_eq!(keys(&next), [11]);
    let of = |instance| JobFilter { instance: Some(instance), ..JobFilter::default() };
    assert_eq!(listed(&store, of(InstanceKey::new(10))).await, [11]);
    let locked = JobFilter {
        is_locked: Some(true),
        session: Some(node.lease.session),
        topic: Some("shop.Charge".into()),
        keys: vec![JobKey::new(9), JobKey::new(11)],
        ..JobFilter::default()
    };
    assert_eq!(listed(&store, locked).await, [11, 9]);
    let free = JobFilter { is_locked: Some(false), ..JobFilter::default() };
    assert_eq!(listed(&store, free).await, [] as [i64; 0]);
    assert_eq!(keys(&node.acquire(for_engine(), 9).await), [] as [i64; 0]);
    let element = begun(&node, 11, 10).element_instance;
    let instance = store.instance_of(element).await.expect("instance");
    assert!(instance.is_some_and(|key| [8, 10].contains(&key.raw())));
    let extend = ExtendLock { job: JobKey::new(11), until: NOW, now: NOW };
    assert_eq!(store.extend_lock(extend).await, Ok(Extended::NotLocked));
}

pub(super) async fn one_follows_another(store: Arc<dyn Store>) {
    let mut node = begin(&store, "n").await;
    for (rev, key) in (1..).zip(12..20) {
        let mut jobs = inserts([begun(&node, key, 10)]);
        jobs.push(gone(key - 1));
        node.write(Change { jobs, ..update(10, rev) }).await;
        assert_eq!(listed(&store, JobFilter::default()).await, [key]);
        assert_eq!(stored_job(&store, key).await, Some(begun(&node, key, 10)));
    }
    node.write(Change { jobs: thin_vec![gone(19)], ..update(10, 9) }).await;
    assert_eq!(listed(&store, JobFilter::default()).await, [] as [i64; 0]);
    let jobs = inserts([begun(&node, 20, 10)]);
    node.write(Change { jobs, ..update(10, 10) }).await;
    node.write(Change { jobs: thin_vec![gone(20)], ..delete(10, 11) }).await;
    assert_eq!(listed(&store, JobFilter::default()).await, [] as [i64; 0]);
    assert!(load(&store, 10).await.is_none());
}

pub(super) async fn several_in_groups_prepared_ahead(store: Arc<dyn Store>) {
    let node = begin(&store, "n").await;
    let group = |id, changes| group(node.lease, 0, id, changes);
    let step = |rev: i32, key: i64| {
        let mut jobs = inserts([begun(&node, key, 10), begun(&node, key + 100, 10)]);
        jobs.extend([gone(key - 1), gone(key + 99)]);
        Change { jobs, ..update(10, rev) }
    };
    let (lost, next) = (group(2, vec![step(1, 12), update(99, 1)]), group(3, vec![step(2, 13)]));
    store.prepare(&lost);
    store.prepare(&next);
    assert_eq!(store.commit(lost).await.map(drop), Err(CommitError::Conflicts(vec![1])));
    assert_eq!(listed(&store, JobFilter::default()).await, [11]);
    store.commit(group(4, vec![step(1, 12)])).await.expect("without the loser");
    assert_eq!(listed(&store, JobFilter::default()).await, [112, 12]);
    store.commit(group(5, vec![step(2, 13)])).await.expect("the next one");
    assert_eq!(listed(&store, JobFilter::default()).await, [113, 13]);
}

pub(super) async fn it_stays_while_its_instance_goes_on(store: Arc<dyn Store>) {
    let mut node = begin(&store, "n").await;
    node.write(update(10, 1)).await;
    let jobs = inserts([begun(&node, 12, 10), begun(&node, 13, 10)]);
    node.write(Change { jobs, ..update(10, 2) }).await;
    assert_eq!(listed(&store, JobFilter::default()).await, [13, 12, 11]);
    node.write(Change { jobs: thin_vec![gone(12)], ..update(10, 3) }).await;
    node.write(Change { jobs: thin_vec![gone(11)], ..update(10, 4) }).await;
    assert_eq!(listed(&store, JobFilter::default()).await, [13]);
    assert_eq!(stored_job(&store, 13).await, Some(begun(&node, 13, 10)));
}

pub(super) async fn one_that_fails_can_be_taken(store: Arc<dyn Store>) {
    let mut node = begin(&store, "n").await;
    node.write(Change { jobs: thin_vec![failed(11, LockWrite::Clear)], ..update(10, 1) }).await;
    let row = stored_job(&store, 11).await.expect("it exists");
    let expected = JobRow {
        retries_left: 2,
        priority: 7,
        failure: Some("no line".into()),
        lock_session: None,
        ..begun(&node, 11, 10)
    };
    assert_eq!(row, expected);
    assert_eq!(keys(&node.acquire(for_engine(), 9).await), [11]);
    node.write(Change { jobs: thin_vec![gone(11)], ..update(10, 2) }).await;
    assert_eq!(listed(&store, JobFilter::default()).await, [] as [i64; 0]);
}

/// The instance may have another revision then, so whoever had it reads it again.
pub(super) async fn one_that_is_given_back_can_be_taken(store: Arc<dyn Store>) {
    let mut node = begin(&store, "n").await;
    let give_back = |attempt| store.release(node.lease, vec![(JobKey::new(11), attempt)]);
    give_back(2).await.expect("release");
    assert_eq!(keys(&node.acquire(for_engine(), 9).await), [] as [i64; 0], "another attempt");
    give_back(1).await.expect("release");
    let row = stored_job(&store, 11).await.expect("it exists");
    assert_eq!(row, JobRow { lock_session: None, ..begun(&node, 11, 10) });
    assert_eq!(keys(&node.acquire(for_engine(), 9).await), [11]);
    let rev = load(&store, 10).await.expect("it lives").row.rev;
    let mut jobs = inserts([begun(&node, 12, 10)]);
    jobs.push(gone(11));
    node.write(Change { jobs, ..update(10, rev) }).await;
    assert_eq!(listed(&store, JobFilter::default()).await, [12]);
}

pub(super) async fn those_of_a_dead_node_can_be_taken(store: Arc<dyn Store>) {
    let mut node = begin(&store, "n").await;
    let jobs = inserts([begun(&node, 21, 20), begun(&node, 22, 20)]);
    node.write(Change { jobs, ..insert(20) }).await;
    node.write(update(10, 1)).await;
    // Nothing below the floor is held, as far as the node knows.
    let beat = Beat { long_held: vec![JobKey::new(11)], ..node.heartbeat(100) };
    let pulse = store.beat(beat).await.expect("beat");
    assert_eq!(pulse.listed, [JobKey::new(11)]);
    assert!(store.fence(node.lease.session, node.counter().await).await.expect("fence"));
    let mut other = Node::join(&store, "o").await;
    let mut taken = keys(&other.acquire(for_engine(), 9).await);
    taken.sort_unstable();
    assert!(taken.contains(&11) && taken.contains(&21), "{taken:?}");
    let rev = load(&store, 10).await.expect("it lives").row.rev;
    let mut jobs = inserts([begun(&other, 12, 10)]);
    jobs.push(gone(11));
    other.write(Change { jobs, ..update(10, rev) }).await;
    let of = JobFilter { instance: Some(InstanceKey::new(10)), ..JobFilter::default() };
    assert_eq!(listed(&store, of).await, [12]);
}

pub(super) async fn one_moves_to_another_definition(store: Arc<dyn Store>) {
    const OTHER: DefinitionKey = DefinitionKey::new(8);
    let mut node = begin(&store, "n").await;
    let migration = Migration {
        instance: InstanceKey::new(10),
        definition: OTHER,
        jobs: vec![(JobKey::new(11), "pay".into())],
        user_tasks: Vec::new(),
        incidents: Vec::new(),
    };
    node.write(Change { migrations: thin_vec![migration], ..update(10, 1) }).await;
    let moved = JobRow { definition: OTHER, element: "pay".into(), ..begun(&node, 11, 10) };
    assert_eq!(stored_job(&store, 11).await, Some(moved));
    node.write(Change { jobs: thin_vec![gone(11)], ..update(10, 2) }).await;
    assert_eq!(listed(&store, JobFilter::default()).await, [] as [i64; 0]);
}
