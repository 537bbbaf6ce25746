//! Changes of one hierarchy of instances that wait for the same commit become one.

use orloj_executor::TakerId;
use orloj_store::{InstanceWrite, JobUpdate, JobWrite, LockWrite, RecordPageKind, RecordPageWrite};
use orloj_types::{ElementInstanceKey, InstanceKey, JobKey};
use thin_vec::ThinVec;

use super::bytes::{instance_bytes, job_bytes, page_bytes};
use super::lane::{Done, Entry};
use crate::api::ActivatedJob;

/// Joins a later change of the same hierarchy to one that has not been sent yet.
///
/// Rows are found by going through them: what one group holds is bounded by its bytes.
pub(super) fn merge(earlier: &mut Entry, mut later: Entry) {
    earlier.settings = earlier.settings.min(later.settings);
    let change = &mut earlier.change;
    let mut replaced = merge_instance(&mut change.instances, later.change.instances);
    for job in later.change.jobs {
        replaced += merge_job(&mut change.jobs, job, &mut earlier.done, &mut later.done);
    }
    for page in later.change.pages {
        replaced += merge_page(&mut change.pages, page);
    }
    earlier.bytes = (earlier.bytes + later.bytes).saturating_sub(replaced);
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
    change.broadcasts_added.extend(later.change.broadcasts_added);
    change.broadcasts.extend(later.change.broadcasts);
    change.migrations.extend(later.change.migrations);
    change.chores.extend(later.change.chores);
    change.incidents_opened.extend(later.change.incidents_opened);
    change.chore_log.extend(later.change.chore_log);
    change.batches.extend(later.change.batches);
    change.operations.extend(later.change.operations);
    change.incidents_annotated.extend(later.change.incidents_annotated);
    change.history.extend(later.change.history);
    change.ended.extend(later.change.ended);
    earlier.done.extend(later.done);
}

/// The answer is what need not be written any more, in bytes; as it is of the others.
fn merge_instance(earlier: &mut ThinVec<InstanceWrite>, later: ThinVec<InstanceWrite>) -> usize {
    let mut replaced = 0;
    for later in later {
        let Some(at) = earlier.iter().position(|w| w.key() == later.key()) else {
            earlier.push(later);
            continue;
        };
        replaced += instance_bytes(&earlier[at]);
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
    replaced
}

/// The last word on a page is the one that counts.
fn merge_page(pages: &mut ThinVec<RecordPageWrite>, later: RecordPageWrite) -> usize {
    let Some(name) = page_name(&later) else {
        pages.push(later);
        return 0;
    };
    let is_it = |page: &RecordPageWrite| page_name(page) == Some(name);
    match pages.iter().position(is_it) {
        Some(at) => page_bytes(&std::mem::replace(&mut pages[at], later)),
        None => {
            pages.push(later);
            0
        }
    }
}

fn page_name(write: &RecordPageWrite) -> Option<(InstanceKey, RecordPageKind, ElementInstanceKey)> {
    match write {
        RecordPageWrite::Put(row) => Some((row.instance, row.kind, row.first)),
        RecordPageWrite::Delete { instance, kind, first } => Some((*instance, *kind, *first)),
        RecordPageWrite::DeleteAll { .. } => None,
    }
}

fn merge_job(
    jobs: &mut ThinVec<JobWrite>,
    later: JobWrite,
    done: &mut [Done],
    later_done: &mut [Done],
) -> usize {
    let key = job_key(&later);
    let Some(at) = jobs.iter().position(|job| job_key(job) == key) else {
        jobs.push(later);
        return 0;
    };
    let replaced = match (&jobs[at], &later) {
        (JobWrite::Insert(_), JobWrite::Delete(_)) => job_bytes(&jobs[at]) + job_bytes(&later),
        (JobWrite::Insert(_), _) => job_bytes(&later),
        (earlier, _) => job_bytes(earlier),
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
            if update.failure.is_some() {
                row.failure = update.failure;
                row.failure_details = update.failure_details;
                row.failed_element = update.failed_element;
            }
            lock_row(row, update.lock);
            count_lock(row, later_done);
        }
        (JobWrite::Update(earlier), JobWrite::Update(later)) => {
            let lock = match later.lock {
                LockWrite::Keep => std::mem::replace(&mut earlier.lock, LockWrite::Keep),
                lock => lock,
            };
            // Without a failure of its own the later one keeps what the row would have had.
            let (failure, failure_details, failed_element) = match later.failure {
                Some(_) => (later.failure, later.failure_details, later.failed_element),
                None => (
                    earlier.failure.take(),
                    earlier.failure_details.take(),
                    earlier.failed_element.take(),
                ),
            };
            *earlier = JobUpdate { lock, failure, failure_details, failed_element, ..later };
        }
        (earlier, later) => debug_assert!(false, "no job goes from {earlier:?} to {later:?}"),
    }
    replaced
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

/// How often a job has been locked is known after all: it is inserted with that number.
fn count_lock(row: &orloj_store::JobRow, done: &mut [Done]) {
    let queued = done.iter_mut().flat_map(|done| &mut done.effects.queued);
    for queued in queued.filter(|queued| queued.job == row.key) {
        queued.attempt = row.attempt;
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
        let dropped: ThinVec<(TakerId, Box<ActivatedJob>)> = dropped;
        done.effects.credits_back.extend(dropped.into_iter().map(|(taker, _)| taker));
    }
}

fn merge_rows<R, K: PartialEq>(
    added: &mut ThinVec<R>,
    gone: &mut ThinVec<K>,
    later_added: ThinVec<R>,
    later_gone: ThinVec<K>,
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
