//! Dates as Java shows them: `java.util.Date` is a moment, what `dateTime()` gives has a zone.

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use jiff::{Span, Zoned};
use orloj_types::{DateTime, NANOS_PER_SECOND, Temporal, Timestamp, Value, Zone};

use crate::error::EvalError;

const NANOS_PER_MS: i128 = NANOS_PER_SECOND / 1_000;

#[derive(Clone, Debug)]
pub(super) struct Moment(pub Zoned);

impl Moment {
    pub fn new(at: Timestamp, zone: &Zone, offset: usize) -> Result<Self, EvalError> {
        let at = jiff::Timestamp::from_millisecond(at.as_ms()).map_err(|_| beyond(offset))?;
        Ok(Self(at.to_zoned(time_zone(zone))))
    }

    pub fn ms(&self) -> i64 {
        self.0.timestamp().as_millisecond()
    }

    pub fn to_date(&self, offset: usize) -> Result<Value, EvalError> {
        date(self.ms(), offset)
    }

    pub fn plus(&self, unit: &str, count: i64, offset: usize) -> Option<Result<Self, EvalError>> {
        let span = Span::new();
        let span = match unit {
            "Years" => span.try_years(count),
            "Months" => span.try_months(count),
            "Weeks" => span.try_weeks(count),
            "Days" => span.try_days(count),
            "Hours" => span.try_hours(count),
            "Minutes" => span.try_minutes(count),
            "Seconds" => span.try_seconds(count),
            "Millis" => span.try_milliseconds(count),
            _ => return None,
        };
        let moved = span.and_then(|span| self.0.checked_add(span));
        Some(moved.map(Self).map_err(|_| beyond(offset)))
    }

    pub fn with(&self, field: &str, number: i64, offset: usize) -> Option<Result<Self, EvalError>> {
        let with = self.0.with();
        let small = i8::try_from(number).unwrap_or(-1);
        let year = i16::try_from(number).unwrap_or(i16::MAX);
        let built = match field {
            "Year" => with.year(year),
            "MonthOfYear" => with.month(small),
            "DayOfMonth" => with.day(small),
            "HourOfDay" => with.hour(small),
            "MinuteOfHour" => with.minute(small),
            "SecondOfMinute" => with.second(small),
            "MillisOfSecond" => with.millisecond(year),
            _ => return None,
        };
        Some(
            built
                .build()
                .map(Self)
                .map_err(|_| EvalError::operands(format!("there is no {field} {number}"), offset)),
        )
    }

    pub fn field(&self, name: &str) -> Option<i64> {
        let at = &self.0;
        Some(match name {
            "year" => at.year().into(),
            "monthOfYear" => at.month().into(),
            "dayOfMonth" => at.day().into(),
            "dayOfYear" => at.day_of_year().into(),
            "dayOfWeek" => at.weekday().to_monday_one_offset().into(),
            "weekOfWeekyear" => at.date().iso_week_date().week().into(),
            "hourOfDay" => at.hour().into(),
            "minuteOfHour" => at.minute().into(),
            "secondOfMinute" => at.second().into(),
            "millisOfSecond" => at.millisecond().into(),
            "millis" => self.ms(),
            _ => return None,
        })
    }

    pub fn start_of_day(&self, offset: usize) -> Result<Self, EvalError> {
        self.0.start_of_day().map(Self).map_err(|_| beyond(offset))
    }

    /// ISO 8601 with milliseconds.
    pub fn iso(&self) -> String {
        let mut text = self.0.strftime("%Y-%m-%dT%H:%M:%S.%3f").to_string();
        if self.0.offset() == Offset::UTC {
            text.push('Z');
        } else {
            let _ = write!(text, "{}", self.0.strftime("%:z"));
        }
        text
    }

    /// What Java's `Date.toString` writes.
    pub fn java_text(&self) -> String {
        self.0.strftime("%a %b %d %H:%M:%S %Z %Y").to_string()
    }

    /// By a pattern of Java: letters are fields, text stands in quotes.
    pub fn format(&self, pattern: &str, offset: usize) -> Result<String, EvalError> {
        let mut out = String::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            if first == '\'' {
                rest = quoted(&rest[1..], &mut out);
            } else if first.is_ascii_alphabetic() {
                let length = rest.len() - rest.trim_start_matches(first).len();
                self.write_field(first, length, &mut out, offset)?;
                rest = &rest[length..];
            } else {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
        Ok(out)
    }

    fn write_field(
        &self,
        letter: char,
        width: usize,
        out: &mut String,
        offset: usize,
    ) -> Result<(), EvalError> {
        const WIDTH_MAX: usize = 20;
        if width > WIDTH_MAX {
            return Err(EvalError::operands("the pattern repeats a letter too often", offset));
        }
        let at = &self.0;
        let twelve = match at.hour() % 12 {
            0 => 12,
            hour => hour,
        };
        let number: i64 = match letter {
            'y' | 'u' | 'Y' if width == 2 => i64::from(at.year() % 100),
            'y' | 'u' | 'Y' => at.year().into(),
            'M' | 'L' if width >= 3 => {
                let name = if width == 3 { "%b" } else { "%B" };
                let _ = write!(out, "{}", at.strftime(name));
                return Ok(());
            }
            'M' | 'L' => at.month().into(),
            'd' => at.day().into(),
            'D' => at.day_of_year().into(),
            'w' => at.date().iso_week_date().week().into(),
            'H' => at.hour().into(),
            'k' => (if at.hour() == 0 { 24 } else { at.hour() }).into(),
            'h' => twelve.into(),
            'K' => (at.hour() % 12).into(),
            'm' => at.minute().into(),
            's' => at.second().into(),
            'S' => at.millisecond().into(),
            'E' | 'a' | 'z' | 'Z' | 'X' => {
                let pattern = match (letter, width) {
                    ('E', 1..=3) => "%a",
                    ('E', _) => "%A",
                    ('a', _) => "%p",
                    ('z', _) => "%Z",
                    ('Z', _) => "%z",
                    ('X', _) if at.offset() == Offset::UTC => "Z",
                    ('X', 1 | 2) => "%z",
                    _ => "%:z",
                };
                let _ = write!(out, "{}", at.strftime(pattern));
                return Ok(());
            }
            other => {
                let message = format!("the letter '{other}' of a date pattern is not supported");
                return Err(EvalError::operands(message, offset));
            }
        };
        let _ = write!(out, "{number:0width$}");
        Ok(())
    }
}

/// Copies quoted text up to its closing quote; two quotes are one. Gives what follows.
fn quoted<'a>(text: &'a str, out: &mut String) -> &'a str {
    if let Some(rest) = text.strip_prefix('\'') {
        out.push('\'');
        return rest;
    }
    let mut rest = text;
    while let Some((inner, behind)) = rest.split_once('\'') {
        out.push_str(inner);
        match behind.strip_prefix('\'') {
            Some(more) => {
                out.push('\'');
                rest = more;
            }
            None => return behind,
        }
    }
    out.push_str(rest);
    ""
}

/// A date of Java as a value.
pub(super) fn date(ms: i64, offset: usize) -> Result<Value, EvalError> {
    let nanos = i128::from(ms) * NANOS_PER_MS;
    let date = DateTime::from_local_nanos(nanos, Zone::UTC).ok_or_else(|| beyond(offset))?;
    Ok(Value::Temporal(Arc::new(Temporal::DateTime(date))))
}

/// Milliseconds since 1970 of a date, or of a date and time; `None` for what is no moment.
pub(crate) fn ms_of(temporal: &Temporal) -> Option<i64> {
    let (local, zone) = match temporal {
        Temporal::DateTime(at) => (at.to_local_nanos(), &at.time.zone),
        Temporal::Date(date) => {
            return date.to_days().checked_mul(86_400_000);
        }
        _ => return None,
    };
    let local_ms = i64::try_from(local.div_euclid(NANOS_PER_MS)).ok()?;
    match zone {
        Zone::Local => Some(local_ms),
        Zone::Offset(seconds) => local_ms.checked_sub(i64::from(*seconds) * 1_000),
        Zone::Named(_) => {
            let at = jiff::Timestamp::from_millisecond(local_ms).ok()?;
            let local = Offset::UTC.to_datetime(at);
            Some(time_zone(zone).to_timestamp(local).ok()?.as_millisecond())
        }
    }
}

/// What Java's `toString` writes of it, in UTC; `None` for what is no moment.
pub(crate) fn java_text(temporal: &Temporal) -> Option<String> {
    let moment = Moment::new(Timestamp::from_ms(ms_of(temporal)?), &Zone::UTC, 0).ok()?;
    Some(moment.java_text())
}

fn time_zone(zone: &Zone) -> TimeZone {
    match zone {
        Zone::Local => TimeZone::UTC,
        Zone::Offset(seconds) => {
            Offset::from_seconds(*seconds).map_or(TimeZone::UTC, Offset::to_time_zone)
        }
        Zone::Named(name) => TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC),
    }
}

fn beyond(offset: usize) -> EvalError {
    EvalError::operands("the date is beyond the calendar", offset)
}
