//! What `dateTime()` gives: a date with a zone that can be moved.

use orloj_types::Value;

use super::super::item::Item;
use super::super::moment::Moment;
use super::{Call, Called};
use crate::error::EvalError;

pub(super) fn call(moment: &Moment, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let offset = call.offset;
    let moved = match (call.method, call.count()) {
        ("toDate", 0) => return Ok(moment.to_date(offset)?.into()),
        ("toString", 0) => return call.made(moment.iso()),
        ("toString", 1) => {
            let pattern = call.text(0)?;
            return call.made(moment.format(&pattern, offset)?);
        }
        ("withTimeAtStartOfDay", 0) => Some(moment.start_of_day(offset)),
        ("isBefore" | "isAfter" | "isEqual", 1) => {
            let other = other(call)?;
            let holds = match call.method {
                "isBefore" => moment.ms() < other,
                "isAfter" => moment.ms() > other,
                _ => moment.ms() == other,
            };
            return Ok(Value::Bool(holds).into());
        }
        ("isBeforeNow", 0) => return Ok(Value::Bool(moment.ms() < call.now.as_ms()).into()),
        ("isAfterNow", 0) => return Ok(Value::Bool(moment.ms() > call.now.as_ms()).into()),
        ("isEqualNow", 0) => return Ok(Value::Bool(moment.ms() == call.now.as_ms()).into()),
        (method, 0) => {
            let name = method.strip_prefix("get").unwrap_or_default();
            let mut chars = name.chars();
            let small: String =
                chars.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(chars).collect();
            return match moment.field(&small) {
                Some(number) => Ok(Value::Int(number).into()),
                None => Err(call.unknown("a date and time")),
            };
        }
        (method, 1) => {
            if let Some(unit) = method.strip_prefix("plus") {
                moment.plus(unit, call.int(0)?, offset)
            } else if let Some(unit) = method.strip_prefix("minus") {
                moment.plus(unit, call.int(0)?.saturating_neg(), offset)
            } else if let Some(field) = method.strip_prefix("with") {
                moment.with(field, call.int(0)?, offset)
            } else {
                None
            }
        }
        _ => None,
    };
    match moved {
        Some(moved) => Ok(Item::Moment(moved?).into()),
        None => Err(call.unknown("a date and time")),
    }
}

fn other(call: &Call<'_>) -> Result<i64, EvalError> {
    match call.arguments.first() {
        Some(Item::Moment(other)) => Ok(other.ms()),
        _ => match call.value(0)? {
            Value::Temporal(other) => super::super::moment::ms_of(&other)
                .ok_or_else(|| call.fail("the argument is no moment")),
            other => Err(call.wrong("a date", &other)),
        },
    }
}
