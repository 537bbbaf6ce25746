//! Jobs at hand: those that are a part of their instance's row.
//!
//! A job that the node locks which makes it is done with the next revision, nearly always. So it is
//! written into the row of its instance, which is written anyway, and goes with the next revision.
//! It gets a row of its own as soon as something is changed about it, when its node gives it back or
//! dies. An instance has one such job at most; others have rows from the beginning.
//!
//! Which job is at hand follows from the revision. It is remembered here for the revisions that this
//! process has read or may have written; the statement compares it, so what is remembered wrongly
//! makes a conflict and no damage.

use std::sync::{Mutex, MutexGuard};

use orloj_store::{Change, Group, InstanceWrite, JobRow, JobState, JobWrite};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The revision on disk, the one on its way there and the one behind it.
const REVISIONS_MAX: usize = 3;
/// Some times what a node has at hand. Instances that were only looked at stay here until then; what
/// is forgotten with them costs a conflict.
const INSTANCES_MAX: usize = 1 << 16;

/// By instance: revisions, and the job that is at hand with each.
#[derive(Default)]
pub(crate) struct AtHand(Mutex<FxHashMap<i64, Revisions>>);

type Revisions = SmallVec<[(i32, Option<i64>); REVISIONS_MAX]>;

/// What becomes of the job at hand when an instance is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hand<'a> {
    /// As the statement finds it.
    pub before: Option<i64>,
    pub next: Next<'a>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next<'a> {
    Kept,
    Is(Option<&'a JobRow>),
}

/// What a change does to jobs, sorted.
#[derive(Default)]
pub(crate) struct Sorted<'a> {
    /// For each of the change's instances, in their order.
    pub hands: SmallVec<[Hand<'a>; 1]>,
    /// Instances whose job at hand gets a row.
    pub laid: SmallVec<[i64; 1]>,
    /// Writes of rows, after that.
    pub rows: SmallVec<[&'a JobWrite; 2]>,
}

impl AtHand {
    /// An instance was read.
    pub fn note(&self, instance: i64, rev: i32, job: Option<i64>) {
        let mut known = self.lock();
        bound(&mut known);
        if job.is_some() || known.contains_key(&instance) {
            put(known.entry(instance).or_default(), rev, job);
        }
    }

    /// Translates the changes of a group, each on the revisions that those before it lead to.
    pub fn sort<'a>(&self, group: &'a Group) -> Vec<Sorted<'a>> {
        let mut known = self.lock();
        bound(&mut known);
        let session = group.lease.session;
        group.changes.iter().map(|change| sort(&mut known, change, session)).collect()
    }

    /// What came before the revisions of a group on disk is not asked for again.
    pub fn landed(&self, group: &Group) {
        let mut known = self.lock();
        for write in group.changes.iter().flat_map(|change| &change.instances) {
            let key = write.key().raw();
            match write {
                InstanceWrite::Insert(_) => {}
                InstanceWrite::Delete { .. } => drop(known.remove(&key)),
                InstanceWrite::Update { rev, .. } => {
                    let Some(revisions) = known.get_mut(&key) else { continue };
                    revisions.retain(|(of, _)| *of >= *rev);
                    if revisions.iter().all(|(_, job)| job.is_none()) {
                        known.remove(&key);
                    }
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<i64, Revisions>> {
        self.0.lock().expect("nothing panics while it is held")
    }
}

fn bound(known: &mut FxHashMap<i64, Revisions>) {
    if known.len() > INSTANCES_MAX {
        known.clear();
    }
}

fn found(known: &FxHashMap<i64, Revisions>, instance: i64, rev: i32) -> Option<i64> {
    let revisions = known.get(&instance)?;
    revisions.iter().find(|(of, _)| *of == rev).and_then(|(_, job)| *job)
}

fn put(revisions: &mut Revisions, rev: i32, job: Option<i64>) {
    // One that was written before and fell may have had the same number.
    revisions.retain(|(of, _)| *of != rev);
    if revisions.len() == REVISIONS_MAX {
        revisions.remove(0);
    }
    revisions.push((rev, job));
}

fn sort<'a>(known: &mut FxHashMap<i64, Revisions>, change: &'a Change, session: i64) -> Sorted<'a> {
    let mut sorted = Sorted::default();
    for write in &change.instances {
        let before = match write {
            InstanceWrite::Insert(_) => None,
            InstanceWrite::Update { key, expected_rev, .. }
            | InstanceWrite::Delete { key, expected_rev } => found(known, key.raw(), *expected_rev),
        };
        let next = if before.is_some() { Next::Kept } else { Next::Is(None) };
        sorted.hands.push(Hand { before, next });
    }
    if !change.migrations.is_empty() {
        // Statements of their own move the rows.
        for at in 0..sorted.hands.len() {
            lay_down(&mut sorted, change, at);
        }
    }
    for write in &change.jobs {
        let (key, is_over) = match write {
            JobWrite::Delete(key) => (key.raw(), true),
            JobWrite::Update(update) => (update.key.raw(), false),
            JobWrite::Insert(_) => continue,
        };
        let at = sorted.hands.iter().position(|hand| hand.before == Some(key));
        match at {
            Some(at) if is_over => sorted.hands[at].next = Next::Is(None),
            Some(at) => {
                lay_down(&mut sorted, change, at);
                sorted.rows.push(write);
            }
            None => sorted.rows.push(write),
        }
    }
    for write in &change.jobs {
        let JobWrite::Insert(row) = write else { continue };
        // What is migrated by the same change is found by its row.
        let fits = change.migrations.is_empty() && is_begun_at_once(row, session);
        let at = change.instances.iter().position(|write| write.key() == row.instance);
        let hand = at.filter(|_| fits).map(|at| &mut sorted.hands[at]);
        match hand.filter(|hand| hand.next == Next::Is(None)) {
            Some(hand) => hand.next = Next::Is(Some(row)),
            None => sorted.rows.push(write),
        }
    }
    for (write, hand) in change.instances.iter().zip(&sorted.hands) {
        let rev = match write {
            InstanceWrite::Insert(row) => row.rev,
            InstanceWrite::Update { rev, .. } => *rev,
            InstanceWrite::Delete { .. } => continue,
        };
        let job = match &hand.next {
            Next::Kept => hand.before,
            Next::Is(row) => row.map(|row| row.key.raw()),
        };
        if job.is_some() || hand.before.is_some() || known.contains_key(&write.key().raw()) {
            put(known.entry(write.key().raw()).or_default(), rev, job);
        }
    }
    sorted
}

/// The job at hand gets its row before anything else is written.
fn lay_down<'a>(sorted: &mut Sorted<'a>, change: &'a Change, at: usize) {
    let hand = &mut sorted.hands[at];
    if hand.before.take().is_some() {
        hand.next = Next::Is(None);
        sorted.laid.push(change.instances[at].key().raw());
    }
}

/// Whether it is one of the many that are made, begun and done by one node, and has nothing but what
/// those have.
fn is_begun_at_once(row: &JobRow, session: i64) -> bool {
    row.lock_session == Some(session)
        && row.attempt == 1
        && row.state == JobState::Ready
        && row.job_type.is_empty()
        && row.due_at.is_none()
        && row.lock_worker.is_none()
        && row.lock_until.is_none()
        && row.activations.is_empty()
        && row.failure.is_none()
        && row.failure_details.is_none()
        && row.failed_element.is_none()
        && row.category.is_none()
        && row.limit_key.is_none()
        && row.batch.is_none()
        && row.payload.is_none()
}
