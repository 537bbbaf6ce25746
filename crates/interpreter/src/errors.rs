//! BPMN errors: who catches them, and what happens then.

use std::sync::Arc;

use orloj_model::{CompletionVariables, ElementIndex, ElementKind, ErrorCatch, Process};
use orloj_types::{Document, ElementInstanceKey, StoredValue, Variables};

use crate::failure::Ruled;
use crate::turn::Turn;
use crate::{flow, variables};

/// An error with what came along.
pub(crate) struct Thrown<'a> {
    pub(crate) code: &'a Arc<str>,
    pub(crate) message: &'a Arc<str>,
    pub(crate) variables: &'a Document,
}

/// The event of `element` that catches the error: one for exactly this code before one for all.
pub(crate) fn catcher<'p>(
    process: &'p Process,
    element: ElementIndex,
    code: &str,
) -> Option<(ElementIndex, &'p ErrorCatch)> {
    let catches = |exact: bool| {
        process.element(element).boundaries.iter().find_map(|&index| {
            let ElementKind::ErrorBoundary { catches, .. } = &process.element(index).kind else {
                return None;
            };
            let fits = match &catches.code {
                Some(known) => exact && **known == *code,
                None => !exact,
            };
            fits.then_some((index, catches))
        })
    };
    catches(true).or_else(|| catches(false))
}

/// The codes that would have been caught, for messages.
pub(crate) fn known_codes(process: &Process, element: ElementIndex) -> Vec<Arc<str>> {
    let boundaries = process.element(element).boundaries.iter();
    let codes = boundaries.filter_map(|&index| match &process.element(index).kind {
        ElementKind::ErrorBoundary { catches, .. } => catches.code.clone(),
        _ => None,
    });
    codes.collect()
}

/// Ends the element that threw and goes on at the event that catches.
pub(crate) fn caught(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    event: ElementIndex,
    catches: &ErrorCatch,
    thrown: &Thrown<'_>,
) -> Ruled {
    let scope = flow::terminate(turn, key).scope;
    let mut payload: Variables = thrown.variables.0.clone();
    let details =
        [(&catches.code_variable, thrown.code), (&catches.message_variable, thrown.message)];
    for (name, text) in details {
        if let Some(name) = name {
            payload.insert(name.clone(), StoredValue::text(text));
        }
    }
    match turn.semantics().completion {
        // They belong to the event first, whose output mappings may choose among them.
        CompletionVariables::Merge => flow::arrive_with(turn, event, scope, None, payload),
        CompletionVariables::Assign => {
            variables::assign(&mut turn.work.record, scope, &payload);
            flow::arrive(turn, event, scope, None)
        }
    }
}
