//! The engine's own jobs that a node has locked and will run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use orloj_types::{InstanceKey, JobKey};

use crate::order::Rank;

/// A job this node holds the lock of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct QueuedJob {
    // First, since jobs compare by it.
    pub rank: Rank,
    pub job: JobKey,
    pub instance: InstanceKey,
    /// The number of the lock; 0: not known.
    pub attempt: i32,
}

/// The engine's own jobs this node has locked, in the configured order.
///
/// Places are reserved before a job is inserted locked and taken when it has been committed, so
/// that what is locked always fits. When no place is left, jobs are inserted unlocked and
/// acquired later.
#[derive(Debug)]
pub struct JobQueue {
    jobs: BinaryHeap<Reverse<QueuedJob>>,
    reserved: usize,
    jobs_max: usize,
}

impl JobQueue {
    pub fn new(jobs_max: usize) -> Self {
        Self { jobs: BinaryHeap::new(), reserved: 0, jobs_max }
    }

    /// False: no place is left.
    pub fn reserve(&mut self) -> bool {
        let free = self.room() > 0;
        self.reserved += usize::from(free);
        free
    }

    /// Reserves places whether or not they are left: jobs that must go before those queued do not
    /// wait for room among them. The caller bounds how many.
    pub fn reserve_beyond(&mut self, places: usize) {
        self.reserved += places;
    }

    /// Puts a job on a place reserved for it.
    pub fn push_reserved(&mut self, job: QueuedJob) {
        self.release();
        self.jobs.push(Reverse(job));
    }

    /// Gives a reserved place back: the job was not committed after all.
    pub fn release(&mut self) {
        debug_assert!(self.reserved > 0, "a place was reserved");
        self.reserved = self.reserved.saturating_sub(1);
    }

    /// Puts a job back that was taken but could not be run now.
    pub fn put_back(&mut self, job: QueuedJob) {
        self.jobs.push(Reverse(job));
    }

    pub fn pop(&mut self) -> Option<QueuedJob> {
        self.jobs.pop().map(|Reverse(job)| job)
    }

    /// The job that goes next.
    pub fn peek(&self) -> Option<&QueuedJob> {
        self.jobs.peek().map(|Reverse(job)| job)
    }

    pub fn room(&self) -> usize {
        self.jobs_max.saturating_sub(self.taken())
    }

    /// Places taken, those reserved included.
    pub fn taken(&self) -> usize {
        self.jobs.len() + self.reserved
    }

    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Takes out all jobs, in order; places reserved for others stay so.
    pub fn drain(&mut self) -> Vec<QueuedJob> {
        let jobs = std::mem::take(&mut self.jobs);
        // Reversed jobs ascend from the last to the first.
        jobs.into_sorted_vec().into_iter().rev().map(|Reverse(job)| job).collect()
    }

    /// Forgets everything: the locks are gone.
    pub fn clear(&mut self) {
        self.jobs.clear();
        self.reserved = 0;
    }
}

#[cfg(test)]
mod tests {
    use orloj_store::{JobKind, Order};
    use orloj_types::Timestamp;
    use proptest::prelude::*;

    use super::*;

    fn job(n: i64, priority: i64) -> QueuedJob {
        let key = JobKey::new(n);
        let order = Order::default();
        let rank = Rank::new(order, priority, JobKind::AsyncBefore, Timestamp::ZERO, key);
        QueuedJob { rank, job: key, instance: InstanceKey::new(n), attempt: 1 }
    }

    #[test]
    fn reserved_places_count() {
        let mut queue = JobQueue::new(2);
        assert!(queue.reserve() && queue.reserve() && !queue.reserve());
        queue.push_reserved(job(1, 0));
        queue.release();
        assert_eq!(queue.room(), 1);
        assert_eq!(queue.pop(), Some(job(1, 0)));
        assert_eq!(queue.room(), 2);
        queue.reserve_beyond(5);
        assert_eq!(queue.room(), 0);
        for _ in 0..5 {
            queue.release();
        }
        assert_eq!(queue.room(), 2);
    }

    #[test]
    fn a_job_put_back_waits_behind_those_that_go_before_it() {
        let mut queue = JobQueue::new(8);
        queue.put_back(job(1, 0));
        let taken = queue.pop().expect("one is queued");
        queue.put_back(job(2, 9));
        queue.put_back(taken);
        assert_eq!(queue.peek(), Some(&job(2, 9)));
        assert_eq!(queue.drain(), [job(2, 9), job(1, 0)]);
        assert!(queue.is_empty());
    }

    proptest! {
        #[test]
        fn jobs_leave_in_order_and_never_exceed_their_places(
            jobs in proptest::collection::vec((0..50_i64, 0..5_i64), 0..60),
            jobs_max in 0..40_usize,
        ) {
            let mut queue = JobQueue::new(jobs_max);
            let mut taken = Vec::new();
            for (n, priority) in jobs {
                if queue.reserve() {
                    queue.push_reserved(job(n, priority));
                    taken.push(job(n, priority));
                }
                prop_assert!(queue.len() <= jobs_max);
            }
            taken.sort();
            let popped: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
            prop_assert_eq!(popped, taken);
            prop_assert_eq!(queue.room(), jobs_max);
        }
    }
}
