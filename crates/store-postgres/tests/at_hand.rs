//! Jobs that are a part of their instance's row, as several stores see them.

use crate::common::{client, engine_job, group, insert, join, open, rev, update, with_database};
use orloj_store::{
    Change, CommitError, JobRow, JobState, JobUpdate, JobWrite, Lease, LockWrite, Store,
};
use orloj_types::{InstanceKey, JobKey};
use tokio_postgres::Client;

/// The change with a job that its node begins at once.
fn begins(mut change: Change, lease: Lease, key: i64) -> Change {
    let instance = change.instances[0].key();
    let lock_session = Some(lease.session);
    let row = JobRow { instance, lock_session, attempt: 1, ..engine_job(key) };
    change.jobs.push(JobWrite::Insert(Box::new(row)));
    change
}

fn ends(mut change: Change, key: i64) -> Change {
    change.jobs.push(JobWrite::Delete(JobKey::new(key)));
    change
}

async fn rows(admin: &Client) -> Vec<i64> {
    let rows = admin.query("SELECT key FROM job ORDER BY 1", &[]).await.expect("rows");
    rows.iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn what_one_node_has_at_hand_another_ends() {
    with_database(|url| async move {
        let (one, two) = (open(&url).await, open(&url).await);
        let admin = client(&url).await;
        let (anna, ben) = (join(&*one, "anna").await, join(&*two, "ben").await);
        one.commit(group(anna, 0, 1, vec![begins(insert(1), anna, 101)])).await.expect("commit");
        assert_eq!(rows(&admin).await, [] as [i64; 0], "it has no row");
        assert_eq!(rev(&*two, 1).await, Some(1));
        let next = begins(ends(update(1, 1), 101), ben, 102);
        two.commit(group(ben, 0, 1, vec![next])).await.expect("commit");
        assert_eq!(one.job(JobKey::new(101)).await, Ok(None));
        let job = one.job(JobKey::new(102)).await.expect("read").expect("it is there");
        assert_eq!((job.lock_session, job.instance), (Some(ben.session), InstanceKey::new(1)));
        let late = one.commit(group(anna, 0, 2, vec![ends(update(1, 1), 101)])).await;
        assert_eq!(late.map(drop), Err(CommitError::Conflicts(vec![0])));
        assert_eq!(rev(&*one, 1).await, Some(2));
        one.commit(group(anna, 0, 3, vec![ends(update(1, 2), 102)])).await.expect("commit");
        assert_eq!(two.job(JobKey::new(102)).await, Ok(None));
        assert_eq!(rows(&admin).await, [] as [i64; 0]);
    })
    .await;
}

/// A store that does not know of a job at hand would leave it behind, or overwrite it.
#[tokio::test]
async fn who_does_not_know_of_one_loses_and_reads_again() {
    with_database(|url| async move {
        let (one, two) = (open(&url).await, open(&url).await);
        let (anna, ben) = (join(&*one, "anna").await, join(&*two, "ben").await);
        one.commit(group(anna, 0, 1, vec![begins(insert(1), anna, 101)])).await.expect("commit");
        let next = || begins(ends(update(1, 1), 101), ben, 102);
        let blind = two.commit(group(ben, 0, 1, vec![next()])).await;
        assert_eq!(blind.map(drop), Err(CommitError::Conflicts(vec![0])));
        assert!(one.job(JobKey::new(101)).await.expect("read").is_some());
        two.commit(group(ben, 0, 2, vec![next()])).await.expect("it knows now");
        assert_eq!(two.job(JobKey::new(101)).await, Ok(None));
        assert!(two.job(JobKey::new(102)).await.expect("read").is_some());
    })
    .await;
}

/// One about whose job somebody else decides at the same moment.
#[tokio::test]
async fn of_two_who_change_a_job_at_hand_one_loses() {
    with_database(|url| async move {
        let (one, two) = (open(&url).await, open(&url).await);
        let (anna, ben) = (join(&*one, "anna").await, join(&*two, "ben").await);
        let suspended = |key| JobUpdate {
            key: JobKey::new(key),
            state: JobState::Suspended,
            retries_left: 3,
            priority: 0,
            due_at: None,
            failure: None,
            failure_details: None,
            failed_element: None,
            lock: LockWrite::Keep,
        };
        for (at, key) in (1..).zip(101..121) {
            let row = begins(insert(at), anna, key);
            one.commit(group(anna, 0, 2 * at, vec![row])).await.expect("commit");
            assert_eq!(rev(&*two, at).await, Some(1));
            let stops =
                || Change { jobs: [JobWrite::Update(suspended(key))].into(), ..update(at, 1) };
            let (first, second) = tokio::join!(
                one.commit(group(anna, 0, 2 * at + 1, vec![stops()])),
                two.commit(group(ben, 0, at, vec![stops()])),
            );
            let outcomes = [first.map(drop), second.map(drop)];
            assert!(outcomes.contains(&Ok(())), "{outcomes:?}");
            assert!(outcomes.contains(&Err(CommitError::Conflicts(vec![0]))), "{outcomes:?}");
            let job = one.job(JobKey::new(key)).await.expect("read").expect("it is there");
            assert_eq!((job.state, job.lock_session), (JobState::Suspended, Some(anna.session)));
        }
    })
    .await;
}

#[tokio::test]
async fn those_of_a_dead_node_are_found_by_their_index() {
    with_database(|url| async move {
        let store = open(&url).await;
        let admin = client(&url).await;
        let alive = join(&*store, "alive").await.session;
        let many = "INSERT INTO instance (key, rev, engine, tenant, definition_key, record, events)
            SELECT n, 1, 'suite', '', 7, '', '' FROM generate_series(1, 20000) AS n;
            UPDATE instance SET at_hand_session = CASE key % 2 WHEN 0 THEN 777 ELSE ALIVE END,
                at_hand = ROW (key + 100000, 2, 'task', 0, 3, 0, true, 5, 'shop.Charge')
            WHERE key > 19990;
            ANALYZE instance";
        let many = many.replace("ALIVE", &alive.to_string());
        admin.batch_execute(&many).await.expect("rows");
        let sql = include_str!("../queries/job_at_hand_clear.sql").replace("orloj.", "");
        let sql = sql.lines().filter(|line| !line.trim().starts_with("--"));
        let sql = sql.collect::<Vec<_>>().join(" ");
        let plan = admin.query(&format!("EXPLAIN ANALYZE {sql}"), &[]).await.expect("plan");
        let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("instance_at_hand"), "{plan}");
        assert!(!plan.contains("Seq Scan on instance"), "{plan}");
        let even: Vec<i64> =
            (19_991..=20_000).filter(|n| n % 2 == 0).map(|n| n + 100_000).collect();
        assert_eq!(rows(&admin).await, even);
    })
    .await;
}
