//! Stories of multi-instance activities, in each dialect.

use std::sync::Arc;

use orloj_model::{
    ElementKind, Items, ListenerEvent, MultiInstance, OutputCollection, SubProcessKind,
};

use super::visits;
use crate::testing::{Sketch, Story, end, start, subprocess, user, worker};
use crate::{Command, Event, InvokeResult, Outcome};

fn looped(sketch: Sketch, is_sequential: bool, kind: ElementKind) -> Sketch {
    let collection = sketch.expression("items");
    let multi = MultiInstance {
        is_sequential,
        ..MultiInstance::of(Items::Collection { collection, variable: Some("item".into()) })
    };
    sketch
        .node("start", start())
        .node("work", kind)
        .node("end", end())
        .flows("start -> work -> end")
        .with("work", |e| e.multi = Some(multi))
}

fn until(sketch: Sketch, condition: &str) -> Sketch {
    let condition = sketch.expression(condition);
    sketch.with("work", |e| e.multi.as_mut().expect("it loops").completion = Some(condition))
}

/// The variables of the record, by scope.
fn variables(told: &str) -> String {
    told.lines().filter(|line| line.contains(": {")).collect::<Vec<_>>().join("\n")
}

#[test]
fn zeebe_counts_from_one_and_tells_nothing_else() {
    let mut story = Story::of(looped(Sketch::zeebe(), false, user()).build());
    let told = story.start(r#"{"items":["a","b"]}"#);
    assert_eq!(visits(&told), "+start -start +work +work#2 +work#3");
    insta::assert_snapshot!(variables(&told), @r#"
    instance: {"items":["a","b"]}
    work#2: {"item":"a","loopCounter":1}
    work#3: {"item":"b","loopCounter":2}
    "#);
    assert_eq!(visits(&story.complete_user_task("work", "{}")), "-work#2");
    let told = story.complete_user_task("work", "{}");
    assert_eq!(visits(&told), "-work#3 -work +end -end ended Completed");
}

#[test]
fn camunda_counts_from_zero_on_the_body() {
    let mut story = Story::of(looped(Sketch::camunda(), false, user()).build());
    let told = story.start(r#"{"items":["a","b"]}"#);
    insta::assert_snapshot!(variables(&told), @r#"
    instance: {"items":["a","b"]}
    work: {"nrOfActiveInstances":2,"nrOfCompletedInstances":0,"nrOfInstances":2}
    work#2: {"item":"a","loopCounter":0}
    work#3: {"item":"b","loopCounter":1}
    "#);
    let told = story.complete_user_task("work", "{}");
    insta::assert_snapshot!(variables(&told), @r#"
    instance: {"items":["a","b"]}
    work: {"nrOfActiveInstances":1,"nrOfCompletedInstances":1,"nrOfInstances":2}
    work#3: {"item":"b","loopCounter":1}
    "#);
}

#[test]
fn in_camunda_a_sequence_keeps_its_item_on_the_body() {
    let mut story = Story::of(looped(Sketch::camunda(), true, user()).build());
    let told = story.start(r#"{"items":["a","b"]}"#);
    assert_eq!(visits(&told), "+start -start +work +work#2");
    let told = story.complete_user_task("work", "{}");
    assert_eq!(visits(&told), "-work#2 +work#3");
    insta::assert_snapshot!(variables(&told), @r#"
    instance: {"items":["a","b"]}
    work: {"item":"b","loopCounter":1,"nrOfActiveInstances":1,"nrOfCompletedInstances":1,"nrOfInstances":2}
    "#);
    let told = story.complete_user_task("work", "{}");
    assert_eq!(visits(&told), "-work#3 -work +end -end ended Completed");
}

#[test]
fn in_flowable_an_instance_that_ends_before_the_last_leaves_a_job() {
    let mut story = Story::of(looped(Sketch::flowable(), false, user()).build());
    story.start(r#"{"items":["a","b"]}"#);
    story.complete_user_task("work", "{}");
    let job = &story.jobs[&story.job_of("work")].job;
    assert!(job.exclusive);
    assert_eq!(visits(&story.run_job("work")), "", "it only looks whether the body is done");
    let told = story.complete_user_task("work", "{}");
    assert_eq!(visits(&told), "-work#3 -work +end -end ended Completed");
}

#[test]
fn nothing_to_do_is_done_at_once() {
    for sketch in [Sketch::zeebe(), Sketch::camunda(), Sketch::flowable()] {
        let mut story = Story::of(looped(sketch, false, user()).build());
        let told = story.start(r#"{"items":[]}"#);
        assert_eq!(visits(&told), "+start -start +work -work +end -end ended Completed");
    }
}

#[test]
fn what_is_no_list_is_an_incident_of_the_body_or_a_refusal() {
    let mut story = Story::of(looped(Sketch::zeebe(), false, user()).build());
    let told = story.start(r#"{"items":3}"#);
    assert!(told.contains("opened EXTRACT_VALUE_ERROR: the items of the loop should be a list"));
    let scope = story.record.as_ref().expect("it lives").instance.root_scope();
    let variables = super::document(r#"{"items":[1]}"#);
    story.play(Command::SetVariables { scope, variables, local: false });
    assert_eq!(visits(&story.resolve()), "+work#2");

    let mut story = Story::of(looped(Sketch::camunda(), false, user()).build());
    let told = story.start(r#"{"items":3}"#);
    assert_eq!(told, "rejected: work: the items of the loop should be a list, not number");
}

#[test]
fn the_completion_condition_ends_the_others() {
    let process = until(looped(Sketch::camunda(), false, user()), "nrOfCompletedInstances == 1");
    let mut story = Story::of(process.build());
    story.start(r#"{"items":[1,2,3]}"#);
    let told = story.complete_user_task("work", "{}");
    assert_eq!(visits(&told), "-work#2 xwork#4 xwork#3 -work +end -end ended Completed");

    let process = until(looped(Sketch::zeebe(), true, user()), "item = 2");
    let mut story = Story::of(process.build());
    story.start(r#"{"items":[1,2,3]}"#);
    story.complete_user_task("work", "{}");
    let told = story.complete_user_task("work", "{}");
    assert_eq!(visits(&told), "-work#3 -work +end -end ended Completed");
}

#[test]
fn results_are_gathered_in_the_order_of_the_items() {
    let sketch = looped(Sketch::zeebe(), false, worker("count"));
    let element = sketch.expression("result");
    let output = OutputCollection { variable: "results".into(), element };
    let sketch = sketch.with("work", |e| e.multi.as_mut().expect("it loops").output = Some(output));
    let mut story = Story::of(sketch.build());
    story.start(r#"{"items":[1,2]}"#);
    let last = *story.jobs.keys().next_back().expect("two jobs");
    let told = story.play(Command::CompleteJob {
        result: crate::JobResult::None,
        job: last,
        variables: super::document(r#"{"result":20}"#),
        activations: Vec::new(),
    });
    assert!(variables(&told).contains(r#"work: {"results":[null,20]}"#), "{told}");
    let told = story.complete("work", r#"{"result":10}"#);
    assert!(told.contains(r#"end Completed {"items":[1,2],"results":[10,20]}"#), "{told}");
}

#[test]
fn a_subprocess_has_its_own_inside_for_each_item() {
    let sketch = looped(Sketch::camunda(), false, subprocess(SubProcessKind::Embedded))
        .node("in", start())
        .node("ask", user())
        .node("out", end())
        .flows("in -> ask -> out")
        .inside("work", &["in", "ask", "out"]);
    let mut story = Story::of(sketch.build());
    story.start(r#"{"items":[1,2]}"#);
    assert_eq!(visits(&story.complete_user_task("ask", "{}")), "-ask +out -out -work#2");
    let told = story.complete_user_task("ask", "{}");
    assert_eq!(visits(&told), "-ask#2 +out#2 -out#2 -work#3 -work +end -end ended Completed");
}

/// How many visits of the activity are left normally, in however many commits.
fn visits_of_many(sketch: Sketch, is_sequential: bool, count: usize) -> usize {
    let mut story = Story::of(looped(sketch, is_sequential, ElementKind::PlainTask).build());
    let items: Vec<String> = (0..count).map(|i| i.to_string()).collect();
    let variables = super::document(&format!(r#"{{"items":[{}]}}"#, items.join(",")));
    let instance = orloj_types::InstanceKey::new(story.keys.next(story.now));
    let command = Command::Start(crate::Start {
        instance,
        definition: orloj_types::DefinitionKey::new(1),
        tenant: orloj_types::TenantId::none(),
        business_key: None,
        variables,
        awaited_by: None,
        started_with: None,
        at: None,
        before: Vec::new(),
        tags: Arc::default(),
        stops_after: Vec::new(),
    });
    let left = |outcome: &Outcome| {
        let events = outcome.events.iter();
        events.filter(|e| matches!(e, Event::ElementLeft { .. })).count()
    };
    let mut outcome = story.interpret(command).expect("it starts");
    let mut count = left(&outcome);
    while let Some(record) = outcome.record.take() {
        let job = record.holders().flat_map(|e| &e.jobs).next().expect("a job goes on").key;
        story.record = Some(Arc::from(record));
        outcome = story.interpret(Command::RunJob { job }).expect("it goes on");
        count += left(&outcome);
    }
    count
}

/// With the square of their number this would take hours.
#[test]
fn many_items_are_no_trouble() {
    for sketch in [Sketch::zeebe, Sketch::camunda, Sketch::flowable] {
        for is_sequential in [false, true] {
            // The start event, the body and the end event are left too.
            assert_eq!(visits_of_many(sketch(), is_sequential, 30_000), 30_003);
        }
    }
}

#[test]
fn an_error_of_one_instance_is_caught_by_the_body() {
    let process = looped(Sketch::camunda(), false, super::delegate("Work"))
        .boundary("work", "poor", super::on_error(None))
        .node("beg", user())
        .flows("poor -> beg");
    let error = InvokeResult::Error {
        code: "poor".into(),
        message: "no money".into(),
        variables: super::document("{}"),
    };
    let mut story = Story::of(process.build()).delegate("Work", &[error]);
    let told = story.start(r#"{"items":[1,2]}"#);
    assert_eq!(visits(&told), "+start -start +work +work#2 xwork#2 xwork +poor -poor +beg");
}

#[test]
fn one_job_may_watch_the_instances_until_the_last_has_ended() {
    let process = looped(Sketch::flowable(), false, user())
        .with("work", |e| e.multi.as_mut().expect("it loops").is_watched = true);
    let mut story = Story::of(process.build());
    story.start(r#"{"items":[1,2]}"#);
    assert_eq!(visits(&story.run_job("work")), "");
    assert_eq!(story.jobs.len(), 1, "it looks again");
    for _ in 0..2 {
        let told = story.complete_user_task("work", "{}");
        assert!(visits(&told).starts_with("-work"), "{told}");
        assert_eq!(story.jobs.len(), 1, "instances leave no job behind");
    }
    let told = visits(&story.run_job("work"));
    assert_eq!(told, "-work +end -end ended Completed");
}

#[test]
fn in_flowable_listeners_hear_of_the_body_too() {
    let heard = |sketch: Sketch| {
        let process = looped(sketch, false, user())
            .listener("work", ListenerEvent::Start, "execution.setVariable('s', s + 1)")
            .listener("work", ListenerEvent::End, "execution.setVariable('e', e + 1)");
        let mut story = Story::of(process.build());
        story.start(r#"{"items":[1,2],"s":0,"e":0}"#);
        story.complete_user_task("work", "{}");
        let told = story.complete_user_task("work", "{}");
        told.lines().last().expect("it has ended").to_owned()
    };
    assert_eq!(heard(Sketch::camunda()), r#"end Completed {"e":2,"items":[1,2],"s":2}"#);
    assert_eq!(heard(Sketch::flowable()), r#"end Completed {"e":3,"items":[1,2],"s":3}"#);
}
