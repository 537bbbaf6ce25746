//! Another tenant for what a deployment brought.
//!
//! One transaction, as large as what the deployment brought and what has come of it. Nothing else is
//! written meanwhile.

use std::collections::BTreeSet;

use orloj_store::{Error, MovedDefinition, SetTenant, Taken, TakenKind, TenantSet};
use orloj_types::{DefinitionKey, DeploymentKey, Timestamp};
use rusqlite::{Connection, OptionalExtension, Result, Row};

use crate::error::portable;
use crate::queries::all;
use crate::writer::Writer;
use crate::{chore_log, rows, settings};

pub(crate) fn set(writer: &mut Writer, set: &SetTenant) -> std::result::Result<TenantSet, Error> {
    let engine = writer.engine.clone();
    writer.write(|connection| set_in(connection, &engine, set).map_err(portable))
}

pub(crate) fn settle(
    writer: &mut Writer,
    deployment: DeploymentKey,
    now: Timestamp,
    logs_chores: bool,
) -> std::result::Result<bool, Error> {
    let engine = writer.engine.clone();
    let deployment = deployment.raw();
    writer.write(|connection| {
        settle_in(connection, &engine, deployment, now, logs_chores).map_err(portable)
    })
}

pub(crate) fn moved(connection: &Connection, engine: &str) -> Result<Vec<MovedDefinition>> {
    let sql = include_str!("../queries/definitions_moved.sql");
    all(connection, sql, (engine,), |row| {
        Ok(MovedDefinition {
            key: DefinitionKey::new(row.get(0)?),
            tenant: rows::tenant(row, 1)?,
            deployment: DeploymentKey::new(row.get(2)?),
            is_settled: row.get(3)?,
        })
    })
}

fn set_in(connection: &Connection, engine: &str, set: &SetTenant) -> Result<TenantSet> {
    let (deployment, to) = (set.deployment.raw(), set.tenant.as_str());
    let found: Option<(String, bool)> = connection
        .prepare_cached(include_str!("../queries/tenant_of.sql"))?
        .query_row((engine, deployment), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let from = match found {
        None => return Ok(TenantSet::NotFound),
        Some((_, true)) => return Ok(TenantSet::Unsettled),
        Some((from, false)) if from == to => return Ok(TenantSet::Same),
        Some((from, false)) => from,
    };
    let in_the_way = connection
        .prepare_cached(include_str!("../queries/tenant_taken.sql"))?
        .query_row((deployment, to), taken)
        .optional()?;
    if let Some(taken) = in_the_way {
        return Ok(TenantSet::Taken(taken));
    }
    for sql in [
        include_str!("../queries/tenant_definition.sql"),
        include_str!("../queries/tenant_decision.sql"),
        include_str!("../queries/tenant_asset.sql"),
        include_str!("../queries/tenant_resource.sql"),
    ] {
        connection.prepare_cached(sql)?.execute((deployment, to))?;
    }
    let sql = include_str!("../queries/tenant_definitions.sql");
    let definitions: Vec<i64> = all(connection, sql, (engine, deployment), |row| row.get(0))?;
    let listed = list(&definitions);
    for sql in [
        include_str!("../queries/tenant_job_definition.sql"),
        include_str!("../queries/tenant_start_event.sql"),
    ] {
        connection.prepare_cached(sql)?.execute((&listed, to))?;
    }
    move_rows(connection, engine, &listed, (&from, to))?;
    drop_outdated(connection, &listed, set.logs_chores, set.now)?;
    Ok(TenantSet::Done(settings::raise(connection, engine)?))
}

fn settle_in(
    connection: &Connection,
    engine: &str,
    deployment: i64,
    now: Timestamp,
    logs_chores: bool,
) -> Result<bool> {
    let sql = include_str!("../queries/tenant_unsettled.sql");
    let found: Vec<(i64, String, String)> = all(connection, sql, (engine, deployment), |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    let Some((_, to, from)) = found.first() else { return Ok(false) };
    let definitions: Vec<i64> = found.iter().map(|(key, ..)| *key).collect();
    let listed = list(&definitions);
    move_rows(connection, engine, &listed, (from, to))?;
    drop_outdated(connection, &listed, logs_chores, now)?;
    let sql = include_str!("../queries/tenant_settled.sql");
    connection.prepare_cached(sql)?.execute((deployment,))?;
    Ok(true)
}

fn move_rows(
    connection: &Connection,
    engine: &str,
    definitions: &str,
    (from, to): (&str, &str),
) -> Result<()> {
    let instances = moving_instances(connection, engine, definitions, from)?;
    if !instances.is_empty() {
        let instances = list(&instances);
        for sql in [
            include_str!("../queries/tenant_instance.sql"),
            include_str!("../queries/tenant_job.sql"),
            include_str!("../queries/tenant_variable.sql"),
            include_str!("../queries/tenant_page.sql"),
            include_str!("../queries/tenant_user_task.sql"),
            include_str!("../queries/tenant_incident.sql"),
            include_str!("../queries/tenant_subscription.sql"),
            include_str!("../queries/tenant_message.sql"),
            include_str!("../queries/tenant_history.sql"),
            include_str!("../queries/tenant_ended_instance.sql"),
        ] {
            connection.prepare_cached(sql)?.execute((&instances, to))?;
        }
    }
    for sql in [
        include_str!("../queries/tenant_chore.sql"),
        include_str!("../queries/tenant_chore_incident.sql"),
        include_str!("../queries/tenant_chore_log.sql"),
    ] {
        connection.prepare_cached(sql)?.execute((definitions, from, to))?;
    }
    Ok(())
}

/// Live ones and ended ones.
fn moving_instances(
    connection: &Connection,
    engine: &str,
    definitions: &str,
    from: &str,
) -> Result<Vec<i64>> {
    let keys = |sql, given: &str| all(connection, sql, (given, from), |row| row.get::<_, i64>(0));
    let mut found: BTreeSet<i64> = BTreeSet::new();
    found.extend(keys(include_str!("../queries/tenant_instances.sql"), definitions)?);
    let sql = include_str!("../queries/tenant_ended.sql");
    found.extend(all(connection, sql, (definitions, from, engine), |row| row.get::<_, i64>(0))?);
    let mut callers: Vec<i64> = found.iter().copied().collect();
    while !callers.is_empty() {
        callers = keys(include_str!("../queries/tenant_called.sql"), &list(&callers))?;
        callers.retain(|key| found.insert(*key));
    }
    Ok(found.into_iter().collect())
}

/// Of the versions that now stand beside each other in a tenant the last one starts instances.
fn drop_outdated(
    connection: &Connection,
    definitions: &str,
    logs_chores: bool,
    now: Timestamp,
) -> Result<()> {
    let sql = include_str!("../queries/tenant_outdated.sql");
    for key in all(connection, sql, (definitions,), |row| row.get::<_, i64>(0))? {
        let sql = include_str!("../queries/definition_starts_delete.sql");
        connection.prepare_cached(sql)?.execute((key,))?;
        let sql = include_str!("../queries/definition_timers.sql");
        let gone = all(connection, sql, (key,), rows::job)?;
        let mut delete = connection.prepare_cached(include_str!("../queries/job_delete.sql"))?;
        for row in &gone {
            delete.execute((row.key.raw(),))?;
        }
        chore_log::replaced(connection, &gone, &[], logs_chores, now)?;
    }
    Ok(())
}

/// Keys as statements take many of them.
fn list(keys: &[i64]) -> String {
    let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
    format!("[{}]", keys.join(","))
}

fn taken(row: &Row<'_>) -> Result<Taken> {
    Ok(Taken {
        kind: rows::number(row, 0, TakenKind::from_number)?,
        id: row.get(1)?,
        version: row.get(2)?,
    })
}
