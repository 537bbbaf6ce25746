//! Changes of one hierarchy of instances that wait for the same commit become one.

use orloj_executor::TakerId;
use orloj_store::{InstanceWrite, JobUpdate, JobWrite, LockWrite};
use orloj_types::JobKey;

use super::lane::{Done, Entry};
use crate::api::ActivatedJob;

/// Joins a later change of the same hierarchy to one that has not been sent yet.
pub(super) fn merge(earlier: &mut Entry, later: Entry) {
    let change = &mut earlier.change;
    merge_instance(&mut change.instances, later.change.instances);
    for job in later.change.jobs {
        merge_job(&mut change.jobs, job, &mut earlier.done);
    }
    change.variables.extend(later.change.variables);
    merge_rows(
        &mut change.user_tasks_added,
        &mut change.user_tasks_gone,
        later.change.user_tasks_added,
        later.change.user_tasks_gone,
        |row| row.key,
    );
    merge_rows(
        &mut change.incidents_added,
        &mut change.incidents_gone,
        later.change.incidents_added,
        later.change.incidents_gone,
        |row| row.key,
    );
    merge_rows(
        &mut change.subscriptions_added,
        &mut change.subscriptions_gone,
        later.change.subscriptions_added,
        later.change.subscriptions_gone,
        |row| row.key,
    );
    // A message that an earlier command adds and a later one takes is added and taken: that it
    // could be added is part of what must hold.
    change.messages_added.extend(later.change.messages_added);
    change.messages_gone.extend(later.change.messages_gone);
    change.messages_taken.extend(later.change.messages_taken);
    change.starts.extend(later.change.starts);
    change.broadcasts_added.extend(later.change.broadcasts_added);
    change.broadcasts.extend(later.change.broadcasts);
    change.history.extend(later.change.history);
    change.ended.extend(later.change.ended);
    earlier.done.extend(later.done);
}

fn merge_instance(earlier: &mut Vec<InstanceWrite>, later: Vec<InstanceWrite>) {
    for later in later {
        let Some(at) = earlier.iter().position(|w| w.key() == later.key()) else {
            earlier.push(later);
            continue;
        };
        match (&mut earlier[at], later) {
            (InstanceWrite::Insert(row), InstanceWrite::Update { rev, record, events, .. }) => {
                row.rev = rev;
                row.record = record;
                row.events = events;
            }
            (
                InstanceWrite::Update { rev, record, events, .. },
                InstanceWrite::Update { rev: rev2, record: record2, events: events2, .. },
            ) => {
                *rev = rev2;
                *record = record2;
                *events = events2;
            }
            (InstanceWrite::Update { expected_rev, .. }, InstanceWrite::Delete { key, .. }) => {
                earlier[at] = InstanceWrite::Delete { key, expected_rev: *expected_rev };
            }
            (InstanceWrite::Insert(_), InstanceWrite::Delete { .. }) => {
                earlier.remove(at);
            }
            (earlier, later) => {
                debug_assert!(false, "no instance goes from {earlier:?} to {later:?}");
            }
        }
    }
}

fn merge_job(jobs: &mut Vec<JobWrite>, later: JobWrite, done: &mut [Done]) {
    let key = job_key(&later);
    let Some(at) = jobs.iter().position(|job| job_key(job) == key) else {
        jobs.push(later);
        return;
    };
    match (&mut jobs[at], later) {
        (JobWrite::Insert(_), JobWrite::Delete(_)) => {
            jobs.remove(at);
            unhand(key, done);
        }
        (JobWrite::Update(_), JobWrite::Delete(key)) => {
            jobs[at] = JobWrite::Delete(key);
            unhand(key, done);
        }
        (JobWrite::Insert(row), JobWrite::Update(update)) => {
            row.state = update.state;
            row.retries_left = update.retries_left;
            row.priority = update.priority;
            row.due_at = update.due_at;
            row.failure = update.failure;
            lock_row(row, update.lock);
        }
        (JobWrite::Update(earlier), JobWrite::Update(later)) => {
            let lock = match later.lock {
                LockWrite::Keep => std::mem::replace(&mut earlier.lock, LockWrite::Keep),
                lock => lock,
            };
            *earlier = JobUpdate { lock, ..later };
        }
        (earlier, later) => debug_assert!(false, "no job goes from {earlier:?} to {later:?}"),
    }
}

fn lock_row(row: &mut orloj_store::JobRow, lock: LockWrite) {
    if lock == LockWrite::Keep {
        return;
    }
    row.lock_session = None;
    row.lock_worker = None;
    row.lock_until = None;
    row.activations = Vec::new();
    match lock {
        LockWrite::Session(session) => {
            row.lock_session = Some(session);
            row.attempt += 1;
        }
        LockWrite::Worker { worker, until, activations } => {
            row.lock_worker = Some(worker);
            row.lock_until = Some(until);
            row.activations = activations;
            row.attempt += 1;
        }
        LockWrite::Keep | LockWrite::Clear => {}
    }
}

/// A job that ends before it was ever handed over goes to nobody. What was reserved for it comes
/// back after the commit.
fn unhand(key: JobKey, done: &mut [Done]) {
    for done in done {
        let before = done.effects.queued.len();
        done.effects.queued.retain(|queued| queued.job != key);
        done.effects.places_back += before - done.effects.queued.len();
        let (kept, dropped) = std::mem::take(&mut done.effects.handed)
            .into_iter()
            .partition(|(_, job)| job.key != key);
        done.effects.handed = kept;
        let dropped: Vec<(TakerId, Box<ActivatedJob>)> = dropped;
        done.effects.credits_back.extend(dropped.into_iter().map(|(taker, _)| taker));
    }
}

fn merge_rows<R, K: PartialEq>(
    added: &mut Vec<R>,
    gone: &mut Vec<K>,
    later_added: Vec<R>,
    later_gone: Vec<K>,
    key: impl Fn(&R) -> K,
) {
    for gone_key in later_gone {
        let before = added.len();
        added.retain(|row| key(row) != gone_key);
        if added.len() == before {
            gone.push(gone_key);
        }
    }
    added.extend(later_added);
}

fn job_key(job: &JobWrite) -> JobKey {
    match job {
        JobWrite::Insert(row) => row.key,
        JobWrite::Update(update) => update.key,
        JobWrite::Delete(key) => *key,
    }
}
