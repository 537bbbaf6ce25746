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
use crate::record::{ElementInstance, ElementState, Role};
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
    let waiting: Vec<_> = children(turn, scope)
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
    let mut tokens = children(turn, scope);
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

/// A token is gone from the scope, for which a join in there may have waited.
pub(crate) fn note_left(turn: &mut Turn<'_>, scope: ElementInstanceKey) {
    if !turn.process.contents.inclusive_gateways {
        return;
    }
    // In the body of a loop there is no gateway, but any number of tokens.
    let holder = turn.work.record.element(scope);
    if holder.is_some_and(|holder| holder.role != Role::Body) {
        let (member, _) = turn.work.at();
        turn.work.left.insert((member, scope));
    }
}

/// Everything else has come to rest: a join whose last token went elsewhere goes on. The answer is
/// whether there is one. Of several the oldest is the first.
pub(crate) fn reconsider_all(turn: &mut Turn<'_>) -> bool {
    for (member, scope) in std::mem::take(&mut turn.work.left) {
        turn.switch(member);
        note_joins(turn, scope);
    }
    while let Some((member, key)) = turn.work.joins.pop_first() {
        turn.switch(member);
        if reconsider(turn, key) {
            return true;
        }
    }
    false
}

/// Notes the joins of a scope at which tokens wait, by the oldest of them.
///
/// DIFFERENCE: Zeebe asks a join only when a token comes to it, so it may wait for ever. A rehearsal
/// shows that, an engine does not do it.
fn note_joins(turn: &mut Turn<'_>, scope: ElementInstanceKey) {
    let reconsiders = match turn.semantics().choices.join_reconsiders {
        JoinReconsiders::Never => false,
        JoinReconsiders::WhenWanted => turn.settings.joins_never_hang,
        JoinReconsiders::Always => true,
    };
    if !reconsiders {
        return;
    }
    let (member, _) = turn.work.at();
    let (mut seen, mut joins) = (BTreeSet::new(), Vec::new());
    for token in children(turn, scope) {
        if may_be_let_through(turn, token) && seen.insert(&token.element) {
            joins.push((member, token.key));
        }
    }
    turn.work.joins.extend(joins);
}

/// Whether it waits at an inclusive gateway, and for other tokens only.
fn may_be_let_through(turn: &Turn<'_>, token: &ElementInstance) -> bool {
    token.state == ElementState::Active
        && token.incident.is_none()
        && !super::is_through(token)
        && matches!(turn.model(turn.index_of(&token.element)).kind, ElementKind::InclusiveGateway)
}

fn children<'t>(
    turn: &'t Turn<'_>,
    scope: ElementInstanceKey,
) -> impl Iterator<Item = &'t ElementInstance> {
    let children = turn.work.record.elements.children(scope);
    #[cfg(test)]
    let children = children.inspect(|_| tests::LOOKED_AT.with(|count| count.set(count.get() + 1)));
    children
}

fn reconsider(turn: &mut Turn<'_>, key: ElementInstanceKey) -> bool {
    let token = turn.work.record.elements.get(key);
    let Some(token) = token.filter(|token| may_be_let_through(turn, token)) else { return false };
    if turn.work.ended.is_some() {
        return false;
    }
    let element = turn.model(turn.index_of(&token.element));
    let Some(others) = complete_set(turn, key, element) else { return false };
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
    true
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use orloj_model::{ElementKind, Items, MultiInstance, SubProcessKind};

    use crate::testing::{Sketch, Story, and, end, start, subprocess, user, xor};

    thread_local! {
        /// How many tokens were looked at for the sake of joins.
        pub(super) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    /// A subprocess for each item, with a join in it that waits for a token which goes elsewhere
    /// when `b` is done.
    fn joins(b: ElementKind) -> Story {
        let sketch = Sketch::flowable();
        let collection = sketch.expression("items");
        let multi = MultiInstance::of(Items::Collection { collection, variable: None });
        let process = sketch
            .node("start", start())
            .node("each", subprocess(SubProcessKind::Embedded))
            .node("in", start())
            .node("fork", and())
            .node("a", ElementKind::PlainTask)
            .node("b", b)
            .node("gate", xor())
            .node("join", ElementKind::InclusiveGateway)
            .node("after", user())
            .node("out", end())
            .inside("each", &["in", "fork", "a", "b", "gate", "join", "after", "out"])
            .flows("start -> each")
            .flows("in -> fork -> a -> join -> after")
            .flows("fork -> b -> gate")
            .flow_if("gate", "join", "n > 1")
            .default_flow("gate", "out")
            .with("each", |e| e.multi = Some(multi));
        Story::of(process.build())
    }

    fn begin(story: &mut Story, items: usize) {
        let list: Vec<String> = (0..items).map(|item| item.to_string()).collect();
        LOOKED_AT.with(|count| count.set(0));
        story.start(&format!(r#"{{"n":0,"items":[{}]}}"#, list.join(",")));
    }

    fn tokens_at(story: &Story, element: &str) -> usize {
        let elements = &story.record.as_ref().expect("it lives").elements;
        elements.iter().filter(|token| &*token.element == element).count()
    }

    #[test]
    fn many_joins_that_go_on_in_one_command_are_looked_at_a_few_times_each() {
        let looked_at = |items: usize| {
            let mut story = joins(ElementKind::PlainTask);
            begin(&mut story, items);
            assert_eq!(tokens_at(&story, "after"), items);
            LOOKED_AT.with(Cell::get)
        };
        let few = looked_at(30);
        assert!(looked_at(300) <= 10 * few, "ten times as many cost ten times as much");
        assert!(few > 0 && few <= 30 * 30, "{few}");
    }

    #[test]
    fn a_join_is_not_looked_for_among_the_tokens_of_other_scopes() {
        let looked_at = |items: usize| {
            let mut story = joins(user());
            begin(&mut story, items);
            assert_eq!(tokens_at(&story, "join"), items);
            for _ in 0..items {
                story.complete_user_task("b", "{}");
            }
            assert_eq!(tokens_at(&story, "after"), items);
            LOOKED_AT.with(Cell::get)
        };
        let few = looked_at(20);
        assert!(looked_at(200) <= 10 * few, "ten times as many cost ten times as much");
    }
}
