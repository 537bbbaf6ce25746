//! The end event (BPMN 10.5.3, 13.5.4): a token ends here. What it throws is told in
//! [`super::throw_event`].

use orloj_model::{Element, ElementIndex, Throw};
use orloj_types::ElementInstanceKey;

use super::{Begun, throw_event};
use crate::failure::Ruled;
use crate::turn::Turn;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    element: &Element,
    throw: &Throw,
) -> Ruled<Begun> {
    throw_event::begin(turn, key, index, element, throw)
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sketch, Story, and, end, start, user};

    #[test]
    fn the_instance_ends_with_its_last_token() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("fork", and())
            .node("a", user())
            .node("b", user())
            .node("end", end())
            .flows("start -> fork -> a -> end")
            .flows("fork -> b -> end");
        let mut story = Story::of(process.build());
        story.start(r#"{"x":1}"#);
        insta::assert_snapshot!(story.complete_user_task("a", "{}"), @r#"
        left a
        entered end
        left end
        --
        delete task2
        at b task1
        instance: {"x":1}
        "#);
        insta::assert_snapshot!(story.complete_user_task("b", r#"{"y":2}"#), @r#"
        left b
        entered end#2
        left end#2
        ended Completed
        --
        delete task1
        end Completed {"x":1,"y":2}
        "#);
    }

    #[test]
    fn mappings_of_an_end_event_are_applied() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("end", end())
            .flows("start -> end")
            .input("end", "x + 1", "y")
            .output("end", "y * 2", "z");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start(r#"{"x":1}"#), @r#"
        started
        entered start
        left start
        entered end
        left end
        ended Completed
        --
        end Completed {"x":1,"z":4}
        "#);
    }

    #[test]
    fn an_element_without_outgoing_flows_ends_its_token_too() {
        let process =
            Sketch::camunda().node("start", start()).node("a", user()).flows("start -> a");
        let mut story = Story::of(process.build());
        story.start("{}");
        insta::assert_snapshot!(story.complete_user_task("a", "{}"), @"
        left a
        ended Completed
        --
        delete task1
        end Completed {}
        ");
    }
}
