//! Time: waiting jobs that become due, worker locks that run out.

use std::sync::Arc;

use orloj_interpreter::Command;
use orloj_store::{Error as StoreError, JobKind, JobRow};
use orloj_types::{JobKey, Timestamp};

use super::event::{Action, Work, WorkOrigin};
use super::slot::Task;
use super::{Node, Phase, RETRY_MS, Sabotage};

/// Due jobs taken in one look.
const DUE_JOBS_MAX: u32 = 256;
/// How long a node leaves a due job to the peer whose share it is.
const SHARE_MS: i64 = 1_000;

impl Node {
    pub(super) fn watch_due(&mut self, at: Timestamp) {
        self.due.add(at);
        if self.has_peers {
            let earliest = self.notices.due_at.map_or(at, |known| known.min(at));
            self.notices.due_at = Some(earliest);
        }
    }

    pub(super) fn watch_lock_end(&mut self, at: Timestamp) {
        // A lock has run out when its end lies before now. One moment is enough: what ends later
        // is told by the heartbeat after the earlier one was looked at, so that jobs which were
        // completed long before their locks' ends cost no statement each.
        let at = at.plus_ms(1);
        self.lock_end = Some(self.lock_end.map_or(at, |known| known.min(at)));
    }

    pub(super) fn check_due(&mut self) {
        if self.phase != Phase::Running {
            return;
        }
        if !self.expiring && self.lock_end.is_some_and(|at| at <= self.now) {
            self.lock_end = None;
            self.expiring = true;
            self.is_pulse_stale = true;
            self.actions.push(Action::Expire { now: self.now });
        }
        if self.finding_due {
            return;
        }
        let early = if self.sabotaged(Sabotage::FireEarly) { 60_000 } else { 0 };
        let now = self.now.plus_ms(early);
        // Due jobs count as waiting until their change is committed: look again only then.
        if self.due_jobs.is_empty() && self.due.take_due(now) {
            self.finding_due = true;
            self.is_pulse_stale = true;
            self.actions.push(Action::FindDue { now, limit: DUE_JOBS_MAX });
        }
    }

    pub(super) fn due_found(&mut self, result: Result<Vec<JobRow>, StoreError>) {
        self.finding_due = false;
        if self.phase != Phase::Running {
            // Asked before the lease was lost; the next life asks anew.
            return;
        }
        let jobs = match result {
            Ok(jobs) => jobs,
            Err(_) => {
                self.metrics.store_errors.inc();
                self.due.add(self.now.plus_ms(RETRY_MS));
                return;
            }
        };
        self.more_due = jobs.len() >= DUE_JOBS_MAX as usize;
        let mut left_to_peers = false;
        for row in jobs {
            // A worker's job comes back after its delay whether or not this node runs jobs.
            if !self.fires() && row.kind != JobKind::Worker {
                continue;
            }
            if self.set_aside.contains(&row.key) {
                continue;
            }
            if !self.is_mine(&row) {
                left_to_peers = true;
                continue;
            }
            if row.kind.is_chore() {
                if self.due_jobs.insert(row.key) {
                    self.chore_due(&row);
                }
                continue;
            }
            if self.due_jobs.insert(row.key) {
                let command = Command::JobDue { job: row.key };
                let origin = WorkOrigin::Due { job: row.key };
                self.submit(row.instance, Task::Work(Box::new(Work::new(command, origin))));
            }
        }
        // What stays due though nobody here fires it must not be looked for again and again.
        let is_idle = self.due_jobs.is_empty() && !left_to_peers;
        self.none_due_at = is_idle.then_some(self.now);
        if left_to_peers {
            self.due.add(self.now.plus_ms(SHARE_MS));
        }
        if self.fires() && self.more_due && self.due_jobs.is_empty() {
            self.due.add(self.now.plus_ms(RETRY_MS));
        }
    }

    /// Whether this node makes what is due ready.
    fn fires(&self) -> bool {
        self.config.executor.is_active && self.config.executor.fires_timers
    }

    /// Every node may fire every timer; to keep them out of each other's way each has a share, and
    /// takes another's only when that one is late.
    fn is_mine(&self, row: &JobRow) -> bool {
        let key = if row.kind.is_chore() { row.key.raw() } else { row.instance.raw() };
        let late = row.due_at.is_none_or(|at| self.now.ms_since(at) >= SHARE_MS);
        if !self.has_peers || late {
            return true;
        }
        let place = self.sessions.iter().position(|s| *s == self.lease.session).unwrap_or(0);
        let count = self.sessions.len().max(1) as i64;
        (key % count) as usize == place
    }

    /// A due job's change is committed, or there was nothing to do.
    pub(super) fn due_done(&mut self, job: JobKey) {
        self.due_jobs.remove(&job);
        if self.due_jobs.is_empty() && std::mem::take(&mut self.more_due) {
            self.due.add(self.now);
        }
    }

    pub(super) fn expired(&mut self, result: Result<Vec<Arc<str>>, StoreError>) {
        self.expiring = false;
        match result {
            Ok(types) => {
                self.metrics.locks_expired.inc_by(types.len() as u64);
                if self.known.has_limits() && !types.is_empty() {
                    self.tell_slots_freed();
                }
                for job_type in types {
                    self.jobs_ready(job_type);
                }
            }
            Err(_) => {
                self.metrics.store_errors.inc();
                self.watch_lock_end(self.now.plus_ms(RETRY_MS));
            }
        }
    }
}
