//! Stories of events that catch errors and interrupt scopes, and of elements that a job ends.
//!
//! DIFFERENCE: in Flowable a boundary event takes its turn behind other tokens, an event
//! subprocess that catches an error spares the other branches, a timer that interrupts goes on
//! repeating, and the job of a save point ends the element itself.

use orloj_expr::Expression;
use orloj_model::{ElementKind, ErrorCatch, ErrorThrow, SubProcessKind, Throw, TimerKind, Trigger};
use orloj_types::Value;

use super::{thrown, visits};
use crate::testing::{
    Sketch, Story, and, end, message, on_error, on_timer, start, start_on, subprocess, user, xor,
};
use crate::{Command, JobState};

fn failing_end() -> ElementKind {
    let code = Some(Expression::constant(Value::text("E")));
    ElementKind::EndEvent(Throw::Error(ErrorThrow { code, message: None }))
}

fn errors() -> Trigger {
    Trigger::Error(ErrorCatch::default())
}

fn timer(kind: TimerKind, text: &str) -> Trigger {
    match on_timer(true, kind, text) {
        ElementKind::BoundaryEvent(boundary) => boundary.trigger,
        _ => unreachable!("it is a boundary event"),
    }
}

/// A subprocess with two branches, of which the first throws, and an event subprocess.
fn guarded(sketch: Sketch) -> Sketch {
    sketch
        .node("start", start())
        .node("sub", subprocess(SubProcessKind::Embedded))
        .node("then", user())
        .node("begin", start())
        .node("fork", and())
        .node("a", user())
        .node("b", user())
        .node("bad", failing_end())
        .node("help", subprocess(SubProcessKind::Event))
        .node("caught", start_on(true, errors()))
        .node("mend", user())
        .flows("start -> sub -> then")
        .flows("begin -> fork -> a -> bad")
        .flows("fork -> b")
        .flows("caught -> mend")
        .inside("help", &["caught", "mend"])
}

#[test]
fn an_error_caught_in_a_subprocess_spares_the_other_branch_in_flowable_only() {
    let inside = ["begin", "fork", "a", "b", "bad", "help"];
    let mut story = Story::of(guarded(Sketch::camunda()).inside("sub", &inside).build());
    story.start("{}");
    let told = visits(&story.complete_user_task("a", "{}"));
    assert_eq!(told, "-a +bad xbad xb +help +caught -caught +mend");

    let mut story = Story::of(guarded(Sketch::flowable()).inside("sub", &inside).build());
    story.start("{}");
    let told = visits(&story.complete_user_task("a", "{}"));
    assert_eq!(told, "-a +bad -bad +help +caught -caught +mend");
    assert_eq!(visits(&story.complete_user_task("mend", "{}")), "-mend -help");
    assert_eq!(visits(&story.complete_user_task("b", "{}")), "-b -sub +then");
}

#[test]
fn what_an_error_ends_in_the_process_itself_counts_as_completed_in_flowable() {
    let inside = ["begin", "fork", "a", "b", "bad"];
    let mut story = Story::of(guarded(Sketch::flowable()).inside("sub", &inside).build());
    story.start("{}");
    let told = visits(&story.complete_user_task("a", "{}"));
    assert_eq!(told, "-a +bad -bad -b -sub +help +caught -caught +mend");
}

#[test]
fn in_flowable_a_boundary_event_takes_its_turn_behind_other_tokens() {
    let process = |sketch: Sketch| {
        sketch
            .node("start", start())
            .node("sub", subprocess(SubProcessKind::Embedded))
            .boundary("sub", "caught", on_error(None))
            .node("begin", start())
            .node("fork", and())
            .node("bad", failing_end())
            .node("b", user())
            .node("mend", user())
            .flows("start -> sub")
            .flows("begin -> fork -> bad")
            .flows("fork -> b")
            .flows("caught -> mend")
            .inside("sub", &["begin", "fork", "bad", "b"])
            .build()
    };
    let way = |sketch: Sketch| visits(&Story::of(process(sketch)).start("{}"));
    assert_eq!(
        way(Sketch::flowable()),
        "+start -start +sub +begin -begin +fork -fork +bad +b xb -bad xsub +caught -caught +mend"
    );
    assert_eq!(
        way(Sketch::camunda()),
        "+start -start +sub +begin -begin +fork -fork +bad xbad xsub +caught -caught +mend"
    );
}

#[test]
fn in_flowable_a_timer_that_interrupts_goes_on_repeating() {
    let process = |sketch: Sketch| {
        sketch
            .node("start", start())
            .node("ask", user())
            .node("help", subprocess(SubProcessKind::Event))
            .node("late", start_on(true, timer(TimerKind::Cycle, "R2/PT1H")))
            .node("mend", user())
            .flows("start -> ask")
            .flows("late -> mend")
            .inside("help", &["late", "mend"])
            .build()
    };
    let mut story = Story::of(process(Sketch::flowable()));
    story.start("{}");
    story.pass(3_600_000);
    let told = visits(&story.job_due("late"));
    assert_eq!(told, "xask +help +late -late +mend");
    story.pass(3_600_000);
    let told = visits(&story.job_due("late"));
    assert_eq!(told, "xmend xhelp +help#2 +late#2 -late#2 +mend#2");
    assert!(story.jobs.is_empty(), "it was to repeat twice");

    let mut story = Story::of(process(Sketch::camunda()));
    story.start("{}");
    story.pass(3_600_000);
    story.job_due("late");
    assert!(story.jobs.is_empty());
}

#[test]
fn an_event_subprocess_begins_at_the_event_it_came_by() {
    let process = Sketch::flowable()
        .node("start", start())
        .node("ask", user())
        .node("help", subprocess(SubProcessKind::Event))
        .node("first", start_on(true, timer(TimerKind::Duration, "PT1H")))
        .node("second", start_on(true, message("hurry")))
        .node("a", user())
        .node("b", user())
        .flows("start -> ask")
        .flows("first -> a")
        .flows("second -> b")
        .inside("help", &["first", "second", "a", "b"]);
    let mut story = Story::of(process.build());
    story.start("{}");
    let record = story.record.as_ref().expect("it lives");
    let subscription = record.root.subscriptions[0].key;
    let variables = crate::testing::document("{}");
    let told = story.play(Command::Trigger { subscription, variables });
    assert_eq!(visits(&told), "xask +help +second -second +b");
}

#[test]
fn in_flowable_the_job_after_an_element_ends_it() {
    let process = |sketch: Sketch| {
        sketch
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("then", user())
            .flows("start -> ask -> then")
            .async_after("ask")
            .build()
    };
    let mut story = Story::of(process(Sketch::flowable()));
    story.start("{}");
    insta::assert_snapshot!(story.complete_user_task("ask", "{}"), @"
    job1 cancelled
    job2 created
    --
    delete job1
    insert job2 after ask, ready, retries 3, exclusive
    delete task1
    at ask leaving job2
    ");
    assert_eq!(visits(&story.run_job("ask")), "-ask +then");

    let mut story = Story::of(process(Sketch::camunda()));
    story.start("{}");
    assert_eq!(visits(&story.complete_user_task("ask", "{}")), "-ask");
    assert_eq!(visits(&story.run_job("ask")), "+then");
}

#[test]
fn a_gateway_that_cannot_choose_fails_before_its_job() {
    let process = Sketch::flowable()
        .node("start", start())
        .node("gate", xor())
        .node("a", end())
        .flows("start -> gate")
        .flow_if("gate", "a", "n > 1")
        .async_after("gate")
        .build();
    let told = Story::of(process.clone()).start(r#"{"n":1}"#);
    assert!(told.starts_with("rejected: "), "{told}");
    let mut story = Story::of(process);
    assert_eq!(visits(&story.start(r#"{"n":2}"#)), "+start -start +gate");
    assert_eq!(visits(&story.run_job("gate")), "-gate +a -a ended Completed");
}

#[test]
fn a_dead_letter_keeps_the_due_date_of_a_further_try() {
    let process = Sketch::flowable()
        .node("start", start())
        .node("gate", xor())
        .node("a", end())
        .flows("start -> gate")
        .flow_if("gate", "a", "n > 1")
        .async_before("gate");
    let mut story = Story::of(process.build());
    story.start(r#"{"n":1}"#);
    for _ in 0..2 {
        story.run_job("gate");
        story.pass(10_000);
        let job = story.job_of("gate");
        story.play(Command::JobDue { job, at_once: true });
        let job = story.job_of("gate");
        if story.jobs[&job].job.state == JobState::Failed {
            break;
        }
    }
    let job = &story.jobs[&story.job_of("gate")].job;
    assert_eq!(job.state, JobState::Failed);
    assert_eq!(job.due_at, Some(story.now.plus_ms(10_000)));
}

#[test]
fn an_error_of_a_listener_on_a_flow_is_caught_in_the_scope_of_the_flow() {
    let begun = |sketch: Sketch, inside: &[&str]| {
        let process = guarded(sketch).inside("sub", inside).listener_of_flow("a-bad", "Bad");
        let mut story = Story::of(process.build()).delegate("Bad", &[thrown("E")]);
        story.start("{}");
        story
    };
    let inside = ["begin", "fork", "a", "b", "bad", "help"];
    let mut story = begun(Sketch::camunda(), &inside);
    let told = visits(&story.complete_user_task("a", "{}"));
    assert_eq!(told, "-a xb +help +caught -caught +mend");
    let mut story = begun(Sketch::flowable(), &inside);
    let told = visits(&story.complete_user_task("a", "{}"));
    assert_eq!(told, "-a +help +caught -caught +mend");
    assert_eq!(visits(&story.complete_user_task("mend", "{}")), "-mend -help");
    assert_eq!(visits(&story.complete_user_task("b", "{}")), "-b -sub +then");
}

#[test]
fn so_is_one_on_a_flow_of_the_process_itself() {
    let told = |sketch: Sketch| {
        let process = sketch
            .node("start", start())
            .node("a", user())
            .node("b", user())
            .node("then", user())
            .node("help", subprocess(SubProcessKind::Event))
            .node("caught", start_on(true, errors()))
            .node("mend", user())
            .flows("start -> a -> then")
            .flows("start -> b")
            .flows("caught -> mend")
            .inside("help", &["caught", "mend"])
            .listener_of_flow("a-then", "Bad");
        let mut story = Story::of(process.build()).delegate("Bad", &[thrown("E")]);
        story.start("{}");
        visits(&story.complete_user_task("a", "{}"))
    };
    assert_eq!(told(Sketch::camunda()), "-a xb +help +caught -caught +mend");
    assert_eq!(told(Sketch::flowable()), "-a -b +help +caught -caught +mend");
}

#[test]
fn in_flowable_an_event_subprocess_waits_for_none_that_lies_in_it() {
    let timers = |sketch: Sketch| {
        let process = sketch
            .node("start", start())
            .node("ask", user())
            .node("outer", subprocess(SubProcessKind::Event))
            .node("late", start_on(true, timer(TimerKind::Duration, "PT1H")))
            .node("mend", user())
            .node("inner", subprocess(SubProcessKind::Event))
            .node("later", start_on(true, timer(TimerKind::Duration, "PT1H")))
            .node("more", user())
            .flows("start -> ask")
            .flows("late -> mend")
            .flows("later -> more")
            .inside("outer", &["late", "mend", "inner"])
            .inside("inner", &["later", "more"]);
        let mut story = Story::of(process.build());
        story.start("{}");
        story.pass(3_600_000);
        assert_eq!(visits(&story.job_due("late")), "xask +outer +late -late +mend");
        story.jobs.len()
    };
    assert_eq!(timers(Sketch::camunda()), 1);
    assert_eq!(timers(Sketch::flowable()), 0);
}

#[test]
fn in_zeebe_an_element_hears_nothing_when_its_work_is_done() {
    let process = Sketch::zeebe()
        .node("start", start())
        .node("pay", crate::testing::worker("charge"))
        .boundary("pay", "late", on_timer(true, TimerKind::Duration, "PT1H"))
        .boundary("pay", "stop", crate::testing::on(true, message("stop")))
        .node("then", user())
        .flows("start -> pay -> then")
        .output("pay", "assert(sum, sum != null)", "paid");
    let mut story = Story::of(process.build());
    story.start("{}");
    insta::assert_snapshot!(story.complete("pay", "{}"), @"
    job2 completed
    incident1 opened IO_MAPPING_ERROR: an expression failed: assertion failure: the condition is not fulfilled
    job1 cancelled
    --
    delete job1
    delete job2
    delete subscription1
    insert incident1 IO_MAPPING_ERROR
    at pay incident1
    ");
    let scope = story.record.as_ref().expect("it lives").root.key;
    let (variables, local) = (crate::testing::document(r#"{"sum":3}"#), false);
    story.play(Command::SetVariables { scope, variables, local });
    assert_eq!(visits(&story.resolve()), "-pay +then");
}
