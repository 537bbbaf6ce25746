//! Chores, batches and the log of operations.

use orloj_store::{
    BatchWrite, Change, ChoreLock, ChoreUpdate, ChoreWrite, DefinitionRow, EndedBatchRow,
    FailureWrite, JobKind, JobRow, Lease, LockWrite, NewDeployment, job_definitions_of,
};

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
        for write in &change.batches {
            self.apply_batch(write);
        }
        for row in &change.operations {
            self.operations.insert(row.key, row.clone());
        }
    }

    /// Start timers of earlier versions go; what comes with the new ones is written.
    pub(super) fn replace_chores(&mut self, new: &NewDeployment, definitions: &[DefinitionRow]) {
        let all = &self.definitions;
        self.jobs.retain(|_, job| {
            let of = all.get(&job.definition);
            let is_replaced = of.is_some_and(|of| {
                definitions.iter().any(|row| {
                    (&row.engine, &row.tenant, &row.process_id)
                        == (&of.engine, &of.tenant, &of.process_id)
                })
            });
            job.kind != JobKind::StartTimer || !is_replaced
        });
        let given = new.resources.iter().flat_map(|resource| &resource.definitions);
        for chore in given.flat_map(|definition| &definition.chores) {
            self.jobs.insert(chore.key, chore.clone());
        }
        for row in job_definitions_of(new, definitions) {
            self.job_definitions.insert(row.key, row);
        }
    }

    fn apply_chore(&mut self, lease: Lease, write: &ChoreWrite) {
        let is_locked = match write {
            ChoreWrite::Insert(row) => {
                self.jobs.insert(row.key, row.clone());
                row.lock_session.is_some()
            }
            ChoreWrite::Update(update) => {
                let row = self.jobs.get_mut(&update.key).expect("it was checked");
                update_chore(row, update);
                matches!(update.lock, LockWrite::Session(_))
            }
            ChoreWrite::Delete { key, .. } => {
                self.jobs.remove(key);
                false
            }
        };
        if is_locked {
            self.lower_floor(lease.session, write.key());
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
            }
            BatchWrite::End { key, ended_at, removal_at } => {
                let Some(row) = self.batches.remove(key) else { return };
                self.ended_batches.insert(*key, EndedBatchRow::of(row, *ended_at, *removal_at));
            }
        }
    }
}

fn update_chore(row: &mut JobRow, update: &ChoreUpdate) {
    row.state = update.state;
    row.retries_left = update.retries_left;
    row.priority = update.priority;
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
