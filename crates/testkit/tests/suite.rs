//! The simulated store keeps the contract that the simulation relies on.

use std::sync::Arc;

use futures_util::FutureExt;
use orloj_store::suite::{CASES, CLUSTER_CASES, Case, EMBEDDED_CASES, engine};
use orloj_testkit::sim_store::{Kind, SimStore};

#[test]
fn as_a_cluster() {
    run_all(Kind::Cluster, CASES.iter().chain(CLUSTER_CASES));
}

#[test]
fn embedded() {
    run_all(Kind::Embedded, CASES.iter().chain(EMBEDDED_CASES));
}

/// Runs every case, also after one has failed, and names those that did.
fn run_all<'a>(kind: Kind, cases: impl Iterator<Item = &'a Case>) {
    let mut failed = Vec::new();
    for case in cases {
        let run = (case.run)(Arc::new(SimStore::new(engine(), kind)));
        let run = std::panic::AssertUnwindSafe(run).catch_unwind();
        // Its futures never wait, except for one another.
        let ended =
            (0..1_000_000).try_fold(Box::pin(run), |mut run, _| match (&mut run).now_or_never() {
                Some(outcome) => Err(outcome.is_ok()),
                None => Ok(run),
            });
        if !matches!(ended, Err(true)) {
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "failed cases: {failed:?}");
}
