//! Batches, operations and meters.

use std::sync::Arc;

use orloj_types::{BatchKey, DefinitionKey, InstanceKey, JobDefinitionKey, OperationKey, TenantId};

use crate::suite::engine;
use crate::suite::sample::{NOW, Node, after};
use crate::{
    BatchEnd, BatchFilter, BatchRow, BatchUpdate, BatchWrite, Change, EndedBatchRow,
    JobDefinitionFilter, JobDefinitionRow, MeterQuery, MeterRow, OperationFilter, OperationRow,
    Page, Store,
};

const ALL: Page = Page { before: None, limit: 100 };

pub(super) fn batch(key: i64) -> BatchRow {
    BatchRow {
        key: BatchKey::new(key),
        engine: engine(),
        tenant: TenantId::none(),
        kind: "set-job-retries".into(),
        total: 10,
        parts_made: 0,
        config: vec![1, 2, 3],
        suspended: false,
        created_at: NOW,
        started_at: None,
        created_by: Some("anna".into()),
    }
}

pub(super) fn writes(batches: Vec<BatchWrite>) -> Change {
    Change { batches: batches.into(), ..Change::default() }
}

fn operation(key: i64) -> OperationRow {
    OperationRow {
        key: OperationKey::new(key),
        group: OperationKey::new(key / 10 * 10),
        engine: engine(),
        tenant: TenantId::none(),
        at: after(key),
        user: Some("anna".into()),
        operation: "SetPriority".into(),
        entity: "Job".into(),
        entity_key: Some(7),
        instance: Some(InstanceKey::new(key * 100)),
        definition: None,
        job_definition: None,
        property: Some("priority".into()),
        old: None,
        new: Some("5".into()),
    }
}

pub(super) async fn a_batch_goes_on_and_ends(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let suspended = BatchRow { suspended: true, kind: "x".into(), ..batch(6) };
    let inserts = [batch(5), suspended.clone(), batch(7)].map(BatchWrite::Insert).to_vec();
    node.write(writes(inserts)).await;
    assert_eq!(store.batch(BatchKey::new(5)).await, Ok(Some(batch(5))));
    let list = async |filter: BatchFilter| {
        let rows = store.batches(filter, ALL).await.expect("batches");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(list(BatchFilter::default()).await, [7, 6, 5]);
    let is = |suspended| BatchFilter { suspended: Some(suspended), ..BatchFilter::default() };
    assert_eq!((list(is(true)).await, list(is(false)).await), (vec![6], vec![7, 5]));

    let key = BatchKey::new(5);
    let update = |at| BatchUpdate { key, started_at: Some(after(at)), ..BatchUpdate::default() };
    let made = BatchUpdate {
        key,
        parts_made: Some(4),
        config: Some(vec![9]),
        suspended: Some(true),
        started_at: None,
    };
    // Changes of one group each say what they know.
    let (first, second) = (BatchWrite::Update(update(3)), BatchWrite::Update(made));
    node.commit(vec![writes(vec![first]), writes(vec![second])]).await.expect("commit");
    node.write(writes(vec![BatchWrite::Update(update(8))])).await;
    let expected = BatchRow {
        parts_made: 4,
        config: vec![9],
        suspended: true,
        started_at: Some(after(3)),
        ..batch(5)
    };
    assert_eq!(store.batch(key).await, Ok(Some(expected.clone())));

    let definition = |number: i64, batch: i64| JobDefinitionRow {
        key: JobDefinitionKey::new(number),
        engine: engine(),
        tenant: TenantId::none(),
        definition: DefinitionKey::new(0),
        process_id: "".into(),
        element: "".into(),
        kind: "batch-seed-job".into(),
        configuration: batch.to_string().into(),
        suspended: false,
        priority: None,
    };
    let job_definitions_added = vec![definition(51, 5), definition(61, 6), definition(71, 7)];
    node.write(Change { job_definitions_added: job_definitions_added.into(), ..Change::default() })
        .await;
    let defined = async || {
        let rows = store.job_definitions(JobDefinitionFilter::default(), ALL).await;
        rows.expect("job definitions").iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(defined().await, [71, 61, 51]);
    let of_batch = store.job_definition(JobDefinitionKey::new(51)).await;
    assert_eq!(of_batch, Ok(Some(definition(51, 5))));

    let removal_at = Some(after(900));
    let end = BatchEnd { at: after(90), removal_at, parts_done: 3, parts_failed: 1 };
    let over = end;
    let end = BatchWrite::End { key, end };
    let unknown = BatchWrite::Update(BatchUpdate { key: BatchKey::new(1), ..update(1) });
    node.write(writes(vec![end, BatchWrite::Delete(BatchKey::new(7)), unknown])).await;
    assert_eq!(list(BatchFilter::default()).await, [6]);
    assert_eq!(defined().await, [61], "they go with their batches");
    let expected = EndedBatchRow::of(expected, over);
    assert_eq!((expected.parts_made, expected.parts_done, expected.parts_failed), (4, 3, 1));
    let ended = store.ended_batches(BatchFilter::default(), ALL).await;
    assert_eq!(ended, Ok(vec![expected]));

    let keys = vec![key, BatchKey::new(6), BatchKey::new(1)];
    assert_eq!(store.set_batch_removal(keys, None).await, Ok(1), "only those that have ended");
    let ended = store.ended_batches(BatchFilter::default(), ALL).await.expect("ended batches");
    assert_eq!(ended[0].removal_at, None);
    assert_eq!(store.set_batch_removal(vec![key], removal_at).await, Ok(1));
    let ended = store.ended_batches(BatchFilter::default(), ALL).await.expect("ended batches");
    assert_eq!(ended[0].removal_at, removal_at);
}

pub(super) async fn operations_are_logged_and_found(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let other = OperationRow {
        user: None,
        operation: "Delete".into(),
        entity_key: None,
        property: None,
        new: None,
        ..operation(21)
    };
    let operations = vec![operation(11), operation(12), other.clone(), operation(22)];
    node.write(Change { operations: operations.into(), ..Change::default() }).await;
    let found = async |filter: OperationFilter, page| {
        let rows = store.operations(filter, page).await.expect("operations");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    let any = OperationFilter::default;
    assert_eq!(found(any(), ALL).await, [22, 21, 12, 11]);
    assert_eq!(found(any(), Page { before: Some(21), limit: 1 }).await, [12]);
    let group = Some(OperationKey::new(10));
    assert_eq!(found(OperationFilter { group, ..any() }, ALL).await, [12, 11]);
    let operation = Some("Delete".into());
    assert_eq!(found(OperationFilter { operation, ..any() }, ALL).await, [21]);
    let user = Some("anna".into());
    assert_eq!(found(OperationFilter { user, ..any() }, ALL).await, [22, 12, 11]);
    let instance = Some(InstanceKey::new(1_200));
    assert_eq!(found(OperationFilter { instance, ..any() }, ALL).await, [12]);
    let (from, until) = (Some(after(12)), Some(after(22)));
    assert_eq!(found(OperationFilter { from, until, ..any() }, ALL).await, [21, 12]);
    let operation = Some("Delete".into());
    let rows = store.operations(OperationFilter { operation, ..any() }, ALL).await;
    assert_eq!(rows, Ok(vec![other]));
}

pub(super) async fn meters_are_added_and_summed(store: Arc<dyn Store>) {
    let meter = |name: &str, reporter: &str, at: i64, value| MeterRow {
        engine: engine(),
        name: name.into(),
        reporter: reporter.into(),
        at: orloj_types::Timestamp::from_ms(at),
        value,
    };
    store.add_meters(vec![]).await.expect("nothing");
    store
        .add_meters(vec![
            meter("job-failed", "a", 1_000, 1),
            meter("job-failed", "a", 1_000, 2),
            meter("job-failed", "b", 1_999, 4),
            meter("job-failed", "a", 2_000, 8),
            meter("job-successful", "a", 1_500, 16),
        ])
        .await
        .expect("added");
    store.add_meters(vec![meter("job-failed", "a", 1_000, 32)]).await.expect("added");
    let sums = async |query: MeterQuery| {
        let rows = store.meters(query).await.expect("meters");
        let told = |row: crate::MeterSum| {
            let reporter = row.reporter.unwrap_or_default().to_string();
            (row.at.as_ms(), row.name.to_string(), reporter, row.value)
        };
        rows.into_iter().map(told).collect::<Vec<_>>()
    };
    let row =
        |at, name: &str, reporter: &str, value| (at, name.to_owned(), reporter.to_owned(), value);
    let all = sums(MeterQuery::default()).await;
    assert_eq!(all, [row(0, "job-failed", "", 47), row(0, "job-successful", "", 16)]);
    let name: Option<Arc<str>> = Some("job-failed".into());
    let by_second = MeterQuery {
        name: name.clone(),
        interval_ms: Some(1_000),
        by_reporter: true,
        ..MeterQuery::default()
    };
    let expected = [
        row(2_000, "job-failed", "a", 8),
        row(1_000, "job-failed", "a", 35),
        row(1_000, "job-failed", "b", 4),
    ];
    assert_eq!(sums(by_second.clone()).await, expected);
    assert_eq!(sums(MeterQuery { limit: 1, ..by_second }).await, expected[..1]);
    let some = MeterQuery {
        name,
        reporter: Some("a".into()),
        from: Some(orloj_types::Timestamp::from_ms(1_000)),
        until: Some(orloj_types::Timestamp::from_ms(2_000)),
        ..MeterQuery::default()
    };
    assert_eq!(sums(some).await, [row(0, "job-failed", "", 35)]);
}
