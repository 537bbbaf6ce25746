//! What operators have set, and what it does to the jobs that are made.

use std::collections::BTreeMap;

use orloj_expr::Expression;
use orloj_model::{
    ElementKind, Items, JobDefinition, JobHandler, MultiInstance, Process, RetryCycle, RetryPlan,
    SavePoint, SignalCatch, TimerKind, Trigger,
};
use orloj_types::{DefinitionKey, Value};

use super::{Sketch, Story, catch, delegate, document, end, on_timer, start, user};
use crate::{
    Command, DefinitionSettings, InvokeResult, JobKind, JobOverride, JobSettings, JobState,
    SubscriptionKind,
};

fn failed() -> InvokeResult {
    InvokeResult::Failed { message: "no line".into() }
}

fn calling(sketch: Sketch) -> Sketch {
    sketch
        .node("start", start())
        .node("call", delegate("Call"))
        .node("end", end())
        .flows("start -> call -> end")
        .async_before("call")
}

fn story(sketch: Sketch, settings: JobSettings, failures: usize) -> Story {
    let mut story =
        Story::of(sketch.build()).settings(settings).delegate("Call", &vec![failed(); failures]);
    story.start("{}");
    story
}

fn number(value: i64) -> Expression {
    Expression::constant(Value::Int(value))
}

fn about(process: &Process, word: &str, set: JobOverride) -> JobSettings {
    let definitions = process.job_definitions();
    let one = definitions.into_iter().find(|d| &*d.configuration == word).expect("it is declared");
    let jobs = BTreeMap::from([(one, set)]);
    let settings = DefinitionSettings { is_suspended: false, jobs };
    let definitions = BTreeMap::from([(DefinitionKey::new(1), settings)]);
    JobSettings { definitions, ..JobSettings::default() }
}

fn priority(story: &Story, element: &str) -> i64 {
    story.jobs[&story.job_of(element)].job.priority
}

#[test]
fn an_override_comes_before_the_element() {
    let draw = || calling(Sketch::camunda()).with("call", |e| e.jobs.priority = Some(number(5)));
    let plain = story(draw(), JobSettings::default(), 0);
    assert_eq!(priority(&plain, "call"), 5);
    let set = JobOverride { priority: Some(i64::MAX), is_suspended: false };
    let settings = about(&draw().build(), "async-before", set);
    assert_eq!(priority(&story(draw(), settings, 0), "call"), i64::MAX);
    let none = JobSettings { ignores_priorities: true, ..JobSettings::default() };
    assert_eq!(priority(&story(draw(), none, 0), "call"), 0);
}

#[test]
fn a_priority_of_the_wrong_type_fails_the_command() {
    let sketch = calling(Sketch::camunda());
    let text = sketch.expression("'high'");
    let process = sketch.with("call", |e| e.jobs.priority = Some(text)).build();
    let told = Story::of(process).delegate("Call", &[]).start("{}");
    assert_eq!(
        told,
        "rejected: call: the priority of the job should be a whole number, not string"
    );
}

#[test]
fn body_and_instances_of_a_loop_have_the_priority_of_their_element() {
    let multi = MultiInstance {
        inner_before: Some(SavePoint { exclusive: true }),
        ..MultiInstance::of(Items::Cardinality(number(2)))
    };
    let process = calling(Sketch::camunda())
        .with("call", |e| {
            e.jobs.priority = Some(number(9));
            e.multi = Some(multi);
        })
        .build();
    let names: Vec<_> =
        process.job_definitions().into_iter().map(|d| d.element.to_string()).collect();
    assert_eq!(names, ["call#multiInstanceBody", "call"]);
    let mut story = Story::of(process).delegate("Call", &[]);
    story.start("{}");
    assert_eq!(priority(&story, "call"), 9, "the body's");
    story.run_job("call");
    assert!(story.jobs.len() == 2 && story.jobs.values().all(|row| row.job.priority == 9));
}

#[test]
fn jobs_of_a_suspended_job_definition_are_made_suspended() {
    let draw = || {
        Sketch::camunda()
            .node("start", start())
            .node("wait", catch(TimerKind::Duration, "PT1H"))
            .flows("start -> wait")
    };
    let set = JobOverride { priority: None, is_suspended: true };
    let settings = about(&draw().build(), "DURATION: PT1H", set);
    let mut story = story(draw(), settings, 0);
    let job = story.job_of("wait");
    assert_eq!(story.jobs[&job].job.state, JobState::Suspended);
    story.pass(7_200_000);
    assert_eq!(story.job_due("wait"), "rejected: job job1 is in state Suspended");
    story.play(Command::ResumeJobs { jobs: vec![job] });
    assert_eq!(story.jobs[&job].job.state, JobState::Ready);
}

#[test]
fn a_suspended_definition_is_not_started() {
    let settings = DefinitionSettings { is_suspended: true, jobs: BTreeMap::new() };
    let definitions = BTreeMap::from([(DefinitionKey::new(1), settings)]);
    let settings = JobSettings { definitions, ..JobSettings::default() };
    let told = Story::of(calling(Sketch::camunda()).build()).settings(settings).start("{}");
    assert_eq!(told, "rejected: definition 1 is suspended");
}

#[test]
fn jobs_can_always_have_a_due_date() {
    let settings = JobSettings { due_dates_always: true, ..JobSettings::default() };
    let stamped = story(calling(Sketch::camunda()), settings, 0);
    let job = &stamped.jobs[&stamped.job_of("call")].job;
    assert_eq!((job.state, job.due_at), (JobState::Ready, Some(stamped.now)));
    let plain = story(calling(Sketch::camunda()), JobSettings::default(), 0);
    assert_eq!(plain.jobs[&plain.job_of("call")].job.due_at, None);
}

fn retries(story: &Story) -> i32 {
    story.jobs[&story.job_of("call")].job.retries_left
}

#[test]
fn defaults_of_the_engine_hold_where_the_model_says_nothing() {
    let plan = RetryPlan::parse("R5/PT1M").expect("a cycle");
    let cycle = || JobSettings {
        retry_cycle: Some(RetryCycle::Fixed(plan.clone())),
        retries: Some(7),
        ..JobSettings::default()
    };
    assert_eq!(retries(&story(calling(Sketch::camunda()), cycle(), 0)), 5);
    let own = calling(Sketch::camunda()).retry("call", "PT1M");
    assert_eq!(retries(&story(own, cycle(), 0)), 2);
    let default = JobSettings { retries: Some(7), ..JobSettings::default() };
    assert_eq!(retries(&story(calling(Sketch::camunda()), default, 0)), 7);
    // Earlier versions knew the tries of a cycle only after the first failure.
    let late = JobSettings { tries_at_first_failure: true, ..cycle() };
    let mut story = story(calling(Sketch::camunda()), late, 1);
    assert_eq!(retries(&story), 7);
    story.run_job("call");
    assert_eq!(retries(&story), 4);
}

#[test]
fn the_waits_between_tries_can_be_set() {
    let settings = JobSettings {
        retry_wait_ms: Some(30_000),
        timer_retry_wait_ms: Some(90_000),
        ..JobSettings::default()
    };
    let mut story = story(calling(Sketch::flowable()), settings.clone(), 1);
    story.run_job("call");
    let job = &story.jobs[&story.job_of("call")].job;
    assert_eq!(job.due_at, Some(story.now.plus_ms(30_000)));
    let process = Sketch::flowable()
        .node("start", start())
        .node("wait", catch(TimerKind::Duration, "PT1M"))
        .node("call", delegate("Call"))
        .flows("start -> wait -> call");
    let mut timed = Story::of(process.build()).settings(settings).delegate("Call", &[failed()]);
    timed.start("{}");
    let due = timed.now.plus_ms(60_000);
    timed.pass(100_000);
    timed.job_due("wait");
    timed.run_job("wait");
    let job = &timed.jobs[&timed.job_of("wait")].job;
    assert_eq!(job.due_at, Some(due.plus_ms(90_000)), "counted from the old due date");
}

#[test]
fn without_incidents_a_dead_letter_is_all() {
    let settings = JobSettings { without_incidents: true, ..JobSettings::default() };
    let mut story = story(calling(Sketch::camunda()).retry("call", "R1/PT1M"), settings, 1);
    let told = story.run_job("call");
    assert!(!told.contains("incident"), "{told}");
    assert_eq!(story.jobs[&story.job_of("call")].job.state, JobState::Failed);
}

#[test]
fn a_failure_that_no_try_can_mend_is_final() {
    let fault = InvokeResult::Faulted {
        message: "no such table".into(),
        details: Some("at line 7".into()),
        is_final: true,
    };
    let mut story = Story::of(calling(Sketch::flowable()).build())
        .delegate("Call", std::slice::from_ref(&fault));
    story.start("{}");
    story.run_job("call");
    let row = &story.jobs[&story.job_of("call")];
    assert_eq!((row.job.state, row.job.retries_left), (JobState::Failed, 0));
    let failed = row.failure.as_ref().expect("it failed");
    assert_eq!((failed.details.as_deref(), &*failed.element), (Some("at line 7"), "call"));
}

#[test]
fn a_cycle_can_be_computed_again_whenever_it_fires() {
    let draw = || {
        let sketch = Sketch::camunda().node("start", start()).node("ask", user()).boundary(
            "ask",
            "late",
            on_timer(false, TimerKind::Cycle, ""),
        );
        let value = sketch.expression("cycle");
        let sketch = sketch.with("late", |element| {
            let ElementKind::BoundaryEvent(boundary) = &mut element.kind else { return };
            let Trigger::Timer(timer) = &mut boundary.trigger else { return };
            timer.value = value;
        });
        sketch.node("warn", user()).flows("start -> ask").flows("late -> warn").build()
    };
    for (reevaluates_cycles, wait) in [(false, 3600), (true, 600)] {
        let settings = JobSettings { reevaluates_cycles, ..JobSettings::default() };
        let mut story = Story::of(draw()).settings(settings);
        story.start(r#"{"cycle":"R3/PT1H"}"#);
        let scope = story.record.as_ref().expect("it lives").root.key;
        let variables = document(r#"{"cycle":"R5/PT10M"}"#);
        story.play(Command::SetVariables { scope, variables, local: false });
        story.pass(3_600_000);
        story.job_due("late");
        let job = &story.jobs[&story.job_of("late")].job;
        assert_eq!(job.due_at, Some(story.now.plus_ms(wait * 1000)));
    }
}

#[test]
fn category_and_limit_key_are_computed_when_the_job_is_made() {
    let sketch = calling(Sketch::flowable());
    let (category, key) = (sketch.expression("kind"), sketch.expression("customer"));
    let process = sketch
        .with("call", |e| {
            e.jobs.category = Some(category);
            e.jobs.limit_key = Some(key);
            e.jobs.topic = "Call".into();
        })
        .build();
    let mut story = Story::of(process).delegate("Call", &[failed()]);
    story.start(r#"{"kind":"heavy","customer":7}"#);
    let row = &story.jobs[&story.job_of("call")];
    assert_eq!(row.job.category.as_deref(), Some("heavy"));
    assert_eq!(row.job.limit_key.as_deref(), Some("7"));
    assert_eq!(&*row.topic, "Call");
    story.run_job("call");
    let row = &story.jobs[&story.job_of("call")];
    assert_eq!(row.job.category.as_deref(), Some("heavy"), "a failed job keeps it");
}

#[test]
fn an_asynchronous_signal_comes_by_a_job_with_all_it_carries() {
    let name = Expression::constant(Value::text("go"));
    let trigger = Trigger::Signal(SignalCatch { name, is_local: false, takes: Vec::new() });
    let process = Sketch::camunda()
        .node("start", start())
        .node("wait", ElementKind::CatchEvent(Some(trigger)))
        .node("then", user())
        .flows("start -> wait -> then")
        .with("wait", |e| e.jobs.priority = Some(number(4)))
        .build();
    let mut story = Story::of(process);
    story.start("{}");
    let subscription = {
        let record = story.record.as_ref().expect("it lives");
        let mut waiting = record.holders().flat_map(|holder| &holder.subscriptions);
        waiting.next().expect("it waits").clone()
    };
    assert!(matches!(subscription.kind, SubscriptionKind::Signal { .. }));
    let variables = document(r#"{"n":1}"#);
    let subscription = subscription.key;
    let outcome =
        story.interpret(Command::DeferTrigger { subscription, variables }).expect("somebody waits");
    let record = outcome.record.as_ref().expect("it lives");
    let job = record.holders().flat_map(|holder| &holder.jobs).next().expect("a job");
    assert!(matches!(job.kind, JobKind::Signal { .. }));
    assert_eq!((job.state, job.priority), (JobState::Ready, 4));
    let job = job.key;
    story.record = Some(record.clone().into());
    let outcome = story.interpret(Command::RunJob { job }).expect("it may run");
    let record = outcome.record.expect("it lives");
    assert_eq!(&*record.elements.iter().next().expect("a token").element, "then");
    assert_eq!(record.visible(record.root.key)["n"].to_json(), "1");
}

#[test]
fn what_a_process_declares_is_named_as_camunda_does() {
    let process = Sketch::camunda()
        .node("start", start())
        .node("call", delegate("Call"))
        .boundary("call", "late", on_timer(true, TimerKind::Cycle, "R3/PT1H"))
        .node("wait", catch(TimerKind::Date, "2030-01-01T00:00:00Z"))
        .flows("start -> call -> wait")
        .async_before("call")
        .async_after("call")
        .build();
    let told: Vec<String> = process
        .job_definitions()
        .iter()
        .map(|d| format!("{} {} {}", d.element, d.handler.word(), d.configuration))
        .collect();
    assert_eq!(
        told,
        [
            "call async-continuation async-before",
            "call async-continuation async-after",
            "late timer-transition CYCLE: R3/PT1H",
            "wait timer-intermediate-transition DATE: 2030-01-01T00:00:00Z",
        ]
    );
    for handler in JobHandler::ALL {
        assert_eq!(JobHandler::from_word(handler.word()), Some(handler));
    }
    assert_eq!(JobDefinition::timer(&process.elements[0]), None);
}
