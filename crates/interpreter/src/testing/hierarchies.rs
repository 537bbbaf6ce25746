//! Jobs and incidents of instances that call each other.

use orloj_expr::Expression;
use orloj_model::{CallMapping, ElementKind, ErrorThrow, Items, MultiInstance, Throw};
use orloj_types::{Document, InstanceKey, JobKey, Value};

use super::{Sketch, Story, and, call, delegate, end, on_error, start, user};
use crate::{Command, InvokeResult, JobSettings, JobState, Record};

fn child(sketch: Sketch) -> Sketch {
    sketch
        .node("begin", start())
        .node("work", delegate("Work"))
        .node("done", end())
        .flows("begin -> work -> done")
        .async_before("work")
}

/// Two called instances, each with an exclusive job, beside an exclusive job of the caller.
fn family(settings: JobSettings) -> Story {
    let process = Sketch::camunda()
        .node("start", start())
        .node("fork", and())
        .node("first", ElementKind::CallActivity(call("child")))
        .node("second", ElementKind::CallActivity(call("child")))
        .node("own", delegate("Work"))
        .flows("start -> fork -> first")
        .flows("fork -> second")
        .flows("fork -> own")
        .async_before("own");
    let mut story = Story::of(process.build())
        .settings(settings)
        .delegate("Work", &[])
        .callable("child", child(Sketch::camunda()).build());
    story.start("{}");
    story
}

fn job_in(record: &Record) -> (JobKey, JobState) {
    let mut jobs = record.holders().flat_map(|holder| &holder.jobs);
    jobs.next().map(|job| (job.key, job.state)).expect("it has a job")
}

fn run(record: &Record) -> Command {
    Command::RunJob { job: job_in(record).0 }
}

/// Of the called ones, the oldest first, and of the caller.
fn states(story: &Story) -> String {
    let records = story.others.values().chain(&story.record);
    let state = |record: &std::sync::Arc<Record>| {
        let mut jobs = record.holders().flat_map(|holder| &holder.jobs);
        jobs.next().map_or("-".into(), |job| format!("{:?}", job.state).to_lowercase())
    };
    records.map(state).collect::<Vec<_>>().join(" ")
}

fn called(story: &Story) -> Vec<InstanceKey> {
    story.others.keys().copied().collect()
}

#[test]
fn each_instance_has_a_queue_of_its_own_unless_they_share_one() {
    assert_eq!(states(&family(JobSettings::default())), "ready ready ready");
    let shared = JobSettings { exclusive_over_hierarchies: true, ..JobSettings::default() };
    let mut story = family(shared);
    assert_eq!(states(&story), "ready parked parked");
    let instances = called(&story);
    let refused = story.in_other(instances[1], run);
    assert!(refused.ends_with("is in state Parked"), "{refused}");
    let told = story.in_other(instances[0], run);
    assert!(told.contains("ended Completed"), "{told}");
    assert_eq!(states(&story), "ready parked", "the next of the family runs");
    story.in_other(instances[1], run);
    assert_eq!(states(&story), "ready");
    assert!(story.run_job("own").contains("ended Completed"));
}

#[test]
fn a_job_that_fails_lets_the_others_of_the_family_go_first() {
    let shared = JobSettings { exclusive_over_hierarchies: true, ..JobSettings::default() };
    let mut story = family(shared);
    let failed = InvokeResult::Failed { message: "no".into() };
    story.delegates.insert("Work".into(), vec![failed]);
    let instances = called(&story);
    let told = story.in_other(instances[0], run);
    assert!(told.contains("failed, 2 left: no"), "{told}");
    assert_eq!(states(&story), "parked ready parked");
    // Suspended ones are in no queue.
    story.in_other(instances[1], |_| Command::Suspend);
    assert_eq!(states(&story), "parked suspended ready");
    let held = story.record.as_ref().map(|record| record.still_held.len());
    assert_eq!(held, Some(1), "the family knows that it may be running");
    assert!(story.run_job("own").contains("left own"));
    assert_eq!(states(&story), "ready suspended -");
    story.in_other(instances[1], |_| Command::Resume);
    assert_eq!(states(&story), "ready parked -");
    assert!(story.play(Command::Cancel).contains("ended Cancelled"));
    assert!(story.others.is_empty());
}

/// The acquisition gives a job only when nobody in the family holds a lock: whoever was stopped
/// before is not running any more.
#[test]
fn a_job_of_the_family_that_runs_tells_that_those_stopped_are_over() {
    let shared = JobSettings { exclusive_over_hierarchies: true, ..JobSettings::default() };
    let mut story = family(shared);
    let instances = called(&story);
    let held = |story: &Story| story.record.as_ref().map(|record| record.still_held.len());
    story.in_other(instances[0], |_| Command::Suspend);
    assert_eq!((states(&story).as_str(), held(&story)), ("suspended ready parked", Some(1)));
    let told = story.in_other(instances[1], run);
    assert!(told.contains("ended Completed"), "{told}");
    assert_eq!((states(&story).as_str(), held(&story)), ("suspended ready", Some(0)));
}

/// A call of a call whose job fails once for good.
fn chain() -> Story {
    let middle = Sketch::camunda()
        .node("begin", start())
        .node("inner", ElementKind::CallActivity(call("child")))
        .flows("begin -> inner");
    let process = Sketch::camunda()
        .node("start", start())
        .node("outer", ElementKind::CallActivity(call("middle")))
        .node("then", user())
        .flows("start -> outer -> then");
    let failed = InvokeResult::Failed { message: "no line".into() };
    let mut story = Story::of(process.build())
        .delegate("Work", &[failed])
        .callable("middle", middle.build())
        .callable("child", child(Sketch::camunda()).retry("work", "R1/PT1M").build());
    story.start("{}");
    story
}

#[test]
fn an_incident_shows_on_every_call_activity_above_it() {
    let mut story = chain();
    let told = story.in_called(run);
    assert_eq!(told.matches("opened failedJob").count(), 3, "{told}");
    let causes = |record: &Record| {
        let incidents = record
            .holders()
            .flat_map(|holder| holder.incident.iter().chain(&holder.timer_incidents));
        incidents.map(|incident| (incident.key, incident.cause)).next().expect("an incident")
    };
    let [middle, lowest] = &story.others.values().collect::<Vec<_>>()[..] else { panic!("two") };
    let (origin, none) = causes(lowest);
    let (between, below) = causes(middle);
    let top = causes(story.record.as_ref().expect("it lives"));
    assert_eq!((none, below, top.1), (None, Some(origin), Some(between)));
    let refused = story.play(Command::ResolveIncident { incident: top.0 });
    assert!(refused.contains("tells of one in a called instance"), "{refused}");
    let told =
        story.in_called(|record| Command::UpdateRetries { job: job_in(record).0, retries: 1 });
    assert_eq!(told.matches(" closed").count(), 3, "{told}");
    assert!(story.incidents.is_empty());
    let told = story.in_called(run);
    assert!(told.contains("entered then"), "{told}");
}

#[test]
fn what_is_told_above_goes_with_what_it_tells_of() {
    let mut story = chain();
    story.in_called(run);
    assert_eq!(story.incidents.len(), 1);
    let told = story.play(Command::Cancel);
    assert!(told.contains("deleted"), "{told}");
    assert!(story.incidents.is_empty() && story.others.is_empty());
}

#[test]
fn zeebe_and_flowable_tell_nobody_above() {
    for sketch in [Sketch::zeebe, Sketch::flowable] {
        let process = sketch()
            .node("start", start())
            .node("outer", ElementKind::CallActivity(call("child")))
            .flows("start -> outer");
        let failed = InvokeResult::Failed { message: "no line".into() };
        let mut story = Story::of(process.build())
            .delegate("Work", &[failed])
            .callable("child", child(sketch()).retry("work", "R1/PT1M").build());
        story.start("{}");
        let told = story.in_called(run);
        assert_eq!(told.matches(" opened ").count(), 1, "{told}");
    }
}

#[test]
fn in_flowable_a_call_activity_catches_one_error_at_a_time() {
    let told = |sketch: fn() -> Sketch| {
        let multi = MultiInstance::of(Items::Cardinality(sketch().expression("2")));
        let code = Some(Expression::constant(Value::text("E")));
        let bad = ElementKind::EndEvent(Throw::Error(ErrorThrow { code, message: None }));
        let child = sketch().node("begin", start()).node("bad", bad).flows("begin -> bad");
        let process = sketch()
            .node("start", start())
            .node("work", ElementKind::CallActivity(call("child")))
            .with("work", |e| e.multi = Some(multi))
            .boundary("work", "caught", on_error(None))
            .node("mend", user())
            .flows("start -> work")
            .flows("caught -> mend");
        Story::of(process.build()).callable("child", child.build()).start("{}")
    };
    let flowable = told(Sketch::flowable);
    assert!(flowable.starts_with("rejected: caught: the boundary event has caught"), "{flowable}");
    assert!(told(Sketch::camunda).contains("entered mend"));
}

#[test]
fn in_flowable_a_call_activity_gives_no_null_for_a_business_key() {
    let told = |sketch: fn() -> Sketch| {
        let mut calls = call("child");
        calls.business_key = Some(sketch().expression("nothing"));
        let process = sketch()
            .node("start", start())
            .node("work", ElementKind::CallActivity(calls))
            .flows("start -> work");
        let child = sketch().node("begin", start()).node("ask", user()).flows("begin -> ask");
        let mut story = Story::of(process.build()).callable("child", child.build());
        story.start(r#"{"nothing":null}"#)
    };
    let refused = "rejected: work: the business key should be a string, not null";
    assert_eq!(told(Sketch::flowable), refused);
    assert!(told(Sketch::camunda).contains("entered work"));
}

/// Which variables each instance of a loop over a call activity is started with, when those are
/// passed on that the element calls its own.
fn passed_on(is_sequential: bool) -> String {
    let sketch = Sketch::camunda();
    let collection = sketch.expression("items");
    let items = Items::Collection { collection, variable: Some("item".into()) };
    let multi = MultiInstance { is_sequential, ..MultiInstance::of(items) };
    let mut called = call("child");
    called.inputs = vec![CallMapping::All { is_local: true }];
    let process = sketch
        .node("start", start())
        .node("each", ElementKind::CallActivity(called))
        .flows("start -> each")
        .with("each", |e| e.multi = Some(multi));
    let child = Sketch::camunda().node("begin", start()).node("ask", user()).flows("begin -> ask");
    let mut story = Story::of(process.build()).callable("child", child.build());
    story.start(r#"{"items":["a"],"other":1}"#);
    let record = story.others.values().next().expect("it is called");
    Document(record.visible(record.root.key)).to_json()
}

#[test]
fn in_camunda_an_instance_of_a_sequence_calls_its_own_what_the_body_has() {
    assert_eq!(passed_on(false), r#"{"item":"a","loopCounter":0}"#);
    let of_body = r#""nrOfActiveInstances":1,"nrOfCompletedInstances":0,"nrOfInstances":1"#;
    assert_eq!(passed_on(true), format!(r#"{{"item":"a","loopCounter":0,{of_body}}}"#));
}
