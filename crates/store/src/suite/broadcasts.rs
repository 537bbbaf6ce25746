//! Broadcasts: listed until they are done, moved on by one at a time.

use std::sync::Arc;

use orloj_types::EngineName;
use thin_vec::thin_vec;

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
    let told = BroadcastRow { place: "7".into(), ..broadcast(42) };
    let rows = vec![broadcast(43), broadcast(41), told.clone()];
    node.write(thrown(rows)).await;
    assert!(node.beat(0).await.has_broadcasts);
    let all = store.broadcasts(10).await;
    assert_eq!(all, Ok(vec![broadcast(41), told, broadcast(43)]), "oldest first");
    assert_eq!(store.broadcasts(1).await, Ok(vec![broadcast(41)]));
    node.write(moved(vec![done(41, ""), done(42, "7"), done(43, "")])).await;
    assert_eq!(store.broadcasts(10).await, Ok(vec![]));
    assert!(!node.beat(0).await.has_broadcasts);
}

pub(super) async fn a_broadcast_moves_on_from_where_it_is(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(thrown(vec![broadcast(41)])).await;
    let at = async || {
        let rows = store.broadcasts(10).await.expect("broadcasts");
        rows.first().map(|row| row.place.to_string())
    };
    node.write(Change { broadcasts: thin_vec![progress(41, "", "100 š")], ..insert(10) }).await;
    assert_eq!(at().await.as_deref(), Some("100 š"));
    for stale in [progress(41, "", "100 š"), progress(41, "100", "200"), done(41, "")] {
        let change = Change { broadcasts: thin_vec![stale], ..insert(11) };
        let lost = node.commit(vec![insert(12), change]).await;
        assert_eq!(lost, Err(CommitError::Conflicts(vec![1])));
        assert_eq!(at().await.as_deref(), Some("100 š"));
        assert_eq!(rev(&store, 11).await, None);
    }
    node.write(moved(vec![progress(41, "100 š", "200")])).await;
    node.write(moved(vec![done(41, "200")])).await;
    assert_eq!(at().await, None);
    let gone = node.commit(vec![moved(vec![progress(41, "200", "300")])]).await;
    assert_eq!(gone, Err(CommitError::Conflicts(vec![0])));
}

pub(super) async fn nodes_that_move_a_broadcast_at_once_have_one_winner(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(thrown(vec![broadcast(41)])).await;
    let mut at = String::new();
    for round in 1..=20 {
        let write = |lane: u8| {
            let write = progress(41, &at, &format!("{round}"));
            group(node.lease, lane, 10 + round, vec![moved(vec![write])])
        };
        let groups = vec![write(0), write(1)];
        let outcomes =
            together(groups.into_iter().map(|group| store.commit(group)).collect()).await;
        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!(won, 1, "outcomes {outcomes:?}");
        at = format!("{round}");
    }
}

fn broadcast(key: i64) -> BroadcastRow {
    BroadcastRow {
        key: BroadcastKey::new(key),
        engine: engine(),
        tenant: orloj_types::TenantId::none(),
        name: "stop".into(),
        variables: vec![1, 2],
        place: "".into(),
    }
}

fn thrown(broadcasts_added: Vec<BroadcastRow>) -> Change {
    Change { broadcasts_added: broadcasts_added.into(), ..Change::default() }
}

fn moved(broadcasts: Vec<BroadcastWrite>) -> Change {
    Change { broadcasts: broadcasts.into(), ..Change::default() }
}

fn progress(key: i64, expected: &str, place: &str) -> BroadcastWrite {
    let (expected, place) = (expected.into(), place.into());
    BroadcastWrite::Progress { key: BroadcastKey::new(key), expected, place }
}

fn done(key: i64, expected: &str) -> BroadcastWrite {
    BroadcastWrite::Done { key: BroadcastKey::new(key), expected: expected.into() }
}
