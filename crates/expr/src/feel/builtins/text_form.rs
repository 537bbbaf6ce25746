//! Values as the text that `string` gives.

use std::fmt::Write as _;

use orloj_types::{Temporal, Value};

use super::super::plain;
use super::super::print;
use super::super::session::Session;
use crate::error::EvalError;
use crate::number::Number;
use crate::value_text::{write_java_decimal, write_plain_decimal};

const CAMUNDA_DIGITS: u32 = 34;

pub(super) fn text_of(session: &mut Session<'_>, value: &Value) -> Result<String, EvalError> {
    let mut out = String::new();
    write(session, value, &mut out)?;
    Ok(out)
}

fn write(session: &mut Session<'_>, value: &Value, out: &mut String) -> Result<(), EvalError> {
    session.depth += 1;
    session.meter.step(session.depth, session.at)?;
    let before = out.len();
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => {
            let _ = write!(out, "{number}");
        }
        Value::Double(number) => {
            let _ = write!(out, "{number}");
        }
        // DIFFERENCE: Camunda's engine computes with 34 digits, and writes very small numbers with
        // an exponent.
        Value::Decimal(number) if !session.is_standard() => {
            let short = Number::of(value).and_then(|number| number.shortened(CAMUNDA_DIGITS));
            match short.map(Number::into_value) {
                Some(Value::Decimal(short)) if short.fractional_digits_count() > 0 => {
                    write_java_decimal(&short, out);
                }
                Some(Value::Decimal(short)) => write_plain_decimal(&short, out),
                _ => write_plain_decimal(number, out),
            }
        }
        Value::Decimal(number) => write_plain_decimal(number, out),
        Value::Text(text) => {
            session.read_text(text.len())?;
            match session.is_standard() {
                true => print::write_text(text, out),
                false => {
                    let _ = write!(out, "\"{text}\"");
                }
            }
        }
        Value::Temporal(temporal) if session.is_standard() => {
            let _ = write!(out, "{temporal}");
        }
        Value::Temporal(temporal) => match &**temporal {
            Temporal::Date(date) => out.push_str(&plain::java_date(date)),
            Temporal::Months(0) => out.push_str("P0Y"),
            Temporal::Nanos(nanos) => out.push_str(&plain::java_duration(*nanos)),
            other => {
                let _ = write!(out, "{other}");
            }
        },
        Value::Range(range) => {
            out.push(if range.low_included { '[' } else { '(' });
            write_end(session, &range.low, out)?;
            out.push_str("..");
            write_end(session, &range.high, out)?;
            out.push(if range.high_included { ']' } else { ')' });
        }
        Value::Function(function) => {
            let _ = write!(out, "function({})", function.0.parameters().join(", "));
        }
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write(session, item, out)?;
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (at, (name, entry)) in entries.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                session.meter.bytes(name.len(), session.at)?;
                match session.is_standard() {
                    true => print::write_key(name, out),
                    false => out.push_str(name),
                }
                out.push_str(if session.is_standard() { ": " } else { ":" });
                write(session, entry, out)?;
            }
            out.push('}');
        }
    }
    session.depth -= 1;
    // What is inside has been paid already; paying twice is cheap and simple.
    if !matches!(value, Value::List(_) | Value::Map(_)) {
        session.meter.bytes(out.len() - before, session.at)?;
    }
    Ok(())
}

fn write_end(session: &mut Session<'_>, end: &Value, out: &mut String) -> Result<(), EvalError> {
    match end {
        Value::Temporal(temporal) if session.is_standard() => {
            let _ = write!(out, "@\"{temporal}\"");
            Ok(())
        }
        Value::Null => Ok(()),
        other => write(session, other, out),
    }
}
