//! Lanes: finding out about a lost answer, and keeping the fenced out.

use std::sync::Arc;

use crate::suite::sample::{Node, group, insert, job, rev, stored_job, update};
use crate::{CommitError, Error, JobWrite, Store};

pub(super) async fn a_group_has_landed_when_it_was_committed(store: Arc<dyn Store>) {
    let lease = Node::join(&store, "n").await.lease;
    assert_eq!(store.landed(lease, 0, 1).await, Ok(false), "nothing was sent yet");
    for id in 1..=3 {
        store.commit(group(lease, 0, id, vec![insert(id)])).await.expect("commit");
        assert_eq!(store.landed(lease, 0, id).await, Ok(true));
        assert_eq!(store.landed(lease, 0, id + 1).await, Ok(false));
    }
}

pub(super) async fn a_group_that_lost_has_not_landed(store: Arc<dyn Store>) {
    let lease = Node::join(&store, "n").await.lease;
    let lost = store.commit(group(lease, 0, 1, vec![update(10, 1)])).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![0])));
    assert_eq!(store.landed(lease, 0, 1).await, Ok(false));
}

pub(super) async fn lanes_do_not_know_of_each_other(store: Arc<dyn Store>) {
    let lease = Node::join(&store, "n").await.lease;
    store.commit(group(lease, 1, 5, vec![insert(10)])).await.expect("commit");
    assert_eq!(store.landed(lease, 0, 1).await, Ok(false));
    assert_eq!(store.landed(lease, 1, 5).await, Ok(true));
}

pub(super) async fn what_was_prepared_counts_only_when_it_is_committed(store: Arc<dyn Store>) {
    let lease = Node::join(&store, "n").await.lease;
    let dissolved = group(lease, 0, 1, vec![insert(10)]);
    store.prepare(&dissolved);
    store.commit(group(lease, 0, 2, vec![insert(11)])).await.expect("commit");
    assert_eq!((rev(&store, 10).await, rev(&store, 11).await), (None, Some(1)));
    let next = group(lease, 0, 3, vec![insert(10), update(11, 1)]);
    store.prepare(&next);
    store.commit(next).await.expect("commit");
    assert_eq!((rev(&store, 10).await, rev(&store, 11).await), (Some(1), Some(2)));
}

pub(super) async fn a_fenced_session_commits_nothing(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![insert(10)]).await.expect("commit");
    assert_eq!(store.fence(node.lease.session, node.counter().await).await, Ok(true));

    let mut change = insert(11);
    change.jobs.push(JobWrite::Insert(Box::new(job(20))));
    // Being fenced comes before any conflict: the losers of a dead node are nobody's business.
    let late = node.commit(vec![change, update(10, 1), update(12, 1)]).await;
    assert_eq!(late, Err(CommitError::Fenced));
    assert_eq!((rev(&store, 10).await, rev(&store, 11).await), (Some(1), None));
    assert_eq!(stored_job(&store, 20).await, None);
    assert_eq!(store.landed(node.lease, 0, 1).await, Err(Error::Fenced));
    assert_eq!(store.landed(node.lease, 0, 2).await, Err(Error::Fenced));
}

pub(super) async fn a_lane_that_was_not_opened_commits_nothing(store: Arc<dyn Store>) {
    let lease = Node::join(&store, "n").await.lease;
    let unopened = store.commit(group(lease, 2, 1, vec![insert(10)])).await;
    assert_eq!(unopened, Err(CommitError::Fenced));
    assert_eq!(rev(&store, 10).await, None);
}
