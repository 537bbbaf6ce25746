//! Deployments. The writer is one thread, so they are serialised by themselves.

use std::sync::Arc;

use orloj_store::{
    DefinitionDeleted, DefinitionRow, DeleteDefinition, Error, JobRow, NewDeployment, NewResource,
    StoredDeployment, job_definitions_of, starts_of,
};
use orloj_types::{DefinitionKey, DeploymentKey, ProcessId, TenantId};
use rusqlite::{Connection, OptionalExtension};

use crate::error::portable;
use crate::writer::Writer;
use crate::{assets, chore_log, decisions, event_rows, rows, settings};

pub(crate) fn deploy(writer: &mut Writer, new: &NewDeployment) -> Result<StoredDeployment, Error> {
    writer.write(|connection| deploy_in(connection, new).map_err(portable))
}

pub(crate) fn find(
    connection: &Connection,
    engine: &str,
    process_id: &ProcessId,
    tenant: &TenantId,
    version: Option<i32>,
) -> rusqlite::Result<Option<DefinitionRow>> {
    match version {
        Some(version) => connection
            .prepare_cached(include_str!("../queries/definition_find.sql"))?
            .query_row((engine, &**tenant, &**process_id, version), rows::definition)
            .optional(),
        None => connection
            .prepare_cached(include_str!("../queries/definition_find_latest.sql"))?
            .query_row((engine, &**tenant, &**process_id), rows::definition)
            .optional(),
    }
}

fn newest(
    connection: &Connection,
    engine: &str,
    process_id: &ProcessId,
    tenant: &TenantId,
) -> rusqlite::Result<Option<DefinitionRow>> {
    connection
        .prepare_cached(include_str!("../queries/definition_newest.sql"))?
        .query_row((engine, &**tenant, &**process_id), rows::definition)
        .optional()
}

pub(crate) fn delete(
    writer: &mut Writer,
    delete: &DeleteDefinition,
) -> Result<DefinitionDeleted, Error> {
    writer.write(|connection| delete_in(connection, delete).map_err(portable))
}

fn delete_in(
    connection: &Connection,
    delete: &DeleteDefinition,
) -> rusqlite::Result<DefinitionDeleted> {
    let key = delete.key.raw();
    let found = connection
        .prepare_cached(include_str!("../queries/definition_load.sql"))?
        .query_row((key,), rows::definition)
        .optional()?;
    let Some(row) = found.filter(|row| !row.is_deleted) else {
        return Ok(DefinitionDeleted::NotFound);
    };
    let live: Vec<DefinitionKey> = connection
        .prepare_cached(include_str!("../queries/definition_live.sql"))?
        .query_map((&*row.engine, &*row.tenant, &*row.process_id), |row| {
            row.get(0).map(DefinitionKey::new)
        })?
        .collect::<rusqlite::Result<_>>()?;
    if !delete.agrees_with(&live) {
        return Ok(DefinitionDeleted::Overtaken);
    }
    for sql in [
        include_str!("../queries/definition_delete.sql"),
        include_str!("../queries/definition_starts_delete.sql"),
    ] {
        connection.prepare_cached(sql)?.execute((key,))?;
    }
    let mut insert = connection.prepare_cached(include_str!("../queries/start_insert.sql"))?;
    for start in delete.starts(&row) {
        event_rows::insert_start(&mut insert, &start)?;
    }
    let sql = include_str!("../queries/definition_timers.sql");
    let gone = crate::queries::all(connection, sql, (key,), rows::job)?;
    let come: Vec<&JobRow> = delete.heir.iter().flat_map(|heir| &heir.chores).collect();
    exchange(connection, &gone, &come)?;
    chore_log::replaced(connection, &gone, &come, delete.logs_chores, delete.now)?;
    Ok(DefinitionDeleted::Done(settings::raise(connection, &row.engine)?))
}

pub(crate) fn resource(
    connection: &Connection,
    deployment: DeploymentKey,
    name: &str,
) -> rusqlite::Result<Option<Arc<[u8]>>> {
    connection
        .prepare_cached(include_str!("../queries/resource_load.sql"))?
        .query_row((deployment.raw(), name), |row| row.get(0))
        .optional()
}

fn deploy_in(connection: &Connection, new: &NewDeployment) -> rusqlite::Result<StoredDeployment> {
    let mut latest = Vec::new();
    let mut duplicate = true;
    for resource in &new.resources {
        for definition in &resource.definitions {
            let found = newest(connection, &new.engine, &definition.process_id, &new.tenant)?;
            duplicate &= found.as_ref().is_some_and(|found| equals(found, resource));
            latest.push(found);
        }
    }
    let latest_decisions = decisions::latest(connection, new)?;
    let latest_assets = assets::latest(connection, new)?;
    let same = (latest_decisions.same(new), latest_assets.same(new));
    if let (true, (Some(decisions), Some(assets))) = (duplicate, same) {
        let definitions = latest.into_iter().flatten().collect();
        let key = new.key;
        let (duplicate, settings) = (true, None);
        return Ok(StoredDeployment { key, duplicate, definitions, decisions, assets, settings });
    }
    let mut latest = latest.into_iter();
    let mut definitions = Vec::new();
    for resource in &new.resources {
        insert_resource(connection, new, resource)?;
        for definition in &resource.definitions {
            let version = latest.next().flatten().map_or(0, |found| found.version) + 1;
            let row = DefinitionRow {
                key: definition.key,
                engine: new.engine.clone(),
                tenant: new.tenant.clone(),
                process_id: definition.process_id.clone(),
                version,
                deployment: new.key,
                resource_name: Arc::clone(&resource.name),
                checksum: resource.checksum,
                dialect: Arc::clone(&resource.dialect),
                checks: resource.checks,
                deployed_at: new.now,
                suspended: definition.suspended,
                is_deleted: false,
            };
            let sql = include_str!("../queries/definition_insert.sql");
            rows::insert_definition(&mut connection.prepare_cached(sql)?, &row)?;
            definitions.push(row);
        }
    }
    let decisions = latest_decisions.next_versions(new);
    decisions::insert(connection, &decisions)?;
    let assets = latest_assets.next_versions(new);
    assets::insert(connection, &assets)?;
    replace_starts(connection, new, &definitions)?;
    replace_chores(connection, new, &definitions)?;
    let settings = match new.has_suspended() {
        true => Some(settings::raise(connection, &new.engine)?),
        false => None,
    };
    let (key, duplicate) = (new.key, false);
    Ok(StoredDeployment { key, duplicate, definitions, decisions, assets, settings })
}

/// Start events of versions that are not the latest any more start nothing.
fn replace_starts(
    connection: &Connection,
    new: &NewDeployment,
    definitions: &[DefinitionRow],
) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached(include_str!("../queries/start_replace.sql"))?;
    for row in definitions {
        delete.execute((&*row.engine, &*row.tenant, &*row.process_id))?;
    }
    let mut insert = connection.prepare_cached(include_str!("../queries/start_insert.sql"))?;
    for row in starts_of(new, definitions) {
        event_rows::insert_start(&mut insert, &row)?;
    }
    Ok(())
}

/// Start timers of earlier versions go; what comes with the new ones is written.
fn replace_chores(
    connection: &Connection,
    new: &NewDeployment,
    definitions: &[DefinitionRow],
) -> rusqlite::Result<()> {
    let mut gone = Vec::new();
    for row in definitions {
        let values = (&*row.engine, &*row.tenant, &*row.process_id);
        let sql = include_str!("../queries/chore_replaced.sql");
        gone.extend(crate::queries::all(connection, sql, values, rows::job)?);
    }
    let given = new.resources.iter().flat_map(|resource| &resource.definitions);
    let come: Vec<&JobRow> = given.flat_map(|definition| &definition.chores).collect();
    exchange(connection, &gone, &come)?;
    chore_log::replaced(connection, &gone, &come, new.logs_chores, new.now)?;
    let sql = include_str!("../queries/job_definition_insert.sql");
    let mut insert = connection.prepare_cached(sql)?;
    for row in job_definitions_of(new, definitions) {
        settings::insert_job_definition(&mut insert, &row)?;
    }
    Ok(())
}

fn exchange(connection: &Connection, gone: &[JobRow], come: &[&JobRow]) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached(include_str!("../queries/job_delete.sql"))?;
    for row in gone {
        delete.execute((row.key.raw(),))?;
    }
    let mut insert = connection.prepare_cached(include_str!("../queries/job_insert.sql"))?;
    for row in come {
        rows::insert_job(&mut insert, row)?;
    }
    Ok(())
}

fn equals(found: &DefinitionRow, resource: &NewResource) -> bool {
    !found.is_deleted && found.resource_name == resource.name && found.checksum == resource.checksum
}

fn insert_resource(
    connection: &Connection,
    new: &NewDeployment,
    resource: &NewResource,
) -> rusqlite::Result<usize> {
    let mut insert = connection.prepare_cached(include_str!("../queries/resource_insert.sql"))?;
    insert.execute((new.key.raw(), &*resource.name, &*new.engine, &*new.tenant, &*resource.content))
}
