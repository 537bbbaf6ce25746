//! What happens to groups and acquisitions when connections are lost on the way.

use crate::common::proxy::{Loss, Proxy};
use crate::common::{
    beat_of, client, engine_job, group, insert, join, open, rev, terminate, update, with_database,
    with_job,
};
use orloj_store::{Acquire, CommitError, Error, Lease, Selection, Store, Wanted};

#[tokio::test]
async fn a_group_whose_answer_was_lost_has_landed() {
    with_database(|url| async move {
        let proxy = Proxy::start(&url).await;
        let store = open(&proxy.url).await;
        let lease = join(&*store, "n").await;
        store.commit(group(lease, 0, 1, vec![insert(10)])).await.expect("commit");

        proxy.lose(Loss::Answer);
        let lost = store.commit(group(lease, 0, 2, vec![update(10, 1)])).await;
        assert!(matches!(lost, Err(CommitError::Unknown(_))), "got {lost:?}");
        assert_eq!(store.landed(lease, 0, 2).await, Ok(true));
        assert_eq!(rev(&*store, 10).await, Some(2));
        store.commit(group(lease, 0, 3, vec![update(10, 2)])).await.expect("the lane goes on");
    })
    .await;
}

#[tokio::test]
async fn a_group_that_never_arrived_has_not_landed() {
    with_database(|url| async move {
        let proxy = Proxy::start(&url).await;
        let store = open(&proxy.url).await;
        let lease = join(&*store, "n").await;
        store.commit(group(lease, 0, 1, vec![insert(10)])).await.expect("commit");

        proxy.lose(Loss::Request);
        let lost = store.commit(group(lease, 0, 2, vec![update(10, 1)])).await;
        assert!(matches!(lost, Err(CommitError::Unknown(_))), "got {lost:?}");
        assert_eq!(store.landed(lease, 0, 2).await, Ok(false));
        store.commit(group(lease, 0, 2, vec![update(10, 1)])).await.expect("sent again");
        assert_eq!(rev(&*store, 10).await, Some(2));
    })
    .await;
}

/// A transaction that waits in some buffer while its sender has given it up must not be applied
/// after the sender was told that it never will be.
#[tokio::test]
async fn a_group_that_comes_after_the_question_is_refused() {
    with_database(|url| async move {
        let proxy = Proxy::start(&url).await;
        let store = open(&proxy.url).await;
        let lease = join(&*store, "n").await;
        store.commit(group(lease, 0, 1, vec![insert(10)])).await.expect("commit");

        proxy.lose(Loss::Late);
        let lost = store.commit(group(lease, 0, 2, vec![update(10, 1), insert(11)])).await;
        assert!(matches!(lost, Err(CommitError::Unknown(_))), "got {lost:?}");
        assert_eq!(store.landed(lease, 0, 2).await, Ok(false));
        proxy.let_in().await;
        assert_eq!(store.landed(lease, 0, 2).await, Ok(false), "it is still true");
        assert_eq!((rev(&*store, 10).await, rev(&*store, 11).await), (Some(1), None));
        store.commit(group(lease, 0, 3, vec![update(10, 1)])).await.expect("the lane goes on");
    })
    .await;
}

/// The store that commits and the one that asks need not be the same.
#[tokio::test]
async fn a_lane_that_another_store_reopened_goes_on() {
    with_database(|url| async move {
        let (store, other) = (open(&url).await, open(&url).await);
        let lease = join(&*store, "n").await;
        store.commit(group(lease, 0, 1, vec![insert(10)])).await.expect("commit");
        assert_eq!(other.landed(lease, 0, 1).await, Ok(true));
        assert_eq!(other.landed(lease, 0, 2).await, Ok(false));
        store.commit(group(lease, 0, 2, vec![update(10, 1)])).await.expect("commit");
        assert_eq!(rev(&*other, 10).await, Some(2));
    })
    .await;
}

#[tokio::test]
async fn asking_waits_for_a_group_under_way() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        let lane = client(&url).await;
        // Stands for the transaction of a lost connection that the server still works on.
        lane.batch_execute("BEGIN; UPDATE lane SET group_id = 7 WHERE lane = 0").await.unwrap();
        let asked = store.landed(lease, 0, 7);
        let look = client(&url).await;
        let ended = async {
            let waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
                 AND datname = current_database()";
            while look.query(waits, &[]).await.unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            lane.batch_execute("COMMIT").await.unwrap();
        };
        let (landed, ()) = tokio::join!(asked, ended);
        assert_eq!(landed, Ok(true));
    })
    .await;
}

#[tokio::test]
async fn a_store_survives_the_loss_of_all_its_connections() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        store.commit(group(lease, 0, 1, vec![insert(10)])).await.expect("commit");
        let killer = client(&url).await;
        let mut id = 1;
        for key in 11..20 {
            assert!(terminate(&killer).await > 0);
            // As a node does: it asks when it does not know, and sends again when told to.
            loop {
                id += 1;
                match store.commit(group(lease, 0, id, vec![insert(key)])).await {
                    Ok(_) => break,
                    Err(CommitError::Unavailable(_)) => {}
                    Err(CommitError::Unknown(_)) => {
                        if until_available(|| store.landed(lease, 0, id)).await {
                            break;
                        }
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            assert_eq!(until_available(|| store.load(vec![])).await, vec![]);
            assert_eq!(rev(&*store, key).await, Some(1));
        }
    })
    .await;
}

/// Locks of the session that the node would not know of would last as long as the node.
#[tokio::test]
async fn an_acquisition_whose_answer_was_lost_still_gives_its_jobs() {
    with_database(|url| async move {
        let proxy = Proxy::start(&url).await;
        let store = open(&proxy.url).await;
        let lease = join(&*store, "n").await;
        let jobs = (1..=3).map(|key| with_job(insert(key), engine_job(100 + key)));
        store.commit(group(lease, 0, 1, jobs.collect())).await.expect("commit");

        assert_eq!(taken(&*store, lease, 1).await, [101], "opens the connection");
        proxy.lose(Loss::Answer);
        let jobs = store.acquire(engine_acquire(lease, 1)).await;
        let jobs = jobs.expect("what was taken is found out");
        assert_eq!(jobs.len(), 1);
        let stored = store.job(jobs[0].key).await.expect("job");
        assert_eq!(stored.as_ref(), Some(&jobs[0]), "and it is locked");
        assert_eq!(taken(&*store, lease, 10).await, [103], "nothing was lost or given twice");

        store.commit(group(lease, 0, 2, vec![with_job(insert(4), engine_job(104))])).await.unwrap();
        proxy.lose(Loss::Request);
        let jobs = store.acquire(engine_acquire(lease, 1)).await;
        assert_eq!(jobs, Ok(vec![]), "it was never committed");
        assert_eq!(taken(&*store, lease, 10).await, [104]);
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_away_is_unavailable() {
    with_database(|url| async move {
        let proxy = Proxy::start(&url).await;
        let store = open(&proxy.url).await;
        let lease = join(&*store, "n").await;
        let nowhere = proxy.url.replace("/orloj_test", "/no_such_database_orloj_test");
        let options = orloj_store_postgres::Options::new(nowhere, orloj_store::suite::engine());
        let refused = orloj_store_postgres::PostgresStore::connect(options).await.err();
        assert!(matches!(refused, Some(Error::Refused(_))), "got {refused:?}");
        store.close().await.expect("close");
        let beat = beat_of(lease, 0);
        let closed = store.beat(beat).await;
        assert!(matches!(closed, Err(Error::Unavailable(_))), "got {closed:?}");
    })
    .await;
}

fn engine_acquire(lease: Lease, limit: u32) -> Acquire {
    Acquire { lease, wanted: Wanted::Engine(Selection::default()), limit, now: crate::common::NOW }
}

async fn taken(store: &dyn Store, lease: Lease, limit: u32) -> Vec<i64> {
    let jobs = store.acquire(engine_acquire(lease, limit)).await.expect("acquire");
    jobs.iter().map(|job| job.key.raw()).collect()
}

async fn until_available<T, F>(ask: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, Error>>,
{
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(Error::Unavailable(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// A row that every group updates would cost each of them more while somebody keeps an old snapshot.
#[tokio::test]
async fn groups_leave_the_row_of_their_lane_alone_and_beats_delete_what_nobody_asks_for() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        let admin = client(&url).await;
        let version = "SELECT ctid::text FROM lane WHERE lane = 0";
        let before: String = admin.query_one(version, &[]).await.expect("lane").get(0);
        for id in 1..=5 {
            let changes = vec![insert(10 + id)];
            store.commit(group(lease, 0, id, changes)).await.expect("commit");
        }
        let after: String = admin.query_one(version, &[]).await.expect("lane").get(0);
        assert_eq!(before, after);

        let beat = beat_of(lease, 0);
        store.beat(beat).await.expect("beat");
        let known = "SELECT group_id FROM landed";
        let rows = admin.query(known, &[]).await.expect("landed");
        assert_eq!(rows.iter().map(|row| row.get(0)).collect::<Vec<i64>>(), [5]);
        assert_eq!(store.landed(lease, 0, 5).await, Ok(true));
        store.leave(lease).await.expect("leave");
        assert!(admin.query(known, &[]).await.expect("landed").is_empty());
    })
    .await;
}
