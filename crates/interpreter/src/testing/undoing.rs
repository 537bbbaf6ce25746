//! Stories of compensation and transactions, in each dialect.

use orloj_model::{CompensationThrow, Element, ElementKind, SubProcessKind, Throw, Trigger};

use super::visits;
use crate::testing::{Sketch, Story, end, on, start, subprocess, user};

fn throw() -> ElementKind {
    ElementKind::ThrowEvent(Throw::Compensation(CompensationThrow { activity: None, waits: true }))
}

/// `undo` undoes `activity`; the event between them is called `on_` and the activity's name.
fn undoes(sketch: Sketch, activity: &str, undo: &str) -> Sketch {
    let sketch = sketch.node(undo, user()).with(undo, |e| e.is_for_compensation = true);
    let (host, handler) = (sketch.number(activity), sketch.number(undo));
    sketch
        .node(&format!("on_{activity}"), on(true, Trigger::Compensation))
        .with(&format!("on_{activity}"), |e: &mut Element| {
            if let ElementKind::BoundaryEvent(boundary) = &mut e.kind {
                boundary.attached_to = host;
            }
        })
        .with(activity, |e| e.compensation = Some(handler))
}

fn two(sketch: Sketch) -> Story {
    let sketch = sketch
        .node("start", start())
        .node("a", user())
        .node("b", user())
        .node("throw", throw())
        .node("after", user())
        .flows("start -> a -> b -> throw -> after");
    let sketch = undoes(undoes(sketch, "a", "undo_a"), "b", "undo_b");
    let mut story = Story::of(sketch.build());
    story.start("{}");
    story.complete_user_task("a", "{}");
    story
}

#[test]
fn the_last_completed_is_undone_first_and_the_event_waits() {
    let mut story = two(Sketch::camunda());
    let told = story.complete_user_task("b", "{}");
    assert_eq!(visits(&told), "-b +throw +undo_b +undo_a");
    assert_eq!(visits(&story.complete_user_task("undo_b", "{}")), "-undo_b");
    assert_eq!(visits(&story.complete_user_task("undo_a", "{}")), "-undo_a -throw +after");
}

#[test]
fn zeebe_shows_the_events() {
    let mut story = two(Sketch::zeebe());
    let told = story.complete_user_task("b", "{}");
    assert_eq!(visits(&told), "-b +throw +on_b -on_b +on_a -on_a +undo_b +undo_a");
}

#[test]
fn in_flowable_the_event_goes_on_at_once() {
    let mut story = two(Sketch::flowable());
    let told = story.complete_user_task("b", "{}");
    assert_eq!(visits(&told), "-b +throw -throw +undo_b +undo_a +after");
    story.complete_user_task("undo_b", "{}");
    story.complete_user_task("after", "{}");
    let told = story.complete_user_task("undo_a", "{}");
    assert_eq!(visits(&told), "-undo_a ended Completed");
}

#[test]
fn what_is_undone_once_is_not_undone_again() {
    let sketch = Sketch::camunda()
        .node("start", start())
        .node("a", user())
        .node("first", throw())
        .node("second", throw())
        .flows("start -> a -> first -> second");
    let mut story = Story::of(undoes(sketch, "a", "undo").build());
    story.start("{}");
    story.complete_user_task("a", "{}");
    let told = story.complete_user_task("undo", "{}");
    assert_eq!(visits(&told), "-undo -first +second -second ended Completed");
}

fn nested(sketch: Sketch, kind: SubProcessKind) -> Sketch {
    let sketch = sketch
        .node("start", start())
        .node("sub", subprocess(kind))
        .node("in", start())
        .node("a", user())
        .node("out", end())
        .node("throw", throw())
        .flows("start -> sub -> throw")
        .flows("in -> a -> out")
        .input("sub", "x + 1", "x");
    undoes(sketch, "a", "undo").inside("sub", &["in", "a", "out", "undo", "on_a"])
}

#[test]
fn handlers_in_a_completed_subprocess_see_its_variables() {
    for sketch in [Sketch::camunda(), Sketch::zeebe()] {
        let mut story = Story::of(nested(sketch, SubProcessKind::Embedded).build());
        story.start(r#"{"x":1}"#);
        let told = story.complete_user_task("a", "{}");
        assert!(!visits(&told).contains("sub#2"), "history does not see the scope again: {told}");
        let record = story.record.as_ref().expect("it lives");
        let (undo, _) = story.token("undo");
        let seen = record.visible(undo);
        assert_eq!(seen.get("x").map(orloj_types::StoredValue::to_json).as_deref(), Some("2"));
        let told = story.complete_user_task("undo", "{}");
        assert_eq!(visits(&told), "-undo -throw ended Completed");
    }
}

#[test]
fn a_cancelled_transaction_is_undone_and_left_by_its_event() {
    let draw = |sketch: Sketch| {
        let sketch = sketch
            .node("start", start())
            .node("tx", subprocess(SubProcessKind::Transaction))
            .boundary("tx", "cancelled", on(true, Trigger::Cancel))
            .node("sorry", user())
            .node("in", start())
            .node("a", user())
            .node("cancel", ElementKind::EndEvent(Throw::Cancel))
            .flows("start -> tx")
            .flows("cancelled -> sorry")
            .flows("in -> a -> cancel");
        undoes(sketch, "a", "undo").inside("tx", &["in", "a", "cancel", "undo", "on_a"])
    };
    let mut story = Story::of(draw(Sketch::camunda()).build());
    story.start("{}");
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +cancel +undo");
    let told = story.complete_user_task("undo", "{}");
    assert_eq!(visits(&told), "-undo xcancel xtx +cancelled -cancelled +sorry");

    let mut story = Story::of(draw(Sketch::flowable()).build());
    story.start("{}");
    let told = story.complete_user_task("a", "{}");
    assert_eq!(visits(&told), "-a +cancel -cancel xtx +cancelled -cancelled +undo +sorry");
}

#[test]
fn in_flowable_an_event_without_a_handler_keeps_its_activity_from_ending() {
    let told = |sketch: Sketch| {
        let sketch = sketch
            .node("start", start())
            .node("a", user())
            .node("after", user())
            .flows("start -> a -> after");
        let sketch = undoes(sketch, "a", "undo_a").with("a", |e| e.compensation = None);
        let mut story = Story::of(sketch.build());
        story.start("{}");
        story.complete_user_task("a", "{}")
    };
    assert_eq!(visits(&told(Sketch::camunda())), "-a +after");
    let refused = "rejected: a: its compensation event leads to no handler";
    assert_eq!(told(Sketch::flowable()), refused);
}

#[test]
fn in_flowable_a_handler_that_a_token_comes_to_leads_nowhere() {
    let sketch = Sketch::flowable()
        .node("start", start())
        .node("a", user())
        .node("b", user())
        .node("undo", user())
        .with("undo", |e| e.is_for_compensation = true)
        .node("after", user())
        .flows("start -> a -> undo -> after")
        .flows("start -> b");
    let mut story = Story::of(sketch.build());
    story.start("{}");
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +undo");
    assert_eq!(visits(&story.complete_user_task("b", "{}")), "-b");
    assert_eq!(visits(&story.complete_user_task("undo", "{}")), "-undo ended Completed");
}
