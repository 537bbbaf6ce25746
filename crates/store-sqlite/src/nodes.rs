//! Nodes. The file has one owner, so of each engine at most one of them is alive: joining fences
//! all others, but those of other engines of this process.

use orloj_store::format::encode_profile;
use orloj_store::{Beat, Claim, Error, Lease, NodeRow, Pulse};
use orloj_types::{JobKey, NodeNumber};
use rusqlite::{Connection, OptionalExtension};

use crate::error::portable;
use crate::writer::{Floor, Writer};
use crate::{order, rows};

/// 10 seconds of keys: the most a node may have given after its last beat, or before its first.
const KEYS_MARGIN: i64 = 10_000 << 22;
/// Of a node that holds nothing; whatever it locks lowers it.
const NO_FLOOR: i64 = i64::MAX;

pub(crate) fn join(writer: &mut Writer, claim: &Claim) -> Result<Lease, Error> {
    let order = claim.profile.order;
    order::check(order)?;
    let others = writer.other_orders();
    let mut living = writer.sessions.clone();
    living.remove(&claim.engine);
    let lease = writer.write(|connection| {
        order::make_only(connection, order, &others).map_err(portable)?;
        let mut numbers = Vec::new();
        for (number, session) in all(connection).map_err(portable)? {
            match living.values().any(|living| *living == session) {
                true => numbers.push(number),
                false => remove(connection, session).map_err(portable)?,
            }
        }
        let free = (0..).find(|number| !numbers.contains(number));
        insert(connection, claim, free.unwrap_or_default()).map_err(portable)
    })?;
    writer.sessions.insert(claim.engine.clone(), lease.session);
    writer.order = Some(order);
    writer.floor = Floor::of(lease.session, NO_FLOOR);
    Ok(lease)
}

pub(crate) fn beat(writer: &mut Writer, beat: &Beat) -> Result<Pulse, Error> {
    let session = beat.lease.session;
    let floor =
        writer.taken_floor.map_or(beat.lock_floor.raw(), |key| key.min(beat.lock_floor.raw()));
    let pulse = writer.write(|connection| {
        let mut statement = connection
            .prepare_cached(include_str!("../queries/node_beat.sql"))
            .map_err(portable)?;
        let values = (session, beat.now.as_ms(), beat.key_high, floor, beat.settings_seen);
        let pulse = statement.query_row(values, |row| {
            let (due_at, lock_until) = (rows::moment(row, 7)?, rows::moment(row, 8)?);
            Ok(Pulse {
                next_due_at: due_at.into_iter().chain(lock_until).min(),
                engine_jobs_ready: row.get(11)?,
                nodes: vec![rows::node(row)?],
                newest_definition: row.get(12)?,
                has_broadcasts: row.get(10)?,
                message_expires_at: rows::moment(row, 9)?,
                settings_version: row.get(13)?,
                listed: Vec::new(),
            })
        });
        let pulse = pulse.optional().map_err(portable)?.ok_or(Error::Fenced)?;
        Ok(Pulse { listed: list_locks(connection, beat).map_err(portable)?, ..pulse })
    })?;
    writer.floor = Floor::of(session, floor);
    writer.taken_floor = None;
    Ok(pulse)
}

fn list_locks(connection: &Connection, beat: &Beat) -> rusqlite::Result<Vec<JobKey>> {
    if beat.long_held.is_empty() {
        return Ok(Vec::new());
    }
    let mut list = connection.prepare_cached(include_str!("../queries/job_list_lock.sql"))?;
    let mut listed = Vec::new();
    for key in &beat.long_held {
        if list.execute((key.raw(), beat.lease.session))? == 1 {
            listed.push(*key);
        }
    }
    Ok(listed)
}

pub(crate) fn fence(writer: &mut Writer, session: i64, beat: i64) -> Result<bool, Error> {
    writer.write(|connection| fence_at(connection, session, beat).map_err(portable))
}

pub(crate) fn leave(writer: &mut Writer, lease: Lease) -> Result<(), Error> {
    writer.sessions.retain(|_, session| *session != lease.session);
    writer.write(|connection| remove(connection, lease.session).map_err(portable))
}

pub(crate) fn nodes(connection: &Connection, engine: &str) -> rusqlite::Result<Vec<NodeRow>> {
    let mut statement = connection.prepare_cached(include_str!("../queries/nodes.sql"))?;
    statement.query_map((engine,), rows::node)?.collect()
}

/// Number and session of every node, of whatever engine.
fn all(connection: &Connection) -> rusqlite::Result<Vec<(u16, i64)>> {
    let mut statement = connection.prepare_cached(include_str!("../queries/node_sessions.sql"))?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn insert(connection: &Connection, claim: &Claim, number: u16) -> rusqlite::Result<Lease> {
    let mut highest = connection.prepare_cached(include_str!("../queries/node_number_load.sql"))?;
    let highest: Option<i64> = highest.query_row((number,), |row| row.get(0)).optional()?;
    let keys_above = highest.map_or(0, |key| key.saturating_add(KEYS_MARGIN));
    let mut node = connection.prepare_cached(include_str!("../queries/node_insert.sql"))?;
    // Keys this node may give before its first beat are above `keys_above`, which is therefore
    // the least that its successor must know of.
    let values = (
        number,
        &*claim.engine,
        &claim.name,
        claim.now.as_ms(),
        keys_above,
        NO_FLOOR,
        encode_profile(&claim.profile),
    );
    let session: i64 = node.query_row(values, |row| row.get(0))?;
    let mut lane = connection.prepare_cached(include_str!("../queries/lane_insert.sql"))?;
    for lane_number in 0..claim.lanes {
        lane.execute((session, lane_number))?;
    }
    Ok(Lease { node: NodeNumber(number), session, keys_above })
}

fn fence_at(connection: &Connection, session: i64, beat: i64) -> rusqlite::Result<bool> {
    let mut counter = connection.prepare_cached(include_str!("../queries/node_beat_at.sql"))?;
    let found: Option<i64> = counter.query_row((session,), |row| row.get(0)).optional()?;
    if found != Some(beat) {
        return Ok(false);
    }
    remove(connection, session)?;
    Ok(true)
}

/// Takes a session away: its job locks, which its row and an index tell where to find, its lanes,
/// its row.
fn remove(connection: &Connection, session: i64) -> rusqlite::Result<()> {
    for sql in [
        include_str!("../queries/job_clear_session.sql"),
        include_str!("../queries/job_clear_listed.sql"),
        include_str!("../queries/node_number_keep.sql"),
        include_str!("../queries/lane_delete.sql"),
        include_str!("../queries/node_delete.sql"),
    ] {
        connection.prepare_cached(sql)?.execute((session,))?;
    }
    Ok(())
}
