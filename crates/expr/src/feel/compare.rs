//! Equality and order of FEEL values.

use std::cmp::Ordering;

use orloj_types::Value;

use crate::error::EvalError;
use crate::meter::Meter;
use crate::number;
use crate::value_text::compare_text;

/// `None` when the types cannot be compared. Null equals null only.
pub(super) fn equal(
    a: &Value,
    b: &Value,
    meter: &mut Meter,
    offset: usize,
) -> Result<Option<bool>, EvalError> {
    Ok(match (a, b) {
        (Value::Null, other) | (other, Value::Null) => Some(other.is_null()),
        (Value::Bool(a), Value::Bool(b)) => Some(a == b),
        (Value::Text(a), Value::Text(b)) => Some(a == b),
        (Value::List(_), Value::List(_)) | (Value::Map(_), Value::Map(_)) => {
            Some(same(a, b, meter, 0, offset)?)
        }
        _ => number::compare(a, b).map(Ordering::is_eq),
    })
}

/// Equality inside of lists and contexts, where different types are simply different.
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
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(false);
            }
            for (a, b) in a.iter().zip(b.iter()) {
                if !same(a, b, meter, depth + 1, offset)? {
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
                if !same(a, b, meter, depth + 1, offset)? {
                    return Ok(false);
                }
            }
            true
        }
        _ => number::compare(a, b).is_some_and(Ordering::is_eq),
    })
}

/// `None` when the values have no order.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(compare_text(a, b)),
        _ => number::compare(a, b),
    }
}
