//! Operators on values: which type wins, and what null means.

use std::cmp::Ordering;

use orloj_types::{Decimal, Value};

use super::ast::Operator;
use super::coerce::{looks_like_double, to_bool, to_decimal, to_double, to_int};
use super::moment::ms_of;
use crate::error::EvalError;
use crate::meter::Meter;
use crate::number::scaled;
use crate::value_text::{compare_text, write_java};

type Outcome = Result<Value, EvalError>;

pub(super) fn apply(
    operator: Operator,
    a: &Value,
    b: &Value,
    meter: &mut Meter,
    offset: usize,
) -> Outcome {
    match operator {
        Operator::Equal => equal(a, b, meter, offset).map(Value::Bool),
        Operator::NotEqual => equal(a, b, meter, offset).map(|same| Value::Bool(!same)),
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
            ordered(operator, a, b, meter, offset).map(Value::Bool)
        }
        _ => arithmetic(operator, a, b, offset),
    }
}

pub(super) fn negate(value: &Value, offset: usize) -> Outcome {
    Ok(match value {
        Value::Null => Value::Int(0),
        Value::Int(number) => Value::Int(number.wrapping_neg()),
        Value::Double(number) => Value::Double(-number),
        Value::Decimal(number) => in_range(scaled::negate(number), offset)?,
        Value::Text(_) if looks_like_double(value) => Value::Double(-to_double(value, offset)?),
        Value::Text(_) => Value::Int(to_int(value, offset)?.wrapping_neg()),
        other => {
            let message = format!("cannot negate a {}", other.type_name());
            return Err(EvalError::operands(message, offset));
        }
    })
}

pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

fn arithmetic(operator: Operator, a: &Value, b: &Value, offset: usize) -> Outcome {
    if a.is_null() && b.is_null() {
        return Ok(Value::Int(0));
    }
    let any = |test: fn(&Value) -> bool| test(a) || test(b);
    let decimal = any(|value| matches!(value, Value::Decimal(_)));
    let double = any(|value| matches!(value, Value::Double(_)) || looks_like_double(value));
    match operator {
        Operator::Divide | Operator::Add | Operator::Subtract | Operator::Multiply if decimal => {
            let (a, b) = (to_decimal(a, offset)?, to_decimal(b, offset)?);
            decimals(operator, &a, &b, offset)
        }
        // Division is never whole.
        Operator::Divide => Ok(Value::Double(to_double(a, offset)? / to_double(b, offset)?)),
        _ if double || decimal => {
            let (a, b) = (to_double(a, offset)?, to_double(b, offset)?);
            Ok(Value::Double(match operator {
                Operator::Add => a + b,
                Operator::Subtract => a - b,
                Operator::Multiply => a * b,
                _ => a % b,
            }))
        }
        _ => {
            let (a, b) = (to_int(a, offset)?, to_int(b, offset)?);
            Ok(Value::Int(match operator {
                Operator::Add => a.wrapping_add(b),
                Operator::Subtract => a.wrapping_sub(b),
                Operator::Multiply => a.wrapping_mul(b),
                _ if b == 0 => return Err(by_zero(offset)),
                _ => a.wrapping_rem(b),
            }))
        }
    }
}

fn decimals(operator: Operator, a: &Decimal, b: &Decimal, offset: usize) -> Outcome {
    let result = match operator {
        Operator::Add => scaled::add(a, b),
        Operator::Subtract => scaled::sub(a, b),
        Operator::Multiply => scaled::mul(a, b),
        _ if b.is_zero() => return Err(by_zero(offset)),
        _ => scaled::div(a, b),
    };
    in_range(result, offset)
}

fn in_range(result: Option<Decimal>, offset: usize) -> Outcome {
    result
        .map(Value::Decimal)
        .ok_or_else(|| EvalError::operands("the number is out of range", offset))
}

fn by_zero(offset: usize) -> EvalError {
    EvalError::operands("division by zero", offset)
}

fn equal(a: &Value, b: &Value, meter: &mut Meter, offset: usize) -> Result<bool, EvalError> {
    Ok(match (a, b) {
        (Value::Null, other) | (other, Value::Null) => other.is_null(),
        (Value::Decimal(_), _) | (_, Value::Decimal(_)) => {
            scaled::same(&to_decimal(a, offset)?, &to_decimal(b, offset)?)
        }
        (Value::Double(_), _) | (_, Value::Double(_)) => {
            same_double(to_double(a, offset)?, to_double(b, offset)?)
        }
        (Value::Int(_), _) | (_, Value::Int(_)) => to_int(a, offset)? == to_int(b, offset)?,
        (Value::Bool(_), _) | (_, Value::Bool(_)) => to_bool(a, offset)? == to_bool(b, offset)?,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Text(text), other) | (other, Value::Text(text)) => {
            **text == *text_of(other, meter, offset)?
        }
        _ => same(a, b, meter, 0, offset)?,
    })
}

/// Java's `equals`, which does not coerce.
pub(super) fn same(
    a: &Value,
    b: &Value,
    meter: &mut Meter,
    depth: usize,
    offset: usize,
) -> Result<bool, EvalError> {
    meter.step(depth, offset)?;
    Ok(match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Double(a), Value::Double(b)) => same_double(*a, *b),
        (Value::Decimal(a), Value::Decimal(b)) => scaled::same(a, b),
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Temporal(a), Value::Temporal(b)) => match (ms_of(a), ms_of(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        },
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            for (a, b) in a.iter().zip(b.iter()) {
                if !same(a, b, meter, depth + 1, offset)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(a), Value::Map(b)) if a.keys().eq(b.keys()) => {
            for (a, b) in a.values().zip(b.values()) {
                if !same(a, b, meter, depth + 1, offset)? {
                    return Ok(false);
                }
            }
            true
        }
        _ => false,
    })
}

/// Boxed doubles: NaN equals itself, and the zeros differ.
fn same_double(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn ordered(
    operator: Operator,
    a: &Value,
    b: &Value,
    meter: &mut Meter,
    offset: usize,
) -> Result<bool, EvalError> {
    let or_equal = matches!(operator, Operator::LessOrEqual | Operator::GreaterOrEqual);
    match (a, b) {
        (Value::Null, Value::Null) => return Ok(or_equal),
        (Value::Null, _) | (_, Value::Null) => return Ok(false),
        _ => {}
    }
    // `<=` is "not greater", so that it holds where there is no order.
    let order = order(a, b, meter, offset)?;
    Ok(match operator {
        Operator::Less => order == Some(Ordering::Less),
        Operator::Greater => order == Some(Ordering::Greater),
        Operator::LessOrEqual => order != Some(Ordering::Greater),
        _ => order != Some(Ordering::Less),
    })
}

fn order(
    a: &Value,
    b: &Value,
    meter: &mut Meter,
    offset: usize,
) -> Result<Option<Ordering>, EvalError> {
    Ok(match (a, b) {
        (Value::Decimal(_), _) | (_, Value::Decimal(_)) => {
            scaled::compare(&to_decimal(a, offset)?, &to_decimal(b, offset)?)
        }
        (Value::Double(_), _) | (_, Value::Double(_)) => {
            to_double(a, offset)?.partial_cmp(&to_double(b, offset)?)
        }
        (Value::Int(_), _) | (_, Value::Int(_)) => {
            Some(to_int(a, offset)?.cmp(&to_int(b, offset)?))
        }
        (Value::Text(a), Value::Text(b)) => Some(compare_text(a, b)),
        (Value::Text(text), other) => Some(compare_text(text, &text_of(other, meter, offset)?)),
        (other, Value::Text(text)) => Some(compare_text(&text_of(other, meter, offset)?, text)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Temporal(a), Value::Temporal(b)) if ms_of(a).is_some() && ms_of(b).is_some() => {
            Some(ms_of(a).cmp(&ms_of(b)))
        }
        // One and the same object is neither less nor greater.
        _ if same(a, b, meter, 0, offset)? => Some(Ordering::Equal),
        _ => {
            let message = format!("cannot compare a {} and a {}", a.type_name(), b.type_name());
            return Err(EvalError::operands(message, offset));
        }
    })
}

fn text_of(value: &Value, meter: &mut Meter, offset: usize) -> Result<String, EvalError> {
    let mut out = String::new();
    write_java(value, &mut out, meter, offset)?;
    Ok(out)
}
