//! Cancelling a transaction (BPMN 10.7.3, 13.5.5): what was completed in it is undone, and it is
//! left by its cancel event.
//!
//! DIFFERENCE: Camunda undoes inside of the transaction, which ends when the handlers are done.
//! Flowable ends it first; the handlers run beside what follows, and without any it fails. There it
//! fails too where a handler has to wait; here that one goes on beside the others.

use orloj_model::{ElementIndex, Trigger};
use orloj_types::{ElementInstanceKey, Variables};
use thin_vec::ThinVec;

use crate::element::Begun;
use crate::events::{self};
use crate::failure::{Failure, FailureKind, Ruled};
use crate::record::{Compensation, Role};
use crate::turn::Turn;
use crate::{compensation, flow};

/// A token has come to the cancel end event `key`.
pub(crate) fn cancel(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled<Begun> {
    let (host, event) = find_event(turn, key)?;
    if turn.semantics().undoing.waits {
        let what = compensation::take(turn, key, None);
        match what.is_empty() {
            true => events::occur(turn, host, event, Variables::new())?,
            false => compensation::undo(turn, key, what),
        }
        return Ok(Begun::Waits);
    }
    let root = turn.work.record.root.key;
    let what = take_all(turn, host);
    if what.is_empty() && turn.semantics().undoing.cancels_what_it_undoes {
        let message = "nothing was done in the transaction that could be undone";
        let end = turn.element(key).element.clone();
        return Err(Failure::new(&end, FailureKind::Foreign, message));
    }
    flow::vanish(turn, key);
    events::occur(turn, host, event, Variables::new())?;
    compensation::undo(turn, root, what);
    Ok(Begun::Waits)
}

/// The handlers of a cancel end event are done.
pub(crate) fn undone(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled {
    let (host, event) = find_event(turn, key)?;
    events::occur(turn, host, event, Variables::new())
}

/// The cancel event of the transaction around an end event, and the instance it belongs to.
fn find_event(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
) -> Ruled<(ElementInstanceKey, ElementIndex)> {
    let end = turn.element(key);
    let found = turn.model_of(end.scope).and_then(|index| {
        let is_cancel =
            |&event: &ElementIndex| matches!(turn.model(event).trigger(), Some(Trigger::Cancel));
        turn.model(index).boundaries.iter().copied().find(is_cancel)
    });
    let Some(event) = found else {
        let message = "no cancel event belongs to the scope of the end event";
        return Err(Failure::new(&end.element, FailureKind::Foreign, message));
    };
    let scope = turn.element(end.scope);
    let host = match scope.role {
        Role::Inner => scope.scope,
        _ => scope.key,
    };
    Ok((host, event))
}

/// What can be undone in the transaction, with its variables; of a multi-instance one in each of
/// its instances.
fn take_all(turn: &mut Turn<'_>, host: ElementInstanceKey) -> ThinVec<Compensation> {
    let mut keys = vec![host];
    if turn.element(host).role == Role::Body {
        keys.extend(turn.work.record.elements.children(host).map(|inner| inner.key));
    }
    let mut taken = ThinVec::new();
    for key in keys {
        let inner = std::mem::take(&mut turn.element_mut(key).compensations);
        if inner.is_empty() {
            continue;
        }
        let variables = turn.work.record.variables.get(&key).cloned().unwrap_or_default();
        let (activity, completed_at) = (turn.element(key).element.clone(), turn.now);
        taken.push(Compensation { activity, completed_at, variables, inner });
    }
    // Instances of a multi-instance transaction that are completed are noted beside it.
    let (scope, id) = (turn.element(host).scope, turn.element(host).element.clone());
    let beside = &mut turn.element_mut(scope).compensations;
    taken.extend(beside.extract_if(.., |entry| entry.activity == id));
    taken
}
