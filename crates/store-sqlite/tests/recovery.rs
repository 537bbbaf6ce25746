//! What a recovery reads of a node's locks.

use std::sync::Arc;

use orloj_store::suite::engine;
use orloj_store::{
    Change, ChoreUpdate, ChoreWrite, Claim, FailureWrite, Group, Held, JobState, JobUpdate,
    JobWrite, LockWrite, NodeProfile, Store,
};
use orloj_store_sqlite::{Options, SqliteStore};
use orloj_types::{JobKey, Timestamp};
use rusqlite::Connection;

mod block_on;
use block_on::block_on;

/// A job that a change locks may be older than all the others: it is listed, and the floor from
/// which a recovery reads stays where it is.
#[test]
fn a_lock_on_an_old_job_leaves_the_floor() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&Options::file(&path, engine())).expect("open");
    let beside = Connection::open(&path).expect("open");
    let jobs = "INSERT INTO job SELECT
             column1, 'suite', '', column2, 7, 1, 'task', 3, '', 1, 3, 0, 1, 5,
             NULL, NULL, NULL, 0, x'', NULL, 5, '', NULL, NULL, NULL, NULL, NULL, NULL, 0
         FROM (VALUES (50, 9), (51, 0))";
    beside.execute_batch(jobs).expect("jobs");
    let claim = Claim {
        name: "n".to_owned(),
        engine: engine(),
        lanes: 1,
        now: Timestamp::ZERO,
        profile: NodeProfile::default(),
    };
    let lease = block_on(store.join(claim)).expect("join");
    let floor = |beside: &Connection| -> i64 {
        beside.query_row("SELECT lock_floor FROM node", [], |row| row.get(0)).expect("node")
    };
    let before = floor(&beside);

    let lock = LockWrite::Session(lease.session);
    let job = JobUpdate {
        key: JobKey::new(50),
        state: JobState::Ready,
        retries_left: 3,
        priority: 0,
        due_at: None,
        failure: None,
        failure_details: None,
        failed_element: None,
        lock: lock.clone(),
    };
    let chore = ChoreUpdate {
        key: JobKey::new(51),
        held: Held::Free,
        state: JobState::Ready,
        retries_left: 3,
        priority: None,
        due_at: None,
        failure: FailureWrite::Keep,
        payload: None,
        lock,
    };
    let change = Change {
        jobs: [JobWrite::Update(job)].into(),
        chores: [ChoreWrite::Update(chore)].into(),
        ..Change::default()
    };
    let group = Group { lease, lane: 0, id: 1, changes: vec![change], now: Timestamp::ZERO };
    block_on(store.commit(Arc::new(group))).expect("commit");
    assert_eq!(floor(&beside), before);
    let held = "SELECT count(*) FROM job WHERE lock_session IS NOT NULL AND lock_listed";
    let held = |beside: &Connection| -> i64 {
        beside.query_row(held, [], |row| row.get(0)).expect("count")
    };
    assert_eq!(held(&beside), 2);
    assert_eq!(block_on(store.fence(lease.session, 0)), Ok(true));
    assert_eq!(held(&beside), 0);
}
