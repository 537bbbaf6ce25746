//! Calls of foreign code: asked for once per visit, answered by the runtime.

use std::sync::Arc;

use orloj_model::{ElementIndex, UncaughtError};
use orloj_types::{Document, ElementInstanceKey};

use crate::errors::{self, Thrown};
use crate::failure::{Failure, FailureKind, Ruled};
use crate::invoke::{Callee, Invoke, InvokeResult};
use crate::turn::Turn;
use crate::{flow, variables};

/// Foreign code is called once per visit.
const CALL_ORDINAL: u32 = 0;

/// What is known of a call.
pub(crate) enum Asked {
    /// It has not been made.
    Call(Invoke),
    Done {
        variables: Document,
        removed: Vec<Arc<str>>,
    },
    Failed {
        message: Arc<str>,
        /// There is nothing of that name.
        is_missing: bool,
    },
    Error(ThrownByCode),
}

/// A BPMN error out of foreign code.
pub(crate) struct ThrownByCode {
    code: Arc<str>,
    message: Arc<str>,
    variables: Document,
}

/// The answer to the call of the element, or the call to be made.
pub(crate) fn ask(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    callee: impl FnOnce() -> Callee,
) -> Asked {
    match turn.answers.find(key, CALL_ORDINAL, &turn.model(index).id) {
        None => Asked::Call(invoke(turn, key, index, callee())),
        Some(InvokeResult::Done { variables }) => Asked::Done { variables, removed: Vec::new() },
        Some(InvokeResult::Changed { variables, removed }) => Asked::Done { variables, removed },
        Some(InvokeResult::Failed { message }) => Asked::Failed { message, is_missing: false },
        Some(InvokeResult::NotFound { message }) => Asked::Failed { message, is_missing: true },
        Some(InvokeResult::Error { code, message, variables }) => {
            Asked::Error(ThrownByCode { code, message, variables })
        }
    }
}

/// Goes on at the event that catches the error; without one, as the process means it.
pub(crate) fn throw(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    error: &ThrownByCode,
) -> Ruled {
    let ThrownByCode { code, message, variables } = error;
    let thrown = Thrown { code, message, variables };
    if let Some((event, catches)) = errors::catcher(turn.process, index, code) {
        return errors::caught(turn, key, event, catches, &thrown);
    }
    match turn.semantics().uncaught_error {
        UncaughtError::EndToken => {
            variables::assign(&mut turn.work.record, key, &variables.0);
            flow::end_token(turn, key);
            Ok(())
        }
        // There is no worker job that could wait with an incident.
        UncaughtError::Fail | UncaughtError::Incident => {
            let message = format!("no event catches the error '{code}': {message}");
            Err(Failure::new(&turn.model(index).id, FailureKind::Foreign, message))
        }
    }
}

fn invoke(turn: &Turn<'_>, key: ElementInstanceKey, index: ElementIndex, callee: Callee) -> Invoke {
    let record = &turn.work.record;
    Invoke {
        element_instance: key,
        ordinal: CALL_ORDINAL,
        callee,
        now: turn.now,
        instance: record.instance,
        definition: record.definition,
        tenant: record.tenant.clone(),
        business_key: record.business_key.clone(),
        element: turn.model(index).id.clone(),
        variables: Document(record.visible(key)),
    }
}
