//! The closed list of methods, one file per kind of receiver. Everything else is an error that
//! names the method and its receiver: no class of a host language can be reached from here.

mod call;
mod date;
mod list;
mod map;
mod moment;
mod number;
mod pattern;
mod spin;
mod text;

pub(super) use call::{Call, Called};

use orloj_types::Value;

use super::item::Item;
use crate::error::EvalError;

/// Calls a method of anything but the execution, the task and beans.
pub(super) fn call(item: &Item, call: &mut Call<'_>) -> Result<Called, EvalError> {
    match item {
        Item::Value(Value::Text(text)) => text::call(text, call),
        Item::Value(Value::List(items)) => list::call(items, call),
        Item::Value(Value::Map(entries)) => map::call(entries, call),
        Item::Value(value @ (Value::Int(_) | Value::Double(_) | Value::Decimal(_))) => {
            number::call(value, call)
        }
        Item::Value(Value::Bool(flag)) => boolean(*flag, call),
        Item::Value(Value::Temporal(temporal)) => date::call(temporal, call),
        Item::Moment(moment) => moment::call(moment, call),
        Item::Spin(node) => spin::call(node, call),
        Item::Spins(nodes) => spin::call_list(nodes, call),
        other => Err(call.unknown(&other.describe())),
    }
}

/// Reads a property that a method stands for: `time` is `getTime()` or `isTime()`.
pub(super) fn property(
    item: &Item,
    name: &str,
    call: &mut Call<'_>,
) -> Option<Result<Called, EvalError>> {
    let mut capital: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
    capital.extend(name.chars().skip(1));
    // Only what Java calls a property: a plain method such as `length` is none.
    ["get", "is"].into_iter().find_map(|prefix| {
        let method = format!("{prefix}{capital}");
        let mut getter = call.renamed(&method);
        match self::call(item, &mut getter) {
            Err(EvalError::UnknownMethod { .. }) => None,
            outcome => Some(outcome),
        }
    })
}

fn boolean(flag: bool, call: &Call<'_>) -> Result<Called, EvalError> {
    Ok(match (call.method, call.count()) {
        ("booleanValue", 0) => Value::Bool(flag),
        ("toString", 0) => Value::text(flag.to_string()),
        ("equals", 1) => Value::Bool(matches!(call.value(0)?, Value::Bool(other) if other == flag)),
        ("compareTo", 1) => match call.value(0)? {
            Value::Bool(other) => Value::Int(i64::from(flag) - i64::from(other)),
            other => return Err(call.wrong("a boolean", &other)),
        },
        _ => return Err(call.unknown("a boolean")),
    }
    .into())
}
