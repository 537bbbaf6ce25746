//! Equality and order of FEEL values.

use std::borrow::Cow;
use std::cmp::Ordering;

use orloj_types::{Clock, DateTime, NANOS_PER_SECOND, Temporal, Time, Value, Zone};

use super::mode::Mode;
use super::zone;
use crate::error::EvalError;
use crate::meter::Meter;
use crate::number;
use crate::value_text::compare_text;

const NANOS_PER_MILLISECOND: i128 = 1_000_000;

/// `None` when the types cannot be compared. Null equals null only.
pub(super) fn equal(
    a: &Value,
    b: &Value,
    mode: Mode,
    meter: &mut Meter,
    offset: usize,
) -> Result<Option<bool>, EvalError> {
    Ok(match (a, b) {
        (Value::Null, other) | (other, Value::Null) => Some(other.is_null()),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        (Value::Text(a), Value::Text(b)) => Some(a == b),
        (Value::List(_), Value::List(_))
        | (Value::Map(_), Value::Map(_))
        | (Value::Range(_), Value::Range(_))
        | (Value::Function(_), Value::Function(_)) => Some(same(a, b, mode, meter, 0, offset)?),
        (Value::Temporal(a), Value::Temporal(b)) => equal_temporal(a, b, mode),
        _ => number::compare(a, b).map(Ordering::is_eq),
    })
}

/// Equality inside of lists and contexts, where different types are simply different.
pub(super) fn same(
    a: &Value,
    b: &Value,
    mode: Mode,
    meter: &mut Meter,
    depth: usize,
    offset: usize,
) -> Result<bool, EvalError> {
    meter.step(depth, offset)?;
    Ok(match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !same(a, b, mode, meter, depth + 1, offset)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(a), Value::Map(b)) => {
            if !a.keys().eq(b.keys()) {
                return Ok(false);
            }
            for (a, b) in a.values().zip(b.values()) {
                if !same(a, b, mode, meter, depth + 1, offset)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Range(a), Value::Range(b)) => {
            a.form == b.form
                && a.low_included == b.low_included
                && a.high_included == b.high_included
                && same(&a.low, &b.low, mode, meter, depth + 1, offset)?
                && same(&a.high, &b.high, mode, meter, depth + 1, offset)?
        }
        (Value::Function(a), Value::Function(b)) => std::sync::Arc::ptr_eq(&a.0, &b.0),
        (Value::Temporal(a), Value::Temporal(b)) => equal_temporal(a, b, mode).unwrap_or(false),
        _ => number::compare(a, b).is_some_and(Ordering::is_eq),
    })
}

/// `None` when the values have no order.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(compare_text(a, b)),
        (Value::Temporal(a), Value::Temporal(b)) => order_temporal(a, b),
        _ => number::compare(a, b),
    }
}

fn equal_temporal(a: &Temporal, b: &Temporal, mode: Mode) -> Option<bool> {
    // DIFFERENCE: in Camunda's engine a moment in another zone is another moment.
    if !mode.is_standard() {
        return match (a, b) {
            (Temporal::Time(x), Temporal::Time(y)) => is_both_local(&x.zone, &y.zone, a == b),
            (Temporal::DateTime(x), Temporal::DateTime(y)) => {
                is_both_local(&x.time.zone, &y.time.zone, a == b)
            }
            _ => order_temporal(a, b).map(Ordering::is_eq),
        };
    }
    let is_duration = |value: &Temporal| matches!(value, Temporal::Months(_) | Temporal::Nanos(_));
    match order_temporal(a, b) {
        // The kit compares clocks without what is finer than a millisecond.
        Some(_) => {
            let order = order_temporal(&without_micros(a), &without_micros(b));
            order.map(Ordering::is_eq)
        }
        // Durations of both kinds are the same only where they are nothing at all.
        None if is_duration(a) && is_duration(b) => None,
        // A local time is at no moment that a zoned one could be at.
        None => (std::mem::discriminant(a) == std::mem::discriminant(b)).then_some(false),
    }
}

/// A local value cannot be compared with one in a zone.
fn is_both_local(a: &Zone, b: &Zone, same: bool) -> Option<bool> {
    ((*a == Zone::Local) == (*b == Zone::Local)).then_some(same)
}

fn without_micros(value: &Temporal) -> Cow<'_, Temporal> {
    let cut = |time: &Time| {
        let nanos = time.clock.to_nanos();
        let clock = Clock::from_nanos(nanos - nanos % NANOS_PER_MILLISECOND);
        Time { clock, zone: time.zone.clone() }
    };
    match value {
        Temporal::Time(time) => Cow::Owned(Temporal::Time(cut(time))),
        Temporal::DateTime(DateTime { date, time }) => {
            Cow::Owned(Temporal::DateTime(DateTime { date: *date, time: cut(time) }))
        }
        other => Cow::Borrowed(other),
    }
}

/// Values in zones are ordered by their moments; a local value has no order with them.
fn order_temporal(a: &Temporal, b: &Temporal) -> Option<Ordering> {
    match (a, b) {
        (Temporal::Date(a), Temporal::Date(b)) => Some(a.cmp(b)),
        (Temporal::Time(a), Temporal::Time(b)) => order_times(a, b),
        (Temporal::DateTime(a), Temporal::DateTime(b)) => order_moments(a, b),
        (Temporal::Months(a), Temporal::Months(b)) => Some(a.cmp(b)),
        (Temporal::Nanos(a), Temporal::Nanos(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

fn order_times(a: &Time, b: &Time) -> Option<Ordering> {
    if a.zone == b.zone {
        return Some(a.clock.cmp(&b.clock));
    }
    let nanos = |time: &Time| {
        let offset = zone::offset_of_time(time)?;
        Some(time.clock.to_nanos() - i128::from(offset) * NANOS_PER_SECOND)
    };
    Some(nanos(a)?.cmp(&nanos(b)?))
}

fn order_moments(a: &DateTime, b: &DateTime) -> Option<Ordering> {
    if a.time.zone == Zone::Local && b.time.zone == Zone::Local {
        return Some(a.to_local_nanos().cmp(&b.to_local_nanos()));
    }
    Some(zone::instant(a)?.cmp(&zone::instant(b)?))
}
