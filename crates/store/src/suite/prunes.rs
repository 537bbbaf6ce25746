//! Removing what is old.

use std::sync::Arc;

use orloj_types::{BatchKey, DefinitionKey, InstanceKey, TenantId, Timestamp};

use crate::suite::batches::{batch, writes};
use crate::suite::engine;
use crate::suite::sample::{Node, ended};
use crate::{
    ALL_MINUTES, BatchFilter, BatchWrite, Change, EndedFilter, EndedRow, HistoryRow, MeterQuery,
    MeterRow, Page, Prune, PruneQuery, Pruned, Store,
};

const ALL: Page = Page { before: None, limit: 100 };
const MINUTE: i64 = 60_000;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

fn history(instance: i64, rev: i32) -> HistoryRow {
    HistoryRow {
        instance: InstanceKey::new(instance),
        rev,
        engine: engine(),
        tenant: TenantId::none(),
        at: at(0),
        events: vec![1; 2_000],
    }
}

/// Ended at the minute of its key, of the definition of its last digit.
fn old(key: i64) -> EndedRow {
    EndedRow {
        definition: DefinitionKey::new(key % 10),
        ended_at: at(key * MINUTE),
        caller: Some(InstanceKey::new(1)),
        ..ended(key)
    }
}

async fn left(store: &Arc<dyn Store>) -> Vec<i64> {
    let rows = store.ended(EndedFilter::default(), ALL).await.expect("ended");
    rows.iter().map(|row| row.key.raw()).collect()
}

async fn prune(store: &Arc<dyn Store>, what: Prune, limit: u32) -> Pruned {
    store.prune(PruneQuery { what, limit }).await.expect("prune")
}

pub(super) async fn ended_instances_go_by_age_with_their_history(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let change = Change {
        ended: [10, 11, 12, 20, 21].map(old).to_vec(),
        history: vec![history(10, 1), history(10, 2), history(11, 1), history(99, 1)],
        ..Change::default()
    };
    node.write(change).await;
    let before = |definition: Option<i64>, minute: i64, after: Option<i64>| Prune::Ended {
        before: at(minute * MINUTE),
        definition: definition.map(DefinitionKey::new),
        minutes: ALL_MINUTES,
        after: after.map(InstanceKey::new),
    };
    let pruned = prune(&store, before(None, 12, None), 1).await;
    assert_eq!(pruned, Pruned { rows: 1, last: Some(InstanceKey::new(10)) });
    assert_eq!(left(&store).await, [21, 20, 12, 11]);
    assert_eq!(store.history(InstanceKey::new(10)).await, Ok(vec![]));
    assert_eq!(store.history(InstanceKey::new(11)).await, Ok(vec![history(11, 1)]));
    assert_eq!(store.history(InstanceKey::new(99)).await, Ok(vec![history(99, 1)]), "it lives");
    // From where the last one was.
    assert_eq!(prune(&store, before(Some(1), 60, Some(11)), 9).await.rows, 1);
    assert_eq!(left(&store).await, [20, 12, 11]);
    assert_eq!(prune(&store, before(None, 60, None), 9).await.rows, 3);
    assert_eq!(prune(&store, before(None, 60, None), 9).await, Pruned::default());
    let called = crate::CalledBy::Caller(InstanceKey::new(1));
    assert_eq!(store.called_ended(called, ALL).await, Ok(vec![]));
}

pub(super) async fn ended_instances_go_when_their_time_has_come(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key: i64, removal: Option<i64>| EndedRow {
        removal_at: removal.map(|minute| at(minute * MINUTE)),
        ..ended(key)
    };
    let rows = vec![of(1, Some(70)), of(2, None), of(3, Some(65)), of(4, Some(200))];
    node.write(Change { ended: rows.clone(), ..Change::default() }).await;
    let stored = store.ended_instance(InstanceKey::new(1)).await;
    assert_eq!(stored, Ok(Some(rows[0].clone())));
    let until = |minute: i64, minutes| Prune::Removable { until: at(minute * MINUTE), minutes };
    assert_eq!(prune(&store, until(64, ALL_MINUTES), 9).await.rows, 0);
    // Minute 65 is the fifth of its hour, 70 the tenth.
    assert_eq!(prune(&store, until(90, 6..=59), 9).await.rows, 1);
    assert_eq!(left(&store).await, [4, 3, 2]);
    assert_eq!(prune(&store, until(65, 0..=5), 9).await.rows, 1);
    assert_eq!(left(&store).await, [4, 2]);
    assert_eq!(prune(&store, until(i64::MAX / MINUTE, ALL_MINUTES), 9).await.rows, 1);
    assert_eq!(left(&store).await, [2], "nothing says when");
}

pub(super) async fn batches_and_meters_go_by_age(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let mut all = Vec::new();
    for (key, removal) in [(1, Some(5)), (2, None), (3, Some(9))] {
        all.push(BatchWrite::Insert(batch(key)));
        let (key, ended_at) = (BatchKey::new(key), at(100 * key));
        all.push(BatchWrite::End { key, ended_at, removal_at: removal.map(at) });
    }
    node.write(writes(all)).await;
    let left = async || {
        let rows = store.ended_batches(BatchFilter::default(), ALL).await.expect("ended batches");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(prune(&store, Prune::Batches { until: at(5) }, 9).await.rows, 1);
    assert_eq!(left().await, [3, 2]);
    assert_eq!(prune(&store, Prune::BatchesEnded { before: at(300) }, 9).await.rows, 1);
    assert_eq!(left().await, [3]);

    let meter = |ms| MeterRow {
        engine: engine(),
        name: "m".into(),
        reporter: "r".into(),
        at: at(ms),
        value: 1,
    };
    store.add_meters([1, 2, 3, 4].map(meter).to_vec()).await.expect("added");
    assert_eq!(prune(&store, Prune::Meters { before: at(4) }, 2).await.rows, 2);
    assert_eq!(prune(&store, Prune::Meters { before: at(4) }, 2).await.rows, 1);
    let sums = store.meters(MeterQuery::default()).await.expect("meters");
    assert_eq!(sums[0].value, 1);
    assert_eq!(prune(&store, Prune::Operations { before: at(4) }, 2).await.rows, 0);
}
