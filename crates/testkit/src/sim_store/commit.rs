//! Groups: checked first, then applied, so that nothing has to be undone.

use std::collections::BTreeSet;

use orloj_store::{
    Change, Claims, CommitError, Committed, Error, Group, InstanceWrite, JobRow, JobUpdate,
    JobWrite, Lease, LockWrite, RecordPageWrite, VariableWrite,
};

use super::Core;

impl Core {
    pub fn commit(&mut self, group: &Group) -> Result<Committed, CommitError> {
        self.open().map_err(|error| CommitError::Unavailable(error.to_string()))?;
        let lane = (group.lease.session, group.lane);
        // Being fenced comes before any conflict.
        if !self.lanes.contains_key(&lane) {
            return Err(CommitError::Fenced);
        }
        let losers = self.losers(group);
        if !losers.is_empty() {
            return Err(CommitError::Conflicts(losers));
        }
        self.check_statements(&group.changes).map_err(CommitError::Statement)?;
        check_attached(&group.changes)?;
        self.lanes.insert(lane, group.id);
        for change in &group.changes {
            self.apply(group.lease, change);
            self.apply_events(change, group.now);
            self.apply_chores(group.lease, change);
        }
        Ok(self.committed(group))
    }

    pub fn landed(&self, lease: Lease, lane: u8, id: i64) -> Result<bool, Error> {
        self.open()?;
        let last = self.lanes.get(&(lease.session, lane)).ok_or(Error::Fenced)?;
        Ok(*last >= id)
    }

    fn losers(&self, group: &Group) -> Vec<usize> {
        let mut claims = Claims::default();
        let mut is_lost = |change: &Change| {
            let is_refused = self.refuses_events(change, group.now)
                || self.refuses_chores(change)
                || !claims.claim(change);
            is_refused
                || change.instances.iter().any(|write| {
                    let found = self.instances.get(&write.key()).map(|row| row.rev);
                    found != expected_rev(write)
                })
        };
        let places = group.changes.iter().enumerate();
        places.filter(|(_, change)| is_lost(change)).map(|(place, _)| place).collect()
    }

    /// What the tables' keys would refuse.
    fn check_statements(&self, changes: &[Change]) -> Result<(), String> {
        let mut instances = BTreeSet::new();
        let mut jobs = BTreeSet::new();
        for change in changes {
            self.check_events(change)?;
            self.check_chores(change)?;
            for write in &change.instances {
                if !instances.insert(write.key()) {
                    return Err(format!("instance {} appears twice in the group", write.key()));
                }
            }
            for write in &change.jobs {
                let key = job_key(write);
                if !jobs.insert(key) {
                    return Err(format!("job {key} appears twice in the group"));
                }
                if matches!(write, JobWrite::Insert(_)) && self.jobs.contains_key(&key) {
                    return Err(format!("job {key} exists"));
                }
            }
            for row in &change.user_tasks_added {
                if self.user_tasks.contains_key(&row.key) {
                    return Err(format!("user task {} exists", row.key));
                }
            }
            for row in &change.incidents_added {
                if self.incidents.contains_key(&row.key) {
                    return Err(format!("incident {} exists", row.key));
                }
            }
            for row in &change.history {
                if self.history.contains_key(&(row.instance, row.rev)) {
                    return Err(format!("history {} of {} exists", row.rev, row.instance));
                }
            }
            for row in &change.ended {
                if self.ended.contains_key(&row.key) {
                    return Err(format!("instance {} has ended already", row.key));
                }
            }
        }
        Ok(())
    }

    fn apply(&mut self, lease: Lease, change: &Change) {
        for write in &change.instances {
            self.apply_instance(write);
        }
        for write in &change.jobs {
            self.apply_job(lease, write);
        }
        for write in &change.variables {
            self.apply_variable(write);
        }
        for write in &change.pages {
            self.apply_page(write);
        }
        for row in &change.user_tasks_added {
            self.user_tasks.insert(row.key, row.clone());
        }
        for key in &change.user_tasks_gone {
            self.user_tasks.remove(key);
        }
        for row in &change.incidents_added {
            self.incidents.insert(row.key, row.clone());
        }
        for note in &change.incidents_annotated {
            if let Some(row) = self.incidents.get_mut(&note.key) {
                row.annotation.clone_from(&note.annotation);
            }
        }
        for key in &change.incidents_gone {
            self.incidents.remove(key);
        }
        for row in &change.history {
            self.history.insert((row.instance, row.rev), row.clone());
        }
        for row in &change.ended {
            self.ended.insert(row.key, row.clone());
        }
    }

    fn apply_instance(&mut self, write: &InstanceWrite) {
        match write {
            InstanceWrite::Insert(row) => {
                self.instances.insert(row.key, row.clone());
            }
            InstanceWrite::Update { key, rev, record, events, .. } => {
                let row = self.instances.get_mut(key).expect("its revision was checked");
                row.rev = *rev;
                row.record.clone_from(record);
                row.events.clone_from(events);
            }
            InstanceWrite::Delete { key, .. } => {
                self.instances.remove(key);
            }
        }
    }

    fn apply_job(&mut self, lease: Lease, write: &JobWrite) {
        match write {
            JobWrite::Insert(row) => {
                self.jobs.insert(row.key, JobRow::clone(row));
                if row.lock_session.is_some() {
                    self.lower_floor(lease.session, row.key);
                }
            }
            JobWrite::Update(update) => {
                if let Some(row) = self.jobs.get_mut(&update.key) {
                    update_job(row, update);
                }
                if let LockWrite::Session(_) = update.lock {
                    self.listed.insert(update.key);
                }
            }
            JobWrite::Delete(key) => {
                self.jobs.remove(key);
            }
        }
    }

    fn apply_page(&mut self, write: &RecordPageWrite) {
        match write {
            RecordPageWrite::Put(row) => {
                self.pages.insert((row.instance, row.kind, row.first), row.clone());
            }
            RecordPageWrite::Delete { instance, kind, first } => {
                self.pages.remove(&(*instance, *kind, *first));
            }
            RecordPageWrite::DeleteAll { instance } => {
                self.pages.retain(|(of, _, _), _| of != instance);
            }
        }
    }

    fn apply_variable(&mut self, write: &VariableWrite) {
        match write {
            VariableWrite::Put(row) => {
                let key = (row.instance, row.scope, row.name.clone());
                self.variables.insert(key, row.clone());
            }
            VariableWrite::Delete { instance, scope, name } => {
                self.variables.remove(&(*instance, *scope, name.clone()));
            }
            VariableWrite::DeleteAll { instance } => {
                self.variables.retain(|(of, _, _), _| of != instance);
            }
        }
    }
}

pub(super) fn job_key(write: &JobWrite) -> orloj_types::JobKey {
    match write {
        JobWrite::Insert(row) => row.key,
        JobWrite::Update(update) => update.key,
        JobWrite::Delete(key) => *key,
    }
}

/// `None`: the instance must not exist.
fn expected_rev(write: &InstanceWrite) -> Option<i32> {
    match write {
        InstanceWrite::Insert(_) => None,
        InstanceWrite::Update { expected_rev, .. } | InstanceWrite::Delete { expected_rev, .. } => {
            Some(*expected_rev)
        }
    }
}

fn update_job(row: &mut JobRow, update: &JobUpdate) {
    row.state = update.state;
    row.retries_left = update.retries_left;
    row.priority = update.priority;
    row.due_at = update.due_at;
    if update.failure.is_some() {
        row.failure.clone_from(&update.failure);
        row.failure_details.clone_from(&update.failure_details);
        row.failed_element.clone_from(&update.failed_element);
    }
    write_lock(row, &update.lock);
}

pub(super) fn write_lock(row: &mut JobRow, lock: &LockWrite) {
    if *lock == LockWrite::Keep {
        return;
    }
    row.lock_session = None;
    row.lock_worker = None;
    row.lock_until = None;
    match lock {
        LockWrite::Keep => {}
        LockWrite::Clear => row.activations.clear(),
        LockWrite::Session(session) => {
            row.lock_session = Some(*session);
            row.attempt += 1;
        }
        LockWrite::Worker { worker, until, activations } => {
            row.lock_worker = Some(worker.clone());
            row.lock_until = Some(*until);
            row.activations.clone_from(activations);
            row.attempt += 1;
        }
    }
}

/// There is no database to run the statements of an application in: one that would be refused
/// everywhere fails, and one that asks for a table which nobody has.
fn check_attached(changes: &[Change]) -> Result<(), CommitError> {
    let statements = changes.iter().flat_map(|change| &change.statements);
    for (at, statement) in statements.enumerate() {
        let missing = || {
            let is_missing = statement.sql.contains("no_such_table");
            is_missing.then(|| "no such table: no_such_table".to_owned())
        };
        if let Some(reason) = statement.problem().or_else(missing) {
            return Err(CommitError::Attached { at, reason });
        }
    }
    Ok(())
}
