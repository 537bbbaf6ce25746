//! Nodes: leases, beats and what being fenced takes away.

use std::sync::Arc;

use orloj_types::{JobKey, Timestamp};
use thin_vec::thin_vec;

use crate::suite::definitions;
use crate::suite::sample::{
    NOW, Node, after, claim, engine_job, for_engine, for_worker, foreign_lease, job, keys,
    session_locked, stored_job, timer, worker_locked,
};
use crate::{Beat, Change, Error, JobRow, JobState, JobUpdate, JobWrite, LockWrite, Store};

pub(super) async fn a_node_is_listed_until_it_leaves(store: Arc<dyn Store>) {
    assert_eq!(store.nodes().await, Ok(vec![]));
    let node = Node::join(&store, "anna").await;
    let listed = store.nodes().await.expect("nodes");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].name, "anna");
    assert_eq!((listed[0].node, listed[0].session), (node.lease.node, node.lease.session));
    assert_eq!(listed[0].seen_at, NOW);
    store.leave(node.lease).await.expect("leave");
    assert_eq!(store.nodes().await, Ok(vec![]));
}

pub(super) async fn a_node_is_fenced_only_at_the_counter_it_was_seen_at(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    let seen = node.counter().await;
    node.beat(0).await;
    assert!(node.counter().await > seen, "a beat raises the counter");
    assert_eq!(store.fence(node.lease.session, seen).await, Ok(false), "it has beaten since");
    let unknown = foreign_lease(node.lease).session;
    assert_eq!(store.fence(unknown, node.counter().await).await, Ok(false), "no such session");
    node.beat(0).await;
    assert_eq!(store.fence(node.lease.session, node.counter().await).await, Ok(true));
    assert_eq!(store.nodes().await, Ok(vec![]));
    assert_eq!(store.fence(node.lease.session, seen + 2).await, Ok(false), "it is gone already");
}

pub(super) async fn fencing_clears_exactly_the_locks_of_the_session(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let mine = node.lease.session;
    let others = foreign_lease(node.lease).session;
    node.write_jobs([
        session_locked(100, mine),
        session_locked(101, others),
        worker_locked(102, after(10)),
        JobRow { state: JobState::Waiting, due_at: Some(NOW), ..session_locked(103, mine) },
        engine_job(104),
    ])
    .await;
    assert_eq!(store.fence(mine, node.counter().await).await, Ok(true));
    let cleared = JobRow { lock_session: None, ..session_locked(100, mine) };
    assert_eq!(stored_job(&store, 100).await, Some(cleared), "nothing but the lock");
    assert_eq!(stored_job(&store, 101).await, Some(session_locked(101, others)));
    assert_eq!(stored_job(&store, 102).await, Some(worker_locked(102, after(10))));
    assert_eq!(stored_job(&store, 103).await.expect("it exists").lock_session, None);
    assert_eq!(stored_job(&store, 104).await, Some(engine_job(104)));
}

pub(super) async fn fencing_clears_what_was_acquired_below_the_floor(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([engine_job(50), engine_job(51), session_locked(500, node.lease.session)])
        .await;
    node.beat(400).await;
    assert_eq!(keys(&node.acquire(for_engine(), 10).await), [50, 51]);
    assert_eq!(store.fence(node.lease.session, node.counter().await).await, Ok(true));
    for key in [50, 51, 500] {
        assert_eq!(stored_job(&store, key).await.expect("it exists").lock_session, None);
    }
    let next = Node::join(&store, "next").await;
    let again = next.acquire(for_engine(), 10).await;
    assert_eq!(keys(&again), [50, 51, 500], "they can be taken at once");
    assert!(again.iter().all(|job| job.attempt == 2));
}

/// A timer that fires or a retry that is due is locked by a change, not by an acquisition, and
/// may be older than all the node holds.
pub(super) async fn fencing_clears_what_a_change_locked_below_the_floor(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let session = node.lease.session;
    node.write_jobs([timer(50, NOW)]).await;
    node.beat(400).await;
    let lock = JobUpdate {
        key: JobKey::new(50),
        state: JobState::Ready,
        retries_left: 3,
        priority: 0,
        due_at: None,
        failure: None,
        failure_details: None,
        failed_element: None,
        lock: LockWrite::Session(session),
    };
    node.write(Change { jobs: thin_vec![JobWrite::Update(lock)], ..Change::default() }).await;
    assert_eq!(stored_job(&store, 50).await.expect("it exists").lock_session, Some(session));
    assert_eq!(store.fence(session, node.counter().await).await, Ok(true));
    assert_eq!(stored_job(&store, 50).await.expect("it exists").lock_session, None);
}

/// A beat may be written after a lock of which nobody knew when it was made.
pub(super) async fn fencing_clears_what_was_locked_since_the_last_beat(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let session = node.lease.session;
    node.write_jobs([session_locked(10, session)]).await;
    node.beat(10).await;
    node.write_jobs([session_locked(20, session)]).await;
    node.beat(1_000).await;
    assert_eq!(store.fence(session, node.counter().await).await, Ok(true));
    assert_eq!(stored_job(&store, 20).await.expect("it exists").lock_session, None);
}

/// A job that is held for long does not keep the floor down: it is listed instead.
pub(super) async fn fencing_clears_what_was_held_for_long(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let (session, others) = (node.lease.session, foreign_lease(node.lease).session);
    let rows = [session_locked(50, session), session_locked(51, others), engine_job(52)];
    node.write_jobs(rows).await;
    let long_held = [50, 51, 52, 53].map(JobKey::new).to_vec();
    let beat = Beat { long_held, ..node.heartbeat(50) };
    let pulse = store.beat(beat).await.expect("beat");
    assert_eq!(pulse.listed, [JobKey::new(50)], "only what the session holds");
    for _ in 0..3 {
        node.beat(400).await;
    }
    node.write_jobs([session_locked(500, session)]).await;
    assert_eq!(store.fence(session, node.counter().await).await, Ok(true));
    for key in [50, 500] {
        assert_eq!(stored_job(&store, key).await.expect("it exists").lock_session, None);
    }
    assert_eq!(stored_job(&store, 51).await.expect("it exists").lock_session, Some(others));
}

pub(super) async fn leaving_clears_the_locks_and_may_be_repeated(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let others = foreign_lease(node.lease).session;
    node.write_jobs([engine_job(50), session_locked(500, node.lease.session)]).await;
    node.write_jobs([session_locked(501, others), worker_locked(502, after(10))]).await;
    node.beat(400).await;
    node.acquire(for_engine(), 10).await;
    store.leave(node.lease).await.expect("leave");
    store.leave(node.lease).await.expect("leave again");
    assert_eq!(stored_job(&store, 50).await.expect("it exists").lock_session, None);
    assert_eq!(stored_job(&store, 500).await.expect("it exists").lock_session, None);
    assert_eq!(stored_job(&store, 501).await.expect("it exists").lock_session, Some(others));
    assert_eq!(stored_job(&store, 502).await, Some(worker_locked(502, after(10))));
    assert_eq!(store.beat(node.heartbeat(0)).await, Err(Error::Fenced));
}

pub(super) async fn the_predecessor_of_the_same_name_is_fenced(store: Arc<dyn Store>) {
    let mut first = Node::join(&store, "n").await;
    first.write_jobs([engine_job(50), session_locked(500, first.lease.session)]).await;
    first.beat(400).await;
    first.acquire(for_engine(), 10).await;
    let second = Node::join(&store, "n").await;
    assert_ne!(first.lease.session, second.lease.session, "sessions are never reused");
    let listed = store.nodes().await.expect("nodes");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].session, second.lease.session);
    assert_eq!(store.beat(first.heartbeat(0)).await, Err(Error::Fenced));
    assert_eq!(keys(&second.acquire(for_engine(), 10).await), [50, 500]);
}

pub(super) async fn a_freed_number_continues_above_all_its_keys(store: Arc<dyn Store>) {
    let first = Node::join(&store, "n").await.lease;
    let earliest = JobKey::new(first.keys_above).made_at();
    assert!(earliest <= NOW, "nobody had the number before");
    let beat = |lease, key_high| Beat {
        lease,
        now: NOW,
        key_high,
        lock_floor: JobKey::new(0),
        long_held: Vec::new(),
        settings_seen: 0,
    };
    store.beat(beat(first, 5_000)).await.expect("beat");
    store.beat(beat(first, 9_000)).await.expect("beat");
    store.leave(first).await.expect("leave");

    let second = store.join(claim("other")).await.expect("join");
    assert_eq!(second.node, first.node, "the lowest free number");
    assert!(second.keys_above > 9_000, "keys above {}", second.keys_above);
    assert_ne!(second.session, first.session);

    // Also when the predecessor said less than the one before it, or died before its first beat:
    // it may have given keys all the same.
    store.beat(beat(second, 6_000)).await.expect("beat");
    let third = store.join(claim("other")).await.expect("join");
    assert!(third.keys_above > second.keys_above, "keys above {}", third.keys_above);
    let fourth = store.join(claim("other")).await.expect("join");
    assert!(fourth.keys_above > third.keys_above, "keys above {}", fourth.keys_above);
}

pub(super) async fn a_beat_tells_what_is_due_next(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    assert_eq!(node.beat(0).await.next_due_at, None);
    node.write_jobs([
        job(1),
        JobRow { state: JobState::Failed, due_at: Some(Timestamp::from_ms(1)), ..job(2) },
        timer(3, after(900)),
        timer(4, after(800)),
    ])
    .await;
    assert_eq!(node.beat(0).await.next_due_at, Some(after(800)));
    node.write_jobs([worker_locked(5, after(700)), worker_locked(6, after(750))]).await;
    assert_eq!(node.beat(0).await.next_due_at, Some(after(700)));
    let gone = [5, 6].map(|key| JobWrite::Delete(JobKey::new(key)));
    node.write(Change { jobs: gone.to_vec().into(), ..Change::default() }).await;
    assert_eq!(node.beat(0).await.next_due_at, Some(after(800)));
}

pub(super) async fn a_beat_tells_of_ready_engine_jobs(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([job(1), timer(2, after(1)), session_locked(3, node.lease.session)]).await;
    node.write_jobs([JobRow { state: JobState::Parked, ..engine_job(4) }]).await;
    assert!(!node.beat(0).await.engine_jobs_ready, "none is ready and unlocked");
    node.write_jobs([engine_job(5)]).await;
    assert!(node.beat(0).await.engine_jobs_ready);
    node.acquire(for_engine(), 1).await;
    assert!(!node.beat(0).await.engine_jobs_ready);
}

pub(super) async fn a_beat_tells_of_nodes_and_definitions(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    let before = node.counter().await;
    let pulse = node.beat(0).await;
    assert_eq!(pulse.newest_definition, 0);
    assert_eq!(pulse.nodes.len(), 1);
    assert_eq!(pulse.nodes[0].session, node.lease.session);
    assert_eq!(pulse.nodes[0].name, "n");
    assert_eq!(pulse.nodes[0].beat, before + 1, "after this beat");

    let later = Beat { now: after(500), ..node.heartbeat(0) };
    let pulse = store.beat(later).await.expect("beat");
    assert_eq!(pulse.nodes[0].seen_at, after(500));
    definitions::deploy(&store, 30, &[("order.bpmn", b"order", 31, "order")]).await;
    assert_eq!(node.beat(0).await.newest_definition, 31);
}

pub(super) async fn a_fenced_node_is_told_so(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([engine_job(50)]).await;
    assert_eq!(store.fence(node.lease.session, node.counter().await).await, Ok(true));
    assert_eq!(store.beat(node.heartbeat(0)).await, Err(Error::Fenced));
    assert_eq!(node.try_acquire(for_engine(), 1).await, Err(Error::Fenced));
    assert_eq!(stored_job(&store, 50).await, Some(engine_job(50)), "and locks nothing");
}

pub(super) async fn live_nodes_have_numbers_of_their_own(store: Arc<dyn Store>) {
    let first = Node::join(&store, "a").await.lease;
    let second = Node::join(&store, "b").await.lease;
    let third = Node::join(&store, "c").await.lease;
    assert_eq!([first.node.0, second.node.0, third.node.0], [0, 1, 2]);
    assert_eq!(store.nodes().await.expect("nodes").len(), 3);
    store.leave(second).await.expect("leave");
    let fourth = Node::join(&store, "d").await.lease;
    assert_eq!(fourth.node, second.node);
}

pub(super) async fn fencing_one_node_leaves_the_others(store: Arc<dyn Store>) {
    let mut dead = Node::join(&store, "dead").await;
    let mut alive = Node::join(&store, "alive").await;
    dead.write_jobs([session_locked(100, dead.lease.session), job(102)]).await;
    alive.write_jobs([session_locked(101, alive.lease.session)]).await;
    dead.acquire(for_worker("pay"), 1).await;
    assert_eq!(store.fence(dead.lease.session, dead.counter().await).await, Ok(true));
    assert_eq!(keys(&alive.acquire(for_engine(), 10).await), [100]);
    let kept = stored_job(&store, 101).await.expect("it exists").lock_session;
    assert_eq!(kept, Some(alive.lease.session));
    let kept = stored_job(&store, 102).await.expect("it exists").lock_worker;
    assert_eq!(kept.as_deref(), Some("anna"), "a worker's lock outlives the node that gave it");
    assert_eq!(alive.beat(0).await.nodes.len(), 1);
}

pub(super) async fn joining_fences_every_other_node(store: Arc<dyn Store>) {
    let mut first = Node::join(&store, "first").await;
    first.write_jobs([engine_job(50), session_locked(500, first.lease.session)]).await;
    first.beat(400).await;
    first.acquire(for_engine(), 10).await;
    let second = Node::join(&store, "second").await;
    let listed = store.nodes().await.expect("nodes");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].session, second.lease.session);
    assert_eq!(store.beat(first.heartbeat(0)).await, Err(Error::Fenced));
    assert_eq!(keys(&second.acquire(for_engine(), 10).await), [50, 500]);
}
