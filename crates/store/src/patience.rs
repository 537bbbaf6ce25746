//! Waiting awake for what usually comes within a moment.
//!
//! Putting a thread to sleep and waking it costs about as much as a commit to a fast disk. Where
//! two threads hand one piece of work to and fro, each waits awake for the other as long as the
//! other has been quick, and sleeps as soon as it has not. It stands here because both ends of
//! that hand-over, the engine's driver and an embedded store, know this crate.

#![expect(clippy::disallowed_methods, reason = "it is about real time, and only drivers use it")]

use std::time::{Duration, Instant};

/// Longer waits are slept through.
const AWAKE_MAX: Duration = Duration::from_micros(250);
/// How long a wait may count: a pause of hours is forgotten after a few quick turns.
const COUNTED_MAX: Duration = Duration::from_micros(1_000);

/// What one waiting thread knows about its waits.
#[derive(Debug)]
pub struct Patience {
    usual: Duration,
    /// On a single core nobody else gets on while a thread waits awake.
    has_cores: bool,
}

impl Default for Patience {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self { usual: COUNTED_MAX, has_cores: cores > 1 }
    }
}

impl Patience {
    /// How long to wait awake from now on, if that is worth it.
    pub fn awake_until(&self) -> Option<Instant> {
        (self.has_cores && self.usual <= AWAKE_MAX).then(|| Instant::now() + AWAKE_MAX)
    }

    /// Tells when a wait that is over had begun, asleep or awake.
    pub fn waited_since(&mut self, begun: Option<Instant>) {
        if let Some(begun) = begun {
            self.waited(begun.elapsed());
        }
    }

    fn waited(&mut self, wait: Duration) {
        self.usual = (self.usual + wait.min(COUNTED_MAX)) / 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_quick_turns_make_patient_and_slow_ones_impatient() {
        let mut patience = Patience { usual: COUNTED_MAX, has_cores: true };
        assert_eq!(patience.awake_until(), None);
        for _ in 0..4 {
            patience.waited(Duration::from_micros(80));
        }
        assert!(patience.awake_until().is_some());
        for _ in 0..2 {
            patience.waited(Duration::from_secs(3_600));
        }
        assert_eq!(patience.awake_until(), None);
    }

    #[test]
    fn nobody_waits_awake_on_a_single_core() {
        let patience = Patience { usual: Duration::ZERO, has_cores: false };
        assert_eq!(patience.awake_until(), None);
    }
}
