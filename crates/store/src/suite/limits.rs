//! Values at their ends, and the end of the store.

use std::sync::Arc;

use orloj_types::{
    ElementId, ElementInstanceKey, InstanceKey, JobKey, StoredValue, TenantId, Timestamp, ValueTag,
};
use thin_vec::thin_vec;

use crate::suite::sample::{
    NOW, Node, ended, incident, insert, instance, job, load, stored_job, user_task, variable,
};
use crate::{
    Change, CommitError, EndedRow, Error, IncidentRow, InstanceFilter, InstanceRow, InstanceWrite,
    JobRow, JobWrite, PAGE_ROWS_MAX, Page, Store, UserTaskRow, VariableRow, VariableWrite,
};

const MEGABYTE: usize = 1 << 20;

pub(super) async fn large_values_come_back(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let bytes: Vec<u8> = (0..=255).rev().cycle().take(MEGABYTE).collect();
    let row = InstanceRow { record: bytes.clone(), events: bytes.clone(), ..instance(10) };
    let value = StoredValue::new(ValueTag::Bytes, &bytes);
    let large = VariableRow { value, ..variable(10, 10, "large", "") };
    let failure: Arc<str> = "f".repeat(MEGABYTE).into();
    let failed = JobRow { failure: Some(failure), activations: bytes, ..job(20) };
    let change = Change {
        instances: thin_vec![InstanceWrite::Insert(row.clone())],
        jobs: thin_vec![JobWrite::Insert(Box::new(failed.clone()))],
        variables: thin_vec![VariableWrite::Put(large.clone())],
        ..Change::default()
    };
    node.write(change).await;
    let loaded = load(&store, 10).await.expect("it lives");
    assert!(loaded.row == row, "the record differs");
    assert!(loaded.variables == [large], "the variable differs");
    assert!(stored_job(&store, 20).await == Some(failed), "the job differs");
}

pub(super) async fn empty_and_foreign_text_comes_back(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    for (key, text) in
        [(10, ""), (20, "Ořloj 🕰 \u{202e}\u{fffd} 'quote' \"\\ %_;--"), (30, " \t\n")]
    {
        let tenant = TenantId::new(text);
        let some: Option<Arc<str>> = Some(text.into());
        let row = InstanceRow {
            tenant: tenant.clone(),
            business_key: some.clone(),
            record: vec![],
            events: vec![],
            ..instance(key)
        };
        let value = VariableRow { tenant: tenant.clone(), ..variable(key, key, text, text) };
        let job = JobRow {
            tenant: tenant.clone(),
            element: ElementId::new(text),
            job_type: text.into(),
            lock_worker: some.clone(),
            lock_until: Some(NOW),
            failure: some.clone(),
            ..job(key + 1)
        };
        let task = UserTaskRow {
            name: some.clone(),
            assignee: some.clone(),
            form_key: some.clone(),
            ..user_task(key + 2, key)
        };
        let incident =
            IncidentRow { kind: text.into(), message: text.into(), ..incident(key + 3, key) };
        let ended = EndedRow { business_key: some, tenant, variables: vec![], ..ended(key + 4) };
        let change = Change {
            instances: thin_vec![InstanceWrite::Insert(row.clone())],
            jobs: thin_vec![JobWrite::Insert(Box::new(job.clone()))],
            variables: thin_vec![VariableWrite::Put(value.clone())],
            user_tasks_added: thin_vec![task.clone()],
            incidents_added: thin_vec![incident.clone()],
            ended: thin_vec![ended.clone()],
            ..Change::default()
        };
        node.write(change).await;
        let loaded = load(&store, key).await.expect("it lives");
        assert_eq!((loaded.row, loaded.variables), (row, vec![value]));
        assert_eq!(stored_job(&store, key + 1).await.as_ref(), Some(&job));
        assert_eq!(store.user_task(task.key).await, Ok(Some(task)));
        assert_eq!(store.incident(incident.key).await, Ok(Some(incident)));
        assert_eq!(store.ended_instance(ended.key).await, Ok(Some(ended)));
    }
}

pub(super) async fn numbers_at_their_ends_come_back(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    for (key, small, at) in [(i64::MAX, i32::MAX, i64::MAX), (1, i32::MIN, i64::MIN), (2, 0, 0)] {
        let at = Timestamp::from_ms(at);
        let row = InstanceRow { rev: small, ..instance(key) };
        let job = JobRow {
            instance: InstanceKey::new(key),
            element_instance: ElementInstanceKey::new(key),
            retries_left: small,
            priority: at.as_ms(),
            due_at: Some(at),
            lock_worker: Some("anna".into()),
            lock_until: Some(at),
            attempt: small,
            ..job(key)
        };
        let ended = EndedRow { started_at: at, ended_at: at, ..ended(key) };
        let change = Change {
            instances: thin_vec![InstanceWrite::Insert(row.clone())],
            jobs: thin_vec![JobWrite::Insert(Box::new(job.clone()))],
            ended: thin_vec![ended.clone()],
            ..Change::default()
        };
        node.write(change).await;
        assert_eq!(load(&store, key).await.expect("it lives").row, row);
        assert_eq!(store.job(JobKey::new(key)).await, Ok(Some(job)));
        assert_eq!(store.ended_instance(ended.key).await, Ok(Some(ended)));
    }
    assert_eq!(node.beat(i64::MAX).await.next_due_at, Some(Timestamp::from_ms(i64::MIN)));
}

pub(super) async fn a_page_is_never_longer_than_the_limit(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let most = i64::from(PAGE_ROWS_MAX);
    node.commit((1..=most + 5).map(insert).collect()).await.expect("commit");
    for limit in [PAGE_ROWS_MAX + 1, u32::MAX] {
        let page = Page { before: None, limit };
        let rows = store.instances(InstanceFilter::default(), page).await.expect("instances");
        assert_eq!(rows.len() as i64, most);
        assert_eq!(rows[0].key.raw(), most + 5);
    }
}

pub(super) async fn a_closed_store_says_so(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    store.close().await.expect("close");
    store.close().await.expect("close again");
    let read = store.load(vec![InstanceKey::new(10)]).await;
    assert!(matches!(read, Err(Error::Unavailable(_))), "got {read:?}");
    let written = node.commit(vec![insert(11)]).await;
    assert!(matches!(written, Err(CommitError::Unavailable(_))), "got {written:?}");
}
