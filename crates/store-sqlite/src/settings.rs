//! What people set while jobs run, and the version that tells nodes of it.

use orloj_store::format::encode_profile;
use orloj_store::{
    Error, JobDefinitionChange, JobDefinitionFilter, JobDefinitionRow, Lease, NodeProfile, Page,
    StoredSettings,
};
use orloj_types::{DefinitionKey, ElementId, JobDefinitionKey, ProcessId};
use rusqlite::types::Value;
use rusqlite::{
    CachedStatement, Connection, OptionalExtension, Result, Row, params, params_from_iter,
};

use crate::error::portable;
use crate::limits;
use crate::order;
use crate::queries::{all, at_most, count_of, limit, text};
use crate::rows::{engine, tenant};
use crate::tenants;
use crate::writer::Writer;

const JOB_DEFINITIONS: &str = include_str!("../queries/job_definitions.sql");

pub(crate) fn raise(connection: &Connection, engine: &str) -> Result<i64> {
    let sql = include_str!("../queries/settings_raise.sql");
    connection.prepare_cached(sql)?.query_row((engine,), |row| row.get(0))
}

/// The version first: what is set meanwhile is set once more with the next one.
pub(crate) fn stored(connection: &Connection, engine: &str) -> Result<StoredSettings> {
    let sql = include_str!("../queries/settings_version.sql");
    let version = connection.prepare_cached(sql)?.query_row((engine,), |row| row.get(0));
    let suspended = include_str!("../queries/definitions_suspended.sql");
    let set = include_str!("../queries/job_definitions_set.sql");
    Ok(StoredSettings {
        version: version.optional()?.unwrap_or(0),
        limits: limits::all(connection, engine)?,
        suspended: all(connection, suspended, (engine,), |row| row.get(0).map(DefinitionKey::new))?,
        job_definitions: all(connection, set, (engine,), job_definition)?,
        moved: tenants::moved(connection, engine)?,
    })
}

pub(crate) fn describe_node(
    writer: &mut Writer,
    lease: Lease,
    profile: &NodeProfile,
) -> std::result::Result<i64, Error> {
    order::check(profile.order)?;
    let engine = writer.engine.clone();
    let others = writer.other_orders();
    let version = writer.write(|connection| {
        let sql = include_str!("../queries/node_describe.sql");
        let described = connection
            .prepare_cached(sql)
            .and_then(|mut s| s.execute((lease.session, encode_profile(profile))))
            .map_err(portable)?;
        if described == 0 {
            return Err(Error::Fenced);
        }
        order::make_only(connection, profile.order, &others).map_err(portable)?;
        raise(connection, &engine).map_err(portable)
    })?;
    writer.order = Some(profile.order);
    Ok(version)
}

pub(crate) fn suspend_definitions(
    writer: &mut Writer,
    definitions: &[DefinitionKey],
    suspended: bool,
) -> std::result::Result<Option<i64>, Error> {
    let engine = writer.engine.clone();
    writer.write(|connection| {
        let set = || {
            let sql = include_str!("../queries/definition_suspend.sql");
            let mut statement = connection.prepare_cached(sql)?;
            let mut found = 0;
            for key in definitions {
                found += statement.execute((key.raw(), suspended))?;
            }
            if found == 0 { Ok(None) } else { raise(connection, &engine).map(Some) }
        };
        set().map_err(portable)
    })
}

pub(crate) fn set_job_definition(
    writer: &mut Writer,
    key: JobDefinitionKey,
    change: JobDefinitionChange,
) -> std::result::Result<Option<i64>, Error> {
    let engine = writer.engine.clone();
    let JobDefinitionChange { suspended, priority } = change;
    writer.write(|connection| {
        let set = || {
            let sql = include_str!("../queries/job_definition_set.sql");
            let values = (key.raw(), suspended, priority.is_some(), priority.flatten());
            let found = connection.prepare_cached(sql)?.execute(values)?;
            if found == 0 { Ok(None) } else { raise(connection, &engine).map(Some) }
        };
        set().map_err(portable)
    })
}

pub(crate) fn job_definitions(
    connection: &Connection,
    engine: &str,
    filter: &JobDefinitionFilter,
    page: Page,
) -> Result<Vec<JobDefinitionRow>> {
    let values = job_definition_values(engine, filter, at_most(page), limit(page));
    all(connection, JOB_DEFINITIONS, params_from_iter(values), job_definition)
}

pub(crate) fn count_job_definitions(
    connection: &Connection,
    engine: &str,
    filter: &JobDefinitionFilter,
) -> Result<u64> {
    let values = job_definition_values(engine, filter, i64::MAX, 0);
    count_of(connection, JOB_DEFINITIONS, values)
}

fn job_definition_values(
    engine: &str,
    filter: &JobDefinitionFilter,
    at_most: i64,
    limit: u32,
) -> [Value; 11] {
    [
        at_most.into(),
        engine.to_owned().into(),
        limit.into(),
        filter.definition.map(DefinitionKey::raw).into(),
        text(filter.process_id.as_deref()),
        text(filter.tenant.as_deref()),
        text(filter.element.as_deref()),
        text(filter.kind.as_deref()),
        text(filter.configuration.as_deref()),
        filter.suspended.map(i64::from).into(),
        filter.has_priority.map(i64::from).into(),
    ]
}

pub(crate) fn insert_job_definition(
    into: &mut CachedStatement<'_>,
    row: &JobDefinitionRow,
) -> Result<usize> {
    into.execute(params![
        row.key.raw(),
        &*row.engine,
        &*row.tenant,
        row.definition.raw(),
        &*row.process_id,
        &*row.element,
        &*row.kind,
        &*row.configuration,
        row.suspended,
        row.priority,
    ])
}

pub(crate) fn job_definition(row: &Row<'_>) -> Result<JobDefinitionRow> {
    Ok(JobDefinitionRow {
        key: JobDefinitionKey::new(row.get(0)?),
        engine: engine(row, 1)?,
        tenant: tenant(row, 2)?,
        definition: DefinitionKey::new(row.get(3)?),
        process_id: ProcessId::new(row.get::<_, std::sync::Arc<str>>(4)?),
        element: ElementId::new(row.get::<_, std::sync::Arc<str>>(5)?),
        kind: row.get(6)?,
        configuration: row.get(7)?,
        suspended: row.get(8)?,
        priority: row.get(9)?,
    })
}
