//! Whole numbers, doubles and decimals.

use orloj_types::{Decimal, Value};

use super::super::coerce::{to_decimal, to_double, to_int};
use super::super::operators::same;
use super::{Call, Called};
use crate::decimal::{Parts, Rounding};
use crate::error::EvalError;
use crate::number::scaled;
use crate::value_text::write_plain_decimal;

pub(super) fn call(number: &Value, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let result = match (call.method, call.count()) {
        ("intValue", 0) => Value::Int(int(number)),
        ("longValue", 0) => Value::Int(to_int(number, call.offset)?),
        ("shortValue", 0) => Value::Int(i64::from(to_int(number, call.offset)? as i16)),
        ("byteValue", 0) => Value::Int(i64::from(to_int(number, call.offset)? as i8)),
        ("doubleValue", 0) => Value::Double(to_double(number, call.offset)?),
        ("floatValue", 0) => {
            // Shown with the digits of a float.
            let float = to_double(number, call.offset)? as f32;
            Value::Double(float.to_string().parse().unwrap_or(f64::from(float)))
        }
        ("toString", 0) => {
            let text = call.java_text(number)?;
            return call.made(text);
        }
        ("equals", 1) => {
            let other = call.value(0)?;
            Value::Bool(same(number, &other, call.meter, 0, call.offset)?)
        }
        ("compareTo", 1) => Value::Int(compare(number, call)?),
        _ => match number {
            Value::Decimal(number) => return decimal(number, call),
            Value::Double(number) => match (call.method, call.count()) {
                ("isNaN", 0) => Value::Bool(number.is_nan()),
                ("isInfinite", 0) => Value::Bool(number.is_infinite()),
                _ => return Err(call.unknown("a number")),
            },
            _ => return Err(call.unknown("a number")),
        },
    };
    Ok(result.into())
}

/// As Java cuts it: doubles saturate, whole numbers wrap around.
fn int(number: &Value) -> i64 {
    match number {
        Value::Int(number) => i64::from(*number as i32),
        Value::Double(number) => i64::from(*number as i32),
        Value::Decimal(number) => i64::from(scaled::to_i64(number).unwrap_or(0) as i32),
        _ => 0,
    }
}

fn compare(number: &Value, call: &Call<'_>) -> Result<i64, EvalError> {
    let order = match (number, call.value(0)?) {
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (Value::Double(a), other) => a.total_cmp(&to_double(&other, call.offset)?),
        (Value::Decimal(a), other) => scaled::compare(a, &to_decimal(&other, call.offset)?)
            .unwrap_or(std::cmp::Ordering::Equal),
        (_, other) => return Err(call.wrong("a number of the same kind", &other)),
    };
    Ok(order as i64)
}

/// Larger ones leave the range of decimals, or are 1.
const POWER_MAX: i64 = 999;

fn divided(a: &Decimal, b: &Decimal) -> Option<Decimal> {
    let (dividend, divisor) = (Parts::of(a)?, Parts::of(b)?);
    let quotient = dividend.div(divisor).reduced();
    // Digits to the last place are those of a quotient that was cut off.
    const DIGITS_EXACT: u32 = 36;
    if quotient.digits().checked_ilog10().is_some_and(|digits| digits >= DIGITS_EXACT) {
        return None;
    }
    // Not fewer digits behind the point than the operands suggest.
    let exponent = dividend.exponent() - divisor.exponent();
    if quotient.exponent() > exponent {
        padded(quotient, exponent)?.finish()
    } else {
        quotient.finish()
    }
}

/// The same number with zeros down to `exponent`.
fn padded(number: Parts, exponent: i32) -> Option<Parts> {
    let places = u32::try_from(number.exponent().checked_sub(exponent)?).ok()?;
    let digits = number.digits().checked_mul(10_u128.checked_pow(places)?)?;
    Some(Parts::new(number.is_negative(), digits, exponent))
}

fn remainder(a: &Decimal, b: &Decimal) -> Option<Decimal> {
    let whole = Parts::of(a)?.div(Parts::of(b)?).truncated();
    Parts::of(a)?.add(whole.mul(Parts::of(b)?).negate()).finish()
}

fn with_scale(number: &Decimal, scale: i32, rounding: Rounding) -> Option<Decimal> {
    let (number, exponent) = (Parts::of(number)?, scale.checked_neg()?);
    if number.exponent() > exponent {
        return padded(number, exponent)?.finish();
    }
    number.rescaled(exponent, rounding)?.finish()
}

/// Java's numbers of the ways to round.
fn rounding(mode: i64) -> Option<Rounding> {
    Some(match mode {
        0 => Rounding::Up,
        1 => Rounding::Down,
        2 => Rounding::Ceiling,
        3 => Rounding::Floor,
        4 => Rounding::HalfUp,
        5 => Rounding::HalfDown,
        6 => Rounding::HalfEven,
        _ => return None,
    })
}

fn decimal(number: &Decimal, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let offset = call.offset;
    let other = |call: &Call<'_>| to_decimal(&call.value(0)?, offset);
    let zero = Decimal::from(0);
    let result = match (call.method, call.count()) {
        ("add", 1) => scaled::add(number, &other(call)?),
        ("subtract", 1) => scaled::sub(number, &other(call)?),
        ("multiply", 1) => scaled::mul(number, &other(call)?),
        ("divide", 1) => {
            let divisor = other(call)?;
            if divisor.is_zero() {
                return Err(call.fail("division by zero"));
            }
            // With as many digits as it takes, or not at all.
            return match divided(number, &divisor) {
                Some(number) => Ok(Value::Decimal(number).into()),
                None => Err(call.fail("the division has no end")),
            };
        }
        ("remainder", 1) => {
            let divisor = other(call)?;
            if divisor.is_zero() {
                return Err(call.fail("division by zero"));
            }
            remainder(number, &divisor)
        }
        ("setScale", 1 | 2) => {
            let rounding = if call.count() == 2 { rounding(call.int(1)?) } else { None };
            let scale = i32::try_from(call.int(0)?).unwrap_or(i32::MAX);
            let rescaled = with_scale(number, scale, rounding.unwrap_or(Rounding::Down));
            if rounding.is_none() && rescaled.is_some_and(|rescaled| rescaled != *number) {
                return Err(call.fail("the decimal would have to be rounded"));
            }
            rescaled
        }
        ("pow", 1) => {
            let times = call.int(0)?;
            if !(0..=POWER_MAX).contains(&times) {
                return Err(call.fail(format!("the power must be from 0 to {POWER_MAX}")));
            }
            (0..times).try_fold(Decimal::from(1), |product, _| scaled::mul(&product, number))
        }
        ("stripTrailingZeros", 0) => Parts::of(number).and_then(|parts| parts.reduced().finish()),
        ("precision", 0) => {
            return Ok(Value::Int(number.digits().to_string().len() as i64).into());
        }
        ("negate", 0) => scaled::negate(number),
        ("abs", 0) => {
            if *number < zero {
                scaled::negate(number)
            } else {
                Some(*number)
            }
        }
        ("max" | "min", 1) => {
            let other = other(call)?;
            let takes_other = (other > *number) == (call.method == "max") && other != *number;
            Some(if takes_other { other } else { *number })
        }
        ("signum", 0) => {
            let sign = i64::from(*number > zero) - i64::from(*number < zero);
            return Ok(Value::Int(sign).into());
        }
        ("scale", 0) => {
            return Ok(Value::Int(i64::from(number.fractional_digits_count())).into());
        }
        ("toPlainString", 0) => {
            let mut out = String::new();
            write_plain_decimal(number, &mut out);
            return call.made(out);
        }
        _ => return Err(call.unknown("a decimal")),
    };
    match result {
        Some(number) => Ok(Value::Decimal(number).into()),
        None => Err(call.fail("the number is out of range")),
    }
}
