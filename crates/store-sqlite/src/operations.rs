//! The log of operations.

use orloj_store::{OperationFilter, OperationRow, Page};
use orloj_types::{DefinitionKey, InstanceKey, JobDefinitionKey, OperationKey, Timestamp};
use rusqlite::{CachedStatement, Connection, Result, Row, params};

use crate::queries::{all, at_most, limit};
use crate::rows::{engine, tenant};

pub(crate) fn list(
    connection: &Connection,
    engine: &str,
    filter: &OperationFilter,
    page: Page,
) -> Result<Vec<OperationRow>> {
    let values = params![
        at_most(page),
        engine,
        limit(page),
        filter.group.map(OperationKey::raw),
        filter.user.as_deref(),
        filter.operation.as_deref(),
        filter.entity.as_deref(),
        filter.entity_key,
        filter.instance.map(InstanceKey::raw),
        filter.definition.map(DefinitionKey::raw),
        filter.job_definition.map(JobDefinitionKey::raw),
        filter.property.as_deref(),
        filter.from.map(Timestamp::as_ms),
        filter.until.map(Timestamp::as_ms),
    ];
    all(connection, include_str!("../queries/operations.sql"), values, operation)
}

pub(crate) fn insert(into: &mut CachedStatement<'_>, row: &OperationRow) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        row.group.raw(),
        &*row.engine,
        &*row.tenant,
        row.at.as_ms(),
        row.user.as_deref(),
        &*row.operation,
        &*row.entity,
        row.entity_key,
        row.instance.map(InstanceKey::raw),
        row.definition.map(DefinitionKey::raw),
        row.job_definition.map(JobDefinitionKey::raw),
        row.property.as_deref(),
        row.old.as_deref(),
        row.new.as_deref(),
    ])
}

fn operation(row: &Row<'_>) -> Result<OperationRow> {
    Ok(OperationRow {
        key: OperationKey::new(row.get(0)?),
        group: OperationKey::new(row.get(1)?),
        engine: engine(row, 2)?,
        tenant: tenant(row, 3)?,
        at: Timestamp::from_ms(row.get(4)?),
        user: row.get(5)?,
        operation: row.get(6)?,
        entity: row.get(7)?,
        entity_key: row.get(8)?,
        instance: row.get::<_, Option<i64>>(9)?.map(InstanceKey::new),
        definition: row.get::<_, Option<i64>>(10)?.map(DefinitionKey::new),
        job_definition: row.get::<_, Option<i64>>(11)?.map(JobDefinitionKey::new),
        property: row.get(12)?,
        old: row.get(13)?,
        new: row.get(14)?,
    })
}
