//! When history is cleaned up: in windows of the week, by jobs that share the hour among them.
//!
//! Everything here is a function of settings and time. A job of clean-up lives for ever: it asks
//! [`may_clean`], cleans one chunk, and then asks [`next_run`] when to come back.

use std::ops::RangeInclusive;

use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use orloj_settings::{CleanupSettings, CleanupStrategy, TimeOfDay};
use orloj_timer::{Dialect, Kind, Schedule};
use orloj_types::Timestamp;

/// Pause after a run that left less than a full chunk behind; doubled with every further one.
const BACK_OFF_MS: i64 = 10_000;
const BACK_OFF_MS_MAX: i64 = 3_600_000;

/// What a job of clean-up remembers between its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CleanupState {
    /// The minutes of the hour whose instances are its own.
    pub minutes: RangeInclusive<u8>,
    /// Runs in a row that found less than a full chunk.
    pub empty_runs: u32,
    /// Someone wants it to clean now, whatever the windows say.
    pub is_immediate: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextRun {
    At(Timestamp),
    /// No window will come: somebody has to ask.
    Never,
}

/// Whether a job that was begun may remove anything.
pub fn may_clean(windows: &Windows, state: &CleanupState, now: Timestamp) -> bool {
    state.is_immediate || windows.cycle.is_some() || windows.at(now).is_some()
}

/// When the job runs again, and what it remembers then. `was_full`: it has left something behind,
/// most likely.
pub fn next_run(
    windows: &Windows,
    state: &CleanupState,
    was_full: bool,
    now: Timestamp,
) -> (NextRun, CleanupState) {
    let minutes = state.minutes.clone();
    if was_full {
        let state = CleanupState { minutes, empty_runs: 0, is_immediate: state.is_immediate };
        return (NextRun::At(now), state);
    }
    let soon = now.plus_ms(back_off_ms(state.empty_runs));
    if windows.at(now).is_some() && windows.at(soon).is_some() {
        let empty_runs = state.empty_runs.saturating_add(1);
        return (NextRun::At(soon), CleanupState { minutes, empty_runs, is_immediate: false });
    }
    let state = CleanupState { minutes, empty_runs: 0, is_immediate: false };
    (windows.next(now), state)
}

/// When a job that is made, or made anew by other settings, runs for the first time.
pub fn first_run(windows: &Windows, is_immediate: bool, now: Timestamp) -> NextRun {
    if is_immediate || windows.at(now).is_some() {
        return NextRun::At(now);
    }
    windows.next(now)
}

/// One for each job.
pub fn slices(parallelism: u32) -> Vec<RangeInclusive<u8>> {
    let jobs = u8::try_from(parallelism.clamp(1, 60)).expect("at most 60");
    let length = 60 / jobs;
    let last = jobs - 1;
    let slice = |job: u8| {
        let from = job * length;
        from..=if job == last { 59 } else { from + length - 1 }
    };
    (0..jobs).map(slice).collect()
}

/// The windows of every week, or the moments of a cycle.
#[derive(Clone, Debug)]
pub struct Windows {
    week: [Option<(TimeOfDay, TimeOfDay)>; 7],
    /// Only where there are no windows: clean-up begins at these moments.
    cycle: Option<Schedule>,
    zone: TimeZone,
}

/// From `from` until just before `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    pub from: Timestamp,
    pub until: Timestamp,
}

impl Windows {
    /// `zone`: of times that are written without one.
    pub fn new(settings: &CleanupSettings, zone: TimeZone) -> Self {
        let week = settings.week();
        let cycle = settings.cycle.as_deref().filter(|_| week == [None; 7]);
        // One that cannot be read is refused with the other settings.
        let cycle = cycle
            .and_then(|text| Schedule::parse(Dialect::Flowable, Kind::Cycle, text.trim()).ok());
        Self { week, cycle, zone }
    }

    /// Nothing but a person begins a clean-up.
    pub fn is_empty(&self) -> bool {
        self.cycle.is_none() && self.week.iter().all(Option::is_none)
    }

    fn next(&self, now: Timestamp) -> NextRun {
        let at = match &self.cycle {
            Some(cycle) => cycle.next_after(now, &self.zone),
            None => self.after(now).map(|opening| opening.from),
        };
        at.map_or(NextRun::Never, NextRun::At)
    }

    /// The window open at this moment.
    pub fn at(&self, now: Timestamp) -> Option<Opening> {
        self.around(now).find(|opening| opening.from <= now && now < opening.until)
    }

    /// The first window that opens after this moment.
    pub fn after(&self, now: Timestamp) -> Option<Opening> {
        self.around(now).find(|opening| opening.from > now)
    }

    /// Those that can be open at this moment, and at least one of each weekday to come, by their
    /// beginning.
    fn around(&self, now: Timestamp) -> impl Iterator<Item = Opening> {
        let today = jiff::Timestamp::from_millisecond(now.as_ms())
            .map(|at| at.to_zoned(self.zone.clone()).date());
        let days = today.into_iter().flat_map(|today| {
            // Offsets and windows over midnight reach two days back and one ahead.
            (-2..=8).filter_map(move |days: i64| today.checked_add(days.days()).ok())
        });
        let mut openings: Vec<_> = days.filter_map(|day| self.of_day(day)).collect();
        openings.sort_by_key(|opening| opening.from);
        openings.into_iter()
    }

    fn of_day(&self, day: Date) -> Option<Opening> {
        let weekday = usize::try_from(day.weekday().to_monday_zero_offset()).ok()?;
        let (start, end) = self.week[weekday]?;
        let from = self.moment(day, start)?;
        let until = match self.moment(day, end)? {
            until if until > from => until,
            _ => self.moment(day.tomorrow().ok()?, end)?,
        };
        Some(Opening { from, until })
    }

    /// A time that a change of the clocks skips is the one after the gap.
    fn moment(&self, day: Date, time: TimeOfDay) -> Option<Timestamp> {
        let zone = match time.offset_minutes {
            None => self.zone.clone(),
            Some(minutes) => TimeZone::fixed(Offset::from_seconds(i32::from(minutes) * 60).ok()?),
        };
        let hour = i8::try_from(time.minute / 60).ok()?;
        let minute = i8::try_from(time.minute % 60).ok()?;
        let at = day.at(hour, minute, 0, 0).to_zoned(zone).ok()?;
        Some(Timestamp::from_ms(at.timestamp().as_millisecond()))
    }
}

/// Whether a run has left something behind, most likely.
pub fn is_full(settings: &CleanupSettings, removed: u32) -> bool {
    match settings.strategy {
        CleanupStrategy::RemovalTime => removed >= settings.batch_size,
        CleanupStrategy::EndTime => removed > 0 && removed >= settings.threshold,
    }
}

fn back_off_ms(empty_runs: u32) -> i64 {
    // Beyond this the bound has long been reached.
    let doublings = empty_runs.min(10);
    (BACK_OFF_MS << doublings).min(BACK_OFF_MS_MAX)
}

#[cfg(test)]
mod tests {
    use orloj_settings::Window;

    use super::*;

    fn time(hour: u16, minute: u16) -> Option<TimeOfDay> {
        Some(TimeOfDay { minute: hour * 60 + minute, offset_minutes: None })
    }

    fn at(text: &str) -> Timestamp {
        let at: jiff::Timestamp = text.parse().expect("a moment");
        Timestamp::from_ms(at.as_millisecond())
    }

    fn windows(settings: &CleanupSettings) -> Windows {
        Windows::new(settings, TimeZone::UTC)
    }

    fn shown(opening: Option<Opening>) -> String {
        opening.map_or("-".into(), |o| format!("{} {}", o.from, o.until).replace(":00.000Z", ""))
    }

    #[test]
    fn an_hour_is_shared() {
        let shown = |jobs| {
            let slices = slices(jobs).into_iter();
            slices.map(|s| format!("{}-{}", s.start(), s.end())).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(0), "0-59");
        assert_eq!(shown(1), "0-59");
        assert_eq!(shown(3), "0-19 20-39 40-59");
        assert_eq!(shown(7), "0-7 8-15 16-23 24-31 32-39 40-47 48-59");
        assert_eq!(shown(8), "0-6 7-13 14-20 21-27 28-34 35-41 42-48 49-59");
    }

    #[test]
    fn windows_are_open_until_their_end() {
        // 2030-01-07 is a Monday.
        let nightly = CleanupSettings {
            window: Window { start: time(22, 0), end: time(6, 0) },
            sunday: Window { start: time(1, 0), end: time(5, 0) },
            ..CleanupSettings::default()
        };
        let weekly = CleanupSettings {
            saturday: Window { start: time(20, 0), end: None },
            ..CleanupSettings::default()
        };
        let eastern = TimeOfDay { minute: 60, offset_minutes: Some(600) };
        let elsewhere = CleanupSettings {
            monday: Window { start: Some(eastern), end: time(18, 0) },
            ..CleanupSettings::default()
        };
        let table = [
            // settings, now, open, next
            (&nightly, "2030-01-07T21:59:59Z", "-", "2030-01-07T22:00 2030-01-08T06:00"),
            (
                &nightly,
                "2030-01-07T22:00:00Z",
                "2030-01-07T22:00 2030-01-08T06:00",
                "2030-01-08T22:00 2030-01-09T06:00",
            ),
            (
                &nightly,
                "2030-01-08T05:59:59Z",
                "2030-01-07T22:00 2030-01-08T06:00",
                "2030-01-08T22:00 2030-01-09T06:00",
            ),
            (&nightly, "2030-01-08T06:00:00Z", "-", "2030-01-08T22:00 2030-01-09T06:00"),
            // Saturday's reaches into Sunday, which has a shorter one of its own.
            (
                &nightly,
                "2030-01-13T00:30:00Z",
                "2030-01-12T22:00 2030-01-13T06:00",
                "2030-01-13T01:00 2030-01-13T05:00",
            ),
            (&nightly, "2030-01-13T12:00:00Z", "-", "2030-01-14T22:00 2030-01-15T06:00"),
            (
                &weekly,
                "2030-01-12T20:00:00Z",
                "2030-01-12T20:00 2030-01-13T00:00",
                "2030-01-19T20:00 2030-01-20T00:00",
            ),
            (&weekly, "2030-01-13T00:00:00Z", "-", "2030-01-19T20:00 2030-01-20T00:00"),
            // Monday one o'clock at +10:00 is still Sunday here.
            (
                &elsewhere,
                "2030-01-06T15:00:00Z",
                "2030-01-06T15:00 2030-01-07T18:00",
                "2030-01-13T15:00 2030-01-14T18:00",
            ),
            (&CleanupSettings::default(), "2030-01-06T15:00:00Z", "-", "-"),
        ];
        for (settings, now, open, next) in table {
            let windows = windows(settings);
            assert_eq!(shown(windows.at(at(now))), open, "open at {now}");
            assert_eq!(shown(windows.after(at(now))), next, "after {now}");
        }
        assert!(windows(&CleanupSettings::default()).is_empty());
    }

    #[test]
    fn clocks_that_change_move_a_window_and_lose_none() {
        let zone = TimeZone::get("Europe/Prague").expect("a zone");
        let settings = CleanupSettings {
            window: Window { start: time(2, 30), end: time(4, 0) },
            ..CleanupSettings::default()
        };
        let windows = Windows::new(&settings, zone);
        // On 2030-03-31 two o'clock becomes three.
        let spring = windows.after(at("2030-03-30T12:00:00Z"));
        assert_eq!(shown(spring), "2030-03-31T01:30 2030-03-31T02:00");
        // On 2030-10-27 three o'clock becomes two.
        let autumn = windows.after(at("2030-10-26T12:00:00Z"));
        assert_eq!(shown(autumn), "2030-10-27T00:30 2030-10-27T03:00");
    }

    #[test]
    fn empty_runs_come_back_ever_later_until_the_window_closes() {
        let settings = CleanupSettings {
            window: Window { start: time(22, 0), end: time(0, 0) },
            ..CleanupSettings::default()
        };
        let windows = windows(&settings);
        let now = at("2030-01-07T22:10:00Z");
        let table = [
            // runs before, full, now, next, runs
            (0, true, "2030-01-07T22:10:00Z", "2030-01-07T22:10:00.000Z", 0),
            (7, true, "2030-01-07T22:10:00Z", "2030-01-07T22:10:00.000Z", 0),
            (0, false, "2030-01-07T22:10:00Z", "2030-01-07T22:10:10.000Z", 1),
            (1, false, "2030-01-07T22:10:00Z", "2030-01-07T22:10:20.000Z", 2),
            (8, false, "2030-01-07T22:10:00Z", "2030-01-07T22:52:40.000Z", 9),
            (9, false, "2030-01-07T22:10:00Z", "2030-01-07T23:10:00.000Z", 10),
            (90, false, "2030-01-07T22:10:00Z", "2030-01-07T23:10:00.000Z", 91),
            // The next would be too late for this window.
            (9, false, "2030-01-07T23:30:00Z", "2030-01-08T22:00:00.000Z", 0),
            (3, false, "2030-01-07T12:00:00Z", "2030-01-07T22:00:00.000Z", 0),
        ];
        let state =
            |empty_runs, is_immediate| CleanupState { minutes: 0..=59, empty_runs, is_immediate };
        for (before, was_full, now, next, runs) in table {
            let (run, after) = next_run(&windows, &state(before, true), was_full, at(now));
            assert_eq!(run, NextRun::At(at(next)), "{before} {now}");
            assert_eq!(after, state(runs, was_full), "{before} {now}");
        }
        let never = Windows::new(&CleanupSettings::default(), TimeZone::UTC);
        assert_eq!(next_run(&never, &state(3, true), false, now).0, NextRun::Never);
        assert_eq!(next_run(&never, &state(3, true), true, now).0, NextRun::At(now));
        assert!(may_clean(&never, &state(0, true), now));
        assert!(!may_clean(&never, &state(0, false), now));
        assert!(may_clean(&windows, &state(0, false), now));
        assert_eq!(first_run(&never, true, now), NextRun::At(now));
        assert_eq!(first_run(&never, false, now), NextRun::Never);
        let noon = at("2030-01-07T12:00:00Z");
        assert_eq!(first_run(&windows, false, noon), NextRun::At(at("2030-01-07T22:00:00Z")));
    }

    #[test]
    fn a_cycle_counts_where_there_are_no_windows() {
        let mut settings =
            CleanupSettings { cycle: Some("0 0 1 * * ?".into()), ..CleanupSettings::default() };
        let zone = TimeZone::get("Europe/Prague").expect("a zone");
        let nightly = Windows::new(&settings, zone.clone());
        let state = CleanupState { minutes: 0..=59, empty_runs: 0, is_immediate: false };
        let noon = at("2030-01-07T12:00:00Z");
        let one = at("2030-01-08T00:00:00Z");
        assert!(!nightly.is_empty());
        assert_eq!(first_run(&nightly, false, noon), NextRun::At(one));
        assert!(may_clean(&nightly, &state, one));
        assert_eq!(next_run(&nightly, &state, true, one).0, NextRun::At(one), "there is more");
        let (next, _) = next_run(&nightly, &state, false, one);
        assert_eq!(next, NextRun::At(at("2030-01-09T00:00:00Z")));
        settings.window = Window { start: time(22, 0), end: None };
        let windows = Windows::new(&settings, zone);
        assert_eq!(first_run(&windows, false, noon), NextRun::At(at("2030-01-07T21:00:00Z")));
        assert!(!may_clean(&windows, &state, noon));
    }

    #[test]
    fn what_counts_as_full() {
        let by = |strategy| CleanupSettings { strategy, ..CleanupSettings::default() };
        let removal_time = by(CleanupStrategy::RemovalTime);
        let end_time = by(CleanupStrategy::EndTime);
        for (removed, by_removal, by_end) in
            [(0, false, false), (9, false, false), (10, false, true), (500, true, true)]
        {
            assert_eq!(is_full(&removal_time, removed), by_removal, "{removed}");
            assert_eq!(is_full(&end_time, removed), by_end, "{removed}");
        }
    }
}
