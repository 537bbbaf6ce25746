use std::cmp::Ordering;
use std::sync::Arc;

use orloj_types::Value;

use super::super::compare::order;
use super::super::session::{Outcome, Session};
use super::arguments::{boolean, index, items, list};
use super::seen::Seen;
use crate::error::EvalError;

pub(super) fn list_contains(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    boolean(Some(position(session, &items, &arguments[1])?.is_some()))
}

pub(super) fn count(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    // DIFFERENCE: in Camunda's engine a value that is no list has no count.
    if let ([value], false) = (arguments, session.is_standard())
        && !matches!(value, Value::List(_))
    {
        return Ok(Value::Null);
    }
    Ok(items(arguments).map_or(Value::Null, |items| Value::Int(items.len() as i64)))
}

pub(super) fn is_empty(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    boolean(list(session, arguments, 0).map(|items| items.is_empty()))
}

/// From a position that counts from one, or from the end.
pub(super) fn sublist(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    if !session.is_standard() {
        return slice(session, &items, arguments);
    }
    let Some(first) = index(session, arguments, 1).and_then(|at| place(at, items.len())) else {
        return Ok(Value::Null);
    };
    let left = items.len() - first;
    let length = match arguments.get(2) {
        Some(_) => match index(session, arguments, 2).and_then(|l| usize::try_from(l).ok()) {
            Some(length) if length <= left => length,
            _ => return Ok(Value::Null),
        },
        None => left,
    };
    session.make_list(items[first..first + length].to_vec())
}

/// DIFFERENCE: in Camunda's engine there is nothing before the start and behind the end, rather
/// than no result.
fn slice(session: &mut Session<'_>, items: &[Value], arguments: &[Value]) -> Outcome {
    let count = items.len() as i64;
    let first = match index(session, arguments, 1) {
        Some(start @ 1..) => start - 1,
        Some(0) | None => return Ok(Value::Null),
        Some(start) => count.saturating_add(start),
    };
    let last = match arguments.get(2) {
        Some(_) => match index(session, arguments, 2) {
            Some(length) => first.saturating_add(length),
            None => return Ok(Value::Null),
        },
        None => count,
    };
    let first = first.clamp(0, count);
    let last = last.clamp(first, count);
    session.make_list(items[first as usize..last as usize].to_vec())
}

pub(super) fn append(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    session.room_for(items.len() + arguments.len() - 1)?;
    Ok(Value::list(items.iter().chain(&arguments[1..]).cloned().collect()))
}

pub(super) fn concatenate(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    match joined(session, arguments)? {
        Some(items) => Ok(Value::list(items)),
        None => Ok(Value::Null),
    }
}

fn joined(session: &mut Session<'_>, arguments: &[Value]) -> Result<Option<Vec<Value>>, EvalError> {
    let mut all = Vec::new();
    for at in 0..arguments.len() {
        let items = match list(session, arguments, at) {
            Some(items) => items,
            // DIFFERENCE: in Camunda's engine every value is a list of itself here.
            None if !session.is_standard() => Arc::new(vec![arguments[at].clone()]),
            None => return Ok(None),
        };
        session.room_for(items.len())?;
        all.extend(items.iter().cloned());
    }
    Ok(Some(all))
}

pub(super) fn insert_before(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    let position = index(session, arguments, 1);
    let at = match position.and_then(|at| place(at, items.len())) {
        Some(at) => at,
        // DIFFERENCE: in Camunda's engine the end is before nothing.
        None if !session.is_standard() && position.is_some_and(|at| at > 0) => items.len(),
        None if !session.is_standard() && position.is_some_and(|at| at < 0) => 0,
        None => return Ok(Value::Null),
    };
    session.room_for(items.len() + 1)?;
    let mut all = items.to_vec();
    all.insert(at, arguments[2].clone());
    Ok(Value::list(all))
}

pub(super) fn remove(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    let position = index(session, arguments, 1);
    let Some(at) = position.and_then(|at| place(at, items.len())) else {
        // DIFFERENCE: in Camunda's engine nothing is there to remove.
        let nothing = !session.is_standard() && position.is_some_and(|at| at != 0);
        return Ok(if nothing { Value::List(items) } else { Value::Null });
    };
    session.room_for(items.len())?;
    let mut all = items.to_vec();
    all.remove(at);
    Ok(Value::list(all))
}

pub(super) fn reverse(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    session.make_list(items.iter().rev().cloned().collect())
}

pub(super) fn index_of(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    let mut found = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if session.same(item, &arguments[1])? {
            found.push(Value::Int(at as i64 + 1));
        }
    }
    session.make_list(found)
}

pub(super) fn union(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    match joined(session, arguments)? {
        Some(items) => distinct(session, &items).map(Value::list),
        None => Ok(Value::Null),
    }
}

pub(super) fn distinct_values(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    match list(session, arguments, 0) {
        Some(items) => distinct(session, &items).map(Value::list),
        None => Ok(Value::Null),
    }
}

fn distinct(session: &mut Session<'_>, items: &[Value]) -> Result<Vec<Value>, EvalError> {
    let mut seen = Seen::default();
    let mut distinct = Vec::new();
    for item in items {
        if seen.insert(session, item)? {
            session.room_for(1)?;
            distinct.push(item.clone());
        }
    }
    Ok(distinct)
}

/// Each value that comes more than once, once.
pub(super) fn duplicate_values(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    let (mut seen, mut again) = (Seen::default(), Seen::default());
    for item in items.iter() {
        if !seen.insert(session, item)? {
            again.insert(session, item)?;
        }
    }
    // In the order in which they came first, not in which they came again.
    let mut twice = Vec::new();
    for item in items.iter() {
        if again.remove(session, item)? {
            session.room_for(1)?;
            twice.push(item.clone());
        }
    }
    Ok(Value::list(twice))
}

pub(super) fn flatten(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    let mut flat = Vec::new();
    flatten_into(session, &items, &mut flat)?;
    Ok(Value::list(flat))
}

fn flatten_into(
    session: &mut Session<'_>,
    items: &[Value],
    flat: &mut Vec<Value>,
) -> Result<(), EvalError> {
    session.depth += 1;
    session.meter.step(session.depth, session.at)?;
    for item in items {
        match item {
            Value::List(inner) => flatten_into(session, inner, flat)?,
            other => {
                session.room_for(1)?;
                flat.push(other.clone());
            }
        }
    }
    session.depth -= 1;
    Ok(())
}

/// Lists of so many items each, the last one of what is left.
pub(super) fn partition(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    let size = index(session, arguments, 1).and_then(|size| usize::try_from(size).ok());
    let Some(size @ 1..) = size else { return Ok(Value::Null) };
    session.room_for(items.len())?;
    let parts: Vec<Value> = items.chunks(size).map(|part| Value::list(part.to_vec())).collect();
    session.make_list(parts)
}

/// With a function that says which of two comes first, or by the usual order.
pub(super) fn sort(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    session.room_for(items.len())?;
    let precedes = match arguments.get(1) {
        Some(function @ Value::Function(_)) => Some(function),
        Some(_) => return Ok(Value::Null),
        None => None,
    };
    match merge_sort(session, &items, precedes)? {
        Some(sorted) => Ok(Value::list(sorted)),
        None => Ok(Value::Null),
    }
}

/// Stable, and at ease with functions that contradict themselves. `None` when two items have no
/// order.
fn merge_sort(
    session: &mut Session<'_>,
    items: &[Value],
    precedes: Option<&Value>,
) -> Result<Option<Vec<Value>>, EvalError> {
    if items.len() < 2 {
        return Ok(Some(items.to_vec()));
    }
    let (left, right) = items.split_at(items.len() / 2);
    let Some(left) = merge_sort(session, left, precedes)? else { return Ok(None) };
    let Some(right) = merge_sort(session, right, precedes)? else { return Ok(None) };
    let mut merged = Vec::with_capacity(items.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        session.meter.steps(1, session.at)?;
        let second_first = match precedes {
            Some(function) => {
                let answer = session.call_function(function, vec![b.clone(), a.clone()])?;
                match answer {
                    Value::Bool(flag) => flag,
                    _ => return Ok(None),
                }
            }
            None => match order(b, a) {
                Some(order) => order == Ordering::Less,
                None => return Ok(None),
            },
        };
        merged.extend(if second_first { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    Ok(Some(merged))
}

/// At a position, or wherever a function says so.
pub(super) fn list_replace(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    session.room_for(items.len())?;
    let mut all = items.to_vec();
    if let function @ Value::Function(_) = &arguments[1] {
        for item in &mut all {
            let given = vec![item.clone(), arguments[2].clone()];
            match session.call_function(function, given)? {
                Value::Bool(true) => *item = arguments[2].clone(),
                Value::Bool(false) => {}
                _ => return Ok(Value::Null),
            }
        }
        return Ok(Value::list(all));
    }
    let Some(at) = index(session, arguments, 1).and_then(|at| place(at, items.len())) else {
        return Ok(Value::Null);
    };
    all[at] = arguments[2].clone();
    Ok(Value::list(all))
}

/// Where a position that counts from one, or from the end, lies in a list.
fn place(position: i64, length: usize) -> Option<usize> {
    let at = match position {
        1.. => usize::try_from(position - 1).ok()?,
        0 => return None,
        _ => length.checked_sub(usize::try_from(position.unsigned_abs()).ok()?)?,
    };
    (at < length).then_some(at)
}

fn position(
    session: &mut Session<'_>,
    items: &[Value],
    wanted: &Value,
) -> Result<Option<usize>, EvalError> {
    for (at, item) in items.iter().enumerate() {
        if session.same(item, wanted)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}
