//! Values of expressions where the process needs a certain type.
//!
//! DIFFERENCE: FEEL results are taken by type alone, and null is a wrong type. In UEL numbers may
//! come as text, and null stands for "not set" where an attribute is optional.

use std::sync::Arc;

use orloj_expr::{Expression, Language};
use orloj_model::{Element, Flow};
use orloj_types::{ElementInstanceKey, Value};

use crate::failure::{Failure, FailureKind, Ruled};
use crate::turn::Turn;

/// Whether the flow may be taken; one without a condition always may.
pub(crate) fn holds(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    flow: &Flow,
) -> Ruled<bool> {
    let Some(condition) = &flow.condition else { return Ok(true) };
    match turn.evaluate(&element.id, scope, condition)? {
        Value::Bool(holds) => Ok(holds),
        other => {
            let message = format!(
                "the condition of flow {} should give a boolean, not {}",
                flow.id,
                other.type_name()
            );
            Err(Failure::new(&element.id, FailureKind::ExtractValue, message))
        }
    }
}

/// `what` names the value in the message of a failure.
pub(crate) fn text(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    what: &str,
    expression: &Expression,
) -> Ruled<Arc<str>> {
    match turn.evaluate(&element.id, scope, expression)? {
        Value::Text(text) => Ok(text),
        other => Err(wrong(element, what, "a string", &other)),
    }
}

/// As [`text`]; null is nothing in UEL.
pub(crate) fn optional_text(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    what: &str,
    expression: &Expression,
) -> Ruled<Option<Arc<str>>> {
    match turn.evaluate(&element.id, scope, expression)? {
        Value::Text(text) => Ok(Some(text)),
        Value::Null if is_lenient(turn) => Ok(None),
        other => Err(wrong(element, what, "a string", &other)),
    }
}

/// Names as a list, or as text with commas between them.
pub(crate) fn names(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    what: &str,
    expression: &Expression,
) -> Ruled<Vec<Arc<str>>> {
    let value = turn.evaluate(&element.id, scope, expression)?;
    match &value {
        Value::Text(text) => Ok(split_names(text)),
        Value::Null if is_lenient(turn) => Ok(Vec::new()),
        Value::List(items) => items
            .iter()
            .map(|item| match item {
                Value::Text(name) => Ok(name.clone()),
                other => Err(wrong(element, what, "a list of strings", other)),
            })
            .collect(),
        other => Err(wrong(element, what, "a list of strings", other)),
    }
}

fn split_names(text: &str) -> Vec<Arc<str>> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Arc::from).collect()
}

/// `None` where UEL gives null.
pub(crate) fn whole_number(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    what: &str,
    expression: &Expression,
) -> Ruled<Option<i64>> {
    let value = turn.evaluate(&element.id, scope, expression)?;
    let number = match &value {
        Value::Int(number) => Some(*number),
        // Zeebe takes 2.5 retries for 2.
        Value::Double(number) if number.is_finite() => Some(number.trunc() as i64),
        Value::Decimal(number) => i64::try_from(number.trunc()).ok(),
        Value::Text(text) if is_lenient(turn) => text.trim().parse().ok(),
        Value::Null if is_lenient(turn) => return Ok(None),
        _ => None,
    };
    number.map(Some).ok_or_else(|| wrong(element, what, "a number", &value))
}

pub(crate) fn is_lenient(turn: &Turn<'_>) -> bool {
    turn.semantics().language == Language::Uel
}

pub(crate) fn wrong(element: &Element, what: &str, wanted: &str, found: &Value) -> Failure {
    let message = format!("the {what} should be {wanted}, not {}", found.type_name());
    Failure::new(&element.id, FailureKind::ExtractValue, message)
}
