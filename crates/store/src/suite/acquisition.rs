//! Acquisition: which jobs, in which order, and what it leaves in their rows.

use std::sync::Arc;

use orloj_types::{EngineName, InstanceKey, JobKey, Timestamp};
use thin_vec::thin_vec;

use crate::format::decode_activations;
use crate::suite::sample::{
    NOW, Node, after, engine_job, for_engine, for_worker, instance, job, keys, session_locked,
    stored_job, timer, worker_locked,
};
use crate::{
    Change, InstanceRow, InstanceWrite, JobKind, JobRow, JobState, LimitScope, NewLimit, Selection,
    Store, Wanted,
};

pub(super) async fn jobs_come_by_priority_then_key(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let with = |key, priority| JobRow { priority, ..job(key) };
    node.write_jobs([with(1, 0), with(2, 50), with(3, -7), with(4, 50), with(5, 0)]).await;
    node.write_jobs([with(6, i64::MAX), with(7, i64::MIN), with(8, 50)]).await;
    assert_eq!(keys(&node.acquire(for_worker("pay"), 3).await), [6, 2, 4]);
    assert_eq!(keys(&node.acquire(for_worker("pay"), 100).await), [8, 1, 5, 3, 7]);

    let with = |key, priority| JobRow { priority, ..engine_job(key) };
    node.write_jobs([with(11, 1), with(12, 3), with(13, 2), with(14, 3)]).await;
    assert_eq!(keys(&node.acquire(for_engine(), 1).await), [12]);
    assert_eq!(keys(&node.acquire(for_engine(), 100).await), [14, 13, 11]);
}

pub(super) async fn the_limit_holds(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs((1..=5).map(job)).await;
    assert_eq!(node.acquire(for_worker("pay"), 0).await, []);
    assert_eq!(keys(&node.acquire(for_worker("pay"), 2).await), [1, 2]);
    assert_eq!(keys(&node.acquire(for_worker("pay"), 2).await), [3, 4]);
    assert_eq!(keys(&node.acquire(for_worker("pay"), 2).await), [5]);
    assert_eq!(node.acquire(for_worker("pay"), 2).await, []);
}

pub(super) async fn only_the_wanted_type_is_taken(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key, job_type: &str| JobRow { job_type: job_type.into(), ..job(key) };
    node.write_jobs([of(1, "pay"), of(2, "ship"), of(3, "Pay"), of(4, "pay ")]).await;
    // Typed as the empty text by its author: a worker's all the same.
    node.write_jobs([of(5, ""), engine_job(6)]).await;
    assert_eq!(keys(&node.acquire(for_worker("pay"), 10).await), [1]);
    assert_eq!(keys(&node.acquire(for_worker("Pay"), 10).await), [3]);
    assert_eq!(node.acquire(for_worker("unknown"), 10).await, []);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [6]);
}

pub(super) async fn listeners_are_for_workers_and_completions_for_the_engine(
    store: Arc<dyn Store>,
) {
    let mut node = Node::join(&store, "n").await;
    let listener = |key, job_type: &str| JobRow {
        kind: JobKind::Listener,
        job_type: job_type.into(),
        ..job(key)
    };
    let completion = JobRow { kind: JobKind::AsyncComplete, ..engine_job(4) };
    node.write_jobs([job(1), listener(2, "pay"), listener(3, "")]).await;
    assert!(!node.beat(0).await.engine_jobs_ready);
    node.write_jobs([completion]).await;
    assert!(node.beat(0).await.engine_jobs_ready);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [4]);
    let taken = node.acquire(for_worker("pay"), 10).await;
    assert_eq!(keys(&taken), [1, 2]);
    assert_eq!(taken[1].kind, JobKind::Listener);
    assert_eq!(keys(&node.acquire(for_worker(""), 10).await), [3]);
}

pub(super) async fn only_ready_unlocked_jobs_are_taken(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let states = [
        JobState::Waiting,
        JobState::Parked,
        JobState::Failed,
        JobState::ErrorThrown,
        JobState::Suspended,
    ];
    node.write_jobs((1..).zip(states).map(|(key, state)| JobRow { state, ..job(key) })).await;
    node.write_jobs((11..).zip(states).map(|(key, state)| JobRow { state, ..engine_job(key) }))
        .await;
    node.write_jobs([timer(21, Timestamp::ZERO), session_locked(22, node.lease.session)]).await;
    // A lock that has run out is still a lock until it is expired.
    node.write_jobs([worker_locked(23, after(10)), worker_locked(24, Timestamp::ZERO)]).await;
    assert_eq!(node.acquire(for_worker("pay"), 100).await, []);
    assert_eq!(node.acquire(for_engine(), 100).await, []);
}

pub(super) async fn a_taken_job_is_not_taken_again(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([job(1), engine_job(2)]).await;
    assert_eq!(keys(&node.acquire(for_worker("pay"), 10).await), [1]);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [2]);
    assert_eq!(node.acquire(for_worker("pay"), 10).await, []);
    assert_eq!(node.acquire(for_engine(), 10).await, []);
}

pub(super) async fn the_engine_locks_for_its_session(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([JobRow { attempt: 4, ..engine_job(1) }]).await;
    let taken = node.acquire(for_engine(), 1).await;
    let locked = JobRow { attempt: 5, lock_session: Some(node.lease.session), ..engine_job(1) };
    assert_eq!(taken, std::slice::from_ref(&locked));
    assert_eq!(stored_job(&store, 1).await, Some(locked));
}

pub(super) async fn a_worker_locks_until_its_time_and_is_noted(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([job(1)]).await;
    for (attempt, worker) in [(1, "anna"), (2, "ben")] {
        let until = after(10 * i64::from(attempt));
        let wanted = Wanted::Worker { job_type: "pay".into(), worker: worker.into(), until };
        let taken = node.acquire(wanted, 1).await;
        assert_eq!(taken.len(), 1);
        assert_eq!(taken[0].lock_worker.as_deref(), Some(worker));
        assert_eq!((taken[0].lock_until, taken[0].attempt), (Some(until), attempt));
        assert_eq!(taken[0].lock_session, None);
        assert_eq!(stored_job(&store, 1).await.as_ref(), Some(&taken[0]));
        store.expire(until.plus_ms(1)).await.expect("expire");
    }
    let stored = stored_job(&store, 1).await.expect("it exists");
    let activations = decode_activations(&stored.activations).expect("activations");
    let noted: Vec<_> = activations.iter().map(|a| (a.worker.as_str(), a.at_ms)).collect();
    assert_eq!(noted, [("anna", NOW.as_ms()), ("ben", NOW.as_ms())]);
}

pub(super) async fn jobs_of_another_engine_are_left_alone(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let foreign = |row: JobRow| JobRow { engine: EngineName::new("another"), ..row };
    node.write_jobs([
        foreign(job(1)),
        foreign(engine_job(2)),
        foreign(timer(3, Timestamp::ZERO)),
        foreign(worker_locked(4, Timestamp::ZERO)),
    ])
    .await;
    assert_eq!(node.acquire(for_worker("pay"), 10).await, []);
    assert_eq!(node.acquire(for_engine(), 10).await, []);
    assert_eq!(store.due(NOW, 10).await, Ok(vec![]));
    assert_eq!(store.expire(NOW).await, Ok(vec![]));
    let pulse = node.beat(0).await;
    assert!(!pulse.engine_jobs_ready);
    assert_eq!(pulse.next_due_at, None);
    let kept = stored_job(&store, 4).await.expect("it exists");
    assert_eq!(kept.lock_until, Some(Timestamp::ZERO));
}

/// One that was stopped keeps its lock until whoever runs it is done; until then no exclusive job of
/// its instance begins.
pub(super) async fn nothing_exclusive_is_taken_beside_what_is_still_held(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key, instance| JobRow { instance: InstanceKey::new(instance), ..engine_job(key) };
    let stopped = |key, instance, state| JobRow {
        state,
        lock_session: Some(node.lease.session),
        attempt: 1,
        ..of(key, instance)
    };
    let rows = [
        stopped(1, 100, JobState::Suspended),
        of(2, 100),
        JobRow { exclusive: false, ..of(3, 100) },
        stopped(4, 200, JobState::Failed),
        of(5, 200),
        JobRow { exclusive: false, ..stopped(6, 300, JobState::Waiting) },
        of(7, 300),
        // Its run is over.
        JobRow { lock_session: None, ..stopped(8, 400, JobState::Suspended) },
        of(9, 400),
        // Jobs of no instance exclude each other in no way.
        stopped(10, 0, JobState::Waiting),
        of(11, 0),
    ];
    node.write_jobs(rows).await;
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [3, 7, 9, 11]);
    store.release(node.lease, vec![(JobKey::new(1), 1)]).await.expect("release");
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [2]);
    assert_eq!(store.fence(node.lease.session, node.counter().await).await, Ok(true));
    let next = Node::join(&store, "next").await;
    let taken = keys(&next.acquire(for_engine(), 10).await);
    assert_eq!(taken, [2, 3, 5, 7, 9, 11], "nobody who is gone holds anything");
}

/// With a limit in force candidates are looked at one by one, by the same rules.
pub(super) async fn what_is_still_held_counts_for_its_hierarchy(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let member = |key, root: Option<i64>| {
        let (caller, root) = (root.map(InstanceKey::new), root.map(InstanceKey::new));
        let row = InstanceRow { caller, root, ..instance(key) };
        Change { instances: thin_vec![InstanceWrite::Insert(row)], ..Change::default() }
    };
    let members =
        vec![member(100, None), member(101, Some(100)), member(102, Some(100)), member(200, None)];
    node.commit(members).await.expect("instances");
    let of = |key, instance| JobRow { instance: InstanceKey::new(instance), ..engine_job(key) };
    let state = JobState::Suspended;
    let held = JobRow { state, lock_session: Some(node.lease.session), attempt: 1, ..of(1, 101) };
    node.write_jobs([held, of(2, 102), of(3, 100), of(4, 200)]).await;
    let shared = || Wanted::Engine(Selection { over_hierarchies: true, ..Selection::default() });
    assert_eq!(keys(&node.acquire(shared(), 10).await), [4]);
    let (scope, name) = (LimitScope::Topic, "else".into());
    let limit = NewLimit { scope, name, max_concurrent: Some(1), rate: None };
    store.set_limit(limit, NOW).await.expect("limit");
    assert_eq!(keys(&node.acquire(shared(), 10).await), [0; 0]);
    assert_eq!(keys(&node.acquire(for_engine(), 1).await), [2], "other instances do not count");
    store.release(node.lease, vec![(JobKey::new(1), 1)]).await.expect("release");
    assert_eq!(keys(&node.acquire(shared(), 10).await), [3]);
}
