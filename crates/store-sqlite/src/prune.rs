//! Removing what is old, a chunk at a time: the writer is held up for milliseconds.

use orloj_store::{Error, PRUNE_ROWS_MAX, Prune, PruneQuery, Pruned};
use orloj_types::{BatchKey, InstanceKey, Timestamp};
use rusqlite::{Connection, Params, Result};

use crate::error::portable;
use crate::queries::all;
use crate::writer::Writer;

pub(crate) fn prune(writer: &mut Writer, query: &PruneQuery) -> std::result::Result<Pruned, Error> {
    let engine = writer.engine.clone();
    writer.write(|connection| prune_in(connection, &engine, query).map_err(portable))
}

fn prune_in(connection: &Connection, engine: &str, query: &PruneQuery) -> Result<Pruned> {
    let limit = query.limit.min(PRUNE_ROWS_MAX);
    let run = |sql: &str, values: &dyn Fn(&mut rusqlite::CachedStatement<'_>) -> Result<usize>| {
        let rows = values(&mut connection.prepare_cached(sql)?)?;
        Ok(Pruned { rows: u32::try_from(rows).unwrap_or(u32::MAX) })
    };
    match &query.what {
        Prune::Removable { until, minutes } => {
            let sql = include_str!("../queries/prune_removable.sql");
            let values = (engine, until.as_ms(), minutes.start(), minutes.end(), limit);
            remove_instances(connection, sql, values)
        }
        Prune::Ended { before, own, minutes } => {
            let sql = include_str!("../queries/prune_ended.sql");
            let own = own.iter().map(|(key, before)| (key.raw(), before.map(Timestamp::as_ms)));
            let own = serde_json::to_string(&own.collect::<Vec<_>>()).unwrap_or_default();
            let before = before.map(Timestamp::as_ms);
            let (first, last) = (minutes.start(), minutes.end());
            let values = (engine, before, first, last, limit, own);
            remove_instances(connection, sql, values)
        }
        Prune::Instances(instances) => {
            let keys = instances.iter().take(limit as usize).map(|key| key.raw());
            let keys = serde_json::to_string(&keys.collect::<Vec<_>>()).unwrap_or_default();
            let sql = include_str!("../queries/prune_instances.sql");
            remove_instances(connection, sql, (engine, keys))
        }
        Prune::Batches { until } => run(include_str!("../queries/prune_batches.sql"), &|s| {
            s.execute((engine, until.as_ms(), limit))
        }),
        Prune::BatchesEnded { before, kinds } => {
            let (words, are_left_out) = kinds.words();
            let words: Vec<&str> = words.iter().map(|word| &**word).collect();
            let words = serde_json::to_string(&words).unwrap_or_default();
            run(include_str!("../queries/prune_batches_ended.sql"), &|s| {
                s.execute((engine, before.as_ms(), limit, &words, are_left_out))
            })
        }
        Prune::BatchKeys(keys) => {
            let keys: Vec<i64> = keys.iter().take(limit as usize).map(|key| key.raw()).collect();
            let keys = serde_json::to_string(&keys).unwrap_or_default();
            run(include_str!("../queries/prune_batch_keys.sql"), &|s| s.execute((engine, &keys)))
        }
        Prune::Operations { before } => {
            run(include_str!("../queries/prune_operations.sql"), &|s| {
                s.execute((engine, Timestamp::as_ms(*before), limit))
            })
        }
        Prune::ChoreLog { before } => run(include_str!("../queries/prune_chore_log.sql"), &|s| {
            s.execute((engine, Timestamp::as_ms(*before), limit))
        }),
        Prune::BatchLog(batch) => run(include_str!("../queries/prune_batch_log.sql"), &|s| {
            s.execute((engine, batch.raw(), limit))
        }),
        Prune::Meters { before } => run(include_str!("../queries/prune_meters.sql"), &|s| {
            s.execute((engine, Timestamp::as_ms(*before), limit))
        }),
    }
}

pub(crate) fn set_removal(
    writer: &mut Writer,
    instances: &[InstanceKey],
    at: Option<Timestamp>,
) -> std::result::Result<u32, Error> {
    let engine = writer.engine.clone();
    writer.write(|connection| {
        let sql = include_str!("../queries/ended_removal.sql");
        let mut update = connection.prepare_cached(sql).map_err(portable)?;
        let mut count = 0;
        for instance in instances {
            let values = (instance.raw(), engine.as_str(), at.map(Timestamp::as_ms));
            count += update.execute(values).map_err(portable)?;
        }
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    })
}

pub(crate) fn set_batch_removal(
    writer: &mut Writer,
    batches: &[BatchKey],
    at: Option<Timestamp>,
) -> std::result::Result<u32, Error> {
    let engine = writer.engine.clone();
    writer.write(|connection| {
        let sql = include_str!("../queries/ended_batch_removal.sql");
        let mut update = connection.prepare_cached(sql).map_err(portable)?;
        let mut count = 0;
        for batch in batches {
            let values = (batch.raw(), engine.as_str(), at.map(Timestamp::as_ms));
            count += update.execute(values).map_err(portable)?;
        }
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    })
}

/// Those that the statement names, with their history.
fn remove_instances(connection: &Connection, sql: &str, values: impl Params) -> Result<Pruned> {
    let keys: Vec<i64> = all(connection, sql, values, |row| row.get(0))?;
    for sql in [
        include_str!("../queries/history_delete.sql"),
        include_str!("../queries/called_delete.sql"),
        include_str!("../queries/ended_delete.sql"),
    ] {
        let mut delete = connection.prepare_cached(sql)?;
        for key in &keys {
            delete.execute((key,))?;
        }
    }
    let rows = u32::try_from(keys.len()).unwrap_or(u32::MAX);
    Ok(Pruned { rows })
}
