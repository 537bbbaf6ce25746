//! The exclusive gateway (BPMN 10.6.2, 13.4.2): exactly one of the outgoing flows is taken, the
//! first whose condition holds, else the default one. Every incoming token passes by itself.
//!
//! DIFFERENCE: "first" is the order of the file in Camunda and Flowable, the reverse in Zeebe;
//! the graph has the flows in the right order. Where no flow can be taken or a condition is no
//! boolean, Zeebe stops with an incident and the others undo the command. The condition of a
//! default flow is not looked at. A flow without a condition holds in Camunda and Flowable; Zeebe
//! takes it only where it is the single one. Flowable calls no listeners of the gateway's end.

use orloj_model::{Element, FlowIndex};
use orloj_types::ElementInstanceKey;

use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::turn::Turn;

/// The one flow to take, as a slice; none where the gateway has none.
pub(crate) fn choose<'a>(
    turn: &Turn<'a>,
    key: ElementInstanceKey,
    element: &'a Element,
) -> Ruled<&'a [FlowIndex]> {
    for flow in &element.outgoing {
        if element.default_flow == Some(*flow) {
            continue;
        }
        if extract::holds(turn, key, element, turn.process.flow(*flow))? {
            return Ok(std::slice::from_ref(flow));
        }
    }
    match &element.default_flow {
        Some(default) => Ok(std::slice::from_ref(default)),
        None if element.outgoing.is_empty() => Ok(&[]),
        None => {
            let message = "no condition of an outgoing flow holds and there is no default flow";
            Err(Failure::new(&element.id, FailureKind::Condition, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use orloj_expr::Expression;
    use orloj_model::ListenerEvent;
    use orloj_types::Value;

    use crate::testing::{Sketch, Story, end, start, user, xor};

    fn gate(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("gate", xor())
            .node("small", end())
            .node("big", end())
            .node("other", end())
            .flows("start -> gate")
    }

    fn way(story: &mut Story, variables: &str) -> String {
        let told = story.start(variables);
        told.lines().filter_map(|line| line.strip_prefix("entered ")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn of_several_true_conditions_the_first_visited_wins() {
        let draw = |sketch| {
            gate(sketch)
                .flow_if("gate", "small", "n < 10")
                .flow_if("gate", "big", "n > 5")
                .default_flow("gate", "other")
        };
        let mut zeebe = Story::of(draw(Sketch::zeebe()).build());
        assert_eq!(way(&mut zeebe, r#"{"n":7}"#), "start gate big");
        assert_eq!(way(&mut zeebe, r#"{"n":1}"#), "start#2 gate#2 small");
        let mut camunda = Story::of(draw(Sketch::camunda()).build());
        assert_eq!(way(&mut camunda, r#"{"n":7}"#), "start gate small");
        assert_eq!(way(&mut camunda, r#"{"n":10}"#), "start#2 gate#2 big");
    }

    #[test]
    fn the_default_flow_is_taken_when_nothing_holds_and_its_condition_does_not_matter() {
        let process = gate(Sketch::camunda())
            .default_flow("gate", "other")
            .flow_if("gate", "small", "n < 10")
            .build();
        let mut process = std::sync::Arc::unwrap_or_clone(process);
        process.flows[1].condition =
            Some(orloj_model::Script::Expression(Expression::constant(Value::Bool(true))));
        let mut story = Story::of(process.into());
        assert_eq!(way(&mut story, r#"{"n":7}"#), "start gate small");
        assert_eq!(way(&mut story, r#"{"n":70}"#), "start#2 gate#2 other");
    }

    #[test]
    fn a_single_flow_without_a_condition_is_just_taken() {
        let mut story = Story::of(gate(Sketch::zeebe()).flows("gate -> big").build());
        assert_eq!(way(&mut story, "{}"), "start gate big");
    }

    #[test]
    fn in_zeebe_a_choice_needs_conditions() {
        let draw = |sketch| gate(sketch).flow_if("gate", "small", "n < 10").flows("gate -> big");
        let mut camunda = Story::of(draw(Sketch::camunda()).build());
        assert_eq!(way(&mut camunda, r#"{"n":70}"#), "start gate big");
        let mut zeebe = Story::of(draw(Sketch::zeebe()).build());
        assert!(zeebe.start(r#"{"n":70}"#).contains("opened CONDITION_ERROR"));
        let mut zeebe = Story::of(draw(Sketch::zeebe()).default_flow("gate", "other").build());
        assert_eq!(way(&mut zeebe, r#"{"n":70}"#), "start gate other");
        assert_eq!(way(&mut zeebe, r#"{"n":7}"#), "start#2 gate#2 small");
    }

    #[test]
    fn in_flowable_nothing_listens_to_its_end() {
        let calls = |sketch| {
            let process = gate(sketch).flows("gate -> big");
            let process = process.listener_code("gate", ListenerEvent::Start, "Begins");
            let process = process.listener_code("gate", ListenerEvent::End, "Ends");
            let mut story =
                Story::of(process.build()).delegate("Begins", &[]).delegate("Ends", &[]);
            story.start("{}");
            story.invoked
        };
        assert_eq!(calls(Sketch::camunda()), ["Begins {}", "Ends {}"]);
        assert_eq!(calls(Sketch::flowable()), ["Begins {}"]);
    }

    #[test]
    fn in_zeebe_no_flow_to_take_is_an_incident_and_resolving_chooses_again() {
        let process = gate(Sketch::zeebe()).flow_if("gate", "small", "n < 10").build();
        let mut story = Story::of(process);
        insta::assert_snapshot!(story.start(r#"{"n":70}"#), @r#"
        started
        entered start
        left start
        entered gate
        incident1 opened CONDITION_ERROR: no condition of an outgoing flow holds and there is no default flow
        --
        insert incident1 CONDITION_ERROR
        at gate incident1
        instance: {"n":70}
        "#);
        insta::assert_snapshot!(story.resolve(), @r#"
        incident1 closed
        incident2 opened CONDITION_ERROR: no condition of an outgoing flow holds and there is no default flow
        --
        delete incident1
        insert incident2 CONDITION_ERROR
        at gate incident2
        instance: {"n":70}
        "#);
        let scope = story.record.as_ref().expect("it lives").instance.root_scope();
        story.play(crate::Command::SetVariables {
            scope,
            variables: crate::testing::document(r#"{"n":7}"#),
            local: false,
        });
        insta::assert_snapshot!(story.resolve(), @r#"
        incident2 closed
        left gate
        entered small
        left small
        ended Completed
        --
        delete incident2
        end Completed {"n":7}
        "#);
    }

    #[test]
    fn in_zeebe_a_condition_that_is_no_boolean_is_an_incident() {
        let process = gate(Sketch::zeebe()).flow_if("gate", "small", "n").build();
        insta::assert_snapshot!(Story::of(process).start(r#"{"n":70}"#), @r#"
        started
        entered start
        left start
        entered gate
        incident1 opened EXTRACT_VALUE_ERROR: the condition of flow gate-small should give a boolean, not number
        --
        insert incident1 EXTRACT_VALUE_ERROR
        at gate incident1
        instance: {"n":70}
        "#);
    }

    #[test]
    fn in_camunda_both_undo_the_command() {
        let process = gate(Sketch::camunda().node("ask", user()))
            .flow_if("gate", "small", "n")
            .with("start", |e| e.outgoing.clear())
            .flows("start -> ask -> gate")
            .build();
        let mut story = Story::of(process);
        story.start(r#"{"n":70}"#);
        insta::assert_snapshot!(story.complete_user_task("ask", "{}"), @"rejected: gate: the condition of flow gate-small should give a boolean, not number");
        insta::assert_snapshot!(story.complete_user_task("ask", r#"{"n":false}"#), @"rejected: gate: no condition of an outgoing flow holds and there is no default flow");
        insta::assert_snapshot!(story.complete_user_task("ask", r#"{"n":true}"#), @r#"
        left ask
        entered gate
        left gate
        entered small
        left small
        ended Completed
        --
        delete task1
        end Completed {"n":true}
        "#);
    }
}
