//! Which of two ready jobs goes first.
//!
//! A job's [`Rank`] is what the stores sort by ([`JobRow::place`]), so that the queue of a node and
//! its acquisitions agree job by job.
//!
//! Aging is a linear rule: at any moment a job counts as `priority + waited / step`. The difference
//! of two such values never changes, so what to sort by is a constant of the job,
//! `run_at − priority × step`, and one index serves for ever. From it follows the bound (I7): a job
//! of priority `p` that could run at `a` is overtaken by no job of priority `q` that could run
//! after `a + (q − p) × step`. Nothing waits longer than that for others to come first, however
//! many arrive.

use orloj_store::{JobKind, JobRow, Order};
use orloj_types::{JobKey, Timestamp};

/// A job's place in the configured order: the lowest goes first. Ranks of different orders do not
/// compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank([i64; 4]);

impl Rank {
    /// Before every job.
    pub const FIRST: Self = Self([i64::MIN; 4]);

    pub fn of(order: Order, job: &JobRow) -> Self {
        Self(job.place(order))
    }

    /// Of a job whose row is not at hand. `run_at`: when it is due; without a due date, when it
    /// was created.
    pub fn new(order: Order, priority: i64, kind: JobKind, run_at: Timestamp, key: JobKey) -> Self {
        Self(order.place_of(priority, kind.is_timer(), run_at, key))
    }

    /// Whether the order puts it before another for more than its key.
    pub fn is_before(self, other: Self) -> bool {
        self.0[..3] < other.0[..3]
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    struct Job {
        priority: i64,
        kind: JobKind,
        run_at: i64,
        key: i64,
    }

    const TIMER: JobKind = JobKind::Timer;
    const ASYNC: JobKind = JobKind::AsyncBefore;

    fn job(priority: i64, kind: JobKind, run_at: i64, key: i64) -> Job {
        Job { priority, kind, run_at, key }
    }

    fn rank(order: Order, job: Job) -> Rank {
        let run_at = Timestamp::from_ms(job.run_at);
        Rank::new(order, job.priority, job.kind, run_at, JobKey::new(job.key))
    }

    /// The keys of the four jobs in the order of the flags.
    fn sorted(priority: bool, timers_first: bool, due: bool) -> [i64; 4] {
        let mut jobs = [
            job(1, ASYNC, 10, 1),
            job(1, TIMER, 40, 2),
            job(5, ASYNC, 30, 3),
            job(5, TIMER, 20, 4),
        ];
        let order = Order::Flags { priority, timers_first, due };
        jobs.sort_by_key(|job| rank(order, *job));
        jobs.map(|job| job.key)
    }

    #[test]
    fn every_combination_of_flags_has_its_order() {
        assert_eq!(sorted(false, false, false), [1, 2, 3, 4]);
        assert_eq!(sorted(true, false, false), [3, 4, 1, 2]);
        assert_eq!(sorted(false, true, false), [2, 4, 1, 3]);
        assert_eq!(sorted(false, false, true), [1, 4, 3, 2]);
        assert_eq!(sorted(true, true, false), [4, 3, 2, 1]);
        assert_eq!(sorted(true, false, true), [4, 3, 1, 2]);
        assert_eq!(sorted(false, true, true), [4, 2, 1, 3]);
        assert_eq!(sorted(true, true, true), [4, 3, 2, 1]);
    }

    #[test]
    fn extremes_are_ordered_and_do_not_overflow() {
        let flags = Order::Flags { priority: true, timers_first: false, due: true };
        for order in [flags, Order::Aging { step_ms: i64::MAX }] {
            let high = rank(order, job(i64::MAX, ASYNC, i64::MIN, 2));
            let low = rank(order, job(i64::MIN, ASYNC, i64::MAX, 1));
            assert!(Rank::FIRST < high && high < low, "{order:?}");
        }
    }

    #[test]
    fn a_step_of_priority_is_worth_a_step_of_waiting() {
        let order = Order::Aging { step_ms: 1_000 };
        let patient = rank(order, job(0, ASYNC, 0, 1));
        assert!(rank(order, job(5, ASYNC, 4_999, 2)) < patient);
        assert!(patient < rank(order, job(5, ASYNC, 5_000, 2)), "the older key");
        assert!(patient < rank(order, job(5, ASYNC, 5_001, 0)), "never again");
    }

    fn any_job() -> impl Strategy<Value = Job> {
        let kinds = prop_oneof![Just(TIMER), Just(ASYNC), Just(JobKind::HistoryCleanup)];
        (any::<i64>(), kinds, any::<i64>(), any::<i64>())
            .prop_map(|(priority, kind, run_at, key)| job(priority, kind, run_at, key))
    }

    /// The criteria one after another, as a sorting statement names them.
    fn compared(flags: (bool, bool, bool), a: Job, b: Job) -> Ordering {
        let on = |flag: bool, ordering: Ordering| if flag { ordering } else { Ordering::Equal };
        on(flags.0, b.priority.cmp(&a.priority))
            .then(on(flags.1, b.kind.is_timer().cmp(&a.kind.is_timer())))
            .then(on(flags.2, a.run_at.cmp(&b.run_at)))
            .then(a.key.cmp(&b.key))
    }

    proptest! {
        #[test]
        fn ranks_compare_as_the_criteria_do(
            flags in any::<(bool, bool, bool)>(), a in any_job(), b in any_job(),
        ) {
            let (priority, timers_first, due) = flags;
            let order = Order::Flags { priority, timers_first, due };
            prop_assert_eq!(rank(order, a).cmp(&rank(order, b)), compared(flags, a, b));
        }

        /// Whatever the order, jobs of different keys have different ranks.
        #[test]
        fn the_order_is_total(step_ms in any::<i64>(), a in any_job(), b in any_job()) {
            let order = Order::Aging { step_ms };
            prop_assert_eq!(rank(order, a) == rank(order, b), a.key == b.key && {
                let same_key = Job { key: a.key, ..b };
                rank(order, a) == rank(order, same_key)
            });
        }

        /// At whatever moment two jobs are compared, the linear rule says the same.
        #[test]
        fn aging_is_linear_for_ever(
            step in 1..=Order::AGING_STEP_MS_MAX,
            p in -Order::AGING_PRIORITY_MAX..=Order::AGING_PRIORITY_MAX,
            q in -Order::AGING_PRIORITY_MAX..=Order::AGING_PRIORITY_MAX,
            (a, b) in (0..1_i64 << 60, 0..1_i64 << 60),
            now in 0..i64::MAX,
        ) {
            let order = Order::Aging { step_ms: step };
            // What the rule says, multiplied by the step so that nothing is rounded.
            let aged = |priority: i64, run_at: i64| {
                i128::from(priority) * i128::from(step) + i128::from(now) - i128::from(run_at)
            };
            let first = rank(order, job(p, ASYNC, a, 1));
            let second = rank(order, job(q, ASYNC, b, 2));
            let by_rule = aged(q, b).cmp(&aged(p, a)).then(Ordering::Less);
            prop_assert_eq!(first.cmp(&second), by_rule);
        }

        #[test]
        fn nothing_that_comes_after_the_bound_overtakes(
            step in 1..=1_000_000_i64,
            (p, q) in (-1_000_000..=1_000_000_i64, -1_000_000..=1_000_000_i64),
            a in 0..1_i64 << 50,
            later in 1..1_i64 << 50,
        ) {
            let order = Order::Aging { step_ms: step };
            let waiting = rank(order, job(p, ASYNC, a, 2));
            let bound = a + (q - p) * step;
            let newcomer = rank(order, job(q, ASYNC, bound + later, 1));
            prop_assert!(waiting < newcomer);
        }
    }
}
