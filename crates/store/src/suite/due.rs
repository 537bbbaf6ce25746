//! Time: what becomes due and what runs out.

use std::sync::Arc;

use orloj_types::{JobKey, Timestamp};

use crate::suite::sample::{
    NOW, Node, after, for_worker, job, keys, session_locked, stored_job, timer, worker_locked,
};
use crate::{JobKind, JobRow, JobState, Store};

pub(super) async fn waiting_jobs_are_due_at_their_time_earliest_first(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let retry = JobRow { state: JobState::Waiting, due_at: Some(after(-1)), ..job(5) };
    node.write_jobs([timer(1, after(-2)), timer(2, NOW), timer(3, after(1)), timer(4, after(-3))])
        .await;
    node.write_jobs([retry.clone(), JobRow { due_at: Some(after(-9)), ..job(6) }]).await;
    node.write_jobs([JobRow { state: JobState::Failed, due_at: Some(after(-9)), ..job(7) }]).await;
    node.write_jobs([JobRow { state: JobState::Suspended, ..timer(8, after(-9)) }]).await;
    let due = store.due(NOW, 100).await.expect("due");
    assert_eq!(keys(&due), [4, 1, 5, 2]);
    assert_eq!(due[2], retry);
    assert_eq!(keys(&store.due(after(1), 100).await.expect("due")), [4, 1, 5, 2, 3]);
    assert_eq!(store.due(Timestamp::ZERO, 100).await, Ok(vec![]));
}

pub(super) async fn due_jobs_are_limited_and_not_locked(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([timer(1, after(-2)), timer(2, after(-3)), timer(3, after(-1))]).await;
    for _ in 0..2 {
        assert_eq!(keys(&store.due(NOW, 2).await.expect("due")), [2, 1]);
    }
    assert_eq!(stored_job(&store, 2).await, Some(timer(2, after(-3))));
    assert_eq!(store.due(NOW, 0).await, Ok(vec![]));
}

pub(super) async fn due_jobs_of_workers_do_not_stand_behind_timers(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let delayed =
        |key, kind, at| JobRow { kind, state: JobState::Waiting, due_at: Some(at), ..job(key) };
    node.write_jobs([timer(1, after(-9)), timer(2, after(-8)), timer(3, after(-7))]).await;
    node.write_jobs([
        delayed(4, JobKind::Worker, after(-2)),
        delayed(5, JobKind::Listener, after(-3)),
        delayed(6, JobKind::Worker, after(1)),
        delayed(7, JobKind::AsyncBefore, after(-6)),
        JobRow { state: JobState::Failed, ..delayed(8, JobKind::Worker, after(-5)) },
    ])
    .await;
    assert_eq!(keys(&store.due_for_workers(NOW, 9).await.expect("due")), [5, 4]);
    assert_eq!(keys(&store.due_for_workers(NOW, 1).await.expect("due")), [5]);
    assert_eq!(keys(&store.due(NOW, 9).await.expect("due")), [1, 2, 3, 7, 5, 4]);
}

pub(super) async fn only_locks_ended_before_now_expire(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key, job_type: &str, until| JobRow {
        job_type: job_type.into(),
        ..worker_locked(key, until)
    };
    node.write_jobs([
        of(1, "pay", after(-1)),
        of(2, "ship", Timestamp::ZERO),
        of(3, "bill", NOW),
        of(4, "bill", after(1)),
        of(5, "pay", after(-5)),
        session_locked(6, node.lease.session),
    ])
    .await;
    let mut types = store.expire(NOW).await.expect("expire");
    types.sort();
    types.dedup();
    assert_eq!(types, ["pay".into(), "ship".into()]);
    for key in [1, 2, 5] {
        let job = stored_job(&store, key).await.expect("it exists");
        assert_eq!((job.lock_worker, job.lock_until), (None, None));
        assert_eq!((job.attempt, job.retries_left), (1, 3), "it costs no retry");
    }
    assert_eq!(stored_job(&store, 3).await, Some(of(3, "bill", NOW)), "it lasts through now");
    assert_eq!(stored_job(&store, 4).await, Some(of(4, "bill", after(1))));
    let held = stored_job(&store, 6).await.expect("it exists").lock_session;
    assert_eq!(held, Some(node.lease.session), "a node's lock knows no time");
    assert_eq!(store.expire(NOW).await, Ok(vec![]), "nothing is left");
}

pub(super) async fn an_expired_job_can_be_taken_again(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([job(1)]).await;
    let first = node.acquire(for_worker("pay"), 1).await;
    let until = first[0].lock_until.expect("it is locked");
    assert_eq!(store.expire(until).await, Ok(vec![]));
    assert_eq!(store.expire(until.plus_ms(1)).await, Ok(vec!["pay".into()]));
    let second = node.acquire(for_worker("pay"), 1).await;
    assert_eq!(second[0].key, JobKey::new(1));
    assert_eq!(second[0].attempt, 2, "a late answer of the first can be told apart");
}
