//! The one place that reads the time.

#![expect(clippy::disallowed_methods, reason = "the clock of the drivers")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use orloj_types::Timestamp;

#[derive(Clone, Debug)]
pub(crate) enum Clock {
    /// The wall's, but never back: when the wall's clock is set back, time goes on from where it
    /// was, so that nothing waits for the wall to catch up.
    System(Arc<Steady>),
    /// Stands still until it is moved.
    Pinned(Arc<AtomicI64>),
}

/// How far the wall's clock has been ahead of the machine's own, at most.
#[derive(Debug)]
pub(crate) struct Steady {
    since: Instant,
    ahead_ms: AtomicI64,
}

impl Steady {
    fn now(&self) -> Timestamp {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let wall = i64::try_from(wall.as_millis()).unwrap_or(i64::MAX);
        let own = i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX);
        let before = self.ahead_ms.fetch_max(wall.saturating_sub(own), Ordering::Relaxed);
        Timestamp::from_ms(own.saturating_add(before.max(wall.saturating_sub(own))))
    }
}

impl Clock {
    pub fn system() -> Self {
        Self::System(Arc::new(Steady { since: Instant::now(), ahead_ms: AtomicI64::new(0) }))
    }

    pub fn pinned(at: Timestamp) -> Self {
        Self::Pinned(Arc::new(AtomicI64::new(at.as_ms())))
    }

    pub fn now(&self) -> Timestamp {
        match self {
            Self::System(steady) => steady.now(),
            Self::Pinned(ms) => Timestamp::from_ms(ms.load(Ordering::SeqCst)),
        }
    }

    /// False: this clock moves by itself.
    pub fn advance(&self, by: Duration) -> bool {
        match self {
            Self::System(_) => false,
            Self::Pinned(ms) => {
                let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
                ms.fetch_add(by, Ordering::SeqCst);
                true
            }
        }
    }

    /// How long to sleep until `at`. A pinned clock is never waited for: whoever moves it wakes
    /// the sleeper.
    pub fn until(&self, at: Timestamp) -> Option<Duration> {
        match self {
            Self::System(_) => {
                let ms = at.ms_since(self.now()).max(0);
                Some(Duration::from_millis(ms.unsigned_abs()))
            }
            Self::Pinned(_) if at <= self.now() => Some(Duration::ZERO),
            Self::Pinned(_) => None,
        }
    }
}
