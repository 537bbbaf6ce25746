//! Locks, and who may take them away.

use std::collections::BTreeMap;

use orloj::ActivatedJob;
use orloj_types::InstanceKey;

use super::{Checker, Violation};
use crate::sim::Plan;
use crate::sim_store::Core;

impl Checker {
    pub fn locks(&mut self, store: &Core) -> Result<(), Violation> {
        self.limits(store)?;
        let mut held: BTreeMap<InstanceKey, orloj_types::JobKey> = BTreeMap::new();
        for job in store.jobs.values() {
            let Some(session) = job.lock_session else { continue };
            if !store.has_session(session) {
                let message =
                    format!("job {} is locked by session {session}, which is gone", job.key);
                return Err(Violation::new("I1", message));
            }
            let is_below = store.lock_floor(session).is_some_and(|floor| job.key < floor);
            if is_below && !store.listed.contains(&job.key) {
                let message = format!(
                    "session {session} says that it holds nothing as old as job {}, but it does",
                    job.key
                );
                return Err(Violation::new("I1", message));
            }
            if !job.exclusive || job.kind.is_chore() {
                continue;
            }
            if let Some(other) = held.insert(job.instance, job.key) {
                let message = format!(
                    "exclusive jobs {other} and {} of instance {} are locked at once",
                    job.key, job.instance
                );
                return Err(Violation::new("I5", message));
            }
        }
        Ok(())
    }

    /// A session gave a sign of life.
    pub fn beaten(&mut self, session: i64, now_us: i64) {
        self.beats.insert(session, now_us);
    }

    pub fn jumped(&mut self, node: usize, now_us: i64) {
        self.jumps.insert(node, now_us);
    }

    /// A node took the lease of another: that one must have been silent for the whole time-out. A
    /// clock that was set in between may swallow a part of the wait, but not all of it.
    pub fn fenced(
        &self,
        plan: &Plan,
        by: usize,
        session: i64,
        now_us: i64,
    ) -> Result<(), Violation> {
        let last_us = self.beats.get(&session).copied().unwrap_or(0);
        let silent_ms = (now_us - last_us) / 1_000;
        let timeout_ms = plan.config.heartbeat_timeout_ms;
        let was_set = self.jumps.get(&by).is_some_and(|at| *at >= last_us);
        let least_ms = if was_set { timeout_ms / 2 } else { timeout_ms - 1 };
        if silent_ms < least_ms {
            let message = format!("session {session} was fenced after {silent_ms} ms of silence");
            return Err(Violation::new("I3", message));
        }
        Ok(())
    }

    /// A job goes to a worker: once for each lock, and only if the lock was given.
    pub fn delivered(&mut self, store: &Core, job: &ActivatedJob) -> Result<(), Violation> {
        if !self.delivered.insert((job.key, job.attempt)) {
            let message = format!("job {} goes out twice under lock {}", job.key, job.attempt);
            return Err(Violation::new("I5", message));
        }
        let Some(row) = store.jobs.get(&job.key) else { return Ok(()) };
        let is_held = row.lock_worker.as_ref() == Some(&job.worker);
        // It may have run out, or been taken back, on its way.
        let is_over = row.lock_worker.is_none() && row.attempt == job.attempt;
        if row.attempt < job.attempt || (row.attempt == job.attempt && !is_held && !is_over) {
            let message = format!(
                "job {} goes to {} under lock {}, but the store says {} {:?}",
                job.key, job.worker, job.attempt, row.attempt, row.lock_worker
            );
            return Err(Violation::new("I5", message));
        }
        Ok(())
    }
}
