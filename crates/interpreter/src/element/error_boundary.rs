//! The boundary error event (BPMN 10.5.4, 13.5.3): goes on where the element it is attached to
//! threw an error. Which event catches is decided in `errors.rs`.
//!
//! DIFFERENCE: in Zeebe the variables of the error belong to the event and go outward by its
//! output mappings, or all of them without any; elsewhere they were set when it was caught.

use orloj_model::Element;
use orloj_types::ElementInstanceKey;

use super::Begun;
use crate::failure::Ruled;
use crate::turn::Turn;
use crate::variables;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled<Begun> {
    if element.outputs.is_empty()
        && let Some(payload) = turn.work.record.variables.remove(&key)
    {
        let (how, scope) = (turn.semantics().completion, turn.element(key).scope);
        variables::give(&mut turn.work.record, how, scope, &payload);
    }
    Ok(Begun::Done)
}

#[cfg(test)]
mod tests {
    use orloj_model::{ElementKind, TimerKind};

    use crate::testing::{
        Sketch, Story, delegate, document, end, on_error, on_timer, start, user, worker,
    };
    use crate::{Command, InvokeResult};

    fn guarded(sketch: Sketch, task: ElementKind) -> Sketch {
        sketch
            .node("start", start())
            .node("pay", task)
            .node("paid", end())
            .boundary("pay", "any", on_error(None))
            .boundary("pay", "poor", on_error(Some("poor")))
            .boundary("pay", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("help", user())
            .node("beg", user())
            .flows("start -> pay -> paid")
            .flows("any -> help")
            .flows("poor -> beg")
    }

    #[test]
    fn the_exact_code_comes_before_the_event_for_all() {
        let process = guarded(Sketch::zeebe(), worker("charge")).build();
        let mut story = Story::of(process.clone());
        story.start("{}");
        insta::assert_snapshot!(story.throw("pay", "poor", r#"{"left":3}"#), @r#"
        job2 threw poor
        job1 cancelled
        terminated pay
        entered poor
        left poor
        entered beg
        --
        delete job1
        delete job2
        insert task1 beg priority 50
        at beg task1
        instance: {"left":3}
        "#);
        let mut story = Story::of(process);
        story.start("{}");
        insta::assert_snapshot!(story.throw("pay", "rich", "{}"), @"
        job2 threw rich
        job1 cancelled
        terminated pay
        entered any
        left any
        entered help
        --
        delete job1
        delete job2
        insert task1 help priority 50
        at help task1
        ");
    }

    #[test]
    fn output_mappings_choose_among_the_variables_of_the_error() {
        let process =
            guarded(Sketch::zeebe(), worker("charge")).output("poor", "left + 1", "need").build();
        let mut story = Story::of(process);
        story.start("{}");
        insta::assert_snapshot!(story.throw("pay", "poor", r#"{"left":3}"#), @r#"
        job2 threw poor
        job1 cancelled
        terminated pay
        entered poor
        left poor
        entered beg
        --
        delete job1
        delete job2
        insert task1 beg priority 50
        at beg task1
        instance: {"need":4}
        "#);
    }

    #[test]
    fn code_and_message_are_kept_where_the_event_says() {
        let process = guarded(Sketch::camunda(), worker("charge"))
            .with("any", |e| {
                if let ElementKind::ErrorBoundary { catches, .. } = &mut e.kind {
                    catches.code_variable = Some("code".into());
                    catches.message_variable = Some("text".into());
                }
            })
            .build();
        let mut story = Story::of(process);
        story.start("{}");
        insta::assert_snapshot!(story.throw("pay", "rich", r#"{"left":3}"#), @r#"
        job2 threw rich
        job1 cancelled
        terminated pay
        entered any
        left any
        entered help
        --
        delete job1
        delete job2
        insert task1 help priority 50
        at help task1
        instance: {"code":"rich","left":3,"text":"no money"}
        "#);
    }

    #[test]
    fn a_delegate_can_throw_too() {
        let process = guarded(Sketch::camunda(), delegate("Pay")).async_before("pay").build();
        let error = InvokeResult::Error {
            code: "poor".into(),
            message: "no money".into(),
            variables: document(r#"{"left":3}"#),
        };
        let mut story = Story::of(process).delegate("Pay", &[error]);
        story.start("{}");
        insta::assert_snapshot!(story.run_job("pay"), @r#"
        job1 completed
        entered pay
        terminated pay
        entered poor
        left poor
        entered beg
        --
        delete job1
        insert task1 beg priority 50
        at beg task1
        instance: {"left":3}
        "#);
    }

    fn unguarded(sketch: Sketch) -> Story {
        let process = sketch
            .node("start", start())
            .node("pay", worker("charge"))
            .boundary("pay", "poor", on_error(Some("poor")))
            .node("then", user())
            .flows("start -> pay -> then");
        let mut story = Story::of(process.build());
        story.start("{}");
        story
    }

    #[test]
    fn in_zeebe_an_error_nobody_catches_is_an_incident_that_needs_no_retries() {
        let mut story = unguarded(Sketch::zeebe());
        insta::assert_snapshot!(story.throw("pay", "rich", "{}"), @"
        job1 threw rich
        incident1 opened UNHANDLED_ERROR_EVENT: no event catches the error 'rich': no money (its events catch: poor)
        --
        update job1 charge of pay, errorthrown, retries 3 unlock 'no event catches the error 'rich': no money (its events catch: poor)'
        insert incident1 UNHANDLED_ERROR_EVENT
        at pay job1 incident1
        ");
        insta::assert_snapshot!(story.complete("pay", "{}"), @"rejected: job job1 is in state ErrorThrown");
        insta::assert_snapshot!(story.resolve(), @"
        incident1 closed
        --
        update job1 charge of pay, ready, retries 3
        delete incident1
        at pay job1
        ");
    }

    #[test]
    fn in_camunda_it_ends_the_token_and_in_flowable_it_is_refused() {
        let mut camunda = unguarded(Sketch::camunda());
        insta::assert_snapshot!(camunda.throw("pay", "rich", r#"{"left":3}"#), @r#"
        job1 threw rich
        left pay
        ended Completed
        --
        delete job1
        end Completed {"left":3}
        "#);
        let mut flowable = unguarded(Sketch::flowable());
        insta::assert_snapshot!(flowable.throw("pay", "rich", "{}"), @"rejected: pay: no event catches the error 'rich': no money (its events catch: poor)");
    }

    #[test]
    fn an_uncaught_error_of_a_delegate_ends_the_token_or_fails_the_job() {
        let error = InvokeResult::Error {
            code: "rich".into(),
            message: "too much".into(),
            variables: document("{}"),
        };
        let draw = |sketch: Sketch| {
            let process = sketch
                .node("start", start())
                .node("pay", delegate("Pay"))
                .node("then", user())
                .flows("start -> pay -> then")
                .async_before("pay");
            Story::of(process.build()).delegate("Pay", std::slice::from_ref(&error))
        };
        let mut camunda = draw(Sketch::camunda());
        camunda.start("{}");
        insta::assert_snapshot!(camunda.run_job("pay"), @"
        job1 completed
        entered pay
        left pay
        ended Completed
        --
        delete job1
        end Completed {}
        ");
        let mut flowable = draw(Sketch::flowable());
        flowable.start("{}");
        insta::assert_snapshot!(flowable.run_job("pay"), @"
        job1 failed, 2 left: no event catches the error 'rich': too much
        --
        update job1 before pay, waiting, retries 2, exclusive, due +10 s unlock 'no event catches the error 'rich': too much'
        at pay entering job1
        ");
        assert!(matches!(
            flowable.interpret(Command::RunJob { job: flowable.job_of("pay") }),
            Err(crate::Rejection::JobState { .. })
        ));
    }
}
