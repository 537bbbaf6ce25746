use orloj_types::{Temporal, Value};

use super::super::session::{Outcome, Session};
use super::arguments::{boolean, number, outcome, single};
use crate::number::{Number, Rounding};

/// Digits behind the point that a decimal can have, and zeros before it.
const SCALE_MIN: i64 = -6_111;
const SCALE_MAX: i64 = 6_176;
/// Roots, powers and logarithms are series of a few dozen operations.
const SERIES_STEPS: usize = 1_500;

pub(super) fn decimal(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    rounded(session, arguments, Rounding::HalfEven)
}

pub(super) fn floor(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    rounded(session, arguments, Rounding::Floor)
}

pub(super) fn ceiling(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    rounded(session, arguments, Rounding::Ceiling)
}

pub(super) fn round_up(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    rounded(session, arguments, Rounding::Up)
}

pub(super) fn round_down(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    rounded(session, arguments, Rounding::Down)
}

pub(super) fn round_half_up(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    rounded(session, arguments, Rounding::HalfUp)
}

pub(super) fn round_half_down(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    rounded(session, arguments, Rounding::HalfDown)
}

fn rounded(session: &Session<'_>, arguments: &[Value], rounding: Rounding) -> Outcome {
    let Some(n) = number(session, arguments, 0) else { return Ok(Value::Null) };
    let scale = match arguments.get(1) {
        Some(_) => number(session, arguments, 1).and_then(Number::truncated),
        None => Some(0),
    };
    let scale = scale.filter(|scale| (SCALE_MIN..=SCALE_MAX).contains(scale));
    outcome(scale.and_then(|scale| n.rounded(scale as i32, rounding)).map(Number::into_value))
}

/// Of durations as well.
pub(super) fn abs(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let value = single(session, &arguments[0]);
    outcome(match (Number::of(value), value.as_temporal()) {
        (Some(number), _) => Some(number.abs().into_value()),
        (_, Some(Temporal::Months(months))) => {
            months.checked_abs().map(|months| Value::temporal(Temporal::Months(months)))
        }
        (_, Some(Temporal::Nanos(nanos))) => {
            nanos.checked_abs().map(|nanos| Value::temporal(Temporal::Nanos(nanos)))
        }
        _ => None,
    })
}

pub(super) fn modulo(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let (a, b) = (number(session, arguments, 0), number(session, arguments, 1));
    outcome(a.zip(b).and_then(|(a, b)| a.modulo(b)).map(Number::into_value))
}

pub(super) fn sqrt(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    series(session, arguments, Number::sqrt)
}

pub(super) fn log(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    series(session, arguments, Number::ln)
}

pub(super) fn exp(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    series(session, arguments, Number::exp)
}

fn series(
    session: &mut Session<'_>,
    arguments: &[Value],
    of: fn(Number) -> Option<Number>,
) -> Outcome {
    session.meter.steps(SERIES_STEPS, session.at)?;
    outcome(number(session, arguments, 0).and_then(of).map(Number::into_value))
}

pub(super) fn odd(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    boolean(number(session, arguments, 0).and_then(|n| parity(n, 1)))
}

pub(super) fn even(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    boolean(number(session, arguments, 0).and_then(|n| parity(n, 0)))
}

/// Fractions are neither odd nor even.
fn parity(number: Number, rest: i64) -> Option<bool> {
    Some(number.modulo(Number::Int(2))?.compare(Number::Int(rest)).is_eq())
}
