//! The event-based gateway (BPMN 10.6.6, 13.4.4): waits for all events it leads to; the first one
//! that occurs takes the token.
//!
//! DIFFERENCE: when an event occurs, Zeebe completes the gateway and Camunda cancels it. In
//! Flowable the gateway is left at once and its events wait by themselves; the first one that
//! occurs ends the others in the same scope.

use std::collections::BTreeSet;

use orloj_model::{Element, ElementIndex, ElementKind, EventGateways};
use orloj_types::{ElementInstanceKey, Variables};

use super::Begun;
use crate::agenda::Step;
use crate::events;
use crate::failure::Ruled;
use crate::record::Role;
use crate::turn::Turn;
use crate::{flow, scope};

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled<Begun> {
    if turn.semantics().choices.event_gateway == EventGateways::Left {
        return Ok(Begun::Done);
    }
    let mut ready = Vec::with_capacity(element.outgoing.len());
    for &flow in &element.outgoing {
        let target = turn.process.flow(flow).target;
        ready.extend(events::prepare(turn, key, turn.model(target), false)?);
    }
    events::open_all(turn, key, ready);
    Ok(Begun::Waits)
}

/// One of the events has occurred.
pub(crate) fn chosen(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    event: ElementIndex,
    with: Variables,
) {
    let scope = match turn.semantics().choices.event_gateway {
        EventGateways::Terminated => scope::terminate(turn, key).scope,
        EventGateways::Completed | EventGateways::Left => flow::vanish(turn, key).scope,
    };
    let with = crate::variables::payload_for_event(turn, scope, with);
    let (element, role) = (event, Role::Triggered);
    turn.work.push_next(Step::Arrive { element, scope, role, with });
}

/// An event that waited by itself has occurred: the others after the same gateway wait no longer.
pub(crate) fn end_losers(turn: &mut Turn<'_>, key: ElementInstanceKey, event: ElementIndex) {
    if turn.semantics().choices.event_gateway != EventGateways::Left {
        return;
    }
    let process = turn.process;
    let mut rivals = BTreeSet::new();
    for &flow in &process.element(event).incoming {
        let gateway = process.element(process.flow(flow).source);
        if matches!(gateway.kind, ElementKind::EventGateway) {
            rivals.extend(gateway.outgoing.iter().map(|&flow| process.flow(flow).target));
        }
    }
    rivals.remove(&event);
    if rivals.is_empty() {
        return;
    }
    let scope = turn.element(key).scope;
    let tokens = turn.work.record.elements.children(scope);
    let losers: Vec<_> = tokens
        .filter(|token| rivals.contains(&turn.index_of(&token.element)))
        .map(|token| token.key)
        .collect();
    for loser in losers {
        scope::terminate(turn, loser);
    }
}
