//! Circuit breakers: what fails all the time is left alone for a while.
//!
//! One breaker per topic. Closed, it counts failures; when there are too many in a row, or too
//! many among the latest runs, it opens and the topic's jobs are left in the store, retries and
//! all. When its time is over it lets one job through. If that succeeds it closes; if it fails it
//! opens again, for longer.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Timestamp;

/// When breakers open, and for how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakerOptions {
    /// So many failures in a row open it; zero: they do not.
    pub failures_in_a_row: u32,
    /// The row begins anew when its first failure is older than this.
    pub window_ms: Option<i64>,
    /// So large a part of the latest runs; `None`: it does not count.
    pub ratio: Option<FailureRatio>,
    pub open_ms: i64,
    /// Each time it opens again without having been closed, for so many times longer.
    pub growth: f64,
    pub open_ms_max: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureRatio {
    /// In `0..=1`.
    pub failures: f64,
    /// Of so many latest runs, at most [`RATIO_RUNS_MAX`]; fewer prove nothing.
    pub runs: u32,
}

/// What fits into the bits that remember the latest runs.
pub const RATIO_RUNS_MAX: u32 = 64;
/// Topics whose runs are remembered. One with a closed breaker and no failures needs none.
const TOPICS_MAX: usize = 4_096;

impl Default for BreakerOptions {
    fn default() -> Self {
        Self {
            failures_in_a_row: 5,
            window_ms: Some(60_000),
            ratio: None,
            open_ms: 30_000,
            growth: 2.0,
            open_ms_max: 600_000,
        }
    }
}

/// Which topics have breakers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BreakerRules {
    /// Of every topic that has none of its own; `None`: those have no breaker.
    pub all: Option<BreakerOptions>,
    pub topics: BTreeMap<Arc<str>, BreakerOptions>,
}

impl BreakerRules {
    pub fn is_empty(&self) -> bool {
        self.all.is_none() && self.topics.is_empty()
    }

    fn of(&self, topic: &str) -> Option<BreakerOptions> {
        self.topics.get(topic).copied().or(self.all)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerState {
    Closed,
    /// Until then nothing is let through.
    Open(Timestamp),
    /// One job may try.
    HalfOpen,
    /// One job is trying.
    Trying,
}

/// One topic's breaker.
#[derive(Clone, Debug)]
struct Breaker {
    state: BreakerState,
    in_a_row: u32,
    /// When the row began.
    row_since: Timestamp,
    /// The latest runs, the last one in the lowest bit; a set bit is a failure.
    runs: u64,
    runs_seen: u32,
    /// How often it has opened since it was last closed.
    opened: u32,
    /// Another job may try if the one that does has not ended by then.
    try_until: Option<Timestamp>,
}

/// The breakers of a node.
#[derive(Clone, Debug)]
pub struct Breakers {
    rules: BreakerRules,
    topics: BTreeMap<Arc<str>, Breaker>,
}

impl Breakers {
    pub fn new(rules: BreakerRules) -> Self {
        Self { rules, topics: BTreeMap::new() }
    }

    /// Whether any breaker can open.
    pub fn is_on(&self) -> bool {
        !self.rules.is_empty()
    }

    pub fn state(&self, topic: &str, now: Timestamp) -> BreakerState {
        self.topics.get(topic).map_or(BreakerState::Closed, |breaker| breaker.state(now))
    }

    /// Whether a job of the topic may be run now; if so it counts as begun.
    pub fn begin(&mut self, topic: &str, now: Timestamp) -> bool {
        let Some(breaker) = self.topics.get_mut(topic) else { return true };
        match breaker.state(now) {
            BreakerState::Closed => true,
            BreakerState::HalfOpen => {
                breaker.state = BreakerState::Trying;
                breaker.try_until = None;
                true
            }
            BreakerState::Open(_) | BreakerState::Trying => false,
        }
    }

    /// The same of a job whose end may become known elsewhere only, or not at all.
    pub fn begin_until(&mut self, topic: &str, now: Timestamp, until: Timestamp) -> bool {
        let may_begin = self.begin(topic, now);
        if let Some(breaker) = self.topics.get_mut(topic)
            && may_begin
        {
            breaker.try_until = Some(until);
        }
        may_begin
    }

    /// The job that was let through ended without having called anything.
    pub fn dropped(&mut self, topic: &str, now: Timestamp) {
        if let Some(breaker) = self.topics.get_mut(topic)
            && breaker.state == BreakerState::Trying
        {
            breaker.state = BreakerState::Open(now);
        }
    }

    pub fn succeeded(&mut self, topic: &str) {
        let has_ratio = self.rules.of(topic).is_some_and(|options| options.ratio.is_some());
        let Some(breaker) = self.topics.get_mut(topic) else { return };
        match breaker.state {
            BreakerState::Closed if has_ratio => {
                breaker.succeeded();
                if breaker.runs == 0 {
                    self.topics.remove(topic);
                }
            }
            // One that was begun before it opened says nothing about the present.
            BreakerState::Open(_) => {}
            BreakerState::Closed | BreakerState::HalfOpen | BreakerState::Trying => {
                self.topics.remove(topic);
            }
        }
    }

    /// True: the breaker has opened.
    pub fn failed(&mut self, topic: &Arc<str>, now: Timestamp) -> bool {
        let Some(options) = self.rules.of(topic) else { return false };
        if topic.is_empty() {
            // Pure continuations call nothing that could be spared.
            return false;
        }
        if !self.topics.contains_key(topic) {
            if self.topics.len() >= TOPICS_MAX {
                self.topics.retain(|_, breaker| breaker.state != BreakerState::Closed);
            }
            if self.topics.len() >= TOPICS_MAX {
                return false;
            }
        }
        let breaker = self.topics.entry(topic.clone()).or_insert_with(Breaker::closed);
        match breaker.state {
            BreakerState::Closed => {
                breaker.failed(options.window_ms, now);
                if !breaker.is_too_much(&options) {
                    return false;
                }
            }
            BreakerState::Trying | BreakerState::HalfOpen => {}
            BreakerState::Open(_) => return false,
        }
        breaker.open(&options, now);
        true
    }

    /// Topics whose jobs are to be left alone now.
    pub fn without(&self, now: Timestamp) -> impl Iterator<Item = &Arc<str>> {
        let is_shut = move |breaker: &Breaker| {
            matches!(breaker.state(now), BreakerState::Open(_) | BreakerState::Trying)
        };
        self.topics.iter().filter(move |(_, breaker)| is_shut(breaker)).map(|(topic, _)| topic)
    }

    /// When the next breaker lets a job through.
    pub fn next_at(&self, now: Timestamp) -> Option<Timestamp> {
        let open = self.topics.values().filter_map(|breaker| match breaker.state {
            BreakerState::Open(until) if until > now => Some(until),
            BreakerState::Trying => breaker.try_until.filter(|until| *until > now),
            _ => None,
        });
        open.min()
    }

    /// Closes one by hand.
    pub fn close(&mut self, topic: &str) -> bool {
        self.topics.remove(topic).is_some()
    }

    /// Those that are not simply closed.
    pub fn states(&self, now: Timestamp) -> impl Iterator<Item = (&Arc<str>, BreakerState)> {
        let states = self.topics.iter().map(move |(topic, breaker)| (topic, breaker.state(now)));
        states.filter(|(_, state)| *state != BreakerState::Closed)
    }
}

impl Breaker {
    fn closed() -> Self {
        Self {
            state: BreakerState::Closed,
            in_a_row: 0,
            row_since: Timestamp::ZERO,
            runs: 0,
            runs_seen: 0,
            opened: 0,
            try_until: None,
        }
    }

    fn state(&self, now: Timestamp) -> BreakerState {
        match self.state {
            BreakerState::Open(until) if until <= now => BreakerState::HalfOpen,
            BreakerState::Trying if self.try_until.is_some_and(|until| until <= now) => {
                BreakerState::HalfOpen
            }
            state => state,
        }
    }

    fn succeeded(&mut self) {
        self.in_a_row = 0;
        self.runs <<= 1;
        self.runs_seen = self.runs_seen.saturating_add(1);
    }

    fn failed(&mut self, window_ms: Option<i64>, now: Timestamp) {
        let is_over = window_ms.is_some_and(|ms| now.ms_since(self.row_since) > ms);
        if self.in_a_row == 0 || is_over {
            self.in_a_row = 0;
            self.row_since = now;
        }
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.runs = (self.runs << 1) | 1;
        self.runs_seen = self.runs_seen.saturating_add(1);
    }

    fn is_too_much(&self, options: &BreakerOptions) -> bool {
        let in_a_row = options.failures_in_a_row;
        if in_a_row > 0 && self.in_a_row >= in_a_row {
            return true;
        }
        let Some(ratio) = options.ratio else { return false };
        let runs = ratio.runs.clamp(1, RATIO_RUNS_MAX);
        let latest = self.runs & (u64::MAX >> (RATIO_RUNS_MAX - runs));
        self.runs_seen >= runs && f64::from(latest.count_ones()) >= ratio.failures * f64::from(runs)
    }

    fn open(&mut self, options: &BreakerOptions, now: Timestamp) {
        let growth = options.growth.max(1.0).powi(i32::try_from(self.opened).unwrap_or(i32::MAX));
        let open_ms = (options.open_ms as f64 * growth) as i64;
        *self = Self {
            state: BreakerState::Open(now.plus_ms(open_ms.min(options.open_ms_max).max(1))),
            opened: self.opened.saturating_add(1),
            ..Self::closed()
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    fn mail() -> Arc<str> {
        "mail".into()
    }

    fn breakers(options: BreakerOptions) -> Breakers {
        Breakers::new(BreakerRules { all: Some(options), topics: BTreeMap::new() })
    }

    const SOON: BreakerOptions = BreakerOptions {
        failures_in_a_row: 3,
        window_ms: None,
        ratio: None,
        open_ms: 100,
        growth: 2.0,
        open_ms_max: 350,
    };

    fn open(breakers: &mut Breakers) {
        assert!((0..3).any(|_| breakers.failed(&mail(), at(0))));
    }

    #[test]
    fn another_job_may_try_when_the_first_is_not_heard_of() {
        let mut breakers = breakers(SOON);
        open(&mut breakers);
        assert!(breakers.begin_until("mail", at(100), at(150)));
        assert_eq!(breakers.next_at(at(100)), Some(at(150)));
        assert!(!breakers.begin_until("mail", at(149), at(199)));
        assert!(breakers.begin_until("mail", at(150), at(200)));
        breakers.succeeded("mail");
        assert_eq!(breakers.state("mail", at(150)), BreakerState::Closed);
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_success_between_does_not() {
        let mut breakers = breakers(SOON);
        for _ in 0..5 {
            assert!(!breakers.failed(&mail(), at(0)) && !breakers.failed(&mail(), at(0)));
            breakers.succeeded("mail");
        }
        assert!(!breakers.failed(&mail(), at(0)) && !breakers.failed(&mail(), at(0)));
        assert!(breakers.failed(&mail(), at(0)));
        assert_eq!(breakers.state("mail", at(99)), BreakerState::Open(at(100)));
        assert!(!breakers.begin("mail", at(99)) && breakers.begin("print", at(99)));
        assert_eq!(breakers.without(at(99)).collect::<Vec<_>>(), [&mail()]);
        assert_eq!((breakers.next_at(at(99)), breakers.next_at(at(100))), (Some(at(100)), None));
    }

    #[test]
    fn one_job_tries_and_its_success_closes_it() {
        let mut breakers = breakers(SOON);
        open(&mut breakers);
        assert_eq!(breakers.state("mail", at(100)), BreakerState::HalfOpen);
        assert_eq!(breakers.without(at(100)).count(), 0);
        assert!(breakers.begin("mail", at(100)));
        assert!(!breakers.begin("mail", at(100)), "only one");
        assert_eq!(breakers.without(at(100)).count(), 1);
        breakers.succeeded("mail");
        assert_eq!(breakers.state("mail", at(100)), BreakerState::Closed);
        assert!(!breakers.failed(&mail(), at(100)), "it counts anew");
    }

    #[test]
    fn a_failed_trial_opens_it_for_longer_up_to_a_bound() {
        let mut breakers = breakers(SOON);
        open(&mut breakers);
        let mut now = at(100);
        for open_ms in [200, 350, 350] {
            assert!(breakers.begin("mail", now));
            assert!(breakers.failed(&mail(), now));
            now = now.plus_ms(open_ms);
            assert_eq!(breakers.state("mail", now.plus_ms(-1)), BreakerState::Open(now));
        }
    }

    #[test]
    fn a_trial_that_called_nothing_is_repeated() {
        let mut breakers = breakers(SOON);
        open(&mut breakers);
        assert!(breakers.begin("mail", at(100)));
        breakers.dropped("mail", at(101));
        assert!(breakers.begin("mail", at(101)));
        breakers.succeeded("mail");
        breakers.dropped("mail", at(102));
        assert_eq!(breakers.state("mail", at(102)), BreakerState::Closed);
    }

    #[test]
    fn stragglers_do_not_move_an_open_breaker() {
        let mut breakers = breakers(SOON);
        open(&mut breakers);
        assert!(!breakers.failed(&mail(), at(50)));
        breakers.succeeded("mail");
        assert_eq!(breakers.state("mail", at(50)), BreakerState::Open(at(100)));
        assert!(breakers.close("mail") && !breakers.close("mail"));
        assert!(breakers.begin("mail", at(50)));
    }

    #[test]
    fn a_part_of_the_latest_runs_opens_it() {
        let ratio = Some(FailureRatio { failures: 0.5, runs: 4 });
        let mut breakers = breakers(BreakerOptions { failures_in_a_row: 0, ratio, ..SOON });
        assert!(!breakers.failed(&mail(), at(0)));
        breakers.succeeded("mail");
        assert!(!breakers.failed(&mail(), at(0)), "three runs prove nothing yet");
        breakers.succeeded("mail");
        assert!(!matches!(breakers.state("mail", at(0)), BreakerState::Open(_)));
        assert!(breakers.failed(&mail(), at(0)), "two of the latest four");
    }

    #[test]
    fn without_options_or_topic_nothing_opens() {
        let mut off = Breakers::new(BreakerRules::default());
        assert!((0..100).all(|_| !off.failed(&mail(), at(0)) && off.begin("mail", at(0))));
        let mut on = breakers(SOON);
        assert!((0..100).all(|_| !on.failed(&"".into(), at(0)) && on.begin("", at(0))));
        assert_eq!(on.states(at(0)).count(), 0);
    }

    #[test]
    fn a_row_that_takes_too_long_begins_anew() {
        let mut breakers = breakers(BreakerOptions { window_ms: Some(100), ..SOON });
        assert!(!breakers.failed(&mail(), at(0)) && !breakers.failed(&mail(), at(100)));
        assert!(!breakers.failed(&mail(), at(101)), "the first one is too old");
        assert!(!breakers.failed(&mail(), at(150)) && breakers.failed(&mail(), at(201)));
    }

    #[test]
    fn a_topic_may_have_rules_of_its_own() {
        let topics = BTreeMap::from([(mail(), SOON)]);
        let mut breakers = Breakers::new(BreakerRules { all: None, topics });
        assert!(breakers.is_on());
        assert!((0..9).all(|_| !breakers.failed(&"print".into(), at(0))));
        open(&mut breakers);
    }

    #[test]
    fn memory_is_bounded() {
        let mut breakers = breakers(SOON);
        for n in 0..TOPICS_MAX * 2 {
            breakers.failed(&format!("topic {n}").into(), at(0));
        }
        assert!(breakers.topics.len() <= TOPICS_MAX);
    }

    proptest! {
        /// Whatever happens, at most one job runs while the breaker is not closed, and it lets one
        /// through in the end.
        #[test]
        fn only_one_tries(steps in proptest::collection::vec((0..3_u8, 0..60_i64), 1..200)) {
            let mut breakers = breakers(SOON);
            let mut now = at(0);
            let mut trying = 0_u32;
            for (what, ms) in steps {
                now = now.plus_ms(ms);
                let was_closed = breakers.state("mail", now) == BreakerState::Closed;
                match what {
                    0 if breakers.begin("mail", now) && !was_closed => trying += 1,
                    1 if trying > 0 || was_closed => {
                        breakers.failed(&mail(), now);
                        trying = 0;
                    }
                    2 if trying > 0 || was_closed => {
                        breakers.succeeded("mail");
                        trying = 0;
                    }
                    _ => {}
                }
                prop_assert!(trying <= 1);
            }
            if trying == 0 {
                let later = now.plus_ms(SOON.open_ms_max);
                prop_assert!(breakers.begin("mail", later));
            }
        }
    }
}
