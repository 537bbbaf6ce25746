//! How long reads take beside ten million rows of history.
//!
//! `cargo run --release -p orloj-store-postgres --example reads-postgres -- URL`, against a
//! database that may be emptied. The tables are left as a bulk load leaves them: without
//! statistics.
#![expect(clippy::disallowed_methods, reason = "it measures time")]
#![allow(clippy::unwrap_used, reason = "a measurement, not a part of the store")]

use std::time::Instant;

use orloj_store::{InstanceFilter, JobFilter, Page, Store};
use orloj_store_postgres::{Options, PostgresStore};
use orloj_types::{ElementInstanceKey, EngineName, InstanceKey};

const INSTANCES: i64 = 1_000_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = std::env::args().nth(1).expect("the URL of a database");
    let (admin, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    admin.batch_execute("DROP SCHEMA IF EXISTS reads CASCADE").await.unwrap();
    let options =
        Options { schema: "reads".to_owned(), ..Options::new(url, EngineName::default()) };
    let store = PostgresStore::connect(options).await.unwrap();
    let fill = format!(
        "INSERT INTO reads.history
         SELECT g / 10, g % 10, 'default', '', 0, decode(repeat('ab', 100), 'hex')
         FROM generate_series(10, {INSTANCES}::bigint * 10 + 9) AS g;
         INSERT INTO reads.instance
         SELECT g, 1, 'default', '', 7, NULL, decode(repeat('ab', 250), 'hex'), ''
         FROM generate_series(1, {INSTANCES}) AS g;
         INSERT INTO reads.job
         SELECT g + {INSTANCES}, 'default', '', g, 7, g, 'task', 2, 'type ' || g % 10, 0, 3, 0,
             false, NULL, NULL, NULL, NULL, 0, '', NULL
         FROM generate_series(1, {INSTANCES}) AS g"
    );
    admin.batch_execute(&fill).await.unwrap();
    let page = Page { before: None, limit: 100 };
    for _ in 0..3 {
        let started = Instant::now();
        let rows = store.history(InstanceKey::new(INSTANCES / 2)).await.unwrap();
        println!("history of one instance: {} rows, {:?}", rows.len(), started.elapsed());
        let started = Instant::now();
        let rows = store.instances(InstanceFilter::default(), page).await.unwrap();
        println!("page of instances: {} rows, {:?}", rows.len(), started.elapsed());
        let filter = JobFilter { job_type: Some("type 3".into()), ..JobFilter::default() };
        let started = Instant::now();
        let rows = store.jobs(filter, page).await.unwrap();
        println!("page of jobs of a type: {} rows, {:?}", rows.len(), started.elapsed());
        let filter =
            JobFilter { instance: Some(InstanceKey::new(INSTANCES / 2)), ..JobFilter::default() };
        let started = Instant::now();
        let rows = store.jobs(filter, page).await.unwrap();
        println!("jobs of an instance: {} rows, {:?}", rows.len(), started.elapsed());
        let started = Instant::now();
        let found = store.instance_of(ElementInstanceKey::new(-5)).await.unwrap();
        println!("instance of an unknown element instance: {found:?}, {:?}", started.elapsed());
    }
}
