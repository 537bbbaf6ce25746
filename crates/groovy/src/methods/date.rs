//! `java.util.Date` and `SimpleDateFormat`, in UTC.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::run::{Machine, Thrown};
use crate::value::Val;

pub(super) fn invoke(
    m: &mut Machine<'_>,
    ms: i64,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let civil = civil(ms);
    Ok(Some(match (name, arguments) {
        ("getTime", []) => Val::Long(ms),
        // A date in a variable does not change with this one; the models of the compatible
        // engines that call it expect no more.
        ("setTime", [_]) => Val::Null,
        ("before", [Val::Date(other)]) => Val::Bool(ms < *other),
        ("after", [Val::Date(other)]) => Val::Bool(ms > *other),
        ("compareTo", [Val::Date(other)]) => Val::Int(ms.cmp(other) as i32),
        ("format", [Val::Text(pattern) | Val::GString(pattern)]) => {
            let text = format_date(m, pattern, ms, at)?;
            m.text(text, at)?
        }
        ("plus", [days]) => m.binary(crate::ast::Binary::Add, Val::Date(ms), days.clone(), at)?,
        ("minus", [days]) => m.binary(crate::ast::Binary::Sub, Val::Date(ms), days.clone(), at)?,
        ("clearTime", []) => Val::Date(ms - ms.rem_euclid(crate::run::MS_PER_DAY)),
        ("clone" | "toInstant", []) => Val::Date(ms),
        ("getYear", []) => Val::Int(i32::from(civil.year()) - 1900),
        ("getMonth", []) => Val::Int(i32::from(civil.month()) - 1),
        ("getDate", []) => Val::Int(civil.day().into()),
        ("getDay", []) => Val::Int(civil.weekday().to_sunday_zero_offset().into()),
        ("getHours", []) => Val::Int(civil.hour().into()),
        ("getMinutes", []) => Val::Int(civil.minute().into()),
        ("getSeconds", []) => Val::Int(civil.second().into()),
        _ => return Ok(None),
    }))
}

pub(super) fn invoke_format(
    m: &mut Machine<'_>,
    pattern: &str,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    Ok(Some(match (name, arguments) {
        ("format", [Val::Date(ms)]) => {
            let text = format_date(m, pattern, *ms, at)?;
            m.text(text, at)?
        }
        ("parse", [Val::Text(text) | Val::GString(text)]) => match parse_date(pattern, text) {
            Some(ms) => Val::Date(ms),
            None => {
                let message = format!("Unparseable date: \"{text}\"");
                return Err(m.throw("java.text.ParseException", message, at));
            }
        },
        ("setLenient" | "setTimeZone", [_]) => Val::Null,
        ("toPattern", []) => m.text(pattern, at)?,
        _ => return Ok(None),
    }))
}

/// As `Date.toString()`.
pub(crate) fn java_date(ms: i64) -> String {
    let at = civil(ms);
    let (weekday, month) = (weekday_name(at), month_name(at));
    format!(
        "{} {} {:02} {:02}:{:02}:{:02} UTC {}",
        &weekday[..3],
        &month[..3],
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        at.year()
    )
}

/// What a field of a date takes to be written.
const FIELD_STEPS: usize = 5;

pub(super) fn format_date(m: &mut Machine<'_>, pattern: &str, ms: i64, at: u32) -> Thrown<String> {
    m.steps(pattern.len() * FIELD_STEPS, at)?;
    let moment = civil(ms);
    let mut out = String::new();
    for part in parts(pattern) {
        let (letter, count) = match part {
            Part::Text(text) => {
                out.push_str(&text);
                continue;
            }
            Part::Field(letter, count) => (letter, count),
        };
        let (year, hour) = (i64::from(moment.year()), i64::from(moment.hour()));
        let number = |value: i64| format!("{value:0count$}");
        match letter {
            'y' | 'Y' | 'u' if count == 2 => out.push_str(&format!("{:02}", year.rem_euclid(100))),
            'y' | 'Y' | 'u' => out.push_str(&number(year)),
            'M' | 'L' if count >= 4 => out.push_str(month_name(moment)),
            'M' | 'L' if count == 3 => out.push_str(&month_name(moment)[..3]),
            'M' | 'L' => out.push_str(&number(moment.month().into())),
            'd' => out.push_str(&number(moment.day().into())),
            'D' => out.push_str(&number(moment.day_of_year().into())),
            'E' if count >= 4 => out.push_str(weekday_name(moment)),
            'E' => out.push_str(&weekday_name(moment)[..3]),
            'H' => out.push_str(&number(hour)),
            'k' => out.push_str(&number(if hour == 0 { 24 } else { hour })),
            'h' => out.push_str(&number(if hour % 12 == 0 { 12 } else { hour % 12 })),
            'K' => out.push_str(&number(hour % 12)),
            'm' => out.push_str(&number(moment.minute().into())),
            's' => out.push_str(&number(moment.second().into())),
            'S' => out.push_str(&number(ms.rem_euclid(1000))),
            'a' => out.push_str(if hour < 12 { "AM" } else { "PM" }),
            'z' => out.push_str("UTC"),
            'Z' => out.push_str("+0000"),
            'X' => out.push('Z'),
            other => {
                let message = format!("Illegal pattern character '{other}'");
                return Err(m.throw("java.lang.IllegalArgumentException", message, at));
            }
        }
    }
    Ok(out)
}

fn parse_date(pattern: &str, text: &str) -> Option<i64> {
    let mut rest = text;
    let (mut year, mut month, mut day) = (1970i64, 1i64, 1i64);
    let (mut hour, mut minute, mut second, mut ms, mut offset) = (0i64, 0i64, 0i64, 0i64, 0i64);
    let (mut afternoon, mut twelve) = (None, false);
    let parts: Vec<Part> = parts(pattern).collect();
    for (index, part) in parts.iter().enumerate() {
        let (letter, count) = match part {
            Part::Text(literal) => {
                rest = rest.strip_prefix(literal.as_str())?;
                continue;
            }
            Part::Field(letter, count) => (*letter, *count),
        };
        // Digits that touch the next field are as many as the pattern has letters.
        let touches = matches!(parts.get(index + 1), Some(Part::Field(next, _)) if *next != 'a');
        let mut number = || {
            let digits_max = if touches { count } else { usize::MAX };
            let end = rest.bytes().take(digits_max).take_while(u8::is_ascii_digit).count();
            let value = rest[..end].parse::<i64>().ok()?;
            rest = &rest[end..];
            Some(value)
        };
        match letter {
            'y' | 'u' | 'Y' => {
                year = number()?;
                year += if count == 2 && year < 100 { 2000 } else { 0 };
            }
            'M' if count >= 3 => {
                let found = (1..=12).find(|month| {
                    rest.to_lowercase().starts_with(&MONTHS[month - 1][..3].to_lowercase())
                })?;
                let name = MONTHS[found - 1];
                let long = rest.to_lowercase().starts_with(&name.to_lowercase());
                rest = rest.get(if long { name.len() } else { 3 }..)?;
                month = i64::try_from(found).ok()?;
            }
            'M' | 'L' => month = number()?,
            'd' => day = number()?,
            'H' | 'k' => hour = number()? % 24,
            'h' | 'K' => (hour, twelve) = (number()? % 12, true),
            'm' => minute = number()?,
            's' => second = number()?,
            'S' => ms = number()?,
            'a' => {
                afternoon = Some(rest.get(..2)?.eq_ignore_ascii_case("pm"));
                rest = rest.get(2..)?;
            }
            'E' => rest = rest.trim_start_matches(|c: char| c.is_alphabetic()),
            'X' | 'Z' | 'z' => (offset, rest) = parse_offset(rest)?,
            _ => return None,
        }
    }
    if twelve && afternoon == Some(true) {
        hour += 12;
    }
    // Lenient, as the default is: what is too large carries over.
    let months = year.checked_mul(12)?.checked_add(month - 1)?;
    let first = jiff::civil::Date::new(
        i16::try_from(months.div_euclid(12)).ok()?,
        i8::try_from(months.rem_euclid(12) + 1).ok()?,
        1,
    )
    .ok()?;
    let start = TimeZone::UTC.to_timestamp(first.at(0, 0, 0, 0)).ok()?.as_millisecond();
    let days = (day - 1).checked_mul(86_400)?;
    let seconds = days.checked_add(hour * 3600)?.checked_add(minute * 60)?.checked_add(second)?;
    start.checked_add(seconds.checked_sub(offset)?.checked_mul(1000)?)?.checked_add(ms)
}

fn parse_offset(text: &str) -> Option<(i64, &str)> {
    if let Some(rest) = text
        .strip_prefix('Z')
        .or_else(|| text.strip_prefix("UTC"))
        .or_else(|| text.strip_prefix("GMT"))
    {
        return Some((0, rest));
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let hours = text.get(1..3)?.parse::<i64>().ok()?;
    let rest = text.get(3..)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    match rest.get(..2).and_then(|minutes| minutes.parse::<i64>().ok()) {
        Some(minutes) => Some((sign * (hours * 3600 + minutes * 60), &rest[2..])),
        None => Some((sign * hours * 3600, rest)),
    }
}

enum Part {
    Text(String),
    Field(char, usize),
}

fn parts(pattern: &str) -> impl Iterator<Item = Part> + '_ {
    let mut chars = pattern.chars().peekable();
    std::iter::from_fn(move || {
        let first = chars.next()?;
        if first == '\'' {
            let mut text = String::new();
            if chars.next_if_eq(&'\'').is_some() {
                return Some(Part::Text("'".into()));
            }
            while let Some(c) = chars.next() {
                // Two quotes are one that is meant.
                if c == '\'' && chars.next_if_eq(&'\'').is_none() {
                    break;
                }
                text.push(c);
            }
            return Some(Part::Text(text));
        }
        if !first.is_ascii_alphabetic() {
            return Some(Part::Text(first.to_string()));
        }
        let mut count = 1;
        while chars.next_if_eq(&first).is_some() {
            count += 1;
        }
        // A width beyond this pads for nothing.
        Some(Part::Field(first, count.min(32)))
    })
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn month_name(at: DateTime) -> &'static str {
    usize::try_from(at.month() - 1).ok().and_then(|index| MONTHS.get(index)).unwrap_or(&"")
}

fn weekday_name(at: DateTime) -> &'static str {
    const DAYS: [&str; 7] =
        ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    usize::try_from(at.weekday().to_monday_zero_offset())
        .ok()
        .and_then(|index| DAYS.get(index))
        .unwrap_or(&"")
}

fn civil(ms: i64) -> DateTime {
    let (min, max) = (Timestamp::MIN.as_millisecond(), Timestamp::MAX.as_millisecond());
    let moment = Timestamp::from_millisecond(ms.clamp(min, max)).unwrap_or(Timestamp::UNIX_EPOCH);
    TimeZone::UTC.to_datetime(moment)
}
