//! Jobs: releasing, time.

use std::sync::Arc;

use orloj_store::{Error, ExtendLock, Extended, JobRow, Lease};
use orloj_types::{JobKey, Timestamp};
use rusqlite::{Connection, Params};

use crate::error::portable;
use crate::rows;
use crate::writer::Writer;

pub(crate) fn due(
    connection: &Connection,
    engine: &str,
    now: Timestamp,
    limit: u32,
) -> rusqlite::Result<Vec<JobRow>> {
    let sql = include_str!("../queries/job_due.sql");
    rows_of(connection, sql, (now.as_ms(), engine, limit))
}

pub(crate) fn due_for_workers(
    connection: &Connection,
    engine: &str,
    now: Timestamp,
    limit: u32,
) -> rusqlite::Result<Vec<JobRow>> {
    let sql = include_str!("../queries/job_due_worker.sql");
    rows_of(connection, sql, (now.as_ms(), engine, limit))
}

pub(crate) fn expire(writer: &mut Writer, now: Timestamp) -> Result<Vec<Arc<str>>, Error> {
    let engine = writer.engine.clone();
    writer.write(|connection| expired(connection, now, &engine).map_err(portable))
}

pub(crate) fn release(
    writer: &mut Writer,
    lease: Lease,
    jobs: &[(JobKey, i32)],
) -> Result<(), Error> {
    writer.write(|connection| {
        let mut release = connection
            .prepare_cached(include_str!("../queries/job_release.sql"))
            .map_err(portable)?;
        for (key, attempt) in jobs {
            release.execute((key.raw(), attempt, lease.session)).map_err(portable)?;
        }
        Ok(())
    })
}

pub(crate) fn extend_lock(writer: &mut Writer, extend: ExtendLock) -> Result<Extended, Error> {
    let key = extend.job.raw();
    writer.write(|connection| {
        let sql = include_str!("../queries/job_extend_lock.sql");
        let extended = connection
            .prepare_cached(sql)
            .and_then(|mut s| s.execute((key, extend.until.as_ms(), extend.now.as_ms())))
            .map_err(portable)?;
        if extended == 1 {
            return Ok(Extended::Done);
        }
        let sql = include_str!("../queries/job_load.sql");
        let found =
            connection.prepare_cached(sql).and_then(|mut s| s.exists((key,))).map_err(portable)?;
        Ok(if found { Extended::NotLocked } else { Extended::NotFound })
    })
}

fn rows_of(
    connection: &Connection,
    sql: &str,
    values: impl Params,
) -> rusqlite::Result<Vec<JobRow>> {
    let mut statement = connection.prepare_cached(sql)?;
    let jobs = statement.query_map(values, rows::job)?;
    jobs.collect()
}

/// The types of the jobs, each once.
fn expired(
    connection: &Connection,
    now: Timestamp,
    engine: &str,
) -> rusqlite::Result<Vec<Arc<str>>> {
    let mut statement = connection.prepare_cached(include_str!("../queries/job_expire.sql"))?;
    let types = statement.query_map((now.as_ms(), engine), |row| row.get(0))?;
    let mut types = types.collect::<rusqlite::Result<Vec<Arc<str>>>>()?;
    types.sort_unstable();
    types.dedup();
    Ok(types)
}
