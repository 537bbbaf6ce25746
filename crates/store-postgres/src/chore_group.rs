//! The part of a group that is about chores, batches, their incidents and the logs of chores and
//! operations, as rows.

use std::collections::{BTreeMap, BTreeSet};

use orloj_store::{
    BatchRow, BatchUpdate, BatchWrite, Change, ChoreLock, ChoreUpdate, ChoreWrite, Claims,
    FailureWrite, Group, Held, LockWrite, OperationRow,
};
use orloj_types::BatchKey;
use tokio_postgres::types::{ToSql, Type};

use crate::chore_log::put_log;
use crate::connection::Connection;
use crate::group::{put_incident, put_job_row};
use crate::one_by_one::parts;
use crate::row_array::RowArray;
use crate::settings::put_job_definition;
use crate::sql::RowTypes;
use crate::store::Shared;

/// Rows are locked as they are sent, so those that other groups may want too are in order.
pub(crate) struct ChoreRows {
    written: RowArray,
    inserted: RowArray,
    batches_inserted: RowArray,
    batches_written: RowArray,
    batches_gone: RowArray,
    operations: RowArray,
    incidents_annotated: RowArray,
    job_definitions_added: RowArray,
    incidents_opened: RowArray,
    log: RowArray,
}

impl ChoreRows {
    pub fn new(changes: &[Change], types: &RowTypes) -> Self {
        let mut rows = Self::empty(types);
        let mut chores: Vec<&ChoreWrite> =
            changes.iter().flat_map(|change| &change.chores).collect();
        chores.sort_unstable_by_key(|write| write.key());
        for write in chores {
            rows.put_chore(write);
        }
        rows.put_batches(changes);
        for row in changes.iter().flat_map(|change| &change.operations) {
            put_operation(&mut rows.operations, row);
        }
        for row in changes.iter().flat_map(|change| &change.job_definitions_added) {
            put_job_definition(&mut rows.job_definitions_added, row);
        }
        let mut opened: Vec<_> =
            changes.iter().flat_map(|change| &change.incidents_opened).collect();
        opened.sort_unstable_by_key(|row| row.key);
        for row in opened {
            put_incident(&mut rows.incidents_opened, row);
        }
        for row in changes.iter().flat_map(|change| &change.chore_log) {
            put_log(&mut rows.log, row);
        }
        // The last word on an incident counts.
        let notes = changes.iter().flat_map(|change| &change.incidents_annotated);
        let notes: BTreeMap<_, _> = notes.map(|note| (note.key, &note.annotation)).collect();
        for (key, annotation) in notes {
            rows.incidents_annotated.push(|r| {
                r.int8(key.raw()).text_or_null(annotation.as_deref());
            });
        }
        rows
    }

    fn empty(types: &RowTypes) -> Self {
        Self {
            written: RowArray::new(&types.chore_step),
            inserted: RowArray::new(&types.job_in),
            batches_inserted: RowArray::new(&types.batch_in),
            batches_written: RowArray::new(&types.batch_step),
            batches_gone: RowArray::new(&types.batch_gone),
            operations: RowArray::new(&types.operation_in),
            incidents_annotated: RowArray::new(&types.incident_note),
            job_definitions_added: RowArray::new(&types.job_definition_in),
            incidents_opened: RowArray::new(&types.incident_in),
            log: RowArray::new(&types.chore_log_in),
        }
    }

    /// One for each row, in the order in which the procedures write them.
    pub fn one_by_one(&self, types: &RowTypes) -> Vec<Self> {
        parts!(self, Self::empty(types);
            incidents_opened log written inserted job_definitions_added batches_inserted
            batches_written batches_gone operations incidents_annotated)
    }

    pub fn arrays(&self) -> [&RowArray; 10] {
        [
            &self.written,
            &self.inserted,
            &self.batches_inserted,
            &self.batches_written,
            &self.batches_gone,
            &self.operations,
            &self.incidents_annotated,
            &self.job_definitions_added,
            &self.incidents_opened,
            &self.log,
        ]
    }

    /// In the order of the procedure, between the session and the floor.
    pub fn params(&self) -> [(&(dyn ToSql + Sync), Type); 10] {
        self.arrays().map(RowArray::param)
    }

    fn put_chore(&mut self, write: &ChoreWrite) {
        match write {
            ChoreWrite::Insert(row) => put_job_row(&mut self.inserted, row),
            ChoreWrite::Update(update) => put_update(&mut self.written, update),
            ChoreWrite::Delete { key, held } => {
                let (held_by, attempt) = held_values(*held);
                self.written.push(|r| {
                    r.int8(key.raw()).int8_or_null(held_by).int4(attempt).bool(true);
                    r.int2(0).int4(0).int8(0).int8_or_null(None).bool(false).text_or_null(None);
                    r.text_or_null(None).text_or_null(None).bytes_or_null(None).int2(0);
                    r.int8_or_null(None).text_or_null(None).int8_or_null(None).bytes_or_null(None);
                });
            }
        }
    }

    /// Statements write all of a kind at once; so what several changes say about one batch is put
    /// together first.
    fn put_batches(&mut self, changes: &[Change]) {
        let mut updates: BTreeMap<BatchKey, BatchUpdate> = BTreeMap::new();
        let mut gone = BTreeMap::new();
        for write in changes.iter().flat_map(|change| &change.batches) {
            match write {
                BatchWrite::Insert(row) => put_batch(&mut self.batches_inserted, row),
                BatchWrite::Update(update) => {
                    let key = update.key;
                    let known = updates
                        .entry(key)
                        .or_insert_with(|| BatchUpdate { key, ..BatchUpdate::default() });
                    known.parts_made = update.parts_made.or(known.parts_made);
                    known.suspended = update.suspended.or(known.suspended);
                    known.started_at = known.started_at.or(update.started_at);
                    if update.config.is_some() {
                        known.config.clone_from(&update.config);
                    }
                }
                BatchWrite::Delete(key) => drop(gone.insert(*key, None)),
                BatchWrite::End { key, end } => drop(gone.insert(*key, Some(*end))),
            }
        }
        for (key, update) in updates {
            self.batches_written.push(|r| {
                r.int8(key.raw()).int8_or_null(update.parts_made);
                r.bytes_or_null(update.config.as_deref()).bool_or_null(update.suspended);
                r.int8_or_null(update.started_at.map(|at| at.as_ms()));
            });
        }
        for (key, end) in gone {
            self.batches_gone.push(|r| {
                r.int8(key.raw()).int8_or_null(end.map(|end| end.at.as_ms()));
                r.int8_or_null(end.and_then(|end| end.removal_at).map(|at| at.as_ms()));
                r.int8_or_null(end.map(|end| end.parts_done));
                r.int8_or_null(end.map(|end| end.parts_failed));
            });
        }
    }
}

impl Shared {
    /// Which changes expect a chore to be otherwise than it is.
    pub(crate) async fn chore_losers(
        &self,
        connection: &Connection,
        group: &Group,
    ) -> Result<BTreeSet<usize>, tokio_postgres::Error> {
        let writes = group.changes.iter().flat_map(|change| &change.chores);
        let keys: Vec<i64> = writes.map(|write| write.key().raw()).collect();
        if keys.is_empty() {
            return Ok(BTreeSet::new());
        }
        let sql = &self.sql.chore_locks;
        let rows = connection.query_typed(sql, &[(&keys, Type::INT8_ARRAY)]).await?;
        let mut found: BTreeMap<i64, ChoreLock> = BTreeMap::new();
        for row in &rows {
            let lock = ChoreLock {
                session: row.try_get(1)?,
                is_locked_by_worker: row.try_get(2)?,
                attempt: row.try_get(3)?,
            };
            found.insert(row.try_get(0)?, lock);
        }
        let mut claims = Claims::default();
        let mut is_lost = |change: &Change| {
            let agrees = |write: &ChoreWrite| write.agrees_with(found.get(&write.key().raw()));
            !change.chores.iter().all(agrees) || !claims.claim(change)
        };
        let places = group.changes.iter().enumerate();
        Ok(places.filter(|(_, change)| is_lost(change)).map(|(place, _)| place).collect())
    }
}

fn held_values(held: Held) -> (Option<i64>, i32) {
    match held {
        Held::By { session, attempt } => (Some(session), attempt),
        Held::Free => (None, 0),
    }
}

fn put_update(rows: &mut RowArray, update: &ChoreUpdate) {
    let (held_by, attempt) = held_values(update.held);
    let (is_written, message, details, element) = match &update.failure {
        FailureWrite::Keep => (false, None, None, None),
        FailureWrite::Clear => (true, None, None, None),
        FailureWrite::Set { message, details, element } => {
            (true, Some(&**message), details.as_deref(), element.as_deref())
        }
    };
    let (write, session, worker, until, activations) = match &update.lock {
        LockWrite::Keep => (0, None, None, None, None),
        LockWrite::Clear => (1, None, None, None, Some(&[][..])),
        LockWrite::Session(session) => (2, Some(*session), None, None, None),
        LockWrite::Worker { worker, until, activations } => {
            (3, None, Some(&**worker), Some(until.as_ms()), Some(&activations[..]))
        }
    };
    rows.push(|r| {
        r.int8(update.key.raw()).int8_or_null(held_by).int4(attempt).bool(false);
        r.int2(update.state as i16).int4(update.retries_left).int8_or_null(update.priority);
        r.int8_or_null(update.due_at.map(|at| at.as_ms())).bool(is_written);
        r.text_or_null(message).text_or_null(details).text_or_null(element);
        r.bytes_or_null(update.payload.as_deref()).int2(write).int8_or_null(session);
        r.text_or_null(worker).int8_or_null(until).bytes_or_null(activations);
    });
}

fn put_batch(rows: &mut RowArray, row: &BatchRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant).text(&row.kind);
        r.int8(row.total).int8(row.parts_made).bytes(&row.config).bool(row.suspended);
        r.int8(row.created_at.as_ms()).int8_or_null(row.started_at.map(|at| at.as_ms()));
        r.text_or_null(row.created_by.as_deref());
    });
}

fn put_operation(rows: &mut RowArray, row: &OperationRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).int8(row.group.raw()).text(&row.engine).text(&row.tenant);
        r.int8(row.at.as_ms()).text_or_null(row.user.as_deref());
        r.text(&row.operation).text(&row.entity).int8_or_null(row.entity_key);
        r.int8_or_null(row.instance.map(|key| key.raw()));
        r.int8_or_null(row.definition.map(|key| key.raw()));
        r.int8_or_null(row.job_definition.map(|key| key.raw()));
        r.text_or_null(row.property.as_deref());
        r.text_or_null(row.old.as_deref()).text_or_null(row.new.as_deref());
    });
}
