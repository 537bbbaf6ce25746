//! From what was written for a property to what its knob takes.

use super::{Kind, Property};
use crate::setting::Setting;
use crate::settings::{TimeOfDay, Ttl};
use crate::value::{Table, Value};

const MS_PER_DAY: u64 = 86_400_000;

/// The value in the units of the knob, or what was expected instead.
pub fn convert(property: &Property, value: &Value) -> Result<Value, String> {
    if property.kind == Kind::Object {
        return Ok(value.clone());
    }
    let written = text_of(value);
    if let Some((_, ours)) = written.as_deref().and_then(|text| {
        property.words.iter().find(|(theirs, _)| theirs.eq_ignore_ascii_case(text.trim()))
    }) {
        return Ok(if ours.is_empty() { Value::Nothing } else { Value::text(*ours) });
    }
    if written.as_deref().is_some_and(|text| text.trim().is_empty()) {
        return Ok(Value::Nothing);
    }
    by_kind(property.kind, value, written.as_deref())
        .ok_or_else(|| format!("found {}, expected {}", value.describe(), expected(property.kind)))
}

fn by_kind(kind: Kind, value: &Value, written: Option<&str>) -> Option<Value> {
    match kind {
        Kind::Flag => bool::from_value(value).map(Value::Flag),
        Kind::Number | Kind::Millis => i64::from_value(value).map(Value::Number),
        Kind::Seconds => u32::from_value(value).map(|s| Value::Number(i64::from(s) * 1_000)),
        Kind::Batches => u32::from_value(value).map(|batches| Value::Number(batches.into())),
        Kind::Decimal => f64::from_value(value).map(Value::Decimal),
        Kind::Text => written.map(Value::text),
        Kind::Duration => duration_ms(written?, 1).map(number),
        Kind::Days => {
            let ms = duration_ms(written?, MS_PER_DAY)?;
            let days = u32::try_from(ms / MS_PER_DAY).ok()?;
            ms.is_multiple_of(MS_PER_DAY).then(|| Ttl { days }.to_value())
        }
        Kind::Ttl => Ttl::from_value(value).map(|ttl| ttl.to_value()),
        Kind::Time => TimeOfDay::from_value(value).map(|time| time.to_value()),
        Kind::List => Vec::from_value(value).map(|list: Vec<String>| list.to_value()),
        Kind::Map => match value {
            Value::Table(table) => Some(Value::Table(table.clone())),
            Value::Text(text) => pairs(text).map(Value::Table),
            _ => None,
        },
        Kind::Object => Some(value.clone()),
    }
}

fn expected(kind: Kind) -> String {
    let words = match kind {
        Kind::Flag => "true or false",
        Kind::Batches => return u32::expected(),
        Kind::Number => "a whole number",
        Kind::Decimal => "a number",
        Kind::Text => "a text",
        Kind::Millis => "a whole number of milliseconds",
        Kind::Seconds => return format!("a whole number of seconds from 0 to {}", u32::MAX),
        Kind::Duration => "a duration such as PT10S, 10s or 10000 (milliseconds)",
        Kind::Days | Kind::Ttl => "a number of days, such as P180D or 180",
        Kind::Time => "a time such as 22:30 or 22:30+0100",
        Kind::List => "a list",
        Kind::Map => "a table",
        Kind::Object => "an object",
    };
    words.to_owned()
}

fn number(ms: u64) -> Value {
    Value::Number(i64::try_from(ms).unwrap_or(i64::MAX))
}

/// Flags and numbers are texts where the author did not have to quote.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Flag(_) | Value::Number(_) | Value::Decimal(_) => Some(value.to_string()),
        Value::Nothing => Some(String::new()),
        Value::List(_) | Value::Table(_) => None,
    }
}

/// `key=1,other=2`
fn pairs(text: &str) -> Option<Table> {
    text.split(',')
        .filter(|pair| !pair.trim().is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=')?;
            Some((key.trim().to_owned(), Value::text(value.trim())))
        })
        .collect()
}

/// `PT1H30M`, `P2D`, `PT0.5S`; `500ms`, `10s`, `5m`, `1h`, `7d`; a bare number counts `unit_ms`.
fn duration_ms(text: &str, unit_ms: u64) -> Option<u64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<u64>() {
        return number.checked_mul(unit_ms);
    }
    if let Some(iso) = text.strip_prefix(['P', 'p']) {
        return iso_ms(iso);
    }
    let at = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..at].parse().ok()?;
    let unit = match &text[at..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => MS_PER_DAY,
        _ => return None,
    };
    number.checked_mul(unit)
}

/// Days, hours, minutes and seconds; months and years have no length.
fn iso_ms(text: &str) -> Option<u64> {
    let (date, time) = match text.split_once(['T', 't']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut total = 0_u64;
    let mut count = 0;
    let parts = [(date, &[('W', 7 * MS_PER_DAY), ('D', MS_PER_DAY)][..])];
    let times = time.map(|time| (time, &[('H', 3_600_000), ('M', 60_000), ('S', 1_000)][..]));
    for (mut rest, units) in parts.into_iter().chain(times) {
        for &(unit, ms) in units {
            let Some(at) = rest.find([unit, unit.to_ascii_lowercase()]) else { continue };
            total = total.checked_add(part_ms(&rest[..at], ms)?)?;
            rest = &rest[at + 1..];
            count += 1;
        }
        if !rest.is_empty() {
            return None;
        }
    }
    (count > 0).then_some(total)
}

/// Fractions are allowed to the millisecond.
fn part_ms(number: &str, unit_ms: u64) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_short = fraction.len() <= 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let thousandths: u64 = is_short.then(|| format!("{fraction:0<3}").parse().ok()).flatten()?;
    let whole: u64 = whole.parse().ok()?;
    whole.checked_mul(unit_ms)?.checked_add(thousandths.checked_mul(unit_ms)? / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let cases = [
            ("10000", 10_000),
            ("PT10S", 10_000),
            ("PT0.5S", 500),
            ("PT1H30M", 5_400_000),
            ("P1DT1S", 86_401_000),
            ("P2W", 14 * MS_PER_DAY),
            ("500ms", 500),
            ("5m", 300_000),
            ("1h", 3_600_000),
        ];
        for (text, ms) in cases {
            assert_eq!(duration_ms(text, 1), Some(ms), "{text}");
        }
        for bad in ["", "P", "PT", "10x", "-5", "PT-5S", "P1M", "PT1S1M", "PT99999999999999999H"] {
            assert_eq!(duration_ms(bad, 1), None, "{bad}");
        }
        assert_eq!(duration_ms("365", MS_PER_DAY), Some(365 * MS_PER_DAY));
    }
}
