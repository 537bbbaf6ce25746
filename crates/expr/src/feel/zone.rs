//! Time zones: their names, and how far from UTC they are at a moment.

use std::sync::LazyLock;

use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use orloj_types::{Date, DateTime, NANOS_PER_SECOND, Temporal, Time, Zone};

use super::mode::Mode;

/// The database of the binary itself, so that a result does not depend on the machine.
static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// Rules of zones repeat with the calendar, every 400 years.
const CYCLE_YEARS: i32 = 400;
const CYCLE_DAYS: i128 = 146_097;
/// Far years are looked up in this cycle instead.
const CYCLE_START: i32 = 2_000;
const KNOWN_YEARS: std::ops::RangeInclusive<i32> = -9_998..=9_998;

/// A literal's text: date, time or duration, in a zone that exists.
pub(super) fn parse_temporal(text: &str, mode: Mode) -> Option<Temporal> {
    if let Some(temporal) =
        Temporal::parse(text).filter(|_| mode.is_standard() || !text.contains("T24:"))
    {
        return checked(temporal).map(|temporal| match temporal {
            Temporal::DateTime(date_time) => Temporal::DateTime(shown(date_time, mode)),
            other => other,
        });
    }
    if mode.is_standard() {
        return None;
    }
    parse_time(text, mode)
        .map(Temporal::Time)
        .or_else(|| parse_date_time(text, mode).map(Temporal::DateTime))
}

pub(super) fn parse_time(text: &str, mode: Mode) -> Option<Time> {
    let time = Time::parse(text).or_else(|| {
        if mode.is_standard() {
            return None;
        }
        match text.strip_prefix("24:00:00") {
            Some(zone) => Time::parse(&format!("00:00:00{zone}")),
            None => Time::parse(&with_seconds(text)?),
        }
    })?;
    exists(&time.zone).then_some(time)
}

pub(super) fn parse_date_time(text: &str, mode: Mode) -> Option<DateTime> {
    // DIFFERENCE: Camunda's engine does not know the end of a day but as a time.
    if !mode.is_standard() && text.contains("T24:") {
        return None;
    }
    let date_time = DateTime::parse(text).or_else(|| {
        if mode.is_standard() {
            return None;
        }
        let (date, time) = text.split_once('T')?;
        Some(DateTime { date: Date::parse(date)?, time: parse_time(time, mode)? })
    })?;
    exists(&date_time.time.zone).then(|| shown(date_time, mode))
}

/// DIFFERENCE: in Camunda's engine a time that the clocks of its zone skip is the one they show
/// instead.
fn shown(date_time: DateTime, mode: Mode) -> DateTime {
    if mode.is_standard() || !matches!(date_time.time.zone, Zone::Named(_)) {
        return date_time;
    }
    let shown = instant(&date_time).and_then(|at| at_instant(at, &date_time.time.zone));
    shown.unwrap_or(date_time)
}

/// DIFFERENCE: Camunda's engine reads local times without seconds.
fn with_seconds(text: &str) -> Option<String> {
    let (minutes, zone) = text.split_at_checked(5)?;
    zone.is_empty().then(|| format!("{minutes}:00{zone}"))
}

fn checked(temporal: Temporal) -> Option<Temporal> {
    let zone = match &temporal {
        Temporal::Time(time) => &time.zone,
        Temporal::DateTime(date_time) => &date_time.time.zone,
        _ => return Some(temporal),
    };
    exists(zone).then_some(temporal)
}

pub(super) fn exists(zone: &Zone) -> bool {
    match zone {
        Zone::Named(name) => find(name).is_some(),
        Zone::Local | Zone::Offset(_) => true,
    }
}

/// Names are written exactly as the database has them.
fn find(name: &str) -> Option<TimeZone> {
    let zone = DATABASE.get(name).ok()?;
    (zone.iana_name() == Some(name)).then_some(zone)
}

/// Seconds east of UTC when the clocks of the zone show this; `None` for local values.
pub(super) fn offset_of(date_time: &DateTime) -> Option<i32> {
    match &date_time.time.zone {
        Zone::Local => None,
        Zone::Offset(seconds) => Some(*seconds),
        Zone::Named(name) => {
            // Of a time that clocks skip or show twice, the offset before they are turned counts.
            let offset = match find(name)?.to_ambiguous_timestamp(civil_of(date_time)?).offset() {
                AmbiguousOffset::Unambiguous { offset } => offset,
                AmbiguousOffset::Gap { before, .. } | AmbiguousOffset::Fold { before, .. } => {
                    before
                }
            };
            Some(offset.seconds())
        }
    }
}

/// Of a time alone; zones with rules are taken as they were at the start of 1970.
pub(super) fn offset_of_time(time: &Time) -> Option<i32> {
    let date = Date::from_days(0)?;
    offset_of(&DateTime { date, time: time.clone() })
}

/// Nanoseconds since 1970 in UTC; `None` for local values.
pub(super) fn instant(date_time: &DateTime) -> Option<i128> {
    let offset = offset_of(date_time)?;
    Some(date_time.to_local_nanos() - i128::from(offset) * NANOS_PER_SECOND)
}

/// What the clocks of a zone show at a moment.
pub(super) fn at_instant(nanos: i128, zone: &Zone) -> Option<DateTime> {
    let seconds = match zone {
        Zone::Local => 0,
        Zone::Offset(seconds) => *seconds,
        Zone::Named(name) => {
            let utc = DateTime::from_local_nanos(nanos, Zone::UTC)?;
            let near = jiff::Timestamp::from_nanosecond(near_nanos(nanos, utc.date.year())).ok()?;
            find(name)?.to_offset(near).seconds()
        }
    };
    DateTime::from_local_nanos(nanos + i128::from(seconds) * NANOS_PER_SECOND, zone.clone())
}

fn near_nanos(nanos: i128, year: i32) -> i128 {
    let cycles = (year - near_year(year)) / CYCLE_YEARS;
    nanos - i128::from(cycles) * CYCLE_DAYS * orloj_types::NANOS_PER_DAY
}

fn near_year(year: i32) -> i32 {
    match KNOWN_YEARS.contains(&year) {
        true => year,
        false => CYCLE_START + (year - CYCLE_START).rem_euclid(CYCLE_YEARS),
    }
}

fn civil_of(date_time: &DateTime) -> Option<civil::DateTime> {
    let (date, clock) = (&date_time.date, &date_time.time.clock);
    civil::DateTime::new(
        near_year(date.year()) as i16,
        date.month() as i8,
        date.day() as i8,
        clock.hour() as i8,
        clock.minute() as i8,
        clock.second() as i8,
        clock.nano() as i32,
    )
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(text: &str) -> Option<i32> {
        offset_of(&parse_date_time(text, Mode::Standard).expect(text)).map(|s| s / 3_600)
    }

    #[test]
    fn zones_have_rules() {
        assert_eq!(offset("2024-01-01T00:00:00@Europe/Prague"), Some(1));
        assert_eq!(offset("2024-07-01T00:00:00@Europe/Prague"), Some(2));
        assert_eq!(offset("123456-07-01T00:00:00@Europe/Prague"), Some(2));
        assert_eq!(offset("2024-07-01T00:00:00"), None);
        assert_eq!(offset("2024-07-01T00:00:00-03:00"), Some(-3));
        assert_eq!(parse_temporal("10:00:00@Nowhere/Else", Mode::Standard), None);
        assert_eq!(parse_temporal("10:00:00@europe/prague", Mode::Standard), None);
        let zone = Zone::Named("Europe/Prague".into());
        for text in ["2024-07-01T12:00:00@Europe/Prague", "99999-07-01T12:00:00@Europe/Prague"] {
            let moment = parse_date_time(text, Mode::Standard).expect(text);
            let nanos = instant(&moment).expect("in a zone");
            assert_eq!(at_instant(nanos, &zone), Some(moment));
        }
    }

    #[test]
    fn a_time_that_clocks_skip_is_the_one_they_show_in_camunda() {
        let read = |text: &str, mode| {
            let read = parse_date_time(text, mode).expect("a date and time");
            (read.time.clock.hour(), read.time.clock.minute())
        };
        let (skipped, there) =
            ("2024-03-31T02:30:00@Europe/Berlin", "2024-03-31T03:30:00@Europe/Berlin");
        assert_eq!(read(skipped, Mode::Camunda8), (3, 30));
        assert_eq!(read(there, Mode::Camunda8), (3, 30));
        assert_eq!(read(skipped, Mode::Standard), (2, 30));
    }
}
