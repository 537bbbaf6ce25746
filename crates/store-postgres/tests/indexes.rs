//! Indexes that are missing when a store opens.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

use std::time::Duration;

use crate::common::{client, open, with_database};
use tokio_postgres::Client;

/// Long enough to open a store that waits for nobody.
const AT_ONCE: Duration = Duration::from_secs(20);
/// Long enough to see that a store which waits does not open.
const NOT_YET: Duration = Duration::from_millis(700);

#[tokio::test]
async fn the_index_of_a_large_table_is_made_while_the_node_works() {
    with_database(|url| async move {
        drop(open(&url).await);
        let admin = client(&url).await;
        admin.batch_execute("DROP INDEX ended_age").await.expect("dropped");
        // More than is indexed at once, in rows that stay in the table.
        let rows = "INSERT INTO ended
             SELECT n, 'suite', '', 7, NULL, true, n, n, convert_to(repeat('x', 1900), 'UTF8'), NULL
             FROM generate_series(1, 36000) AS n";
        let plain = "ALTER TABLE ended ALTER COLUMN variables SET STORAGE PLAIN";
        admin.batch_execute(&format!("{plain}; {rows}")).await.expect("rows");
        let writer = client(&url).await;
        let write = "BEGIN; UPDATE ended SET completed = false WHERE key = 1";
        writer.batch_execute(write).await.expect("it writes");

        let opened = tokio::time::timeout(AT_ONCE, open(&url)).await;
        let store = opened.expect("nobody waits for an index that is merely useful");
        assert!(!is_valid(&admin, "ended_age").await, "the writer holds it up");
        writer.batch_execute("COMMIT").await.expect("it is done");
        let made = tokio::time::timeout(AT_ONCE, until_valid(&admin, "ended_age")).await;
        made.expect("it is made");
        drop(store);
    })
    .await;
}

#[tokio::test]
async fn an_index_that_acquisitions_need_is_waited_for_whoever_makes_it() {
    with_database(|url| async move {
        drop(open(&url).await);
        let admin = client(&url).await;
        admin.batch_execute("DROP INDEX job_still_held").await.expect("dropped");
        let writer = client(&url).await;
        let write = "BEGIN; LOCK TABLE job IN ROW EXCLUSIVE MODE";
        writer.batch_execute(write).await.expect("it writes");
        let maker = client(&url).await;
        let making = tokio::spawn(async move {
            let make = "CREATE INDEX CONCURRENTLY job_still_held ON job (instance_key)
                 WHERE state <> 0 AND lock_session IS NOT NULL AND exclusive";
            maker.batch_execute(make).await
        });
        while !exists(&admin, "job_still_held").await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }

        let mut opening = Box::pin(open(&url));
        let early = tokio::time::timeout(NOT_YET, &mut opening).await;
        assert!(early.is_err(), "it would read the whole table with every acquisition");
        writer.batch_execute("COMMIT").await.expect("it is done");
        making.await.expect("it does not panic").expect("it is made");
        drop(tokio::time::timeout(AT_ONCE, opening).await.expect("it opens"));
        assert!(is_valid(&admin, "job_still_held").await);
    })
    .await;
}

async fn until_valid(admin: &Client, index: &str) {
    while !is_valid(admin, index).await {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn is_valid(admin: &Client, index: &str) -> bool {
    let sql = "SELECT 1 FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
         WHERE c.relname = $1 AND i.indisvalid";
    !admin.query(sql, &[&index]).await.expect("catalogue").is_empty()
}

async fn exists(admin: &Client, index: &str) -> bool {
    let sql = "SELECT 1 FROM pg_class WHERE relname = $1";
    !admin.query(sql, &[&index]).await.expect("catalogue").is_empty()
}
