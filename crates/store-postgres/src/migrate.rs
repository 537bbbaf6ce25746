//! Brings the schema to the number this version knows.

use orloj_store::Error;
use tokio_postgres::types::Type;

use crate::error::damaged;
use crate::index::INDEXES;
use crate::pool::Pool;
use crate::sql::{in_schema, quoted};
use crate::transaction::Transaction;

/// In order; the first is number 1.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_initial.sql"),
    include_str!("../migrations/0002_events.sql"),
    include_str!("../migrations/0003_executor.sql"),
    include_str!("../migrations/0004_pages.sql"),
    include_str!("../migrations/0005_records.sql"),
    include_str!("../migrations/0006_chore_log.sql"),
    include_str!("../migrations/0007_ages.sql"),
    include_str!("../migrations/0008_assets.sql"),
    include_str!("../migrations/0009_locks.sql"),
    include_str!("../migrations/0010_listed_locks.sql"),
    include_str!("../migrations/0011_landed.sql"),
    include_str!("../migrations/0012_tenants.sql"),
    include_str!("../migrations/0013_at_hand.sql"),
    include_str!("../migrations/0014_business_keys.sql"),
];

/// What commits groups. Written anew by every migration, so their text is here once. A node of an
/// earlier version goes on calling them meanwhile: one whose parameters change gets a new name, or is
/// dropped by the migration where such a node must not go on.
const PROCEDURES: &[&str] = &[
    include_str!("../procedures/fit_of.sql"),
    include_str!("../procedures/commit_group.sql"),
    include_str!("../procedures/commit_group_with_events.sql"),
    include_str!("../procedures/commit_group_with_pages.sql"),
    include_str!("../procedures/commit_chores.sql"),
    include_str!("../procedures/commit_chores_with_log.sql"),
];

/// Names our advisory locks among those of other programs in the same database.
pub(crate) const ADVISORY_CLASS: i32 = 0x6f72_6c6f;

pub(crate) async fn migrate(pool: &Pool, schema: &str) -> Result<(), Error> {
    let known = MIGRATIONS.len() as u32;
    if current(pool, schema).await? == known {
        return Ok(());
    }
    let transaction = Transaction::begin(pool).await?;
    // One node migrates, those that start at the same time wait and find the work done.
    let lock = include_str!("../queries/lock_advisory.sql");
    let what = format!("migrate {schema}");
    let params: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
        [(&ADVISORY_CLASS, Type::INT4), (&what, Type::TEXT)];
    transaction.rows(&in_schema(lock, schema), &params).await?;
    let found = version(&transaction, schema).await?;
    if found > known {
        return Err(Error::NewerSchema { found, known });
    }
    if found == 0 {
        if !exists(&transaction, schema).await? {
            transaction.batch(&format!("CREATE SCHEMA {}", quoted(schema))).await?;
        }
        transaction.batch(&in_schema(VERSION_TABLE, schema)).await?;
    }
    for (number, migration) in (1..=known).zip(MIGRATIONS).skip(found as usize) {
        tracing::info!(schema, number, "migrating");
        transaction.batch(&in_schema(migration, schema)).await?;
        let insert = in_schema("INSERT INTO orloj.schema_version (version) VALUES ($1)", schema);
        transaction.execute(&insert, &[(&(number as i32), Type::INT4)]).await?;
    }
    for procedure in PROCEDURES {
        transaction.batch(&in_schema(procedure, schema)).await?;
    }
    if found == 0 {
        // Of empty tables.
        for index in INDEXES {
            transaction.batch(&in_schema(&index.sql(""), schema)).await?;
        }
    }
    transaction.commit().await
}

const VERSION_TABLE: &str = "CREATE TABLE IF NOT EXISTS orloj.schema_version (
    version integer PRIMARY KEY,
    migrated_at timestamptz NOT NULL DEFAULT now()
)";

/// Without waiting for anyone: a store that is up to date opens at once.
async fn current(pool: &Pool, schema: &str) -> Result<u32, Error> {
    let transaction = Transaction::begin(pool).await?;
    let found = version(&transaction, schema).await?;
    transaction.roll_back().await?;
    Ok(found)
}

/// 0 when there is nothing yet.
async fn version(transaction: &Transaction<'_>, schema: &str) -> Result<u32, Error> {
    // From the catalogue as rows: `to_regclass` answers from a cache that may not have heard of
    // the node that has just migrated.
    let sql = "SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relname = 'schema_version'";
    if transaction.rows(sql, &[(&schema, Type::TEXT)]).await?.is_empty() {
        return Ok(0);
    }
    let sql = in_schema(include_str!("../queries/schema_version.sql"), schema);
    let rows = transaction.rows(&sql, &[]).await?;
    let found: Option<i32> = rows.first().and_then(|row| row.get(0));
    u32::try_from(found.unwrap_or(0)).map_err(|e| damaged("schema version", e))
}

async fn exists(transaction: &Transaction<'_>, schema: &str) -> Result<bool, Error> {
    let sql = "SELECT 1 FROM pg_namespace WHERE nspname = $1";
    Ok(!transaction.rows(sql, &[(&schema, Type::TEXT)]).await?.is_empty())
}
