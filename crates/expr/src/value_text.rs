//! Values as text: as Java writes them, which UEL's composites rely on, and in plain decimals.

use std::cmp::Ordering;
use std::fmt::Write as _;

use orloj_types::{Decimal, Value};

use crate::error::EvalError;
use crate::meter::Meter;

/// Doubles outside of these are written with an exponent.
const PLAIN_DOUBLE_MIN: f64 = 1e-3;
const PLAIN_DOUBLE_MAX: f64 = 1e7;
/// The one double with a shorter form than Java's two digits.
const SMALLEST_DOUBLE: f64 = f64::from_bits(1);
/// A decimal with more zeros than this after its point is written with an exponent.
const PLAIN_DECIMAL_EXPONENT_MIN: i64 = -6;

/// Appends what Java's `toString` gives; null is empty text at the top and `null` inside.
///
/// DIFFERENCE: the entries of a map come in the order of their names, in Java in the order in
/// which they were put.
pub(crate) fn write_java(
    value: &Value,
    out: &mut String,
    meter: &mut Meter,
    offset: usize,
) -> Result<(), EvalError> {
    if value.is_null() {
        return Ok(());
    }
    write_nested(value, out, meter, 0, offset)
}

fn write_nested(
    value: &Value,
    out: &mut String,
    meter: &mut Meter,
    depth: usize,
    offset: usize,
) -> Result<(), EvalError> {
    meter.step(depth, offset)?;
    let before = out.len();
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => {
            let _ = write!(out, "{number}");
        }
        Value::Double(number) => write_java_double(*number, out),
        Value::Decimal(number) => write_java_decimal(number, out),
        Value::Temporal(temporal) => match crate::uel::java_text(temporal) {
            Some(text) => out.push_str(&text),
            None => {
                let _ = write!(out, "{temporal}");
            }
        },
        Value::Range(_) | Value::Function(_) => out.push_str("null"),
        Value::Text(text) => {
            meter.bytes(text.len(), offset)?;
            out.push_str(text);
            return Ok(());
        }
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_nested(item, out, meter, depth + 1, offset)?;
            }
            out.push(']');
            return Ok(());
        }
        Value::Map(entries) => {
            out.push('{');
            for (at, (name, entry)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                meter.bytes(name.len(), offset)?;
                out.push_str(name);
                out.push('=');
                write_nested(entry, out, meter, depth + 1, offset)?;
            }
            out.push('}');
            return Ok(());
        }
    }
    meter.bytes(out.len() - before, offset)
}

fn write_java_double(number: f64, out: &mut String) {
    if number.is_nan() {
        out.push_str("NaN");
        return;
    }
    if number.is_infinite() {
        out.push_str(if number > 0.0 { "Infinity" } else { "-Infinity" });
        return;
    }
    let size = number.abs();
    if number == 0.0 || (PLAIN_DOUBLE_MIN..PLAIN_DOUBLE_MAX).contains(&size) {
        let _ = write!(out, "{number:?}");
        return;
    }
    let text =
        if size == SMALLEST_DOUBLE { format!("{number:.1e}") } else { format!("{number:e}") };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    out.push_str(mantissa);
    if !mantissa.contains('.') {
        out.push_str(".0");
    }
    out.push('E');
    out.push_str(exponent);
}

pub(crate) fn write_java_decimal(number: &Decimal, out: &mut String) {
    let digits = number.digits().to_string();
    let scale = i64::from(number.fractional_digits_count());
    let exponent = digits.len() as i64 - 1 - scale;
    if scale >= 0 && exponent >= PLAIN_DECIMAL_EXPONENT_MIN {
        write_plain_decimal(number, out);
        return;
    }
    if number.sign().is_negative() {
        out.push('-');
    }
    let (first, rest) = digits.split_at(1);
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    let _ = write!(out, "E{exponent:+}");
}

/// Appends the number without an exponent. Non-finite numbers, which have no digits, are `null`.
pub(crate) fn write_plain_decimal(number: &Decimal, out: &mut String) {
    if !number.is_finite() {
        out.push_str("null");
        return;
    }
    if number.sign().is_negative() {
        out.push('-');
    }
    let digits = number.digits().to_string();
    let scale = i64::from(number.fractional_digits_count());
    match usize::try_from(scale) {
        Ok(0) => out.push_str(&digits),
        Ok(scale) if scale < digits.len() => {
            let (whole, fraction) = digits.split_at(digits.len() - scale);
            out.push_str(whole);
            out.push('.');
            out.push_str(fraction);
        }
        Ok(scale) => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', scale - digits.len()));
            out.push_str(&digits);
        }
        Err(_) => {
            out.push_str(&digits);
            if digits != "0" {
                out.extend(std::iter::repeat_n('0', scale.unsigned_abs() as usize));
            }
        }
    }
}

/// Java's order of texts: by UTF-16 units. It differs from the order of the bytes where characters
/// beyond the basic plane meet those of its end.
pub(crate) fn compare_text(a: &str, b: &str) -> Ordering {
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let start = (0..=common).rev().find(|at| a.is_char_boundary(*at)).unwrap_or(0);
    a[start..].encode_utf16().cmp(b[start..].encode_utf16())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Budget;
    use std::sync::Arc;

    fn java(value: &Value) -> String {
        let mut out = String::new();
        write_java(value, &mut out, &mut Meter::new(Budget::default()), 0).expect("small");
        out
    }

    #[test]
    fn doubles_are_written_as_java_does() {
        let rows = [
            (1.0, "1.0"),
            (100.0, "100.0"),
            (-0.0, "-0.0"),
            (0.001, "0.001"),
            (0.0001, "1.0E-4"),
            (0.00123, "0.00123"),
            (9_999_999.0, "9999999.0"),
            (10_000_000.0, "1.0E7"),
            (12_345_678.9, "1.23456789E7"),
            (1e21, "1.0E21"),
            (-5e-324, "-4.9E-324"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (number, expected) in rows {
            assert_eq!(java(&Value::Double(number)), expected);
        }
    }

    #[test]
    fn decimals_are_written_as_java_does() {
        for text in ["1.50", "-1.50", "0", "1E+30", "1E-7", "0.000001", "1.25E-9", "1.2E+3"] {
            let number: Decimal = text.parse().expect(text);
            assert_eq!(java(&Value::Decimal(number)), text);
        }
    }

    #[test]
    fn lists_and_maps_are_written_as_java_does() {
        let map = [("b".into(), Value::Null), ("a".into(), Value::text("x"))];
        let list = vec![Value::Int(1), Value::Map(Arc::new(map.into_iter().collect()))];
        assert_eq!(java(&Value::List(Arc::new(list))), "[1, {a=x, b=null}]");
        assert_eq!(java(&Value::Null), "");
    }

    #[test]
    fn texts_are_ordered_by_utf16_units() {
        assert_eq!(compare_text("a", "b"), Ordering::Less);
        assert_eq!(compare_text("ab", "a"), Ordering::Greater);
        assert_eq!(compare_text("é", "z"), Ordering::Greater);
        assert_eq!(compare_text("é", "è"), Ordering::Greater);
        assert_eq!(compare_text("x\u{10000}", "x\u{ffff}"), Ordering::Less);
        assert_eq!(compare_text("", ""), Ordering::Equal);
    }
}
