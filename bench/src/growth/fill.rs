//! Copies the rows of waiting instances, with keys of their own: older ones, since those to come
//! belong to the node.

use std::path::PathBuf;

use orloj::StoreChoice;
use rusqlite::Connection;
use tokio_postgres::Client;

use crate::place::{Fresh, Place, connect};

/// Tables of a waiting instance, and those of their columns that are moved with the copy.
const TABLES: [(&str, &[&str]); 2] =
    [("instance", &["key"]), ("job", &["key", "instance_key", "element_instance_key"])];
/// Copies made by one statement, so that none holds too much.
const CHUNK: u64 = 100_000;
/// How far all keys of what is copied lie apart; one copy begins that far before the next.
const SPAN: &str = "SELECT max(key) - min(key) + 1 FROM (SELECT key FROM instance \
    UNION ALL SELECT key FROM job UNION ALL SELECT element_instance_key FROM job) AS keys";

/// Makes so many copies of each instance that is there.
pub async fn copy(fresh: &Fresh, place: Place, copies: u64) -> anyhow::Result<()> {
    match (place, &fresh.choice) {
        (Place::Postgres, _) => in_postgres(&connect(&fresh.url).await?, copies).await,
        (Place::Sqlite, StoreChoice::SqliteFile(path)) => {
            let path = path.clone();
            tokio::task::spawn_blocking(move || in_sqlite(path, copies)).await?
        }
        (Place::Sqlite, _) => anyhow::bail!("only a file can be filled"),
    }
}

async fn in_postgres(client: &Client, copies: u64) -> anyhow::Result<()> {
    let span: i64 = client.query_one(SPAN, &[]).await?.get(0);
    for (table, moved) in TABLES {
        let rows = client
            .query(
                "SELECT column_name::text FROM information_schema.columns \
                 WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position",
                &[&table],
            )
            .await?;
        let columns: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        let (names, values) = lists(&columns, moved, span);
        let originals = format!("originals_{table}");
        client
            .batch_execute(&format!("CREATE TEMP TABLE {originals} AS SELECT * FROM {table}"))
            .await?;
        for from in (1..=copies).step_by(CHUNK as usize) {
            let to = copies.min(from + CHUNK - 1);
            client
                .batch_execute(&format!(
                    "INSERT INTO {table} ({names}) SELECT {values} \
                     FROM {originals} t, generate_series({from}::bigint, {to}) AS n"
                ))
                .await?;
        }
    }
    // Plans are to be those of a full table.
    for statement in ["VACUUM ANALYZE", "CHECKPOINT"] {
        client.batch_execute(statement).await?;
    }
    Ok(())
}

fn in_sqlite(path: PathBuf, copies: u64) -> anyhow::Result<()> {
    let connection = Connection::open(path)?;
    let span: i64 = connection.query_row(SPAN, [], |row| row.get(0))?;
    for (table, moved) in TABLES {
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let columns: Vec<String> =
            statement.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let (names, values) = lists(&columns, moved, span);
        connection.execute_batch(&format!(
            "CREATE TEMP TABLE originals_{table} AS SELECT * FROM {table}"
        ))?;
        for from in (1..=copies).step_by(CHUNK as usize) {
            let to = copies.min(from + CHUNK - 1);
            connection.execute_batch(&format!(
                "WITH RECURSIVE number(n) AS (SELECT {from} UNION ALL SELECT n + 1 FROM number \
                 WHERE n < {to}) INSERT INTO {table} ({names}) SELECT {values} \
                 FROM number, originals_{table} t"
            ))?;
        }
    }
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

fn lists(columns: &[String], moved: &[&str], span: i64) -> (String, String) {
    let value = |column: &String| match moved.contains(&column.as_str()) {
        true => format!("t.{column} - n * {span}"),
        false => format!("t.{column}"),
    };
    (columns.join(", "), columns.iter().map(value).collect::<Vec<_>>().join(", "))
}
