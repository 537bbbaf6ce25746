//! Decides about failed jobs of the engine's own, instead of the model.

use std::time::Duration;

use orloj_types::{ElementId, Timestamp};

/// When a job that failed is tried again, if at all. It must give the same answer for the same
/// failure: a step that lost a race is interpreted again.
pub trait RetryPolicy: Send + Sync + 'static {
    /// How often a job is tried in all. The first failure sets it.
    fn tries(&self) -> u32 {
        3
    }

    /// What becomes of a job that has tries left, or of one whose last try this was: then waiting
    /// has no effect but on the due date it keeps.
    fn after(&self, failed: &FailedTry<'_>) -> Retry;
}

/// A try that failed.
#[derive(Clone, Copy, Debug)]
pub struct FailedTry<'a> {
    /// What the job calls: a delegate's name. Empty for pure continuations and timers.
    pub topic: &'a str,
    pub element: &'a ElementId,
    /// 1 for the first.
    pub attempt: u32,
    pub message: &'a str,
    pub now: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// So long from now; zero: at once.
    After(Duration),
    /// Another try would come to the same.
    GiveUp,
    /// As if there were no policy.
    AsModelled,
}

impl<F> RetryPolicy for F
where
    F: Fn(&FailedTry<'_>) -> Retry + Send + Sync + 'static,
{
    fn after(&self, failed: &FailedTry<'_>) -> Retry {
        self(failed)
    }
}

/// Waits that grow: `first`, then `factor` times as long, and so on up to `longest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowingWait {
    pub tries: u32,
    pub first: Duration,
    pub factor: f64,
    pub longest: Duration,
}

impl RetryPolicy for GrowingWait {
    fn tries(&self) -> u32 {
        self.tries
    }

    fn after(&self, failed: &FailedTry<'_>) -> Retry {
        let steps = i32::try_from(failed.attempt.saturating_sub(1)).unwrap_or(i32::MAX);
        let grown = self.first.as_secs_f64() * self.factor.powi(steps);
        let longest = self.longest.as_secs_f64();
        // A product that is no number, or below zero, is nothing to wait for.
        let wait = if grown.is_finite() { grown.clamp(0.0, longest) } else { longest };
        Retry::After(Duration::try_from_secs_f64(wait).unwrap_or(self.longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_the_longest() {
        let policy = GrowingWait {
            tries: 9,
            first: Duration::from_secs(2),
            factor: 3.0,
            longest: Duration::from_secs(20),
        };
        let element = ElementId::from("call");
        let after = |attempt| {
            let failed = FailedTry {
                topic: "",
                element: &element,
                attempt,
                message: "",
                now: Timestamp::ZERO,
            };
            policy.after(&failed)
        };
        let waits: Vec<Retry> = [1, 2, 3, 4, u32::MAX].map(after).into();
        let seconds = [2, 6, 18, 20, 20].map(|secs| Retry::After(Duration::from_secs(secs)));
        assert_eq!(waits, seconds);
    }
}
