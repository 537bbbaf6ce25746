//! The contract suite, directly and behind a transaction pooler.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

mod common;

use std::sync::Arc;

use common::pooler::Pooler;
use common::with_database;
use orloj_store::suite::{CASES, CLUSTER_CASES, Case, engine};
use orloj_store_postgres::{Options, PostgresStore};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract() {
    run_all(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contract_behind_a_transaction_pooler() {
    run_all(true).await;
}

async fn run_all(pooled: bool) {
    with_database(move |url| async move {
        let pooler = if pooled { Some(Pooler::start(&url).await) } else { None };
        let url = pooler.as_ref().map_or(url, |pooler| pooler.url.clone());
        let mut failed = Vec::new();
        for (number, case) in CASES.iter().chain(CLUSTER_CASES).enumerate() {
            if tokio::spawn(run(case, number, url.clone())).await.is_err() {
                failed.push(case.name);
            }
        }
        assert!(failed.is_empty(), "failed: {failed:#?}");
    })
    .await;
}

/// A schema of its own is as fresh as a database of its own, and made faster.
async fn run(case: &'static Case, number: usize, url: String) {
    println!("{}", case.name);
    let options = Options { schema: format!("Case {number}"), ..Options::new(url, engine()) };
    let t=std::time::Instant::now();let store = PostgresStore::connect(options).await.expect("the store opens");println!("open {:?}",t.elapsed());
    let t=std::time::Instant::now();
    (case.run)(Arc::new(store)).await;println!("{:?}",t.elapsed());
}
