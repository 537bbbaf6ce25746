//! The engine's own jobs: continuations and timers that this node locks, in the configured order,
//! and runs.
//!
//! No job overtakes one that goes before it, on whatever path: one that becomes ready here is
//! handed over only if it sorts before everything unlocked that is known ([`Watermark`]), the queue
//! keeps the order, and while an unlocked job is known to go before those queued, these wait until
//! it has been acquired.

use std::sync::Arc;

use orloj_executor::{Looked, Meter, QueuedJob, Rank, Watermark};
use orloj_interpreter::{Command, JobRow as NewJob, Record};
use orloj_store::{
    Acquire, Error as StoreError, JobKind, JobRow, LockWrite, Selection, Traits, Wanted,
};
use orloj_types::{InstanceKey, JobKey, Timestamp};

use super::answer::Question;
use super::change::Effects;
use super::event::{Action, Work, WorkOrigin};
use super::slot::Task;
use super::{Node, Phase, RETRY_MS, Sabotage, Ticket};
use crate::codec;

/// Jobs begun before the node looks up again: a lane that has become free must not wait for long.
const PUMP_JOBS_MAX: usize = 64;
/// Jobs acquired beyond the bound of the queue, when they go before those queued.
const URGENT_JOBS_MAX: usize = 16;
/// Jobs queued beyond the bound because whoever made them has to run them.
const CALLER_RUNS_MAX: usize = 256;
/// Pages of jobs that may be begun between two acquisitions while jobs that become ready here are
/// handed over past those in the store, where no order is asked for.
const PAGES_PER_ACQUISITION: usize = 16;
/// Between two looks that heartbeats ask for and that find nothing.
const LOOK_MS_MIN: i64 = 1_000;

/// Looks for jobs that nobody told of.
#[derive(Debug)]
pub(crate) struct Looking {
    pub cadence: orloj_executor::Cadence,
    /// The last look found nothing that this node takes.
    pub(super) is_fruitless: bool,
    /// When to look again though the last one was fruitless.
    next_at: Timestamp,
    /// Something became ready since the last look was sent.
    is_hinted: bool,
    /// The queue was full: nothing is acquired before.
    rests_until: Timestamp,
    /// Someone else was faster with due jobs that this node had found: none are looked for before.
    backs_off_until: Timestamp,
    /// Jobs begun since the last look was sent.
    begun: usize,
}

impl Looking {
    pub fn new(cadence: orloj_executor::Cadence) -> Self {
        Self {
            cadence,
            is_fruitless: false,
            next_at: Timestamp::ZERO,
            is_hinted: false,
            rests_until: Timestamp::ZERO,
            backs_off_until: Timestamp::ZERO,
            begun: 0,
        }
    }

    /// When due jobs may be looked for that become due at `at`.
    pub fn due_look_at(&self, at: Timestamp) -> Timestamp {
        at.max(self.backs_off_until)
    }

    /// Something became ready: a node that backs off is woken.
    fn hint(&mut self) {
        self.is_hinted = true;
        self.backs_off_until = Timestamp::ZERO;
    }

    /// What waits in the store has been passed for long enough.
    fn is_overdue(&self) -> bool {
        self.begun >= PAGES_PER_ACQUISITION * self.cadence.page_max()
    }
}

impl Node {
    /// The lock that a job which has become ready is written with. It is this node's own if this
    /// node would have acquired the job next. One that was stopped may still be locked by whoever
    /// had begun it: it, and exclusive ones beside it, are acquired when that is over.
    pub(super) fn lock_engine_job(
        &mut self,
        row: &NewJob,
        is_new: bool,
        record: &Record,
        effects: &mut Effects,
    ) -> LockWrite {
        let job = &row.job;
        let is_beside = job.exclusive && !record.still_held.is_empty();
        let is_held = (job.still_held || is_beside) && !self.sabotaged(Sabotage::IgnoreHeld);
        let created_at = if is_new { self.now } else { self.created_at(job.key) };
        let kind = codec::job_kind(&job.kind);
        let run_at = job.due_at.unwrap_or(created_at);
        let rank = Rank::new(self.selection.order, job.priority, kind, run_at, job.key);
        if self.takes(row, kind, record) && self.is_taking() {
            let is_limited = self.is_limited(&row.topic, &record.tenant, job.limit_key.as_ref());
            if is_limited {
                let engine_type = self.engine_type.clone();
                self.rate_holds_up(&engine_type);
            } else if !is_held && self.may_queue(rank) {
                if self.has_place() {
                    if is_new {
                        self.reserved.insert(job.key);
                    }
                    // How often one that was there before has been locked is not known here.
                    let (instance, attempt) = (record.instance, i32::from(is_new));
                    effects.queued.push(QueuedJob { rank, job: job.key, instance, attempt });
                    if self.breakers.is_on() && !row.topic.is_empty() {
                        effects.topics.push((job.key, row.topic.clone()));
                    }
                    effects.locked_exclusive += u64::from(job.exclusive);
                    return LockWrite::Session(self.lease.session);
                }
                effects.rejected += 1;
            }
            if self.config.executor.hint {
                // Now, so that nothing is handed over past it; and again when it can be acquired.
                self.unlocked.insert(rank);
                effects.unlocked.push(rank);
            }
        }
        effects.ready_types.push(self.engine_type.clone());
        LockWrite::Clear
    }

    /// Whether this node's acquisition would take the job.
    fn takes(&self, row: &NewJob, kind: JobKind, record: &Record) -> bool {
        if !self.is_selective && self.selection.without_topics.is_empty() {
            return true;
        }
        self.selection.takes_such(&Traits {
            definition: record.definition,
            tenant: &record.tenant,
            priority: row.job.priority,
            category: row.job.category.as_ref(),
            topic: &row.topic,
            kind,
            has_due_date: row.job.due_at.is_some(),
        })
    }

    fn may_queue(&self, rank: Rank) -> bool {
        let mut unlocked = self.unlocked.first().into_iter().chain(self.firing.first());
        let is_next = unlocked.all(|first| rank < *first);
        let allows = is_next && self.watermark.allows(rank)
            || self.may_pass_backlog()
            || self.sabotaged(Sabotage::Overtake);
        self.phase == Phase::Running && self.config.executor.hint && allows
    }

    /// Whether a job of this rank goes before all that are queued here, and before all that are
    /// known to be unlocked. Without hints nobody knows what is.
    pub(super) fn goes_first(&self, rank: Rank) -> bool {
        let is_unlocked_before = self.unlocked.first().is_some_and(|first| *first < rank);
        let is_queued_before = self.queue.peek().is_some_and(|queued| queued.rank < rank);
        let allows = !is_unlocked_before && !is_queued_before && self.watermark.allows(rank);
        self.config.executor.hint && allows
    }

    /// Where no order is asked for, an instance that is at hand goes on before others are fetched:
    /// that saves locking and reading it again for each step. As much as two acquisitions bring may
    /// wait here so, and the store has its turn all the same.
    fn may_pass_backlog(&self) -> bool {
        !self.selection.order.is_set()
            && self.queue.taken() < 2 * self.looking.cadence.page_max()
            && !self.looking.is_overdue()
    }

    /// A place in the queue for a job that becomes ready here.
    fn has_place(&mut self) -> bool {
        if self.queue.reserve() {
            return true;
        }
        self.grow();
        let bound = self.config.executor.queue_jobs_max.saturating_add(CALLER_RUNS_MAX);
        let is_run_here = self.config.executor.caller_runs && self.queue.len() < bound;
        if is_run_here {
            self.queue.reserve_beyond(1);
        }
        is_run_here
    }

    /// Whether this node takes ready jobs.
    pub(super) fn is_taking(&self) -> bool {
        self.config.executor.is_active && self.config.executor.takes_jobs
    }

    // ---- how many at the same time

    /// The queue is full: more jobs run at the same time until it has not been so for a while.
    fn grow(&mut self) {
        self.grown_until = self.now.plus_ms(self.config.executor.calls_grown_ms);
    }

    fn has_room_to_call(&self) -> bool {
        self.calls_at_work() < self.calls_bound()
    }

    pub(super) fn calls_at_work(&self) -> usize {
        // One that waits for the state of its instance will call, too.
        self.calls.len() + self.beginning.len()
    }

    pub(super) fn calls_bound(&self) -> usize {
        match self.now < self.grown_until {
            true => self.config.calls_max,
            false => self.config.calls_max.min(self.config.executor.calls_usual),
        }
    }

    /// Whether what is ready waits until something here has ended.
    pub(super) fn is_full(&self) -> bool {
        self.queue.room() == 0 || (!self.queue.is_empty() && !self.has_room_to_call())
    }

    /// When jobs are acquired again, if something other than room for them keeps this node from it.
    pub(super) fn acquires_at(&self) -> Option<Timestamp> {
        let mut at = self.retry_at.max(self.offers.resume_at);
        if !self.must_yield() {
            at = at.max(self.looking.rests_until);
        }
        let is_idle = self.watermark.is_clear() && !self.engine_acquiring;
        if is_idle && (self.looking.is_fruitless || !self.config.executor.hint) {
            at = at.max(self.looking.next_at);
        }
        (at > self.now).then_some(at)
    }

    // ---- looks at fixed times

    /// Without hints jobs are found by looking alone.
    pub(super) fn look_at(&self) -> Option<Timestamp> {
        let is_looking = self.is_executing() && self.is_taking() && !self.config.executor.hint;
        // A look that is wanted already happens when what keeps it back is over, which has a moment
        // or an event of its own.
        let is_wanted = self.engine_acquiring || !self.watermark.is_clear();
        (is_looking && !is_wanted).then_some(self.looking.next_at)
    }

    pub(super) fn check_looks(&mut self) {
        if self.look_at().is_some_and(|at| at <= self.now) {
            self.watermark.raise_all();
        }
    }

    pub(super) fn is_executing(&self) -> bool {
        self.config.executor.is_active && self.phase == Phase::Running
    }

    /// Whether queued jobs could be begun now.
    pub(super) fn can_pump(&self) -> bool {
        self.is_executing()
            && !self.queue.is_empty()
            && !self.must_yield()
            && self.has_room_to_call()
            && self.heartbeat.is_trusted(self.now)
    }

    /// An unlocked job is known that goes before all that are queued.
    fn must_yield(&self) -> bool {
        match (self.watermark.waiting(), self.queue.peek()) {
            (Some(waiting), Some(queued)) => waiting.is_before(queued.rank),
            _ => false,
        }
    }

    /// Starts queued jobs and asks for more.
    pub(super) fn pump(&mut self) {
        if !self.is_executing() || !self.heartbeat.is_trusted(self.now) {
            return;
        }
        for _ in 0..PUMP_JOBS_MAX {
            if !self.has_room_to_call() || self.must_yield() {
                break;
            }
            let Some(queued) = self.queue.pop() else { break };
            self.looking.begun += 1;
            if !self.may_begin(queued.job) {
                self.give_back(queued.job);
            } else if self.config.offers_jobs {
                self.offer(queued);
            } else {
                self.begin(queued);
            }
        }
        self.acquire_engine_jobs();
    }

    pub(super) fn begin(&mut self, queued: QueuedJob) {
        let QueuedJob { job, instance, .. } = queued;
        let held = self.held.get(&job);
        if held.is_none() || held == self.giving_back.get(&job) {
            // An order has taken it from this node since, or it is on its way back.
            return self.job_over(job);
        }
        if instance.raw() == 0 {
            return self.begin_chore(job);
        }
        let command = Command::RunJob { job };
        let origin = WorkOrigin::Engine { job, since: self.now };
        self.beginning.insert(job);
        self.submit(instance, Task::Work(Box::new(Work::new(command, origin))));
    }

    fn acquire_engine_jobs(&mut self) {
        let is_taking = self.is_taking() && !self.engine_acquiring;
        if !is_taking || self.watermark.is_clear() || self.now < self.retry_at {
            return;
        }
        if self.awaits_timers() || self.now < self.offers.resume_at {
            return;
        }
        if self.overtakings.are_awaited() {
            return;
        }
        if self.queue.room() == 0 {
            self.grow();
        }
        let page_max = self.looking.cadence.page_max();
        let room = self.looking.cadence.page(self.queue.room());
        let is_urgent = self.must_yield();
        if !is_urgent && self.rests() {
            return;
        }
        // Small bites of a long backlog would cost a statement each.
        let is_worthwhile = room == page_max || self.queue.is_empty() || is_urgent;
        // More than will soon be begun would only push out what is at hand.
        let is_early = !self.selection.order.is_set()
            && self.queue.taken() >= page_max
            && !self.looking.is_overdue();
        let limit = if is_urgent { room.max(URGENT_JOBS_MAX) } else { room };
        if limit == 0 || !is_worthwhile || is_early {
            return;
        }
        self.queue.reserve_beyond(limit);
        self.engine_acquiring = true;
        self.held_up = None;
        self.looking.is_hinted = false;
        self.looking.begun = 0;
        self.watermark.sent();
        self.leave_out_topics();
        self.metrics.meters.add(Meter::JobAcquisitionAttempt, 1);
        let settings = self.known.version();
        let ticket = self.ask(Question::EngineAcquire { limit, settings });
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let wanted = Wanted::Engine(self.selection.clone());
        let acquire = Acquire { lease: self.lease, wanted, limit, now: self.now };
        self.actions.push(Action::Acquire { ticket, acquire });
    }

    /// Whether acquisition rests because the queue was full. What goes before all that are queued is
    /// taken all the same.
    fn rests(&mut self) -> bool {
        if self.queue.room() == 0 && self.now >= self.looking.rests_until {
            let rest_ms = self.looking.cadence.queue_full_ms();
            self.looking.rests_until = self.now.plus_ms(rest_ms);
        }
        self.now < self.looking.rests_until
    }

    /// When acquisition has rested, if it has something to do then.
    pub(super) fn rested_at(&self) -> Option<Timestamp> {
        let rests = self.now < self.looking.rests_until && !self.watermark.is_clear();
        rests.then_some(self.looking.rests_until)
    }

    pub(super) fn acquired(&mut self, ticket: Ticket, result: Result<Vec<JobRow>, StoreError>) {
        match self.questions.remove(&ticket) {
            Some(Question::EngineAcquire { limit, .. }) => self.engine_acquired(limit, result),
            Some(Question::WorkerAcquire { job_type, taker, mark, limit, .. }) => {
                self.worker_acquired(job_type, taker, mark, limit, result);
            }
            // Asked by an earlier life of this node: its engine locks are void, workers' are not.
            _ => {
                let jobs = result.unwrap_or_default();
                let stray = jobs.iter().filter(|job| job.lock_worker.is_some());
                self.release(stray.map(|job| (job.key, job.attempt)).collect());
            }
        }
    }

    fn engine_acquired(&mut self, limit: usize, result: Result<Vec<JobRow>, StoreError>) {
        self.engine_acquiring = false;
        let jobs = match result {
            Ok(jobs) => jobs,
            Err(_) => {
                self.metrics.store_errors.inc();
                self.retry_at = self.now.plus_ms(RETRY_MS);
                self.looked(Looked { asked: limit, has_failed: true, ..Looked::default() });
                // What it may have locked all the same is found with the next life; nothing of
                // what is known has changed.
                self.watermark.raise_all();
                for _ in 0..limit {
                    self.queue.release();
                }
                return;
            }
        };
        self.metrics.acquired.inc_by(jobs.len() as u64);
        self.metrics.meters.add(Meter::JobAcquiredSuccess, jobs.len() as u64);
        self.looked(Looked { asked: limit, got: jobs.len(), ..Looked::default() });
        let engine_type = self.engine_type.clone();
        match jobs.is_empty() {
            true => self.rate_in_vain(&engine_type),
            false => self.rate_holds_up(&engine_type),
        }
        let last = jobs.iter().map(|job| Rank::of(self.selection.order, job)).max();
        match last {
            Some(last) if jobs.len() >= limit => self.watermark.came_back_full(last),
            _ => self.watermark.came_back_short(),
        }
        for _ in jobs.len()..limit {
            self.queue.release();
        }
        for row in jobs {
            // Others may have worked on it since this node did.
            if let Some(slot) = self.slots.get_mut(&row.instance) {
                slot.known_at = Timestamp::ZERO;
            }
            self.set_aside.remove(&row.key);
            self.listed.insert(row.key);
            let attempt = self.held.entry(row.key).or_default();
            *attempt = row.attempt.max(*attempt);
            let rank = Rank::of(self.selection.order, &row);
            let (job, instance, attempt) = (row.key, row.instance, row.attempt);
            self.queue.push_reserved(QueuedJob { rank, job, instance, attempt });
            if self.breakers.is_on() && !row.topic.is_empty() {
                self.job_topics.insert(job, row.topic.clone());
            }
            if row.kind.is_chore() {
                self.chore_acquired(row);
            }
        }
        if !self.is_taking() || self.phase != Phase::Running {
            // Switched off meanwhile.
            self.give_back_queued();
        }
    }

    fn looked(&mut self, looked: Looked) {
        let looked = Looked { is_hinted: self.looking.is_hinted, ..looked };
        self.looking.is_fruitless = looked.got == 0;
        let wait_ms = self.looking.cadence.looked(looked, self.chance()).max(LOOK_MS_MIN);
        self.looking.next_at = self.now.plus_ms(wait_ms);
    }

    /// What the last look for due jobs found has been worked on.
    pub(super) fn looked_for_due(&mut self, has_lost: bool) {
        let wait_ms = self.looking.cadence.fired(has_lost, self.chance());
        self.looking.backs_off_until = self.now.plus_ms(wait_ms);
    }

    /// A number in `0..1` that differs between nodes and moments.
    fn chance(&self) -> f64 {
        let seed = (self.lease.session ^ self.now.as_ms()) as u64;
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        // 53 bits fit into the fraction of a double.
        (mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A heartbeat says that unlocked jobs are there, though not whether this node takes them: one
    /// that found nothing of its own looks again when it is time.
    pub(super) fn jobs_seen(&mut self) {
        if !self.looking.is_fruitless || self.now >= self.looking.next_at {
            self.watermark.raise_all();
        }
    }

    /// Unlocked jobs of the engine's own may be there.
    pub(super) fn engine_jobs_ready(&mut self) {
        self.looking.hint();
        self.looking.is_fruitless = false;
        self.watermark.raise_all();
    }

    /// Unlocked jobs of these ranks are on disk.
    pub(super) fn engine_jobs_unlocked(&mut self, ranks: impl IntoIterator<Item = Rank>) {
        for rank in ranks {
            self.looking.hint();
            self.unlocked.remove(&rank);
            self.watermark.raise(rank);
        }
    }

    /// Jobs of a type are ready and nobody here has them: take them, or tell the others.
    pub(super) fn jobs_ready(&mut self, job_type: Arc<str>) {
        if job_type.is_empty() {
            self.engine_jobs_ready();
        }
        self.tell_ready(job_type);
    }

    /// The same where this node knows of its own part already.
    pub(super) fn tell_ready(&mut self, job_type: Arc<str>) {
        if let Some(demand) = self.demands.get_mut(&job_type) {
            demand.backlog.raise();
        }
        if self.has_peers {
            self.notices.types.insert(job_type);
        }
    }

    /// Takes an engine job back that must not call foreign code now. False: it is no engine job.
    pub(super) fn put_back(&mut self, instance: InstanceKey, work: &Work) -> bool {
        let WorkOrigin::Engine { job, .. } = work.origin else { return false };
        self.not_begun(job);
        let rank = self.rank_of_known(instance, job);
        let attempt = self.held.get(&job).copied().unwrap_or(0);
        self.queue.put_back(QueuedJob { rank, job, instance, attempt });
        true
    }

    /// Of a job that this node was running. One whose record is not at hand goes first: it has
    /// been first before.
    fn rank_of_known(&self, instance: InstanceKey, job: JobKey) -> Rank {
        let slot = self.slots.get(&instance);
        let found =
            slot.and_then(|slot| slot.record.as_ref()?.job(job).map(|(_, job)| job.clone()));
        found.map_or(Rank::FIRST, |job| {
            let run_at = job.due_at.unwrap_or(self.created_at(job.key));
            let kind = codec::job_kind(&job.kind);
            Rank::new(self.selection.order, job.priority, kind, run_at, job.key)
        })
    }

    /// Of one that was there before only its key tells when it was created. Keys may run ahead of
    /// the clock.
    fn created_at(&self, job: JobKey) -> Timestamp {
        job.made_at().min(self.now)
    }

    /// A new life begins: nothing is known.
    pub(super) fn forget_engine_jobs(&mut self) {
        self.watermark = Watermark::default();
        self.unlocked.clear();
        self.looking = Looking::new(self.config.executor.cadence());
    }

    /// The selection as the circuit breakers leave it.
    fn leave_out_topics(&mut self) {
        let without = self.breakers.without(self.now);
        if self.selection.without_topics.is_empty() && without.size_hint().1 == Some(0) {
            return;
        }
        let topics: Vec<Arc<str>> = without.cloned().collect();
        if *self.selection.without_topics != *topics {
            self.selection = Selection { without_topics: topics.into(), ..self.selection.clone() };
        }
    }
}
