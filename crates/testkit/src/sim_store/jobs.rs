//! Jobs: locks given, moved and cleared outside of groups.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_store::format::encode_activation;
use orloj_store::{Acquire, Error, ExtendLock, Extended, JobRow, JobState, Lease, Wanted};
use orloj_types::{JobKey, Timestamp};

use super::Core;

impl Core {
    pub fn acquire(&mut self, acquire: &Acquire) -> Result<Vec<JobRow>, Error> {
        self.open()?;
        let session = acquire.lease.session;
        if !self.has_session(session) {
            return Err(Error::Fenced);
        }
        let is_wanted = |job: &&JobRow| match &acquire.wanted {
            Wanted::Engine => is_engine_job(job),
            Wanted::Worker { job_type, .. } => {
                job.kind.is_for_workers() && job.job_type == *job_type
            }
        };
        let jobs = self.jobs.values().filter(|job| job.engine == self.engine);
        let wanted = jobs.filter(|job| is_acquirable(job)).filter(is_wanted);
        let mut keys: Vec<_> = wanted.map(|job| (Reverse(job.priority), job.key)).collect();
        keys.sort_unstable();
        keys.truncate(usize::try_from(acquire.limit).unwrap_or(usize::MAX));
        let mut taken = Vec::with_capacity(keys.len());
        for (_, key) in keys {
            let job = self.jobs.get_mut(&key).expect("found above");
            job.attempt += 1;
            match &acquire.wanted {
                Wanted::Engine => job.lock_session = Some(session),
                Wanted::Worker { worker, until, .. } => {
                    job.lock_worker = Some(worker.clone());
                    job.lock_until = Some(*until);
                    job.activations.extend(encode_activation(worker, acquire.now));
                }
            }
            taken.push(job.clone());
            if let Wanted::Engine = acquire.wanted {
                self.lower_floor(session, key);
            }
        }
        Ok(taken)
    }

    pub fn due(&self, now: Timestamp, limit: u32) -> Result<Vec<JobRow>, Error> {
        self.open()?;
        let jobs = self.jobs.values().filter(|job| job.engine == self.engine);
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
