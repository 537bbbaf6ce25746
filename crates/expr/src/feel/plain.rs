//! Values as Zeebe keeps them in variables: texts where JSON has no type, null where it has none
//! at all.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use orloj_types::{Clock, Date, DateTime, NANOS_PER_SECOND, Temporal, Time, Value, Zone};

use super::zone;

/// Nothing to do for most values, which are shared then.
pub(crate) fn plain(value: Value) -> Value {
    match &value {
        Value::Temporal(temporal) => Value::text(java_text(temporal)),
        Value::Range(_) | Value::Function(_) => Value::Null,
        Value::List(items) if !items.iter().all(is_plain) => {
            Value::list(items.iter().cloned().map(plain).collect())
        }
        Value::Map(entries) if !entries.values().all(is_plain) => {
            let kept = entries.iter().filter(|(_, entry)| !matches!(entry, Value::Function(_)));
            let plain = |(name, entry): (&Arc<str>, &Value)| (name.clone(), plain(entry.clone()));
            Value::Map(Arc::new(kept.map(plain).collect::<BTreeMap<_, _>>()))
        }
        _ => value,
    }
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Temporal(_) | Value::Range(_) | Value::Function(_) => false,
        Value::List(items) => items.iter().all(is_plain),
        Value::Map(entries) => entries.values().all(is_plain),
        _ => true,
    }
}

/// In whole seconds.
pub(super) fn java_duration(nanos: i128) -> String {
    match nanos - nanos % NANOS_PER_SECOND {
        0 => "P0D".to_owned(),
        whole => Temporal::Nanos(whole).to_string(),
    }
}

pub(super) fn java_date(date: &Date) -> String {
    let sign = if date.year() > 9_999 { "+" } else { "" };
    format!("{sign}{date}")
}

/// The texts of Java: no seconds where they are zero in a local time, fractions in threes of
/// digits, and the offset beside the name of a zone.
fn java_text(temporal: &Temporal) -> String {
    match temporal {
        Temporal::Time(Time { clock, zone: Zone::Local }) => java_clock(clock),
        Temporal::Time(time) => time.to_string(),
        Temporal::DateTime(date_time) => java_moment(date_time),
        Temporal::Date(date) => java_date(date),
        Temporal::Months(0) => "P0Y".to_owned(),
        Temporal::Months(_) => temporal.to_string(),
        Temporal::Nanos(nanos) => java_duration(*nanos),
    }
}

fn java_moment(date_time: &DateTime) -> String {
    let DateTime { date, time } = date_time;
    let mut text = format!("{}T{}", java_date(date), time.clock);
    match (&time.zone, zone::offset_of(date_time)) {
        (Zone::Named(name), Some(seconds)) => {
            let _ = write!(text, "{}[{name}]", Zone::Offset(seconds));
        }
        (zone, _) => {
            let _ = write!(text, "{zone}");
        }
    }
    text
}

fn java_clock(clock: &Clock) -> String {
    if clock.second() == 0 && clock.nano() == 0 {
        return format!("{:02}:{:02}", clock.hour(), clock.minute());
    }
    let mut text = format!("{:02}:{:02}:{:02}", clock.hour(), clock.minute(), clock.second());
    let nano = clock.nano();
    if nano != 0 {
        let digits = format!("{nano:09}");
        let count = match nano {
            _ if nano.is_multiple_of(1_000_000) => 3,
            _ if nano.is_multiple_of(1_000) => 6,
            _ => 9,
        };
        let _ = write!(text, ".{}", &digits[..count]);
    }
    text
}
