//! The writing end: one connection, one transaction at a time.

use std::collections::BTreeMap;

use orloj_store::{Error, Order};
use orloj_types::EngineName;
use rusqlite::Connection;

use crate::error::portable;
use crate::log::Log;

pub(crate) struct Writer {
    pub(crate) connection: Connection,
    pub(crate) engine: EngineName,
    /// A store in memory has none.
    pub(crate) log: Option<Log>,
    pub(crate) floor: Floor,
    /// The lowest key locked since the last beat. A beat that was on its way meanwhile does not
    /// know of that lock and must not raise the floor above it.
    pub(crate) taken_floor: Option<i64>,
    /// A COMMIT has failed in a way that may have left its pages in the log, whole. This process
    /// does not see them, one after a crash might; the next commit writes over them.
    pub(crate) unsure: bool,
    /// Whose index was made.
    pub(crate) order: Option<Order>,
    /// The sessions of nodes of this process, one of each engine.
    pub(crate) sessions: BTreeMap<EngineName, i64>,
    /// What the fields above are for the engines that do not write at the moment.
    others: BTreeMap<EngineName, Seat>,
}

/// What is known of an engine's node.
#[derive(Default)]
struct Seat {
    floor: Floor,
    taken_floor: Option<i64>,
    order: Option<Order>,
}

/// The floor of a session as it is stored, to know without asking whether a lock lies below it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Floor(Option<(i64, i64)>);

impl Floor {
    pub(crate) fn of(session: i64, lowest: i64) -> Self {
        Self(Some((session, lowest)))
    }

    /// Whether a lock on this job must lower the stored floor.
    pub(crate) fn is_above(self, session: i64, job: i64) -> bool {
        match self.0 {
            Some((known, lowest)) => known != session || job < lowest,
            None => true,
        }
    }
}

/// Why a transaction did not take effect. Only after `Unsure` may it have.
#[derive(Debug)]
pub(crate) enum Failure<E> {
    /// The work itself said so.
    Work(E),
    Unavailable(Error),
    Unsure(rusqlite::Error),
}

impl Writer {
    pub(crate) fn new(connection: Connection, engine: EngineName, log: Option<Log>) -> Self {
        Self {
            connection,
            engine,
            log,
            floor: Floor::default(),
            taken_floor: None,
            unsure: false,
            order: None,
            sessions: BTreeMap::new(),
            others: BTreeMap::new(),
        }
    }

    /// What follows is written for this engine.
    pub(crate) fn seat(&mut self, engine: &EngineName) {
        if self.engine == *engine {
            return;
        }
        let Seat { floor, taken_floor, order } = self.others.remove(engine).unwrap_or_default();
        let left = Seat {
            floor: std::mem::replace(&mut self.floor, floor),
            taken_floor: std::mem::replace(&mut self.taken_floor, taken_floor),
            order: std::mem::replace(&mut self.order, order),
        };
        let engine = std::mem::replace(&mut self.engine, engine.clone());
        self.others.insert(engine, left);
    }

    /// The orders of the other engines of this process.
    pub(crate) fn other_orders(&self) -> Vec<Order> {
        self.others.values().filter_map(|seat| seat.order).collect()
    }

    /// One transaction, durable when this returns `Ok`.
    pub(crate) fn transact<T, E>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, Failure<E>> {
        if let Some(log) = &self.log {
            log.begin().map_err(Failure::Unavailable)?;
        }
        let done = self.transact_in_turn(work);
        if let Some(log) = &mut self.log {
            log.end();
        }
        done
    }

    fn transact_in_turn<T, E>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, Failure<E>> {
        run(&self.connection, "BEGIN IMMEDIATE")
            .map_err(|error| Failure::Unavailable(portable(error)))?;
        let worked = match work(&self.connection) {
            Ok(worked) => worked,
            Err(error) => {
                self.roll_back();
                return Err(Failure::Work(error));
            }
        };
        match run(&self.connection, "COMMIT") {
            Ok(()) => {
                self.unsure = false;
                Ok(worked)
            }
            Err(error) => {
                self.roll_back();
                if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) {
                    // Refused before anything was written.
                    return Err(Failure::Unavailable(portable(error)));
                }
                self.unsure = true;
                Err(Failure::Unsure(error))
            }
        }
    }

    /// A transaction of everything but groups.
    pub(crate) fn write<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.transact(work).map_err(|failure| match failure {
            Failure::Work(error) | Failure::Unavailable(error) => error,
            Failure::Unsure(error) => Error::Unavailable(error.to_string()),
        })
    }

    fn roll_back(&self) {
        // Some errors have already rolled back.
        if !self.connection.is_autocommit() {
            // If even this fails the next BEGIN does too, and says so.
            let _ = run(&self.connection, "ROLLBACK");
        }
    }
}

fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(|_| ())
}
