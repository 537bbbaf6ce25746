//! Rows of waits, messages, start events and broadcasts into statements and back. Columns come in
//! the order of the tables.

use std::sync::Arc;

use orloj_store::{
    BroadcastKey, BroadcastRow, Fit, MessageKey, MessageRow, StartKind, StartRow, SubscriptionKind,
    SubscriptionRow,
};
use orloj_types::{
    DefinitionKey, ElementInstanceKey, InstanceKey, ProcessId, SubscriptionKey, Timestamp,
};
use rusqlite::{CachedStatement, Result, Row, params};

use crate::rows::{element, engine, number, tenant};

pub(crate) fn insert_subscription(
    into: &mut CachedStatement<'_>,
    row: &SubscriptionRow,
) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        row.instance.raw(),
        row.definition.raw(),
        row.element_instance.raw(),
        &*row.event,
        row.kind as u8,
        &*row.name,
        row.correlation_key.as_deref(),
    ])
}

pub(crate) fn subscription(row: &Row<'_>) -> Result<SubscriptionRow> {
    Ok(SubscriptionRow {
        key: SubscriptionKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        instance: InstanceKey::new(row.get(3)?),
        definition: DefinitionKey::new(row.get(4)?),
        element_instance: ElementInstanceKey::new(row.get(5)?),
        event: element(row, 6)?,
        kind: number(row, 7, SubscriptionKind::from_number)?,
        name: row.get(8)?,
        correlation_key: row.get(9)?,
    })
}

pub(crate) fn insert_start(into: &mut CachedStatement<'_>, row: &StartRow) -> Result<usize> {
    into.execute(params![
        row.definition.raw(),
        &*row.event,
        &*row.engine,
        &*row.tenant,
        &*row.process_id,
        row.kind as u8,
        &*row.name,
    ])
}

pub(crate) fn start(row: &Row<'_>) -> Result<StartRow> {
    Ok(StartRow {
        definition: DefinitionKey::new(row.get(0)?),
        event: element(row, 1)?,
        engine: engine(row, 2)?,
        tenant: tenant(row, 3)?,
        process_id: ProcessId::new(row.get::<_, Arc<str>>(4)?),
        kind: number(row, 5, StartKind::from_number)?,
        name: row.get(6)?,
    })
}

pub(crate) fn insert_message(into: &mut CachedStatement<'_>, row: &MessageRow) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        &*row.name,
        &*row.correlation_key,
        row.message_id.as_deref(),
        row.variables,
        row.expires_at.as_ms(),
    ])
}

pub(crate) fn message(row: &Row<'_>) -> Result<MessageRow> {
    Ok(MessageRow {
        key: MessageKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        name: row.get(3)?,
        correlation_key: row.get(4)?,
        message_id: row.get(5)?,
        variables: row.get(6)?,
        expires_at: Timestamp::from_ms(row.get(7)?),
    })
}

pub(crate) fn fit(row: &Row<'_>) -> Result<Fit> {
    Ok(Fit {
        message: MessageKey::new(row.get(0)?),
        subscription: SubscriptionKey::new(row.get(1)?),
        instance: InstanceKey::new(row.get(2)?),
    })
}

pub(crate) fn insert_broadcast(
    into: &mut CachedStatement<'_>,
    row: &BroadcastRow,
) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        &*row.name,
        row.variables,
        &*row.place,
    ])
}

pub(crate) fn broadcast(row: &Row<'_>) -> Result<BroadcastRow> {
    Ok(BroadcastRow {
        key: BroadcastKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        name: row.get(3)?,
        variables: row.get(4)?,
        place: row.get(5)?,
    })
}
