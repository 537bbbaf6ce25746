//! Locks of single jobs: released, extended, rewritten by a change.

use std::sync::Arc;

use orloj_types::{JobKey, Timestamp};

use crate::suite::sample::{
    NOW, Node, after, engine_job, for_engine, for_worker, foreign_lease, job, keys, session_locked,
    stored_job, worker_locked,
};
use crate::{
    Change, ExtendLock, Extended, JobRow, JobState, JobUpdate, JobWrite, LockWrite, Store,
};

pub(super) async fn a_release_needs_the_right_attempt(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let others = foreign_lease(node.lease).session;
    node.write_jobs([job(1), job(2), engine_job(3), engine_job(4), session_locked(5, others)])
        .await;
    node.acquire(for_worker("pay"), 10).await;
    node.acquire(for_engine(), 10).await;
    let released = [(1, 1), (2, 0), (3, 1), (4, 2), (5, 1), (99, 1)];
    let released = released.map(|(key, attempt)| (JobKey::new(key), attempt)).to_vec();
    store.release(node.lease, released).await.expect("release");

    let one = stored_job(&store, 1).await.expect("it exists");
    assert_eq!((&one.lock_worker, one.lock_until), (&None, None));
    assert_eq!((one.attempt, one.retries_left), (1, 3), "it costs no retry");
    assert!(stored_job(&store, 2).await.expect("it exists").lock_worker.is_some());
    assert_eq!(stored_job(&store, 3).await.expect("it exists").lock_session, None);
    let kept = stored_job(&store, 4).await.expect("it exists").lock_session;
    assert_eq!(kept, Some(node.lease.session));
    let kept = stored_job(&store, 5).await.expect("it exists").lock_session;
    assert_eq!(kept, Some(others), "another session's");
    assert_eq!(keys(&node.acquire(for_worker("pay"), 10).await), [1]);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [3]);
}

pub(super) async fn a_lock_is_extended_only_while_it_lasts(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([
        worker_locked(1, NOW),
        worker_locked(2, after(-1)),
        job(3),
        session_locked(4, node.lease.session),
    ])
    .await;
    let extend =
        |key, until| store.extend_lock(ExtendLock { job: JobKey::new(key), until, now: NOW });
    assert_eq!(extend(1, after(500)).await, Ok(Extended::Done), "it lasts through now");
    assert_eq!(stored_job(&store, 1).await, Some(worker_locked(1, after(500))));
    assert_eq!(extend(1, after(5)).await, Ok(Extended::Done), "it may become shorter");
    assert_eq!(stored_job(&store, 1).await, Some(worker_locked(1, after(5))));
    assert_eq!(node.beat(0).await.next_due_at, Some(after(-1)));

    for key in [2, 3, 4] {
        let before = stored_job(&store, key).await;
        assert_eq!(extend(key, after(500)).await, Ok(Extended::NotLocked), "job {key}");
        assert_eq!(stored_job(&store, key).await, before);
    }
    assert_eq!(extend(99, after(500)).await, Ok(Extended::NotFound));
}

pub(super) async fn an_update_may_keep_the_lock(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let locked = JobRow { activations: vec![7], ..worker_locked(1, after(5)) };
    let held = session_locked(2, node.lease.session);
    node.write_jobs([locked.clone(), held.clone()]).await;
    update_locks(&mut node, [(1, LockWrite::Keep), (2, LockWrite::Keep)]).await;
    assert_eq!(stored_job(&store, 1).await, Some(JobRow { retries_left: 9, ..locked }));
    assert_eq!(stored_job(&store, 2).await, Some(JobRow { retries_left: 9, ..held }));
}

pub(super) async fn an_update_may_clear_the_lock(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let locked = JobRow { activations: vec![7], ..worker_locked(1, after(5)) };
    node.write_jobs([locked, session_locked(2, node.lease.session)]).await;
    update_locks(&mut node, [(1, LockWrite::Clear), (2, LockWrite::Clear)]).await;
    let cleared = JobRow { retries_left: 9, attempt: 1, ..job(1) };
    assert_eq!(stored_job(&store, 1).await, Some(cleared), "attempts stay counted");
    let cleared = JobRow { retries_left: 9, attempt: 1, ..engine_job(2) };
    assert_eq!(stored_job(&store, 2).await, Some(cleared));
    assert_eq!(keys(&node.acquire(for_worker("pay"), 10).await), [1]);
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [2]);
    assert_eq!(node.beat(0).await.next_due_at, Some(after(10_000)), "only the lock just given");
}

pub(super) async fn an_update_may_lock_for_a_session(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let session = node.lease.session;
    node.write_jobs([JobRow { attempt: 4, ..engine_job(1) }, engine_job(2)]).await;
    update_locks(&mut node, [(1, LockWrite::Session(session))]).await;
    let locked =
        JobRow { retries_left: 9, attempt: 5, lock_session: Some(session), ..engine_job(1) };
    assert_eq!(stored_job(&store, 1).await, Some(locked));
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [2]);
}

pub(super) async fn an_update_may_lock_for_a_worker(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([JobRow { attempt: 4, activations: vec![7, 7], ..job(1) }]).await;
    let lock =
        LockWrite::Worker { worker: "ben".into(), until: after(5), activations: vec![6, 5, 4] };
    update_locks(&mut node, [(1, lock)]).await;
    let locked = JobRow {
        retries_left: 9,
        attempt: 5,
        lock_worker: Some("ben".into()),
        lock_until: Some(after(5)),
        activations: vec![6, 5, 4],
        ..job(1)
    };
    assert_eq!(stored_job(&store, 1).await, Some(locked));
    assert_eq!(node.acquire(for_worker("pay"), 10).await, []);
    assert_eq!(node.beat(0).await.next_due_at, Some(after(5)));
}

pub(super) async fn an_update_writes_what_an_instance_decides(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([job(1), job(2)]).await;
    let update = |key, state, due_at: Option<Timestamp>, failure: Option<&str>| {
        JobWrite::Update(JobUpdate {
            key: JobKey::new(key),
            state,
            retries_left: 0,
            priority: -3,
            due_at,
            failure: failure.map(Into::into),
            failure_details: None,
            failed_element: None,
            lock: LockWrite::Keep,
        })
    };
    let jobs = vec![
        update(1, JobState::Waiting, Some(after(50)), Some("disk full")),
        update(2, JobState::Failed, None, None),
    ];
    node.write(Change { jobs: jobs.into(), ..Change::default() }).await;
    let one = JobRow {
        state: JobState::Waiting,
        retries_left: 0,
        priority: -3,
        due_at: Some(after(50)),
        failure: Some("disk full".into()),
        ..job(1)
    };
    assert_eq!(stored_job(&store, 1).await, Some(one.clone()));
    assert_eq!(node.acquire(for_worker("pay"), 10).await, []);
    assert_eq!(store.due(after(50), 10).await, Ok(vec![one]));

    let jobs = vec![update(1, JobState::Ready, None, None)];
    node.write(Change { jobs: jobs.into(), ..Change::default() }).await;
    assert_eq!(store.due(after(50), 10).await, Ok(vec![]));
    let acquired = node.acquire(for_worker("pay"), 10).await;
    assert_eq!(keys(&acquired), [1]);
    assert_eq!(acquired[0].failure.as_deref(), Some("disk full"), "no new text keeps the old");
}

pub(super) async fn a_locked_job_can_be_deleted(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([worker_locked(1, after(5)), session_locked(2, node.lease.session)]).await;
    // A job that is not there was deleted by the same right.
    let jobs = [1, 2, 3].map(|key| JobWrite::Delete(JobKey::new(key))).to_vec();
    node.write(Change { jobs: jobs.into(), ..Change::default() }).await;
    assert_eq!(stored_job(&store, 1).await, None);
    assert_eq!(stored_job(&store, 2).await, None);
    assert_eq!(node.beat(0).await.next_due_at, None);
}

/// Updates ready jobs with nine retries left and these locks.
async fn update_locks<const N: usize>(node: &mut Node, locks: [(i64, LockWrite); N]) {
    let jobs = locks.into_iter().map(|(key, lock)| {
        JobWrite::Update(JobUpdate {
            key: JobKey::new(key),
            state: JobState::Ready,
            retries_left: 9,
            priority: 0,
            due_at: None,
            failure: None,
            failure_details: None,
            failed_element: None,
            lock,
        })
    });
    node.write(Change { jobs: jobs.collect(), ..Change::default() }).await;
}
