//! Delegates that an expression names, and what is handed to delegates.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_model::Field;
use orloj_types::{ElementId, ElementInstanceKey, Value};

use crate::failure::{Failure, FailureKind, Ruled};
use crate::turn::Turn;

/// The name of the delegate that an expression gives.
pub(crate) fn computed(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    expression: &Expression,
) -> Ruled<Arc<str>> {
    match turn.evaluate(owner, scope, expression)? {
        Value::Text(name) => Ok(name),
        other => {
            let message = format!("an expression gives no delegate but {}", other.type_name());
            Err(Failure::new(owner, FailureKind::Foreign, message))
        }
    }
}

/// What is injected into a delegate. A field that cannot be evaluated is left out: delegates ask
/// for the value only when they need it.
pub(crate) fn injected(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    fields: &[Field],
) -> Ruled<Vec<(Arc<str>, Value)>> {
    let mut injected = Vec::with_capacity(fields.len());
    for field in fields {
        match turn.evaluate(owner, scope, &field.value) {
            Ok(value) => injected.push((field.name.clone(), value)),
            Err(failure) if failure.needs.is_some() => return Err(failure),
            Err(_) => {}
        }
    }
    Ok(injected)
}

/// What something that the systems bring along is given, evaluated.
pub(crate) fn fields(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    fields: &[Field],
) -> Ruled<Vec<(Arc<str>, Value)>> {
    let evaluate = |field: &Field| {
        let value = turn.evaluate(owner, scope, &field.value)?;
        Ok((field.name.clone(), value))
    };
    fields.iter().map(evaluate).collect()
}
