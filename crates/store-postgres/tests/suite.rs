//! The contract suite, directly and behind a transaction pooler.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

mod common;

use std::sync::Arc;

use common::pooler::Pooler;
use common::{open, with_database};
use orloj_store::Store;
use orloj_store::suite::{CASES, CLUSTER_CASES, Case};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract() {
    run_all(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract_behind_a_transaction_pooler() {
    run_all(true).await;
}

async fn run_all(pooled: bool) {
    let mut failed = Vec::new();
    for case in CASES.iter().chain(CLUSTER_CASES) {
        if tokio::spawn(run(case, pooled)).await.is_err() {
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "failed: {failed:#?}");
}

async fn run(case: &'static Case, pooled: bool) {
    with_database(move |url| async move {
        let pooler = if pooled { Some(Pooler::start(&url).await) } else { None };
        let url = pooler.as_ref().map_or(url, |pooler| pooler.url.clone());
        let store: Arc<dyn Store> = open(&url).await;
        println!("{}", case.name);
        (case.run)(store).await;
    })
    .await;
}
