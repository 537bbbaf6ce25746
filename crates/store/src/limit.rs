//! Limits: how many jobs of a kind may run at once, and how many may begin in a time.
//!
//! A limit is kept exactly, by all nodes together. Jobs that match one are locked by acquisitions
//! alone, and those hold the limit's row while they count the locks there are. So nothing has to be
//! given back, and nothing can leak. Whoever sets a limit waits until every live node has seen it
//! ([`crate::NodeRow::settings_seen`]): until then a node may still hand such jobs to itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_types::{EngineName, Timestamp};

use crate::error::Error;
use crate::rows::JobRow;

/// What a limit goes by. The numbers are part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum LimitScope {
    Topic = 0,
    Tenant = 1,
    /// The key that the model gives its jobs.
    Key = 2,
}

impl LimitScope {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Topic,
            1 => Self::Tenant,
            2 => Self::Key,
            _ => return None,
        })
    }
}

/// So many jobs may begin in every interval, and after a pause `burst` at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub jobs: u32,
    pub interval_ms: u32,
    pub burst: u32,
}

impl Rate {
    pub const fn per_second(jobs: u32) -> Self {
        Self { jobs, interval_ms: 1_000, burst: jobs }
    }

    pub const fn per_minute(jobs: u32) -> Self {
        Self { jobs, interval_ms: 60_000, burst: jobs }
    }

    /// A rate of nothing, or one that nothing fits into, is a mistake.
    pub const fn is_valid(self) -> bool {
        self.jobs > 0 && self.interval_ms > 0 && self.burst > 0
    }

    fn tokens_max(self) -> i64 {
        i64::from(self.burst) * i64::from(self.interval_ms)
    }
}

/// A limit as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLimit {
    pub scope: LimitScope,
    pub name: Arc<str>,
    /// `Some(0)` stops them all.
    pub max_concurrent: Option<u32>,
    pub rate: Option<Rate>,
}

impl NewLimit {
    /// Stores refuse what cannot be kept.
    pub fn check(&self) -> Result<(), Error> {
        if self.name.is_empty() {
            return Err(Error::Refused("a limit needs a name".to_owned()));
        }
        if self.rate.is_some_and(|rate| !rate.is_valid()) {
            let why = "a rate needs at least one job, one millisecond and a burst of one";
            return Err(Error::Refused(why.to_owned()));
        }
        Ok(())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitRow {
    pub engine: EngineName,
    pub scope: LimitScope,
    pub name: Arc<str>,
    pub max_concurrent: Option<u32>,
    pub rate: Option<Rate>,
    /// What is left of the rate: a job that begins takes [`Rate::interval_ms`] of them, and every
    /// millisecond [`Rate::jobs`] are added. Whole numbers, so no rate is off by a rounding.
    pub tokens: i64,
    pub refilled_at: Timestamp,
}

impl LimitRow {
    /// The row of a limit that takes the place of another, or of none. What was used up stays so.
    pub fn replacing(
        old: Option<&Self>,
        new: NewLimit,
        engine: EngineName,
        now: Timestamp,
    ) -> Self {
        let full = new.rate.map_or(0, Rate::tokens_max);
        let left = old.and_then(|old| {
            let mut old = old.clone();
            old.refill(now);
            // In jobs, as the rates may count in different intervals.
            let rate = old.rate?;
            let interval = i64::from(new.rate?.interval_ms);
            Some(old.tokens / i64::from(rate.interval_ms) * interval)
        });
        Self {
            engine,
            scope: new.scope,
            name: new.name,
            max_concurrent: new.max_concurrent,
            rate: new.rate,
            tokens: left.map_or(full, |left| left.min(full)),
            refilled_at: now,
        }
    }

    pub fn matches(&self, job: &JobRow) -> bool {
        match self.scope {
            LimitScope::Topic => job.topic == self.name,
            LimitScope::Tenant => *job.tenant == *self.name,
            LimitScope::Key => job.limit_key.as_ref() == Some(&self.name),
        }
    }

    /// A clock that lies behind another node's adds nothing.
    fn refill(&mut self, now: Timestamp) {
        let Some(rate) = self.rate else { return };
        let elapsed = now.ms_since(self.refilled_at);
        if elapsed <= 0 {
            return;
        }
        let added = elapsed.saturating_mul(rate.jobs.into());
        self.tokens = self.tokens.saturating_add(added).min(rate.tokens_max());
        self.refilled_at = now;
    }

    /// How many more may begin while so many are locked.
    fn free(&self, locked: u64) -> u64 {
        let by_count =
            self.max_concurrent.map_or(u64::MAX, |max| u64::from(max).saturating_sub(locked));
        let by_rate = self.rate.map_or(u64::MAX, |rate| {
            u64::try_from(self.tokens / i64::from(rate.interval_ms)).unwrap_or(0)
        });
        by_count.min(by_rate)
    }

    /// When the rate lets the next job begin, if it is the rate that stops it.
    pub fn next_at(&self, now: Timestamp) -> Option<Timestamp> {
        let mut row = self.clone();
        row.refill(now);
        let rate = row.rate?;
        let missing = i64::from(rate.interval_ms) - row.tokens;
        let jobs = i64::from(rate.jobs);
        (missing > 0).then(|| row.refilled_at.max(now).plus_ms((missing + jobs - 1) / jobs))
    }
}

/// What the limits still allow, while an acquisition holds their rows. The arithmetic of limits,
/// for every store.
#[derive(Debug)]
pub struct Permits(Vec<Permit>);

#[derive(Debug)]
struct Permit {
    row: LimitRow,
    free: u64,
    is_used: bool,
}

/// What need not be looked at because a limit of it is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exhausted {
    pub topics: BTreeSet<Arc<str>>,
    pub tenants: BTreeSet<Arc<str>>,
    pub keys: BTreeSet<Arc<str>>,
}

impl Permits {
    /// Each limit with the number of jobs that match it and are locked.
    pub fn new(limits: impl IntoIterator<Item = (LimitRow, u64)>, now: Timestamp) -> Self {
        let permits = limits.into_iter().map(|(mut row, locked)| {
            row.refill(now);
            let free = row.free(locked);
            Permit { row, free, is_used: false }
        });
        Self(permits.collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes what the job needs of every limit it matches, or nothing.
    pub fn take(&mut self, job: &JobRow) -> bool {
        let is_free = |permit: &&mut Permit| permit.row.matches(job);
        if self.0.iter_mut().filter(is_free).any(|permit| permit.free == 0) {
            return false;
        }
        for permit in self.0.iter_mut().filter(|permit| permit.row.matches(job)) {
            permit.free -= 1;
            permit.is_used = true;
            if let Some(rate) = permit.row.rate {
                permit.row.tokens -= i64::from(rate.interval_ms);
            }
        }
        true
    }

    pub fn exhausted(&self) -> Exhausted {
        let mut exhausted = Exhausted::default();
        for permit in self.0.iter().filter(|permit| permit.free == 0) {
            let names = match permit.row.scope {
                LimitScope::Topic => &mut exhausted.topics,
                LimitScope::Tenant => &mut exhausted.tenants,
                LimitScope::Key => &mut exhausted.keys,
            };
            names.insert(permit.row.name.clone());
        }
        exhausted
    }

    /// The limits whose tokens were used, to be written back.
    pub fn used(&self) -> impl Iterator<Item = &LimitRow> {
        let used = self.0.iter().filter(|permit| permit.is_used && permit.row.rate.is_some());
        used.map(|permit| &permit.row)
    }
}

impl Exhausted {
    pub fn has(&self, job: &JobRow) -> bool {
        self.topics.contains(&job.topic)
            || self.tenants.contains(&*job.tenant)
            || job.limit_key.as_ref().is_some_and(|key| self.keys.contains(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(rate: Rate, tokens: i64) -> LimitRow {
        LimitRow {
            engine: EngineName::default(),
            scope: LimitScope::Topic,
            name: "mail".into(),
            max_concurrent: None,
            rate: Some(rate),
            tokens,
            refilled_at: Timestamp::from_ms(1_000),
        }
    }

    #[test]
    fn a_rate_refills_exactly_and_not_beyond_its_burst() {
        let rate = Rate { jobs: 3, interval_ms: 60_000, burst: 2 };
        let mut row = row(rate, 0);
        assert_eq!(row.next_at(Timestamp::from_ms(1_000)), Some(Timestamp::from_ms(21_000)));
        row.refill(Timestamp::from_ms(20_999));
        assert_eq!(row.free(0), 0);
        row.refill(Timestamp::from_ms(21_000));
        assert_eq!((row.free(0), row.tokens), (1, 60_000));
        row.refill(Timestamp::from_ms(500));
        assert_eq!(row.refilled_at, Timestamp::from_ms(21_000), "time does not go back");
        row.refill(Timestamp::MAX);
        assert_eq!(row.free(0), 2);
        assert_eq!(row.next_at(Timestamp::MAX), None);
    }

    #[test]
    fn a_limit_that_is_set_anew_gives_nothing_back() {
        let old = row(Rate::per_second(4), 2_000);
        let new = |rate| NewLimit {
            scope: LimitScope::Topic,
            name: "mail".into(),
            max_concurrent: None,
            rate,
        };
        let now = Timestamp::from_ms(1_000);
        let engine = EngineName::default;
        let per_minute = new(Some(Rate::per_minute(100)));
        let changed = LimitRow::replacing(Some(&old), per_minute.clone(), engine(), now);
        assert_eq!(changed.free(0), 2);
        assert_eq!(LimitRow::replacing(None, per_minute, engine(), now).free(0), 100);
        assert_eq!(LimitRow::replacing(Some(&old), new(None), engine(), now).free(7), u64::MAX);
    }
}
