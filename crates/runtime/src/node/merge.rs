//! Changes of one hierarchy of instances that wait for the same commit become one.

use orloj_executor::TakerId;
use orloj_store::{InstanceWrite, JobUpdate, JobWrite, LockWrite, RecordPageKind, RecordPageWrite};
use orloj_types::{ElementInstanceKey, InstanceKey, JobKey};
use thin_vec::ThinVec;

use super::bytes::{instance_bytes, job_bytes, page_bytes};
use super::change::Effects;
use super::lane::Entry;
use crate::api::ActivatedJob;

/// Joins a later change of the same hierarchy to one that has not been sent yet.
///
/// Rows are found by going through them: what one group holds is bounded by its bytes.
pub(super) fn merge(earlier: &mut Entry, mut later: Entry) {
    earlier.settings = earlier.settings.min(later.settings);
    let change = &mut earlier.change;
    let mut replaced = merge_instance(&mut change.instances, later.change.instances);
    for job in later.change.jobs {
        let earlier_effects = earlier.done.iter_mut().map(|done| &mut done.effects);
        let later_effects = later.done.iter_mut().map(|done| &mut done.effects);
        replaced += merge_job(&mut change.jobs, job, earlier_effects, later_effects);
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

fn merge_job<'a>(
    jobs: &mut ThinVec<JobWrite>,
    later: JobWrite,
    earlier_effects: impl Iterator<Item = &'a mut Effects>,
    later_effects: impl Iterator<Item = &'a mut Effects>,
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
            unhand(key, earlier_effects);
        }
        (JobWrite::Update(_), JobWrite::Delete(key)) => {
            jobs[at] = JobWrite::Delete(key);
            unhand(key, earlier_effects);
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
            count_lock(row, later_effects);
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
fn count_lock<'a>(row: &orloj_store::JobRow, effects: impl Iterator<Item = &'a mut Effects>) {
    let queued = effects.flat_map(|effects| &mut effects.queued);
    for queued in queued.filter(|queued| queued.job == row.key) {
        queued.attempt = row.attempt;
    }
}

/// A job that ends before it was ever handed over goes to nobody. What was reserved for it comes
/// back after the commit.
fn unhand<'a>(key: JobKey, effects: impl Iterator<Item = &'a mut Effects>) {
    for effects in effects {
        let before = effects.queued.len();
        effects.queued.retain(|queued| queued.job != key);
        effects.places_back += before - effects.queued.len();
        let (kept, dropped) =
            std::mem::take(&mut effects.handed).into_iter().partition(|(_, job)| job.key != key);
        effects.handed = kept;
        let dropped: ThinVec<(TakerId, Box<ActivatedJob>)> = dropped;
        effects.credits_back.extend(dropped.into_iter().map(|(taker, _)| taker));
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

#[cfg(test)]
mod tests {
    use orloj_executor::{QueuedJob, Rank};
    use orloj_store::{JobKind, JobRow, JobState};
    use orloj_types::{EngineName, TenantId, Timestamp};
    use thin_vec::thin_vec;

    use super::super::chores::new_chore;
    use super::*;

    const KEY: JobKey = JobKey::new(7);

    fn row() -> JobRow {
        let (engine, tenant) = (EngineName::default(), TenantId::default());
        let kind = JobKind::AsyncBefore;
        JobRow {
            state: JobState::Suspended,
            ..new_chore(KEY, &engine, &tenant, kind, Timestamp::from_ms(0))
        }
    }

    fn locked_by(session: i64) -> JobWrite {
        JobWrite::Update(JobUpdate {
            key: KEY,
            state: JobState::Ready,
            retries_left: 1,
            priority: 0,
            due_at: None,
            failure: None,
            failure_details: None,
            failed_element: None,
            lock: LockWrite::Session(session),
        })
    }

    fn queueing() -> Effects {
        let instance = InstanceKey::new(1);
        let queued = QueuedJob { rank: Rank::FIRST, job: KEY, instance, attempt: 0 };
        Effects { queued: thin_vec![queued], ..Effects::default() }
    }

    #[test]
    fn a_lock_that_comes_with_the_insertion_is_counted_for_the_row_and_for_who_runs_the_job() {
        let mut jobs = thin_vec![JobWrite::Insert(row().into())];
        let mut effects = queueing();
        merge_job(&mut jobs, locked_by(9), std::iter::empty(), std::iter::once(&mut effects));

        let inserted =
            JobRow { state: JobState::Ready, lock_session: Some(9), attempt: 1, ..row() };
        assert_eq!(jobs, [JobWrite::Insert(inserted.into())]);
        assert_eq!(effects.queued[0].attempt, 1);
    }

    #[test]
    fn a_job_that_ends_before_it_was_written_goes_to_nobody_and_gives_its_place_back() {
        let mut jobs = thin_vec![JobWrite::Insert(row().into())];
        let mut effects = queueing();
        let ends = JobWrite::Delete(KEY);
        merge_job(&mut jobs, ends, std::iter::once(&mut effects), std::iter::empty());

        assert!(jobs.is_empty());
        assert!(effects.queued.is_empty());
        assert_eq!(effects.places_back, 1);
    }
}
