//! One type into another, by the rules of the expression language specification.

use orloj_types::{Decimal, Value};

use crate::error::EvalError;
use crate::number::scaled;

pub(super) fn to_bool(value: &Value, offset: usize) -> Result<bool, EvalError> {
    match value {
        Value::Null => Ok(false),
        Value::Bool(flag) => Ok(*flag),
        // Any text has an answer: all but "true" is false.
        Value::Text(text) => Ok(text.eq_ignore_ascii_case("true")),
        other => Err(cannot(other, "boolean", offset)),
    }
}

pub(super) fn to_int(value: &Value, offset: usize) -> Result<i64, EvalError> {
    match value {
        Value::Null => Ok(0),
        Value::Int(number) => Ok(*number),
        Value::Double(number) => Ok(*number as i64),
        Value::Decimal(number) => {
            scaled::to_i64(number).ok_or_else(|| cannot(value, "whole number", offset))
        }
        Value::Text(text) if text.is_empty() => Ok(0),
        Value::Text(text) => text.parse().map_err(|_| cannot(value, "whole number", offset)),
        other => Err(cannot(other, "whole number", offset)),
    }
}

pub(super) fn to_double(value: &Value, offset: usize) -> Result<f64, EvalError> {
    match value {
        Value::Null => Ok(0.0),
        Value::Int(number) => Ok(*number as f64),
        Value::Double(number) => Ok(*number),
        Value::Decimal(number) => Ok(scaled::to_f64(number)),
        Value::Text(text) if text.is_empty() => Ok(0.0),
        Value::Text(text) => java_double(text).ok_or_else(|| cannot(value, "number", offset)),
        other => Err(cannot(other, "number", offset)),
    }
}

/// Whole numbers and doubles by the exact value of the double, as Java does it.
pub(super) fn to_decimal(value: &Value, offset: usize) -> Result<Decimal, EvalError> {
    let decimal = match value {
        Value::Null => scaled::from_f64(0.0),
        Value::Int(number) => scaled::from_f64(*number as f64),
        Value::Double(number) => scaled::from_f64(*number),
        Value::Decimal(number) => Some(*number),
        Value::Text(text) if text.is_empty() => scaled::from_f64(0.0),
        Value::Text(text) => scaled::parse(text),
        _ => None,
    };
    decimal.ok_or_else(|| cannot(value, "decimal", offset))
}

/// A text that counts as a double in arithmetic.
pub(super) fn looks_like_double(value: &Value) -> bool {
    matches!(value, Value::Text(text) if text.contains(['.', 'e', 'E']))
}

fn cannot(value: &Value, target: &str, offset: usize) -> EvalError {
    let message = match value {
        Value::Text(text) => format!("cannot coerce '{}' to a {target}", excerpt(text)),
        other => format!("cannot coerce a {} to a {target}", other.type_name()),
    };
    EvalError::operands(message, offset)
}

fn excerpt(text: &str) -> String {
    const EXCERPT_CHARS: usize = 100;
    text.chars().take(EXCERPT_CHARS).collect()
}

/// Java's syntax of doubles.
///
/// DIFFERENCE: Java also knows hexadecimal ones.
fn java_double(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(|c| c <= ' ');
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    match unsigned {
        "NaN" => return Some(f64::NAN),
        "Infinity" if trimmed.starts_with('-') => return Some(f64::NEG_INFINITY),
        "Infinity" => return Some(f64::INFINITY),
        _ => {}
    }
    let digits = trimmed.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(trimmed);
    // Rust's own spellings of infinity and NaN are none of Java's.
    if !digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E')) {
        return None;
    }
    digits.parse().ok()
}
