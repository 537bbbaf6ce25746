//! Jobs that run for too long.
//!
//! A node's lock lives as long as the node does, so a long job is not run twice while its owner
//! lives. Where a longest run is set, a job that exceeds it counts as hung: its node gives it up,
//! whatever it still says is refused, and others may take it.

use orloj_types::Timestamp;

/// How long one job may run; `None`: as long as its node lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LongestRun {
    /// `lockTimeInMillis`, `asyncJobLockTimeInMillis`.
    pub job_ms: Option<i64>,
    /// `timerLockTimeInMillis`.
    pub timer_ms: Option<i64>,
    /// `resetExpiredJobsInterval`: how often hung jobs are looked for; zero: at the moment.
    pub look_every_ms: i64,
}

impl LongestRun {
    /// When a job that began at `since` counts as hung.
    pub fn hung_at(&self, is_timer: bool, since: Timestamp) -> Option<Timestamp> {
        let longest_ms = if is_timer { self.timer_ms } else { self.job_ms };
        longest_ms.map(|ms| since.plus_ms(ms.max(0)))
    }

    pub fn is_limited(&self) -> bool {
        self.job_ms.is_some() || self.timer_ms.is_some()
    }
}

/// When to look for hung jobs.
#[derive(Clone, Debug)]
pub struct HungWatch {
    longest: LongestRun,
    looked_at: Timestamp,
}

/// A job at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running<T> {
    pub what: T,
    pub is_timer: bool,
    pub since: Timestamp,
}

impl HungWatch {
    pub fn new(longest: LongestRun, now: Timestamp) -> Self {
        Self { longest, looked_at: now }
    }

    /// When the next look makes sense; `None`: nothing that runs can hang.
    pub fn next_at<T>(&self, running: impl IntoIterator<Item = Running<T>>) -> Option<Timestamp> {
        if !self.longest.is_limited() {
            return None;
        }
        let hung_at = |job: Running<T>| self.longest.hung_at(job.is_timer, job.since);
        let first = running.into_iter().filter_map(hung_at).min()?;
        Some(first.max(self.next_look()))
    }

    /// Those that hang at `now`, in the given order; none when it is not time to look.
    pub fn look<T>(
        &mut self,
        now: Timestamp,
        running: impl IntoIterator<Item = Running<T>>,
    ) -> Vec<T> {
        if !self.longest.is_limited() || now < self.next_look() {
            return Vec::new();
        }
        self.looked_at = now;
        let is_hung = |job: &Running<T>| {
            self.longest.hung_at(job.is_timer, job.since).is_some_and(|at| at <= now)
        };
        running.into_iter().filter(is_hung).map(|job| job.what).collect()
    }

    fn next_look(&self) -> Timestamp {
        self.looked_at.plus_ms(self.longest.look_every_ms.max(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(ms)
    }

    fn job(what: u8, is_timer: bool, since: i64) -> Running<u8> {
        Running { what, is_timer, since: at(since) }
    }

    #[test]
    fn without_a_limit_nothing_hangs() {
        let mut watch = HungWatch::new(LongestRun::default(), at(0));
        assert_eq!(watch.next_at([job(1, true, 0)]), None);
        assert!(watch.look(Timestamp::MAX, [job(1, false, 0)]).is_empty());
    }

    #[test]
    fn jobs_and_timers_have_limits_of_their_own() {
        let longest = LongestRun { job_ms: Some(100), timer_ms: Some(50), look_every_ms: 0 };
        let mut watch = HungWatch::new(longest, at(0));
        let running = [job(1, false, 0), job(2, true, 20), job(3, true, 51)];
        assert_eq!(watch.next_at(running), Some(at(70)));
        assert!(watch.look(at(69), running).is_empty());
        assert_eq!(watch.look(at(70), running), [2]);
        assert_eq!(watch.look(at(100), running), [1, 2]);
        let only_jobs = LongestRun { timer_ms: None, ..longest };
        assert_eq!(HungWatch::new(only_jobs, at(0)).look(at(999), running), [1]);
    }

    #[test]
    fn looks_keep_their_distance() {
        let longest = LongestRun { job_ms: Some(10), timer_ms: None, look_every_ms: 60 };
        let mut watch = HungWatch::new(longest, at(0));
        let running = [job(1, false, 0)];
        assert_eq!(watch.next_at(running), Some(at(60)));
        assert!(watch.look(at(59), running).is_empty());
        assert_eq!(watch.look(at(60), running), [1]);
        assert_eq!(watch.next_at(running), Some(at(120)));
    }
}
