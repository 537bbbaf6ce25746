//! Batches, under way and ended.

use orloj_store::{BatchFilter, BatchRow, EndedBatchRow, Page};
use orloj_types::{BatchKey, Timestamp};
use rusqlite::{CachedStatement, Connection, Result, Row, params};

use crate::queries::{all, at_most, limit};
use crate::rows::{engine, moment, tenant};

pub(crate) fn list(
    connection: &Connection,
    engine: &str,
    filter: &BatchFilter,
    page: Page,
) -> Result<Vec<BatchRow>> {
    let values = (
        at_most(page),
        engine,
        limit(page),
        filter.kind.as_deref(),
        filter.tenant.as_deref(),
        filter.suspended,
    );
    all(connection, include_str!("../queries/batches.sql"), values, batch)
}

pub(crate) fn list_ended(
    connection: &Connection,
    engine: &str,
    filter: &BatchFilter,
    page: Page,
) -> Result<Vec<EndedBatchRow>> {
    let (kind, tenant) = (filter.kind.as_deref(), filter.tenant.as_deref());
    let values = (at_most(page), engine, limit(page), kind, tenant);
    all(connection, include_str!("../queries/ended_batches.sql"), values, ended_batch)
}

pub(crate) fn insert(into: &mut CachedStatement<'_>, row: &BatchRow) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        &*row.kind,
        row.total,
        row.parts_made,
        row.config,
        row.suspended,
        row.created_at.as_ms(),
        row.started_at.map(Timestamp::as_ms),
        row.created_by.as_deref(),
    ])
}

pub(crate) fn batch(row: &Row<'_>) -> Result<BatchRow> {
    Ok(BatchRow {
        key: BatchKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        kind: row.get(3)?,
        total: row.get(4)?,
        parts_made: row.get(5)?,
        config: row.get(6)?,
        suspended: row.get(7)?,
        created_at: Timestamp::from_ms(row.get(8)?),
        started_at: moment(row, 9)?,
        created_by: row.get(10)?,
    })
}

fn ended_batch(row: &Row<'_>) -> Result<EndedBatchRow> {
    Ok(EndedBatchRow {
        key: BatchKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        kind: row.get(3)?,
        total: row.get(4)?,
        created_at: Timestamp::from_ms(row.get(5)?),
        started_at: moment(row, 6)?,
        created_by: row.get(7)?,
        ended_at: Timestamp::from_ms(row.get(8)?),
        removal_at: moment(row, 9)?,
        parts_made: row.get(10)?,
        parts_done: row.get(11)?,
        parts_failed: row.get(12)?,
    })
}
