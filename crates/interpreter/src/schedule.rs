//! Timer texts: when is a timer due, and when again.
//!
//! ISO 8601: a moment (`2030-01-05T00:00:00Z`; without an offset it is UTC), a duration (`PT10M`)
//! or a repetition (`R3/PT10S`, `R/2030-01-05T00:00:00Z/P1M`). Durations are calendar durations in
//! UTC: a month is a month, not thirty days. The firings of a repetition are counted from its
//! anchor, so they do not drift and the end of a month stays the end of a month.
//!
//! The text is untrusted: any text gives a moment or an error, in time logarithmic in the number
//! of firings missed.
//!
//! DIFFERENCE: Zeebe lets every missed firing happen, Camunda and Flowable go on with the first
//! after now and count the missed ones as fired. Camunda also takes a duration where a date is
//! expected. Cron texts are not known here yet.

use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{Span, Timestamp as Moment};
use orloj_expr::Language;
use orloj_model::{MissedFirings, Semantics, TimerKind};
use orloj_types::Timestamp;

use crate::record::Repeat;

/// How much of a wrong text its error shows.
const EXCERPT_CHARS_MAX: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Planned {
    pub(crate) due_at: Timestamp,
    /// For texts that repeat; its owner may choose to fire only once.
    pub(crate) repeat: Option<Repeat>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("'{0}' is no ISO 8601 date and time")]
    NotADate(String),
    #[error("'{0}' is no ISO 8601 duration")]
    NotADuration(String),
    #[error("'{0}' is no repetition such as R3/PT10S or R/2030-01-01T00:00:00Z/P1D")]
    NotARepetition(String),
    #[error("'{0}' should be a repetition such as R3/PT10S; cron texts are not supported")]
    Cron(String),
    #[error("'{0}' would repeat without any time in between")]
    NoInterval(String),
    #[error("'{0}' is beyond the calendar")]
    OutOfRange(String),
}

pub(crate) fn plan(
    kind: TimerKind,
    text: &str,
    now: Timestamp,
    semantics: &Semantics,
) -> Result<Planned, Error> {
    let text = text.trim();
    let is_lenient = semantics.language == Language::Uel;
    let due_at = match kind {
        TimerKind::Date if is_lenient && is_duration(text) => after(text, now)?,
        TimerKind::Date => date(text)?,
        TimerKind::Duration if is_lenient && text.starts_with('R') => {
            return first_firing(text, now, semantics.missed_firings);
        }
        TimerKind::Duration => after(text, now)?,
        TimerKind::Cycle => return first_firing(text, now, semantics.missed_firings),
    };
    Ok(Planned { due_at, repeat: None })
}

/// A date, or a duration from now: what due dates of user tasks may be.
pub(crate) fn moment(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    let text = text.trim();
    if is_duration(text) { after(text, now) } else { date(text) }
}

/// The firing after the one that has just happened; `None` when that was the last.
pub(crate) fn next(repeat: &Repeat, now: Timestamp, missed: MissedFirings) -> Option<Planned> {
    let cycle = Cycle::parse(&repeat.text).ok()?;
    let next = u64::from(repeat.fired) + 1;
    let slot = match missed {
        MissedFirings::Replay => next,
        MissedFirings::Skip => cycle.first_slot(repeat.anchor, next, |at| at > now)?,
    };
    cycle.planned(repeat, slot)
}

/// `from` later by a calendar duration; "never" where the calendar ends.
pub(crate) fn later(from: Timestamp, span: &Span) -> Timestamp {
    plus(from, span).unwrap_or(Timestamp::MAX)
}

struct Cycle {
    /// Firings in all; `None` without end.
    times: Option<u64>,
    start: Option<Timestamp>,
    interval: Span,
}

fn first_firing(text: &str, now: Timestamp, missed: MissedFirings) -> Result<Planned, Error> {
    let cycle = Cycle::parse(text)?;
    let repeat = Repeat { text: Arc::from(text), anchor: cycle.start.unwrap_or(now), fired: 0 };
    let planned = match cycle.start {
        None => cycle.planned(&repeat, 0),
        Some(_) => {
            let is_ahead = |at| match missed {
                MissedFirings::Replay => at >= now,
                MissedFirings::Skip => at > now,
            };
            let slot = cycle.first_slot(repeat.anchor, 0, is_ahead);
            // A repetition that is wholly past still fires once, at once.
            let last = Planned { due_at: now, repeat: None };
            Some(slot.and_then(|slot| cycle.planned(&repeat, slot)).unwrap_or(last))
        }
    };
    planned.ok_or_else(|| Error::OutOfRange(excerpt(text)))
}

impl Cycle {
    fn parse(text: &str) -> Result<Self, Error> {
        let Some(rest) = text.strip_prefix('R') else { return Err(Error::Cron(excerpt(text))) };
        let wrong = || Error::NotARepetition(excerpt(text));
        let (times, rest) = rest.split_once('/').ok_or_else(wrong)?;
        let times = match times {
            "" => None,
            // DIFFERENCE: R0 fires once in Zeebe; the others leave it open.
            number => Some(u64::from(number.parse::<u32>().map_err(|_| wrong())?.max(1))),
        };
        let (start, interval) = match rest.split_once('/') {
            Some((start, interval)) => (Some(date(start)?), interval),
            None => (None, rest),
        };
        let interval = span(interval).map_err(|_| wrong())?;
        // Checked at one date: a span is positive everywhere or nowhere.
        if plus(Timestamp::ZERO, &interval).is_none_or(|end| end <= Timestamp::ZERO) {
            return Err(Error::NoInterval(excerpt(text)));
        }
        Ok(Self { times, start, interval })
    }

    /// A given start is the first firing; without one the first is an interval after the anchor.
    fn at(&self, anchor: Timestamp, slot: u64) -> Option<Timestamp> {
        let intervals = slot.checked_add(u64::from(self.start.is_none()))?;
        let span = self.interval.checked_mul(i64::try_from(intervals).ok()?).ok()?;
        plus(anchor, &span)
    }

    fn planned(&self, repeat: &Repeat, slot: u64) -> Option<Planned> {
        if self.times.is_some_and(|times| slot >= times) {
            return None;
        }
        let due_at = self.at(repeat.anchor, slot)?;
        let fired = u32::try_from(slot).ok()?;
        Some(Planned { due_at, repeat: Some(Repeat { fired, ..repeat.clone() }) })
    }

    /// The first slot from `from` on whose moment `is_ahead`. Moments grow with their slots, so
    /// the search doubles its steps and then halves them.
    fn first_slot(
        &self,
        anchor: Timestamp,
        from: u64,
        is_ahead: impl Fn(Timestamp) -> bool,
    ) -> Option<u64> {
        // Beyond the calendar is ahead of everything.
        let ahead = |slot| self.at(anchor, slot).is_none_or(&is_ahead);
        if ahead(from) {
            return Some(from);
        }
        let (mut behind, mut step) = (from, 1);
        while !ahead(behind + step) {
            behind += step;
            step *= 2;
            if behind > u64::from(u32::MAX) {
                return None;
            }
        }
        let mut found = behind + step;
        while found - behind > 1 {
            let middle = behind + (found - behind) / 2;
            if ahead(middle) {
                found = middle;
            } else {
                behind = middle;
            }
        }
        Some(found)
    }
}

fn after(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    plus(now, &span(text)?).ok_or_else(|| Error::OutOfRange(excerpt(text)))
}

fn is_duration(text: &str) -> bool {
    text.trim_start_matches(['+', '-']).starts_with(['P', 'p'])
}

fn span(text: &str) -> Result<Span, Error> {
    // The library also reads durations in words; models must not come to rely on them.
    if !is_duration(text) {
        return Err(Error::NotADuration(excerpt(text)));
    }
    text.parse().map_err(|_| Error::NotADuration(excerpt(text)))
}

fn date(text: &str) -> Result<Timestamp, Error> {
    // A zone in brackets adds nothing to the offset that stands before it.
    let plain = text.split_once('[').map_or(text, |(plain, _)| plain).trim();
    if let Ok(at) = plain.parse::<Moment>() {
        return Ok(Timestamp::from_ms(at.as_millisecond()));
    }
    let at: DateTime = plain.parse().map_err(|_| Error::NotADate(excerpt(text)))?;
    let at = Offset::UTC.to_timestamp(at).map_err(|_| Error::OutOfRange(excerpt(text)))?;
    Ok(Timestamp::from_ms(at.as_millisecond()))
}

fn plus(from: Timestamp, span: &Span) -> Option<Timestamp> {
    let from = Offset::UTC.to_datetime(Moment::from_millisecond(from.as_ms()).ok()?);
    let to = Offset::UTC.to_timestamp(from.checked_add(*span).ok()?).ok()?;
    Some(Timestamp::from_ms(to.as_millisecond()))
}

fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sketch;

    fn now() -> Timestamp {
        date("2030-01-31T10:00:00.000Z").expect("a date")
    }

    fn zeebe() -> Semantics {
        Sketch::zeebe().build().semantics.clone()
    }

    fn camunda() -> Semantics {
        Sketch::camunda().build().semantics.clone()
    }

    fn due(kind: TimerKind, text: &str, semantics: &Semantics) -> String {
        match plan(kind, text, now(), semantics) {
            Ok(planned) => planned.due_at.to_string(),
            Err(error) => error.to_string(),
        }
    }

    /// The first moments, each fired as soon as it is due and `late_ms` have passed.
    fn series(text: &str, semantics: &Semantics, late_ms: i64) -> Vec<String> {
        let mut planned = plan(TimerKind::Cycle, text, now(), semantics).ok();
        let mut found = Vec::new();
        while let Some(next_one) = planned.take().filter(|_| found.len() < 5) {
            found.push(next_one.due_at.to_string());
            let fired_at = next_one.due_at.plus_ms(late_ms);
            planned = next_one.repeat.and_then(|r| next(&r, fired_at, semantics.missed_firings));
        }
        found
    }

    #[test]
    fn dates_with_and_without_offset() {
        for (text, expected) in [
            ("2030-02-01T00:00:00.000Z", "2030-02-01T00:00:00.000Z"),
            ("2030-02-01T00:00:00+02:00", "2030-01-31T22:00:00.000Z"),
            ("2030-02-01T00:00:00+01:00[Europe/Prague]", "2030-01-31T23:00:00.000Z"),
            ("2030-02-01T00:00:00.250", "2030-02-01T00:00:00.250Z"),
            ("2030-02-01T08:30Z", "2030-02-01T08:30:00.000Z"),
            ("2030-02-01", "2030-02-01T00:00:00.000Z"),
            ("tomorrow", "'tomorrow' is no ISO 8601 date and time"),
            ("PT1H", "'PT1H' is no ISO 8601 date and time"),
        ] {
            assert_eq!(due(TimerKind::Date, text, &zeebe()), expected);
        }
        assert_eq!(due(TimerKind::Date, "PT1H", &camunda()), "2030-01-31T11:00:00.000Z");
    }

    #[test]
    fn durations_follow_the_calendar() {
        for (text, expected) in [
            ("P1M", "2030-02-28T10:00:00.000Z"),
            ("P30D", "2030-03-02T10:00:00.000Z"),
            ("P1Y2M3W4DT5H6M7.5S", "2031-04-25T15:06:07.500Z"),
            ("-PT1H", "2030-01-31T09:00:00.000Z"),
            ("1 hour", "'1 hour' is no ISO 8601 duration"),
            ("R3/PT1H", "'R3/PT1H' is no ISO 8601 duration"),
            ("P9000Y", "'P9000Y' is beyond the calendar"),
            ("P", "'P' is no ISO 8601 duration"),
        ] {
            assert_eq!(due(TimerKind::Duration, text, &zeebe()), expected);
        }
        assert_eq!(due(TimerKind::Duration, "R3/PT1H", &camunda()), "2030-01-31T11:00:00.000Z");
    }

    #[test]
    fn a_repetition_fires_as_often_as_it_says() {
        let hours =
            ["2030-01-31T11:00:00.000Z", "2030-01-31T12:00:00.000Z", "2030-01-31T13:00:00.000Z"];
        assert_eq!(series("R3/PT1H", &zeebe(), 0), hours);
        assert_eq!(series("R3/PT1H", &camunda(), 0), hours);
        assert_eq!(series("R0/PT1H", &zeebe(), 0), hours[..1]);
        assert_eq!(series("R/PT1H", &zeebe(), 0).len(), 5);
    }

    #[test]
    fn a_start_is_the_first_firing() {
        let both = ["2030-02-05T00:00:00.000Z", "2030-02-05T06:00:00.000Z"];
        assert_eq!(series("R2/2030-02-05T00:00:00Z/PT6H", &zeebe(), 0), both);
        assert_eq!(series("R2/2030-02-05T00:00:00Z/PT6H", &camunda(), 0), both);
        let past = "R/2020-01-01T00:00:00Z/PT24H";
        assert_eq!(series(past, &zeebe(), 0)[0], "2030-02-01T00:00:00.000Z");
        assert_eq!(series("R2/2020-01-01T00:00:00Z/PT24H", &zeebe(), 0), [now().to_string()]);
        assert_eq!(series("R2/2020-01-01T00:00:00Z/PT24H", &camunda(), 0), [now().to_string()]);
    }

    #[test]
    fn months_are_counted_from_the_anchor() {
        let ends = [
            "2030-02-28T10:00:00.000Z",
            "2030-03-31T10:00:00.000Z",
            "2030-04-30T10:00:00.000Z",
            "2030-05-31T10:00:00.000Z",
            "2030-06-30T10:00:00.000Z",
        ];
        assert_eq!(series("R/P1M", &zeebe(), 0), ends);
        assert_eq!(series("R/P1M", &camunda(), 0), ends);
    }

    #[test]
    fn missed_firings_are_made_up_for_or_skipped() {
        let late_ms = 150 * 60_000;
        assert_eq!(
            series("R4/PT1H", &zeebe(), late_ms),
            [
                "2030-01-31T11:00:00.000Z",
                "2030-01-31T12:00:00.000Z",
                "2030-01-31T13:00:00.000Z",
                "2030-01-31T14:00:00.000Z"
            ]
        );
        assert_eq!(
            series("R4/PT1H", &camunda(), late_ms),
            ["2030-01-31T11:00:00.000Z", "2030-01-31T14:00:00.000Z"]
        );
    }

    #[test]
    fn ten_years_of_seconds_are_skipped_in_no_time() {
        let first = plan(TimerKind::Cycle, "R/PT1S", now(), &camunda()).expect("a plan");
        let later = first.due_at.plus_ms(10 * 365 * 86_400_000);
        let repeat = first.repeat.expect("it repeats");
        let planned = next(&repeat, later, MissedFirings::Skip).expect("it goes on");
        assert_eq!(planned.due_at, later.plus_ms(1_000));
    }

    #[test]
    fn other_texts_are_errors() {
        for (text, expected) in [
            ("0 0 9 * * MON", "should be a repetition"),
            ("R", "is no repetition"),
            ("R3", "is no repetition"),
            ("Rx/PT1S", "is no repetition"),
            ("R3/soon", "is no repetition"),
            ("R3/PT0S", "without any time in between"),
            ("R/-PT1S", "without any time in between"),
            ("R/P20000Y", "is no repetition"),
            ("R/2030-01-01/2030-01-02", "is no repetition"),
        ] {
            let found = due(TimerKind::Cycle, text, &zeebe());
            assert!(found.contains(expected), "{text}: {found}");
        }
    }
}
