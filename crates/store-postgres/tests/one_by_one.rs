//! Rows that are written one by one: as many statements as rows, and the same rows as in bulk.

use std::sync::Arc;

use crate::common::{
    client, engine_job, group, insert, join, open, update, with_database, with_job,
};
use orloj_store::suite::engine;
use orloj_store::{
    Change, CommitError, HistoryRow, InstanceWrite, JobWrite, Store, VariableRow, VariableWrite,
};
use orloj_store_postgres::{Options, PostgresStore};
use orloj_types::{ElementInstanceKey, InstanceKey, JobKey, StoredValue, TenantId, Timestamp};
use tokio_postgres::Client;

/// Tells of every statement how many rows it wrote.
const WATCH: &str = "
    CREATE TABLE watched (number bigserial, what text, rows bigint);
    CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO watched (what, rows)
        SELECT lower(TG_OP) || ' ' || TG_TABLE_NAME, count(*) FROM written;
        RETURN NULL;
    END $$;
    DO $$
    DECLARE of_table text;
    BEGIN
        FOREACH of_table IN ARRAY ARRAY['instance', 'job', 'variable', 'history'] LOOP
            EXECUTE format('CREATE TRIGGER watch_insert AFTER INSERT ON %I
                REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION watch()',
                of_table);
            EXECUTE format('CREATE TRIGGER watch_update AFTER UPDATE ON %I
                REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION watch()',
                of_table);
            EXECUTE format('CREATE TRIGGER watch_delete AFTER DELETE ON %I
                REFERENCING OLD TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION watch()',
                of_table);
        END LOOP;
    END $$;";

async fn opened(url: &str, in_bulk: bool) -> Arc<PostgresStore> {
    let options = Options { in_bulk, ..Options::new(url, engine()) };
    Arc::new(PostgresStore::connect(options).await.expect("the store opens"))
}

/// Every statement since the last time, in order, with the rows that it wrote.
async fn statements(admin: &Client) -> Vec<(String, i64)> {
    let sql = "WITH seen AS (DELETE FROM watched RETURNING *) SELECT * FROM seen ORDER BY number";
    let rows = admin.query(sql, &[]).await.expect("watched");
    let told: Vec<(String, i64)> = rows.iter().map(|row| (row.get(1), row.get(2))).collect();
    // A trigger of an insertion that updates nothing tells of no rows.
    told.into_iter().filter(|(_, rows)| *rows > 0).collect()
}

/// A start with three jobs, two variables and its history, then a step that ends two jobs.
fn changes() -> [Change; 2] {
    let mut begun = [101, 102, 103]
        .into_iter()
        .fold(insert(1), |change, key| with_job(change, engine_job(key)));
    for name in ["a", "b"] {
        let row = VariableRow {
            instance: InstanceKey::new(1),
            scope: ElementInstanceKey::new(1),
            name: name.into(),
            value: StoredValue::text("x"),
            engine: engine(),
            tenant: TenantId::none(),
        };
        begun.variables.push(VariableWrite::Put(row));
    }
    begun.history.push(HistoryRow {
        instance: InstanceKey::new(1),
        rev: 1,
        engine: engine(),
        tenant: TenantId::none(),
        at: Timestamp::ZERO,
        events: vec![1],
    });
    let mut gone_on = update(1, 1);
    gone_on.jobs = [101, 103].map(|key| JobWrite::Delete(JobKey::new(key))).to_vec().into();
    [begun, gone_on]
}

async fn watched(url: String, in_bulk: bool) -> Vec<Vec<(String, i64)>> {
    let store = opened(&url, in_bulk).await;
    let admin = client(&url).await;
    admin.batch_execute(WATCH).await.expect("watch");
    let lease = join(&*store, "n").await;
    let mut told = Vec::new();
    for (id, change) in (1..).zip(changes()) {
        store.commit(group(lease, 0, id, vec![change])).await.expect("commit");
        assert_eq!(store.landed(lease, 0, id).await, Ok(true));
        told.push(statements(&admin).await);
    }
    let loaded = store.load(vec![InstanceKey::new(1)]).await.expect("load");
    assert_eq!((loaded[0].row.rev, loaded[0].variables.len()), (2, 2));
    assert!(store.job(JobKey::new(102)).await.expect("read").is_some());
    assert!(store.job(JobKey::new(103)).await.expect("read").is_none());
    told
}

fn told(words: &[&str]) -> Vec<(String, i64)> {
    let split = |word: &&str| {
        let (what, rows) = word.rsplit_once(' ').expect("what and how many");
        (what.to_owned(), rows.parse().expect("a number"))
    };
    words.iter().map(split).collect()
}

#[tokio::test]
async fn every_row_is_a_statement() {
    with_database(|url| async move {
        let begun = [
            "insert instance 1",
            "insert job 1",
            "insert job 1",
            "insert job 1",
            "insert variable 1",
            "insert variable 1",
            "insert history 1",
        ];
        let gone_on = ["update instance 1", "delete job 1", "delete job 1"];
        assert_eq!(watched(url, false).await, [told(&begun), told(&gone_on)]);
    })
    .await;
}

#[tokio::test]
async fn in_bulk_every_kind_of_row_is() {
    with_database(|url| async move {
        let begun = ["insert instance 1", "insert job 3", "insert variable 2", "insert history 1"];
        let gone_on = ["update instance 1", "delete job 2"];
        assert_eq!(watched(url, true).await, [told(&begun), told(&gone_on)]);
    })
    .await;
}

/// Be its first row refused, or its last one when the others are written already.
#[tokio::test]
async fn a_change_stays_all_or_nothing() {
    with_database(|url| async move {
        let store = opened(&url, false).await;
        let lease = join(&*store, "n").await;
        store.commit(group(lease, 0, 1, vec![insert(1)])).await.expect("commit");
        let mut change = with_job(insert(2), engine_job(201));
        change.instances.push(InstanceWrite::Delete { key: InstanceKey::new(1), expected_rev: 7 });
        let lost = store.commit(group(lease, 0, 2, vec![change])).await;
        assert!(matches!(&lost, Err(CommitError::Conflicts(losers)) if *losers == [0]), "{lost:?}");
        let bulk = open(&url).await;
        assert!(bulk.job(JobKey::new(201)).await.expect("read").is_none());
        assert!(bulk.load(vec![InstanceKey::new(2)]).await.expect("load").is_empty());

        let twice = with_job(with_job(insert(3), engine_job(301)), engine_job(301));
        let refused = store.commit(group(lease, 0, 3, vec![twice])).await;
        assert!(matches!(refused, Err(CommitError::Statement(_))), "{refused:?}");
        assert!(bulk.load(vec![InstanceKey::new(3)]).await.expect("load").is_empty());
        store.commit(group(lease, 0, 4, vec![insert(3)])).await.expect("the lane goes on");
    })
    .await;
}
