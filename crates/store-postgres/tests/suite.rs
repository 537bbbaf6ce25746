//! The contract suite, directly and behind a transaction pooler.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

use std::sync::Arc;

use crate::common::pooler::Pooler;
use crate::common::with_database;
use orloj_store::suite::{CASES, CLUSTER_CASES, Case, engine};
use orloj_store_postgres::{Options, PostgresStore};
use tokio::sync::Semaphore;

/// Mostly they wait for the disk.
const CASES_AT_ONCE: usize = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract() {
    run_all(false, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract_behind_a_transaction_pooler() {
    run_all(true, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract_row_by_row() {
    run_all(false, false).await;
}

async fn run_all(pooled: bool, in_bulk: bool) {
    with_database(move |url| async move {
        let pooler = if pooled { Some(Pooler::start(&url).await) } else { None };
        let url = pooler.as_ref().map_or(url, |pooler| pooler.url.clone());
        let turns = Arc::new(Semaphore::new(CASES_AT_ONCE));
        let cases = CASES.iter().chain(CLUSTER_CASES).enumerate().map(|(number, case)| {
            let (turns, url) = (Arc::clone(&turns), url.clone());
            let run = async move {
                let _turn = turns.acquire().await.expect("it is never closed");
                run(case, number, url, in_bulk).await;
            };
            (case, tokio::spawn(run))
        });
        let mut failed = Vec::new();
        for (case, running) in cases.collect::<Vec<_>>() {
            if running.await.is_err() {
                failed.push(case.name);
            }
        }
        assert!(failed.is_empty(), "failed: {failed:#?}");
    })
    .await;
}

/// A schema of its own is as fresh as a database of its own, and made faster.
async fn run(case: &'static Case, number: usize, url: String, in_bulk: bool) {
    let schema = format!("Case {number}");
    let options = Options { schema, in_bulk, ..Options::new(url, engine()) };
    let store = PostgresStore::connect(options).await.expect("the store opens");
    (case.run)(Arc::new(store)).await;
}
