//! Stories of event subprocesses that wait in a scope with boundary events, or in one of a loop.

use orloj_expr::Expression;
use orloj_model::{
    ElementKind, ErrorCatch, ErrorThrow, Items, MultiInstance, SubProcessKind, Throw, TimerKind,
    Trigger,
};
use orloj_types::Value;

use super::visits;
use crate::Command;
use crate::testing::{
    Sketch, Story, condition, document, end, message, on_error, on_timer, start, start_on,
    subprocess, user,
};

/// A subprocess with a task, and an event subprocess in it.
fn guarded(sketch: Sketch, interrupting: bool, trigger: Trigger) -> Sketch {
    sketch
        .node("start", start())
        .node("sub", subprocess(SubProcessKind::Embedded))
        .node("then", user())
        .node("begin", start())
        .node("a", user())
        .node("done", end())
        .node("help", subprocess(SubProcessKind::Event))
        .node("caught", start_on(interrupting, trigger))
        .node("mend", user())
        .flows("start -> sub -> then")
        .flows("begin -> a -> done")
        .flows("caught -> mend")
        .inside("help", &["caught", "mend"])
        .inside("sub", &["begin", "a", "done", "help"])
}

fn late() -> ElementKind {
    on_timer(true, TimerKind::Duration, "PT1H")
}

fn looped(sketch: Sketch) -> Sketch {
    let multi = MultiInstance {
        is_sequential: true,
        ..MultiInstance::of(Items::Cardinality(Expression::constant(Value::Int(2))))
    };
    sketch.with("sub", |e| e.multi = Some(multi))
}

/// The message that the event subprocess waits for comes.
fn call_for_help(story: &mut Story) -> String {
    let record = story.record.as_ref().expect("it lives");
    let holder = record.subscribed().find(|holder| !holder.subscriptions.is_empty());
    let subscription = holder.expect("somebody waits").subscriptions[0].key;
    let told = story.play(Command::Trigger { subscription, variables: document("{}") });
    visits(&told)
}

#[test]
fn what_interrupts_a_scope_ends_its_boundary_events_but_not_in_zeebe() {
    let timers = |sketch: Sketch| {
        let process = guarded(sketch, true, message("help")).boundary("sub", "late", late());
        let mut story = Story::of(process.build());
        story.start("{}");
        assert_eq!(story.jobs.len(), 1);
        assert_eq!(call_for_help(&mut story), "xa +help +caught -caught +mend");
        story.jobs.len()
    };
    assert_eq!(timers(Sketch::camunda()), 0);
    assert_eq!(timers(Sketch::flowable()), 0);
    assert_eq!(timers(Sketch::zeebe()), 1);
}

#[test]
fn so_does_an_error_that_an_event_subprocess_catches_in_camunda() {
    let timers = |sketch: Sketch| {
        let code = Some(Expression::constant(Value::text("E")));
        let bad = ElementKind::EndEvent(Throw::Error(ErrorThrow { code, message: None }));
        let process = guarded(sketch, true, Trigger::Error(ErrorCatch::default()))
            .with("done", |e| e.kind = bad)
            .boundary("sub", "late", late());
        let mut story = Story::of(process.build());
        story.start("{}");
        story.complete_user_task("a", "{}");
        story.jobs.len()
    };
    assert_eq!(timers(Sketch::camunda()), 0);
    assert_eq!(timers(Sketch::flowable()), 1);
    assert_eq!(timers(Sketch::zeebe()), 1);
}

#[test]
fn in_flowable_an_event_subprocess_keeps_a_scope_with_boundary_events_open() {
    let alone = guarded(Sketch::flowable(), true, message("help"));
    let mut story = Story::of(alone.build());
    story.start("{}");
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +done -done -sub +then");

    let kept = guarded(Sketch::flowable(), true, message("help"));
    let mut story = Story::of(kept.boundary("sub", "failed", on_error(None)).build());
    story.start("{}");
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +done -done");
    assert_eq!(call_for_help(&mut story), "+help +caught -caught +mend");
    assert_eq!(visits(&story.complete_user_task("mend", "{}")), "-mend -help -sub +then");

    // One that interrupts nothing goes on waiting for ever.
    let kept = guarded(Sketch::flowable(), false, message("help"));
    let mut story = Story::of(kept.boundary("sub", "failed", on_error(None)).build());
    story.start("{}");
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +done -done");
    call_for_help(&mut story);
    assert_eq!(visits(&story.complete_user_task("mend", "{}")), "-mend -help");
}

#[test]
fn in_flowable_an_instance_of_a_loop_that_waits_inside_never_ends() {
    let kept = looped(guarded(Sketch::flowable(), true, message("help")));
    let mut story = Story::of(kept.build());
    story.start("{}");
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +done -done");
    assert_eq!(call_for_help(&mut story), "+help +caught -caught +mend");
    assert_eq!(visits(&story.complete_user_task("mend", "{}")), "-mend -help");
    assert!(story.record.is_some());
}

#[test]
fn in_flowable_what_is_only_thrown_at_or_asked_keeps_nothing_open() {
    for trigger in [Trigger::Error(ErrorCatch::default()), condition("true")] {
        let process = guarded(Sketch::flowable(), true, trigger);
        let mut story = Story::of(process.boundary("sub", "late", late()).build());
        story.start("{}");
        assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +done -done -sub +then");
    }
}
