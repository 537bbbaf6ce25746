//! What a change writes about chores, batches and the log of operations.

use orloj_store::{
    BatchWrite, Change, ChoreLock, ChoreUpdate, ChoreWrite, FailureWrite, JobRow, LockWrite,
};
use orloj_types::Timestamp;
use rusqlite::{Connection, OptionalExtension, Result, params};

use crate::{batches, chore_log, operations, rows, settings};

/// False when a chore is not as expected.
pub(crate) fn apply(connection: &Connection, changes: &[Change]) -> Result<bool> {
    for change in changes.iter().filter(|change| change.has_chores()) {
        if is_lost(connection, change)? {
            return Ok(false);
        }
        for write in &change.chores {
            apply_chore(connection, write)?;
        }
        for row in &change.incidents_opened {
            let sql = include_str!("../queries/incident_open.sql");
            rows::insert_incident(&mut connection.prepare_cached(sql)?, row)?;
        }
        chore_log::insert(connection, &change.chore_log)?;
        for write in &change.batches {
            apply_batch(connection, write)?;
        }
        for row in &change.job_definitions_added {
            let sql = include_str!("../queries/job_definition_insert.sql");
            settings::insert_job_definition(&mut connection.prepare_cached(sql)?, row)?;
        }
        for row in &change.operations {
            let sql = include_str!("../queries/operation_insert.sql");
            operations::insert(&mut connection.prepare_cached(sql)?, row)?;
        }
    }
    Ok(true)
}

/// Whether a chore of the change is not as expected.
pub(crate) fn is_lost(connection: &Connection, change: &Change) -> Result<bool> {
    let mut is_lost = false;
    for write in &change.chores {
        let mut lock = connection.prepare_cached(include_str!("../queries/chore_lock.sql"))?;
        let found = lock.query_row((write.key().raw(),), |row| {
            Ok(ChoreLock {
                session: row.get(0)?,
                is_locked_by_worker: row.get(1)?,
                attempt: row.get(2)?,
            })
        });
        is_lost |= !write.agrees_with(found.optional()?.as_ref());
    }
    Ok(is_lost)
}

/// The key of a chore that is inserted locked for a session.
pub(crate) fn locked(write: &ChoreWrite) -> Option<i64> {
    match write {
        ChoreWrite::Insert(JobRow { key, lock_session: Some(_), .. }) => Some(key.raw()),
        _ => None,
    }
}

fn apply_chore(connection: &Connection, write: &ChoreWrite) -> Result<()> {
    match write {
        ChoreWrite::Insert(row) => {
            let sql = include_str!("../queries/job_insert.sql");
            rows::insert_job(&mut connection.prepare_cached(sql)?, row)?;
        }
        ChoreWrite::Update(update) => update_chore(connection, update)?,
        ChoreWrite::Delete { key, .. } => {
            let sql = include_str!("../queries/job_delete.sql");
            connection.prepare_cached(sql)?.execute((key.raw(),))?;
        }
    }
    Ok(())
}

fn update_chore(connection: &Connection, update: &ChoreUpdate) -> Result<()> {
    let (is_set, message, details, element) = match &update.failure {
        FailureWrite::Keep => (false, None, None, None),
        FailureWrite::Clear => (true, None, None, None),
        FailureWrite::Set { message, details, element } => {
            (true, Some(&**message), details.as_deref(), element.as_deref())
        }
    };
    let (lock, session, worker, until, activations) = match &update.lock {
        LockWrite::Keep => (0, None, None, None, &[][..]),
        LockWrite::Clear => (1, None, None, None, &[][..]),
        LockWrite::Session(session) => (2, Some(*session), None, None, &[][..]),
        LockWrite::Worker { worker, until, activations } => {
            (3, None, Some(&**worker), Some(until.as_ms()), &activations[..])
        }
    };
    connection.prepare_cached(include_str!("../queries/chore_update.sql"))?.execute(params![
        update.key.raw(),
        update.state as u8,
        update.retries_left,
        update.priority,
        update.due_at.map(Timestamp::as_ms),
        is_set,
        message,
        details,
        element,
        update.payload,
        activations,
        lock,
        session,
        worker,
        until,
    ])?;
    Ok(())
}

fn apply_batch(connection: &Connection, write: &BatchWrite) -> Result<()> {
    let delete = include_str!("../queries/batch_delete.sql");
    let of_jobs = include_str!("../queries/batch_job_definitions_delete.sql");
    match write {
        BatchWrite::Insert(row) => {
            let sql = include_str!("../queries/batch_insert.sql");
            batches::insert(&mut connection.prepare_cached(sql)?, row)?;
        }
        BatchWrite::Update(update) => {
            let sql = include_str!("../queries/batch_update.sql");
            connection.prepare_cached(sql)?.execute(params![
                update.key.raw(),
                update.parts_made,
                update.config,
                update.suspended,
                update.started_at.map(Timestamp::as_ms),
            ])?;
        }
        BatchWrite::Delete(key) => {
            connection.prepare_cached(delete)?.execute((key.raw(),))?;
            connection.prepare_cached(of_jobs)?.execute((key.raw(),))?;
        }
        BatchWrite::End { key, end } => {
            let sql = include_str!("../queries/batch_end.sql");
            connection.prepare_cached(sql)?.execute((
                key.raw(),
                end.at.as_ms(),
                end.removal_at.map(Timestamp::as_ms),
                end.parts_done,
                end.parts_failed,
            ))?;
            connection.prepare_cached(delete)?.execute((key.raw(),))?;
            connection.prepare_cached(of_jobs)?.execute((key.raw(),))?;
        }
    }
    Ok(())
}
