//! Dates, times and durations as FEEL knows them.
//!
//! The calendar is the proleptic Gregorian one with a year zero, wider than what time libraries
//! offer: the standard asks for years of nine digits. Rules of time zones are not known here.

use std::fmt;
use std::sync::Arc;

use crate::temporal_text;

/// Years of the standard, in both directions.
pub const YEAR_MAX: i32 = 999_999_999;
/// As in Java; real offsets end at 14 hours.
pub const OFFSET_SECONDS_MAX: i32 = 18 * 3_600;

pub const NANOS_PER_SECOND: i128 = 1_000_000_000;
pub const NANOS_PER_DAY: i128 = 86_400 * NANOS_PER_SECOND;
const MONTHS_PER_YEAR: i64 = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Temporal {
    Date(Date),
    Time(Time),
    DateTime(DateTime),
    /// A duration of years and months, in months.
    Months(i64),
    /// A duration of days and time, in nanoseconds.
    Nanos(i128),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

/// A time of day, with the zone in which it is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    pub clock: Clock,
    pub zone: Zone,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateTime {
    pub date: Date,
    pub time: Time,
}

/// What a clock on the wall shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clock {
    hour: u8,
    minute: u8,
    second: u8,
    nano: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Zone {
    /// Wherever it is read.
    #[default]
    Local,
    /// Seconds east of UTC.
    Offset(i32),
    /// A name of the time zone database.
    Named(Arc<str>),
}

impl Temporal {
    /// Reads what `Display` writes: the ISO 8601 forms of the standard.
    pub fn parse(text: &str) -> Option<Self> {
        temporal_text::parse(text)
    }

    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Date(_) => "date",
            Self::Time(_) => "time",
            Self::DateTime(_) => "date and time",
            Self::Months(_) => "years and months duration",
            Self::Nanos(_) => "days and time duration",
        }
    }
}

impl Date {
    /// `None` when there is no such day.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let exists = year.abs() <= YEAR_MAX
            && (1..=12).contains(&month)
            && (1..=days_in_month(year, month)).contains(&day);
        exists.then_some(Self { year, month, day })
    }

    pub fn parse(text: &str) -> Option<Self> {
        temporal_text::parse_date(text)
    }

    pub fn year(&self) -> i32 {
        self.year
    }

    pub fn month(&self) -> u8 {
        self.month
    }

    pub fn day(&self) -> u8 {
        self.day
    }

    /// Days since 1970-01-01. (Counted in years that begin in March, so that the leap day is the
    /// last of its year.)
    pub fn to_days(&self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        let era = year.div_euclid(400);
        let year = year.rem_euclid(400);
        era * 146_097 + year * 365 + year / 4 - year / 100 + day_of_year - 719_468
    }

    pub fn from_days(days: i64) -> Option<Self> {
        let days = days.checked_add(719_468)?;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era.checked_mul(400)? + year_of_era + i64::from(month <= 2);
        Self::new(i32::try_from(year).ok()?, month as u8, day as u8)
    }

    /// The same day of another month, or the last day of that month.
    pub fn plus_months(&self, months: i64) -> Option<Self> {
        let here = i64::from(self.year) * MONTHS_PER_YEAR + i64::from(self.month) - 1;
        let there = here.checked_add(months)?;
        let year = i32::try_from(there.div_euclid(MONTHS_PER_YEAR)).ok()?;
        if year.abs() > YEAR_MAX {
            return None;
        }
        let month = (there.rem_euclid(MONTHS_PER_YEAR) + 1) as u8;
        Self::new(year, month, self.day.min(days_in_month(year, month)))
    }

    pub fn plus_days(&self, days: i64) -> Option<Self> {
        Self::from_days(self.to_days().checked_add(days)?)
    }

    /// Monday is 1.
    pub fn weekday(&self) -> u8 {
        (self.to_days() + 3).rem_euclid(7) as u8 + 1
    }

    pub fn day_of_year(&self) -> u16 {
        let first = Self { month: 1, day: 1, ..*self };
        (self.to_days() - first.to_days() + 1) as u16
    }

    /// The week of ISO 8601; the first one has the first Thursday of the year.
    pub fn week_of_year(&self) -> u8 {
        let thursday = self.to_days() - i64::from(self.weekday()) + 4;
        // Only at the very ends of the calendar the Thursday may lie outside of it.
        Self::from_days(thursday).map_or(1, |day| ((day.day_of_year() - 1) / 7 + 1) as u8)
    }

    pub fn last_of_month(&self) -> Self {
        Self { day: days_in_month(self.year, self.month), ..*self }
    }
}

impl Clock {
    /// `None` when no clock shows this.
    pub fn new(hour: u8, minute: u8, second: u8, nano: u32) -> Option<Self> {
        let exists = hour < 24 && minute < 60 && second < 60 && nano < 1_000_000_000;
        exists.then_some(Self { hour, minute, second, nano })
    }

    pub fn hour(&self) -> u8 {
        self.hour
    }

    pub fn minute(&self) -> u8 {
        self.minute
    }

    pub fn second(&self) -> u8 {
        self.second
    }

    pub fn nano(&self) -> u32 {
        self.nano
    }

    /// Since midnight.
    pub fn to_nanos(&self) -> i128 {
        let seconds =
            i128::from(self.hour) * 3_600 + i128::from(self.minute) * 60 + i128::from(self.second);
        seconds * NANOS_PER_SECOND + i128::from(self.nano)
    }

    /// Of nanoseconds since midnight; whole days are dropped.
    pub fn from_nanos(nanos: i128) -> Self {
        let nanos = nanos.rem_euclid(NANOS_PER_DAY);
        let seconds = (nanos / NANOS_PER_SECOND) as u32;
        Self {
            hour: (seconds / 3_600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            nano: (nanos % NANOS_PER_SECOND) as u32,
        }
    }
}

impl Time {
    pub fn parse(text: &str) -> Option<Self> {
        temporal_text::parse_time(text)
    }
}

impl DateTime {
    /// Date and time, or a date for its midnight.
    pub fn parse(text: &str) -> Option<Self> {
        temporal_text::parse_date_time(text)
    }

    /// Of the wall clock, as if it were UTC, since 1970.
    pub fn to_local_nanos(&self) -> i128 {
        i128::from(self.date.to_days()) * NANOS_PER_DAY + self.time.clock.to_nanos()
    }

    pub fn from_local_nanos(nanos: i128, zone: Zone) -> Option<Self> {
        let days = i64::try_from(nanos.div_euclid(NANOS_PER_DAY)).ok()?;
        let clock = Clock::from_nanos(nanos);
        Some(Self { date: Date::from_days(days)?, time: Time { clock, zone } })
    }
}

impl Zone {
    pub const UTC: Self = Self::Offset(0);

    /// `None` when it is further from UTC than any zone.
    pub fn offset(seconds: i32) -> Option<Self> {
        (seconds.abs() <= OFFSET_SECONDS_MAX).then_some(Self::Offset(seconds))
    }
}

pub fn days_in_month(year: i32, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

impl From<Date> for Temporal {
    fn from(date: Date) -> Self {
        Self::Date(date)
    }
}

impl From<Time> for Temporal {
    fn from(time: Time) -> Self {
        Self::Time(time)
    }
}

impl From<DateTime> for Temporal {
    fn from(date_time: DateTime) -> Self {
        Self::DateTime(date_time)
    }
}

impl fmt::Display for Temporal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date(date) => date.fmt(f),
            Self::Time(time) => time.fmt(f),
            Self::DateTime(date_time) => date_time.fmt(f),
            Self::Months(months) => temporal_text::write_months(*months, f),
            Self::Nanos(nanos) => temporal_text::write_nanos(*nanos, f),
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.year < 0 { "-" } else { "" };
        write!(f, "{sign}{:04}-{:02}-{:02}", self.year.unsigned_abs(), self.month, self.day)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.hour, self.minute, self.second)?;
        temporal_text::write_fraction(self.nano, f)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.clock, self.zone)
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date, self.time)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => Ok(()),
            Self::Offset(0) => f.write_str("Z"),
            Self::Offset(seconds) => temporal_text::write_offset(*seconds, f),
            Self::Named(name) => write!(f, "@{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_both_ways() {
        let rows = [
            (1970, 1, 1, 0),
            (1969, 12, 31, -1),
            (2000, 3, 1, 11_017),
            (2024, 2, 29, 19_782),
            (0, 1, 1, -719_528),
            (-1, 12, 31, -719_529),
        ];
        for (year, month, day, days) in rows {
            let date = Date::new(year, month, day).expect("a day");
            assert_eq!(date.to_days(), days, "{date}");
            assert_eq!(Date::from_days(days), Some(date));
        }
        for days in (-800_000..800_000).step_by(37) {
            assert_eq!(Date::from_days(days).expect("near").to_days(), days);
        }
        let last = Date::new(YEAR_MAX, 12, 31).expect("a day");
        assert_eq!(Date::from_days(last.to_days()), Some(last));
        assert_eq!(last.plus_days(1), None);
        assert_eq!(Date::from_days(i64::MAX), None);
    }

    #[test]
    fn the_calendar_has_its_rules() {
        assert_eq!(Date::new(2023, 2, 29), None);
        assert_eq!(Date::new(1900, 2, 29), None);
        assert!(Date::new(2000, 2, 29).is_some());
        let day = Date::new(2024, 1, 31).expect("a day");
        assert_eq!(day.plus_months(1), Date::new(2024, 2, 29));
        assert_eq!(day.plus_months(-2), Date::new(2023, 11, 30));
        assert_eq!(day.weekday(), 3);
        assert_eq!(Date::new(2023, 12, 31).map(|day| day.day_of_year()), Some(365));
        let weeks = [(2005, 1, 1, 53), (2003, 12, 29, 1), (2005, 1, 10, 2), (2020, 12, 31, 53)];
        for (year, month, day, week) in weeks {
            assert_eq!(Date::new(year, month, day).map(|day| day.week_of_year()), Some(week));
        }
    }
}
