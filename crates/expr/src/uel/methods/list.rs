//! Lists. A method that changes one gives the changed list beside its result.
//!
//! DIFFERENCE: Java's Integer and Long are one kind of number here, so that a list of Integers
//! contains the number 2 of an expression.

use std::sync::Arc;

use orloj_types::Value;

use super::super::operators::same;
use super::{Call, Called};
use crate::error::EvalError;

pub(super) fn call(items: &Arc<Vec<Value>>, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let result = match (call.method, call.count()) {
        ("size", 0) => Value::Int(items.len() as i64),
        ("isEmpty", 0) => Value::Bool(items.is_empty()),
        ("get", 1) => items[index(items.len(), call.int(0)?, call)?].clone(),
        ("getFirst", 0) => items[index(items.len(), 0, call)?].clone(),
        ("getLast", 0) => items[index(items.len(), items.len() as i64 - 1, call)?].clone(),
        ("contains", 1) => Value::Bool(contains(items, &call.value(0)?, call)?),
        ("containsAll", 1) => {
            let mut all = true;
            for item in list(call)?.iter() {
                all = all && contains(items, item, call)?;
            }
            Value::Bool(all)
        }
        ("indexOf", 1) => position(items.iter().enumerate(), call)?,
        ("lastIndexOf", 1) => position(items.iter().enumerate().rev(), call)?,
        ("subList", 2) => {
            let (from, to) = (call.int(0)?, call.int(1)?);
            if from < 0 || to < from || to > items.len() as i64 {
                return Err(outside(items.len(), call));
            }
            Value::List(Arc::new(items[from as usize..to as usize].to_vec()))
        }
        ("toString", 0) => {
            let text = call.java_text(&Value::List(items.clone()))?;
            return Ok(Value::text(text).into());
        }
        ("equals", 1) => {
            let other = call.value(0)?;
            let this = Value::List(items.clone());
            Value::Bool(same(&this, &other, call.meter, 0, call.offset)?)
        }
        _ => return change(items, call),
    };
    Ok(result.into())
}

/// Java's `equals` of each with `wanted`.
pub(super) fn contains(
    items: &[Value],
    wanted: &Value,
    call: &mut Call<'_>,
) -> Result<bool, EvalError> {
    for item in items {
        if same(item, wanted, call.meter, 0, call.offset)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn change(items: &Arc<Vec<Value>>, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let mut changed = items.to_vec();
    let result = match (call.method, call.count()) {
        ("add", 1) => {
            changed.push(call.value(0)?);
            Value::Bool(true)
        }
        ("add", 2) => {
            let at = call.int(0)?;
            if at < 0 || at > items.len() as i64 {
                return Err(outside(items.len(), call));
            }
            changed.insert(at as usize, call.value(1)?);
            Value::Null
        }
        ("addAll", 1) => {
            let more = list(call)?;
            changed.extend(more.iter().cloned());
            Value::Bool(!more.is_empty())
        }
        ("set", 2) => {
            let at = index(items.len(), call.int(0)?, call)?;
            std::mem::replace(&mut changed[at], call.value(1)?)
        }
        ("remove", 1) => {
            let Value::Int(at) = position(items.iter().enumerate(), call)? else {
                return Ok(Value::Bool(false).into());
            };
            if at < 0 {
                return Ok(Value::Bool(false).into());
            }
            changed.remove(at as usize);
            Value::Bool(true)
        }
        ("removeAll" | "retainAll", 1) => {
            let others = list(call)?;
            let keeps = call.method == "retainAll";
            changed.clear();
            for item in items.iter() {
                if contains(&others, item, call)? == keeps {
                    changed.push(item.clone());
                }
            }
            Value::Bool(changed.len() != items.len())
        }
        ("clear", 0) => {
            changed.clear();
            Value::Null
        }
        _ => return Err(call.unknown("a list")),
    };
    call.meter.bytes(changed.len() * crate::meter::SLOT_BYTES, call.offset)?;
    Ok(Called::changing(result, Value::List(Arc::new(changed))))
}

fn position<'v>(
    items: impl Iterator<Item = (usize, &'v Value)>,
    call: &mut Call<'_>,
) -> Result<Value, EvalError> {
    let wanted = call.value(0)?;
    for (at, item) in items {
        if same(item, &wanted, call.meter, 0, call.offset)? {
            return Ok(Value::Int(at as i64));
        }
    }
    Ok(Value::Int(-1))
}

fn list(call: &Call<'_>) -> Result<Arc<Vec<Value>>, EvalError> {
    match call.value(0)? {
        Value::List(items) => Ok(items),
        other => Err(call.wrong("a list", &other)),
    }
}

fn index(length: usize, index: i64, call: &Call<'_>) -> Result<usize, EvalError> {
    usize::try_from(index).ok().filter(|at| *at < length).ok_or_else(|| outside(length, call))
}

fn outside(length: usize, call: &Call<'_>) -> EvalError {
    call.fail(format!("the method '{}' reaches outside of a list of {length}", call.method))
}
