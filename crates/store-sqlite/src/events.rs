//! The part of a group that is about waits, messages, broadcasts, calls and migrations. The writer is one thread, so whoever adds to a channel sees all that were before it.

use std::collections::BTreeSet;

use orloj_store::{
    BroadcastWrite, Change, Channel, Committed, Fit, Group, InstanceWrite, MessageKey, MessageRow,
};
use orloj_types::{ElementId, InstanceKey, Timestamp};
use rusqlite::{Connection, OptionalExtension, Result};

use crate::event_rows;

/// False when something was not as expected.
pub(crate) fn apply(connection: &Connection, group: &Group) -> Result<bool> {
    let changes = &group.changes;
    apply_called(connection, changes)?;
    apply_subscriptions(connection, changes)?;
    apply_migrations(connection, changes)?;
    Ok(apply_messages(connection, changes, group.now)? && apply_broadcasts(connection, changes)?)
}

/// What fits in the channels that the group has added to.
pub(crate) fn committed(connection: &Connection, group: &Group) -> Result<Committed> {
    let channels: BTreeSet<Channel> = group.changes.iter().flat_map(Change::channels).collect();
    let mut committed = Committed::default();
    for channel in &channels {
        committed.fits.extend(fit(connection, channel, group.now)?);
    }
    Ok(committed)
}

pub(crate) fn fit(
    connection: &Connection,
    channel: &Channel,
    now: Timestamp,
) -> Result<Option<Fit>> {
    let Channel { engine, tenant, name, correlation_key } = channel;
    let values = (&**engine, &**tenant, &**name, &**correlation_key, now.as_ms());
    let mut statement = connection.prepare_cached(include_str!("../queries/message_fit.sql"))?;
    statement.query_row(values, event_rows::fit).optional()
}

/// Whether a change expects something else than what is there.
pub(crate) fn is_lost(connection: &Connection, change: &Change, now: Timestamp) -> Result<bool> {
    let exists =
        |sql: &str, values: &[&dyn rusqlite::ToSql]| connection.prepare_cached(sql)?.exists(values);
    let is_there = |key: MessageKey| -> Result<bool> {
        let is_added = change.messages_added.iter().any(|row| row.key == key);
        Ok(is_added || exists(include_str!("../queries/message_exists.sql"), &[&key.raw()])?)
    };
    for taken in &change.messages_taken {
        let process_id: &str = &taken.process_id;
        let sql = include_str!("../queries/message_taken_exists.sql");
        if !is_there(taken.message)? || exists(sql, &[&taken.message.raw(), &process_id])? {
            return Ok(true);
        }
    }
    for message in &change.messages_gone {
        if !is_there(*message)? {
            return Ok(true);
        }
    }
    for row in &change.messages_added {
        let Some(id) = &row.message_id else { continue };
        let sql = include_str!("../queries/message_id_exists.sql");
        let (engine, tenant): (&str, &str) = (&row.engine, &row.tenant);
        let (name, key): (&str, &str) = (&row.name, &row.correlation_key);
        if exists(sql, &[&engine, &tenant, &name, &key, &&**id, &now.as_ms()])? {
            return Ok(true);
        }
    }
    for write in &change.broadcasts {
        let (key, expected) = write.expects();
        let at: Option<String> = connection
            .prepare_cached(include_str!("../queries/broadcast_at.sql"))?
            .query_row((key.raw(),), |row| row.get(0))
            .optional()?;
        if at.as_deref() != Some(expected) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes expired messages with what is known of them; gives their number.
pub(crate) fn expire_messages(
    connection: &Connection,
    engine: &str,
    now: Timestamp,
    limit: u32,
) -> Result<u32> {
    let expired: Vec<i64> = connection
        .prepare_cached(include_str!("../queries/message_expired.sql"))?
        .query_map((now.as_ms(), engine, limit), |row| row.get(0))?
        .collect::<Result<_>>()?;
    forget(connection, &expired)?;
    Ok(u32::try_from(expired.len()).unwrap_or(u32::MAX))
}

fn apply_called(connection: &Connection, changes: &[Change]) -> Result<()> {
    let live =
        changes.iter().flat_map(|change| &change.instances).filter_map(|write| match write {
            InstanceWrite::Insert(row) => Some((row.key, row.caller, row.root)),
            InstanceWrite::Update { .. } | InstanceWrite::Delete { .. } => None,
        });
    let ended = changes.iter().flat_map(|change| &change.ended);
    let ended = ended.map(|row| (row.key, row.caller, row.root));
    for (key, caller, root) in live.chain(ended) {
        if caller.is_none() && root.is_none() {
            continue;
        }
        let mut insert = connection.prepare_cached(include_str!("../queries/called_insert.sql"))?;
        let raw = |key: Option<InstanceKey>| key.map(InstanceKey::raw);
        insert.execute((key.raw(), raw(caller), raw(root)))?;
    }
    Ok(())
}

fn apply_subscriptions(connection: &Connection, changes: &[Change]) -> Result<()> {
    let gone = changes.iter().flat_map(|change| &change.subscriptions_gone);
    let mut gone: Vec<i64> = gone.map(|key| key.raw()).collect();
    gone.sort_unstable();
    // One that is opened and closed by the same change was never there.
    for row in changes.iter().flat_map(|change| &change.subscriptions_added) {
        if gone.binary_search(&row.key.raw()).is_err() {
            let sql = include_str!("../queries/subscription_insert.sql");
            event_rows::insert_subscription(&mut connection.prepare_cached(sql)?, row)?;
        }
    }
    for key in gone {
        let sql = include_str!("../queries/subscription_delete.sql");
        connection.prepare_cached(sql)?.execute((key,))?;
    }
    Ok(())
}

/// After the rows that the same changes add.
fn apply_migrations(connection: &Connection, changes: &[Change]) -> Result<()> {
    for migration in changes.iter().flat_map(|change| &change.migrations) {
        let definition = migration.definition.raw();
        let sql = include_str!("../queries/instance_migrate.sql");
        connection.prepare_cached(sql)?.execute((migration.instance.raw(), definition))?;
        let jobs = migration.jobs.iter().map(|(key, element)| (key.raw(), element));
        let tasks = migration.user_tasks.iter().map(|(key, element)| (key.raw(), element));
        let incidents = migration.incidents.iter().map(|(key, element)| (key.raw(), element));
        move_rows(connection, include_str!("../queries/job_migrate.sql"), definition, jobs)?;
        let sql = include_str!("../queries/user_task_migrate.sql");
        move_rows(connection, sql, definition, tasks)?;
        let sql = include_str!("../queries/incident_migrate.sql");
        move_rows(connection, sql, definition, incidents)?;
    }
    Ok(())
}

fn move_rows<'a>(
    connection: &Connection,
    sql: &str,
    definition: i64,
    rows: impl Iterator<Item = (i64, &'a ElementId)>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    for (key, element) in rows {
        statement.execute((key, definition, &**element))?;
    }
    Ok(())
}

/// Added first: a change may take what it adds.
fn apply_messages(connection: &Connection, changes: &[Change], now: Timestamp) -> Result<bool> {
    for row in changes.iter().flat_map(|change| &change.messages_added) {
        free_id(connection, row, now)?;
        let sql = include_str!("../queries/message_insert.sql");
        if event_rows::insert_message(&mut connection.prepare_cached(sql)?, row)? != 1 {
            return Ok(false);
        }
    }
    for taken in changes.iter().flat_map(|change| &change.messages_taken) {
        let sql = include_str!("../queries/message_taken_insert.sql");
        let values = (taken.message.raw(), &*taken.process_id);
        if connection.prepare_cached(sql)?.execute(values)? != 1 {
            return Ok(false);
        }
    }
    for key in changes.iter().flat_map(|change| &change.messages_gone) {
        let sql = include_str!("../queries/message_delete.sql");
        if connection.prepare_cached(sql)?.execute((key.raw(),))? != 1 {
            return Ok(false);
        }
        forget(connection, &[key.raw()])?;
    }
    Ok(true)
}

fn free_id(connection: &Connection, row: &MessageRow, now: Timestamp) -> Result<()> {
    let Some(id) = &row.message_id else { return Ok(()) };
    let (engine, tenant): (&str, &str) = (&row.engine, &row.tenant);
    let values = (engine, tenant, &*row.name, &*row.correlation_key, &**id, now.as_ms());
    let expired: Vec<i64> = connection
        .prepare_cached(include_str!("../queries/message_free_id.sql"))?
        .query_map(values, |row| row.get(0))?
        .collect::<Result<_>>()?;
    forget(connection, &expired)
}

/// Who took messages that are no more.
fn forget(connection: &Connection, messages: &[i64]) -> Result<()> {
    for key in messages {
        let sql = include_str!("../queries/message_taken_delete.sql");
        connection.prepare_cached(sql)?.execute((key,))?;
    }
    Ok(())
}

fn apply_broadcasts(connection: &Connection, changes: &[Change]) -> Result<bool> {
    for row in changes.iter().flat_map(|change| &change.broadcasts_added) {
        let sql = include_str!("../queries/broadcast_insert.sql");
        event_rows::insert_broadcast(&mut connection.prepare_cached(sql)?, row)?;
    }
    for write in changes.iter().flat_map(|change| &change.broadcasts) {
        let (key, expected) = write.expects();
        let rows = match write {
            BroadcastWrite::Progress { place, .. } => connection
                .prepare_cached(include_str!("../queries/broadcast_progress.sql"))?
                .execute((key.raw(), expected, &**place))?,
            BroadcastWrite::Done { .. } => connection
                .prepare_cached(include_str!("../queries/broadcast_delete.sql"))?
                .execute((key.raw(), expected))?,
        };
        if rows != 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Every message after `after` that fits something.
pub(crate) fn all_fits(
    connection: &Connection,
    engine: &str,
    now: Timestamp,
    after: Option<MessageKey>,
    limit: u32,
) -> Result<Vec<Fit>> {
    let after = after.map_or(i64::MIN, MessageKey::raw);
    connection
        .prepare_cached(include_str!("../queries/message_fits.sql"))?
        .query_map((after, engine, now.as_ms(), limit), event_rows::fit)?
        .collect()
}
