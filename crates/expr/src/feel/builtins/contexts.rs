use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

use super::super::session::{Outcome, Session};
use super::arguments::{list, single};
use crate::error::EvalError;
use crate::meter::CONTEXT_BYTES;

type Entries = BTreeMap<Arc<str>, Value>;

fn entries_of(session: &Session<'_>, value: &Value) -> Option<Arc<Entries>> {
    match single(session, value) {
        Value::Map(entries) => Some(entries.clone()),
        _ => None,
    }
}

/// A path of keys goes down through contexts.
pub(super) fn get_value(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(entries) = entries_of(session, &arguments[0]) else { return Ok(Value::Null) };
    match &arguments[1] {
        Value::Text(key) => Ok(entries.get(key).cloned().unwrap_or_default()),
        Value::List(keys) => {
            session.read_items(keys.len())?;
            let mut value = Value::Map(entries);
            for key in keys.iter() {
                value = match (&value, key) {
                    (Value::Map(entries), Value::Text(key)) => {
                        entries.get(key).cloned().unwrap_or_default()
                    }
                    _ => Value::Null,
                };
            }
            Ok(if keys.is_empty() { Value::Null } else { value })
        }
        _ => Ok(Value::Null),
    }
}

pub(super) fn get_entries(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(entries) = entries_of(session, &arguments[0]) else { return Ok(Value::Null) };
    session.room_for(entries.len() * 3)?;
    let made = entries.iter().map(|(key, value)| {
        let pair = [("key".into(), Value::Text(key.clone())), ("value".into(), value.clone())];
        Value::Map(Arc::new(BTreeMap::from(pair)))
    });
    Ok(Value::list(made.collect()))
}

/// From a list of contexts with `key` and `value`.
pub(super) fn context(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    session.room_for(items.len() * 2)?;
    let mut made = Entries::new();
    for item in items.iter() {
        let Value::Map(entry) = item else { return Ok(Value::Null) };
        let (Some(Value::Text(key)), Some(value)) = (entry.get("key"), entry.get("value")) else {
            return Ok(Value::Null);
        };
        let again = made.insert(key.clone(), value.clone()).is_some();
        if again && session.is_standard() {
            return Ok(Value::Null);
        }
    }
    Ok(Value::Map(Arc::new(made)))
}

pub(super) fn context_put(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(entries) = entries_of(session, &arguments[0]) else { return Ok(Value::Null) };
    let value = arguments[2].clone();
    let made = match &arguments[1] {
        Value::Text(key) => put(session, &entries, key, value)?,
        Value::List(keys) => match put_deep(session, &entries, keys, value)? {
            Some(made) => made,
            None => return Ok(Value::Null),
        },
        _ => return Ok(Value::Null),
    };
    Ok(Value::Map(Arc::new(made)))
}

fn put(
    session: &mut Session<'_>,
    entries: &Entries,
    key: &Arc<str>,
    value: Value,
) -> Result<Entries, EvalError> {
    session.room_for(entries.len() + 1)?;
    session.meter.bytes(key.len() + CONTEXT_BYTES, session.at)?;
    let mut made = entries.clone();
    made.insert(key.clone(), value);
    Ok(made)
}

/// Contexts on the way that are missing are made.
fn put_deep(
    session: &mut Session<'_>,
    entries: &Entries,
    keys: &[Value],
    value: Value,
) -> Result<Option<Entries>, EvalError> {
    session.depth += 1;
    session.meter.step(session.depth, session.at)?;
    let Some((Value::Text(key), rest)) = keys.split_first() else { return Ok(None) };
    let value = if rest.is_empty() {
        value
    } else {
        let inner = match entries.get(key) {
            Some(Value::Map(inner)) => inner.clone(),
            None | Some(Value::Null) => Arc::default(),
            // DIFFERENCE: Camunda's engine puts a context into the place of other values.
            Some(_) if !session.is_standard() => Arc::default(),
            Some(_) => return Ok(None),
        };
        match put_deep(session, &inner, rest, value)? {
            Some(made) => Value::Map(Arc::new(made)),
            None => return Ok(None),
        }
    };
    session.depth -= 1;
    put(session, entries, key, value).map(Some)
}

/// The last one wins.
pub(super) fn context_merge(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let contexts = match arguments {
        [Value::List(contexts)] => contexts.to_vec(),
        several => several.to_vec(),
    };
    let mut made = Entries::new();
    for context in &contexts {
        let Some(entries) = entries_of(session, context) else { return Ok(Value::Null) };
        session.room_for(entries.len())?;
        made.extend(entries.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    Ok(Value::Map(Arc::new(made)))
}
