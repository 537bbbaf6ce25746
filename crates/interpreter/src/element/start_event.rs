//! The start event (BPMN 10.5.2, 13.5.1): where a token begins. Its trigger, if it has one, has
//! come before the token is there.

use orloj_model::{Element, StartEvent};
use orloj_types::{ElementInstanceKey, Value};

use super::Begun;
use crate::errors;
use crate::failure::Ruled;
use crate::turn::Turn;
use crate::variables;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    start: &StartEvent,
) -> Ruled<Begun> {
    if let Some(name) = &start.initiator
        && (turn.work.record.caller.is_none() || turn.semantics().choices.called_have_initiator)
        && turn.element(key).scope == turn.work.record.root.key
    {
        // Who starts an instance is not known to it: it stays nobody unless it was given.
        let root = turn.work.record.root.key;
        let own = turn.work.record.variables.get(&root);
        if !own.is_some_and(|own| own.contains_key(name)) {
            let nobody = Value::Null.to_stored();
            variables::set_local(&mut turn.work.record, root, [(name, &nobody)]);
            turn.note_variables();
        }
    }
    if start.trigger.is_some() {
        variables::pass_on_payload(turn, key, element);
        errors::keep_code(turn, key, element);
    }
    Ok(Begun::Done)
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sketch, Story, end, start, user};

    #[test]
    fn an_instance_starts_with_its_variables_on_the_instance() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .node("end", end())
            .flows("start -> ask -> end");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start(r#"{"a":1}"#), @r#"
        started
        entered start
        left start
        entered ask
        --
        insert task1 ask priority 50
        at ask task1
        instance: {"a":1}
        "#);
    }

    #[test]
    fn a_process_without_such_a_start_is_refused() {
        let mut story = Story::of(Sketch::zeebe().node("end", end()).build());
        insta::assert_snapshot!(story.start("{}"), @"rejected: the process has no start event without a trigger");
    }

    #[test]
    fn a_save_point_before_the_start_is_a_job() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("end", end())
            .flows("start -> end")
            .async_before("start");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        job1 created
        --
        insert job1 before start, ready, retries 3, exclusive
        at start entering job1
        ");
        insta::assert_snapshot!(story.run_job("start"), @"
        job1 completed
        entered start
        left start
        entered end
        left end
        ended Completed
        --
        delete job1
        end Completed {}
        ");
    }
}
