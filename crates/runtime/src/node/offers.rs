//! Jobs offered to the application's own executor, which decides when each begins, or that it does
//! not begin here.
//!
//! An offer counts as a job that runs, so that what lies there is bounded by the calls that may be
//! under way. What comes back for an offer that is no longer open is too late and means nothing:
//! the job was given back meanwhile, or belonged to an earlier life of this node.

use orloj_executor::{Meter, QueuedJob};
use orloj_types::{JobKey, Timestamp};
use rustc_hash::FxHashMap;

use super::Node;
use super::event::{Action, OfferId};

#[derive(Debug, Default)]
pub(crate) struct Offers {
    last: u64,
    open: FxHashMap<OfferId, QueuedJob>,
    /// Nothing is acquired before: an offer was rejected.
    pub resume_at: Timestamp,
}

impl Offers {
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// A new life begins: its locks are void.
    pub fn clear(&mut self) {
        self.open.clear();
    }

    fn take_all(&mut self) -> Vec<JobKey> {
        let mut jobs: Vec<JobKey> = self.open.drain().map(|(_, queued)| queued.job).collect();
        jobs.sort_unstable();
        jobs
    }
}

impl Node {
    pub(super) fn offer(&mut self, queued: QueuedJob) {
        self.offers.last += 1;
        let offer = OfferId(self.offers.last);
        self.beginning.insert(queued.job);
        self.offers.open.insert(offer, queued);
        self.actions.push(Action::Offer { offer, job: queued.job });
    }

    pub(super) fn offer_answered(&mut self, offer: OfferId, is_taken: bool) {
        let Some(queued) = self.offers.open.remove(&offer) else { return };
        self.beginning.remove(&queued.job);
        if is_taken && self.is_executing() {
            if self.heartbeat.is_trusted(self.now) {
                return self.begin(queued);
            }
            self.not_begun(queued.job);
            return self.queue.put_back(queued);
        }
        self.metrics.meters.add(Meter::JobExecutionRejected, u64::from(!is_taken));
        // Whoever has no room now has none in the next moment: others may take it first.
        let rest_ms = self.looking.cadence.rejected_ms();
        self.offers.resume_at = self.now.plus_ms(rest_ms);
        self.give_back(queued.job);
    }

    pub(super) fn give_back_offered(&mut self) {
        for job in self.offers.take_all() {
            self.beginning.remove(&job);
            self.give_back(job);
        }
    }
}
