//! The order in which ready jobs are taken.

use crate::{JobKey, Timestamp};

/// The key of a job has the last word in every order. A job without a due date counts as due when
/// it was created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Of the three that are set the earlier counts more: highest priority first, timers before
    /// other jobs, earliest due date first.
    Flags { priority: bool, timers_first: bool, due: bool },
    /// By due date minus priority times step: a job overtakes one that has waited `step_ms` longer
    /// for each point of priority it has more. Nothing in that changes while a job waits, so one
    /// index serves it for ever.
    Aging { step_ms: i64 },
}

impl Default for Order {
    fn default() -> Self {
        Self::Flags { priority: true, timers_first: false, due: false }
    }
}

impl Order {
    /// Eleven days; a longer step could make the product with a priority overflow.
    pub const AGING_STEP_MS_MAX: i64 = 1_000_000_000;
    /// Priorities beyond, in either direction, count as this much.
    pub const AGING_PRIORITY_MAX: i64 = i32::MAX as i64;
    /// Moments beyond, in either direction, count as this: far outside of any calendar.
    pub const AGING_RUN_AT_MAX: i64 = 4_000_000_000_000_000_000;
    /// No order is asked for: only keys tell jobs apart.
    pub const NONE: Self = Self::Flags { priority: false, timers_first: false, due: false };

    /// Whether a store can keep it.
    pub fn is_valid(self) -> bool {
        match self {
            Self::Flags { .. } => true,
            Self::Aging { step_ms } => (0..=Self::AGING_STEP_MS_MAX).contains(&step_ms),
        }
    }

    /// Whether jobs have an order besides their age.
    pub fn is_set(self) -> bool {
        self != Self::NONE
    }

    /// Whether due dates decide before anything that differs between timers.
    pub fn is_by_due(self) -> bool {
        matches!(self, Self::Flags { priority: false, due: true, .. })
    }

    /// What a job counts where jobs age: the lowest goes first. Stores sort by the same.
    pub fn aging_rank(priority: i64, run_at: Timestamp, step_ms: i64) -> i64 {
        let run_at = run_at.as_ms().clamp(-Self::AGING_RUN_AT_MAX, Self::AGING_RUN_AT_MAX);
        let priority = priority.clamp(-Self::AGING_PRIORITY_MAX, Self::AGING_PRIORITY_MAX);
        run_at - priority * step_ms.clamp(0, Self::AGING_STEP_MS_MAX)
    }

    /// Jobs sort as these do, lowest first. `run_at`: when it is due, or was created.
    pub fn place_of(
        self,
        priority: i64,
        is_timer: bool,
        run_at: Timestamp,
        key: JobKey,
    ) -> [i64; 4] {
        let key = key.raw();
        match self {
            Self::Flags { priority: by_priority, timers_first, due } => [
                // The complement turns the order around and cannot overflow.
                if by_priority { !priority } else { 0 },
                i64::from(timers_first && !is_timer),
                if due { run_at.as_ms() } else { 0 },
                key,
            ],
            Self::Aging { step_ms } => [Self::aging_rank(priority, run_at, step_ms), 0, 0, key],
        }
    }
}
