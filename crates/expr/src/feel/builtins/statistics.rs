//! One value of many.

use std::cmp::Ordering;

use orloj_types::{Temporal, Value};

use super::super::ast::Arithmetic;
use super::super::compare::order;
use super::super::session::{Outcome, Session};
use super::arguments::{items, outcome};
use crate::error::EvalError;
use crate::number::Number;

/// Sorting, and a handful of operations on decimals.
const STEPS_PER_NUMBER: usize = 40;

pub(super) fn min(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    extreme(session, arguments, Ordering::Less)
}

pub(super) fn max(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    extreme(session, arguments, Ordering::Greater)
}

fn extreme(session: &mut Session<'_>, arguments: &[Value], wanted: Ordering) -> Outcome {
    let Some(items) = items(arguments) else { return Ok(Value::Null) };
    session.read_items(items.len())?;
    let mut best: Option<&Value> = None;
    for item in items.iter() {
        let Some(so_far) = best else {
            // One that has no order with itself has none at all.
            if order(item, item).is_none() {
                return Ok(Value::Null);
            }
            best = Some(item);
            continue;
        };
        match order(item, so_far) {
            Some(order) if order == wanted => best = Some(item),
            Some(_) => {}
            None => return Ok(Value::Null),
        }
    }
    outcome(best.cloned())
}

/// Numbers, or durations of one kind.
pub(super) fn sum(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    fold(session, arguments, Arithmetic::Add)
}

pub(super) fn product(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    match numbers(session, arguments)? {
        Some(_) => fold(session, arguments, Arithmetic::Multiply),
        None => Ok(Value::Null),
    }
}

fn fold(session: &mut Session<'_>, arguments: &[Value], operator: Arithmetic) -> Outcome {
    let Some(items) = items(arguments) else { return Ok(Value::Null) };
    let mut total: Option<Value> = None;
    for item in items.iter() {
        session.read_items(1)?;
        // DIFFERENCE: Camunda's engine adds numbers only.
        let is_duration = session.is_standard()
            && matches!(item.as_temporal(), Some(Temporal::Months(_) | Temporal::Nanos(_)));
        let is_summand = Number::of(item).is_some() || is_duration;
        if !is_summand {
            return Ok(Value::Null);
        }
        total = Some(match total {
            Some(total) => session.operation(operator, &total, item, session.at)?,
            None => item.clone(),
        });
    }
    outcome(total)
}

pub(super) fn mean(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = items(arguments) else { return Ok(Value::Null) };
    if items.is_empty() {
        return Ok(Value::Null);
    }
    let total = sum(session, arguments)?;
    if total.is_null() {
        return Ok(total);
    }
    session.operation(Arithmetic::Divide, &total, &Value::Int(items.len() as i64), session.at)
}

pub(super) fn all(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    junction(session, arguments, false)
}

pub(super) fn any(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    junction(session, arguments, true)
}

/// `and` and `or` of three values; what is no boolean makes it unknown.
fn junction(session: &mut Session<'_>, arguments: &[Value], decisive: bool) -> Outcome {
    let Some(items) = items(arguments) else { return Ok(Value::Null) };
    session.read_items(items.len())?;
    let mut unknown = false;
    for item in items.iter() {
        match item {
            Value::Bool(flag) if *flag == decisive => return Ok(Value::Bool(decisive)),
            Value::Bool(_) => {}
            _ => unknown = true,
        }
    }
    Ok(if unknown { Value::Null } else { Value::Bool(!decisive) })
}

pub(super) fn median(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(mut numbers) = numbers(session, arguments)? else { return Ok(Value::Null) };
    numbers.sort_by(|a, b| a.compare(*b));
    let middle = numbers.len() / 2;
    outcome(match numbers.len() {
        0 => None,
        count if count % 2 == 1 => Some(numbers[middle].into_value()),
        _ => numbers[middle - 1]
            .add(numbers[middle])
            .and_then(|sum| sum.div(Number::Int(2)))
            .map(Number::into_value),
    })
}

/// Of a sample: the divisor is one less than the count.
pub(super) fn stddev(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(numbers) = numbers(session, arguments)? else { return Ok(Value::Null) };
    if numbers.len() < 2 {
        return Ok(Value::Null);
    }
    outcome(deviation(&numbers).map(Number::into_value))
}

fn deviation(numbers: &[Number]) -> Option<Number> {
    let count = numbers.len() as i64;
    let total = numbers.iter().try_fold(Number::Int(0), |total, number| total.add(*number))?;
    let mean = total.div(Number::Int(count))?;
    let squares = numbers.iter().try_fold(Number::Int(0), |total, number| {
        let distance = number.sub(mean)?;
        total.add(distance.mul(distance)?)
    })?;
    squares.div(Number::Int(count - 1))?.sqrt()
}

/// The most frequent ones, smallest first.
pub(super) fn mode(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(mut numbers) = numbers(session, arguments)? else { return Ok(Value::Null) };
    numbers.sort_by(|a, b| a.compare(*b));
    let groups: Vec<&[Number]> = numbers.chunk_by(|a, b| a.compare(*b).is_eq()).collect();
    let most = groups.iter().map(|group| group.len()).max();
    let modes = groups.iter().filter(|group| Some(group.len()) == most);
    session.make_list(modes.map(|group| group[0].into_value()).collect())
}

/// `None` when one is no number. Sorting is paid here as well.
fn numbers(
    session: &mut Session<'_>,
    arguments: &[Value],
) -> Result<Option<Vec<Number>>, EvalError> {
    let Some(items) = items(arguments) else { return Ok(None) };
    session.read_items(STEPS_PER_NUMBER * items.len())?;
    Ok(items.iter().map(Number::of).collect())
}
