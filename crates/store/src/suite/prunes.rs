//! Removing what is old.

use std::sync::Arc;

use orloj_types::{BatchKey, DefinitionKey, InstanceKey, TenantId, Timestamp};
use thin_vec::thin_vec;

use crate::suite::batches::{batch, writes};
use crate::suite::engine;
use crate::suite::sample::{Node, ended};
use crate::{
    ALL_MINUTES, BatchEnd, BatchFilter, BatchKinds, BatchRow, BatchWrite, Change, EndedFilter,
    EndedRow, HistoryRow, MeterQuery, MeterRow, Page, Prune, PruneQuery, Pruned, Store,
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
        ended: [10, 11, 12, 20, 21].map(old).to_vec().into(),
        history: thin_vec![history(10, 1), history(10, 2), history(11, 1), history(99, 1)],
        ..Change::default()
    };
    node.write(change).await;
    let before = |minute: i64| Prune::Ended {
        before: Some(at(minute * MINUTE)),
        own: Vec::new(),
        minutes: ALL_MINUTES,
    };
    let pruned = prune(&store, before(12), 1).await;
    assert_eq!(pruned, Pruned { rows: 1 });
    assert_eq!(left(&store).await, [21, 20, 12, 11]);
    assert_eq!(store.history(InstanceKey::new(10)).await, Ok(vec![]));
    assert_eq!(store.history(InstanceKey::new(11)).await, Ok(vec![history(11, 1)]));
    assert_eq!(store.history(InstanceKey::new(99)).await, Ok(vec![history(99, 1)]), "it lives");
    assert_eq!(prune(&store, before(21), 9).await.rows, 3);
    assert_eq!(left(&store).await, [21]);
    assert_eq!(prune(&store, before(60), 9).await.rows, 1);
    assert_eq!(prune(&store, before(60), 9).await, Pruned::default());
    let called = crate::CalledBy::Caller(InstanceKey::new(1));
    assert_eq!(store.called_ended(called, ALL).await, Ok(vec![]));
}

pub(super) async fn definitions_have_times_of_their_own(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let ended = [10, 11, 12, 20, 21, 22].map(old).to_vec();
    node.write(Change { ended: ended.into(), ..Change::default() }).await;
    let own = |before: Option<i64>, own: &[(i64, Option<i64>)]| Prune::Ended {
        before: before.map(|minute| at(minute * MINUTE)),
        own: own
            .iter()
            .map(|(key, minute)| (DefinitionKey::new(*key), minute.map(|m| at(m * MINUTE))))
            .collect(),
        minutes: ALL_MINUTES,
    };
    // The first waits for longer than all others, the second goes never.
    let what = own(Some(21), &[(1, Some(5)), (2, None)]);
    assert_eq!(prune(&store, what, 9).await.rows, 2);
    assert_eq!(left(&store).await, [22, 21, 12, 11]);
    assert_eq!(prune(&store, own(None, &[(1, Some(12)), (3, Some(90))]), 9).await.rows, 1);
    assert_eq!(left(&store).await, [22, 21, 12]);
    assert_eq!(prune(&store, own(None, &[]), 9).await.rows, 0, "nothing says when");
}

pub(super) async fn clean_ups_share_the_minutes_of_every_hour(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    // Three hours of two definitions, and one of before 1970.
    let minutes = [61, 79, 91, 121, 130, 151, 180, 239];
    let mut rows = minutes.map(old).to_vec();
    rows.push(EndedRow { ended_at: at(-50 * MINUTE), ..old(9) });
    node.write(Change { ended: rows.into(), ..Change::default() }).await;
    let of = |before: i64, minutes| Prune::Ended {
        before: Some(at(before * MINUTE)),
        own: Vec::new(),
        minutes,
    };
    assert_eq!(prune(&store, of(239, 20..=39), 9).await.rows, 2);
    assert_eq!(left(&store).await, [239, 180, 130, 121, 79, 61, 9]);
    assert_eq!(prune(&store, of(130, 0..=19), 9).await.rows, 4, "10 minutes past an hour is one");
    assert_eq!(left(&store).await, [239, 180, 130]);
    assert_eq!(prune(&store, of(131, 10..=10), 9).await.rows, 1);
    assert_eq!(prune(&store, of(999, 0..=58), 9).await.rows, 1);
    assert_eq!(prune(&store, of(999, 59..=59), 9).await.rows, 1);
}

pub(super) async fn ended_instances_go_when_their_time_has_come(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let of = |key: i64, removal: Option<i64>| EndedRow {
        removal_at: removal.map(|minute| at(minute * MINUTE)),
        ..ended(key)
    };
    let rows = vec![of(1, Some(70)), of(2, None), of(3, Some(65)), of(4, Some(200))];
    node.write(Change { ended: rows.clone().into(), ..Change::default() }).await;
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
    for (key, kind, removal) in
        [(1, "a", Some(5)), (2, "a", None), (3, "a", Some(9)), (4, "b", None)]
    {
        all.push(BatchWrite::Insert(BatchRow { kind: kind.into(), ..batch(key) }));
        let end = BatchEnd {
            at: at(100 * key.min(3)),
            removal_at: removal.map(at),
            parts_done: 0,
            parts_failed: 0,
        };
        all.push(BatchWrite::End { key: BatchKey::new(key), end });
    }
    node.write(writes(all)).await;
    let left = async || {
        let rows = store.ended_batches(BatchFilter::default(), ALL).await.expect("ended batches");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    assert_eq!(prune(&store, Prune::Batches { until: at(5) }, 9).await.rows, 1);
    assert_eq!(left().await, [4, 3, 2]);
    let ended = |ms, kinds| Prune::BatchesEnded { before: at(ms), kinds };
    let b = || vec!["b".into()];
    assert_eq!(prune(&store, ended(300, BatchKinds::AllBut(Vec::new())), 9).await.rows, 1);
    assert_eq!(left().await, [4, 3]);
    assert_eq!(prune(&store, ended(301, BatchKinds::AllBut(b())), 9).await.rows, 1);
    assert_eq!(left().await, [4]);
    assert_eq!(prune(&store, ended(301, BatchKinds::Only(vec!["a".into()])), 9).await.rows, 0);
    let these = |keys: &[i64]| Prune::BatchKeys(keys.iter().copied().map(BatchKey::new).collect());
    assert_eq!(prune(&store, these(&[9, 4]), 1).await.rows, 0, "more are not looked at");
    node.write(writes(vec![BatchWrite::Insert(batch(9))])).await;
    assert_eq!(prune(&store, these(&[9]), 1).await.rows, 0, "one that has not ended stays");
    assert_eq!(
        store.batch(BatchKey::new(9)).await.expect("batch").map(|row| row.key.raw()),
        Some(9)
    );
    assert_eq!(prune(&store, these(&[4, 7]), 2).await.rows, 1);
    assert_eq!(left().await, [0_i64; 0]);

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
