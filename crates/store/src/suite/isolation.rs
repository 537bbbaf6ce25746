//! What several callers at once may see and get.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use orloj_types::{InstanceKey, JobKey};

use crate::suite::sample::{
    NOW, Node, engine_job, for_engine, for_worker, group, insert, job, rev, update,
};
use crate::suite::together::together;
use crate::{Acquire, Change, CommitError, JobRow, JobWrite, Store, Wanted};

type Running<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Every group moves both instances and the job's key; a load that saw a part of one would see
/// different revisions.
pub(super) async fn a_load_never_sees_half_a_group(store: Arc<dyn Store>) {
    const GROUPS: i32 = 100;
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![insert(10), insert(11)]).await.expect("inserts");
    let lease = node.lease;
    let writer: Running<'_, ()> = Box::pin(async {
        for rev in 1..=GROUPS {
            let changes = vec![update(10, rev), update(11, rev)];
            store.commit(group(lease, 1, rev.into(), changes)).await.expect("commit");
        }
    });
    let mut running = vec![writer];
    for _ in 0..3 {
        running.push(Box::pin(async {
            loop {
                let keys = vec![InstanceKey::new(10), InstanceKey::new(11)];
                let loaded = store.load(keys).await.expect("load");
                let revs: Vec<i32> = loaded.iter().map(|loaded| loaded.row.rev).collect();
                assert_eq!(revs.len(), 2);
                assert_eq!(revs[0], revs[1], "half of a group was seen");
                if revs[0] > GROUPS {
                    break;
                }
            }
        }));
    }
    together(running).await;
}

pub(super) async fn concurrent_updates_of_one_revision_have_one_winner(store: Arc<dyn Store>) {
    const ROUNDS: i32 = 30;
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![insert(10)]).await.expect("insert");
    let lease = node.lease;
    for round in 1..=ROUNDS {
        let groups =
            (0..2).map(|lane| group(lease, lane, 100 + i64::from(round), vec![update(10, round)]));
        let outcomes = together(groups.map(|group| store.commit(group)).collect()).await;
        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        let lost = Err(CommitError::Conflicts(vec![0]));
        assert_eq!(won, 1, "outcomes {outcomes:?}");
        assert!(outcomes.contains(&lost), "outcomes {outcomes:?}");
        assert_eq!(rev(&store, 10).await, Some(round + 1));
    }
}

pub(super) async fn acquisitions_at_once_never_share_a_job(store: Arc<dyn Store>) {
    const JOBS: i64 = 200;
    let mut node = Node::join(&store, "n").await;
    node.write_jobs((0..JOBS).map(|at| job(1_000 + at))).await;
    node.write_jobs((0..JOBS).map(|at| engine_job(2_000 + at))).await;
    let lease = node.lease;
    let take = |wanted: Wanted| -> Running<'_, Vec<JobRow>> {
        let store = &store;
        Box::pin(async move {
            let mut taken = Vec::new();
            loop {
                let acquire = Acquire { lease, wanted: wanted.clone(), limit: 7, now: NOW };
                let jobs = store.acquire(acquire).await.expect("acquire");
                if jobs.is_empty() {
                    return taken;
                }
                taken.extend(jobs);
                assert!(taken.len() as i64 <= JOBS, "jobs are given again and again");
            }
        })
    };
    // A change that deletes some of the jobs runs in between.
    let deletes = Change {
        jobs: (0..20).map(|at| JobWrite::Delete(JobKey::new(1_190 - at))).collect(),
        ..Change::default()
    };
    let deleting: Running<'_, Vec<JobRow>> = Box::pin(async {
        store.commit(group(lease, 1, 1, vec![deletes])).await.expect("commit");
        Vec::new()
    });
    let mut running = vec![deleting];
    for _ in 0..4 {
        running.push(take(for_worker("pay")));
        running.push(take(for_engine()));
    }
    let taken: Vec<JobRow> = together(running).await.into_iter().flatten().collect();
    let distinct: BTreeSet<JobKey> = taken.iter().map(|job| job.key).collect();
    assert_eq!(distinct.len(), taken.len(), "a job was given twice");
    assert!(taken.iter().all(|job| job.attempt == 1));
    let engine = taken.iter().filter(|job| job.job_type.is_empty()).count();
    assert_eq!(engine as i64, JOBS, "every one was given");
    let worker = (taken.len() - engine) as i64;
    assert!((JOBS - 20..=JOBS).contains(&worker), "{worker} worker jobs were given");
}
