//! The one place that reads the time.

#![expect(clippy::disallowed_methods, reason = "the clock of the drivers")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use orloj_types::Timestamp;

#[derive(Clone, Debug)]
pub(crate) enum Clock {
    System,
    /// Stands still until it is moved.
    Pinned(Arc<AtomicI64>),
}

impl Clock {
    pub fn pinned(at: Timestamp) -> Self {
        Self::Pinned(Arc::new(AtomicI64::new(at.as_ms())))
    }

    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
                Timestamp::from_ms(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            }
            Self::Pinned(ms) => Timestamp::from_ms(ms.load(Ordering::SeqCst)),
        }
    }

    /// False: this clock moves by itself.
    pub fn advance(&self, by: Duration) -> bool {
        match self {
            Self::System => false,
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
            Self::System => {
                let ms = at.ms_since(self.now()).max(0);
                Some(Duration::from_millis(ms.unsigned_abs()))
            }
            Self::Pinned(_) if at <= self.now() => Some(Duration::ZERO),
            Self::Pinned(_) => None,
        }
    }
}
