use std::collections::VecDeque;

use orloj_types::{InstanceKey, JobKey};

/// A job this node holds the lock of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedJob {
    pub job: JobKey,
    pub instance: InstanceKey,
}

/// The engine's own jobs this node has locked, in the order they became ready.
///
/// Places are reserved before a job is inserted locked and taken when it has been committed, so
/// that what is locked always fits. When no place is left, jobs are inserted unlocked and
/// acquired later.
#[derive(Debug)]
pub struct JobQueue {
    jobs: VecDeque<QueuedJob>,
    reserved: usize,
    jobs_max: usize,
}

impl JobQueue {
    pub fn new(jobs_max: usize) -> Self {
        Self { jobs: VecDeque::new(), reserved: 0, jobs_max }
    }

    /// False: no place is left.
    pub fn reserve(&mut self) -> bool {
        let free = self.room() > 0;
        self.reserved += usize::from(free);
        free
    }

    /// Puts a job on a place reserved for it.
    pub fn push_reserved(&mut self, job: QueuedJob) {
        self.release();
        self.jobs.push_back(job);
    }

    /// Gives a reserved place back: the job was not committed after all.
    pub fn release(&mut self) {
        debug_assert!(self.reserved > 0, "a place was reserved");
        self.reserved = self.reserved.saturating_sub(1);
    }

    /// Puts a job back that was taken but could not be run now.
    pub fn push_front(&mut self, job: QueuedJob) {
        self.jobs.push_front(job);
    }

    pub fn pop(&mut self) -> Option<QueuedJob> {
        self.jobs.pop_front()
    }

    pub fn room(&self) -> usize {
        self.jobs_max.saturating_sub(self.jobs.len() + self.reserved)
    }

    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Forgets everything: the locks are gone.
    pub fn clear(&mut self) {
        self.jobs.clear();
        self.reserved = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(n: i64) -> QueuedJob {
        QueuedJob { job: JobKey::new(n), instance: InstanceKey::new(n) }
    }

    #[test]
    fn reserved_places_count() {
        let mut queue = JobQueue::new(2);
        assert!(queue.reserve() && queue.reserve() && !queue.reserve());
        queue.push_reserved(job(1));
        queue.release();
        assert_eq!(queue.room(), 1);
        assert_eq!(queue.pop(), Some(job(1)));
        assert_eq!(queue.room(), 2);
    }
}
