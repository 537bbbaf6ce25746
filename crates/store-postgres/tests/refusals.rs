//! Values the database cannot hold: they are refused, and spoil nothing else.

use crate::common::{engine_job, group, insert, join, open, rev, with_database, with_job};
use orloj_store::{Change, CommitError, InstanceWrite, JobKind, JobRow, Store};

#[tokio::test]
async fn what_cannot_be_stored_is_blamed_on_the_group() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        let nul = with_job(insert(1), JobRow { failure: Some("a\0b".into()), ..engine_job(101) });
        // Longer than an entry of the index of ready jobs may be, and not to be compressed.
        let long: String = (0..50_000_u32)
            .map(|n| n.wrapping_mul(2_654_435_761) % 90_000)
            .filter_map(char::from_u32)
            .filter(|c| *c != '\0')
            .collect();
        let job = JobRow { kind: JobKind::Worker, job_type: long.into(), ..engine_job(102) };
        let long = with_job(insert(2), job);
        let twice = Change {
            instances: [insert(3), insert(3)].map(first).to_vec().into(),
            ..Change::default()
        };
        let mut id = 0;
        for bad in [nul, long, twice] {
            id += 1;
            let refused = store.commit(group(lease, 0, id, vec![insert(9), bad])).await;
            assert!(matches!(refused, Err(CommitError::Statement(_))), "got {refused:?}");
            assert_eq!(store.landed(lease, 0, id).await, Ok(false));
            assert_eq!(rev(&*store, 9).await, None);
        }
        store.commit(group(lease, 0, id + 1, vec![insert(9)])).await.expect("the lane goes on");
    })
    .await;
}

/// A database that lost its functions is nobody's fault who has work to commit.
#[tokio::test]
async fn a_broken_schema_is_not_blamed_on_the_group() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        let admin = crate::common::client(&url).await;
        admin.batch_execute("DROP PROCEDURE commit_group").await.expect("drop");
        let failed = store.commit(group(lease, 0, 1, vec![insert(9)])).await;
        assert!(matches!(failed, Err(CommitError::Unavailable(_))), "got {failed:?}");
    })
    .await;
}

fn first(change: Change) -> InstanceWrite {
    change.instances.into_iter().next().expect("it has one")
}
