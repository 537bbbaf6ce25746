//! Chores, batches and the log of operations.

use orloj_store::{
    BatchWrite, Change, ChoreEvent, ChoreLock, ChoreLogRow, ChoreUpdate, ChoreWrite, DefinitionRow,
    EndedBatchRow, FailureWrite, JobKind, JobRow, Lease, LockWrite, NewDeployment,
    job_definitions_of,
};
use orloj_types::BatchKey;

use orloj_types::{IncidentKey, Timestamp};

use super::Core;
use super::commit::write_lock;

impl Core {
    /// Whether a chore of the change is not as it expects.
    pub(super) fn refuses_chores(&self, change: &Change) -> bool {
        change.chores.iter().any(|write| {
            let lock = self.jobs.get(&write.key()).map(ChoreLock::from);
            !write.agrees_with(lock.as_ref())
        })
    }

    /// What the tables' keys would refuse.
    pub(super) fn check_chores(&self, change: &Change) -> Result<(), String> {
        for row in &change.operations {
            if self.operations.contains_key(&row.key) {
                return Err(format!("operation {} exists", row.key));
            }
        }
        for write in &change.batches {
            if let BatchWrite::Insert(row) = write
                && self.batches.contains_key(&row.key)
            {
                return Err(format!("batch {} exists", row.key));
            }
        }
        Ok(())
    }

    pub(super) fn apply_chores(&mut self, lease: Lease, change: &Change) {
        for write in &change.chores {
            self.apply_chore(lease, write);
        }
        for row in &change.incidents_opened {
            self.incidents.entry(row.key).or_insert_with(|| row.clone());
        }
        self.log_chores(change.chore_log.iter().cloned());
        for write in &change.batches {
            self.apply_batch(write);
        }
        for row in &change.job_definitions_added {
            self.job_definitions.insert(row.key, row.clone());
        }
        for row in &change.operations {
            self.operations.insert(row.key, row.clone());
        }
    }

    /// Start timers of earlier versions go; what comes with the new ones is written.
    pub(super) fn replace_chores(&mut self, new: &NewDeployment, definitions: &[DefinitionRow]) {
        let is_replaced = |job: &JobRow| {
            let of = self.definitions.get(&job.definition);
            let of = of.map(|of| (&of.engine, &of.tenant, &of.process_id));
            let mut keys =
                definitions.iter().map(|row| (&row.engine, &row.tenant, &row.process_id));
            job.kind == JobKind::StartTimer && keys.any(|key| of == Some(key))
        };
        let gone = self.jobs.values().filter(|job| is_replaced(job)).cloned().collect();
        let given = new.resources.iter().flat_map(|resource| &resource.definitions);
        let come = given.flat_map(|definition| &definition.chores);
        self.exchange_chores(gone, come, new.logs_chores, new.now);
        for row in job_definitions_of(new, definitions) {
            self.job_definitions.insert(row.key, row);
        }
    }

    /// The incidents of what goes go too.
    pub(super) fn exchange_chores<'a>(
        &mut self,
        gone: Vec<JobRow>,
        come: impl Iterator<Item = &'a JobRow>,
        is_logged: bool,
        now: Timestamp,
    ) {
        let mut log = Vec::new();
        for row in gone {
            self.jobs.remove(&row.key);
            log.push(ChoreLogRow::of(&row, ChoreEvent::Deleted, now));
            if self.incidents.remove(&IncidentKey::new(row.key.raw())).is_some() {
                log.push(ChoreLogRow::of(&row, ChoreEvent::IncidentDeleted, now));
            }
        }
        for row in come {
            self.jobs.insert(row.key, row.clone());
            log.push(ChoreLogRow::of(row, ChoreEvent::Created, now));
        }
        if is_logged {
            self.log_chores(log);
        }
    }

    fn log_chores(&mut self, rows: impl IntoIterator<Item = ChoreLogRow>) {
        for row in rows {
            let number = self.next_chore_log;
            self.next_chore_log += 1;
            self.chore_log.insert(number, ChoreLogRow { number, ..row });
        }
    }

    fn apply_chore(&mut self, lease: Lease, write: &ChoreWrite) {
        match write {
            ChoreWrite::Insert(row) => {
                self.jobs.insert(row.key, row.clone());
                if row.lock_session.is_some() {
                    self.lower_floor(lease.session, row.key);
                }
            }
            ChoreWrite::Update(update) => {
                let row = self.jobs.get_mut(&update.key).expect("it was checked");
                update_chore(row, update);
                if let LockWrite::Session(_) = update.lock {
                    self.listed.insert(update.key);
                }
            }
            ChoreWrite::Delete { key, .. } => {
                self.jobs.remove(key);
            }
        }
    }

    fn apply_batch(&mut self, write: &BatchWrite) {
        match write {
            BatchWrite::Insert(row) => {
                self.batches.insert(row.key, row.clone());
            }
            BatchWrite::Update(update) => {
                let Some(row) = self.batches.get_mut(&update.key) else { return };
                row.parts_made = update.parts_made.unwrap_or(row.parts_made);
                row.suspended = update.suspended.unwrap_or(row.suspended);
                row.started_at = row.started_at.or(update.started_at);
                if let Some(config) = &update.config {
                    row.config.clone_from(config);
                }
            }
            BatchWrite::Delete(key) => {
                self.batches.remove(key);
                self.forget_jobs_of(*key);
            }
            BatchWrite::End { key, end } => {
                self.forget_jobs_of(*key);
                let Some(row) = self.batches.remove(key) else { return };
                self.ended_batches.insert(*key, EndedBatchRow::of(row, *end));
            }
        }
    }

    fn forget_jobs_of(&mut self, batch: BatchKey) {
        let name = batch.to_string();
        self.job_definitions
            .retain(|_, row| row.definition.raw() != 0 || *row.configuration != *name);
    }
}

fn update_chore(row: &mut JobRow, update: &ChoreUpdate) {
    row.state = update.state;
    row.retries_left = update.retries_left;
    row.priority = update.priority.unwrap_or(row.priority);
    row.due_at = update.due_at;
    match &update.failure {
        FailureWrite::Keep => {}
        FailureWrite::Clear => {
            row.failure = None;
            row.failure_details = None;
            row.failed_element = None;
        }
        FailureWrite::Set { message, details, element } => {
            row.failure = Some(message.clone());
            row.failure_details.clone_from(details);
            row.failed_element.clone_from(element);
        }
    }
    if update.payload.is_some() {
        row.payload.clone_from(&update.payload);
    }
    write_lock(row, &update.lock);
}
