//! What becomes of a locked job that the pool has no place for.

use std::collections::VecDeque;

use crate::queue::QueuedJob;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RejectionRule {
    /// It stays locked and is offered again before anything new, as in Camunda.
    Keep,
    /// It is unlocked, for any node to take, as in Flowable.
    #[default]
    Unlock,
    /// Whoever offered it runs it.
    CallerRuns,
}

/// What to do with a rejected job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// Nothing: it is offered again by [`Rejections::again`].
    Kept,
    Unlock(QueuedJob),
    Run(QueuedJob),
}

/// The rejected jobs of one executor.
#[derive(Clone, Debug)]
pub struct Rejections {
    rule: RejectionRule,
    kept: VecDeque<QueuedJob>,
    kept_max: usize,
    /// Of all cycles; a job that is rejected again counts again.
    count: u64,
}

impl Rejections {
    /// `kept_max`: beyond it jobs are unlocked whatever the rule, so that what is held is bounded.
    pub fn new(rule: RejectionRule, kept_max: usize) -> Self {
        Self { rule, kept: VecDeque::new(), kept_max, count: 0 }
    }

    pub fn rejected(&mut self, job: QueuedJob) -> Rejected {
        self.count += 1;
        match self.rule {
            RejectionRule::CallerRuns => Rejected::Run(job),
            RejectionRule::Keep if self.kept.len() < self.kept_max => {
                self.kept.push_back(job);
                Rejected::Kept
            }
            RejectionRule::Keep | RejectionRule::Unlock => Rejected::Unlock(job),
        }
    }

    /// A cycle begins: those kept, oldest rejection first, to be offered before anything new.
    pub fn again(&mut self) -> VecDeque<QueuedJob> {
        std::mem::take(&mut self.kept)
    }

    /// How many are kept: the next page is smaller by as many.
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn rule(&self) -> RejectionRule {
        self.rule
    }
}

#[cfg(test)]
mod tests {
    use orloj_types::{InstanceKey, JobKey};

    use super::*;
    use crate::order::Rank;

    fn job(n: i64) -> QueuedJob {
        let (job, instance) = (JobKey::new(n), InstanceKey::new(n));
        QueuedJob { rank: Rank::FIRST, job, instance, attempt: 1 }
    }

    #[test]
    fn kept_jobs_come_again_in_order_and_count_each_time() {
        let mut rejections = Rejections::new(RejectionRule::Keep, 2);
        assert_eq!(rejections.rejected(job(1)), Rejected::Kept);
        assert_eq!(rejections.rejected(job(2)), Rejected::Kept);
        assert_eq!(rejections.rejected(job(3)), Rejected::Unlock(job(3)), "no more are held");
        assert_eq!(rejections.kept(), 2);
        assert_eq!(rejections.again(), [job(1), job(2)]);
        assert_eq!(rejections.kept(), 0);
        assert_eq!(rejections.rejected(job(1)), Rejected::Kept);
        assert_eq!(rejections.count(), 4);
    }

    #[test]
    fn the_other_rules_hold_nothing() {
        let mut unlocked = Rejections::new(RejectionRule::Unlock, 10);
        assert_eq!(unlocked.rejected(job(1)), Rejected::Unlock(job(1)));
        let mut run = Rejections::new(RejectionRule::CallerRuns, 10);
        assert_eq!(run.rejected(job(1)), Rejected::Run(job(1)));
        assert_eq!((unlocked.kept(), run.kept()), (0, 0));
        assert_eq!((unlocked.count(), run.count()), (1, 1));
    }
}
