//! Stories of failures and errors that Camunda deals with in its own way.

use orloj_model::{Boundary, CaughtFailures, ElementKind, ErrorCatch, Trigger};

use crate::InvokeResult;
use crate::testing::{Sketch, Story, call, delegate, document, on_error, start, user};

#[test]
fn a_token_whose_error_nobody_catches_ends_at_the_save_point_after_its_element() {
    let process = Sketch::camunda()
        .node("start", start())
        .node("work", delegate("Work"))
        .node("then", user())
        .flows("start -> work -> then")
        .output("work", "1", "out")
        .async_after("work");
    let thrown = InvokeResult::Error {
        code: "poor".into(),
        message: "no money".into(),
        variables: document("{}"),
    };
    let mut story = Story::of(process.build()).delegate("Work", &[thrown]);
    insta::assert_snapshot!(story.start("{}"), @r#"
    started
    entered start
    left start
    entered work
    left work
    job1 created
    --
    insert job1 after work, ready, retries 3, exclusive
    at work leaving job1
    instance: {"out":1}
    "#);
    insta::assert_snapshot!(story.run_job("work"), @r#"
    job1 completed
    ended Completed
    --
    delete job1
    end Completed {"out":1}
    "#);
}

/// Where a failure goes that an event may catch by what it is in Java.
fn failing(code: &str, failures: CaughtFailures, called: bool) -> String {
    let catches = ErrorCatch {
        code: Some(code.into()),
        failures,
        message_variable: Some("why".into()),
        ..ErrorCatch::default()
    };
    let on_failure = ElementKind::BoundaryEvent(match on_error(None) {
        ElementKind::BoundaryEvent(boundary) => {
            Boundary { trigger: Trigger::Error(catches), ..boundary }
        }
        _ => unreachable!("it is a boundary event"),
    });
    let working = Sketch::camunda()
        .node("begin", start())
        .node("work", delegate("Work"))
        .flows("begin -> work");
    let host = if called { "call" } else { "work" };
    let process = match called {
        true => Sketch::camunda()
            .node("start", start())
            .node("call", ElementKind::CallActivity(call("child")))
            .flows("start -> call"),
        false => Sketch::camunda()
            .node("start", start())
            .node("work", delegate("Work"))
            .flows("start -> work"),
    };
    let process = process.boundary(host, "caught", on_failure);
    let process = process.node("help", user()).flows("caught -> help");
    let failed = InvokeResult::Failed { message: "out of order".into() };
    let mut story =
        Story::of(process.build()).callable("child", working.build()).delegate("Work", &[failed]);
    story.start("{}")
}

#[test]
fn a_failure_is_caught_by_the_class_it_would_have() {
    let of_code = CaughtFailures { of_code: true, of_expressions: false };
    for called in [false, true] {
        let told = failing("java.lang.RuntimeException", of_code, called);
        assert!(told.contains("entered help"), "{told}");
        assert!(told.contains(r#""why":"out of order""#), "{told}");
        let told = failing("E", CaughtFailures::default(), called);
        assert!(told.starts_with("rejected"), "{told}");
    }
}
