//! Workers: streams and polls that wait for jobs of a type.

use std::sync::Arc;

use orloj_executor::{BreakerState, Taker, TakerId, TakerKind};
use orloj_interpreter::Activation;
use orloj_store::{Acquire, Error as StoreError, JobRow, Wanted};
use orloj_types::{InstanceKey, JobKey};

use super::answer::{KnownJob, PollState, Question};
use super::event::{Action, Reply, RequestId};
use super::finding::store_error;
use super::handed::activated_job;
use super::slot::Task;
use super::{Node, Phase, RETRY_MS};
use crate::api::{ActivateJobs, ActivatedJob, LongPoll, StreamJobs};
use crate::codec;

/// Jobs acquired for one taker at a time; a poll for more is served in several rounds.
const ACQUIRE_JOBS_MAX: u32 = 256;
/// A type with demand is looked at again after so long without a look: notices may be lost.
const PROBE_MS: i64 = 10_000;
/// Types remembered though nobody waits for their jobs.
const DEMANDS_MAX: usize = 1_024;

/// What a breaker learns from a worker.
#[derive(Debug)]
pub(crate) struct WorkerAnswer {
    pub job_type: Arc<str>,
    pub is_failed: bool,
}

impl Node {
    pub(super) fn activate(&mut self, id: RequestId, activate: ActivateJobs) {
        let taker = TakerId(self.next_taker);
        self.next_taker += 1;
        let until = match activate.long_poll {
            // It goes with the first look at the store; this is only the latest moment.
            LongPoll::No => self.now.plus_ms(PROBE_MS),
            LongPoll::UpToMs(ms) => self.now.plus_ms(ms),
        };
        let state = PollState {
            id,
            jobs: Vec::new(),
            bytes: 0,
            bytes_max: activate.bytes_max,
            expected: 0,
            at_once: activate.long_poll == LongPoll::No,
        };
        self.polls.insert(taker, state);
        self.add_taker(
            activate.job_type,
            Taker {
                id: taker,
                kind: TakerKind::Poll { until },
                worker: activate.worker,
                lock_ms: activate.timeout_ms,
                fetch: activate.fetch_variables.into(),
                credit: activate.jobs_max,
            },
        );
    }

    pub(super) fn stream_opened(&mut self, id: TakerId, stream: StreamJobs) {
        if self.phase != Phase::Running && self.phase != Phase::Joining {
            self.actions.push(Action::CloseStream { stream: id });
            return;
        }
        self.metrics.streams.inc();
        self.add_taker(
            stream.job_type,
            Taker {
                id,
                kind: TakerKind::Stream,
                worker: stream.worker,
                lock_ms: stream.timeout_ms,
                fetch: stream.fetch_variables.into(),
                credit: stream.credit,
            },
        );
    }

    fn add_taker(&mut self, job_type: Arc<str>, taker: Taker) {
        self.taker_types.insert(taker.id, job_type.clone());
        let demand = self.demands.entry(job_type).or_default();
        if self.config.is_shared {
            // Another node's job may be there without our knowing.
            demand.backlog.raise();
        }
        demand.add(taker);
    }

    pub(super) fn stream_closed(&mut self, id: TakerId) {
        if self.remove_taker(id) {
            self.metrics.streams.dec();
        }
    }

    fn remove_taker(&mut self, id: TakerId) -> bool {
        let Some(job_type) = self.taker_types.remove(&id) else { return false };
        if let Some(demand) = self.demands.get_mut(&job_type) {
            demand.remove(id);
        }
        if self.demands.len() > DEMANDS_MAX {
            // What is known of a type nobody waits for is learned again with the next poll.
            self.demands.retain(|_, demand| !demand.is_empty() || demand.acquiring.is_some());
        }
        true
    }

    pub(super) fn return_credit(&mut self, id: TakerId, jobs: u32) {
        let Some(job_type) = self.taker_types.get(&id) else { return };
        if let Some(taker) = self.demands.get_mut(job_type).and_then(|d| d.get_mut(id)) {
            taker.credit += jobs;
        }
    }

    pub(super) fn poll_dropped(&mut self, id: RequestId) {
        let gone = self.polls.iter().find(|(_, poll)| poll.id == id).map(|(taker, _)| *taker);
        if let Some(taker) = gone {
            self.remove_taker(taker);
            if let Some(poll) = self.polls.remove(&taker) {
                self.release(poll.jobs.iter().map(|job| (job.key, job.attempt)).collect());
            }
        }
    }

    /// Asks the store for every type that has demand and may have a backlog.
    pub(super) fn serve_all(&mut self) {
        if self.phase != Phase::Running || self.now < self.retry_at {
            return;
        }
        let mut wanted = Vec::new();
        for (job_type, demand) in &mut self.demands {
            if demand.acquiring.is_some() || demand.is_empty() {
                continue;
            }
            let breaker = self.breakers.state(job_type, self.now);
            if is_shut(breaker) {
                continue;
            }
            if self.now.ms_since(demand.asked_at) >= PROBE_MS {
                demand.backlog.raise();
            }
            if demand.backlog.is_empty() {
                continue;
            }
            let Some(taker) = demand.next() else { continue };
            let until = self.now.plus_ms(taker.lock_ms);
            self.breakers.begin_until(job_type, self.now, until);
            let limit = match breaker {
                BreakerState::HalfOpen => 1,
                _ => taker.credit.min(ACQUIRE_JOBS_MAX),
            };
            let wants =
                Wanted::Worker { job_type: job_type.clone(), worker: taker.worker.clone(), until };
            let (id, mark) = (taker.id, demand.backlog.mark());
            demand.acquiring = Some(id);
            demand.asked_at = self.now;
            wanted.push((job_type.clone(), id, mark, limit, wants));
        }
        for (job_type, taker, mark, limit, wanted) in wanted {
            let settings = self.known.version();
            let limit_asked = limit as usize;
            let question =
                Question::WorkerAcquire { job_type, taker, mark, limit: limit_asked, settings };
            let ticket = self.ask(question);
            let acquire = Acquire { lease: self.lease, wanted, limit, now: self.now };
            self.actions.push(Action::Acquire { ticket, acquire });
        }
        self.answer_hopeless_polls();
    }

    /// Polls that do not wait are answered as soon as it is known that there is nothing.
    fn answer_hopeless_polls(&mut self) {
        let hopeless: Vec<TakerId> = self
            .polls
            .iter()
            .filter(|(id, poll)| {
                let demand = self.taker_types.get(id).and_then(|t| self.demands.get(t));
                let job_type = self.taker_types.get(id);
                let is_spared = job_type
                    .is_some_and(|job_type| is_shut(self.breakers.state(job_type, self.now)));
                poll.at_once
                    && poll.expected == 0
                    && poll.jobs.is_empty()
                    && demand.is_none_or(|d| {
                        (d.backlog.is_empty() || is_spared) && d.acquiring != Some(**id)
                    })
            })
            .map(|(id, _)| *id)
            .collect();
        for taker in hopeless {
            self.answer_poll(taker);
        }
    }

    pub(super) fn worker_acquired(
        &mut self,
        job_type: Arc<str>,
        taker: TakerId,
        mark: u64,
        limit: usize,
        result: Result<Vec<JobRow>, StoreError>,
    ) {
        let Some(demand) = self.demands.get_mut(&job_type) else { return };
        demand.acquiring = None;
        let jobs = match result {
            Ok(jobs) => jobs,
            Err(error) => {
                self.metrics.store_errors.inc();
                self.retry_at = self.now.plus_ms(RETRY_MS);
                self.breakers.dropped(&job_type, self.now);
                if self.polls.get(&taker).is_some_and(|poll| poll.at_once) {
                    self.fail_poll(taker, &error);
                }
                return;
            }
        };
        demand.backlog.acquired(mark, jobs.len(), limit);
        match jobs.is_empty() {
            true => {
                self.rate_in_vain(&job_type);
                self.breakers.dropped(&job_type, self.now);
            }
            false => self.rate_holds_up(&job_type),
        }
        let Some(demand) = self.demands.get_mut(&job_type) else { return };
        let is_there = demand.get_mut(taker).is_some();
        if !is_there {
            return self.release_of(&job_type, jobs.iter().map(|job| (job.key, job.attempt)));
        }
        if let Some(waiting) = demand.get_mut(taker) {
            waiting.credit = waiting.credit.saturating_sub(jobs.len() as u32);
        }
        if let Some(poll) = self.polls.get_mut(&taker) {
            poll.expected += jobs.len();
            // Whatever a round gave, a poll that does not wait goes with it.
            if jobs.is_empty() && poll.at_once {
                return self.answer_poll(taker);
            }
        }
        self.metrics.acquired.inc_by(jobs.len() as u64);
        for row in jobs {
            if let Some(until) = row.lock_until {
                self.watch_lock_end(until);
            }
            self.submit(row.instance, Task::Deliver { taker, row: Box::new(row) });
        }
    }

    /// Hands an acquired job to its taker, now that its instance's state is there.
    pub(super) fn deliver(&mut self, instance: InstanceKey, taker: TakerId, row: Box<JobRow>) {
        let Some(slot) = self.slots.get_mut(&instance) else { return };
        // A large instance is read again only where somebody else may have changed it: with every
        // batch of its jobs that would cost the square of their number.
        let is_in_doubt = self.config.is_shared && (self.has_peers || !slot.is_large());
        if is_in_doubt && !slot.fresh && slot.record.is_some() {
            // Whoever had the job before may have worked through another node.
            return slot.verify_before(Task::Deliver { taker, row });
        }
        let found = slot.record.as_ref().and_then(|record| {
            let (element, job) = record.job(row.key)?;
            Some(orloj_interpreter::JobRow {
                job: job.clone(),
                element: element.element.clone(),
                element_instance: element.key,
                topic: row.topic.clone(),
                failure: None,
            })
        });
        let Some(job) = found else {
            // Its row goes with the change that ended it.
            self.return_credit(taker, 1);
            return self.expect_one_less(taker);
        };
        let (Some(record), Some(definition)) = (&slot.record, &slot.definition) else { return };
        let job_type = self.taker_types.get(&taker);
        let waiting = job_type.and_then(|t| self.demands.get_mut(t)).and_then(|d| d.get_mut(taker));
        let Some(waiting) = waiting else {
            return self.undeliverable(taker, &row);
        };
        let deadline = row.lock_until.unwrap_or(self.now);
        let activated = activated_job(&job, row.attempt, record, definition, waiting, deadline);
        self.hand(taker, Box::new(activated), codec::activations(&row));
        self.expect_one_less(taker);
    }

    /// Gives a job that is locked for a taker to it.
    pub(super) fn hand(
        &mut self,
        taker: TakerId,
        job: Box<ActivatedJob>,
        activations: Vec<Activation>,
    ) {
        let (instance, job_type) = (job.instance, job.job_type.clone());
        let known = KnownJob { instance, job_type, activations };
        self.watch_lock_end(job.deadline);
        if let Some(poll) = self.polls.get_mut(&taker) {
            let is_full =
                !poll.jobs.is_empty() && poll.bytes + job.variables.len() > poll.bytes_max;
            if is_full {
                return self.release_of(&known.job_type, [(job.key, job.attempt)]);
            }
            self.known_jobs.insert(job.key, known);
            poll.bytes += job.variables.len();
            poll.jobs.push(*job);
            self.served_polls.push(taker);
            self.metrics.worker_jobs_activated.inc();
        } else if self.taker_types.contains_key(&taker) {
            self.known_jobs.insert(job.key, known);
            self.actions.push(Action::Push { stream: taker, job });
            self.metrics.worker_jobs_activated.inc();
        } else {
            self.release_of(&known.job_type, [(job.key, job.attempt)]);
        }
    }

    pub(super) fn undeliverable(&mut self, taker: TakerId, row: &JobRow) {
        self.release_of(&row.job_type, [(row.key, row.attempt)]);
        self.return_credit(taker, 1);
        self.expect_one_less(taker);
    }

    fn expect_one_less(&mut self, taker: TakerId) {
        let Some(poll) = self.polls.get_mut(&taker) else { return };
        poll.expected = poll.expected.saturating_sub(1);
        if poll.expected == 0 {
            self.served_polls.push(taker);
            self.answer_served_polls();
        }
    }

    /// Polls that got jobs go with what they have, once nothing more is expected.
    pub(super) fn answer_served_polls(&mut self) {
        for taker in std::mem::take(&mut self.served_polls) {
            let is_done = self
                .polls
                .get(&taker)
                .is_some_and(|p| p.expected == 0 && (!p.jobs.is_empty() || p.at_once));
            if is_done {
                self.answer_poll(taker);
            }
        }
    }

    fn fail_poll(&mut self, taker: TakerId, error: &StoreError) {
        self.remove_taker(taker);
        if let Some(poll) = self.polls.remove(&taker) {
            self.reply(poll.id, Err(store_error(error)));
        }
    }

    pub(super) fn answer_poll(&mut self, taker: TakerId) {
        self.remove_taker(taker);
        if let Some(poll) = self.polls.remove(&taker) {
            self.reply(poll.id, Ok(Reply::Jobs(poll.jobs)));
        }
    }

    /// Ends the polls whose time is up.
    pub(super) fn end_polls(&mut self) {
        let mut over = Vec::new();
        for demand in self.demands.values_mut() {
            let acquiring = demand.acquiring;
            if demand.next_deadline().is_none_or(|at| at > self.now) {
                continue;
            }
            for taker in demand.take_expired(self.now) {
                // One that jobs are on their way for stays until they are there.
                let expects = self.polls.get(&taker.id).is_some_and(|poll| poll.expected > 0);
                if acquiring == Some(taker.id) || expects {
                    let until = self.now.plus_ms(RETRY_MS);
                    demand.add(Taker { kind: TakerKind::Poll { until }, ..taker });
                } else {
                    over.push(taker.id);
                }
            }
        }
        for taker in over {
            self.answer_poll(taker);
        }
    }

    /// A worker has answered; `is_failed`: with a failure. A type whose workers fail all the time
    /// is left alone for a while, as code is that the engine calls itself.
    pub(super) fn worker_answered(&mut self, answer: WorkerAnswer) {
        let WorkerAnswer { job_type, is_failed } = answer;
        let was_closed = self.breakers.state(&job_type, self.now) == BreakerState::Closed;
        self.judge(&job_type, is_failed);
        // What an open one kept back is to be looked for now.
        if !was_closed && let Some(demand) = self.demands.get_mut(&job_type) {
            demand.backlog.raise();
        }
    }

    /// Makes jobs ready again that did not reach their worker.
    pub(super) fn release(&mut self, jobs: Vec<(JobKey, i32)>) {
        for (job, attempt) in jobs {
            match self.known_jobs.get(job).map(|known| known.job_type.clone()) {
                Some(job_type) => self.release_of(&job_type, [(job, attempt)]),
                None => self.to_release.push((job, attempt)),
            }
        }
    }

    fn release_of(&mut self, job_type: &Arc<str>, jobs: impl IntoIterator<Item = (JobKey, i32)>) {
        for (job, attempt) in jobs {
            self.known_jobs.remove(job);
            if self.breakers.is_on() {
                self.releasing.insert(job, job_type.clone());
            }
            self.to_release.push((job, attempt));
        }
    }

    /// What was given back since the last flush goes in one statement.
    pub(super) fn send_releases(&mut self) {
        if !self.to_release.is_empty() {
            let jobs = std::mem::take(&mut self.to_release);
            self.actions.push(Action::Release { lease: self.lease, jobs });
        }
    }
}

/// Whether a breaker lets nothing through at the moment.
pub(super) fn is_shut(state: BreakerState) -> bool {
    matches!(state, BreakerState::Open(_) | BreakerState::Trying)
}
