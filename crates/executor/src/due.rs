use std::collections::BTreeSet;

use orloj_types::Timestamp;

/// How many moments are kept; later ones are forgotten, and the next heartbeat tells them again.
const MOMENTS_MAX: usize = 4_096;

/// The moments at which something of this node, or of another that told us, becomes due.
#[derive(Clone, Debug, Default)]
pub struct DueWatch {
    moments: BTreeSet<Timestamp>,
}

impl DueWatch {
    pub fn add(&mut self, at: Timestamp) {
        self.moments.insert(at);
        if self.moments.len() > MOMENTS_MAX {
            self.moments.pop_last();
        }
    }

    pub fn next(&self) -> Option<Timestamp> {
        self.moments.first().copied()
    }

    /// Forgets what is due at `now`; true if anything was.
    pub fn take_due(&mut self, now: Timestamp) -> bool {
        let mut any = false;
        while self.moments.first().is_some_and(|&at| at <= now) {
            self.moments.pop_first();
            any = true;
        }
        any
    }
}
