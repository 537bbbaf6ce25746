//! Exclusive jobs that overtake the one whose turn it is in their queue.
//!
//! Only a locked exclusive job keeps the others of its instance from running. At most one of them is
//! acquirable all the same, so that two are never locked; while that one is unlocked it gives its
//! place to one that goes before it in the order, and to one that this node takes if it does not
//! take the first itself. The write is in conflict when somebody has locked the first meanwhile;
//! then nothing happens, for then it does keep the others from running.
//!
//! Who overtakes is seen when a change of the queue is committed. What nobody saw that way, such as
//! a job that was left by a node which is gone, is found by a look now and then.

use std::collections::{BTreeMap, BTreeSet};

use orloj_executor::Rank;
use orloj_interpreter::{
    Command, ElementInstance, ExclusiveQueue, Job, Overtaking, Record, topic_of,
};
use orloj_model::Process;
use orloj_store::{JobRow, Pulse, Traits};
use orloj_types::{DeploymentKey, InstanceKey, JobKey, Timestamp};

use super::answer::Question;
use super::claims::Claims;
use super::event::{Find, Work, WorkOrigin};
use super::slot::Task;
use super::{Node, Phase};
use crate::codec;

/// Between two looks.
const LOOK_MS: i64 = 10_000;
/// Jobs looked at; the next look goes on behind them.
const LOOK_JOBS_MAX: u32 = 200;
/// Queues asked for in one look.
const QUEUES_MAX: usize = 50;
/// Parked jobs of an instance looked at when one of its changes is committed.
const PARKED_MAX: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Overtakings {
    /// Jobs that are being overtaken, numbered in the order in which that began.
    under_way: BTreeMap<JobKey, u64>,
    numbers: BTreeSet<u64>,
    last_number: u64,
    /// An acquisition waits for those up to this number.
    awaited: Option<u64>,
    look_at: Timestamp,
    is_looking: bool,
    /// Where the next look begins.
    offset: u32,
}

/// A job and where it belongs.
struct Queued<'a> {
    process: &'a Process,
    record: &'a Record,
    host: &'a ElementInstance,
    job: &'a Job,
}

impl Overtakings {
    /// False: it is being overtaken already.
    fn begin(&mut self, holder: JobKey) -> bool {
        if self.under_way.contains_key(&holder) {
            return false;
        }
        self.last_number += 1;
        self.under_way.insert(holder, self.last_number);
        self.numbers.insert(self.last_number);
        true
    }

    fn end(&mut self, holder: JobKey) {
        if let Some(number) = self.under_way.remove(&holder) {
            self.numbers.remove(&number);
        }
    }

    /// Whether an acquisition waits: it would take what is being overtaken. It does not wait for
    /// what begins meanwhile, so that a stream of them holds up nothing for ever.
    pub fn are_awaited(&mut self) -> bool {
        let awaited = *self.awaited.get_or_insert(self.last_number);
        let is_awaited = self.numbers.first().is_some_and(|first| *first <= awaited);
        if !is_awaited {
            self.awaited = None;
        }
        is_awaited
    }

    /// A new life begins.
    pub fn clear(&mut self) {
        *self = Self { last_number: self.last_number, ..Self::default() };
    }
}

impl Node {
    /// A job goes before the one whose turn it is in the queue of an instance.
    pub(super) fn overtake(&mut self, queue: InstanceKey, overtaking: Overtaking) {
        let Overtaking { holder, by } = overtaking;
        if self.is_held_here(holder) || self.phase != Phase::Running {
            return;
        }
        if !self.overtakings.begin(holder) {
            return;
        }
        let claims = Claims { free: Some(holder), ..Claims::default() };
        let command = Command::Overtake { holder, by };
        let work = Work::new(command, WorkOrigin::Overtaking { holder }).with_claims(claims);
        self.submit(queue, Task::Work(Box::new(work)));
    }

    /// It is, or it cannot be.
    pub(super) fn overtaken(&mut self, holder: JobKey) {
        self.overtakings.end(holder);
    }

    fn is_held_here(&self, job: JobKey) -> bool {
        self.held.contains_key(&job) || self.reserved.contains(&job)
    }

    // ---- by what this node takes

    /// Whether there may be ready jobs that this node does not take.
    pub(super) fn is_choosy(&self) -> bool {
        let leaves_out = self.is_selective || !self.selection.without_topics.is_empty();
        leaves_out && self.is_taking()
    }

    /// Lets one run that this node takes, if it does not take the one whose turn it is.
    pub(super) fn unblock(&mut self, instance: InstanceKey) {
        if let Some(overtaking) = self.find_taken(instance) {
            self.overtake(instance, overtaking);
        }
    }

    fn find_taken(&self, instance: InstanceKey) -> Option<Overtaking> {
        let queue = &self.slots.get(&instance)?.record.as_deref()?.exclusive;
        let holder = queue.holder?;
        let of_holder = self.queued(instance, queue, holder)?;
        if self.is_held_here(holder) || self.takes_known(&of_holder) {
            return None;
        }
        let parked = queue.parked().take(PARKED_MAX);
        let taken = parked
            .filter_map(|key| self.queued(instance, queue, key))
            .filter(|queued| self.takes_known(queued));
        let first = taken.min_by_key(|Queued { job, .. }| {
            let run_at = job.due_at.unwrap_or(job.key.made_at());
            let kind = codec::job_kind(&job.kind);
            Rank::new(self.selection.order, job.priority, kind, run_at, job.key)
        });
        first.map(|queued| Overtaking { holder, by: queued.job.key })
    }

    /// A job in the queue of an instance. One of another instance that is not in memory is left to
    /// the look.
    fn queued<'a>(
        &'a self,
        instance: InstanceKey,
        queue: &ExclusiveQueue,
        job: JobKey,
    ) -> Option<Queued<'a>> {
        let of = queue.stranger(job).map_or(instance, |stranger| stranger.instance);
        let slot = self.slots.get(&of)?;
        let record = slot.record.as_deref()?;
        let process = &slot.definition.as_ref()?.process;
        let (host, job) = record.job(job)?;
        Some(Queued { process, record, host, job })
    }

    fn takes_known(&self, queued: &Queued<'_>) -> bool {
        let Queued { process, record, host, job } = *queued;
        self.selection.takes_such(&Traits {
            definition: record.definition,
            tenant: &record.tenant,
            priority: job.priority,
            category: job.category.as_ref(),
            topic: &topic_of(process, host, job),
            kind: codec::job_kind(&job.kind),
            has_due_date: job.due_at.is_some(),
        })
    }

    // ---- the look

    pub(super) fn look_for_blocking(&mut self, pulse: &Pulse) {
        let leaves_jobs = self.is_choosy() || self.is_taking() && self.known.has_limits();
        let is_time = self.now >= self.overtakings.look_at && !self.overtakings.is_looking;
        if !pulse.engine_jobs_ready || !leaves_jobs || !is_time || self.phase != Phase::Running {
            return;
        }
        self.overtakings.is_looking = true;
        let offset = self.overtakings.offset;
        self.find(Question::Blocking, Find::Untaken { offset, limit: LOOK_JOBS_MAX });
    }

    pub(super) fn blocking_found(&mut self, jobs: &[(JobRow, Option<DeploymentKey>)]) {
        self.blocking_unknown();
        let is_full = jobs.len() >= LOOK_JOBS_MAX as usize;
        self.overtakings.offset = if is_full { self.overtakings.offset + LOOK_JOBS_MAX } else { 0 };
        let rows = jobs.iter().map(|(row, _)| row);
        let left = rows.filter(|row| row.exclusive && row.instance.raw() != 0 && self.leaves(row));
        let left: Vec<_> = left.take(QUEUES_MAX).map(|row| (row.key, row.instance)).collect();
        for (holder, instance) in left {
            let over_hierarchies = self.selection.over_hierarchies;
            self.find(Question::Parked { holder }, Find::Parked { instance, over_hierarchies });
        }
    }

    pub(super) fn blocking_unknown(&mut self) {
        self.overtakings.is_looking = false;
        self.overtakings.look_at = self.now.plus_ms(LOOK_MS);
    }

    pub(super) fn parked_found(&mut self, holder: JobKey, queue: InstanceKey, jobs: &[JobRow]) {
        let is_counted =
            |row: &JobRow| self.is_limited(&row.topic, &row.tenant, row.limit_key.as_ref());
        let taken = jobs.iter().filter(|row| self.selection.takes(row) && !is_counted(row));
        let first = taken.min_by_key(|row| Rank::of(self.selection.order, row));
        if let Some(by) = first.map(|row| row.key) {
            self.overtake(queue, Overtaking { holder, by });
        }
    }

    /// Whether the job, which is ready, is not taken here for now. One that counts for a limit is
    /// left where acquisitions come back with nothing: then there is no room for it.
    fn leaves(&self, row: &JobRow) -> bool {
        let is_counted = self.is_limited(&row.topic, &row.tenant, row.limit_key.as_ref());
        !self.selection.takes(row) || is_counted && self.looking.is_fruitless
    }
}
