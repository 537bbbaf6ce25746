//! Reads. Each is one statement, or a transaction where several must agree.

use orloj_store::{
    DefinitionFilter, DefinitionRow, EndedFilter, EndedRow, HistoryRow, IncidentFilter,
    IncidentRow, InstanceFilter, InstanceRow, LoadedInstance, PAGE_ROWS_MAX, Page, UserTaskFilter,
    UserTaskRow,
};
use orloj_types::{
    DefinitionKey, DeploymentKey, ElementInstanceKey, InstanceKey, JobKey, Timestamp,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Result, Row, params_from_iter};

use crate::rows;

const INSTANCES: &str = include_str!("../queries/instances.sql");
const INSTANCES_OF_BUSINESS_KEY: &str = include_str!("../queries/instances_of_business_key.sql");
const INCIDENTS: &str = include_str!("../queries/incidents.sql");
const INCIDENTS_OF_INSTANCE: &str = include_str!("../queries/incidents_of_instance.sql");
/// What an element instance waits with has a key at most this much above its own: 2 seconds.
const NEAR: i64 = 2_000 << 22;

pub(crate) fn load(connection: &Connection, keys: &[InstanceKey]) -> Result<Vec<LoadedInstance>> {
    let snapshot = connection.unchecked_transaction()?;
    let mut loaded = Vec::with_capacity(keys.len());
    {
        let mut instance = snapshot.prepare_cached(include_str!("../queries/instance_load.sql"))?;
        let mut variables =
            snapshot.prepare_cached(include_str!("../queries/variable_load.sql"))?;
        let mut pages = snapshot.prepare_cached(include_str!("../queries/page_load.sql"))?;
        for key in keys {
            let row = instance.query_row((key.raw(),), rows::instance).optional()?;
            let Some(row) = row else { continue };
            let variables = variables.query_map((key.raw(),), rows::variable)?;
            let variables = variables.collect::<Result<_>>()?;
            let pages = pages.query_map((key.raw(),), rows::page)?.collect::<Result<_>>()?;
            loaded.push(LoadedInstance { row, variables, pages });
        }
    }
    snapshot.finish()?;
    Ok(loaded)
}

/// The row of a key, by a statement that takes nothing else.
pub(crate) fn by_key<T>(
    connection: &Connection,
    sql: &str,
    key: i64,
    row: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    connection.prepare_cached(sql)?.query_row((key,), row).optional()
}

pub(crate) fn instance_of(
    connection: &Connection,
    scope: ElementInstanceKey,
) -> Result<Option<InstanceKey>> {
    let scope = scope.raw();
    let key = |row: &Row<'_>| row.get(0).map(InstanceKey::new);
    let snapshot = connection.unchecked_transaction()?;
    let live = by_key(&snapshot, include_str!("../queries/instance_rev.sql"), scope, |_| Ok(()))?;
    if live.is_some() {
        return Ok(Some(InstanceKey::new(scope)));
    }
    for sql in [
        include_str!("../queries/instance_of_near.sql"),
        include_str!("../queries/instance_of_subscription_near.sql"),
    ] {
        let values = (scope, scope.saturating_add(NEAR));
        let near = snapshot.prepare_cached(sql)?.query_row(values, key).optional()?;
        if near.is_some() {
            return Ok(near);
        }
    }
    for sql in [
        include_str!("../queries/instance_of_incident.sql"),
        include_str!("../queries/instance_of_user_task.sql"),
        include_str!("../queries/instance_of_subscription_far.sql"),
        include_str!("../queries/instance_of_far.sql"),
    ] {
        let found = by_key(&snapshot, sql, scope, key)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

pub(crate) fn instances(
    connection: &Connection,
    engine: &str,
    filter: &InstanceFilter,
    page: Page,
) -> Result<Vec<InstanceRow>> {
    let values = instance_values(engine, filter, at_most(page), limit(page));
    all(connection, instances_sql(filter), params_from_iter(values), rows::instance)
}

pub(crate) fn count_instances(
    connection: &Connection,
    engine: &str,
    filter: &InstanceFilter,
) -> Result<u64> {
    let values = instance_values(engine, filter, i64::MAX, 0);
    count_of(connection, instances_sql(filter), values)
}

/// An index is chosen before a value is known, so a business key has a statement of its own.
fn instances_sql(filter: &InstanceFilter) -> &'static str {
    match filter.business_key {
        Some(_) => INSTANCES_OF_BUSINESS_KEY,
        None => INSTANCES,
    }
}

fn instance_values(engine: &str, filter: &InstanceFilter, at_most: i64, limit: u32) -> [Value; 8] {
    [
        at_most.into(),
        engine.to_owned().into(),
        text(filter.process_id.as_deref()),
        limit.into(),
        filter.definition.map(DefinitionKey::raw).into(),
        text(filter.tenant.as_deref()),
        text(filter.business_key.as_deref()),
        filter.has_incidents.map(i64::from).into(),
    ]
}

pub(crate) fn ended(
    connection: &Connection,
    engine: &str,
    filter: &EndedFilter,
    page: Page,
) -> Result<Vec<EndedRow>> {
    let values = (
        at_most(page),
        engine,
        filter.process_id.as_deref(),
        limit(page),
        filter.definition.map(DefinitionKey::raw),
        filter.tenant.as_deref(),
        filter.business_key.as_deref(),
        filter.completed,
        filter.ended_before.map(Timestamp::as_ms),
        filter.ended_after.map(Timestamp::as_ms),
    );
    all(connection, include_str!("../queries/ended.sql"), values, rows::ended)
}

pub(crate) fn history(connection: &Connection, instance: InstanceKey) -> Result<Vec<HistoryRow>> {
    let sql = include_str!("../queries/history_load.sql");
    let mut statement = connection.prepare_cached(sql)?;
    let mut stretches: Vec<HistoryRow> = Vec::new();
    for part in statement.query_map((instance.raw(),), rows::history_part)? {
        match (part?, stretches.last_mut()) {
            ((1.., part), Some(stretch)) if stretch.rev == part.rev => {
                stretch.events.extend(part.events);
            }
            ((_, stretch), _) => stretches.push(stretch),
        }
    }
    Ok(stretches)
}

pub(crate) fn incidents(
    connection: &Connection,
    engine: &str,
    filter: &IncidentFilter,
    page: Page,
) -> Result<Vec<IncidentRow>> {
    let values = incident_values(engine, filter, at_most(page), limit(page));
    all(connection, incidents_sql(filter), params_from_iter(values), rows::incident)
}

fn incidents_sql(filter: &IncidentFilter) -> &'static str {
    if filter.instance.is_some() { INCIDENTS_OF_INSTANCE } else { INCIDENTS }
}

pub(crate) fn count_incidents(
    connection: &Connection,
    engine: &str,
    filter: &IncidentFilter,
) -> Result<u64> {
    let values = incident_values(engine, filter, i64::MAX, 0);
    count_of(connection, incidents_sql(filter), values)
}

fn incident_values(engine: &str, filter: &IncidentFilter, at_most: i64, limit: u32) -> [Value; 10] {
    [
        at_most.into(),
        engine.to_owned().into(),
        filter.instance.map(InstanceKey::raw).into(),
        limit.into(),
        filter.definition.map(DefinitionKey::raw).into(),
        text(filter.tenant.as_deref()),
        text(filter.kind.as_deref()),
        text(filter.element.as_deref()),
        filter.job.map(JobKey::raw).into(),
        text(filter.process_id.as_deref()),
    ]
}

pub(crate) fn user_tasks(
    connection: &Connection,
    engine: &str,
    filter: &UserTaskFilter,
    page: Page,
) -> Result<Vec<UserTaskRow>> {
    let instance = filter.instance.map(InstanceKey::raw);
    let values = (at_most(page), engine, instance, limit(page));
    all(connection, include_str!("../queries/user_tasks.sql"), values, rows::user_task)
}

pub(crate) fn definitions(
    connection: &Connection,
    engine: &str,
    filter: &DefinitionFilter,
    page: Page,
) -> Result<Vec<DefinitionRow>> {
    let values = (
        at_most(page),
        engine,
        limit(page),
        filter.process_id.as_deref(),
        filter.tenant.as_deref(),
        filter.version,
        filter.deployment.map(DeploymentKey::raw),
        filter.suspended,
        filter.only_latest,
    );
    all(connection, include_str!("../queries/definitions.sql"), values, rows::definition)
}

/// How many rows a listing has. Its parameters keep their places; page and order are left out.
pub(crate) fn count_of(
    connection: &Connection,
    listing: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<u64> {
    let from = listing.find("\nFROM ").expect("every listing has a FROM");
    let to = listing.find("ORDER BY").expect("every listing has an order");
    let sql = format!("SELECT count(*){}", &listing[from..to]);
    let mut statement = connection.prepare_cached(&sql)?;
    let count: i64 = statement.query_row(params_from_iter(values), |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

pub(crate) fn all<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    row: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(values, row)?.collect()
}

/// The highest key of a page.
pub(crate) fn at_most(page: Page) -> i64 {
    page.before.map_or(i64::MAX, |before| before.saturating_sub(1))
}

pub(crate) fn limit(page: Page) -> u32 {
    page.limit.min(PAGE_ROWS_MAX)
}

pub(crate) fn text(text: Option<&str>) -> Value {
    text.map(str::to_owned).into()
}
