//! Jobs: locks given, moved and cleared outside of groups.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_store::format::encode_activation;
use orloj_store::{Acquire, Error, ExtendLock, Extended, JobRow, JobState, Lease, Order, Wanted};
use orloj_types::{InstanceKey, JobKey, Timestamp};

use super::Core;

impl Core {
    pub fn acquire(&mut self, acquire: &Acquire) -> Result<Vec<JobRow>, Error> {
        self.open()?;
        let session = acquire.lease.session;
        if !self.has_session(session) {
            return Err(Error::Fenced);
        }
        let order = match &acquire.wanted {
            Wanted::Engine(selection) => selection.order,
            Wanted::Worker { .. } => Order::default(),
        };
        let is_wanted = |job: &JobRow| match &acquire.wanted {
            Wanted::Engine(selection) => is_engine_job(job) && selection.takes(job),
            Wanted::Worker { job_type, .. } => {
                job.kind.is_for_workers() && job.job_type == *job_type
            }
        };
        let jobs = self.jobs.values().filter(|job| job.engine == self.engine);
        let held = match &acquire.wanted {
            Wanted::Engine(selection) => self.still_held(selection.over_hierarchies),
            Wanted::Worker { .. } => BTreeSet::new(),
        };
        let is_free = |job: &JobRow| match &acquire.wanted {
            Wanted::Engine(selection) if job.exclusive && !held.is_empty() => {
                !held.contains(&self.group_of(job, selection.over_hierarchies))
            }
            _ => true,
        };
        let wanted = jobs.filter(|job| is_acquirable(job) && is_wanted(job) && is_free(job));
        let mut keys: Vec<_> = wanted.map(|job| (job.place(order), job.key)).collect();
        keys.sort_unstable();
        let mut permits = self.permits(acquire.now);
        let mut taken = Vec::new();
        for (_, key) in keys {
            if taken.len() >= acquire.limit as usize {
                break;
            }
            let job = self.jobs.get_mut(&key).expect("found above");
            if !permits.take(job) {
                continue;
            }
            job.attempt += 1;
            match &acquire.wanted {
                Wanted::Engine(_) => job.lock_session = Some(session),
                Wanted::Worker { worker, until, .. } => {
                    job.lock_worker = Some(worker.clone());
                    job.lock_until = Some(*until);
                    job.activations.extend(encode_activation(worker, acquire.now));
                }
            }
            taken.push(job.clone());
            if let Wanted::Engine(_) = acquire.wanted {
                self.listed.insert(key);
            }
        }
        for row in permits.used() {
            self.limits.insert((row.scope, row.name.clone()), row.clone());
        }
        Ok(taken)
    }

    /// Instances, or outermost ones, of exclusive jobs that were stopped while they run.
    fn still_held(&self, over_hierarchies: bool) -> BTreeSet<InstanceKey> {
        let stopped = self.jobs.values().filter(|job| job.state != JobState::Ready);
        // Chores belong to no instance and exclude nothing.
        let of_instances =
            stopped.filter(|job| job.engine == self.engine && job.instance.raw() != 0);
        let held = of_instances.filter(|job| job.lock_session.is_some() && job.exclusive);
        held.map(|job| self.group_of(job, over_hierarchies)).collect()
    }

    fn group_of(&self, job: &JobRow, over_hierarchies: bool) -> InstanceKey {
        let instance = self.instances.get(&job.instance).filter(|_| over_hierarchies);
        instance.and_then(|row| row.root).unwrap_or(job.instance)
    }

    pub fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<JobRow>, Error> {
        self.due_of(now, limit, |_| true)
    }

    pub fn due_for_workers(&self, now: Timestamp, limit: u32) -> Result<Vec<JobRow>, Error> {
        self.due_of(now, limit, |job| job.kind.is_for_workers())
    }

    fn due_of(
        &self,
        now: Timestamp,
        limit: u32,
        which: impl Fn(&JobRow) -> bool,
    ) -> Result<Vec<JobRow>, Error> {
        self.open()?;
        let jobs = self.jobs.values().filter(|job| job.engine == self.engine && which(job));
        let waiting = jobs.filter(|job| job.state == JobState::Waiting);
        let due = waiting.filter(|job| job.due_at.is_some_and(|at| at <= now));
        let mut due: Vec<JobRow> = due.cloned().collect();
        due.sort_by_key(|job| (job.due_at, job.key));
        due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(due)
    }

    pub fn expire(&mut self, now: Timestamp) -> Result<Vec<Arc<str>>, Error> {
        self.open()?;
        let mut types = BTreeSet::new();
        for job in self.jobs.values_mut().filter(|job| job.engine == self.engine) {
            if job.lock_until.is_some_and(|until| until < now) {
                job.lock_worker = None;
                job.lock_until = None;
                types.insert(job.job_type.clone());
            }
        }
        Ok(types.into_iter().collect())
    }

    pub fn release(&mut self, lease: Lease, jobs: &[(JobKey, i32)]) -> Result<(), Error> {
        self.open()?;
        for (key, attempt) in jobs {
            let Some(job) = self.jobs.get_mut(key) else { continue };
            let is_ours = job.lock_session.is_none_or(|session| session == lease.session);
            if is_ours && job.attempt == *attempt {
                job.lock_session = None;
                job.lock_worker = None;
                job.lock_until = None;
            }
        }
        Ok(())
    }

    pub fn extend_lock(&mut self, extend: ExtendLock) -> Result<Extended, Error> {
        self.open()?;
        let Some(job) = self.jobs.get_mut(&extend.job) else { return Ok(Extended::NotFound) };
        if job.lock_until.is_none_or(|until| until < extend.now) {
            return Ok(Extended::NotLocked);
        }
        job.lock_until = Some(extend.until);
        Ok(Extended::Done)
    }
}

pub(super) fn is_engine_job(job: &JobRow) -> bool {
    !job.kind.is_for_workers() && job.job_type.is_empty()
}

pub(super) fn is_acquirable(job: &JobRow) -> bool {
    job.state == JobState::Ready && job.lock_session.is_none() && job.lock_until.is_none()
}
