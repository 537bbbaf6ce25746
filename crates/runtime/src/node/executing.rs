//! The executor as a whole: switching it on and off, giving jobs back, leaving failing code alone,
//! giving up jobs that hang.
//!
//! A job is given back with the number of its lock, so that a late request cannot undo a later
//! lock; until the store has said that it is unlocked it counts as held.

use std::sync::Arc;

use orloj_executor::{BreakerState, HungWatch, Meter, Running};
use orloj_interpreter::{
    Command, Event as History, InvokeResult, JobFailure, JobKind as RecordJobKind,
};
use orloj_store::{Error as StoreError, JobRow};
use orloj_types::{ElementId, InstanceKey, JobKey};

use super::answer::Question;
use super::change::Effects;
use super::event::{Action, CallId, Find, Reply, RequestId, Work, WorkOrigin};
use super::{Node, RETRY_MS};

/// What a change counts once it is committed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub jobs_completed: u64,
    pub jobs_failed: u64,
    pub elements_entered: u64,
    pub elements_left: u64,
}

impl Counts {
    /// `job`: the one of the engine's own that was run. What workers do is no execution of a job.
    pub fn note(&mut self, events: &[History], job: Option<JobKey>) {
        for event in events {
            match event {
                History::JobCompleted { key } if Some(*key) == job => self.jobs_completed += 1,
                History::JobFailed { key, .. } if Some(*key) == job => self.jobs_failed += 1,
                History::ElementEntered { .. } => self.elements_entered += 1,
                History::ElementLeft { .. } => self.elements_left += 1,
                _ => {}
            }
        }
    }
}

/// Whether the store knows what this node takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Description {
    #[default]
    Told,
    BeingTold,
    /// It has changed while it was being told.
    Outdated,
    /// The store did not answer.
    Owed,
}

impl Node {
    pub(super) fn switch_executor(&mut self, id: RequestId, is_active: bool) {
        let was_active = std::mem::replace(&mut self.config.executor.is_active, is_active);
        if is_active && !was_active {
            self.engine_jobs_ready();
            self.due.add(self.now);
        } else if !is_active {
            self.give_back_queued();
        }
        if is_active != was_active {
            self.describe();
        }
        self.reply(id, Ok(Reply::Done));
    }

    /// Tells the others what this node takes, one word after the other.
    pub(super) fn describe(&mut self) {
        self.forget_untaken();
        self.description = match self.description {
            Description::BeingTold | Description::Outdated => Description::Outdated,
            Description::Told | Description::Owed => {
                let registered: Vec<_> = self.registered.keys().copied().collect();
                let profile = self.config.executor.profile(&registered);
                self.actions.push(Action::Describe { lease: self.lease, profile });
                Description::BeingTold
            }
        };
    }

    pub(super) fn described(&mut self, session: i64, is_told: bool) {
        if session != self.lease.session {
            return;
        }
        let is_outdated = self.description == Description::Outdated;
        self.description = if is_told { Description::Told } else { Description::Owed };
        if is_outdated {
            self.describe();
        }
    }

    /// What the store could not be told before.
    pub(super) fn describe_if_owed(&mut self) {
        if self.description == Description::Owed {
            self.describe();
        }
    }

    /// Whether this node runs the engine's own jobs.
    pub fn is_executor_active(&self) -> bool {
        self.config.executor.is_active
    }

    // ---- giving jobs back

    pub(super) fn give_back_queued(&mut self) {
        for queued in self.queue.drain() {
            self.give_back(queued.job);
        }
        self.give_back_offered();
    }

    /// Unlocks a job that this node holds and does not run. It costs no retry.
    pub(super) fn give_back(&mut self, job: JobKey) {
        self.job_over(job);
        if self.chore_left_queue(job) {
            return self.give_chore_back(job);
        }
        match self.held.get(&job) {
            None => {}
            Some(0) => self.find(Question::GiveBack { job }, Find::Job(job)),
            Some(attempt) => {
                let attempt = *attempt;
                self.giving_back.insert(job, attempt);
                self.to_release.push((job, attempt));
            }
        }
    }

    /// How often a job to be given back has been locked is known now.
    pub(super) fn give_back_found(&mut self, job: JobKey, row: Option<&JobRow>) {
        if self.held.get(&job) != Some(&0) {
            // It has ended, or was locked anew meanwhile.
            return self.no_longer_held(job);
        }
        match row {
            Some(row) if row.lock_session != Some(self.lease.session) => self.no_longer_held(job),
            Some(row) if row.kind.is_chore() => self.free_chore(row),
            Some(row) => {
                self.held.insert(job, row.attempt);
                self.give_back(job);
            }
            None => self.no_longer_held(job),
        }
    }

    pub(super) fn give_back_unanswered(&mut self, job: JobKey) {
        self.to_find_later.push(job);
        self.retry_at = self.now.plus_ms(RETRY_MS);
    }

    /// What could not be given back is tried again when the store answers.
    pub(super) fn retry_give_back(&mut self) {
        if self.now < self.retry_at {
            return;
        }
        for job in std::mem::take(&mut self.to_find_later) {
            self.give_back(job);
        }
    }

    /// Whether jobs are on their way back.
    pub(super) fn gives_back(&self) -> bool {
        let is_asked = |question: &Question| matches!(question, Question::GiveBack { .. });
        !self.giving_back.is_empty()
            || !self.to_find_later.is_empty()
            || self.questions.values().any(is_asked)
    }

    pub(super) fn released(&mut self, jobs: &[(JobKey, i32)], result: &Result<(), StoreError>) {
        if result.is_err() {
            // Workers' locks run out in time; the node's own do not.
            self.metrics.store_errors.inc();
            self.retry_at = self.now.plus_ms(RETRY_MS);
        }
        for (job, attempt) in jobs {
            if let Some(job_type) = self.releasing.remove(job) {
                self.breakers.dropped(&job_type, self.now);
            }
            if self.giving_back.get(job) != Some(attempt) {
                continue;
            }
            self.giving_back.remove(job);
            // Unless it has been locked anew since.
            if self.held.get(job) != Some(attempt) {
                continue;
            }
            match result {
                Ok(()) => drop(self.held.remove(job)),
                Err(_) => self.to_find_later.push(*job),
            }
        }
        self.engine_jobs_ready();
        let types: Vec<_> = self.demands.keys().cloned().collect();
        for job_type in types {
            self.jobs_ready(job_type);
        }
        if self.has_peers && !jobs.is_empty() {
            self.notices.types.insert(self.engine_type.clone());
        }
    }

    // ---- circuit breakers

    /// Whether a queued job may be run now, as far as its breaker goes.
    pub(super) fn may_begin(&mut self, job: JobKey) -> bool {
        match self.job_topics.get(&job) {
            None => true,
            Some(topic) => self.breakers.begin(topic, self.now),
        }
    }

    /// A job that was let through has called nothing, and will be begun again.
    pub(super) fn not_begun(&mut self, job: JobKey) {
        if let Some(topic) = self.job_topics.get(&job) {
            self.breakers.dropped(topic, self.now);
        }
    }

    /// A job that was held here by this lock is so no more. It may have been locked here anew
    /// before this node heard that the change which freed it is on disk.
    pub(super) fn let_go(&mut self, job: JobKey, attempt: Option<i32>) {
        if self.held.get(&job).copied() == attempt {
            self.held.remove(&job);
        }
    }

    /// Nothing more happens with a job here.
    pub(super) fn job_over(&mut self, job: JobKey) {
        self.set_aside.remove(&job);
        if let Some(topic) = self.job_topics.remove(&job) {
            self.breakers.dropped(&topic, self.now);
        }
    }

    pub(super) fn calling(&mut self, call: CallId, instance: InstanceKey, element: &ElementId) {
        if !self.breakers.is_on() {
            return;
        }
        let definition = self.slots.get(&instance).and_then(|slot| slot.definition.as_ref());
        let Some(process) = definition.map(|known| &known.process) else { return };
        let Some(index) = process.find(element) else { return };
        let topic = &process.element(index).jobs.topic;
        if !topic.is_empty() {
            self.call_topics.insert(call, topic.clone());
        }
    }

    pub(super) fn called(&mut self, call: CallId, result: &InvokeResult) {
        let Some(topic) = self.call_topics.remove(&call) else { return };
        let failed = matches!(result, InvokeResult::Failed { .. } | InvokeResult::Faulted { .. });
        if self.judge(&topic, failed) {
            self.engine_jobs_ready();
        }
    }

    /// A breaker learns how a call or a worker's job has ended. True: it has closed.
    pub(super) fn judge(&mut self, topic: &Arc<str>, is_failed: bool) -> bool {
        if is_failed {
            if self.breakers.failed(topic, self.now) {
                self.metrics.breakers_opened.inc();
                tracing::warn!(%topic, "circuit breaker opened");
            }
            return false;
        }
        let was_closed = self.breakers.state(topic, self.now) == BreakerState::Closed;
        self.breakers.succeeded(topic);
        let has_closed =
            !was_closed && self.breakers.state(topic, self.now) == BreakerState::Closed;
        if has_closed {
            tracing::info!(%topic, "circuit breaker closed");
        }
        has_closed
    }

    pub(super) fn close_breaker(&mut self, id: RequestId, topic: &str) {
        if self.breakers.close(topic) {
            tracing::info!(topic, "circuit breaker closed by hand");
            self.slots_freed();
        }
        self.reply(id, Ok(Reply::Done));
    }

    /// A breaker whose time is over lets one of its jobs through.
    pub(super) fn check_breakers(&mut self) {
        if self.breaker_at.is_some_and(|at| at <= self.now) {
            self.slots_freed();
        }
        self.breaker_at = self.breakers.next_at(self.now);
    }

    // ---- hung jobs

    /// The calls of foreign code that jobs of this node wait for.
    pub(super) fn running(&self) -> Vec<Running<CallId>> {
        if !self.config.executor.longest_run.is_limited() {
            return Vec::new();
        }
        let mut running: Vec<_> = self
            .calls
            .iter()
            .filter_map(|(call, (instance, attempt))| {
                let WorkOrigin::Engine { job, since } = attempt.work.origin else { return None };
                let record = self.slots.get(instance).and_then(|slot| slot.record.as_ref());
                let found = record.and_then(|record| record.job(job));
                let is_timer = |(_, job): (_, &orloj_interpreter::Job)| {
                    matches!(job.kind, RecordJobKind::Timer { .. })
                };
                let is_timer = found.is_some_and(is_timer);
                Some(Running { what: *call, is_timer, since })
            })
            .collect();
        running.sort_by_key(|running| running.what);
        running
    }

    /// Gives up the jobs that have run for too long. Whatever their code still says is dropped.
    pub(super) fn check_hung(&mut self) {
        if !self.config.executor.longest_run.is_limited() {
            return;
        }
        let (running, page) = (self.running(), self.config.executor.hung_jobs_max);
        for call in self.hung.look(self.now, running).into_iter().take(page) {
            let Some((instance, attempt)) = self.calls.remove(&call) else { continue };
            let WorkOrigin::Engine { job, since } = attempt.work.origin else { continue };
            tracing::warn!(%job, %since, "a job has run for too long and is given up");
            self.metrics.hung.inc();
            self.actions.push(Action::AbortInvoke { call });
            self.remember_given_up(job, since);
            self.call_topics.remove(&call);
            self.call_over(instance);
            self.give_back(job);
            self.rest(instance);
        }
    }

    pub(super) fn watch_hung_anew(&mut self) {
        self.hung = HungWatch::new(self.config.executor.longest_run, self.now);
    }

    // ---- counting and telling

    /// Whether a failure is worth a line: with reduced logging only the last one is.
    pub(super) fn logs_failure(&self, retries_left: i32) -> bool {
        retries_left <= 0 || !self.config.settings.jobs.reduced_logging
    }

    fn log_failure(&self, failed: &JobFailure) {
        let JobFailure { job, element, message, retries_left } = failed;
        if self.logs_failure(*retries_left) {
            tracing::warn!(%message, %job, %element, retries_left, "a job failed");
        }
    }

    pub(super) fn count(&self, effects: &Effects, work: &Work) {
        if let Some(failed) = &effects.failed {
            self.log_failure(failed);
        }
        let (counts, meters) = (effects.counts, &self.metrics.meters);
        meters.add(Meter::JobExecutionRejected, effects.rejected);
        meters.add(Meter::JobLockedExclusive, effects.locked_exclusive);
        let is_start = matches!(work.command, Command::Start(_));
        meters.add(Meter::RootProcessInstanceStart, u64::from(is_start));
        meters.add(Meter::ActivityInstanceStart, counts.elements_entered);
        meters.add(Meter::ActivityInstanceEnd, counts.elements_left);
        meters.add(Meter::JobSuccessful, counts.jobs_completed);
        meters.add(Meter::JobFailed, counts.jobs_failed);
    }
}
