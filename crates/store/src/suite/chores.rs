//! Chores: jobs of no instance, whose writes say what they expect.

use std::sync::Arc;

use orloj_types::{DefinitionKey, ElementInstanceKey, InstanceKey, JobKey};
use thin_vec::thin_vec;

use crate::suite::definitions::deployment;
use crate::suite::sample::{
    NOW, Node, after, engine_job, for_engine, insert, keys, rev, stored_job, update,
};
use crate::suite::together::together;
use crate::{
    Change, ChoreUpdate, ChoreWrite, CommitError, FailureWrite, Held, JobKind, JobRow, JobState,
    LockWrite, Store,
};

pub(super) fn chore(key: i64) -> JobRow {
    JobRow {
        kind: JobKind::BatchPart,
        instance: InstanceKey::new(0),
        definition: DefinitionKey::new(0),
        element_instance: ElementInstanceKey::new(0),
        element: "".into(),
        payload: Some(vec![1, 2]),
        ..engine_job(key)
    }
}

pub(super) fn with(chores: Vec<ChoreWrite>) -> Change {
    Change { chores: chores.into(), ..Change::default() }
}

pub(super) fn gone(key: i64, held: Held) -> ChoreWrite {
    ChoreWrite::Delete { key: JobKey::new(key), held }
}

fn changed(key: i64, held: Held) -> ChoreUpdate {
    ChoreUpdate {
        key: JobKey::new(key),
        held,
        state: JobState::Waiting,
        retries_left: 2,
        priority: Some(9),
        due_at: Some(after(50)),
        failure: FailureWrite::Keep,
        payload: None,
        lock: LockWrite::Clear,
    }
}

pub(super) async fn a_chore_is_acquired_like_any_job_of_the_engine(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let row = JobRow { failure_details: Some("at line 1".into()), ..chore(5) };
    node.write(with(vec![ChoreWrite::Insert(row.clone())])).await;
    assert_eq!(stored_job(&store, 5).await, Some(row.clone()));
    assert!(node.beat(0).await.engine_jobs_ready);
    let taken = node.acquire(for_engine(), 5).await;
    assert_eq!(taken, [JobRow { lock_session: Some(node.lease.session), attempt: 1, ..row }]);
}

pub(super) async fn only_who_holds_a_chore_ends_it(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(with(vec![ChoreWrite::Insert(chore(5)), ChoreWrite::Insert(chore(6))])).await;
    let session = node.lease.session;
    node.acquire(for_engine(), 1).await;
    let lost = [
        gone(5, Held::Free),
        gone(5, Held::By { session, attempt: 2 }),
        gone(5, Held::By { session: session + 1, attempt: 1 }),
        gone(6, Held::By { session, attempt: 0 }),
        gone(7, Held::Free),
        ChoreWrite::Insert(chore(6)),
        ChoreWrite::Update(changed(5, Held::Free)),
        ChoreWrite::Update(changed(7, Held::Free)),
    ];
    for write in lost {
        let refused = node.commit(vec![insert(99), with(vec![write.clone()])]).await;
        assert_eq!(refused, Err(CommitError::Conflicts(vec![1])), "{write:?}");
    }
    assert_eq!(rev(&store, 99).await, None, "nothing of the group was applied");
    let done = with(vec![gone(5, Held::By { session, attempt: 1 }), gone(6, Held::Free)]);
    node.write(done).await;
    assert_eq!((stored_job(&store, 5).await, stored_job(&store, 6).await), (None, None));
}

pub(super) async fn the_work_of_a_chore_commits_with_its_end(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    node.write(with(vec![ChoreWrite::Insert(chore(5))])).await;
    node.acquire(for_engine(), 1).await;
    let held = Held::By { session: node.lease.session, attempt: 1 };
    let work =
        |expected_rev| Change { chores: thin_vec![gone(5, held)], ..update(10, expected_rev) };
    assert_eq!(node.commit(vec![work(7)]).await, Err(CommitError::Conflicts(vec![0])));
    assert!(stored_job(&store, 5).await.is_some(), "the instance has another revision");
    node.write(work(1)).await;
    assert_eq!((rev(&store, 10).await, stored_job(&store, 5).await), (Some(2), None));
    assert_eq!(node.commit(vec![work(2)]).await, Err(CommitError::Conflicts(vec![0])), "once");
    assert_eq!(rev(&store, 10).await, Some(2));
}

pub(super) async fn a_chore_is_updated_column_by_column(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(with(vec![ChoreWrite::Insert(chore(5))])).await;
    node.acquire(for_engine(), 1).await;
    let session = node.lease.session;
    let failed = FailureWrite::Set {
        message: "no route".into(),
        details: Some("at line 3".into()),
        element: Some("task".into()),
    };
    let first = ChoreUpdate {
        failure: failed,
        payload: Some(vec![7]),
        ..changed(5, Held::By { session, attempt: 1 })
    };
    node.write(with(vec![ChoreWrite::Update(first)])).await;
    let expected = JobRow {
        state: JobState::Waiting,
        retries_left: 2,
        priority: 9,
        due_at: Some(after(50)),
        attempt: 1,
        payload: Some(vec![7]),
        failure: Some("no route".into()),
        failure_details: Some("at line 3".into()),
        failed_element: Some("task".into()),
        ..chore(5)
    };
    assert_eq!(stored_job(&store, 5).await, Some(expected.clone()));
    assert_eq!(keys(&store.due(after(50), 5).await.expect("due")), [5]);

    // Made ready and locked in one go, as a due chore is.
    let second = ChoreUpdate {
        state: JobState::Ready,
        due_at: None,
        lock: LockWrite::Session(session),
        ..changed(5, Held::Free)
    };
    node.write(with(vec![ChoreWrite::Update(second)])).await;
    let ready = JobRow {
        state: JobState::Ready,
        due_at: None,
        lock_session: Some(session),
        attempt: 2,
        ..expected
    };
    assert_eq!(stored_job(&store, 5).await, Some(ready), "the failure is kept");

    let held = Held::By { session, attempt: 2 };
    let third = ChoreUpdate { failure: FailureWrite::Clear, ..changed(5, held) };
    node.write(with(vec![ChoreWrite::Update(third)])).await;
    let row = stored_job(&store, 5).await.expect("it exists");
    assert_eq!((row.failure, row.failure_details, row.failed_element), (None, None, None));
}

pub(super) async fn fencing_frees_chores_and_shuts_out_their_holder(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.beat(400).await;
    let locked = JobRow { lock_session: Some(node.lease.session), attempt: 1, ..chore(5) };
    node.write(with(vec![ChoreWrite::Insert(locked), ChoreWrite::Insert(chore(6))])).await;
    let lock =
        ChoreUpdate { lock: LockWrite::Session(node.lease.session), ..changed(6, Held::Free) };
    node.write(with(vec![ChoreWrite::Update(lock)])).await;
    assert_eq!(store.fence(node.lease.session, node.counter().await).await, Ok(true));
    assert_eq!(stored_job(&store, 5).await.expect("it exists").lock_session, None);
    assert_eq!(stored_job(&store, 6).await.expect("it exists").lock_session, None);
    let late = with(vec![gone(5, Held::By { session: node.lease.session, attempt: 1 })]);
    assert_eq!(node.commit(vec![late]).await, Err(CommitError::Fenced));
}

pub(super) async fn changes_of_one_group_that_want_one_chore_have_one_winner(
    store: Arc<dyn Store>,
) {
    let mut node = Node::join(&store, "n").await;
    node.write(with(vec![ChoreWrite::Insert(chore(5))])).await;
    let take = || with(vec![gone(5, Held::Free)]);
    let refused = node.commit(vec![take(), take()]).await;
    assert_eq!(refused, Err(CommitError::Conflicts(vec![1])));
    node.write(take()).await;
}

pub(super) async fn of_nodes_that_make_one_chore_at_once_one_wins(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    let make = |lane| {
        let change = with(vec![ChoreWrite::Insert(chore(1))]);
        store.commit(crate::suite::sample::group(node.lease, lane, 1, vec![change]))
    };
    let results = together(vec![make(0), make(1)]).await;
    let won = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(won, 1, "{results:?}");
}

pub(super) async fn a_deployment_brings_its_chores_and_takes_those_before(store: Arc<dyn Store>) {
    let node = Node::join(&store, "n").await;
    let timer = |key, definition| JobRow {
        kind: JobKind::StartTimer,
        state: JobState::Waiting,
        due_at: Some(after(key)),
        definition: DefinitionKey::new(definition),
        ..chore(key)
    };
    let deploy = async |key: i64, tenant: &str, content: &[u8], process: &str, chore: i64| {
        let resource = [("a.bpmn", content, key + 1, process)];
        let mut new = deployment(key, tenant, &resource);
        new.resources[0].definitions[0].chores = vec![timer(chore, key + 1)];
        store.deploy(new).await.expect("deploy");
    };
    deploy(10, "", b"1", "a", 500).await;
    deploy(20, "", b"1", "b", 501).await;
    deploy(30, "t", b"1", "a", 502).await;
    assert_eq!(stored_job(&store, 500).await, Some(timer(500, 11)));
    assert_eq!(node.beat(0).await.next_due_at, Some(after(500)));
    let all = async || keys(&store.due(after(900), 9).await.expect("due"));
    assert_eq!(all().await, [500, 501, 502]);
    deploy(40, "", b"1", "a", 503).await;
    assert_eq!(all().await, [500, 501, 502], "nothing was new");
    deploy(50, "", b"2", "a", 504).await;
    assert_eq!(all().await, [501, 502, 504]);
    assert_eq!(store.due(NOW, 9).await, Ok(vec![]));
}
