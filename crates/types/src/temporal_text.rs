//! The ISO 8601 texts of dates, times and durations.

use std::fmt;

use crate::temporal::{
    Clock, Date, DateTime, NANOS_PER_DAY, NANOS_PER_SECOND, OFFSET_SECONDS_MAX, Temporal, Time,
    Zone,
};

/// A second has no more digits behind its point.
const FRACTION_DIGITS_MAX: usize = 9;
/// Of one number in a duration; beyond it no sum fits.
const DURATION_DIGITS_MAX: usize = 20;

pub(crate) fn parse(text: &str) -> Option<Temporal> {
    if text.starts_with('P') || text.starts_with("-P") {
        return parse_duration(text);
    }
    // Zones have names with a T in them.
    let moment = text.split('@').next().unwrap_or(text);
    if moment.contains('T') {
        return parse_date_time(text).map(Temporal::DateTime);
    }
    match parse_date(text) {
        Some(date) => Some(Temporal::Date(date)),
        None => parse_time(text).map(Temporal::Time),
    }
}

/// Years have four digits, or more without a zero in front.
pub(crate) fn parse_date(text: &str) -> Option<Date> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (year, rest) = rest.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    if year.len() < 4 || year.len() > 4 && year.starts_with('0') || year.len() > 9 {
        return None;
    }
    let year: i32 = digits(year, year.len())?.try_into().ok()?;
    let year = if negative { -year } else { year };
    Date::new(year, digits(month, 2)? as u8, digits(day, 2)? as u8)
}

pub(crate) fn parse_time(text: &str) -> Option<Time> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == ':' || c == '.'));
    let (clock, zone) = text.split_at(end.unwrap_or(text.len()));
    Some(Time { clock: parse_clock(clock)?, zone: parse_zone(zone)? })
}

pub(crate) fn parse_date_time(text: &str) -> Option<DateTime> {
    match text.split_once('T') {
        Some((date, time)) => {
            let date = parse_date(date)?;
            // The end of a day is the start of the next one.
            if let Some(zone) = time.strip_prefix("24:00:00") {
                let time = Time { clock: Clock::default(), zone: parse_zone(zone)? };
                return Some(DateTime { date: date.plus_days(1)?, time });
            }
            Some(DateTime { date, time: parse_time(time)? })
        }
        None => {
            let time = Time { clock: Clock::default(), zone: Zone::Local };
            Some(DateTime { date: parse_date(text)?, time })
        }
    }
}

fn parse_clock(text: &str) -> Option<Clock> {
    let mut parts = text.split(':');
    let hour = digits(parts.next()?, 2)?;
    let minute = digits(parts.next()?, 2)?;
    let (second, nano) = parse_second(parts.next()?)?;
    if parts.next().is_some() {
        return None;
    }
    Clock::new(hour as u8, minute as u8, second, nano)
}

fn parse_second(text: &str) -> Option<(u8, u32)> {
    let Some((second, fraction)) = text.split_once('.') else {
        return Some((digits(text, 2)? as u8, 0));
    };
    Some((digits(second, 2)? as u8, parse_fraction(fraction)?))
}

/// Nanoseconds.
fn parse_fraction(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > FRACTION_DIGITS_MAX {
        return None;
    }
    let number = digits(text, text.len())?;
    Some(number * 10_u32.pow((FRACTION_DIGITS_MAX - text.len()) as u32))
}

fn parse_zone(text: &str) -> Option<Zone> {
    match text {
        "" => Some(Zone::Local),
        "Z" | "z" => Some(Zone::UTC),
        _ => match text.strip_prefix('@') {
            Some(name) => parse_zone_name(name),
            None => parse_offset(text),
        },
    }
}

/// Whether there is such a zone is for those to say who know the zones.
fn parse_zone_name(name: &str) -> Option<Zone> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+');
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain);
    match name {
        "Z" | "z" => Some(Zone::UTC),
        _ => named.then(|| Zone::Named(name.into())),
    }
}

fn parse_offset(text: &str) -> Option<Zone> {
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let mut parts = text[1..].split(':');
    let hours = digits(parts.next()?, 2)? as i32;
    let minutes = digits(parts.next()?, 2)? as i32;
    let seconds = match parts.next() {
        Some(seconds) => digits(seconds, 2)? as i32,
        None => 0,
    };
    if parts.next().is_some() || minutes > 59 || seconds > 59 {
        return None;
    }
    let total = hours * 3_600 + minutes * 60 + seconds;
    (total <= OFFSET_SECONDS_MAX).then_some(Zone::Offset(sign * total))
}

/// Years and months, or days and time; no duration has both.
fn parse_duration(text: &str) -> Option<Temporal> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let rest = rest.strip_prefix('P')?;
    let (days, time) = match rest.split_once('T') {
        Some((_, "")) => return None,
        Some((days, time)) => (days, time),
        None => (rest, ""),
    };
    let (years, days) = component(days, 'Y')?;
    let (months, days) = component(days, 'M')?;
    let (day_count, left) = component(days, 'D')?;
    let (hours, time) = component(time, 'H')?;
    let (minutes, time) = component(time, 'M')?;
    let (seconds, fraction) = parse_seconds(time)?;
    if !left.is_empty() {
        return None;
    }
    let by_month = years.is_some() || months.is_some();
    let by_day = [day_count, hours, minutes, seconds].iter().any(Option::is_some);
    if by_month == by_day {
        return None;
    }
    if by_month {
        let months = years.unwrap_or(0).checked_mul(12)?.checked_add(months.unwrap_or(0))?;
        return Some(Temporal::Months(i64::try_from(sign * months).ok()?));
    }
    let total = day_count
        .unwrap_or(0)
        .checked_mul(86_400)?
        .checked_add(hours.unwrap_or(0).checked_mul(3_600)?)?
        .checked_add(minutes.unwrap_or(0).checked_mul(60)?)?
        .checked_add(seconds.unwrap_or(0))?
        .checked_mul(NANOS_PER_SECOND)?
        .checked_add(fraction)?;
    Some(Temporal::Nanos(sign * total))
}

/// The number before `unit`, if the text goes on with one, and what follows.
fn component(text: &str, unit: char) -> Option<(Option<i128>, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    match text[end..].strip_prefix(unit) {
        Some(rest) => Some((Some(long_digits(&text[..end])?), rest)),
        None => Some((None, text)),
    }
}

fn parse_seconds(text: &str) -> Option<(Option<i128>, i128)> {
    if text.is_empty() {
        return Some((None, 0));
    }
    let number = text.strip_suffix('S')?;
    match number.split_once('.') {
        Some((whole, fraction)) => {
            // Finer than a nanosecond is dropped.
            let fraction = &fraction[..fraction.len().min(FRACTION_DIGITS_MAX)];
            Some((Some(long_digits(whole)?), parse_fraction(fraction)?.into()))
        }
        None => Some((Some(long_digits(number)?), 0)),
    }
}

fn long_digits(text: &str) -> Option<i128> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (plain && text.len() <= DURATION_DIGITS_MAX).then(|| text.parse().ok()).flatten()
}

/// Exactly `count` digits, at most nine.
fn digits(text: &str, count: usize) -> Option<u32> {
    let plain = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

pub(crate) fn write_fraction(nano: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if nano == 0 {
        return Ok(());
    }
    let digits = format!("{nano:09}");
    write!(f, ".{}", digits.trim_end_matches('0'))
}

pub(crate) fn write_offset(seconds: i32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.unsigned_abs();
    write!(f, "{sign}{:02}:{:02}", seconds / 3_600, seconds / 60 % 60)?;
    if !seconds.is_multiple_of(60) {
        write!(f, ":{:02}", seconds % 60)?;
    }
    Ok(())
}

pub(crate) fn write_months(months: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let sign = if months < 0 { "-" } else { "" };
    let months = months.unsigned_abs();
    write!(f, "{sign}P")?;
    if months >= 12 {
        write!(f, "{}Y", months / 12)?;
    }
    if !months.is_multiple_of(12) || months == 0 {
        write!(f, "{}M", months % 12)?;
    }
    Ok(())
}

pub(crate) fn write_nanos(nanos: i128, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let sign = if nanos < 0 { "-" } else { "" };
    let day = NANOS_PER_DAY.unsigned_abs();
    let nanos = nanos.unsigned_abs();
    write!(f, "{sign}P")?;
    if nanos >= day {
        write!(f, "{}D", nanos / day)?;
    }
    if nanos.is_multiple_of(day) && nanos != 0 {
        return Ok(());
    }
    let second = NANOS_PER_SECOND.unsigned_abs();
    let (seconds, fraction) = ((nanos % day / second) as u32, (nanos % second) as u32);
    f.write_str("T")?;
    for (count, unit) in [(seconds / 3_600, 'H'), (seconds / 60 % 60, 'M')] {
        if count > 0 {
            write!(f, "{count}{unit}")?;
        }
    }
    if seconds % 60 != 0 || fraction != 0 || nanos == 0 {
        write!(f, "{}", seconds % 60)?;
        write_fraction(fraction, f)?;
        f.write_str("S")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        let same = [
            "2024-02-29",
            "-0044-03-15",
            "0000-01-01",
            "999999999-12-31",
            "12345-01-01",
            "10:11:12",
            "23:59:59.000000001Z",
            "10:11:12.5+01:00",
            "10:11:12-05:30:15",
            "10:11:12@Europe/Prague",
            "10:11:12@Asia/Tokyo",
            "2024-02-29T10:11:12",
            "2024-02-29T10:11:12.5@America/New_York",
            "2024-02-29T00:00:00Z",
            "P1Y",
            "P1Y2M",
            "-P2M",
            "P0M",
            "PT0S",
            "P1D",
            "P1DT2H3M4.05S",
            "-PT36S",
            "PT23H",
        ];
        for text in same {
            let value = parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(value.to_string(), text);
        }
        let written = [
            ("P12M", "P1Y"),
            ("2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"),
            ("PT24H", "P1D"),
            ("PT90M", "PT1H30M"),
            ("P0D", "PT0S"),
            ("-PT0S", "PT0S"),
            ("10:11:12z", "10:11:12Z"),
            ("10:11:12+00:00", "10:11:12Z"),
            ("10:11:12.500", "10:11:12.5"),
        ];
        for (text, expected) in written {
            assert_eq!(parse(text).map(|value| value.to_string()).as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let wrong = [
            "",
            "P",
            "PT",
            "P1",
            "P1DT",
            "P1Y1D",
            "P1M1Y",
            "PT1M1H",
            "P1.5D",
            "--P1D",
            "P-1D",
            "2024-2-29",
            "2023-02-29",
            "024-01-01",
            "01234-01-01",
            "+2024-01-01",
            "2024-01-01Z",
            "1234567890-01-01",
            "10:11",
            "24:00:00",
            "10:60:00",
            "10:11:12.",
            "10:11:12+1:00",
            "10:11:12+18:01",
            "10:11:12@",
            "10:11:12+01:00@Europe/Prague",
            "T10:11:12",
            "2024-01-01T",
            "2024-01-01t10:11:12",
            "10:11:12.1234567890",
            "²024-01-01",
            "99999999999999999999999999999999999999999D",
        ];
        for text in wrong {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
