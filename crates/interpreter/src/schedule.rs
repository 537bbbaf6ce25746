//! Timer texts of a model, planned as its dialect plans them. The engine's zone is UTC.
//!
//! What a text means is the business of `orloj-timer`; here are the record's part of it and the
//! errors.

use std::sync::Arc;

use jiff::tz::{Offset, TimeZone};
use jiff::{Span, Timestamp as Moment};
use orloj_model::{Semantics, TimerKind};
use orloj_timer::{Firing, Kind, ParseError, Schedule};
use orloj_types::{NANOS_PER_SECOND, Temporal, Timestamp, Zone};

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
    #[error("'{text}' is no repetition such as R3/PT10S, nor a cron expression: {error}")]
    NotACycle { text: String, error: ParseError },
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
    let kind = match kind {
        TimerKind::Date => Kind::Date,
        TimerKind::Duration => Kind::Duration,
        TimerKind::Cycle => Kind::Cycle,
    };
    let schedule = Schedule::parse(semantics.timers.texts, kind, text)
        .map_err(|error| wrong(kind, text, error))?;
    match schedule.first(now, &TimeZone::UTC) {
        // Elsewhere a repetition is only another way to write its period.
        Some(firing) if schedule.repeats() && kind == Kind::Cycle => Ok(planned(text, firing)),
        Some(firing) => Ok(Planned { due_at: firing.at, repeat: None }),
        // DIFFERENCE: a repetition that is wholly past still fires once, at once, but not in Camunda.
        None if text.starts_with('R') && semantics.timers.past_repetition_fires => {
            Ok(Planned { due_at: now, repeat: None })
        }
        // No day of the calendar fits a cron expression.
        None if schedule.repeats() && !text.starts_with('R') => {
            Ok(Planned { due_at: Timestamp::MAX, repeat: None })
        }
        None => Err(Error::OutOfRange(excerpt(text))),
    }
}

/// A date or duration that an expression has computed. In Camunda and Flowable a date is a date
/// wherever it stands.
pub(crate) fn plan_value(
    kind: TimerKind,
    value: &Temporal,
    now: Timestamp,
    semantics: &Semantics,
) -> Result<Planned, Error> {
    match at(value) {
        Some(due_at) if semantics.timers.dates_anywhere || kind == TimerKind::Date => {
            Ok(Planned { due_at, repeat: None })
        }
        _ => plan(kind, &value.to_string(), now, semantics),
    }
}

/// The moment of a date with a time; of one without an offset in UTC.
pub(crate) fn at(value: &Temporal) -> Option<Timestamp> {
    let Temporal::DateTime(value) = value else { return None };
    let ms = value.to_local_nanos().div_euclid(NANOS_PER_SECOND / 1_000);
    let local = Timestamp::from_ms(i64::try_from(ms).ok()?);
    match &value.time.zone {
        Zone::Local => Some(local),
        Zone::Offset(seconds) => Some(local.plus_ms(-1_000 * i64::from(*seconds))),
        Zone::Named(name) => {
            let zone = orloj_timer::zone(name)?;
            let local = Offset::UTC.to_datetime(Moment::from_millisecond(local.as_ms()).ok()?);
            let at = zone.to_timestamp(local).ok()?;
            Some(Timestamp::from_ms(at.as_millisecond()))
        }
    }
}

/// A date, or a duration from now: what due dates of user tasks may be.
pub(crate) fn moment(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    let text = text.trim();
    let is_duration = text.trim_start_matches(['+', '-']).starts_with('P');
    let kind = if is_duration { Kind::Duration } else { Kind::Date };
    let schedule = Schedule::of_any(kind, text).map_err(|error| wrong(kind, text, error))?;
    let firing = schedule.first(now, &TimeZone::UTC);
    firing.map(|firing| firing.at).ok_or_else(|| Error::OutOfRange(excerpt(text)))
}

/// A date, and nothing that is counted from now.
pub(crate) fn date(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    match text.trim().starts_with(|first: char| first.is_ascii_digit()) {
        true => moment(text, now),
        false => Err(Error::NotADate(excerpt(text))),
    }
}

/// The moment that a cycle names as its end.
pub(crate) fn end_in(text: &str, semantics: &Semantics) -> Option<Timestamp> {
    let schedule = Schedule::parse(semantics.timers.texts, Kind::Cycle, text.trim()).ok()?;
    schedule.ends_at(&TimeZone::UTC)
}

/// A date with time and zone.
pub(crate) fn zoned_moment(text: &str, now: Timestamp) -> Result<Timestamp, Error> {
    let schedule = Schedule::zoned_date(text).map_err(|error| wrong(Kind::Date, text, error))?;
    let firing = schedule.first(now, &TimeZone::UTC);
    firing.map(|firing| firing.at).ok_or_else(|| Error::OutOfRange(excerpt(text)))
}

/// The firing after the one that has just happened; `None` when that was the last.
pub(crate) fn next(repeat: &Repeat, now: Timestamp, semantics: &Semantics) -> Option<Planned> {
    let schedule = Schedule::parse(semantics.timers.texts, Kind::Cycle, &repeat.text).ok()?;
    let slot = u64::from(repeat.fired);
    // A repetition's moment follows from its slot; a cron expression only asks for the present.
    let at = if repeat.text.starts_with('R') {
        schedule.nth(repeat.anchor, slot, &TimeZone::UTC)?
    } else {
        now
    };
    let last = Firing { at, anchor: repeat.anchor, slot };
    schedule.next(&last, now, &TimeZone::UTC).map(|firing| planned(&repeat.text, firing))
}

/// `from` later by a calendar duration; "never" where the calendar ends.
pub(crate) fn later(from: Timestamp, span: &Span) -> Timestamp {
    plus(from, span).unwrap_or(Timestamp::MAX)
}

fn planned(text: &str, firing: Firing) -> Planned {
    // Slots are stored in 32 bits; a second each they last 136 years.
    let repeat = u32::try_from(firing.slot).ok().map(|fired| Repeat {
        text: Arc::from(text),
        anchor: firing.anchor,
        fired,
    });
    Planned { due_at: firing.at, repeat }
}

fn wrong(kind: Kind, text: &str, error: ParseError) -> Error {
    let text = excerpt(text);
    match kind {
        Kind::Date => Error::NotADate(text),
        Kind::Duration => Error::NotADuration(text),
        Kind::Cycle => Error::NotACycle { text, error },
    }
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

    fn at(text: &str) -> Timestamp {
        moment(text, Timestamp::ZERO).expect("a date")
    }

    fn now() -> Timestamp {
        at("2030-01-31T10:00:00.000Z")
    }

    fn zeebe() -> Semantics {
        Sketch::zeebe().build().semantics.clone()
    }

    fn camunda() -> Semantics {
        Sketch::camunda().build().semantics.clone()
    }

    fn flowable() -> Semantics {
        Sketch::flowable().build().semantics.clone()
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
            planned = next_one.repeat.and_then(|r| next(&r, fired_at, semantics));
        }
        found
    }

    #[test]
    fn each_dialect_reads_its_own_texts() {
        let date = "2030-02-01T00:00:00+01:00[Europe/Prague]";
        assert_eq!(due(TimerKind::Date, date, &zeebe()), "2030-01-31T23:00:00.000Z");
        assert!(due(TimerKind::Date, date, &camunda()).contains("is no ISO 8601 date and time"));
        assert_eq!(due(TimerKind::Date, "2030-02-01", &camunda()), "2030-02-01T00:00:00.000Z");
        assert_eq!(due(TimerKind::Date, "PT1H", &camunda()), "2030-01-31T11:00:00.000Z");
        assert!(due(TimerKind::Date, "PT1H", &zeebe()).contains("is no ISO 8601 date and time"));
        assert_eq!(due(TimerKind::Duration, " P1M ", &zeebe()), "2030-02-28T10:00:00.000Z");
        assert_eq!(due(TimerKind::Duration, "R3/PT1H", &camunda()), "2030-01-31T11:00:00.000Z");
        assert_eq!(
            due(TimerKind::Duration, "1 hour", &zeebe()),
            "'1 hour' is no ISO 8601 duration"
        );
        assert!(due(TimerKind::Duration, "P9000Y", &zeebe()).contains("beyond the calendar"));
    }

    #[test]
    fn due_dates_of_user_tasks_are_dates_or_durations() {
        assert_eq!(at("2030-02-01").to_string(), "2030-02-01T00:00:00.000Z");
        assert_eq!(at("2030-02-01T08:30:00+01:00").to_string(), "2030-02-01T07:30:00.000Z");
        assert_eq!(at("P1D").to_string(), "1970-01-02T00:00:00.000Z");
        assert!(moment("tomorrow", now()).is_err());
    }

    #[test]
    fn a_repetition_fires_as_often_as_its_dialect_says() {
        let hours =
            ["2030-01-31T11:00:00.000Z", "2030-01-31T12:00:00.000Z", "2030-01-31T13:00:00.000Z"];
        for semantics in [zeebe(), camunda(), flowable()] {
            assert_eq!(series("R3/PT1H", &semantics, 0), hours);
        }
        let text = "R2/2030-02-05T00:00:00Z/PT6H";
        assert_eq!(series(text, &zeebe(), 0).len(), 2);
        assert_eq!(series(text, &flowable(), 0).len(), 2);
        assert_eq!(series(text, &camunda(), 0).len(), 3);
        assert_eq!(series("R/PT1H", &zeebe(), 0).len(), 5);
    }

    #[test]
    fn a_start_in_the_past() {
        let past = "R/2029-12-31T23:30:00Z/PT24H";
        assert_eq!(
            series(past, &zeebe(), 0)[..2],
            [now().to_string(), "2030-02-01T10:00:00.000Z".into()]
        );
        assert_eq!(series(past, &camunda(), 0)[0], "2030-01-31T23:30:00.000Z");
        // Wholly past.
        let gone = "R2/2020-01-01T00:00:00Z/PT24H";
        assert_eq!(series(gone, &flowable(), 0)[0], now().to_string());
        assert!(plan(TimerKind::Cycle, gone, now(), &camunda()).is_err());
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
        let planned = next(&repeat, later, &camunda()).expect("it goes on");
        assert_eq!(planned.due_at, later.plus_ms(1_000));
    }

    #[test]
    fn cron_goes_on_from_now() {
        assert_eq!(
            series("0 0 9 ? * MON", &zeebe(), 0)[..2],
            ["2030-02-04T09:00:00.000Z", "2030-02-11T09:00:00.000Z"]
        );
        assert_eq!(
            series("0 0 9 ? * 2", &flowable(), 8 * 86_400_000)[..2],
            ["2030-02-04T09:00:00.000Z", "2030-02-18T09:00:00.000Z"]
        );
        let never = plan(TimerKind::Cycle, "0 0 0 30 2 *", now(), &zeebe()).expect("a plan");
        assert_eq!(never, Planned { due_at: Timestamp::MAX, repeat: None });
    }

    #[test]
    fn dates_and_durations_may_be_values() {
        let due = |kind, text: &str, semantics: &Semantics| {
            let value = Temporal::parse(text).expect("a value");
            match plan_value(kind, &value, now(), semantics) {
                Ok(planned) => planned.due_at.to_string(),
                Err(error) => error.to_string(),
            }
        };
        let date = "2030-02-01T00:00:00+01:00";
        assert_eq!(due(TimerKind::Date, date, &zeebe()), "2030-01-31T23:00:00.000Z");
        assert_eq!(due(TimerKind::Duration, date, &camunda()), "2030-01-31T23:00:00.000Z");
        assert!(due(TimerKind::Duration, date, &zeebe()).contains("is no ISO 8601 duration"));
        let named = "2030-07-01T00:00:00@Europe/Prague";
        assert_eq!(due(TimerKind::Date, named, &zeebe()), "2030-06-30T22:00:00.000Z");
        assert_eq!(due(TimerKind::Duration, "P1M", &zeebe()), "2030-02-28T10:00:00.000Z");
        assert_eq!(due(TimerKind::Duration, "PT90M", &zeebe()), "2030-01-31T11:30:00.000Z");
        assert_eq!(due(TimerKind::Duration, "P1DT1H", &camunda()), "2030-02-01T11:00:00.000Z");
    }

    #[test]
    fn other_texts_are_errors() {
        for text in ["0 0 9 * *", "R", "R3", "Rx/PT1S", "R3/soon", "R/PT0S", "R/-PT1S", "R/P20000Y"]
        {
            let found = due(TimerKind::Cycle, text, &zeebe());
            assert!(found.contains("is no repetition"), "{text}: {found}");
        }
    }
}
