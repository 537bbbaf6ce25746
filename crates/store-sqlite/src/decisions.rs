//! Deployed decisions.

use orloj_store::{
    DecisionRow, DecisionVersion, LatestDecisions, NewDeployment, Page, decisions_of,
};
use orloj_types::TenantId;
use rusqlite::{Connection, OptionalExtension};

use crate::queries::{all, at_most, limit};
use crate::rows;

pub(crate) fn find(
    connection: &Connection,
    engine: &str,
    decision_id: &str,
    tenant: &TenantId,
    version: &DecisionVersion,
) -> rusqlite::Result<Option<DecisionRow>> {
    let deployment = version.deployment().map(|key| key.raw());
    let values = (engine, &**tenant, decision_id, version.number(), version.tag(), deployment);
    connection
        .prepare_cached(include_str!("../queries/decision_find.sql"))?
        .query_row(values, rows::decision)
        .optional()
}

pub(crate) fn list(
    connection: &Connection,
    engine: &str,
    page: Page,
) -> rusqlite::Result<Vec<DecisionRow>> {
    let values = (at_most(page), engine, limit(page));
    all(connection, include_str!("../queries/decisions.sql"), values, rows::decision)
}

pub(crate) fn latest(
    connection: &Connection,
    new: &NewDeployment,
) -> rusqlite::Result<LatestDecisions> {
    let mut latest = LatestDecisions::default();
    let mut version =
        connection.prepare_cached(include_str!("../queries/requirements_version.sql"))?;
    let mut newest = connection.prepare_cached(include_str!("../queries/decision_newest.sql"))?;
    for (_, requirements, decision) in decisions_of(new) {
        let id = &decision.decision_id;
        let values = (&*new.engine, &*new.tenant, &**id);
        if let Some(row) = newest.query_row(values, rows::decision).optional()? {
            latest.decisions.insert(id.clone(), row);
        }
        let values = (&*new.engine, &*new.tenant, &*requirements.id);
        if let Some(found) = version.query_row(values, |row| row.get(0)).optional()? {
            latest.requirements.insert(requirements.id.clone(), found);
        }
    }
    Ok(latest)
}

pub(crate) fn insert(connection: &Connection, decisions: &[DecisionRow]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(include_str!("../queries/decision_insert.sql"))?;
    for row in decisions {
        rows::insert_decision(&mut insert, row)?;
    }
    Ok(())
}
