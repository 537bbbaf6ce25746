//! The one place that reads the time.

#![expect(clippy::disallowed_methods, reason = "the clock of the drivers")]

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use orloj_types::Timestamp;

/// The time an engine goes by. Clones show the same time: engines of one application, or of one
/// test, may share a pinned one.
///
/// ```
/// use std::time::Duration;
/// use orloj::Clock;
/// use orloj::types::Timestamp;
///
/// let clock = Clock::pinned(Timestamp::from_ms(1_000));
/// assert!(clock.advance(Duration::from_secs(1)));
/// assert_eq!(clock.now(), Timestamp::from_ms(2_000));
/// assert!(!Clock::system().advance(Duration::from_secs(1)));
/// ```
#[derive(Clone, Debug)]
pub struct Clock(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// The wall's, but never back: when the wall's clock is set back, time goes on from where it
    /// was, so that nothing waits for the wall to catch up.
    System(Arc<Steady>),
    /// Stands still until it is moved.
    Pinned(Arc<Pinned>),
}

struct Pinned {
    ms: AtomicI64,
    /// Called when it has been moved. False: nobody sleeps by it any more.
    sleepers: Mutex<Vec<Wake>>,
}

type Wake = Box<dyn Fn() -> bool + Send + Sync>;

impl fmt::Debug for Pinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pinned").field(&self.ms).finish()
    }
}

/// How far the wall's clock has been ahead of the machine's own, at most.
#[derive(Debug)]
struct Steady {
    since: Instant,
    ahead_ms: AtomicI64,
}

impl Steady {
    fn now(&self) -> Timestamp {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let wall = i64::try_from(wall.as_millis()).unwrap_or(i64::MAX);
        let own = i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX);
        let ahead = wall.saturating_sub(own);
        let known = self.ahead_ms.load(Ordering::Relaxed);
        // Read for every step, raised nearly never.
        if ahead > known {
            self.ahead_ms.fetch_max(ahead, Ordering::Relaxed);
        }
        Timestamp::from_ms(own.saturating_add(ahead.max(known)))
    }
}

impl Clock {
    /// The machine's.
    pub fn system() -> Self {
        let steady = Steady { since: Instant::now(), ahead_ms: AtomicI64::new(0) };
        Self(Kind::System(Arc::new(steady)))
    }

    /// Stands still at `at` until it is [moved](Clock::advance).
    pub fn pinned(at: Timestamp) -> Self {
        let (ms, sleepers) = (AtomicI64::new(at.as_ms()), Mutex::default());
        Self(Kind::Pinned(Arc::new(Pinned { ms, sleepers })))
    }

    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Kind::System(steady) => steady.now(),
            Kind::Pinned(pinned) => Timestamp::from_ms(pinned.ms.load(Ordering::SeqCst)),
        }
    }

    /// Moves a pinned clock, and every engine that goes by it does what has become due. False: this
    /// clock moves by itself.
    pub fn advance(&self, by: Duration) -> bool {
        let Kind::Pinned(pinned) = &self.0 else { return false };
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        let moved = |ms: i64| Some(ms.saturating_add(by));
        // It always says yes.
        let _ = pinned.ms.fetch_update(Ordering::SeqCst, Ordering::SeqCst, moved);
        let mut sleepers = pinned.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        sleepers.retain(|wake| wake());
        true
    }

    /// Calls `wake` whenever a pinned clock has been moved, until it says that nobody sleeps.
    pub(crate) fn on_advance(&self, wake: impl Fn() -> bool + Send + Sync + 'static) {
        if let Kind::Pinned(pinned) = &self.0 {
            let mut sleepers = pinned.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
            sleepers.push(Box::new(wake));
        }
    }

    /// How long to sleep until `at`. A pinned clock is never waited for: whoever moves it wakes
    /// the sleeper.
    pub(crate) fn until(&self, at: Timestamp) -> Option<Duration> {
        match &self.0 {
            Kind::System(_) => {
                let ms = at.ms_since(self.now()).max(0);
                Some(Duration::from_millis(ms.unsigned_abs()))
            }
            Kind::Pinned(_) if at <= self.now() => Some(Duration::ZERO),
            Kind::Pinned(_) => None,
        }
    }
}
