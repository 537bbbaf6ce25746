//! Calls of foreign code: asked for once each, answered by the runtime.

use std::sync::Arc;

use orloj_types::{Document, ElementId, ElementInstanceKey, Value};

use crate::failure::{Failure, FailureKind, Ruled};
use crate::invoke::{Callee, Invoke, InvokeResult, Yield};
use crate::turn::Turn;
use crate::variables;

/// A BPMN error out of foreign code.
#[derive(Clone, Debug)]
pub(crate) struct ThrownByCode {
    pub(crate) code: Arc<str>,
    pub(crate) message: Arc<str>,
    pub(crate) variables: Document,
}

/// What foreign code answered.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) variables: Document,
    pub(crate) locals: Document,
    pub(crate) removed: Vec<Arc<str>>,
    pub(crate) value: Value,
}

/// The answer to a call for the element instance; the first time the call itself, as what the
/// step needs.
pub(crate) fn ask(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &ElementId,
    ordinal: u32,
    callee: impl FnOnce() -> Callee,
) -> Ruled<Reply> {
    let done = |variables| Reply {
        variables,
        locals: Document::new(),
        removed: Vec::new(),
        value: Value::Null,
    };
    match turn.answers.find(key, ordinal, element) {
        None => {
            let invoke = invoke(turn, key, element, ordinal, callee());
            Err(Failure::needs(element, Yield::Invoke(invoke)))
        }
        Some(InvokeResult::Done { variables }) => Ok(done(variables)),
        Some(InvokeResult::Changed { variables, locals, removed, value }) => {
            Ok(Reply { variables, locals, removed, value })
        }
        Some(InvokeResult::Failed { message }) => {
            Err(Failure::new(element, FailureKind::Foreign, message))
        }
        Some(InvokeResult::NotFound { message }) => {
            Err(Failure::new(element, FailureKind::DecisionMissing, message))
        }
        Some(InvokeResult::Error { code, message, variables }) => {
            Err(Failure::thrown(element, ThrownByCode { code, message, variables }))
        }
    }
}

/// As [`ask`], and what the code wanted of the variables is done.
pub(crate) fn call(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &ElementId,
    ordinal: u32,
    callee: impl FnOnce() -> Callee,
) -> Ruled<Value> {
    let reply = ask(turn, key, element, ordinal, callee)?;
    variables::remove(&mut turn.work.record, key, &reply.removed);
    variables::assign(&mut turn.work.record, key, &reply.variables.0);
    variables::set_local(&mut turn.work.record, key, &reply.locals.0);
    turn.note_variables();
    Ok(reply.value)
}

pub(crate) fn invoke(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &ElementId,
    ordinal: u32,
    callee: Callee,
) -> Invoke {
    let record = &turn.work.record;
    Invoke {
        element_instance: key,
        ordinal,
        callee,
        now: turn.now,
        instance: record.instance,
        definition: record.definition,
        tenant: record.tenant.clone(),
        business_key: record.business_key.clone(),
        element: element.clone(),
        activity: turn.beans.activity().unwrap_or_else(|| element.clone()),
        event: turn.beans.event(),
        variables: Document(record.visible(key)),
    }
}
