//! Camunda's acquisition strategy: idle levels, back-off levels, and a page that grows with the
//! back-off.
//!
//! There a job that the pool rejects stays locked and is submitted again, beside a page that is
//! shorter by it. Here it is given back, for any node to take, and comes with a page like all
//! others: what is left of that rule is the pause.

/// By the names and with the defaults of Camunda's properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackoffOptions {
    /// `maxJobsPerAcquisition`.
    pub jobs_max: usize,
    /// `waitTimeInMillis`.
    pub wait_ms: i64,
    /// `waitIncreaseFactor`, of both kinds of levels.
    pub factor: f64,
    /// `maxWait`.
    pub wait_ms_max: i64,
    /// `backoffTimeInMillis`; zero: no back-off.
    pub backoff_ms: i64,
    /// `maxBackoff`; zero: no back-off.
    pub backoff_ms_max: i64,
    /// `backoffDecreaseThreshold`: cycles without a conflict before the level goes down by one.
    pub decrease_threshold: u32,
}

impl Default for BackoffOptions {
    fn default() -> Self {
        Self {
            jobs_max: 3,
            wait_ms: 5_000,
            factor: 2.0,
            wait_ms_max: 60_000,
            backoff_ms: 0,
            backoff_ms_max: 0,
            decrease_threshold: 100,
        }
    }
}

impl BackoffOptions {
    /// What would make the executor look without a pause, in words; `None`: all is well.
    pub fn problem(&self) -> Option<&'static str> {
        // Written so that no number at all is a problem too.
        let grows = self.factor > 1.0 && self.factor.is_finite();
        if !grows {
            return Some("the wait-increase factor must be above 1");
        }
        if self.wait_ms <= 0 {
            return Some("the wait time must be above 0");
        }
        if self.wait_ms_max < self.wait_ms {
            return Some("the longest wait must not be below the wait time");
        }
        if self.backoff_ms < 0 || self.backoff_ms_max < 0 {
            return Some("the back-off times must not be negative");
        }
        (self.jobs_max == 0).then_some("the jobs of one acquisition must be above 0")
    }
}

/// What one engine's part of a cycle came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineCycle {
    /// Jobs asked for; zero: the engine was skipped.
    pub requested: usize,
    /// Batches of new jobs: an exclusive group is one.
    pub batches: usize,
}

impl EngineCycle {
    fn is_idle(&self) -> bool {
        self.batches < self.requested
    }
}

/// A pause when the pool takes nothing more.
pub const SATURATED_MS: i64 = 100;

/// Where the strategy stands. Levels go from 0 to their maximum.
#[derive(Clone, Debug, PartialEq)]
pub struct Backoff {
    options: BackoffOptions,
    idle_level_max: u32,
    backoff_level_max: u32,
    idle_level: u32,
    backoff_level: u32,
    conflict_free: u32,
    has_jitter: bool,
}

impl Backoff {
    pub fn new(options: BackoffOptions) -> Self {
        let BackoffOptions { wait_ms, wait_ms_max, backoff_ms, backoff_ms_max, factor, .. } =
            options;
        Self {
            options,
            idle_level_max: level_max(wait_ms, wait_ms_max, factor),
            backoff_level_max: level_max(backoff_ms, backoff_ms_max, factor),
            idle_level: 0,
            backoff_level: 0,
            conflict_free: 0,
            has_jitter: false,
        }
    }

    /// To be told of each acquisition, which loses nothing: what it selects it has locked.
    /// `has_failed`: an exception ended it; `is_hinted`: a job was added.
    pub fn reconfigure(&mut self, engines: &[EngineCycle], has_failed: bool, is_hinted: bool) {
        let is_idle = engines.iter().all(EngineCycle::is_idle) || has_failed;
        self.idle_level = match is_idle && !is_hinted {
            true => (self.idle_level + 1).min(self.idle_level_max),
            false => 0,
        };
        self.selected(false);
    }

    /// To be told after each selection whether someone else changed a job of it before this node
    /// did what it wanted with it.
    pub fn selected(&mut self, has_lost: bool) {
        if has_lost {
            self.conflict_free = 0;
            self.has_jitter = true;
            self.backoff_level = (self.backoff_level + 1).min(self.backoff_level_max);
        } else {
            self.has_jitter = false;
            self.conflict_free = self.conflict_free.saturating_add(1);
            if self.conflict_free >= self.options.decrease_threshold && self.backoff_level > 0 {
                self.backoff_level -= 1;
                self.conflict_free = 0;
            }
        }
    }

    /// How many jobs to ask for next.
    pub fn jobs_to_acquire(&self) -> usize {
        self.grown_page(self.options.jobs_max)
    }

    /// A page of so many at the level of now. Nodes that go for the same jobs come past each other
    /// by it.
    pub fn grown_page(&self, jobs_max: usize) -> usize {
        // Truncates, as the strategy does; a page beyond all numbers is as long as it can be.
        (jobs_max as f64 * self.growth(self.backoff_level)) as usize
    }

    /// How long to wait before the next cycle. `random` is in `0..1`.
    pub fn wait_ms(&self, random: f64) -> i64 {
        let BackoffOptions { wait_ms, wait_ms_max, .. } = self.options;
        match self.idle_level {
            0 => self.backoff_ms(random),
            level if level == self.idle_level_max => wait_ms_max,
            level => self.grown_ms(wait_ms, level - 1),
        }
    }

    /// How long to keep out of others' way. `random` is in `0..1`.
    pub fn backoff_ms(&self, random: f64) -> i64 {
        let BackoffOptions { backoff_ms, backoff_ms_max, .. } = self.options;
        let base = match self.backoff_level {
            0 => return 0,
            level if level == self.backoff_level_max => backoff_ms_max,
            level => self.grown_ms(backoff_ms, level - 1),
        };
        let jitter = if self.has_jitter { random * (base as f64 / 2.0) } else { 0.0 };
        base.saturating_add(jitter as i64)
    }

    fn grown_ms(&self, base_ms: i64, level: u32) -> i64 {
        (base_ms as f64 * self.growth(level)) as i64
    }

    fn growth(&self, level: u32) -> f64 {
        self.options.factor.powi(i32::try_from(level).unwrap_or(i32::MAX))
    }
}

/// The level at which the longest time is reached; 0: there are no levels.
fn level_max(base_ms: i64, ms_max: i64, factor: f64) -> u32 {
    let has_levels = base_ms > 0 && ms_max >= base_ms && factor > 0.0;
    if !has_levels {
        return 0;
    }
    // With a factor of 1 or less the logarithm says nothing: no level, as in the original.
    let level = ((ms_max / base_ms) as f64).ln() / factor.ln();
    if level.is_finite() && level >= 0.0 { level as u32 + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const IDLE: EngineCycle = EngineCycle { requested: 3, batches: 0 };
    const BUSY: EngineCycle = EngineCycle { batches: 3, ..IDLE };

    fn backing_off() -> Backoff {
        Backoff::new(BackoffOptions {
            backoff_ms: 25,
            backoff_ms_max: 1_000,
            decrease_threshold: 3,
            ..BackoffOptions::default()
        })
    }

    #[test]
    fn levels_follow_the_formula() {
        // base, longest, factor, highest level
        let table = [
            (5_000, 60_000, 2.0, 5),
            (5_000, 5_000, 2.0, 2),
            (5_000, 4_999, 2.0, 0),
            (0, 60_000, 2.0, 0),
            (5_000, 0, 2.0, 0),
            (1_000, 999_999, 10.0, 4),
            (25, 1_000, 2.0, 7),
            (5_000, 60_000, 1.0, 0),
            (5_000, 60_000, 0.5, 0),
        ];
        for (base, longest, factor, level) in table {
            assert_eq!(level_max(base, longest, factor), level, "{base} {longest} {factor}");
        }
    }

    #[test]
    fn idle_times_double_up_to_the_longest() {
        let mut backoff = Backoff::new(BackoffOptions::default());
        let mut waits = Vec::new();
        for _ in 0..6 {
            backoff.reconfigure(&[IDLE], false, false);
            waits.push(backoff.wait_ms(0.9));
        }
        assert_eq!(waits, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
        backoff.reconfigure(&[IDLE], false, true);
        assert_eq!(backoff.wait_ms(0.9), 0, "a hint");
        backoff.reconfigure(&[IDLE, BUSY], false, false);
        assert_eq!(backoff.wait_ms(0.9), 0, "not all engines are idle");
        backoff.reconfigure(&[IDLE, BUSY], true, false);
        assert_eq!(backoff.wait_ms(0.9), 5_000, "an exception counts as idle");
        let skipped = EngineCycle { requested: 0, ..IDLE };
        backoff.reconfigure(&[skipped], false, false);
        assert_eq!(backoff.wait_ms(0.9), 0, "who asked for nothing is not idle");
    }

    #[test]
    fn a_page_of_one_exclusive_group_counts_as_idle() {
        let mut backoff = Backoff::new(BackoffOptions::default());
        backoff.reconfigure(&[EngineCycle { batches: 1, ..IDLE }], false, false);
        assert_eq!(backoff.wait_ms(0.0), 5_000);
    }

    #[test]
    fn conflicts_raise_the_level_and_the_page_and_quiet_lowers_them() {
        let mut backoff = backing_off();
        let mut seen = Vec::new();
        for _ in 0..8 {
            backoff.selected(true);
            seen.push((backoff.wait_ms(0.0), backoff.jobs_to_acquire()));
        }
        let expected = [
            (25, 6),
            (50, 12),
            (100, 24),
            (200, 48),
            (400, 96),
            (800, 192),
            (1_000, 384),
            (1_000, 384),
        ];
        assert_eq!(seen, expected);
        assert_eq!(backoff.wait_ms(0.5), 1_250, "up to half as much again by chance");
        backoff.reconfigure(&[BUSY], false, false);
        assert_eq!(backoff.wait_ms(0.5), 1_000, "no conflict, no jitter");
        backoff.selected(false);
        backoff.reconfigure(&[BUSY], false, false);
        assert_eq!((backoff.wait_ms(0.5), backoff.jobs_to_acquire()), (800, 192), "the third");
        assert_eq!(backoff.grown_page(1), 64);
        backoff.selected(true);
        assert_eq!(backoff.wait_ms(0.0), 1_000);
    }

    #[test]
    fn without_back_off_conflicts_change_nothing() {
        let mut backoff = Backoff::new(BackoffOptions::default());
        backoff.selected(true);
        assert_eq!((backoff.wait_ms(0.9), backoff.jobs_to_acquire()), (0, 3));
    }

    #[test]
    fn what_would_never_wait_is_refused() {
        let problem = |change: fn(&mut BackoffOptions)| {
            let mut options = BackoffOptions::default();
            change(&mut options);
            options.problem()
        };
        assert_eq!(problem(|_| ()), None);
        assert!(problem(|o| o.factor = 1.0).is_some());
        assert!(problem(|o| o.factor = f64::NAN).is_some());
        assert!(problem(|o| o.wait_ms = 0).is_some());
        assert!(problem(|o| o.wait_ms_max = 4_999).is_some());
        assert!(problem(|o| o.backoff_ms = -1).is_some());
        assert!(problem(|o| o.jobs_max = 0).is_some());
    }

    proptest! {
        #[test]
        fn waits_stay_within_their_bounds(
            cycles in proptest::collection::vec((0..4_usize, any::<[bool; 2]>()), 0..300),
            random in 0.0..1.0_f64,
        ) {
            let mut backoff = backing_off();
            for (batches, [has_lost, is_hinted]) in cycles {
                backoff.selected(has_lost);
                backoff.reconfigure(&[EngineCycle { batches, ..IDLE }], false, is_hinted);
                let wait = backoff.wait_ms(random);
                prop_assert!((0..=60_000).contains(&wait));
                prop_assert!(!is_hinted || wait < 1_500);
                prop_assert!((3..=3 * 128).contains(&backoff.jobs_to_acquire()));
            }
        }
    }
}
