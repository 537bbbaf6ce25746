//! Queries of jobs by all that a person may ask, counts, and orders.

use std::sync::Arc;

use orloj_types::{BatchKey, DefinitionKey, InstanceKey, JobKey, TenantId};
use thin_vec::thin_vec;

use crate::suite::definitions::deploy;
use crate::suite::sample::{
    Node, after, engine_job, incident, insert, job, keys, timer, worker_locked,
};
use crate::{
    Change, EndedFilter, EndedRow, IncidentFilter, IncidentRow, InstanceFilter, InstanceRow,
    InstanceWrite, JobFilter, JobKind, JobOrder, JobRow, JobState, Page, Store,
};

const ALL: Page = Page { before: None, limit: 100 };

async fn found(store: &Arc<dyn Store>, filter: JobFilter) -> Vec<i64> {
    let rows = keys(&store.jobs(filter.clone(), ALL).await.expect("jobs"));
    assert_eq!(store.count_jobs(filter).await, Ok(rows.len() as u64), "the count agrees");
    rows
}

async fn write_some(store: &Arc<dyn Store>) -> Node {
    let mut node = Node::join(store, "n").await;
    deploy(store, 60, &[("a.bpmn", b"1", 61, "a"), ("b.bpmn", b"1", 62, "b")]).await;
    let definition = DefinitionKey::new;
    node.write_jobs([
        JobRow { definition: definition(61), created_at: after(10), ..job(1) },
        JobRow {
            definition: definition(62),
            tenant: TenantId::new("acme"),
            category: Some("night".into()),
            batch: Some(BatchKey::new(77)),
            priority: 5,
            ..engine_job(2)
        },
        JobRow { element: "wait".into(), retries_left: 0, ..timer(3, after(300)) },
        JobRow {
            state: JobState::Failed,
            failure: Some("no route".into()),
            failure_details: Some("at line 3".into()),
            failed_element: Some("task".into()),
            retries_left: 0,
            limit_key: Some("host".into()),
            ..timer(4, after(200))
        },
        JobRow { batch: Some(BatchKey::new(77)), priority: -5, ..worker_locked(5, after(1)) },
        JobRow { lock_session: Some(4_711), topic: "mail".into(), ..engine_job(6) },
    ])
    .await;
    node
}

pub(super) async fn jobs_are_found_by_every_field(store: Arc<dyn Store>) {
    let _node = write_some(&store).await;
    let any = JobFilter::default;
    let is = |filter: JobFilter| found(&store, filter);
    assert_eq!(is(any()).await, [6, 5, 4, 3, 2, 1]);
    assert_eq!(is(JobFilter { keys: vec![JobKey::new(9), JobKey::new(2)], ..any() }).await, [2]);
    let definition = Some(DefinitionKey::new(61));
    assert_eq!(is(JobFilter { definition, ..any() }).await, [1]);
    assert_eq!(is(JobFilter { process_id: Some("b".into()), ..any() }).await, [2]);
    assert_eq!(is(JobFilter { tenant: Some(TenantId::new("acme")), ..any() }).await, [2]);
    assert_eq!(is(JobFilter { element: Some("wait".into()), ..any() }).await, [3]);
    assert_eq!(is(JobFilter { failed_element: Some("task".into()), ..any() }).await, [4]);
    let kinds = vec![JobKind::Timer, JobKind::Worker];
    assert_eq!(is(JobFilter { kinds, ..any() }).await, [5, 4, 3, 1]);
    let states = vec![JobState::Waiting, JobState::Failed];
    assert_eq!(is(JobFilter { states, ..any() }).await, [4, 3]);
    assert_eq!(is(JobFilter { topic: Some("mail".into()), ..any() }).await, [6]);
    assert_eq!(is(JobFilter { category: Some("night".into()), ..any() }).await, [2]);
    assert_eq!(is(JobFilter { limit_key: Some("host".into()), ..any() }).await, [4]);
    assert_eq!(is(JobFilter { batch: Some(BatchKey::new(77)), ..any() }).await, [5, 2]);
    assert_eq!(is(JobFilter { due_before: Some(after(300)), ..any() }).await, [4]);
    assert_eq!(is(JobFilter { due_after: Some(after(200)), ..any() }).await, [3]);
    assert_eq!(is(JobFilter { created_after: Some(after(9)), ..any() }).await, [1]);
    assert_eq!(is(JobFilter { created_before: Some(after(10)), ..any() }).await, [6, 5, 4, 3, 2]);
    assert_eq!(is(JobFilter { has_failure: Some(true), ..any() }).await, [4]);
    assert_eq!(is(JobFilter { has_failure: Some(false), ..any() }).await, [6, 5, 3, 2, 1]);
    assert_eq!(is(JobFilter { failure: Some("no route".into()), ..any() }).await, [4]);
    assert_eq!(is(JobFilter { failure: Some("no".into()), ..any() }).await, [0_i64; 0]);
    assert_eq!(is(JobFilter { has_retries: Some(false), ..any() }).await, [4, 3]);
    assert_eq!(is(JobFilter { has_retries: Some(true), ..any() }).await, [6, 5, 2, 1]);
    assert_eq!(is(JobFilter { priorities: Some(-5..=-1), ..any() }).await, [5]);
    assert_eq!(is(JobFilter { priorities: Some(1..=i64::MAX), ..any() }).await, [2]);
    assert_eq!(is(JobFilter { is_locked: Some(true), ..any() }).await, [6, 5]);
    assert_eq!(is(JobFilter { is_locked: Some(false), ..any() }).await, [4, 3, 2, 1]);
    assert_eq!(is(JobFilter { owner: Some("anna".into()), ..any() }).await, [5]);
    assert_eq!(is(JobFilter { session: Some(4_711), ..any() }).await, [6]);
    // Job 3 has no retries and is not due, job 4 is a dead letter.
    assert_eq!(is(JobFilter { executable_at: Some(after(300)), ..any() }).await, [6, 5, 2, 1]);
    let is_locked = Some(false);
    let ready = JobFilter { states: vec![JobState::Ready], is_locked, ..any() };
    assert_eq!(is(ready.clone()).await, [2, 1]);
    assert_eq!(is(JobFilter { job_type: Some("".into()), ..ready }).await, [2]);
    let both = JobFilter { batch: Some(BatchKey::new(77)), is_locked: Some(true), ..any() };
    assert_eq!(is(both).await, [5]);
}

pub(super) async fn jobs_are_listed_in_every_order(store: Arc<dyn Store>) {
    let _node = write_some(&store).await;
    let listed = async |order, offset, limit| {
        let filter = JobFilter { order, offset, ..JobFilter::default() };
        keys(&store.jobs(filter, Page { before: None, limit }).await.expect("jobs"))
    };
    assert_eq!(listed(JobOrder::OldestFirst, 0, 3).await, [1, 2, 3]);
    assert_eq!(listed(JobOrder::OldestFirst, 3, 9).await, [4, 5, 6]);
    assert_eq!(listed(JobOrder::NewestFirst, 1, 2).await, [5, 4]);
    assert_eq!(listed(JobOrder::EarliestDueFirst, 0, 9).await, [4, 3, 6, 5, 2, 1]);
    assert_eq!(listed(JobOrder::LatestDueFirst, 0, 9).await, [3, 4, 6, 5, 2, 1]);
    assert_eq!(listed(JobOrder::LowestPriorityFirst, 0, 9).await, [5, 6, 4, 3, 1, 2]);
    assert_eq!(listed(JobOrder::HighestPriorityFirst, 0, 9).await, [2, 6, 4, 3, 1, 5]);
    assert_eq!(listed(JobOrder::NextFirst, 0, 9).await, [2, 1, 3, 4, 6, 5]);
    assert_eq!(listed(JobOrder::FewestRetriesFirst, 0, 3).await, [4, 3, 6]);
    assert_eq!(listed(JobOrder::MostRetriesFirst, 4, 9).await, [4, 3]);
}

pub(super) async fn instances_and_incidents_are_found_and_counted(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let row = InstanceRow {
        definition: DefinitionKey::new(8),
        tenant: TenantId::new("acme"),
        business_key: Some("k".into()),
        ..crate::suite::sample::instance(11)
    };
    node.commit(vec![
        insert(10),
        Change { instances: thin_vec![InstanceWrite::Insert(row)], ..Change::default() },
    ])
    .await
    .expect("commit");
    let failed = IncidentRow {
        definition: DefinitionKey::new(8),
        kind: "jobFailed".into(),
        element: "pay".into(),
        job: Some(JobKey::new(3)),
        tenant: TenantId::new("acme"),
        ..incident(31, 11)
    };
    let incidents_added = vec![incident(30, 12), failed];
    node.write(Change { incidents_added: incidents_added.into(), ..Change::default() }).await;
    let instances = async |filter: InstanceFilter| {
        let rows = store.instances(filter.clone(), ALL).await.expect("instances");
        assert_eq!(store.count_instances(filter).await, Ok(rows.len() as u64));
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    let any = InstanceFilter::default;
    assert_eq!(instances(any()).await, [11, 10]);
    let definition = Some(DefinitionKey::new(8));
    assert_eq!(instances(InstanceFilter { definition, ..any() }).await, [11]);
    let tenant = Some(TenantId::new("acme"));
    assert_eq!(instances(InstanceFilter { tenant: tenant.clone(), ..any() }).await, [11]);
    let business_key = Some("order 4711".into());
    assert_eq!(instances(InstanceFilter { business_key, ..any() }).await, [10]);
    assert_eq!(instances(InstanceFilter { has_incidents: Some(true), ..any() }).await, [11]);
    assert_eq!(instances(InstanceFilter { has_incidents: Some(false), ..any() }).await, [10]);

    let incidents = async |filter: IncidentFilter| {
        let rows = store.incidents(filter.clone(), ALL).await.expect("incidents");
        assert_eq!(store.count_incidents(filter).await, Ok(rows.len() as u64));
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    let any = IncidentFilter::default;
    assert_eq!(incidents(any()).await, [31, 30]);
    let instance = Some(InstanceKey::new(12));
    assert_eq!(incidents(IncidentFilter { instance, ..any() }).await, [30]);
    assert_eq!(incidents(IncidentFilter { definition, ..any() }).await, [31]);
    assert_eq!(incidents(IncidentFilter { tenant, ..any() }).await, [31]);
    assert_eq!(incidents(IncidentFilter { kind: Some("jobFailed".into()), ..any() }).await, [31]);
    assert_eq!(incidents(IncidentFilter { element: Some("pay".into()), ..any() }).await, [31]);
    assert_eq!(incidents(IncidentFilter { job: Some(JobKey::new(3)), ..any() }).await, [31]);
}

pub(super) async fn ended_instances_are_found_by_every_field(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let plain = crate::suite::sample::ended(1);
    let other = EndedRow {
        definition: DefinitionKey::new(8),
        tenant: TenantId::new("acme"),
        business_key: Some("k".into()),
        completed: false,
        ended_at: after(90),
        ..crate::suite::sample::ended(2)
    };
    node.write(Change { ended: thin_vec![plain, other], ..Change::default() }).await;
    let is = async |filter: EndedFilter| {
        let rows = store.ended(filter, ALL).await.expect("ended");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    let any = EndedFilter::default;
    assert_eq!(is(any()).await, [2, 1]);
    let definition = Some(DefinitionKey::new(8));
    assert_eq!(is(EndedFilter { definition, ..any() }).await, [2]);
    assert_eq!(is(EndedFilter { tenant: Some(TenantId::new("acme")), ..any() }).await, [2]);
    assert_eq!(is(EndedFilter { business_key: Some("k".into()), ..any() }).await, [2]);
    assert_eq!(is(EndedFilter { completed: Some(true), ..any() }).await, [1]);
    assert_eq!(is(EndedFilter { ended_before: Some(after(90)), ..any() }).await, [1]);
    assert_eq!(is(EndedFilter { ended_after: Some(after(20)), ..any() }).await, [2]);
}
