//! Arithmetic and properties of dates, times and durations.

use orloj_types::{
    Clock, Date, DateTime, NANOS_PER_DAY, NANOS_PER_SECOND, Temporal, Time, Value, Zone,
};

use super::ast::Arithmetic;
use super::mode::Mode;
use super::zone;
use crate::number::Number;

/// `None` where the operation has no meaning or no result.
pub(super) fn operation(
    operator: Arithmetic,
    left: &Value,
    right: &Value,
    mode: Mode,
) -> Option<Value> {
    match (left, right) {
        (Value::Temporal(a), Value::Temporal(b)) => match operator {
            Arithmetic::Add => add(a, b).map(Value::temporal),
            Arithmetic::Subtract => subtract(a, b, mode).map(Value::temporal),
            Arithmetic::Divide => divide(a, b).map(Number::into_value),
            Arithmetic::Multiply | Arithmetic::Power => None,
        },
        (Value::Temporal(a), b) => {
            let b = Number::of(b)?;
            match operator {
                // DIFFERENCE: Camunda's engine cuts the fraction off a factor.
                Arithmetic::Multiply if !mode.is_standard() => {
                    let b = Number::Int(b.truncated()?);
                    scale(a, |number| number.mul(b)).map(Value::temporal)
                }
                Arithmetic::Multiply => scale(a, |number| number.mul(b)).map(Value::temporal),
                Arithmetic::Divide => scale(a, |number| number.div(b)).map(Value::temporal),
                _ => None,
            }
        }
        (a, Value::Temporal(b)) if operator == Arithmetic::Multiply => {
            let a = Number::of(a)?;
            let a = if mode.is_standard() { a } else { Number::Int(a.truncated()?) };
            scale(b, |number| number.mul(a)).map(Value::temporal)
        }
        _ => None,
    }
}

pub(super) fn negate(value: &Temporal) -> Option<Temporal> {
    Some(match value {
        Temporal::Months(months) => Temporal::Months(months.checked_neg()?),
        Temporal::Nanos(nanos) => Temporal::Nanos(nanos.checked_neg()?),
        _ => return None,
    })
}

fn add(a: &Temporal, b: &Temporal) -> Option<Temporal> {
    Some(match (a, b) {
        (Temporal::Months(a), Temporal::Months(b)) => Temporal::Months(a.checked_add(*b)?),
        (Temporal::Nanos(a), Temporal::Nanos(b)) => Temporal::Nanos(a.checked_add(*b)?),
        (Temporal::Months(months), other) | (other, Temporal::Months(months)) => {
            plus_months(other, *months)?
        }
        (Temporal::Nanos(nanos), other) | (other, Temporal::Nanos(nanos)) => {
            plus_nanos(other, *nanos)?
        }
        _ => return None,
    })
}

fn subtract(a: &Temporal, b: &Temporal, mode: Mode) -> Option<Temporal> {
    Some(match (a, b) {
        (Temporal::Months(_) | Temporal::Nanos(_), Temporal::Months(_) | Temporal::Nanos(_)) => {
            return add(a, &negate(b)?);
        }
        (_, Temporal::Months(months)) => plus_months(a, months.checked_neg()?)?,
        (_, Temporal::Nanos(nanos)) => plus_nanos(a, nanos.checked_neg()?)?,
        (Temporal::Date(a), Temporal::Date(b)) => {
            Temporal::Nanos(i128::from(a.to_days() - b.to_days()) * NANOS_PER_DAY)
        }
        (Temporal::Time(a), Temporal::Time(b)) => Temporal::Nanos(between_times(a, b)?),
        (Temporal::DateTime(a), Temporal::DateTime(b)) => Temporal::Nanos(between(a, b)?),
        // DIFFERENCE: Camunda's engine does not take a date for its midnight.
        (Temporal::Date(a), Temporal::DateTime(b)) if mode.is_standard() => {
            Temporal::Nanos(between(&midnight_utc(*a), b)?)
        }
        (Temporal::DateTime(a), Temporal::Date(b)) if mode.is_standard() => {
            Temporal::Nanos(between(a, &midnight_utc(*b))?)
        }
        _ => return None,
    })
}

/// By the standard a date is its midnight in UTC.
pub(super) fn midnight_utc(date: Date) -> DateTime {
    DateTime { date, time: Time { clock: Clock::default(), zone: Zone::UTC } }
}

fn between_times(a: &Time, b: &Time) -> Option<i128> {
    let clocks = a.clock.to_nanos() - b.clock.to_nanos();
    if a.zone == b.zone {
        return Some(clocks);
    }
    let offsets = zone::offset_of_time(b)? - zone::offset_of_time(a)?;
    Some(clocks + i128::from(offsets) * NANOS_PER_SECOND)
}

fn between(a: &DateTime, b: &DateTime) -> Option<i128> {
    match (zone::instant(a), zone::instant(b)) {
        (Some(a), Some(b)) => Some(a - b),
        (None, None) => Some(a.to_local_nanos() - b.to_local_nanos()),
        _ => None,
    }
}

fn divide(a: &Temporal, b: &Temporal) -> Option<Number> {
    match (a, b) {
        (Temporal::Months(a), Temporal::Months(b)) => Number::Int(*a).div(Number::Int(*b)),
        (Temporal::Nanos(a), Temporal::Nanos(b)) => {
            Number::from_i128(*a)?.div(Number::from_i128(*b)?)
        }
        _ => None,
    }
}

fn scale(a: &Temporal, by: impl FnOnce(Number) -> Option<Number>) -> Option<Temporal> {
    match a {
        Temporal::Months(months) => Some(Temporal::Months(by(Number::Int(*months))?.truncated()?)),
        Temporal::Nanos(nanos) => Some(Temporal::Nanos(by(Number::from_i128(*nanos)?)?.to_i128()?)),
        _ => None,
    }
}

fn plus_months(value: &Temporal, months: i64) -> Option<Temporal> {
    Some(match value {
        Temporal::Date(date) => Temporal::Date(date.plus_months(months)?),
        Temporal::DateTime(DateTime { date, time }) => {
            Temporal::DateTime(DateTime { date: date.plus_months(months)?, time: time.clone() })
        }
        _ => return None,
    })
}

/// A date moves by whole days, those begun before it included; a time goes round.
fn plus_nanos(value: &Temporal, nanos: i128) -> Option<Temporal> {
    Some(match value {
        Temporal::Date(date) => {
            let days = i64::try_from(nanos.div_euclid(NANOS_PER_DAY)).ok()?;
            Temporal::Date(date.plus_days(days)?)
        }
        Temporal::Time(time) => Temporal::Time(Time {
            clock: Clock::from_nanos(time.clock.to_nanos() + nanos % NANOS_PER_DAY),
            zone: time.zone.clone(),
        }),
        Temporal::DateTime(date_time) => Temporal::DateTime(later(date_time, nanos)?),
        _ => return None,
    })
}

fn later(date_time: &DateTime, nanos: i128) -> Option<DateTime> {
    let zone = &date_time.time.zone;
    match zone {
        Zone::Named(_) => zone::at_instant(zone::instant(date_time)?.checked_add(nanos)?, zone),
        Zone::Local | Zone::Offset(_) => {
            DateTime::from_local_nanos(date_time.to_local_nanos().checked_add(nanos)?, zone.clone())
        }
    }
}

/// Years and months from one day to another, without the days that are left.
pub(super) fn months_between(from: &DateTime, to: &DateTime) -> i64 {
    let count = |date: &Date| i64::from(date.year()) * 12 + i64::from(date.month());
    let months = count(&to.date) - count(&from.date);
    if months > 0 && to.date.day() < from.date.day() {
        months - 1
    } else if months < 0 && to.date.day() > from.date.day() {
        months + 1
    } else {
        months
    }
}

pub(super) fn property(value: &Temporal, name: &str) -> Option<Value> {
    match value {
        Temporal::Date(date) => date_property(date, name),
        Temporal::Time(time) => {
            let offset = || zone::offset_of_time(time);
            time_property(time, name, offset)
        }
        Temporal::DateTime(date_time) => date_property(&date_time.date, name)
            .or_else(|| time_property(&date_time.time, name, || zone::offset_of(date_time))),
        Temporal::Months(months) => Some(Value::Int(match name {
            "years" => months / 12,
            "months" => months % 12,
            _ => return None,
        })),
        Temporal::Nanos(nanos) => {
            let seconds = nanos / NANOS_PER_SECOND;
            Number::from_i128(match name {
                "days" => seconds / 86_400,
                "hours" => seconds / 3_600 % 24,
                "minutes" => seconds / 60 % 60,
                "seconds" => seconds % 60,
                _ => return None,
            })
            .map(Number::into_value)
        }
    }
}

fn date_property(date: &Date, name: &str) -> Option<Value> {
    Some(Value::Int(match name {
        "year" => date.year().into(),
        "month" => date.month().into(),
        "day" => date.day().into(),
        "weekday" => date.weekday().into(),
        _ => return None,
    }))
}

fn time_property(time: &Time, name: &str, offset: impl FnOnce() -> Option<i32>) -> Option<Value> {
    Some(match name {
        "hour" => Value::Int(time.clock.hour().into()),
        "minute" => Value::Int(time.clock.minute().into()),
        "second" => Value::Int(time.clock.second().into()),
        "time offset" => match offset() {
            Some(seconds) => Value::temporal(nanos_of(seconds)),
            None => Value::Null,
        },
        "timezone" => match &time.zone {
            Zone::Named(name) => Value::Text(name.clone()),
            _ => Value::Null,
        },
        _ => return None,
    })
}

fn nanos_of(seconds: i32) -> Temporal {
    Temporal::Nanos(i128::from(seconds) * NANOS_PER_SECOND)
}
