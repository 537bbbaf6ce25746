//! The engine's own jobs: continuations and timers that this node has locked and runs.

use std::sync::Arc;

use orloj_executor::QueuedJob;
use orloj_interpreter::Command;
use orloj_store::{Acquire, Error as StoreError, JobRow, Wanted};
use orloj_types::InstanceKey;

use super::answer::Question;
use super::event::{Action, Work, WorkOrigin};
use super::slot::Task;
use super::{Node, Phase, RETRY_MS, Ticket};

/// Jobs begun before the node looks up again: a lane that has become free must not wait for long.
const PUMP_JOBS_MAX: usize = 64;
/// Jobs asked for in one acquisition.
const ACQUIRE_JOBS_MAX: usize = 256;

impl Node {
    /// A job may be locked at its insertion only if this node would have acquired it next.
    pub(super) fn may_queue(&self) -> bool {
        self.config.executor && self.phase == Phase::Running && self.engine_backlog.is_empty()
    }

    /// Whether queued jobs could be begun now.
    pub(super) fn can_pump(&self) -> bool {
        self.config.executor
            && self.phase == Phase::Running
            && !self.queue.is_empty()
            && self.calls.len() < self.config.calls_max
            && self.heartbeat.is_trusted(self.now)
    }

    /// Starts queued jobs and asks for more.
    pub(super) fn pump(&mut self) {
        if !self.config.executor || self.phase != Phase::Running {
            return;
        }
        if !self.heartbeat.is_trusted(self.now) {
            return;
        }
        for _ in 0..PUMP_JOBS_MAX {
            if self.calls.len() >= self.config.calls_max {
                break;
            }
            let Some(QueuedJob { job, instance }) = self.queue.pop() else { break };
            let command = Command::RunJob { job };
            let origin = WorkOrigin::Engine { job, since: self.now };
            self.submit(instance, Task::Work(Box::new(Work { command, origin, claims: None })));
        }
        self.acquire_engine_jobs();
    }

    fn acquire_engine_jobs(&mut self) {
        let room = self.queue.room().min(ACQUIRE_JOBS_MAX);
        // Small bites of a long backlog would cost a statement each.
        let worthwhile = room == ACQUIRE_JOBS_MAX || self.queue.is_empty();
        if self.engine_acquiring
            || self.engine_backlog.is_empty()
            || room == 0
            || !worthwhile
            || self.now < self.retry_at
        {
            return;
        }
        for _ in 0..room {
            self.queue.reserve();
        }
        self.engine_acquiring = true;
        let mark = self.engine_backlog.mark();
        let ticket = self.ask(Question::EngineAcquire { mark, limit: room });
        let limit = u32::try_from(room).unwrap_or(u32::MAX);
        let acquire = Acquire { lease: self.lease, wanted: Wanted::Engine, limit, now: self.now };
        self.actions.push(Action::Acquire { ticket, acquire });
    }

    pub(super) fn acquired(&mut self, ticket: Ticket, result: Result<Vec<JobRow>, StoreError>) {
        match self.questions.remove(&ticket) {
            Some(Question::EngineAcquire { mark, limit }) => {
                self.engine_acquired(mark, limit, result);
            }
            Some(Question::WorkerAcquire { job_type, taker, mark, limit }) => {
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

    fn engine_acquired(
        &mut self,
        mark: u64,
        limit: usize,
        result: Result<Vec<JobRow>, StoreError>,
    ) {
        self.engine_acquiring = false;
        let jobs = match result {
            Ok(jobs) => jobs,
            Err(_) => {
                self.metrics.store_errors.inc();
                self.retry_at = self.now.plus_ms(RETRY_MS);
                for _ in 0..limit {
                    self.queue.release();
                }
                return;
            }
        };
        self.metrics.acquired.inc_by(jobs.len() as u64);
        self.engine_backlog.acquired(mark, jobs.len(), limit);
        for _ in jobs.len()..limit {
            self.queue.release();
        }
        for row in jobs {
            // Others may have worked on it since this node did.
            if let Some(slot) = self.slots.get_mut(&row.instance) {
                slot.known_at = orloj_types::Timestamp::ZERO;
            }
            self.held.insert(row.key);
            self.queue.push_reserved(QueuedJob { job: row.key, instance: row.instance });
        }
    }

    /// Jobs of a type are ready and nobody here has them: take them, or tell the others.
    pub(super) fn jobs_ready(&mut self, job_type: Arc<str>) {
        if job_type.is_empty() {
            self.engine_backlog.raise();
        } else if let Some(demand) = self.demands.get_mut(&job_type) {
            demand.backlog.raise();
        }
        if self.has_peers {
            self.notices.types.insert(job_type);
        }
    }

    /// Takes an engine job back that must not call foreign code now. False: it is no engine job.
    pub(super) fn put_back(&mut self, instance: InstanceKey, work: &Work) -> bool {
        let WorkOrigin::Engine { job, .. } = work.origin else { return false };
        self.queue.push_front(QueuedJob { job, instance });
        true
    }
}
