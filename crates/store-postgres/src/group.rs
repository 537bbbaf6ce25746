//! A group of changes as the rows of the statements that write it.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::{
    Change, ChoreWrite, CommitError, EndedRow, Group, HistoryRow, IncidentRow, InstanceRow,
    InstanceWrite, JobRow, JobUpdate, JobWrite, LockWrite, UserTaskRow, VariableRow, VariableWrite,
};
use orloj_types::{ElementInstanceKey, InstanceKey};

use crate::at_hand::{AtHand, Hand, Next, Sorted};
use crate::chore_group::ChoreRows;
use crate::event_group::EventRows;
use crate::one_by_one::parts;
use crate::page_group::PageRows;
use crate::row_array::{RowArray, RowWriter};
use crate::sql::{RowType, RowTypes};

/// The server takes messages of up to 1 GB; a group beyond this would lose its connection instead
/// of being refused.
const STATEMENT_BYTES_MAX: usize = 512 << 20;

/// What each statement is given; those that are given nothing are not sent.
pub(crate) struct GroupRows {
    /// Instances whose job at hand gets a row of its own.
    pub laid: Vec<i64>,
    /// The job at hand of each instance that is updated or deleted, as the statements expect it; by
    /// the keys of instances.
    pub befores: Vec<(i64, Option<i64>)>,
    pub instances_updated: RowArray,
    pub instances_deleted: RowArray,
    pub instances_inserted: RowArray,
    pub jobs_deleted: Vec<i64>,
    pub jobs_updated: RowArray,
    pub jobs_inserted: RowArray,
    pub variables_cleared: Vec<i64>,
    pub variables_deleted: RowArray,
    pub variables_put: RowArray,
    pub user_tasks_deleted: Vec<i64>,
    pub user_tasks_inserted: RowArray,
    pub incidents_deleted: Vec<i64>,
    pub incidents_inserted: RowArray,
    pub history: RowArray,
    pub ended: RowArray,
    /// Absent from nearly every group.
    pub events: Option<Box<EventRows>>,
    /// Those of large records only; a group that has them has `events` too.
    pub pages: Option<Box<PageRows>>,
    /// Absent from nearly every group.
    pub chores: Option<Box<ChoreRows>>,
    /// The lowest key of a job that is inserted locked by the node's session.
    pub locked_lowest: Option<i64>,
}

impl GroupRows {
    pub fn new(group: &Group, types: &RowTypes, at_hand: &AtHand) -> Result<Self, CommitError> {
        let mut rows = Self::empty(types);
        let sorted = at_hand.sort(group);
        rows.reserve(&group.changes, &sorted);
        rows.put_instances(&group.changes, &sorted, types);
        for (change, sorted) in group.changes.iter().zip(&sorted) {
            rows.laid.extend(&sorted.laid);
            for job in &sorted.rows {
                rows.put_job(job, group.lease.session);
            }
            rows.put_variables(&change.variables);
            rows.put_details(change);
        }
        rows.laid.sort_unstable();
        rows.jobs_deleted.sort_unstable();
        let has_pages = group.changes.iter().any(|change| !change.pages.is_empty());
        if has_pages {
            rows.pages = Some(Box::new(PageRows::new(&group.changes, types)));
        }
        if has_pages || group.changes.iter().any(Change::has_events) {
            rows.events = Some(Box::new(EventRows::new(group, types)));
        }
        if group.changes.iter().any(Change::has_chores) {
            rows.note_locked_chores(&group.changes, group.lease.session);
            rows.chores = Some(Box::new(ChoreRows::new(&group.changes, types)));
        }
        rows.check_size()?;
        Ok(rows)
    }

    /// A part for each row but those of chores, in the order in which the procedures write them. The
    /// first part names all channels, whose locks come before those of rows, and so does the last,
    /// which is told what fits.
    pub fn one_by_one(&self, types: &RowTypes) -> Vec<Self> {
        let empty = || Self::empty(types);
        let mut parts = parts!(self, empty();
            laid instances_updated instances_deleted instances_inserted jobs_deleted jobs_updated
            jobs_inserted variables_cleared variables_deleted variables_put user_tasks_deleted
            user_tasks_inserted incidents_deleted incidents_inserted history ended);
        if let Some(events) = &self.events {
            let with = |events| Self { events: Some(Box::new(events)), ..empty() };
            parts.extend(events.one_by_one(types).into_iter().map(with));
            let pages = self.pages.iter().flat_map(|pages| pages.one_by_one(types));
            parts.extend(pages.map(|pages| {
                let events = events.without_rows(types);
                Self { pages: Some(Box::new(pages)), ..with(events) }
            }));
            if let Some(channels) = events.only_channels(types) {
                parts.insert(0, with(channels.clone()));
                parts.push(with(channels));
            }
        }
        // A group without rows is recorded as well.
        if parts.is_empty() {
            parts.push(empty());
        }
        parts
    }

    fn empty(types: &RowTypes) -> Self {
        Self {
            laid: Vec::new(),
            befores: Vec::new(),
            instances_updated: RowArray::new(&types.instance_step),
            instances_deleted: RowArray::new(&types.instance_gone),
            instances_inserted: RowArray::new(&types.instance_in),
            jobs_deleted: Vec::new(),
            jobs_updated: RowArray::new(&types.job_step),
            jobs_inserted: RowArray::new(&types.job_in),
            variables_cleared: Vec::new(),
            variables_deleted: RowArray::new(&types.variable_gone),
            variables_put: RowArray::new(&types.variable_in),
            user_tasks_deleted: Vec::new(),
            user_tasks_inserted: RowArray::new(&types.user_task_in),
            incidents_deleted: Vec::new(),
            incidents_inserted: RowArray::new(&types.incident_in),
            history: RowArray::new(&types.history_in),
            ended: RowArray::new(&types.ended_in),
            events: None,
            pages: None,
            chores: None,
            locked_lowest: None,
        }
    }

    /// Room for what nearly every group is made of: growing would copy it several times.
    fn reserve(&mut self, changes: &[Change], sorted: &[Sorted<'_>]) {
        const INSTANCE_BYTES: usize = 272;
        const JOB_BYTES: usize = 320;
        let records =
            changes.iter().flat_map(|change| &change.instances).map(|write| match write {
                InstanceWrite::Update { record, events, .. } => {
                    INSTANCE_BYTES + record.len() + events.len()
                }
                InstanceWrite::Insert(_) | InstanceWrite::Delete { .. } => 0,
            });
        let hands = sorted.iter().flat_map(|sorted| &sorted.hands);
        let at_hand = hands.filter(|hand| matches!(hand.next, Next::Is(Some(_)))).count();
        self.instances_updated.reserve(records.sum::<usize>() + at_hand * JOB_BYTES);
        let jobs = sorted.iter().flat_map(|sorted| &sorted.rows);
        let inserted = jobs.filter(|write| matches!(write, JobWrite::Insert(_))).count();
        self.jobs_inserted.reserve(inserted * JOB_BYTES);
    }

    /// In the order of keys, whatever the order of changes: rows are locked as they are sent.
    fn put_instances(&mut self, changes: &[Change], sorted: &[Sorted<'_>], types: &RowTypes) {
        let writes = changes.iter().flat_map(|change| &change.instances);
        let hands = sorted.iter().flat_map(|sorted| &sorted.hands);
        let mut writes: Vec<(&InstanceWrite, &Hand<'_>)> = writes.zip(hands).collect();
        writes.sort_unstable_by_key(|(write, _)| write.key());
        for (write, hand) in writes {
            let job = match hand.next {
                Next::Kept => None,
                Next::Is(job) => job,
            };
            if !matches!(write, InstanceWrite::Insert(_)) {
                self.befores.push((write.key().raw(), hand.before));
            }
            match write {
                InstanceWrite::Insert(row) => {
                    let rows = &mut self.instances_inserted;
                    put_instance(rows, row, job, &types.job_at_hand);
                }
                InstanceWrite::Update { key, expected_rev, rev, record, events } => {
                    self.instances_updated.push(|r| {
                        r.int8(key.raw()).int4(*expected_rev).int4(*rev);
                        r.bytes(record).bytes(events);
                        r.int8_or_null(hand.before).bool(hand.next == Next::Kept);
                        put_job_at_hand(r, job, &types.job_at_hand);
                    });
                }
                InstanceWrite::Delete { key, expected_rev } => {
                    self.instances_deleted.push(|r| {
                        r.int8(key.raw()).int4(*expected_rev).int8_or_null(hand.before);
                    });
                }
            }
        }
    }

    fn put_job(&mut self, write: &JobWrite, session: i64) {
        match write {
            JobWrite::Insert(row) => {
                if row.lock_session == Some(session) {
                    self.note_locked(row.key.raw());
                }
                put_job_row(&mut self.jobs_inserted, row);
            }
            // A lock that an update gives is listed.
            JobWrite::Update(update) => put_job_update(&mut self.jobs_updated, update),
            JobWrite::Delete(key) => self.jobs_deleted.push(key.raw()),
        }
    }

    fn note_locked_chores(&mut self, changes: &[Change], session: i64) {
        for write in changes.iter().flat_map(|change| &change.chores) {
            match write {
                ChoreWrite::Insert(row) if row.lock_session == Some(session) => {
                    self.note_locked(row.key.raw());
                }
                ChoreWrite::Insert(_) | ChoreWrite::Update(_) | ChoreWrite::Delete { .. } => {}
            }
        }
    }

    fn note_locked(&mut self, key: i64) {
        self.locked_lowest = Some(self.locked_lowest.map_or(key, |lowest| lowest.min(key)));
    }

    /// Writes of one change follow each other; statements write all of a kind at once. So the last
    /// word on each variable is found first.
    fn put_variables(&mut self, writes: &[VariableWrite]) {
        type Name<'a> = (InstanceKey, ElementInstanceKey, &'a Arc<str>);
        let mut last: BTreeMap<Name<'_>, Option<&VariableRow>> = BTreeMap::new();
        for write in writes {
            match write {
                VariableWrite::Put(row) => {
                    last.insert((row.instance, row.scope, &row.name), Some(row));
                }
                VariableWrite::Delete { instance, scope, name } => {
                    last.insert((*instance, *scope, name), None);
                }
                VariableWrite::DeleteAll { instance } => {
                    last.retain(|(of, ..), _| of != instance);
                    self.variables_cleared.push(instance.raw());
                }
            }
        }
        for ((instance, scope, name), row) in last {
            match row {
                Some(row) => self.variables_put.push(|r| {
                    r.int8(instance.raw()).int8(scope.raw()).text(name);
                    r.text(&row.engine).text(&row.tenant);
                    r.int2(row.value.tag as i16).bytes(&row.value.bytes);
                }),
                None => self.variables_deleted.push(|r| {
                    r.int8(instance.raw()).int8(scope.raw()).text(name);
                }),
            }
        }
    }

    fn put_details(&mut self, change: &Change) {
        self.user_tasks_deleted.extend(change.user_tasks_gone.iter().map(|key| key.raw()));
        self.incidents_deleted.extend(change.incidents_gone.iter().map(|key| key.raw()));
        for row in &change.user_tasks_added {
            put_user_task(&mut self.user_tasks_inserted, row);
        }
        for row in &change.incidents_added {
            put_incident(&mut self.incidents_inserted, row);
        }
        for row in &change.history {
            put_history(&mut self.history, row);
        }
        for row in &change.ended {
            put_ended(&mut self.ended, row);
        }
    }

    fn check_size(&self) -> Result<(), CommitError> {
        let arrays = [
            &self.instances_updated,
            &self.instances_inserted,
            &self.jobs_updated,
            &self.jobs_inserted,
            &self.variables_put,
            &self.variables_deleted,
            &self.user_tasks_inserted,
            &self.incidents_inserted,
            &self.history,
            &self.ended,
        ];
        let events = self.events.iter().flat_map(|events| events.arrays());
        let pages = self.pages.iter().flat_map(|pages| pages.arrays());
        let chores = self.chores.iter().flat_map(|chores| chores.arrays());
        let pages = pages.chain(chores);
        let mut all = arrays.into_iter().chain(events).chain(pages);
        match all.find(|array| array.bytes() > STATEMENT_BYTES_MAX) {
            None => Ok(()),
            Some(array) => Err(CommitError::Statement(format!(
                "{} bytes for one statement, at most {STATEMENT_BYTES_MAX} are sent",
                array.bytes()
            ))),
        }
    }
}

fn put_instance(rows: &mut RowArray, row: &InstanceRow, job: Option<&JobRow>, kind: &RowType) {
    rows.push(|r| {
        r.int8(row.key.raw()).int4(row.rev).text(&row.engine).text(&row.tenant);
        r.int8(row.definition.raw()).text_or_null(row.business_key.as_deref());
        r.bytes(&row.record).bytes(&row.events);
        put_job_at_hand(r, job, kind);
    });
}

/// What is the same for all jobs at hand, or in the row of the instance, is left out.
fn put_job_at_hand(r: &mut RowWriter<'_>, job: Option<&JobRow>, kind: &RowType) {
    let Some(row) = job else { return r.no_row(kind) };
    r.row(kind, |r| {
        r.int8(row.key.raw()).int8(row.element_instance.raw()).text(&row.element);
        r.int2(row.kind as i16).int4(row.retries_left).int8(row.priority).bool(row.exclusive);
        r.int8(row.created_at.as_ms()).text(&row.topic);
    });
}

pub(crate) fn put_job_row(rows: &mut RowArray, row: &JobRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant);
        r.int8(row.instance.raw()).int8(row.definition.raw()).int8(row.element_instance.raw());
        r.text(&row.element).int2(row.kind as i16).text(&row.job_type).int2(row.state as i16);
        r.int4(row.retries_left).int8(row.priority).bool(row.exclusive);
        r.int8_or_null(row.due_at.map(|at| at.as_ms())).int8_or_null(row.lock_session);
        r.text_or_null(row.lock_worker.as_deref());
        r.int8_or_null(row.lock_until.map(|at| at.as_ms()));
        r.int4(row.attempt).bytes(&row.activations).text_or_null(row.failure.as_deref());
        r.int8(row.created_at.as_ms()).text(&row.topic).text_or_null(row.category.as_deref());
        r.text_or_null(row.limit_key.as_deref()).int8_or_null(row.batch.map(|key| key.raw()));
        r.bytes_or_null(row.payload.as_deref());
        r.text_or_null(row.failure_details.as_deref());
        r.text_or_null(row.failed_element.as_deref());
    });
}

fn put_job_update(rows: &mut RowArray, update: &JobUpdate) {
    let (write, session, worker, until, activations) = match &update.lock {
        LockWrite::Keep => (0, None, None, None, None),
        LockWrite::Clear => (1, None, None, None, Some(&[][..])),
        LockWrite::Session(session) => (2, Some(*session), None, None, None),
        LockWrite::Worker { worker, until, activations } => {
            (3, None, Some(&**worker), Some(until.as_ms()), Some(&activations[..]))
        }
    };
    rows.push(|r| {
        r.int8(update.key.raw()).int2(update.state as i16).int4(update.retries_left);
        r.int8(update.priority).int8_or_null(update.due_at.map(|at| at.as_ms()));
        r.text_or_null(update.failure.as_deref());
        r.int2(write).int8_or_null(session).text_or_null(worker).int8_or_null(until);
        r.bytes_or_null(activations).text_or_null(update.failure_details.as_deref());
        r.text_or_null(update.failed_element.as_deref());
    });
}

fn put_user_task(rows: &mut RowArray, row: &UserTaskRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant);
        r.int8(row.instance.raw()).int8(row.definition.raw()).int8(row.element_instance.raw());
        r.text(&row.element).text_or_null(row.name.as_deref());
        r.text_or_null(row.assignee.as_deref());
        r.texts(row.candidate_groups.iter().map(|group| &**group));
        r.texts(row.candidate_users.iter().map(|user| &**user));
        r.int8_or_null(row.due_at.map(|at| at.as_ms())).int8(row.priority);
        r.text_or_null(row.form_key.as_deref()).int8(row.created_at.as_ms());
    });
}

pub(crate) fn put_incident(rows: &mut RowArray, row: &IncidentRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant);
        r.int8(row.instance.raw()).int8(row.definition.raw()).int8(row.element_instance.raw());
        r.text(&row.element).int8_or_null(row.job.map(|job| job.raw()));
        r.text(&row.kind).text(&row.message).int8(row.created_at.as_ms());
        r.int8(row.cause.raw()).int8(row.root_cause.raw());
        r.text_or_null(row.configuration.as_deref()).text_or_null(row.annotation.as_deref());
    });
}

fn put_history(rows: &mut RowArray, row: &HistoryRow) {
    rows.push(|r| {
        r.int8(row.instance.raw()).int4(row.rev).text(&row.engine).text(&row.tenant);
        r.int8(row.at.as_ms()).bytes(&row.events);
    });
}

fn put_ended(rows: &mut RowArray, row: &EndedRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant).int8(row.definition.raw());
        r.text_or_null(row.business_key.as_deref()).bool(row.completed);
        r.int8(row.started_at.as_ms()).int8(row.ended_at.as_ms()).bytes(&row.variables);
        r.int8_or_null(row.removal_at.map(|at| at.as_ms()));
    });
}
