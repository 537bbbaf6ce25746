//! Limits. One writer, so whoever counts is alone.

use std::sync::Arc;

use orloj_store::{Error, LimitRow, LimitScope, NewLimit, Permits, Rate};
use orloj_types::{EngineName, Timestamp};
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use crate::error::portable;
use crate::rows::{engine, number};
use crate::settings;
use crate::writer::Writer;

pub(crate) fn all(connection: &Connection, of: &str) -> Result<Vec<LimitRow>> {
    let mut statement = connection.prepare_cached(include_str!("../queries/limits.sql"))?;
    statement.query_map((of,), limit)?.collect()
}

pub(crate) fn set(
    writer: &mut Writer,
    new: NewLimit,
    now: Timestamp,
) -> std::result::Result<i64, Error> {
    let engine = writer.engine.clone();
    writer.write(|connection| {
        let old = load(connection, &engine, new.scope, &new.name).map_err(portable)?;
        let row = LimitRow::replacing(old.as_ref(), new, engine.clone(), now);
        connection.execute_batch(index(row.scope)).map_err(portable)?;
        put(connection, &row).map_err(portable)?;
        settings::raise(connection, &engine).map_err(portable)
    })
}

pub(crate) fn delete(
    writer: &mut Writer,
    scope: LimitScope,
    name: &Arc<str>,
) -> std::result::Result<Option<i64>, Error> {
    let engine = writer.engine.clone();
    writer.write(|connection| delete_in(connection, &engine, scope, name).map_err(portable))
}

/// What limits allow at the moment; empty where there are none.
pub(crate) fn permits(connection: &Connection, engine: &str, now: Timestamp) -> Result<Permits> {
    let limits = all(connection, engine)?;
    let counted = limits.into_iter().map(|row| {
        let sql = match row.scope {
            LimitScope::Topic => include_str!("../queries/limit_locked_topic.sql"),
            LimitScope::Tenant => include_str!("../queries/limit_locked_tenant.sql"),
            LimitScope::Key => include_str!("../queries/limit_locked_key.sql"),
        };
        let mut count = connection.prepare_cached(sql)?;
        let locked: i64 = count.query_row((engine, &*row.name), |found| found.get(0))?;
        Ok((row, u64::try_from(locked).unwrap_or(0)))
    });
    Ok(Permits::new(counted.collect::<Result<Vec<_>>>()?, now))
}

pub(crate) fn put(connection: &Connection, row: &LimitRow) -> Result<usize> {
    connection.prepare_cached(include_str!("../queries/limit_put.sql"))?.execute(params![
        &*row.engine,
        row.scope as u8,
        &*row.name,
        row.max_concurrent,
        row.rate.map(|rate| rate.jobs),
        row.rate.map(|rate| rate.interval_ms),
        row.rate.map(|rate| rate.burst),
        row.tokens,
        row.refilled_at.as_ms(),
    ])
}

fn delete_in(
    connection: &Connection,
    engine: &EngineName,
    scope: LimitScope,
    name: &str,
) -> Result<Option<i64>> {
    let sql = include_str!("../queries/limit_delete.sql");
    if connection.prepare_cached(sql)?.execute((&**engine, scope as u8, name))? == 0 {
        return Ok(None);
    }
    // Another engine in the file may count by it.
    let sql = include_str!("../queries/limit_scope.sql");
    if !connection.prepare_cached(sql)?.exists((scope as u8,))? {
        connection.execute_batch(match scope {
            LimitScope::Topic => "DROP INDEX IF EXISTS job_locked_topic",
            LimitScope::Tenant => "DROP INDEX IF EXISTS job_locked_tenant",
            LimitScope::Key => "DROP INDEX IF EXISTS job_locked_key",
        })?;
    }
    settings::raise(connection, engine).map(Some)
}

fn load(
    connection: &Connection,
    engine: &str,
    scope: LimitScope,
    name: &str,
) -> Result<Option<LimitRow>> {
    let mut statement = connection.prepare_cached(include_str!("../queries/limit_load.sql"))?;
    statement.query_row((engine, scope as u8, name), limit).optional()
}

/// The index that counts the locked jobs of a scope.
fn index(scope: LimitScope) -> &'static str {
    match scope {
        LimitScope::Topic => include_str!("../queries/limit_index_topic.sql"),
        LimitScope::Tenant => include_str!("../queries/limit_index_tenant.sql"),
        LimitScope::Key => include_str!("../queries/limit_index_key.sql"),
    }
}

fn limit(row: &Row<'_>) -> Result<LimitRow> {
    let rate = |jobs: u32| {
        Ok::<_, rusqlite::Error>(Rate { jobs, interval_ms: row.get(5)?, burst: row.get(6)? })
    };
    Ok(LimitRow {
        engine: engine(row, 0)?,
        scope: number(row, 1, LimitScope::from_number)?,
        name: row.get(2)?,
        max_concurrent: row.get(3)?,
        rate: row.get::<_, Option<u32>>(4)?.map(rate).transpose()?,
        tokens: row.get(7)?,
        refilled_at: Timestamp::from_ms(row.get(8)?),
    })
}
