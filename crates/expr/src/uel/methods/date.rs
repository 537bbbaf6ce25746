//! Dates of Java: moments, shown in the zone of the evaluation.

use orloj_types::{Temporal, Timestamp, Value};

use super::super::item::Item;
use super::super::moment::{Moment, ms_of};
use super::{Call, Called};
use crate::error::EvalError;

/// Java counts the years of a date from here.
const YEAR_BASE: i64 = 1_900;

pub(super) fn call(temporal: &Temporal, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let Some(ms) = ms_of(temporal) else { return Err(call.unknown(temporal.type_name())) };
    let moment = |call: &Call<'_>| Moment::new(Timestamp::from_ms(ms), call.zone, call.offset);
    let field = |call: &Call<'_>, name| Ok(moment(call)?.field(name).unwrap_or(0));
    let result = match (call.method, call.count()) {
        ("getTime", 0) => ms,
        ("getYear", 0) => field(call, "year")? - YEAR_BASE,
        ("getMonth", 0) => field(call, "monthOfYear")? - 1,
        ("getDate", 0) => field(call, "dayOfMonth")?,
        ("getDay", 0) => field(call, "dayOfWeek")? % 7,
        ("getHours", 0) => field(call, "hourOfDay")?,
        ("getMinutes", 0) => field(call, "minuteOfHour")?,
        ("getSeconds", 0) => field(call, "secondOfMinute")?,
        ("compareTo", 1) => ms.cmp(&other(call)?) as i64,
        ("before", 1) => return Ok(Value::Bool(ms < other(call)?).into()),
        ("after", 1) => return Ok(Value::Bool(ms > other(call)?).into()),
        ("equals", 1) => {
            let same =
                matches!(call.value(0)?, Value::Temporal(other) if ms_of(&other) == Some(ms));
            return Ok(Value::Bool(same).into());
        }
        ("toString", 0) => {
            let text = moment(call)?.java_text();
            return call.made(text);
        }
        ("toInstant", 0) => return Ok(Item::Moment(moment(call)?).into()),
        _ => return Err(call.unknown("a date")),
    };
    Ok(Value::Int(result).into())
}

fn other(call: &Call<'_>) -> Result<i64, EvalError> {
    match call.value(0)? {
        Value::Temporal(other) if ms_of(&other).is_some() => Ok(ms_of(&other).unwrap_or(0)),
        other => Err(call.wrong("a date", &other)),
    }
}
