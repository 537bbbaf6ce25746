//! Stories of what Zeebe does in its own order: who catches in a scope, when event subprocesses
//! begin to wait, when a signal is heard, and when a join begins.

use orloj_expr::Expression;
use orloj_model::{
    CallMapping, ElementKind, ErrorCatch, ErrorThrow, EscalationCatch, ListenerEvent, MessageCatch,
    SignalCatch, SignalThrow, SubProcessKind, Throw, Trigger,
};
use orloj_types::Value;

use super::visits;
use crate::testing::{Sketch, Story, and, call, end, on, start, start_on, subprocess, user};

fn text(text: &str) -> Expression {
    Expression::constant(Value::text(text))
}

fn errors(code: Option<&str>) -> Trigger {
    Trigger::Error(ErrorCatch { code: code.map(Into::into), ..ErrorCatch::default() })
}

fn failing_end(code: &str) -> ElementKind {
    ElementKind::EndEvent(Throw::Error(ErrorThrow { code: Some(text(code)), message: None }))
}

fn signal(name: &str) -> Trigger {
    Trigger::Signal(SignalCatch { name: text(name), is_local: false, takes: Vec::new() })
}

fn throwing(name: &str) -> ElementKind {
    let payload = vec![CallMapping::All { is_local: true }];
    ElementKind::ThrowEvent(Throw::Signal(SignalThrow {
        name: text(name),
        is_local: false,
        is_async: None,
        payload,
    }))
}

/// A subprocess that throws `poor`, with an event subprocess and a boundary event.
fn guarded(sketch: Sketch, inner: Option<&str>, outer: Option<&str>, ends: ElementKind) -> Story {
    let process = sketch
        .node("start", start())
        .node("sub", subprocess(SubProcessKind::Embedded))
        .node("begin", start())
        .node("a", user())
        .node("bad", failing_end("poor"))
        .node("help", subprocess(SubProcessKind::Event))
        .node("caught", start_on(true, errors(inner)))
        .node("helped", ends)
        .boundary("sub", "beside", on(true, errors(outer)))
        .node("mend", user())
        .flows("start -> sub")
        .flows("begin -> a -> bad")
        .flows("caught -> helped")
        .flows("beside -> mend")
        .inside("help", &["caught", "helped"])
        .inside("sub", &["begin", "a", "bad", "help"]);
    let mut story = Story::of(process.build());
    story.start("{}");
    story
}

#[test]
fn in_zeebe_the_exact_code_at_the_boundary_comes_before_an_event_subprocess_for_all() {
    let mut story = guarded(Sketch::zeebe(), None, Some("poor"), end());
    let told = visits(&story.complete_user_task("a", "{}"));
    assert_eq!(told, "-a +bad xbad xsub +beside -beside +mend");
    let mut story = guarded(Sketch::camunda(), None, Some("poor"), end());
    let told = visits(&story.complete_user_task("a", "{}"));
    assert!(told.contains("+help"), "{told}");
}

#[test]
fn in_zeebe_what_was_interrupted_passes_no_error_on() {
    let mut story = guarded(Sketch::zeebe(), Some("poor"), Some("rich"), failing_end("rich"));
    let told = story.complete_user_task("a", "{}");
    assert_eq!(visits(&told), "-a +bad xbad +help +caught -caught +helped");
    assert!(told.contains("UNHANDLED_ERROR_EVENT"), "{told}");
    let mut story = guarded(Sketch::camunda(), Some("poor"), Some("rich"), failing_end("rich"));
    let told = visits(&story.complete_user_task("a", "{}"));
    assert!(told.ends_with("+beside -beside +mend"), "{told}");
}

#[test]
fn in_zeebe_an_event_subprocess_waits_when_the_start_event_is_done() {
    let key = |sketch: &Sketch| MessageCatch {
        name: text("paid"),
        correlation_key: Some(sketch.expression("key")),
    };
    let sketch = Sketch::zeebe();
    let message = Trigger::Message(key(&sketch));
    let process = sketch
        .node("start", start())
        .node("a", user())
        .node("es", subprocess(SubProcessKind::Event))
        .node("paid", start_on(true, message))
        .flows("start -> a")
        .inside("es", &["paid"])
        .build();
    let mut story = Story::of(process.clone());
    assert_eq!(visits(&story.start(r#"{"key":"k"}"#)), "+start -start +a");
    let mut story = Story::of(process);
    let told = story.start("{}");
    assert_eq!(visits(&told), "+start");
    assert!(told.contains("at start") && told.contains("EXTRACT_VALUE_ERROR"), "{told}");
}

fn loud(sketch: Sketch, trigger: Trigger) -> Story {
    let process = sketch
        .node("start", start())
        .node("sub", subprocess(SubProcessKind::Embedded))
        .node("begin", start())
        .node("a", user())
        .node("call", throwing("go"))
        .node("b", user())
        .boundary("sub", "heard", on(true, trigger))
        .node("then", user())
        .flows("start -> sub")
        .flows("begin -> a -> call -> b")
        .flows("heard -> then")
        .inside("sub", &["begin", "a", "call", "b"]);
    let mut story = Story::of(process.build());
    story.start("{}");
    story
}

#[test]
fn in_zeebe_a_signal_is_heard_at_once_by_the_instance_that_throws_it() {
    let mut story = loud(Sketch::zeebe(), signal("go"));
    let told = visits(&story.complete_user_task("a", "{}"));
    assert_eq!(told, "-a +call -call xsub +heard -heard +then");
    let mut story = loud(Sketch::zeebe(), Trigger::Escalation(EscalationCatch::default()));
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +call -call +b");
}

#[test]
fn a_signal_that_ends_its_caller_ends_the_instance_that_throws_it() {
    for sketch in [Sketch::camunda, Sketch::flowable] {
        let parent = sketch()
            .node("start", start())
            .node("call", ElementKind::CallActivity(call("child")))
            .boundary("call", "heard", on(true, signal("go")))
            .node("then", user())
            .flows("start -> call")
            .flows("heard -> then");
        let child = sketch()
            .node("begin", start())
            .node("shout", throwing("go"))
            .node("never", user())
            .flows("begin -> shout -> never");
        let mut story = Story::of(parent.build()).callable("child", child.build());
        let told = story.start("{}");
        assert!(told.contains("entered then"), "{told}");
        assert!(!told.contains("entered never"), "{told}");
        assert!(told.contains("ended Cancelled"), "{told}");
    }
}

#[test]
fn in_zeebe_a_join_is_one_visit_with_one_listener() {
    let process = Sketch::zeebe()
        .node("start", start())
        .node("fork", and())
        .node("a", user())
        .node("b", user())
        .node("join", and())
        .node("then", user())
        .flows("start -> fork -> a -> join -> then")
        .flows("fork -> b -> join")
        .listener_job("join", ListenerEvent::Start, "look");
    let mut story = Story::of(process.build());
    story.start("{}");
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a");
    assert_eq!(visits(&story.complete_user_task("b", "{}")), "-b +join#2");
    assert_eq!(visits(&story.complete("join", "{}")), "-join#2 +then");
}
