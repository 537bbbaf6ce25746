//! Queries: pages, newest first, and filters.

use std::sync::Arc;

use orloj_types::{DefinitionKey, EngineName, InstanceKey, ProcessId};
use thin_vec::thin_vec;

use crate::suite::definitions::deploy;
use crate::suite::sample::{
    Node, ended, engine_job, incident, insert, instance, job, keys, user_task,
};
use crate::{
    Change, EndedFilter, EndedRow, IncidentFilter, IncidentRow, InstanceFilter, InstanceRow,
    InstanceWrite, JobFilter, JobRow, JobState, JobWrite, Page, Store, UserTaskFilter, UserTaskRow,
};

const ALL: Page = Page { before: None, limit: 100 };
const NONE: [i64; 0] = [];

pub(super) async fn instances_are_paged_newest_first(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit([30, 10, 50, 20, 40].map(insert).to_vec()).await.expect("commit");
    let page = async |before, limit| {
        let rows = store.instances(InstanceFilter::default(), Page { before, limit }).await;
        rows.expect("instances").iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(page(None, 2).await, [50, 40]);
    assert_eq!(page(Some(40), 2).await, [30, 20]);
    assert_eq!(page(Some(20), 2).await, [10]);
    assert_eq!(page(Some(10), 2).await, NONE);
    assert_eq!(page(None, 0).await, NONE);
    let newest = Page { before: None, limit: 1 };
    let rows = store.instances(InstanceFilter::default(), newest).await.expect("instances");
    assert_eq!(rows, [instance(50)]);
}

pub(super) async fn instances_are_found_by_process(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 1, &[("a.bpmn", b"1", 2, "a"), ("b.bpmn", b"1", 3, "b")]).await;
    deploy(&store, 4, &[("a.bpmn", b"2", 5, "a")]).await;
    let of = |key, definition| {
        let row = InstanceRow { definition: DefinitionKey::new(definition), ..instance(key) };
        Change { instances: thin_vec![InstanceWrite::Insert(row)], ..Change::default() }
    };
    let changes = vec![of(10, 2), of(11, 3), of(12, 5), of(13, 3), of(14, 2)];
    node.commit(changes).await.expect("commit");
    let page = async |process: &str, before, limit| {
        let filter = InstanceFilter {
            process_id: Some(ProcessId::new(process)),
            ..InstanceFilter::default()
        };
        let rows = store.instances(filter, Page { before, limit }).await.expect("instances");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(page("a", None, 10).await, [14, 12, 10], "of every version");
    assert_eq!(page("a", None, 2).await, [14, 12]);
    assert_eq!(page("a", Some(12), 2).await, [10]);
    assert_eq!(page("b", None, 10).await, [13, 11]);
    assert_eq!(page("c", None, 10).await, NONE);
}

pub(super) async fn ended_instances_are_paged_and_found_by_process(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 1, &[("a.bpmn", b"1", 2, "a"), ("b.bpmn", b"1", 3, "b")]).await;
    let of =
        |key, definition| EndedRow { definition: DefinitionKey::new(definition), ..ended(key) };
    let rows = vec![of(10, 2), of(11, 3), of(12, 2), of(13, 3)];
    node.write(Change { ended: rows.into(), ..Change::default() }).await;
    let page = async |process: Option<&str>, before, limit| {
        let filter =
            EndedFilter { process_id: process.map(ProcessId::from), ..EndedFilter::default() };
        let rows = store.ended(filter, Page { before, limit }).await.expect("ended");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(page(None, None, 3).await, [13, 12, 11]);
    assert_eq!(page(None, Some(11), 3).await, [10]);
    assert_eq!(page(Some("a"), None, 10).await, [12, 10]);
    assert_eq!(page(Some("b"), Some(13), 10).await, [11]);
    assert_eq!(page(Some("c"), None, 10).await, NONE);
}

pub(super) async fn jobs_are_paged_and_filtered(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key, instance| JobRow { instance: InstanceKey::new(instance), ..job(key) };
    node.write_jobs([
        of(20, 10),
        of(21, 11),
        JobRow { job_type: "ship".into(), ..of(22, 10) },
        JobRow { state: JobState::Failed, retries_left: 0, ..of(23, 11) },
        JobRow { instance: InstanceKey::new(10), ..engine_job(24) },
    ])
    .await;
    let page = async |filter: JobFilter, before, limit| {
        keys(&store.jobs(filter, Page { before, limit }).await.expect("jobs"))
    };
    let any = JobFilter::default;
    let instance = |key| Some(InstanceKey::new(key));
    assert_eq!(page(any(), None, 10).await, [24, 23, 22, 21, 20]);
    assert_eq!(page(any(), None, 2).await, [24, 23]);
    assert_eq!(page(any(), Some(23), 2).await, [22, 21]);
    assert_eq!(page(JobFilter { instance: instance(10), ..any() }, None, 2).await, [24, 22]);
    assert_eq!(page(JobFilter { instance: instance(10), ..any() }, Some(22), 2).await, [20]);
    let pay = Some("pay".into());
    let filter = JobFilter { job_type: pay.clone(), ..any() };
    assert_eq!(page(filter, None, 10).await, [23, 21, 20]);
    let failed = vec![JobState::Failed];
    assert_eq!(page(JobFilter { states: failed.clone(), ..any() }, None, 10).await, [23]);
    let states = vec![JobState::Ready];
    let all = JobFilter { instance: instance(11), job_type: pay, states, ..any() };
    assert_eq!(page(all, None, 10).await, [21]);
    assert_eq!(page(JobFilter { instance: instance(12), ..any() }, None, 10).await, NONE);
    let rows = store.jobs(JobFilter { states: failed.clone(), ..any() }, ALL).await.expect("jobs");
    let expected = JobRow { state: JobState::Failed, retries_left: 0, ..of(23, 11) };
    assert_eq!(rows, [expected]);
}

pub(super) async fn incidents_are_paged_and_filtered(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let rows = vec![incident(20, 10), incident(30, 11), incident(40, 10), incident(50, 10)];
    node.write(Change { incidents_added: rows.into(), ..Change::default() }).await;
    let page = async |instance: Option<i64>, before, limit| {
        let filter = IncidentFilter {
            instance: instance.map(InstanceKey::new),
            ..IncidentFilter::default()
        };
        let rows = store.incidents(filter, Page { before, limit }).await.expect("incidents");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(page(None, None, 3).await, [50, 40, 30]);
    assert_eq!(page(None, Some(30), 3).await, [20]);
    assert_eq!(page(Some(10), None, 2).await, [50, 40]);
    assert_eq!(page(Some(10), Some(40), 2).await, [20]);
    assert_eq!(page(Some(12), None, 2).await, NONE);
}

pub(super) async fn user_tasks_are_paged_and_filtered(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let rows = vec![user_task(20, 10), user_task(30, 11), user_task(40, 10), user_task(50, 10)];
    node.write(Change { user_tasks_added: rows.into(), ..Change::default() }).await;
    let page = async |instance: Option<i64>, before, limit| {
        let filter = UserTaskFilter { instance: instance.map(InstanceKey::new) };
        let rows = store.user_tasks(filter, Page { before, limit }).await.expect("user tasks");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(page(None, None, 3).await, [50, 40, 30]);
    assert_eq!(page(None, Some(30), 3).await, [20]);
    assert_eq!(page(Some(10), None, 2).await, [50, 40]);
    assert_eq!(page(Some(10), Some(40), 2).await, [20]);
    assert_eq!(page(Some(12), None, 2).await, NONE);
}

pub(super) async fn rows_of_another_engine_are_not_listed(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let engine = EngineName::new("another");
    let row = InstanceRow { engine: engine.clone(), ..instance(10) };
    let change = Change {
        instances: thin_vec![InstanceWrite::Insert(row)],
        jobs: thin_vec![JobWrite::Insert(Box::new(JobRow { engine: engine.clone(), ..job(20) }))],
        user_tasks_added: thin_vec![UserTaskRow { engine: engine.clone(), ..user_task(21, 10) }],
        incidents_added: thin_vec![IncidentRow { engine: engine.clone(), ..incident(22, 10) }],
        ended: thin_vec![EndedRow { engine, ..ended(9) }],
        ..Change::default()
    };
    node.write(change).await;
    assert_eq!(store.instances(InstanceFilter::default(), ALL).await, Ok(vec![]));
    assert_eq!(store.jobs(JobFilter::default(), ALL).await, Ok(vec![]));
    assert_eq!(store.user_tasks(UserTaskFilter::default(), ALL).await, Ok(vec![]));
    assert_eq!(store.incidents(IncidentFilter::default(), ALL).await, Ok(vec![]));
    assert_eq!(store.ended(EndedFilter::default(), ALL).await, Ok(vec![]));
}
