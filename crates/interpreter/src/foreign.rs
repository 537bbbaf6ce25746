//! Calls of foreign code: asked for once each, answered by the runtime.

use std::sync::Arc;

use orloj_expr::FactChange;
use orloj_types::{Document, ElementId, ElementInstanceKey, Value};

use crate::edits::{self, VariableEdit};
use crate::element::user_task;
use crate::failure::{Failure, FailureKind, Fault, Ruled};
use crate::invoke::{Callee, Invoke, InvokeResult, InvokeScopes, Yield};
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
    /// To be set where they are found.
    pub(crate) variables: Document,
    pub(crate) edits: Vec<VariableEdit>,
    pub(crate) business_key: Option<Option<Arc<str>>>,
    /// What becomes of the user task.
    pub(crate) task: Vec<FactChange>,
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
        edits: Vec::new(),
        business_key: None,
        task: Vec::new(),
        value: Value::Null,
    };
    match turn.answers.find(key, ordinal, element) {
        None => {
            let invoke = invoke(turn, key, element, ordinal, callee());
            Err(Failure::needs(element, Yield::Invoke(invoke)))
        }
        Some(InvokeResult::Done { variables }) => Ok(done(variables)),
        Some(InvokeResult::Changed { edits, business_key, task, value }) => {
            Ok(Reply { variables: Document::new(), edits, business_key, task, value })
        }
        Some(InvokeResult::Failed { message }) => {
            Err(Failure::new(element, FailureKind::Foreign, message))
        }
        Some(InvokeResult::Faulted { message, details, is_final }) => {
            let fault = Some(Box::new(Fault { details, is_final }));
            Err(Failure { fault, ..Failure::new(element, FailureKind::Foreign, message) })
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
    if let Some(business_key) = &reply.business_key {
        rename(turn, element, business_key.clone())?;
    }
    for change in &reply.task {
        user_task::change(turn, key, element, change.clone())?;
    }
    apply(turn, key, &reply);
    Ok(reply.value)
}

/// The instance gets another business key.
pub(crate) fn rename(
    turn: &mut Turn<'_>,
    element: &ElementId,
    business_key: Option<Arc<str>>,
) -> Ruled {
    if turn.work.record.business_key == business_key {
        return Ok(());
    }
    // Instances are found by it, in rows that are written once.
    if !turn.work.is_new() {
        let message = "the business key can only be set by the command that starts the instance";
        return Err(Failure::new(element, FailureKind::Foreign, message));
    }
    turn.work.record.business_key = business_key;
    turn.work.changes.is_record_changed = true;
    Ok(())
}

/// Does what the code wanted of the instance.
pub(crate) fn apply(turn: &mut Turn<'_>, key: ElementInstanceKey, reply: &Reply) {
    if !reply.variables.is_empty() {
        variables::assign(&mut turn.work.record, key, &reply.variables.0);
        turn.note_variables();
    }
    edits::apply(turn, key, &reply.edits);
    if let Some(business_key) = &reply.business_key {
        turn.work.record.business_key.clone_from(business_key);
        turn.work.changes.is_record_changed = true;
    }
}

pub(crate) fn invoke(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &ElementId,
    ordinal: u32,
    callee: Callee,
) -> Invoke {
    let record = &turn.work.record;
    let scopes = matches!(callee, Callee::Program { .. } | Callee::Resource { .. })
        .then(|| Box::new(scopes(turn, key)));
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
        variables: turn.beans.seen().unwrap_or_else(|| Document(record.visible(key))),
        scopes,
    }
}

fn scopes(turn: &Turn<'_>, key: ElementInstanceKey) -> InvokeScopes {
    let record = &turn.work.record;
    let own = |scope| Document(record.variables.get(&scope).cloned().unwrap_or_default());
    let parent = edits::parent(turn, key);
    InvokeScopes {
        local: own(edits::local_scope(turn, key)),
        instance: own(record.root.key),
        parent: Document(record.visible(parent)),
        parent_local: own(parent),
        inputs: turn.beans.inputs(),
        task: record.element(key).and_then(|at| at.task.as_ref()).map(|task| task.now.clone()),
    }
}
