//! The parallel gateway (BPMN 10.6.4, 13.4.1): waits for its incoming flows and takes all of the
//! outgoing ones.
//!
//! A token that waits is an active element instance which knows the flow it came by. When the
//! last one arrives the others vanish and that one goes on.
//!
//! DIFFERENCE: Zeebe, as BPMN, wants one token of each incoming flow; Camunda and Flowable go on
//! with as many tokens as there are flows, whichever way they came. History shows one visit of a
//! join in Zeebe, and one for each token in the others: in Camunda each lasts until the join is
//! complete, in Flowable it ends at once.

use orloj_model::{Element, Joins};
use orloj_types::ElementInstanceKey;

use crate::record::{ElementInstance, ElementState};
use crate::turn::Turn;

/// The waiting tokens that go on together with `key`; `None` while some are missing.
pub(super) fn others(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Option<Vec<ElementInstanceKey>> {
    match element.incoming.len() {
        0 | 1 => Some(Vec::new()),
        incoming => complete_set(turn, key, element, incoming, turn.semantics().joins),
    }
}

/// The waiting tokens that go on together with `last`; `None` while some are missing.
fn complete_set(
    turn: &Turn<'_>,
    last: ElementInstanceKey,
    element: &Element,
    incoming: usize,
    joins: Joins,
) -> Option<Vec<ElementInstanceKey>> {
    let last = turn.element(last);
    let is_waiting = |token: &&ElementInstance| {
        token.element == last.element
            && token.scope == last.scope
            && token.key != last.key
            && token.state == ElementState::Active
            // One that is complete and has listeners of its own at work is no part of the next.
            && !super::is_through(token)
    };
    let mut waiting = turn.work.record.elements.children(last.scope).filter(is_waiting);
    if joins != Joins::PerFlow {
        let others: Vec<_> = waiting.by_ref().take(incoming - 1).map(|token| token.key).collect();
        return (others.len() == incoming - 1).then_some(others);
    }
    let waiting: Vec<_> = waiting.collect();
    let mut others = Vec::with_capacity(incoming - 1);
    for &flow in &element.incoming {
        let id = &turn.process.flow(flow).id;
        if last.arrived_by.as_ref() == Some(id) {
            continue;
        }
        let oldest = waiting.iter().find(|token| token.arrived_by.as_ref() == Some(id))?;
        others.push(oldest.key);
    }
    Some(others)
}

#[cfg(test)]
mod tests {
    use crate::Command;
    use crate::testing::{Sketch, Story, and, end, start, user, xor};

    fn fork_and_join(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("fork", and())
            .node("a", user())
            .node("b", user())
            .node("join", and())
            .node("end", end())
            .flows("start -> fork -> a -> join -> end")
            .flows("fork -> b -> join")
    }

    #[test]
    fn in_zeebe_a_join_is_one_visit_and_the_last_branch_comes_first() {
        let mut story = Story::of(fork_and_join(Sketch::zeebe()).build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered fork
        left fork
        entered b
        entered a
        --
        insert task1 b priority 50
        insert task2 a priority 50
        at b task1
        at a task2
        ");
        insta::assert_snapshot!(story.complete_user_task("b", "{}"), @"
        left b
        --
        delete task1
        at a task2
        at join
        ");
        insta::assert_snapshot!(story.complete_user_task("a", "{}"), @"
        left a
        entered join#2
        left join#2
        entered end
        left end
        ended Completed
        --
        delete task2
        end Completed {}
        ");
    }

    #[test]
    fn in_camunda_each_token_is_a_visit_that_lasts() {
        let mut story = Story::of(fork_and_join(Sketch::camunda()).build());
        story.start("{}");
        insta::assert_snapshot!(story.complete_user_task("b", "{}"), @"
        left b
        entered join
        --
        delete task2
        at a task1
        at join
        ");
        insta::assert_snapshot!(story.complete_user_task("a", "{}"), @"
        left a
        entered join#2
        left join
        left join#2
        entered end
        left end
        ended Completed
        --
        delete task1
        end Completed {}
        ");
    }

    #[test]
    fn in_flowable_each_token_is_a_visit_that_ends_at_once() {
        let mut story = Story::of(fork_and_join(Sketch::flowable()).build());
        story.start("{}");
        insta::assert_snapshot!(story.complete_user_task("b", "{}"), @"
        left b
        entered join
        left join
        --
        delete task2
        at a task1
        at join
        ");
        insta::assert_snapshot!(story.complete_user_task("a", "{}"), @"
        left a
        entered join#2
        left join#2
        entered end
        left end
        ended Completed
        --
        delete task1
        end Completed {}
        ");
    }

    #[test]
    fn a_cancelled_join_ends_in_history_as_often_as_it_began() {
        for (sketch, ends) in [
            (Sketch::zeebe(), vec!["terminated a"]),
            (Sketch::camunda(), vec!["terminated join", "terminated a"]),
            (Sketch::flowable(), vec!["terminated a"]),
        ] {
            let mut story = Story::of(fork_and_join(sketch).build());
            story.start("{}");
            story.complete_user_task("b", "{}");
            let told = story.play(Command::Cancel);
            let found: Vec<_> = told.lines().filter(|l| l.starts_with("terminated")).collect();
            assert_eq!(found, ends);
        }
    }

    /// Two tokens by one flow, one by the other.
    fn crowded(sketch: Sketch) -> Story {
        let process = sketch
            .node("start", start())
            .node("fork", and())
            .node("a", user())
            .node("b", user())
            .node("c", user())
            .node("merge", xor())
            .node("join", and())
            .node("end", user())
            .flows("start -> fork -> a -> merge -> join -> end")
            .flows("fork -> b -> merge")
            .flows("fork -> c -> join");
        let mut story = Story::of(process.build());
        story.start("{}");
        story
    }

    #[test]
    fn in_zeebe_every_flow_must_have_its_token() {
        let mut story = crowded(Sketch::zeebe());
        story.complete_user_task("a", "{}");
        insta::assert_snapshot!(story.complete_user_task("b", "{}"), @"
        left b
        entered merge#2
        left merge#2
        --
        delete task2
        at c task1
        at join
        at join#2
        ");
        insta::assert_snapshot!(story.complete_user_task("c", "{}"), @"
        left c
        entered join#3
        left join#3
        entered end
        --
        delete task1
        insert task4 end priority 50
        at join#2
        at end task4
        ");
    }

    #[test]
    fn in_camunda_tokens_are_only_counted() {
        let mut story = crowded(Sketch::camunda());
        story.complete_user_task("a", "{}");
        insta::assert_snapshot!(story.complete_user_task("b", "{}"), @"
        left b
        entered merge#2
        left merge#2
        entered join#2
        left join
        left join#2
        entered end
        --
        delete task2
        insert task4 end priority 50
        at c task3
        at end task4
        ");
    }
}
