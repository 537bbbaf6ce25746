//! Changes: guarded by revisions, all or nothing.

use std::sync::Arc;

use crate::suite::sample::{Node, delete, insert, instance, job, load, rev, stored_job, update};
use crate::{Change, CommitError, JobWrite, Store};

pub(super) async fn an_inserted_instance_is_loaded_as_it_was(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    let loaded = load(&store, 10).await.expect("it was inserted");
    assert_eq!(loaded.row, instance(10));
    assert_eq!(loaded.variables, []);
    assert_eq!(load(&store, 11).await, None, "only what exists is loaded");
}

pub(super) async fn an_update_needs_the_expected_revision(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    node.write(update(10, 1)).await;
    let loaded = load(&store, 10).await.expect("it lives");
    assert_eq!(loaded.row.rev, 2);
    assert_eq!(loaded.row.record, 2_i32.to_be_bytes());
    assert_eq!(loaded.row.events, [8, 8]);
    assert_eq!(loaded.row.business_key, instance(10).business_key, "the other columns stay");

    for stale in [update(10, 1), update(10, 3), update(11, 1)] {
        assert_eq!(node.commit(vec![stale]).await, Err(CommitError::Conflicts(vec![0])));
    }
    assert_eq!(load(&store, 10).await, Some(loaded));
}

pub(super) async fn a_delete_needs_the_expected_revision(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    let conflict = Err(CommitError::Conflicts(vec![0]));
    assert_eq!(node.commit(vec![delete(10, 2)]).await, conflict);
    assert_eq!(rev(&store, 10).await, Some(1));
    node.write(delete(10, 1)).await;
    assert_eq!(rev(&store, 10).await, None);
    assert_eq!(node.commit(vec![delete(10, 1)]).await, conflict, "it is gone already");
}

pub(super) async fn an_existing_key_is_not_inserted_again(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    node.write(update(10, 1)).await;
    let again = node.commit(vec![insert(9), insert(10)]).await;
    assert_eq!(again, Err(CommitError::Conflicts(vec![1])));
    assert_eq!((rev(&store, 9).await, rev(&store, 10).await), (None, Some(2)));
}

pub(super) async fn every_loser_is_named_and_nothing_applied(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit((10..16).map(insert).collect()).await.expect("inserts");
    let mut wins = update(12, 1);
    wins.jobs.push(JobWrite::Insert(Box::new(job(20))));
    // Not in the order of keys: places are those of the group as it was given.
    let changes = vec![
        update(15, 7),
        wins,
        insert(10),
        update(11, 1),
        delete(14, 2),
        update(13, 0),
        insert(8),
        delete(99, 1),
    ];
    let lost = node.commit(changes).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![0, 2, 4, 5, 7])));
    for key in 10..16 {
        assert_eq!(rev(&store, key).await, Some(1), "instance {key} is as it was");
    }
    assert_eq!(rev(&store, 8).await, None);
    assert_eq!(stored_job(&store, 20).await, None);
}

pub(super) async fn without_its_losers_a_group_applies(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![insert(10), insert(11), insert(12)]).await.expect("inserts");
    let mut changes = vec![update(10, 1), update(11, 5), delete(12, 1)];
    let Err(CommitError::Conflicts(losers)) = node.commit(changes.clone()).await else {
        panic!("the second change met another revision");
    };
    for loser in losers.into_iter().rev() {
        changes.remove(loser);
    }
    node.commit(changes).await.expect("nobody is in the way now");
    let revs = [rev(&store, 10).await, rev(&store, 11).await, rev(&store, 12).await];
    assert_eq!(revs, [Some(2), Some(1), None]);
}

pub(super) async fn a_change_of_two_instances_is_all_or_nothing(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![insert(10), insert(11)]).await.expect("inserts");
    let both = |first, second| {
        let mut change = update(10, first);
        change.instances.extend(update(11, second).instances);
        change.jobs.push(JobWrite::Insert(Box::new(job(20))));
        change
    };
    for (first, second) in [(1, 2), (2, 1)] {
        let lost = node.commit(vec![both(first, second)]).await;
        assert_eq!(lost, Err(CommitError::Conflicts(vec![0])));
        assert_eq!((rev(&store, 10).await, rev(&store, 11).await), (Some(1), Some(1)));
        assert_eq!(stored_job(&store, 20).await, None);
    }
    node.write(both(1, 1)).await;
    assert_eq!((rev(&store, 10).await, rev(&store, 11).await), (Some(2), Some(2)));
    assert_eq!(stored_job(&store, 20).await, Some(job(20)));
}

pub(super) async fn a_failing_statement_applies_nothing(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write_jobs([job(20)]).await;
    let mut twice = insert(10);
    twice.jobs.push(JobWrite::Insert(Box::new(job(20))));
    let failed = node.commit(vec![insert(9), twice]).await;
    assert!(matches!(failed, Err(CommitError::Statement(_))), "got {failed:?}");
    assert_eq!((rev(&store, 9).await, rev(&store, 10).await), (None, None));
    node.write(insert(9)).await;
    assert_eq!(rev(&store, 9).await, Some(1), "the lane goes on");
}

pub(super) async fn an_empty_group_is_recorded(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![]).await.expect("nothing to do");
    node.write(Change::default()).await;
    assert_eq!(store.landed(node.lease, 0, 2).await, Ok(true));
}
