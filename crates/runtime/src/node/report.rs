//! What a node's executor is doing, for people who ask.

use std::sync::Arc;

use orloj_executor::BreakerState;
use orloj_types::{InstanceKey, JobKey, Timestamp};

use super::Node;
use super::event::{Reply, RequestId, WorkOrigin};
use super::untaken::UntakenJobs;
use crate::api::Error;

/// Jobs given up that are remembered.
const GIVEN_UP_MAX: usize = 1_000;

/// Of one node, at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorReport {
    pub is_active: bool,
    /// Whether it takes ready jobs while it is active.
    pub takes_jobs: bool,
    /// Whether it makes timers ready that are due while it is active.
    pub fires_timers: bool,
    /// The version of the settings that this node goes by.
    pub settings_version: i64,
    /// Locked here and waiting for their turn.
    pub queued: usize,
    /// Calls of foreign code that are made or about to be, and how many may be at this moment.
    pub calls: usize,
    pub calls_max: usize,
    /// No more finds a place: what is ready stays in the store until something here ends.
    pub is_full: bool,
    /// Nothing is acquired before this moment.
    pub acquires_at: Option<Timestamp>,
    /// Those whose foreign code is at work, longest first.
    pub running: Vec<RunningJob>,
    /// Those given up because they ran for too long, latest last.
    pub given_up: Vec<GivenUp>,
    /// Those whose work cannot be done as it is, earliest first.
    pub set_aside: Vec<SetAside>,
    /// Circuit breakers that are not simply closed.
    pub breakers: Vec<BreakerReport>,
    /// Ready jobs that no live node takes.
    pub untaken: Vec<UntakenJobs>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningJob {
    pub job: JobKey,
    pub instance: InstanceKey,
    pub since: Timestamp,
}

/// A job that ran longer than one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenUp {
    pub job: JobKey,
    pub since: Timestamp,
    pub at: Timestamp,
}

/// A job that this node leaves alone until it starts anew: the interpreter panicked over it, or the
/// store refused its change. If it was locked it still is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    pub job: JobKey,
    pub at: Timestamp,
    pub error: Arc<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakerReport {
    pub topic: Arc<str>,
    /// Until then nothing is let through; `None`: one job may try, or is trying.
    pub open_until: Option<Timestamp>,
}

impl Node {
    pub(super) fn report(&mut self, id: RequestId) {
        let calls = self.calls.values();
        let running = calls.filter_map(|(instance, attempt)| match attempt.work.origin {
            WorkOrigin::Engine { job, since } => {
                Some(RunningJob { job, instance: *instance, since })
            }
            _ => None,
        });
        let mut running: Vec<RunningJob> = running.collect();
        running.sort_by_key(|running| (running.since, running.job));
        let breakers = self.breakers.states(self.now).map(|(topic, state)| BreakerReport {
            topic: topic.clone(),
            open_until: match state {
                BreakerState::Open(until) => Some(until),
                _ => None,
            },
        });
        let mut set_aside: Vec<SetAside> = self.set_aside.values().cloned().collect();
        set_aside.sort_by_key(|aside| (aside.at, aside.job));
        let report = ExecutorReport {
            is_active: self.config.executor.is_active,
            takes_jobs: self.config.executor.takes_jobs,
            fires_timers: self.config.executor.fires_timers,
            settings_version: self.known.version(),
            queued: self.queue.len(),
            calls: self.calls_at_work(),
            calls_max: self.calls_bound(),
            is_full: self.is_full(),
            acquires_at: self.acquires_at(),
            running,
            given_up: self.given_up.iter().copied().collect(),
            set_aside,
            breakers: breakers.collect(),
            untaken: self.untaken.jobs.clone(),
        };
        self.reply(id, Ok(Reply::Report(Box::new(report))));
    }

    pub(super) fn remember_set_aside(&mut self, job: JobKey, error: &Error) {
        let aside = SetAside { job, at: self.now, error: error.to_string().into() };
        self.set_aside.insert(job, aside);
    }

    pub(super) fn remember_given_up(&mut self, job: JobKey, since: Timestamp) {
        if self.given_up.len() >= GIVEN_UP_MAX {
            self.given_up.pop_front();
        }
        self.given_up.push_back(GivenUp { job, since, at: self.now });
    }
}
