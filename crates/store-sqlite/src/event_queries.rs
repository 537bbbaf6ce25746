//! Reading waits, messages, start events, broadcasts and called instances.

use orloj_store::{
    BroadcastRow, CalledBy, EndedRow, InstanceRow, MessageKey, MessageQuery, MessageRow,
    PAGE_ROWS_MAX, Page, StartQuery, StartRow, SubscriptionKind, SubscriptionQuery,
    SubscriptionRow,
};
use orloj_types::{InstanceKey, SubscriptionKey};
use rusqlite::{Connection, OptionalExtension, Result, params};

use crate::queries::{all, at_most, limit};
use crate::{event_rows, rows};

pub(crate) fn subscriptions(
    connection: &Connection,
    query: &SubscriptionQuery,
) -> Result<Vec<SubscriptionRow>> {
    let after = query.after.map_or(i64::MIN, SubscriptionKey::raw);
    let (engine, kind, tenant) = (&*query.engine, query.kind as u8, query.tenant.as_deref());
    let instance = query.instance.map(InstanceKey::raw);
    let most = query.limit.min(PAGE_ROWS_MAX);
    let key = query.correlation_key.as_deref();
    let business_key = query.business_key.as_deref();
    let row = event_rows::subscription;
    let is_message = query.kind == SubscriptionKind::Message;
    match (query.name.as_deref(), key) {
        (name, key) if is_message && business_key.is_some() => {
            let sql = include_str!("../queries/subscriptions_of_business_key.sql");
            let values = params![engine, after, tenant, instance, most, name, business_key, key];
            all(connection, sql, values, row)
        }
        (Some(name), Some(key)) if is_message => {
            let sql = include_str!("../queries/subscriptions_correlated.sql");
            all(connection, sql, params![engine, after, tenant, instance, most, name, key], row)
        }
        (Some(name), _) => {
            let sql = include_str!("../queries/subscriptions_named.sql");
            let values =
                params![engine, kind, after, tenant, instance, most, name, key, business_key];
            all(connection, sql, values, row)
        }
        (None, _) => {
            let sql = include_str!("../queries/subscriptions.sql");
            let values = params![engine, kind, after, tenant, instance, most, key, business_key];
            all(connection, sql, values, row)
        }
    }
}

pub(crate) fn last_subscription(
    connection: &Connection,
    engine: &str,
    kind: SubscriptionKind,
    name: &str,
) -> Result<Option<SubscriptionKey>> {
    connection
        .prepare_cached(include_str!("../queries/subscription_last.sql"))?
        .query_row((engine, kind as u8, name), |row| row.get(0).map(SubscriptionKey::new))
        .optional()
}

pub(crate) fn starts(connection: &Connection, query: &StartQuery) -> Result<Vec<StartRow>> {
    let (definition, event) = match &query.after {
        Some((definition, event)) => (definition.raw(), &**event),
        None => (i64::MIN, ""),
    };
    let (engine, kind, tenant) = (&*query.engine, query.kind as u8, query.tenant.as_deref());
    let most = query.limit.min(PAGE_ROWS_MAX);
    match query.name.as_deref() {
        Some(name) => {
            let sql = include_str!("../queries/starts_named.sql");
            let values = params![engine, kind, definition, event, tenant, most, name];
            all(connection, sql, values, event_rows::start)
        }
        None => {
            let sql = include_str!("../queries/starts.sql");
            let values = params![engine, kind, definition, event, tenant, most];
            all(connection, sql, values, event_rows::start)
        }
    }
}

pub(crate) fn messages(connection: &Connection, query: &MessageQuery) -> Result<Vec<MessageRow>> {
    let channel = &query.channel;
    let values = params![
        &*channel.engine,
        &*channel.tenant,
        &*channel.name,
        &*channel.correlation_key,
        query.after.map_or(i64::MIN, MessageKey::raw),
        query.message_id.as_deref(),
        query.now.as_ms(),
        query.limit.min(PAGE_ROWS_MAX),
        query.not_taken_by.as_deref(),
    ];
    all(connection, include_str!("../queries/messages.sql"), values, event_rows::message)
}

pub(crate) fn broadcasts(
    connection: &Connection,
    engine: &str,
    most: u32,
) -> Result<Vec<BroadcastRow>> {
    let sql = include_str!("../queries/broadcasts.sql");
    all(connection, sql, (engine, most), event_rows::broadcast)
}

pub(crate) fn called_instances(
    connection: &Connection,
    engine: &str,
    by: CalledBy,
    page: Page,
) -> Result<Vec<InstanceRow>> {
    let (sql, key) = match by {
        CalledBy::Caller(key) => (include_str!("../queries/called_instances_by_caller.sql"), key),
        CalledBy::Root(key) => (include_str!("../queries/called_instances_by_root.sql"), key),
    };
    all(connection, sql, (at_most(page), key.raw(), engine, limit(page)), rows::instance)
}

pub(crate) fn called_ended(
    connection: &Connection,
    engine: &str,
    by: CalledBy,
    page: Page,
) -> Result<Vec<EndedRow>> {
    let (sql, key) = match by {
        CalledBy::Caller(key) => (include_str!("../queries/called_ended_by_caller.sql"), key),
        CalledBy::Root(key) => (include_str!("../queries/called_ended_by_root.sql"), key),
    };
    all(connection, sql, (at_most(page), key.raw(), engine, limit(page)), rows::ended)
}
