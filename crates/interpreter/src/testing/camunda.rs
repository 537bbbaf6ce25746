//! Stories of what Camunda does otherwise than one would think, as its own engine was seen to do.

use orloj_model::{ElementKind, Items, ListenerEvent, MultiInstance, SubProcessKind, Throw};

use super::visits;
use crate::InvokeResult;
use crate::testing::{
    Sketch, Story, and, condition, document, end, on, on_error, start, subprocess, user,
};

/// The variables, by scope, as a story tells them.
fn variables(told: &str) -> Vec<&str> {
    told.lines().filter(|line| line.contains(": {")).collect()
}

fn one_task() -> Sketch {
    Sketch::camunda()
        .node("start", start())
        .node("ask", user())
        .node("then", user())
        .flows("start -> ask -> then")
}

#[test]
fn inputs_see_what_is_around_the_element_and_not_each_other() {
    let process = one_task().input("ask", "x + 1", "x").input("ask", "x + 1", "y");
    let mut story = Story::of(process.build());
    let told = story.start(r#"{"x":3}"#);
    assert_eq!(variables(&told), [r#"instance: {"x":3}"#, r#"ask: {"x":4,"y":4}"#]);

    let process = one_task().input("ask", "1", "a").input("ask", "a", "b");
    let told = Story::of(process.build()).start("{}");
    assert!(told.starts_with("rejected: ask"), "{told}");
}

#[test]
fn outputs_see_the_own_variables_of_the_element_before_earlier_results() {
    let process = one_task()
        .input("ask", "x + 1", "x")
        .output("ask", "x + 10", "x")
        .output("ask", "x", "seen")
        .output("ask", "seen + 1", "next");
    let mut story = Story::of(process.build());
    story.start(r#"{"x":3}"#);
    let told = story.complete_user_task("ask", "{}");
    assert_eq!(variables(&told), [r#"instance: {"next":5,"seen":4,"x":14}"#]);
}

/// A task or subprocess that is done for each item and takes it as its input.
fn each_item(kind: ElementKind, is_sequential: bool) -> Sketch {
    let sketch = Sketch::camunda();
    let collection = sketch.expression("items");
    let multi = MultiInstance {
        is_sequential,
        ..MultiInstance::of(Items::Collection { collection, variable: Some("item".into()) })
    };
    let sketch = sketch.node("start", start()).node("each", kind).flows("start -> each");
    sketch.input("each", "item", "mine").with("each", |e| e.multi = Some(multi))
}

#[test]
fn the_input_of_a_repeated_task_does_not_see_its_item() {
    for is_sequential in [false, true] {
        let told = Story::of(each_item(user(), is_sequential).build()).start(r#"{"items":[7]}"#);
        assert!(told.starts_with("rejected: each"), "{told}");
        // A subprocess is a scope inside of the one that has the item.
        let sketch = each_item(subprocess(SubProcessKind::Embedded), is_sequential)
            .node("in", start())
            .node("ask", user())
            .inside("each", &["in", "ask"])
            .flows("in -> ask");
        let told = Story::of(sketch.build()).start(r#"{"items":[7]}"#);
        assert!(told.contains(r#""mine":7"#), "{told}");
    }
}

fn terminate() -> ElementKind {
    ElementKind::EndEvent(Throw::Terminate { all: false, multi_instance: false })
}

#[test]
fn a_terminate_end_event_ends_the_others_before_its_save_point() {
    let draw = |sketch: Sketch| {
        let process = sketch
            .node("start", start())
            .node("fork", and())
            .node("a", user())
            .node("b", user())
            .node("stop", terminate())
            .flows("start -> fork -> a")
            .flows("fork -> b -> stop")
            .async_before("stop");
        let mut story = Story::of(process.build());
        story.start("{}");
        story.complete_user_task("b", "{}")
    };
    assert_eq!(visits(&draw(Sketch::camunda())), "-b xa");
    assert_eq!(visits(&draw(Sketch::zeebe())), "-b");
}

#[test]
fn every_token_that_is_joined_calls_the_listeners_of_the_end() {
    let count = "execution.setVariable('n', n + 1)";
    let process = Sketch::camunda()
        .node("start", start())
        .node("fork", and())
        .node("a", user())
        .node("b", user())
        .node("join", and())
        .node("then", user())
        .flows("start -> fork -> a -> join -> then")
        .flows("fork -> b -> join")
        .listener("join", ListenerEvent::End, count);
    let mut story = Story::of(process.build());
    story.start(r#"{"n":0}"#);
    story.complete_user_task("a", "{}");
    let told = story.complete_user_task("b", "{}");
    assert_eq!(variables(&told), [r#"instance: {"n":2}"#]);
}

#[test]
fn an_error_of_a_listener_of_the_end_is_caught_and_the_listener_called_once() {
    let process = one_task()
        .listener("ask", ListenerEvent::End, "checker.check()")
        .boundary("ask", "refused", on_error(Some("no")))
        .node("again", user())
        .flows("refused -> again");
    let error =
        InvokeResult::Error { code: "no".into(), message: "".into(), variables: document("{}") };
    let mut story = Story::of(process.build()).delegate("checker", &[error]);
    story.start("{}");
    let told = story.complete_user_task("ask", "{}");
    assert_eq!(visits(&told), "xask +refused -refused +again");
    assert_eq!(story.invoked.len(), 1);
}

/// A subprocess of two tasks that a condition ends.
fn watched() -> Sketch {
    Sketch::camunda()
        .node("start", start())
        .node("part", subprocess(SubProcessKind::Embedded))
        .node("in", start())
        .node("ask", user())
        .node("then", user())
        .inside("part", &["in", "ask", "then"])
        .flows("start -> part")
        .flows("in -> ask -> then")
        .boundary("part", "enough", on(true, condition("n > 3")))
        .node("out", end())
        .flows("enough -> out")
}

#[test]
fn what_a_listener_of_the_end_changes_is_heard_while_the_element_is_there() {
    let process = watched().listener("ask", ListenerEvent::End, "execution.setVariable('n', 5)");
    let mut story = Story::of(process.build());
    story.start(r#"{"n":0}"#);
    let told = story.complete_user_task("ask", "{}");
    assert_eq!(visits(&told), "xask xpart +enough -enough +out -out ended Completed");
}

#[test]
fn what_an_output_changes_is_heard_before_the_next_element() {
    let mut story = Story::of(watched().output("ask", "5", "n").build());
    story.start(r#"{"n":0}"#);
    let told = story.complete_user_task("ask", "{}");
    assert_eq!(visits(&told), "-ask xpart +enough -enough +out -out ended Completed");
}

#[test]
fn what_the_listener_of_a_created_task_changes_is_heard_by_no_condition() {
    let set = "task.setVariable('n', 5)";
    let process = watched().listener("ask", ListenerEvent::TaskCreate, set);
    let mut story = Story::of(process.build());
    let told = story.start(r#"{"n":0}"#);
    assert_eq!(visits(&told), "+start -start +part +in -in +ask");
    assert_eq!(variables(&told), [r#"instance: {"n":5}"#]);
}

#[test]
fn an_input_that_makes_a_condition_hold_counts_once() {
    let process = one_task()
        .input("ask", "1", "m")
        .input("ask", "5", "n")
        .boundary("ask", "enough", on(false, condition("n > 3")))
        .node("out", end())
        .flows("enough -> out");
    let told = Story::of(process.build()).start("{}");
    assert_eq!(visits(&told), "+start -start +ask +enough -enough +out -out");
}

#[test]
fn a_condition_on_the_element_itself_does_not_hear_the_listeners_of_its_end() {
    let process = one_task()
        .listener("ask", ListenerEvent::End, "execution.setVariable('n', 5)")
        .boundary("ask", "enough", on(true, condition("n > 3")));
    let mut story = Story::of(process.build());
    story.start(r#"{"n":0}"#);
    let told = story.complete_user_task("ask", "{}");
    assert_eq!(visits(&told), "-ask +then");
}

#[test]
fn expressions_reach_the_execution_through_the_task() {
    let set = "task.execution.setVariable('who', task.assignee)";
    let sketch = one_task().listener("ask", ListenerEvent::TaskCreate, set);
    let assignee = sketch.expression("'mary'");
    let process = sketch.with("ask", |e| {
        if let ElementKind::UserTask(task) = &mut e.kind {
            task.assignee = Some(assignee);
        }
    });
    let told = Story::of(process.build()).start("{}");
    assert_eq!(variables(&told), [r#"instance: {"who":"mary"}"#]);
}
