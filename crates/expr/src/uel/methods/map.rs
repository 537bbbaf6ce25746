//! Maps, whose keys are strings.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

use super::super::operators::same;
use super::list::contains;
use super::{Call, Called};
use crate::error::EvalError;

type Entries = BTreeMap<Arc<str>, Value>;

pub(super) fn call(entries: &Arc<Entries>, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let result = match (call.method, call.count()) {
        ("size", 0) => Value::Int(entries.len() as i64),
        ("isEmpty", 0) => Value::Bool(entries.is_empty()),
        ("get", 1) => entry(entries, call)?.unwrap_or_default(),
        ("getOrDefault", 2) => match entry(entries, call)? {
            Some(value) => value,
            None => call.value(1)?,
        },
        ("containsKey", 1) => Value::Bool(entry(entries, call)?.is_some()),
        ("containsValue", 1) => {
            let wanted = call.value(0)?;
            let values: Vec<Value> = entries.values().cloned().collect();
            Value::Bool(contains(&values, &wanted, call)?)
        }
        ("keySet", 0) => list(entries.keys().cloned().map(Value::Text).collect(), call)?,
        ("values", 0) => list(entries.values().cloned().collect(), call)?,
        ("entrySet", 0) => {
            let entry = |(name, value): (&Arc<str>, &Value)| {
                let pair =
                    [("key".into(), Value::Text(name.clone())), ("value".into(), value.clone())];
                Value::Map(Arc::new(BTreeMap::from(pair)))
            };
            list(entries.iter().map(entry).collect(), call)?
        }
        ("toString", 0) => {
            let text = call.java_text(&Value::Map(entries.clone()))?;
            return Ok(Value::text(text).into());
        }
        ("equals", 1) => {
            let other = call.value(0)?;
            let this = Value::Map(entries.clone());
            Value::Bool(same(&this, &other, call.meter, 0, call.offset)?)
        }
        _ => return change(entries, call),
    };
    Ok(result.into())
}

fn change(entries: &Arc<Entries>, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let mut changed = Entries::clone(entries);
    let result = match (call.method, call.count()) {
        ("put", 2) => changed.insert(key(call)?, call.value(1)?).unwrap_or_default(),
        ("putIfAbsent", 2) => {
            let key = key(call)?;
            match entries.get(&key).filter(|value| !value.is_null()) {
                Some(value) => return Ok(value.clone().into()),
                None => {
                    changed.insert(key, call.value(1)?);
                    Value::Null
                }
            }
        }
        ("putAll", 1) => match call.value(0)? {
            Value::Map(more) => {
                changed.extend(more.iter().map(|(name, value)| (name.clone(), value.clone())));
                Value::Null
            }
            other => return Err(call.wrong("a map", &other)),
        },
        ("remove", 1) => match call.value(0)? {
            Value::Text(name) => changed.remove(&*name).unwrap_or_default(),
            _ => Value::Null,
        },
        ("clear", 0) => {
            changed.clear();
            Value::Null
        }
        _ => return Err(call.unknown("a map")),
    };
    call.meter.bytes(changed.len() * crate::meter::SLOT_BYTES, call.offset)?;
    Ok(Called::changing(result, Value::Map(Arc::new(changed))))
}

/// No other type equals a key.
fn entry(entries: &Entries, call: &Call<'_>) -> Result<Option<Value>, EvalError> {
    Ok(match call.value(0)? {
        Value::Text(name) => entries.get(&*name).cloned(),
        _ => None,
    })
}

fn key(call: &Call<'_>) -> Result<Arc<str>, EvalError> {
    match call.value(0)? {
        Value::Text(name) => Ok(name),
        other => Err(call.wrong("a string as key", &other)),
    }
}

fn list(items: Vec<Value>, call: &mut Call<'_>) -> Result<Value, EvalError> {
    call.meter.bytes(items.len() * crate::meter::SLOT_BYTES, call.offset)?;
    Ok(Value::List(Arc::new(items)))
}
