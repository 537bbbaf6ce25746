//! The inclusive gateway (BPMN 10.6.3, 13.4.3): takes every flow whose condition holds, and waits
//! for all tokens that can still come to it.
//!
//! A token that waits is an active element instance. It goes on, together with the others that
//! wait, when no other token of its scope can reach the gateway any more.
//!
//! DIFFERENCE: Camunda asks only when a token arrives, and lets as many tokens as there are flows
//! pass at any time. A join whose last token goes elsewhere waits for ever there; Flowable asks
//! again when other tokens have ended, and so do engines here
//! for models of Zeebe. How history counts the tokens is told in [`super::parallel_gateway`].

use std::collections::BTreeSet;

use orloj_model::{Element, ElementKind, JoinReconsiders, Joins};
use orloj_types::{ElementId, ElementInstanceKey};

use super::join;
use crate::agenda::Step;
use crate::record::{ElementInstance, ElementState};
use crate::stage::Stage;
use crate::turn::Turn;

/// The waiting tokens that go on together with `key`; `None` while another can still come.
pub(super) fn others(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Option<Vec<ElementInstanceKey>> {
    match element.incoming.len() {
        0 | 1 => Some(Vec::new()),
        _ => complete_set(turn, key, element),
    }
}

/// The waiting tokens that go on together with `key`; `None` while another can still come.
fn complete_set(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Option<Vec<ElementInstanceKey>> {
    let scope = turn.element(key).scope;
    let waiting: Vec<_> = turn
        .work
        .record
        .elements
        .children(scope)
        .filter(|token| token.key != key && waits(token, &element.id))
        .collect();
    let everyone = || match turn.semantics().joins {
        // DIFFERENCE: in Zeebe another that came the same way stays, and waits for ever.
        Joins::PerFlow => one_of_each_flow(turn.element(key), &waiting),
        Joins::PerToken | Joins::PerTokenEndedAtOnce => {
            waiting.iter().map(|token| token.key).collect()
        }
    };
    if is_full(turn, key, element, &waiting) {
        return Some(everyone());
    }
    let sources = turn.process.sources_of(turn.index_of(&element.id));
    let mut tokens = turn.work.record.elements.children(scope);
    let is_coming = |token: &ElementInstance| {
        token.key != key
            && !waits(token, &element.id)
            && sources.contains(turn.index_of(&token.element))
    };
    if tokens.any(is_coming) {
        return None;
    }
    let (member, _) = turn.work.at();
    let mut on_their_way =
        turn.work.agenda.tokens_in(member, scope, |flow| turn.process.flow(flow).target);
    (!on_their_way.any(|target| sources.contains(target))).then(everyone)
}

fn one_of_each_flow(
    last: &ElementInstance,
    waiting: &[&ElementInstance],
) -> Vec<ElementInstanceKey> {
    let mut ways = BTreeSet::from([&last.arrived_by]);
    waiting.iter().filter(|token| ways.insert(&token.arrived_by)).map(|token| token.key).collect()
}

fn waits(token: &ElementInstance, at: &ElementId) -> bool {
    token.element == *at && token.state == ElementState::Active && !super::is_through(token)
}

/// Whether there are tokens enough that no others are waited for.
fn is_full(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    waiting: &[&ElementInstance],
) -> bool {
    if turn.semantics().choices.join_is_counted {
        return waiting.len() + 1 >= element.incoming.len();
    }
    if turn.semantics().joins != Joins::PerFlow {
        return false;
    }
    let here = waiting.iter().copied().chain([turn.element(key)]);
    let ways: BTreeSet<_> = here.filter_map(|token| token.arrived_by.as_ref()).collect();
    element.incoming.iter().all(|&flow| ways.contains(&turn.process.flow(flow).id))
}

/// Everything else has come to rest: a join whose last token went elsewhere goes on. The answer is
/// whether there is one.
pub(crate) fn reconsider_all(turn: &mut Turn<'_>) -> bool {
    (0..turn.work.members()).any(|member| {
        turn.switch(member);
        reconsider(turn)
    })
}

/// DIFFERENCE: Zeebe asks a join only when a token comes to it, so it may wait for ever. A rehearsal
/// shows that, an engine does not do it.
fn reconsider(turn: &mut Turn<'_>) -> bool {
    let reconsiders = match turn.semantics().choices.join_reconsiders {
        JoinReconsiders::Never => false,
        JoinReconsiders::WhenWanted => turn.settings.joins_never_hang,
        JoinReconsiders::Always => true,
    };
    if !reconsiders || turn.work.ended.is_some() || !turn.process.contents.inclusive_gateways {
        return false;
    }
    let mut seen = BTreeSet::new();
    let mut waiting = Vec::new();
    for token in &turn.work.record.elements {
        let index = turn.index_of(&token.element);
        let is_join = matches!(turn.model(index).kind, ElementKind::InclusiveGateway);
        let is_stopped = token.incident.is_some()
            || token.state != ElementState::Active
            || super::is_through(token);
        if is_join && !is_stopped && seen.insert((token.scope, index)) {
            waiting.push((token.key, index));
        }
    }
    for (key, index) in waiting {
        let Some(others) = complete_set(turn, key, turn.model(index)) else { continue };
        if turn.semantics().joins == Joins::PerFlow {
            // It is as if its token came only now: its listeners have not been called.
            turn.work.push(Step::Go { key, stage: Stage::Inputs });
            return true;
        }
        join::merge(turn, &others);
        let stage = match turn.semantics().joins {
            Joins::PerFlow | Joins::PerToken => Stage::Done,
            // History has seen its end already.
            Joins::PerTokenEndedAtOnce => {
                turn.element_mut(key).state = ElementState::Leaving;
                Stage::Leave
            }
        };
        turn.work.push(Step::Go { key, stage });
        return true;
    }
    false
}
