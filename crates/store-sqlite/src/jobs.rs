//! Jobs: locking, releasing, time.

use std::sync::Arc;

use orloj_store::{Acquire, Error, ExtendLock, Extended, JobRow, Lease, Wanted, format};
use orloj_types::{JobKey, Timestamp};
use rusqlite::{Connection, Params};

use crate::error::portable;
use crate::rows;
use crate::writer::{Floor, Writer};

pub(crate) fn acquire(writer: &mut Writer, acquire: &Acquire) -> Result<Vec<JobRow>, Error> {
    let session = acquire.lease.session;
    let engine = writer.engine.clone();
    let floor = writer.floor;
    let (mut jobs, lowest, lowered) = writer.write(|connection| {
        let jobs = lock(connection, &engine, acquire).map_err(portable)?;
        let lowest = match acquire.wanted {
            Wanted::Engine => jobs.iter().map(|job| job.key.raw()).min(),
            Wanted::Worker { .. } => None,
        };
        let lowered = lowest.filter(|job| floor.is_above(session, *job));
        // A session that is gone must not hold locks: nobody would ever clear them. Only looking
        // writes nothing, so that an acquisition that finds no job costs no write.
        let alive = match lowered {
            Some(lowest) => lower_floor(connection, session, lowest),
            None => is_alive(connection, session),
        };
        if alive.map_err(portable)? { Ok((jobs, lowest, lowered)) } else { Err(Error::Fenced) }
    })?;
    writer.taken_floor = writer.taken_floor.into_iter().chain(lowest).min();
    if let Some(lowest) = lowered {
        writer.floor = Floor::of(session, lowest);
    }
    // RETURNING keeps no order.
    jobs.sort_unstable_by_key(|job| (std::cmp::Reverse(job.priority), job.key));
    Ok(jobs)
}

pub(crate) fn due(
    connection: &Connection,
    engine: &str,
    now: Timestamp,
    limit: u32,
) -> rusqlite::Result<Vec<JobRow>> {
    let sql = include_str!("../queries/job_due.sql");
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

fn lock(connection: &Connection, engine: &str, acquire: &Acquire) -> rusqlite::Result<Vec<JobRow>> {
    match &acquire.wanted {
        Wanted::Engine => {
            let sql = include_str!("../queries/job_acquire_engine.sql");
            rows_of(connection, sql, (engine, acquire.limit, acquire.lease.session))
        }
        Wanted::Worker { job_type, worker, until } => {
            let sql = include_str!("../queries/job_acquire_worker.sql");
            let activation = format::encode_activation(worker, acquire.now);
            let (job_type, worker, until) = (&**job_type, &**worker, until.as_ms());
            rows_of(connection, sql, (engine, job_type, acquire.limit, worker, until, activation))
        }
    }
}

/// False when the session is gone.
fn lower_floor(connection: &Connection, session: i64, lowest: i64) -> rusqlite::Result<bool> {
    let sql = include_str!("../queries/node_lower_floor.sql");
    Ok(connection.prepare_cached(sql)?.execute((session, lowest))? == 1)
}

fn is_alive(connection: &Connection, session: i64) -> rusqlite::Result<bool> {
    connection.prepare_cached(include_str!("../queries/node_beat_at.sql"))?.exists((session,))
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
