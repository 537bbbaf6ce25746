//! Acquisition: which jobs are locked, in which order, and within which limits.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_store::{Acquire, Error, Exhausted, JobRow, Permits, Selection, Wanted, format};
use orloj_types::{DefinitionKey, Timestamp};
use rusqlite::{Connection, Result, params};

use crate::error::portable;
use crate::queries::all;
use crate::writer::Writer;
use crate::{limits, order, rows};

pub(crate) fn acquire(
    writer: &mut Writer,
    acquire: &Acquire,
) -> std::result::Result<Vec<JobRow>, Error> {
    let session = acquire.lease.session;
    let engine = writer.engine.clone();
    let missing = match &acquire.wanted {
        Wanted::Engine(selection) => Some(selection.order),
        Wanted::Worker { .. } => None,
    };
    let missing = missing.filter(|order| writer.order != Some(*order));
    let mut jobs = writer.write(|connection| {
        if let Some(order) = missing {
            order::check(order)?;
            order::make(connection, order).map_err(portable)?;
        }
        let jobs = lock(connection, &engine, acquire).map_err(portable)?;
        // A session that is gone must not hold locks: nobody would ever clear them. Only looking
        // writes nothing, so that an acquisition that finds no job costs no write.
        let is_alive = is_alive(connection, session).map_err(portable)?;
        is_alive.then_some(jobs).ok_or(Error::Fenced)
    })?;
    writer.order = missing.or(writer.order);
    // RETURNING keeps no order.
    let order = match &acquire.wanted {
        Wanted::Engine(selection) => selection.order,
        Wanted::Worker { .. } => orloj_store::Order::default(),
    };
    jobs.sort_unstable_by_key(|job| job.place(order));
    Ok(jobs)
}

fn lock(connection: &Connection, engine: &str, acquire: &Acquire) -> Result<Vec<JobRow>> {
    let permits = limits::permits(connection, engine, acquire.now)?;
    if !permits.is_empty() {
        return lock_within(connection, engine, acquire, permits);
    }
    match &acquire.wanted {
        Wanted::Engine(selection) => {
            let sql = include_str!("../queries/job_acquire_engine.sql");
            let sql = order::in_order(sql, selection.order);
            let lists = Lists::of(selection);
            let values = params![
                engine,
                acquire.limit,
                acquire.lease.session,
                selection.priorities.start(),
                selection.priorities.end(),
                lists.definitions,
                lists.categories,
                lists.without_topics,
                selection.without_cleanup,
                selection.tenant.as_deref(),
                selection.over_hierarchies,
                selection.needs_due_date,
            ];
            all(connection, &sql, values, rows::job)
        }
        Wanted::Worker { job_type, worker, until } => {
            let sql = include_str!("../queries/job_acquire_worker.sql");
            let activation = format::encode_activation(worker, acquire.now);
            let (job_type, worker, until) = (&**job_type, &**worker, until.as_ms());
            let values = (engine, job_type, acquire.limit, worker, until, activation);
            all(connection, sql, values, rows::job)
        }
    }
}

/// Takes candidates as far as limits allow. What a round leaves has reached a limit that the next
/// one knows of, so there are no more rounds than limits.
fn lock_within(
    connection: &Connection,
    engine: &str,
    acquire: &Acquire,
    mut permits: Permits,
) -> Result<Vec<JobRow>> {
    let wanted = acquire.limit as usize;
    let mut taken: Vec<JobRow> = Vec::new();
    loop {
        let missing = wanted - taken.len();
        let found = candidates(connection, engine, acquire, missing, &permits.exhausted())?;
        let mut left = 0;
        for job in found {
            if permits.take(&job) {
                taken.push(lock_one(connection, acquire, job)?);
            } else {
                left += 1;
            }
        }
        if left == 0 || taken.len() == wanted {
            break;
        }
    }
    for row in permits.used() {
        limits::put(connection, row)?;
    }
    Ok(taken)
}

fn candidates(
    connection: &Connection,
    engine: &str,
    acquire: &Acquire,
    limit: usize,
    exhausted: &Exhausted,
) -> Result<Vec<JobRow>> {
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let (topics, tenants, keys) =
        (names(&exhausted.topics), names(&exhausted.tenants), names(&exhausted.keys));
    match &acquire.wanted {
        Wanted::Engine(selection) => {
            let sql = include_str!("../queries/job_candidates_engine.sql");
            let sql = order::in_order(sql, selection.order);
            let lists = Lists::of(selection);
            let values = params![
                engine,
                limit,
                acquire.lease.session,
                selection.priorities.start(),
                selection.priorities.end(),
                lists.definitions,
                lists.categories,
                lists.without_topics,
                selection.without_cleanup,
                topics,
                tenants,
                keys,
                selection.tenant.as_deref(),
                selection.over_hierarchies,
                selection.needs_due_date,
            ];
            all(connection, &sql, values, rows::job)
        }
        Wanted::Worker { job_type, .. } => {
            let sql = include_str!("../queries/job_candidates_worker.sql");
            let values = (engine, &**job_type, limit, topics, tenants, keys);
            all(connection, sql, values, rows::job)
        }
    }
}

fn lock_one(connection: &Connection, acquire: &Acquire, job: JobRow) -> Result<JobRow> {
    let key = job.key.raw();
    match &acquire.wanted {
        Wanted::Engine(_) => {
            let sql = include_str!("../queries/job_lock_session.sql");
            connection.prepare_cached(sql)?.execute((key, acquire.lease.session))?;
        }
        Wanted::Worker { worker, until, .. } => {
            let sql = include_str!("../queries/job_lock_worker.sql");
            let activation = format::encode_activation(worker, acquire.now);
            let until = Timestamp::as_ms(*until);
            connection.prepare_cached(sql)?.execute((key, &**worker, until, activation))?;
        }
    }
    let sql = include_str!("../queries/job_load.sql");
    connection.prepare_cached(sql)?.query_row((key,), rows::job)
}

/// The lists of a selection as the statements take them; `None` where all are meant.
struct Lists {
    definitions: Option<String>,
    categories: Option<String>,
    without_topics: Option<String>,
}

impl Lists {
    fn of(selection: &Selection) -> Self {
        let keys = |keys: &Arc<[DefinitionKey]>| {
            let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
            format!("[{}]", keys.join(","))
        };
        let topics = &selection.without_topics;
        Self {
            definitions: selection.definitions.as_ref().map(keys),
            categories: selection.categories.as_ref().map(|names| json(names.iter())),
            without_topics: (!topics.is_empty()).then(|| json(topics.iter())),
        }
    }
}

fn names(names: &BTreeSet<Arc<str>>) -> String {
    json(names.iter())
}

fn json<'a>(texts: impl Iterator<Item = &'a Arc<str>>) -> String {
    let texts = texts.map(|text| serde_json::Value::from(&**text));
    serde_json::Value::Array(texts.collect()).to_string()
}

fn is_alive(connection: &Connection, session: i64) -> Result<bool> {
    connection.prepare_cached(include_str!("../queries/node_beat_at.sql"))?.exists((session,))
}
