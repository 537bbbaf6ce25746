//! What a committed group did, by its rows and by the history it wrote.

use std::collections::{BTreeMap, BTreeSet};

use orloj_store::format::{EventEntry, EventKind, decode_events};
use orloj_store::{
    Change, ChoreWrite, Group, InstanceWrite, JobKind, JobRow, JobState, JobWrite, LockWrite,
};
use orloj_types::{ElementInstanceKey, InstanceKey, JobKey};

use super::{Checker, Violation};
use crate::sim::Library;
use crate::sim_store::Core;

/// Element instance, timer event and number of the firing.
pub(super) type Occurrence = (ElementInstanceKey, String, u32);

/// The rows of a group as they were before it.
pub(crate) struct Before {
    events: BTreeMap<InstanceKey, Vec<u8>>,
    pub(super) jobs: BTreeMap<JobKey, JobRow>,
    sessions: BTreeSet<i64>,
    settings_seen: i64,
}

impl Checker {
    pub fn before(&self, store: &Core, group: &Group) -> Before {
        let instances = group.changes.iter().flat_map(|change| &change.instances);
        let known = instances.filter_map(|write| store.instances.get(&write.key()));
        let jobs = group.changes.iter().flat_map(|change| {
            let chores = change.chores.iter().map(ChoreWrite::key);
            change.jobs.iter().map(job_key).chain(chores)
        });
        let jobs = jobs.filter_map(|key| store.jobs.get(&key));
        Before {
            events: known.map(|row| (row.key, row.events.clone())).collect(),
            jobs: jobs.map(|row| (row.key, row.clone())).collect(),
            settings_seen: super::limits::seen(store),
            sessions: store.nodes().iter().map(|node| node.session).collect(),
        }
    }

    pub fn applied(
        &mut self,
        store: &Core,
        library: &Library,
        before: &Before,
        group: &Group,
    ) -> Result<(), Violation> {
        for change in &group.changes {
            for write in &change.instances {
                self.no_start(before.settings_seen, write)?;
            }
            self.check_job_writes(before, group, change)?;
            for taken in &change.messages_taken {
                if !self.taken.insert(taken.clone()) {
                    let message =
                        format!("{} gets message {} twice", taken.process_id, taken.message);
                    return Err(Violation::new("I2", message));
                }
            }
            self.chores(before, change)?;
            self.signals(store, change)?;
            for instance in instances_of(change) {
                for event in new_events(before, instance, change)? {
                    self.check_event(store, before, group, instance, &event)?;
                }
                self.instance(store, library, instance)?;
            }
        }
        self.locks(store)
    }

    fn check_job_writes(
        &self,
        before: &Before,
        group: &Group,
        change: &Change,
    ) -> Result<(), Violation> {
        for write in &change.jobs {
            let key = job_key(write);
            let old = before.jobs.get(&key);
            if old.is_none() && !matches!(write, JobWrite::Insert(_)) {
                return Err(Violation::new("I1", format!("job {key} is written but not there")));
            }
            let (Some(old), JobWrite::Update(update)) = (old, write) else { continue };
            let other = old.lock_session.filter(|session| {
                *session != group.lease.session && before.sessions.contains(session)
            });
            if let (Some(other), true) = (other, update.lock != LockWrite::Keep) {
                let message = format!("the lock of session {other} on job {key} is given away");
                return Err(Violation::new("I3", message));
            }
            let fires = matches!(update.state, JobState::Ready | JobState::Parked);
            if old.state == JobState::Waiting && fires && !self.ordered.contains(&key) {
                check_due(old, group)?;
            }
        }
        Ok(())
    }

    fn check_event(
        &mut self,
        store: &Core,
        before: &Before,
        group: &Group,
        instance: InstanceKey,
        event: &EventEntry,
    ) -> Result<(), Violation> {
        let job = JobKey::new(event.key + instance.raw());
        match EventKind::from_number(event.kind) {
            Some(EventKind::JobCompleted) => {
                let times = self.completed.entry(job).or_default();
                *times += 1;
                if *times > 1 {
                    return Err(Violation::new("I2", format!("job {job} is completed twice")));
                }
                if let Some(old) = before.jobs.get(&job).filter(|old| old.kind != JobKind::Worker) {
                    match self.ordered.contains(&job) {
                        true => check_lock(old, before, group)?,
                        false => check_right(old, group)?,
                    }
                    check_taken(store, old, group)?;
                }
            }
            Some(EventKind::JobFailed) => *self.failed.entry(job).or_default() += 1,
            Some(EventKind::JobThrew) => *self.threw.entry(job).or_default() += 1,
            Some(_) => {}
            None => return Err(Violation::new("I10", format!("event kind {}", event.kind))),
        }
        Ok(())
    }
}

/// Only a node that would have acquired the job does it, whether or not it was acquired.
fn check_taken(store: &Core, old: &JobRow, group: &Group) -> Result<(), Violation> {
    let session = group.lease.session;
    let nodes = store.nodes();
    let Some(node) = nodes.iter().find(|node| node.session == session) else { return Ok(()) };
    let has_category = node.profile.categories.as_ref().is_none_or(|categories| {
        old.category.as_ref().is_some_and(|category| categories.contains(category))
    });
    match node.profile.priorities.contains(&old.priority) && has_category {
        true => Ok(()),
        false => {
            let message = format!("session {session} does job {}, which it leaves out", old.key);
            Err(Violation::new("I5", message))
        }
    }
}

/// A job of the engine ends because it was due, or under the lock of the node that ran it.
fn check_right(old: &JobRow, group: &Group) -> Result<(), Violation> {
    let session = group.lease.session;
    match old.state {
        JobState::Waiting => check_due(old, group),
        JobState::Ready if old.lock_session == Some(session) => Ok(()),
        _ => {
            let message = format!(
                "session {session} completes job {} ({:?}), which is locked by {:?}",
                old.key, old.state, old.lock_session
            );
            Err(Violation::new("I5", message))
        }
    }
}

/// Of a job that people meddled with, perhaps in the same group: no other node runs it.
fn check_lock(old: &JobRow, before: &Before, group: &Group) -> Result<(), Violation> {
    let others = old.lock_session.filter(|session| *session != group.lease.session);
    match others.filter(|session| before.sessions.contains(session)) {
        None => Ok(()),
        Some(other) => {
            let message = format!("job {} is completed while session {other} has it", old.key);
            Err(Violation::new("I5", message))
        }
    }
}

fn check_due(old: &JobRow, group: &Group) -> Result<(), Violation> {
    match old.due_at {
        Some(at) if at <= group.now => Ok(()),
        due_at => {
            let message =
                format!("job {} is due at {due_at:?} and fires at {}", old.key, group.now.as_ms());
            Err(Violation::new("I8", message))
        }
    }
}

/// What the group adds to the history of an instance. The rest must be as it was.
fn new_events(
    before: &Before,
    instance: InstanceKey,
    change: &Change,
) -> Result<Vec<EventEntry>, Violation> {
    let mut bytes = Vec::new();
    let mut stretches: Vec<_> =
        change.history.iter().filter(|row| row.instance == instance).collect();
    stretches.sort_by_key(|row| row.rev);
    for row in stretches {
        bytes.extend_from_slice(&row.events);
    }
    for write in change.instances.iter().filter(|write| write.key() == instance) {
        match write {
            InstanceWrite::Insert(row) => bytes.extend_from_slice(&row.events),
            InstanceWrite::Update { events, .. } => bytes.extend_from_slice(events),
            InstanceWrite::Delete { .. } if change.ended.iter().all(|row| row.key != instance) => {
                return Err(Violation::new("I1", format!("instance {instance} just vanishes")));
            }
            InstanceWrite::Delete { .. } => {}
        }
    }
    let old = before.events.get(&instance).map_or(&[][..], Vec::as_slice);
    if !bytes.starts_with(old) {
        return Err(Violation::new("I10", format!("the history of {instance} is rewritten")));
    }
    // New entries lead on from old ones.
    let read =
        |bytes| decode_events(bytes).map_err(|error| Violation::new("I10", error.to_string()));
    let mut events = read(&bytes)?;
    Ok(events.split_off(read(old)?.len()))
}

fn instances_of(change: &Change) -> BTreeSet<InstanceKey> {
    let written = change.instances.iter().map(InstanceWrite::key);
    written.chain(change.ended.iter().map(|row| row.key)).collect()
}

fn job_key(write: &JobWrite) -> JobKey {
    match write {
        JobWrite::Insert(row) => row.key,
        JobWrite::Update(update) => update.key,
        JobWrite::Delete(key) => *key,
    }
}
