//! Nodes of JSON, as `S()` and `JSON()` give them: the usual methods of Spin.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

use super::super::item::Item;
use super::super::operators::same;
use super::{Call, Called};
use crate::error::EvalError;

pub(super) fn call(node: &Value, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let result = match (call.method, call.count()) {
        ("prop", 1) => {
            let name = call.text(0)?;
            return match entries(node, call)?.get(&*name) {
                Some(value) => Ok(Item::Spin(value.clone()).into()),
                None => Err(call.fail(format!("the node has no property '{name}'"))),
            };
        }
        ("prop", 2) => {
            let mut entries = BTreeMap::clone(entries(node, call)?);
            entries.insert(call.text(0)?, call.value(1)?);
            return Ok(Item::Spin(Value::Map(Arc::new(entries))).into());
        }
        ("deleteProp", 1) => {
            let mut entries = BTreeMap::clone(entries(node, call)?);
            entries.remove(&*call.text(0)?);
            return Ok(Item::Spin(Value::Map(Arc::new(entries))).into());
        }
        ("hasProp", 1) => {
            let name = call.text(0)?;
            Value::Bool(matches!(node, Value::Map(entries) if entries.contains_key(&*name)))
        }
        ("fieldNames", 0) => {
            let names = entries(node, call)?.keys().cloned().map(Value::Text).collect();
            Value::List(Arc::new(names))
        }
        ("value", 0) => match node {
            Value::List(_) | Value::Map(_) => {
                return Err(call.fail("a node with members has no single value"));
            }
            value => value.clone(),
        },
        ("stringValue", 0) => match node {
            Value::Text(_) => node.clone(),
            other => return Err(call.wrong("a node with a string", other)),
        },
        ("numberValue", 0) => match node {
            Value::Int(_) | Value::Double(_) | Value::Decimal(_) => node.clone(),
            other => return Err(call.wrong("a node with a number", other)),
        },
        ("boolValue", 0) => match node {
            Value::Bool(_) => node.clone(),
            other => return Err(call.wrong("a node with a boolean", other)),
        },
        ("elements", 0) => return Ok(Item::Spins(items(node, call)?.clone()).into()),
        ("isObject", 0) => Value::Bool(matches!(node, Value::Map(_))),
        ("isArray", 0) => Value::Bool(matches!(node, Value::List(_))),
        ("isString", 0) => Value::Bool(matches!(node, Value::Text(_))),
        ("isBoolean", 0) => Value::Bool(matches!(node, Value::Bool(_))),
        ("isNull", 0) => Value::Bool(node.is_null()),
        ("isNumber", 0) => {
            Value::Bool(matches!(node, Value::Int(_) | Value::Double(_) | Value::Decimal(_)))
        }
        ("isValue", 0) => Value::Bool(!matches!(node, Value::List(_) | Value::Map(_))),
        ("indexOf", 1) => {
            let wanted = call.value(0)?;
            let mut found = None;
            for (at, item) in items(node, call)?.iter().enumerate() {
                if found.is_none() && same(item, &wanted, call.meter, 0, call.offset)? {
                    found = Some(at as i64);
                }
            }
            Value::Int(found.ok_or_else(|| call.fail("the node has no such element"))?)
        }
        ("contains", 1) => {
            let wanted = call.value(0)?;
            Value::Bool(super::list::contains(items(node, call)?, &wanted, call)?)
        }
        ("append", 1) => {
            let mut items = items(node, call)?.to_vec();
            items.push(call.value(0)?);
            return Ok(Item::Spin(Value::List(Arc::new(items))).into());
        }
        ("jsonPath", 1) => {
            let path = call.text(0)?;
            let found = follow(node, &path).ok_or_else(|| {
                call.fail(format!("the JSON path '{path}' leads nowhere, or is not supported"))
            })?;
            return Ok(Item::Spin(found).into());
        }
        // A node that was found stays one.
        ("element", 0) => return Ok(Item::Spin(node.clone()).into()),
        ("toString", 0) => {
            call.meter.result(node, call.offset)?;
            return call.made(node.to_json());
        }
        _ => return Err(call.unknown("a node of JSON")),
    };
    Ok(result.into())
}

pub(super) fn call_list(nodes: &Arc<Vec<Value>>, call: &Call<'_>) -> Result<Called, EvalError> {
    match (call.method, call.count()) {
        ("size", 0) => Ok(Value::Int(nodes.len() as i64).into()),
        ("isEmpty", 0) => Ok(Value::Bool(nodes.is_empty()).into()),
        ("get", 1) => {
            let at = usize::try_from(call.int(0)?).unwrap_or(usize::MAX);
            match nodes.get(at) {
                Some(node) => Ok(Item::Spin(node.clone()).into()),
                None => Err(call.fail(format!("there are only {} elements", nodes.len()))),
            }
        }
        _ => Err(call.unknown("a list of JSON nodes")),
    }
}

/// `$.name.name[0]` and `$['name']`; what searches is not supported.
fn follow(node: &Value, path: &str) -> Option<Value> {
    let mut rest = path.strip_prefix('$')?;
    let mut found = node.clone();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (key, behind) = inner.split_once(']')?;
            let name = key.strip_prefix('\'').and_then(|key| key.strip_suffix('\''));
            found = match (&found, name) {
                (Value::Map(entries), Some(name)) => entries.get(name)?.clone(),
                (Value::List(items), None) => items.get(key.parse::<usize>().ok()?)?.clone(),
                _ => return None,
            };
            rest = behind;
        } else {
            let name = rest.strip_prefix('.')?;
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let Value::Map(entries) = &found else { return None };
            found = entries.get(&name[..end])?.clone();
            rest = &name[end..];
        }
    }
    Some(found)
}

fn entries<'v>(
    node: &'v Value,
    call: &Call<'_>,
) -> Result<&'v Arc<BTreeMap<Arc<str>, Value>>, EvalError> {
    match node {
        Value::Map(entries) => Ok(entries),
        other => Err(call.wrong("a node with properties", other)),
    }
}

fn items<'v>(node: &'v Value, call: &Call<'_>) -> Result<&'v Arc<Vec<Value>>, EvalError> {
    match node {
        Value::List(items) => Ok(items),
        other => Err(call.wrong("a node with elements", other)),
    }
}
