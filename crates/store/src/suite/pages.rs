//! The pages of large records.

use std::sync::Arc;

use orloj_types::{ElementInstanceKey, InstanceKey};
use thin_vec::thin_vec;

use crate::RecordPageKind::{Elements, Variables};
use crate::suite::sample::{Node, delete, ended, insert, load, page, update};
use crate::{CommitError, RecordPage, RecordPageKind, RecordPageWrite, Store};

pub(super) async fn pages_are_put_replaced_and_deleted(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let mut change = insert(10);
    change.pages = thin_vec![
        put(10, Elements, 12, b"a"),
        put(10, Variables, 12, b"b"),
        put(10, Elements, 15, b"c"),
    ];
    let mut other = insert(11);
    other.pages = thin_vec![put(11, Elements, 12, b"d")];
    node.commit(vec![change, other]).await.expect("commit");
    let expected =
        [page(10, Elements, 12, b"a"), page(10, Elements, 15, b"c"), page(10, Variables, 12, b"b")];
    assert_eq!(pages(&store, 10).await, expected);
    assert_eq!(pages(&store, 11).await, [page(11, Elements, 12, b"d")]);

    let mut change = update(10, 1);
    change.pages = thin_vec![
        put(10, Elements, 12, b"longer than before"),
        gone(10, Variables, 12),
        gone(10, Variables, 99),
        put(10, Variables, 20, b"e"),
    ];
    node.write(change).await;
    let expected = [
        page(10, Elements, 12, b"longer than before"),
        page(10, Elements, 15, b"c"),
        page(10, Variables, 20, b"e"),
    ];
    assert_eq!(pages(&store, 10).await, expected);
    let both = store.load(vec![InstanceKey::new(11), InstanceKey::new(10)]).await.expect("load");
    for loaded in both {
        assert!(loaded.pages.iter().all(|page| page.instance == loaded.row.key));
    }
}

pub(super) async fn all_pages_of_an_instance_can_be_deleted(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let mut change = insert(10);
    change.pages = (0..40).map(|n| put(10, Elements, 100 + n, b"x")).collect();
    let mut other = insert(11);
    other.pages = thin_vec![put(11, Variables, 100, b"y")];
    node.commit(vec![change, other]).await.expect("commit");
    assert_eq!(pages(&store, 10).await.len(), 40);
    let mut change = delete(10, 1);
    change.ended = thin_vec![ended(10)];
    change.pages = thin_vec![RecordPageWrite::DeleteAll { instance: InstanceKey::new(10) }];
    node.write(change).await;
    // Its key is free again, and nothing of the first is left.
    node.write(insert(10)).await;
    assert_eq!(pages(&store, 10).await, []);
    assert_eq!(pages(&store, 11).await.len(), 1);
}

pub(super) async fn a_change_that_loses_leaves_the_pages_as_they_were(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let mut change = insert(10);
    change.pages = thin_vec![put(10, Elements, 12, b"a"), put(10, Elements, 13, b"b")];
    node.write(change).await;
    let mut late = update(10, 7);
    late.pages = thin_vec![
        put(10, Elements, 12, b"never"),
        gone(10, Elements, 13),
        put(10, Variables, 1, b"")
    ];
    let lost = node.commit(vec![late]).await;
    assert_eq!(lost.map(|_| ()), Err(CommitError::Conflicts(vec![0])));
    let expected = [page(10, Elements, 12, b"a"), page(10, Elements, 13, b"b")];
    assert_eq!(pages(&store, 10).await, expected);
}

pub(super) async fn a_page_keeps_all_its_bytes(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let bytes: Vec<u8> = (0..70_000_u32).map(|n| (n % 251) as u8).collect();
    let mut change = insert(10);
    change.pages =
        thin_vec![put(10, Elements, i64::MAX, &bytes), put(10, Variables, i64::MIN, b"")];
    node.write(change).await;
    let expected = [page(10, Elements, i64::MAX, &bytes), page(10, Variables, i64::MIN, b"")];
    assert!(pages(&store, 10).await == expected, "the pages differ");
}

fn put(instance: i64, kind: RecordPageKind, first: i64, bytes: &[u8]) -> RecordPageWrite {
    RecordPageWrite::Put(page(instance, kind, first, bytes))
}

fn gone(instance: i64, kind: RecordPageKind, first: i64) -> RecordPageWrite {
    RecordPageWrite::Delete {
        instance: InstanceKey::new(instance),
        kind,
        first: ElementInstanceKey::new(first),
    }
}

/// By kind and key.
async fn pages(store: &Arc<dyn Store>, key: i64) -> Vec<RecordPage> {
    let mut pages = load(store, key).await.expect("it is there").pages;
    pages.sort_by_key(|page| (page.kind, page.first));
    pages
}
