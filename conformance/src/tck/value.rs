//! Values as test files write them: typed by `xsi:type`, in components and lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use orloj_types::{Date, DateTime, Temporal, Time, Value};
use roxmltree::Node;

use super::case::{child, children};

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The value inside `node`, which is an input, an expectation, a component or an item.
pub fn read_value<'a>(node: Node<'a, 'a>) -> Result<Value> {
    if let Some(value) = child(node, "value") {
        return read_simple(value);
    }
    if let Some(list) = child(node, "list") {
        if is_nil(list) {
            return Ok(Value::Null);
        }
        let items = children(list, "item").map(read_value).collect::<Result<Vec<_>>>()?;
        return Ok(Value::list(items));
    }
    let mut entries: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    for component in children(node, "component") {
        let name = component.attribute("name").unwrap_or_default();
        let value = if is_nil(component) { Value::Null } else { read_value(component)? };
        entries.insert(name.into(), value);
    }
    let is_nothing = entries.is_empty() || is_nil(node);
    Ok(if is_nothing { Value::Null } else { Value::Map(Arc::new(entries)) })
}

fn read_simple<'a>(node: Node<'a, 'a>) -> Result<Value> {
    if is_nil(node) {
        return Ok(Value::Null);
    }
    let text: String = node.children().filter_map(|part| part.text()).collect();
    let kind = node.attribute((INSTANCE, "type")).unwrap_or("string");
    let kind = kind.rsplit(':').next().unwrap_or(kind);
    let trimmed = text.trim();
    let value = match kind {
        "string" | "anySimpleType" => Some(Value::text(text.as_str())),
        "boolean" => match trimmed {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        "decimal" | "double" | "float" | "integer" | "int" | "long" | "short" => number(trimmed),
        "date" => Date::parse(trimmed).map(Value::temporal),
        "time" => Time::parse(trimmed).map(Value::temporal),
        "dateTime" => DateTime::parse(trimmed).map(Value::temporal),
        "duration" | "dayTimeDuration" | "yearMonthDuration" => {
            Temporal::parse(trimmed).map(Value::temporal)
        }
        other => bail!("unknown value type {other}"),
    };
    match value {
        Some(value) => Ok(value),
        None => bail!("{trimmed:?} is no {kind}"),
    }
}

fn number(text: &str) -> Option<Value> {
    match text.parse::<i64>() {
        Ok(whole) => Some(Value::Int(whole)),
        Err(_) => text.trim_start_matches('+').parse().ok().map(Value::Decimal),
    }
}

fn is_nil(node: Node<'_, '_>) -> bool {
    matches!(node.attribute((INSTANCE, "nil")), Some("true" | "1"))
}
