//! Several stores on one database.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{
    NOW, beat_of, client, engine_job, group, insert, join, open, update, with_database, with_job,
};
use orloj_store::{
    Acquire, CommitError, Error, JobRow, JobUpdate, JobWrite, LockWrite, Notice, Selection, Store,
    Wanted,
};
use orloj_store_postgres::PostgresStore;
use orloj_types::{InstanceKey, JobKey, NodeNumber};
use tokio::sync::mpsc;

#[tokio::test]
async fn stores_hear_each_other_and_not_themselves() {
    with_database(|url| async move {
        let (one, two) = (open(&url).await, open(&url).await);
        let mut heard_by_one = listening(&one, &two).await;
        let mut heard_by_two = listening(&two, &one).await;
        let ended = Notice::InstanceEnded { instance: InstanceKey::new(5), node: NodeNumber(3) };
        let types = vec!["pay out".into(), "".into()];
        let notices = vec![Notice::JobsReady { types }, Notice::DueAt(NOW), ended.clone()];
        one.notify(notices).await.expect("notify");
        two.notify(vec![Notice::Deployed]).await.expect("notify");
        assert_eq!(next(&mut heard_by_one).await, Notice::Deployed, "nothing of its own before");
        let expected = [
            Notice::JobsReady { types: vec!["pay out".into()] },
            Notice::JobsReady { types: vec!["".into()] },
            Notice::DueAt(NOW),
            ended,
        ];
        for notice in expected {
            assert_eq!(next(&mut heard_by_two).await, notice);
        }
    })
    .await;
}

#[tokio::test]
async fn listening_begins_again_when_the_connection_was_lost() {
    with_database(|url| async move {
        let (one, two) = (open(&url).await, open(&url).await);
        let mut heard = listening(&one, &two).await;
        let killer = client(&url).await;
        assert!(crate::common::terminate(&killer).await > 0);
        loop {
            // Unavailable at first: the connections it had are gone too.
            let _ = two.notify(vec![Notice::Deployed]).await;
            if let Ok(notice) = heard.try_recv() {
                assert_eq!(notice, Notice::Listening, "what came meanwhile was not heard");
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_fenced_node_commits_nothing_from_another_store() {
    with_database(|url| async move {
        let (dead, alive) = (open(&url).await, open(&url).await);
        let lease = join(&*dead, "dead").await;
        let lock = JobRow { lock_session: Some(lease.session), attempt: 1, ..engine_job(101) };
        dead.commit(group(lease, 0, 1, vec![with_job(insert(1), lock)])).await.expect("commit");
        let other = join(&*alive, "alive").await;
        assert_eq!(alive.fence(lease.session, 0).await, Ok(true));
        let late = dead.commit(group(lease, 0, 2, vec![update(1, 1)])).await;
        assert_eq!(late, Err(CommitError::Fenced));
        let acquire =
            Acquire { lease, wanted: Wanted::Engine(Selection::default()), limit: 5, now: NOW };
        assert_eq!(dead.acquire(acquire).await, Err(Error::Fenced));
        let acquire = Acquire {
            lease: other,
            wanted: Wanted::Engine(Selection::default()),
            limit: 5,
            now: NOW,
        };
        assert_eq!(alive.acquire(acquire).await.expect("acquire").len(), 1, "its job is free");
    })
    .await;
}

/// Groups and acquisitions under way when a node is fenced either count as before it, and their
/// locks are cleared with the rest, or are refused. No lock of the dead session remains.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fencing_under_load_leaves_no_lock_behind() {
    with_database(|url| async move {
        for round in 0..10_i64 {
            let (dead, alive) = (open(&url).await, open(&url).await);
            let lease = join(&*dead, &format!("dead {round}")).await;
            let base = round * 1_000_000;
            let free =
                (0..200).map(|at| JobWrite::Insert(Box::new(engine_job(base + 500_000 + at))));
            let mut change = insert(base + 999_999);
            change.jobs.extend(free);
            dead.commit(group(lease, 1, 1, vec![change])).await.expect("commit");
            let beat = beat_of(lease, base + 900_000);
            dead.beat(beat).await.expect("beat");

            let writer = tokio::spawn({
                let dead = Arc::clone(&dead);
                async move {
                    for id in 1.. {
                        let key = base + 10 * id;
                        let lock = Some(lease.session);
                        let job = JobRow { lock_session: lock, attempt: 1, ..engine_job(key + 1) };
                        let change = with_job(insert(key), job);
                        if dead.commit(group(lease, 0, id, vec![change])).await.is_err() {
                            return id;
                        }
                    }
                    unreachable!("it is fenced before")
                }
            });
            let taker = tokio::spawn({
                let dead = Arc::clone(&dead);
                async move {
                    let acquire = Acquire {
                        lease,
                        wanted: Wanted::Engine(Selection::default()),
                        limit: 3,
                        now: NOW,
                    };
                    while dead.acquire(acquire.clone()).await.is_ok() {}
                }
            });
            for _ in 0..20 * (round % 3) {
                tokio::task::yield_now().await;
            }
            while alive.fence(lease.session, 1).await != Ok(true) {}
            writer.await.expect("the writer ends");
            taker.await.expect("the taker ends");
            let look = client(&url).await;
            let held = "SELECT count(*) FROM job WHERE lock_session IS NOT NULL";
            let held: i64 = look.query_one(held, &[]).await.unwrap().get(0);
            assert_eq!(held, 0, "round {round}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acquisitions_of_two_stores_never_overlap() {
    const JOBS: i64 = 600;
    with_database(|url| async move {
        let (one, two) = (open(&url).await, open(&url).await);
        let (first, second) = (join(&*one, "one").await, join(&*two, "two").await);
        let jobs = (0..JOBS).map(|at| with_job(insert(10 + at), engine_job(10_000 + at)));
        one.commit(group(first, 0, 1, jobs.collect())).await.expect("commit");
        let take = |store: Arc<PostgresStore>, lease| {
            tokio::spawn(async move {
                let acquire = Acquire {
                    lease,
                    wanted: Wanted::Engine(Selection::default()),
                    limit: 7,
                    now: NOW,
                };
                let mut taken = Vec::new();
                loop {
                    let jobs = store.acquire(acquire.clone()).await.expect("acquire");
                    if jobs.is_empty() {
                        return taken;
                    }
                    assert!(jobs.iter().all(|job| job.lock_session == Some(lease.session)));
                    taken.extend(jobs.into_iter().map(|job| job.key));
                }
            })
        };
        let running = [
            take(Arc::clone(&one), first),
            take(Arc::clone(&two), second),
            take(Arc::clone(&one), first),
            take(Arc::clone(&two), second),
        ];
        let mut taken = Vec::new();
        for running in running {
            taken.extend(running.await.expect("the taker ends"));
        }
        let distinct: BTreeSet<JobKey> = taken.iter().copied().collect();
        assert_eq!(distinct.len(), taken.len(), "a job was given twice");
        assert_eq!(distinct.len() as i64, JOBS);
    })
    .await;
}

/// Two nodes write the same instances over and over, in different orders. Each group either
/// applies or meets conflicts; none waits for another in a circle.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_of_two_nodes_never_deadlock() {
    const INSTANCES: i64 = 200;
    const GROUPS: i64 = 60;
    with_database(|url| async move {
        let (one, two) = (open(&url).await, open(&url).await);
        let (first, second) = (join(&*one, "one").await, join(&*two, "two").await);
        let inserts = (0..INSTANCES).map(insert).collect();
        one.commit(group(first, 0, 1, inserts)).await.expect("commit");
        let write = |store: Arc<PostgresStore>, lease, lane: u8, backwards: bool| {
            tokio::spawn(async move {
                let mut applied = 0;
                for id in 2..GROUPS {
                    let keys = (0..INSTANCES).map(InstanceKey::new).collect();
                    let mut loaded = store.load(keys).await.expect("load");
                    loaded.sort_by_key(|loaded| loaded.row.key);
                    if backwards {
                        loaded.reverse();
                    }
                    let rows = loaded.iter().map(|loaded| &loaded.row);
                    let changes = rows.map(|row| update(row.key.raw(), row.rev)).collect();
                    match store.commit(group(lease, lane, id, changes)).await {
                        Ok(_) => applied += 1,
                        Err(CommitError::Conflicts(losers)) => assert!(!losers.is_empty()),
                        Err(error) => panic!("{error}"),
                    }
                }
                applied
            })
        };
        let running = [
            write(Arc::clone(&one), first, 0, false),
            write(Arc::clone(&two), second, 0, true),
            write(Arc::clone(&one), first, 1, true),
            write(Arc::clone(&two), second, 1, false),
        ];
        let mut applied = 0;
        for running in running {
            applied += running.await.expect("the writer ends");
        }
        let look = client(&url).await;
        let sql = "SELECT min(rev), max(rev) FROM instance";
        let row = look.query_one(sql, &[]).await.unwrap();
        let revs: (i32, i32) = (row.get(0), row.get(1));
        assert_eq!(revs, (applied + 1, applied + 1), "every group applied as a whole");
        let sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
        let deadlocks: i64 = look.query_one(sql, &[]).await.unwrap().get(0);
        assert_eq!(deadlocks, 0);
    })
    .await;
}

/// A beat that arrives after an old job was locked, and was sent before, does not raise the floor
/// above it. The other store stands for such a beat: it knows nothing of the lock.
#[tokio::test]
async fn a_beat_on_its_way_does_not_hide_a_lock() {
    with_database(|url| async move {
        let (store, late) = (open(&url).await, open(&url).await);
        let lease = join(&*store, "n").await;
        let change = with_job(insert(1), engine_job(50));
        store.commit(group(lease, 0, 1, vec![change])).await.expect("commit");
        let acquire =
            Acquire { lease, wanted: Wanted::Engine(Selection::default()), limit: 5, now: NOW };
        assert_eq!(store.acquire(acquire).await.expect("acquire").len(), 1);
        let beat = beat_of(lease, 400);
        let pulse = late.beat(beat).await.expect("beat");
        assert_eq!(store.fence(lease.session, pulse.nodes[0].beat).await, Ok(true));
        let job = store.job(JobKey::new(50)).await.expect("job").expect("it exists");
        assert_eq!(job.lock_session, None);
    })
    .await;
}

/// Nor does one that the node computed before it looked at the answer of its commit.
#[tokio::test]
async fn a_beat_computed_too_early_does_not_hide_a_lock() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        let change = with_job(with_job(insert(1), engine_job(50)), engine_job(51));
        store.commit(group(lease, 0, 1, vec![change])).await.expect("commit");
        let beat = beat_of(lease, 400);
        store.beat(beat.clone()).await.expect("beat");
        let lock = JobWrite::Update(JobUpdate {
            key: JobKey::new(50),
            state: orloj_store::JobState::Ready,
            retries_left: 3,
            priority: 0,
            due_at: None,
            failure: None,
            failure_details: None,
            failed_element: None,
            lock: LockWrite::Session(lease.session),
        });
        let mut change = update(1, 1);
        change.jobs.push(lock);
        store.commit(group(lease, 0, 2, vec![change])).await.expect("commit");
        store.beat(beat.clone()).await.expect("beat");
        let pulse = store.beat(beat.clone()).await.expect("beat");
        assert_eq!(store.fence(lease.session, pulse.nodes[0].beat).await, Ok(true));
        let job = store.job(JobKey::new(50)).await.expect("job").expect("it exists");
        assert_eq!(job.lock_session, None);
    })
    .await;
}

/// A sink of `store`, once it hears `other`.
async fn listening(
    store: &PostgresStore,
    other: &PostgresStore,
) -> mpsc::UnboundedReceiver<Notice> {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    store.listen(Box::new(move |notice| drop(sender.send(notice))));
    while receiver.is_empty() {
        other.notify(vec![Notice::Deployed]).await.expect("notify");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let first = next(&mut receiver).await;
    assert_eq!(first, Notice::Listening, "what came before was not heard");
    // Until all of those have come: the last word is one that was not used before.
    let last = Notice::DueAt(orloj_types::Timestamp::from_ms(1));
    other.notify(vec![last.clone()]).await.expect("notify");
    while next(&mut receiver).await != last {}
    receiver
}

async fn next(heard: &mut mpsc::UnboundedReceiver<Notice>) -> Notice {
    let wait = std::time::Duration::from_secs(20);
    tokio::time::timeout(wait, heard.recv()).await.expect("it is heard").expect("it listens")
}
