//! Broadcasts: listed until they are done, moved on by one at a time.

use std::sync::Arc;

use orloj_types::{EngineName, SubscriptionKey};

use crate::suite::engine;
use crate::suite::sample::{Node, group, insert, rev};
use crate::suite::together::together;
use crate::{BroadcastKey, BroadcastRow, BroadcastWrite, Change, CommitError, Store};

pub(super) async fn broadcasts_are_listed_until_they_are_done(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    assert!(!node.beat(0).await.has_broadcasts);
    let elsewhere = BroadcastRow { engine: EngineName::new("another"), ..broadcast(40) };
    node.write(thrown(vec![elsewhere])).await;
    assert!(!node.beat(0).await.has_broadcasts, "another engine's");
    let told = BroadcastRow { after: Some(SubscriptionKey::new(7)), ..broadcast(42) };
    let rows = vec![broadcast(43), broadcast(41), told.clone()];
    node.write(thrown(rows)).await;
    assert!(node.beat(0).await.has_broadcasts);
    let all = store.broadcasts(10).await;
    assert_eq!(all, Ok(vec![broadcast(41), told, broadcast(43)]), "oldest first");
    assert_eq!(store.broadcasts(1).await, Ok(vec![broadcast(41)]));
    node.write(moved(vec![done(41, None), done(42, Some(7)), done(43, None)])).await;
    assert_eq!(store.broadcasts(10).await, Ok(vec![]));
    assert!(!node.beat(0).await.has_broadcasts);
}

pub(super) async fn a_broadcast_moves_on_from_where_it_is(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(thrown(vec![broadcast(41)])).await;
    let at = async || {
        let rows = store.broadcasts(10).await.expect("broadcasts");
        rows.first().map(|row| row.after.map(SubscriptionKey::raw))
    };
    node.write(Change { broadcasts: vec![progress(41, None, 100)], ..insert(10) }).await;
    assert_eq!(at().await, Some(Some(100)));
    for stale in [progress(41, None, 100), progress(41, Some(99), 200), done(41, None)] {
        let change = Change { broadcasts: vec![stale], ..insert(11) };
        let lost = node.commit(vec![insert(12), change]).await;
        assert_eq!(lost, Err(CommitError::Conflicts(vec![1])));
        assert_eq!((at().await, rev(&store, 11).await), (Some(Some(100)), None));
    }
    node.write(moved(vec![progress(41, Some(100), 200)])).await;
    node.write(moved(vec![done(41, Some(200))])).await;
    assert_eq!(at().await, None);
    let gone = node.commit(vec![moved(vec![progress(41, Some(200), 300)])]).await;
    assert_eq!(gone, Err(CommitError::Conflicts(vec![0])));
}

pub(super) async fn nodes_that_move_a_broadcast_at_once_have_one_winner(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(thrown(vec![broadcast(41)])).await;
    let mut at = None;
    for round in 1..=20 {
        let write = |lane: u8| {
            let write = progress(41, at, round * 100);
            group(node.lease, lane, 10 + round, vec![moved(vec![write])])
        };
        let groups = vec![write(0), write(1)];
        let outcomes =
            together(groups.into_iter().map(|group| store.commit(group)).collect()).await;
        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!(won, 1, "outcomes {outcomes:?}");
        at = Some(round * 100);
    }
}

fn broadcast(key: i64) -> BroadcastRow {
    BroadcastRow {
        key: BroadcastKey::new(key),
        engine: engine(),
        tenant: orloj_types::TenantId::none(),
        name: "stop".into(),
        variables: vec![1, 2],
        after: None,
    }
}

fn thrown(broadcasts_added: Vec<BroadcastRow>) -> Change {
    Change { broadcasts_added, ..Change::default() }
}

fn moved(broadcasts: Vec<BroadcastWrite>) -> Change {
    Change { broadcasts, ..Change::default() }
}

fn progress(key: i64, expected: Option<i64>, after: i64) -> BroadcastWrite {
    let (key, expected) = (BroadcastKey::new(key), expected.map(SubscriptionKey::new));
    BroadcastWrite::Progress { key, expected, after: SubscriptionKey::new(after) }
}

fn done(key: i64, expected: Option<i64>) -> BroadcastWrite {
    let expected = expected.map(SubscriptionKey::new);
    BroadcastWrite::Done { key: BroadcastKey::new(key), expected }
}
