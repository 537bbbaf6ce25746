//! Tokens that come together: what parallel and inclusive joins have in common. Which tokens
//! belong together is told by the gateway's own file.
//!
//! DIFFERENCE: in Zeebe a join is one visit, with listeners of its own, that begins when the last
//! token has come. In the others every token is a visit: in Camunda it lasts until the join is
//! complete, in Flowable it ends at once.

use orloj_model::{Element, ElementKind, Joins};
use orloj_types::ElementInstanceKey;

use super::{Begun, inclusive_gateway, parallel_gateway};
use crate::outcome::{Event, LeaveKind};
use crate::record::ElementInstance;
use crate::turn::Turn;
use crate::{farewell, flow};

/// Gives the tokens that go on together with one, or `None` while it has to wait.
type Others = fn(&Turn<'_>, ElementInstanceKey, &Element) -> Option<Vec<ElementInstanceKey>>;

fn others_of(element: &Element) -> Option<Others> {
    match element.kind {
        ElementKind::ParallelGateway => Some(parallel_gateway::others),
        ElementKind::InclusiveGateway => Some(inclusive_gateway::others),
        _ => None,
    }
}

/// Whether the element instance may go on: the others that belong to it have come, and vanish.
/// A token that has been let through has come by the gateway itself.
pub(crate) fn is_complete(turn: &mut Turn<'_>, key: ElementInstanceKey, element: &Element) -> bool {
    let Some(others) = others_of(element) else { return true };
    if turn.semantics().joins != Joins::PerFlow || is_through(turn.element(key)) {
        return true;
    }
    let Some(others) = others(turn, key, element) else { return false };
    merge(turn, &others);
    flow::note_entered(turn, key);
    turn.element_mut(key).arrived_by = Some(element.id.clone());
    true
}

pub(crate) fn is_through(instance: &ElementInstance) -> bool {
    instance.arrived_by.as_ref() == Some(&instance.element)
}

/// The gateway is entered; where every token is a visit, it may have to wait for others.
pub(super) fn begin(turn: &mut Turn<'_>, key: ElementInstanceKey, element: &Element) -> Begun {
    let joins = turn.semantics().joins;
    let Some(others) = others_of(element).filter(|_| joins != Joins::PerFlow) else {
        return Begun::Done;
    };
    flow::note_entered(turn, key);
    let Some(others) = others(turn, key, element) else {
        if joins == Joins::PerTokenEndedAtOnce {
            turn.event(Event::ElementLeft { key, how: LeaveKind::Completed });
        }
        return Begun::Waits;
    };
    merge(turn, &others);
    Begun::Done
}

/// A listener of the gateway has thrown an error. Where every token is a visit history sees this
/// one, which it knows already when the listener is one of the end.
pub(crate) fn note_thrown(turn: &mut Turn<'_>, key: ElementInstanceKey, is_known: bool) {
    let joins = turn.semantics().joins;
    let element = turn.model(turn.index_of(&turn.element(key).element));
    if others_of(element).is_none() || joins == Joins::PerFlow {
        return;
    }
    if !is_known {
        flow::note_entered(turn, key);
    }
    if joins == Joins::PerTokenEndedAtOnce {
        turn.event(Event::ElementLeft { key, how: LeaveKind::Completed });
    }
}

/// The other tokens vanish.
pub(super) fn merge(turn: &mut Turn<'_>, others: &[ElementInstanceKey]) {
    for &other in others {
        if turn.semantics().joins == Joins::PerToken {
            // Every token is a visit, which has an end of its own.
            farewell::note(turn, other);
        }
        flow::remove(turn, other);
        if turn.semantics().joins == Joins::PerToken {
            turn.event(Event::ElementLeft { key: other, how: LeaveKind::Completed });
        }
    }
}
