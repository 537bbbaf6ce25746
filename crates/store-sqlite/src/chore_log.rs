//! The log of chores.

use orloj_store::{ChoreEvent, ChoreLogFilter, ChoreLogRow, JobKind, JobRow, Page};
use orloj_types::{BatchKey, DefinitionKey, JobKey, Timestamp};
use rusqlite::{Connection, Result, Row, params};

use crate::queries::{all, at_most, limit};
use crate::rows::{element, engine, moment, number, tenant};

pub(crate) fn list(
    connection: &Connection,
    engine: &str,
    filter: &ChoreLogFilter,
    page: Page,
) -> Result<Vec<ChoreLogRow>> {
    let (before, most, bits) = (at_most(page), limit(page), filter.event_bits());
    let definition = filter.definition.map(DefinitionKey::raw);
    let batch = filter.batch.map(BatchKey::raw);
    let message = filter.message.as_deref();
    match filter.job {
        None => {
            let values = params![before, engine, most, bits, definition, batch, message];
            all(connection, include_str!("../queries/chore_log.sql"), values, row)
        }
        Some(job) => {
            let job = job.raw();
            let values = params![before, engine, most, bits, definition, batch, message, job];
            all(connection, include_str!("../queries/chore_log_of_job.sql"), values, row)
        }
    }
}

pub(crate) fn insert<'a>(
    connection: &Connection,
    rows: impl IntoIterator<Item = &'a ChoreLogRow>,
) -> Result<()> {
    for row in rows {
        let sql = include_str!("../queries/chore_log_insert.sql");
        connection.prepare_cached(sql)?.execute(params![
            row.job.raw(),
            &*row.engine,
            &*row.tenant,
            row.definition.raw(),
            &*row.element,
            row.kind as u8,
            row.batch.map(BatchKey::raw),
            row.event as u8,
            row.at.as_ms(),
            row.retries,
            row.priority,
            row.due_at.map(Timestamp::as_ms),
            row.message.as_deref(),
            row.details.as_deref(),
            row.failed_element.as_deref(),
            row.incident.as_deref(),
            row.run_by.as_deref(),
        ])?;
    }
    Ok(())
}

/// What a deployment brings and takes away; the incidents of what goes go too.
pub(crate) fn replaced(
    connection: &Connection,
    gone: &[JobRow],
    come: &[&JobRow],
    is_logged: bool,
    now: Timestamp,
) -> Result<()> {
    let mut log = Vec::new();
    for row in gone {
        let sql = include_str!("../queries/incident_delete.sql");
        // The incident about a chore has its number.
        let had_incident = connection.prepare_cached(sql)?.execute((row.key.raw(),))? > 0;
        log.push(ChoreLogRow::of(row, ChoreEvent::Deleted, now));
        if had_incident {
            log.push(ChoreLogRow::of(row, ChoreEvent::IncidentDeleted, now));
        }
    }
    log.extend(come.iter().map(|row| ChoreLogRow::of(row, ChoreEvent::Created, now)));
    if is_logged { insert(connection, &log) } else { Ok(()) }
}

fn row(row: &Row<'_>) -> Result<ChoreLogRow> {
    let failed: Option<std::sync::Arc<str>> = row.get(15)?;
    Ok(ChoreLogRow {
        number: row.get(0)?,
        job: JobKey::new(row.get(1)?),
        engine: engine(row, 2)?,
        tenant: tenant(row, 3)?,
        definition: DefinitionKey::new(row.get(4)?),
        element: element(row, 5)?,
        kind: number(row, 6, JobKind::from_number)?,
        batch: row.get::<_, Option<i64>>(7)?.map(BatchKey::new),
        event: number(row, 8, ChoreEvent::from_number)?,
        at: Timestamp::from_ms(row.get(9)?),
        retries: row.get(10)?,
        priority: row.get(11)?,
        due_at: moment(row, 12)?,
        message: row.get(13)?,
        details: row.get(14)?,
        failed_element: failed.map(orloj_types::ElementId::new),
        incident: row.get(16)?,
        run_by: row.get(17)?,
    })
}
