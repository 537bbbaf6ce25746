//! Values of expressions where the process needs a certain type.
//!
//! DIFFERENCE: in Zeebe results are taken by type alone, and null is a wrong type. In Camunda and
//! Flowable numbers and names may come as text, and null stands for "not set" where an attribute is
//! optional.

use std::sync::Arc;

use orloj_expr::{Expression, Scope};
use orloj_model::{Element, Flow};
use orloj_types::{ElementId, ElementInstanceKey, Value};

use crate::failure::{Failure, FailureKind, Ruled};
use crate::scripts;
use crate::turn::Turn;
use crate::variables::View;

/// Conditions that are scripts are counted apart from the element's own calls.
const CONDITION_ORDINAL: u32 = 1 << 12;

/// Whether the flow may be taken; one without a condition may, but not by every gateway that has a
/// choice.
pub(crate) fn holds(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    flow: &Flow,
) -> Ruled<bool> {
    if let Some(skips) = skips(turn, scope, &flow.id, flow.skip.as_ref())? {
        return Ok(skips);
    }
    let Some(condition) = &flow.condition else { return Ok(!chooses_by_condition(turn, element)) };
    let ordinal = CONDITION_ORDINAL + turn.beans.next_script();
    match scripts::value(turn, scope, &element.id, ordinal, condition)? {
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

/// DIFFERENCE: Zeebe's gateways pass a flow without a condition over where there are others.
pub(crate) fn chooses_by_condition(turn: &Turn<'_>, element: &Element) -> bool {
    turn.semantics().choices.choice_needs_condition
        && element.kind.is_gateway()
        && element.outgoing.len() > 1
}

/// Whether an element or flow is skipped; `None` where nobody has allowed it.
pub(crate) fn skips(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    skip: Option<&Expression>,
) -> Ruled<Option<bool>> {
    let Some(skip) = skip else { return Ok(None) };
    let view = View::new(&turn.work.record, scope);
    let allows = |name: &&str| matches!(view.get(name), Some(Value::Bool(true)));
    if !turn.semantics().values.skip_switches.iter().any(allows) {
        return Ok(None);
    }
    match turn.evaluate(owner, scope, skip)? {
        Value::Bool(skips) => Ok(Some(skips)),
        other => Err(wrong_of(owner, "skip expression", "a boolean", &other)),
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

/// As [`text`], of what is no element.
pub(crate) fn text_of(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    what: &str,
    expression: &Expression,
) -> Ruled<Arc<str>> {
    match turn.evaluate(owner, scope, expression)? {
        Value::Text(text) => Ok(text),
        other => Err(wrong_of(owner, what, "a string", &other)),
    }
}

/// As [`text`]; null may be nothing.
pub(crate) fn optional_text(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    what: &str,
    expression: &Expression,
) -> Ruled<Option<Arc<str>>> {
    match turn.evaluate(&element.id, scope, expression)? {
        Value::Text(text) => Ok(Some(text)),
        Value::Null if null_is_unset(turn) => Ok(None),
        other if writes_out(turn) => Ok(Some(other.to_json().into())),
        other => Err(wrong(element, what, "a string", &other)),
    }
}

/// DIFFERENCE: in Flowable a value that is no text is written out where text is wanted.
fn writes_out(turn: &Turn<'_>) -> bool {
    turn.semantics().values.written_out
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
        Value::Text(text) if turn.semantics().values.names_as_text => Ok(split_names(text)),
        Value::Null if null_is_unset(turn) => Ok(Vec::new()),
        Value::List(items) => items
            .iter()
            .map(|item| match item {
                Value::Text(name) => Ok(name.clone()),
                other if writes_out(turn) => Ok(other.to_json().into()),
                other => Err(wrong(element, what, "a list of strings", other)),
            })
            .collect(),
        other if writes_out(turn) => Ok(vec![other.to_json().into()]),
        other => Err(wrong(element, what, "a list of strings", other)),
    }
}

fn split_names(text: &str) -> Vec<Arc<str>> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Arc::from).collect()
}

/// `None`: it is null, which stands for none.
pub(crate) fn whole_number(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    what: &str,
    expression: &Expression,
) -> Ruled<Option<i64>> {
    whole_number_of(turn, scope, &element.id, what, expression)
}

/// As [`whole_number`], of what is no element.
pub(crate) fn whole_number_of(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    what: &str,
    expression: &Expression,
) -> Ruled<Option<i64>> {
    let value = turn.evaluate(owner, scope, expression)?;
    let number = match &value {
        Value::Int(number) => Some(*number),
        // Zeebe takes 2.5 retries for 2.
        Value::Double(number) if number.is_finite() => Some(number.trunc() as i64),
        Value::Decimal(number) => i64::try_from(number.trunc()).ok(),
        Value::Text(text) if turn.semantics().values.numbers_as_text => text.trim().parse().ok(),
        Value::Null if null_is_unset(turn) => return Ok(None),
        _ => None,
    };
    number.map(Some).ok_or_else(|| wrong_of(owner, what, "a number", &value))
}

pub(crate) fn null_is_unset(turn: &Turn<'_>) -> bool {
    turn.semantics().values.null_is_unset
}

pub(crate) fn wrong(element: &Element, what: &str, wanted: &str, found: &Value) -> Failure {
    wrong_of(&element.id, what, wanted, found)
}

fn wrong_of(owner: &ElementId, what: &str, wanted: &str, found: &Value) -> Failure {
    let is_number = matches!(found, Value::Int(_) | Value::Double(_) | Value::Decimal(_));
    let found = match is_number && wanted.ends_with("number") {
        true => found.to_json(),
        false => found.type_name().to_owned(),
    };
    let message = format!("the {what} should be {wanted}, not {found}");
    Failure::new(owner, FailureKind::ExtractValue, message)
}
