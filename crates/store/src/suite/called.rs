//! Who called an instance.

use std::sync::Arc;

use orloj_types::{EngineName, InstanceKey};
use thin_vec::thin_vec;

use crate::suite::sample::{Node, delete, ended, insert, instance, load, update};
use crate::{
    CalledBy, Change, EndedFilter, EndedRow, InstanceFilter, InstanceRow, InstanceWrite, Page,
    Store,
};

const ALL: Page = Page { before: None, limit: 100 };

pub(super) async fn an_instance_knows_its_caller_and_root(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![insert(10), start(11, 10, 10), start(12, 11, 10)]).await.expect("inserts");
    node.write(update(12, 1)).await;
    let loaded = load(&store, 12).await.expect("it lives").row;
    assert_eq!((loaded.caller, loaded.root), (key(11), key(10)));
    assert_eq!(loaded.rev, 2);
    assert_eq!(load(&store, 11).await.expect("it lives").row, called(11, 10, 10));
    assert_eq!(load(&store, 10).await.expect("it lives").row, instance(10));
    let listed = store.instances(InstanceFilter::default(), ALL).await.expect("instances");
    assert_eq!(listed, [loaded, called(11, 10, 10), instance(10)]);
}

pub(super) async fn called_instances_are_found_by_caller_and_root(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let foreign = InstanceRow { engine: EngineName::new("another"), ..called(19, 10, 10) };
    let foreign =
        Change { instances: thin_vec![InstanceWrite::Insert(foreign)], ..Change::default() };
    let changes = vec![
        insert(10),
        start(11, 10, 10),
        start(12, 11, 10),
        start(13, 10, 10),
        insert(20),
        start(21, 20, 20),
        foreign,
    ];
    node.commit(changes).await.expect("inserts");
    let live = async |by, page| {
        let rows = store.called_instances(by, page).await.expect("called");
        rows.iter().map(|row| row.key.raw()).collect::<Vec<_>>()
    };
    let (caller, root) =
        (CalledBy::Caller(InstanceKey::new(10)), CalledBy::Root(InstanceKey::new(10)));
    assert_eq!(live(caller, ALL).await, [13, 11], "newest first");
    assert_eq!(live(root, ALL).await, [13, 12, 11]);
    assert_eq!(live(root, Page { before: Some(13), limit: 1 }).await, [12]);
    assert_eq!(live(CalledBy::Caller(InstanceKey::new(13)), ALL).await, [0_i64; 0]);
    let rows = store.called_instances(caller, ALL).await.expect("called");
    assert_eq!(rows[1], called(11, 10, 10));

    // Ended ones are found among the ended; one may have ended with the change that started it.
    let end = |key, caller, root| EndedRow {
        caller: self::key(caller),
        root: self::key(root),
        ..ended(key)
    };
    node.write(Change { ended: thin_vec![end(12, 11, 10), ended(30)], ..delete(12, 1) }).await;
    node.write(Change { ended: thin_vec![end(14, 10, 10)], ..Change::default() }).await;
    assert_eq!(live(root, ALL).await, [13, 11]);
    let rows = store.called_ended(root, ALL).await.expect("called");
    assert_eq!(rows, [end(14, 10, 10), end(12, 11, 10)]);
    let rows = store.called_ended(CalledBy::Caller(InstanceKey::new(11)), ALL).await;
    assert_eq!(rows, Ok(vec![end(12, 11, 10)]));
    let found = store.ended_instance(InstanceKey::new(12)).await;
    assert_eq!(found, Ok(Some(end(12, 11, 10))));
    let listed = store.ended(EndedFilter::default(), ALL).await.expect("ended");
    assert_eq!(listed, [ended(30), end(14, 10, 10), end(12, 11, 10)]);
}

fn start(key: i64, caller: i64, root: i64) -> Change {
    let row = called(key, caller, root);
    Change { instances: thin_vec![InstanceWrite::Insert(row)], ..Change::default() }
}

fn called(key: i64, caller: i64, root: i64) -> InstanceRow {
    InstanceRow { caller: self::key(caller), root: self::key(root), ..instance(key) }
}

fn key(raw: i64) -> Option<InstanceKey> {
    Some(InstanceKey::new(raw))
}
