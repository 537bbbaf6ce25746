//! The log of chores: written with the change it tells of, found, and dropped by age.

use std::sync::Arc;

use orloj_types::{BatchKey, DefinitionKey, IncidentKey, JobKey, TenantId};
use thin_vec::thin_vec;

use crate::suite::chores::{chore, gone, with};
use crate::suite::definitions::deployment;
use crate::suite::engine;
use crate::suite::sample::{NOW, Node, after, incident};
use crate::{
    Change, ChoreEvent, ChoreLogFilter, ChoreLogRow, ChoreWrite, CommitError, Held, IncidentRow,
    JobKind, JobRow, JobState, Page, Prune, PruneQuery, Store,
};

const ALL: Page = Page { before: None, limit: 100 };

fn row(job: i64, event: ChoreEvent, ms: i64) -> ChoreLogRow {
    ChoreLogRow {
        number: 0,
        job: JobKey::new(job),
        engine: engine(),
        tenant: TenantId::new("red"),
        definition: DefinitionKey::new(70 + job),
        element: "start".into(),
        kind: JobKind::StartTimer,
        batch: Some(BatchKey::new(job + 1)),
        event,
        at: after(ms),
        retries: 2,
        priority: -5,
        due_at: Some(after(9)),
        message: Some("no route".into()),
        details: Some("at line 3".into()),
        failed_element: Some("pay".into()),
        incident: Some("failedJob".into()),
        run_by: Some("node-1".into()),
    }
}

fn logged(chore_log: Vec<ChoreLogRow>) -> Change {
    Change { chore_log: chore_log.into(), ..Change::default() }
}

async fn found(store: &Arc<dyn Store>, filter: ChoreLogFilter) -> Vec<(i64, ChoreEvent)> {
    let rows = store.chore_log(filter, ALL).await.expect("chore log");
    rows.iter().map(|row| (row.job.raw(), row.event)).collect()
}

pub(super) async fn what_happens_to_a_chore_is_logged_by_the_change_that_does_it(
    store: Arc<dyn Store>,
) {
    let mut node = Node::join(&store, "n").await;
    let full = row(5, ChoreEvent::Failed, 1);
    let empty = ChoreLogRow {
        batch: None,
        due_at: None,
        message: None,
        details: None,
        failed_element: None,
        incident: None,
        run_by: None,
        ..row(5, ChoreEvent::Created, 0)
    };
    node.write(Change {
        chore_log: thin_vec![empty.clone(), full.clone()],
        ..with(vec![ChoreWrite::Insert(chore(5))])
    })
    .await;
    let rows = store.chore_log(ChoreLogFilter::default(), ALL).await.expect("chore log");
    let numbers: Vec<i64> = rows.iter().map(|row| row.number).collect();
    assert!(numbers[0] > numbers[1] && numbers[1] > 0, "{numbers:?}");
    let without_number = |row: &ChoreLogRow| ChoreLogRow { number: 0, ..row.clone() };
    let rows: Vec<_> = rows.iter().map(without_number).collect();
    assert_eq!(rows, [full, empty], "newest first");

    let lost = Change {
        chore_log: thin_vec![row(5, ChoreEvent::Successful, 2)],
        ..with(vec![gone(5, Held::By { session: node.lease.session, attempt: 7 })])
    };
    assert_eq!(node.commit(vec![lost]).await, Err(CommitError::Conflicts(vec![0])));
    let all = found(&store, ChoreLogFilter::default()).await;
    assert_eq!(all, [(5, ChoreEvent::Failed), (5, ChoreEvent::Created)], "it did not happen");
}

pub(super) async fn the_log_of_chores_is_found_by_every_field(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let foreign = ChoreLogRow { engine: "another".into(), ..row(9, ChoreEvent::Created, 0) };
    let other = ChoreLogRow { message: Some("no".into()), ..row(7, ChoreEvent::Failed, 2) };
    let rows = vec![row(5, ChoreEvent::Created, 0), row(6, ChoreEvent::Created, 1), other, foreign];
    node.write(logged(rows)).await;
    node.write(logged(vec![row(5, ChoreEvent::IncidentOpened, 3)])).await;
    let any = ChoreLogFilter::default;
    let (created, failed) = (ChoreEvent::Created, ChoreEvent::Failed);
    let opened = ChoreEvent::IncidentOpened;
    assert_eq!(found(&store, any()).await, [(5, opened), (7, failed), (6, created), (5, created)]);
    let job = Some(JobKey::new(5));
    assert_eq!(found(&store, ChoreLogFilter { job, ..any() }).await, [(5, opened), (5, created)]);
    let events = vec![created];
    assert_eq!(
        found(&store, ChoreLogFilter { job, events: events.clone(), ..any() }).await,
        [(5, created)]
    );
    assert_eq!(
        found(&store, ChoreLogFilter { events, ..any() }).await,
        [(6, created), (5, created)]
    );
    let events = vec![failed, opened];
    assert_eq!(found(&store, ChoreLogFilter { events, ..any() }).await, [(5, opened), (7, failed)]);
    let definition = Some(DefinitionKey::new(76));
    assert_eq!(found(&store, ChoreLogFilter { definition, ..any() }).await, [(6, created)]);
    let batch = Some(BatchKey::new(8));
    assert_eq!(found(&store, ChoreLogFilter { batch, ..any() }).await, [(7, failed)]);
    let message = Some("no".into());
    assert_eq!(found(&store, ChoreLogFilter { message, ..any() }).await, [(7, failed)]);

    let first = store.chore_log(any(), Page { before: None, limit: 2 }).await.expect("page");
    let before = first.last().map(|row| row.number);
    let second = store.chore_log(any(), Page { before, limit: 9 }).await.expect("page");
    let jobs = |rows: &[ChoreLogRow]| rows.iter().map(|row| row.job.raw()).collect::<Vec<_>>();
    assert_eq!((jobs(&first), jobs(&second)), (vec![5, 7], vec![6, 5]));
}

pub(super) async fn a_chore_has_one_incident_at_most(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let first = IncidentRow { job: Some(JobKey::new(5)), ..incident(5, 0) };
    let second = IncidentRow { message: "again".into(), ..first.clone() };
    let opening = |row: &IncidentRow| Change {
        incidents_opened: thin_vec![row.clone()],
        ..Change::default()
    };
    node.write(opening(&first)).await;
    node.write(opening(&second)).await;
    let key = IncidentKey::new(5);
    assert_eq!(store.incident(key).await, Ok(Some(first)), "it stays as it is");
    node.write(Change { incidents_gone: thin_vec![key], ..Change::default() }).await;
    node.write(opening(&second)).await;
    assert_eq!(store.incident(key).await, Ok(Some(second.clone())));
    // What goes, goes first.
    node.write(Change { incidents_gone: thin_vec![key], ..opening(&second) }).await;
    assert_eq!(store.incident(key).await, Ok(Some(second)));
}

pub(super) async fn a_deployment_logs_the_start_timers_that_go_and_come(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let timer = |key, definition| JobRow {
        kind: JobKind::StartTimer,
        state: JobState::Waiting,
        due_at: Some(after(key)),
        definition: DefinitionKey::new(definition),
        element: "start".into(),
        ..chore(key)
    };
    let deploy = async |key: i64, chore: i64, logs_chores: bool| {
        let content = key.to_be_bytes();
        let mut new = deployment(key, "", &[("a.bpmn", &content, key + 1, "a")]);
        new.resources[0].definitions[0].chores = vec![timer(chore, key + 1)];
        new.logs_chores = logs_chores;
        new.now = after(key);
        store.deploy(new).await.expect("deploy");
    };
    deploy(10, 500, false).await;
    assert_eq!(found(&store, ChoreLogFilter::default()).await, []);
    node.write(Change { incidents_opened: thin_vec![incident(500, 0)], ..Change::default() }).await;
    deploy(20, 501, true).await;
    let rows = store.chore_log(ChoreLogFilter::default(), ALL).await.expect("chore log");
    let told: Vec<_> = rows.iter().map(|row| (row.job.raw(), row.event)).collect();
    let expected = [
        (501, ChoreEvent::Created),
        (500, ChoreEvent::IncidentDeleted),
        (500, ChoreEvent::Deleted),
    ];
    assert_eq!(told, expected);
    assert_eq!(
        ChoreLogRow { number: 0, ..rows[2].clone() },
        ChoreLogRow::of(&timer(500, 11), ChoreEvent::Deleted, after(20))
    );
    assert_eq!(store.incident(IncidentKey::new(500)).await, Ok(None), "it goes with its timer");
    deploy(30, 502, false).await;
    assert_eq!(found(&store, ChoreLogFilter::default()).await, expected);
}

pub(super) async fn the_log_of_a_batch_goes_with_it(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |batch: i64, ms| ChoreLogRow {
        batch: Some(BatchKey::new(batch)),
        ..row(batch, ChoreEvent::Created, ms)
    };
    let foreign = ChoreLogRow { engine: "another".into(), ..of(7, 3) };
    node.write(logged(vec![of(7, 1), of(8, 1), of(7, 2), of(7, 3), foreign])).await;
    let prune = async |batch: i64| {
        let what = Prune::BatchLog(BatchKey::new(batch));
        store.prune(PruneQuery { what, limit: 2 }).await.expect("prune").rows
    };
    assert_eq!(prune(6).await, 0);
    assert_eq!(prune(7).await, 2);
    assert_eq!(prune(7).await, 1);
    assert_eq!(prune(7).await, 0);
    let left = store.chore_log(ChoreLogFilter::default(), ALL).await.expect("chore log");
    assert_eq!(left.iter().map(|row| row.batch).collect::<Vec<_>>(), [Some(BatchKey::new(8))]);
}

pub(super) async fn the_log_of_chores_goes_by_age(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let foreign = ChoreLogRow { engine: "another".into(), ..row(9, ChoreEvent::Created, -9) };
    let at = |ms| row(5, ChoreEvent::Failed, ms);
    node.write(logged(vec![at(3), at(1), at(2), foreign, at(0)])).await;
    let prune = async |ms: i64, limit: u32| {
        let what = Prune::ChoreLog { before: after(ms) };
        store.prune(PruneQuery { what, limit }).await.expect("prune").rows
    };
    assert_eq!(prune(0, 9).await, 0);
    assert_eq!(prune(3, 2).await, 2);
    assert_eq!(prune(3, 2).await, 1);
    let left = store.chore_log(ChoreLogFilter::default(), ALL).await.expect("chore log");
    assert_eq!(left.iter().map(|row| row.at).collect::<Vec<_>>(), [after(3)]);
    // A number is never given again.
    let last = left[0].number;
    assert_eq!(prune(9, 9).await, 1);
    node.write(logged(vec![row(5, ChoreEvent::Created, NOW.as_ms())])).await;
    let next = store.chore_log(ChoreLogFilter::default(), ALL).await.expect("chore log");
    assert!(next[0].number > last);
}
