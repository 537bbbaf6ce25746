//! Stories of events that watch variables, as Camunda's own engine was seen to hear of changes.

use orloj_model::{ElementKind, Items, ListenerEvent, MultiInstance, SubProcessKind};

use super::visits;
use crate::testing::{Sketch, Story, condition, on, start, start_on, subprocess, user};

fn times(is_sequential: bool, number: u32) -> MultiInstance {
    MultiInstance {
        is_sequential,
        ..MultiInstance::of(Items::Cardinality(Sketch::camunda().expression(&number.to_string())))
    }
}

/// How often an event was entered.
fn count(told: &str, event: &str) -> usize {
    told.lines()
        .filter_map(|line| line.strip_prefix("entered "))
        .filter(|entered| entered.split('#').next() == Some(event))
        .count()
}

#[test]
fn events_at_a_loop_hear_of_its_counters() {
    // A sequence has its own counter in the body too, but no number of active ones to change; what
    // its last instance changes is heard by nothing.
    for (is_sequential, first, then) in [(true, 5, [2, 2, 0]), (false, 4, [2, 2, 2])] {
        let process = Sketch::camunda()
            .node("start", start())
            .node("work", user())
            .node("then", user())
            .boundary("work", "heard", on(false, condition("true")))
            .flows("start -> work -> then")
            .with("work", |e| e.multi = Some(times(is_sequential, 3)));
        let mut story = Story::of(process.build());
        assert_eq!(count(&story.start("{}"), "heard"), first, "sequential: {is_sequential}");
        let heard = then.map(|_| count(&story.complete_user_task("work", "{}"), "heard"));
        assert_eq!(heard, then, "sequential: {is_sequential}");
    }
}

#[test]
fn events_inside_a_repeated_subprocess_hear_of_counters_when_another_instance_leaves() {
    for (is_sequential, leaves) in [(true, 0), (false, 2)] {
        let process = Sketch::camunda()
            .node("start", start())
            .node("each", subprocess(SubProcessKind::Embedded))
            .node("in", start())
            .node("work", user())
            .node("aside", subprocess(SubProcessKind::Event))
            .node("heard", start_on(false, condition("counted")))
            .inside("each", &["in", "work", "aside"])
            .inside("aside", &["heard"])
            .flows("start -> each")
            .flows("in -> work")
            .with("each", |e| e.multi = Some(times(is_sequential, 2)));
        let mut story = Story::of(process.build());
        assert_eq!(
            count(&story.start(r#"{"counted":true}"#), "heard"),
            [2, 1][is_sequential as usize]
        );
        let told = story.complete_user_task("work", "{}");
        // The next of a sequence asks its condition for the first time.
        let fresh = usize::from(is_sequential);
        assert_eq!(count(&told, "heard"), leaves + fresh, "sequential: {is_sequential}\n{told}");
    }
}

/// A task whose listeners of the end do something, beside an event that hears certain changes.
fn listening(events: &str, changes: &[&str]) -> usize {
    let mut trigger = condition("true");
    if let orloj_model::Trigger::Condition(condition) = &mut trigger {
        condition.events = match events {
            "create" => vec![orloj_model::VariableEvent::Create],
            "update" => vec![orloj_model::VariableEvent::Update],
            "delete" => vec![orloj_model::VariableEvent::Delete],
            _ => Vec::new(),
        };
    }
    let mut process = Sketch::camunda()
        .node("start", start())
        .node("work", user())
        .node("then", user())
        .node("aside", subprocess(SubProcessKind::Event))
        .node("heard", start_on(false, trigger))
        .inside("aside", &["heard"])
        .flows("start -> work -> then");
    for change in changes {
        process = process.listener("work", ListenerEvent::End, change);
    }
    let mut story = Story::of(process.build());
    story.start(r#"{"x":1}"#);
    count(&story.complete_user_task("work", "{}"), "heard")
}

#[test]
fn every_write_and_removal_is_heard_for_itself() {
    let (set, remove) = ("execution.setVariable('x', 2)", "execution.removeVariable('x')");
    let (new, gone) = ("execution.setVariable('y', 2)", "execution.removeVariable('y')");
    assert_eq!(listening("", &[set, remove]), 2);
    assert_eq!(listening("update", &[set, remove]), 1);
    assert_eq!(listening("delete", &[set, remove]), 1);
    assert_eq!(listening("", &[new, gone]), 2);
    assert_eq!(listening("create", &[new, gone]), 1);
    assert_eq!(listening("delete", &[remove, remove]), 1);
}

#[test]
fn what_is_set_again_after_it_was_removed_has_changed() {
    let (set, remove) = ("execution.setVariable('x', 2)", "execution.removeVariable('x')");
    assert_eq!(listening("create", &[remove, set]), 0);
    assert_eq!(listening("update", &[remove, set]), 1);
    assert_eq!(listening("delete", &[remove, set]), 1);
}

#[test]
fn of_two_boundary_events_that_hold_the_first_interrupts() {
    let process = Sketch::camunda()
        .node("start", start())
        .node("work", user())
        .boundary("work", "one", on(true, condition("true")))
        .boundary("work", "two", on(true, condition("true")))
        .node("a", user())
        .node("b", user())
        .flows("start -> work")
        .flows("one -> a")
        .flows("two -> b");
    let told = Story::of(process.build()).start("{}");
    assert_eq!(visits(&told), "+start -start +work xwork +one -one +a");
}

fn waiting(text: &str) -> String {
    let process = Sketch::camunda()
        .node("start", start())
        .node("wait", ElementKind::CatchEvent(Some(condition(text))))
        .flows("start -> wait");
    Story::of(process.build()).start(r#"{"b":{"k":1}}"#)
}

#[test]
fn a_condition_waits_for_what_is_not_there_and_fails_otherwise() {
    assert!(waiting("missing == 2").contains("at wait"));
    assert!(waiting("b.missing == 2").contains("at wait"));
    assert!(waiting("b == 2").starts_with("rejected: wait"));
    assert!(waiting("null").starts_with("rejected: wait"));
}
