//! Stories of inclusive and event-based gateways, terminate end events and ad-hoc subprocesses.

use orloj_model::{AdHoc, ElementKind, ListenerEvent, SubProcessKind, Throw, TimerKind};

use super::{thrown, visits};
use crate::JobSettings;
use crate::testing::{Sketch, Story, and, catch, end, on_error, start, subprocess, user, xor};

/// Two branches, of which the second may go elsewhere.
fn uncertain(sketch: Sketch) -> Story {
    under(sketch, JobSettings::default())
}

fn under(sketch: Sketch, settings: JobSettings) -> Story {
    let process = sketch
        .node("start", start())
        .node("fork", and())
        .node("a", user())
        .node("b", user())
        .node("gate", xor())
        .node("join", ElementKind::InclusiveGateway)
        .node("after", user())
        .node("end", end())
        .flows("start -> fork -> a -> join -> after")
        .flows("fork -> b -> gate")
        .flow_if("gate", "join", "x")
        .default_flow("gate", "end");
    let mut story = Story::of(process.build()).settings(settings);
    story.start("{}");
    story
}

#[test]
fn a_join_waits_while_a_token_can_come() {
    let mut story = uncertain(Sketch::camunda());
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +join");
    let told = story.complete_user_task("b", r#"{"x":true}"#);
    assert_eq!(visits(&told), "-b +gate -gate +join#2 -join -join#2 +after");
}

#[test]
fn an_engine_lets_no_join_of_zeebe_wait_for_ever() {
    let settings = || JobSettings { joins_never_hang: true, ..JobSettings::default() };
    let mut story = under(Sketch::zeebe(), settings());
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a");
    let told = story.complete_user_task("b", r#"{"x":false}"#);
    assert_eq!(visits(&told), "-b +gate -gate +end -end +join -join +after");
    // While a token can still come it waits all the same.
    let mut story = under(Sketch::zeebe(), settings());
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a");
    let told = story.complete_user_task("b", r#"{"x":true}"#);
    assert_eq!(visits(&told), "-b +gate -gate +join#2 -join#2 +after");
    // Camunda's waits, whoever asks.
    let mut story = under(Sketch::camunda(), settings());
    story.complete_user_task("a", "{}");
    assert!(!story.complete_user_task("b", r#"{"x":false}"#).contains("after"));
}

#[test]
fn when_the_last_goes_elsewhere_only_flowable_does_not_wait_for_ever() {
    let mut story = uncertain(Sketch::camunda());
    story.complete_user_task("a", "{}");
    let told = story.complete_user_task("b", r#"{"x":false}"#);
    assert_eq!(visits(&told), "-b +gate -gate +end -end");

    let mut story = uncertain(Sketch::flowable());
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a +join -join");
    let told = story.complete_user_task("b", r#"{"x":false}"#);
    assert_eq!(visits(&told), "-b +gate -gate +end -end +after");

    let mut story = uncertain(Sketch::zeebe());
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a");
    let told = story.complete_user_task("b", r#"{"x":false}"#);
    assert_eq!(visits(&told), "-b +gate -gate +end -end");
}

#[test]
fn every_condition_that_holds_is_taken() {
    let process = Sketch::camunda()
        .node("start", start())
        .node("gate", ElementKind::InclusiveGateway)
        .node("a", user())
        .node("b", user())
        .node("c", user())
        .flows("start -> gate")
        .flow_if("gate", "a", "n > 1")
        .flow_if("gate", "b", "n > 2")
        .default_flow("gate", "c")
        .build();
    let way = |n: &str| visits(&Story::of(process.clone()).start(n));
    assert_eq!(way(r#"{"n":3}"#), "+start -start +gate -gate +a +b");
    assert_eq!(way(r#"{"n":0}"#), "+start -start +gate -gate +c");
}

fn race(sketch: Sketch) -> Story {
    let process = sketch
        .node("start", start())
        .node("gate", ElementKind::EventGateway)
        .node("soon", catch(TimerKind::Duration, "PT1S"))
        .node("late", catch(TimerKind::Duration, "PT1H"))
        .node("end", end())
        .flows("start -> gate -> soon -> end")
        .flows("gate -> late -> end");
    let mut story = Story::of(process.build());
    story.start("{}");
    story.pass(1_000);
    story
}

#[test]
fn the_first_event_wins() {
    let ending = "+soon -soon +end -end ended Completed";
    assert_eq!(visits(&race(Sketch::zeebe()).job_due("soon")), format!("-gate {ending}"));
    assert_eq!(visits(&race(Sketch::camunda()).job_due("soon")), format!("xgate {ending}"));
    let told = race(Sketch::flowable()).job_due("soon");
    assert_eq!(visits(&told), "xlate -soon +end -end ended Completed");
}

#[test]
fn a_terminate_end_event_ends_its_scope() {
    let draw = |sketch: Sketch| {
        let stop = Throw::Terminate { all: false, multi_instance: false };
        sketch
            .node("start", start())
            .node("sub", subprocess(SubProcessKind::Embedded))
            .node("after", user())
            .node("in", start())
            .node("fork", and())
            .node("a", user())
            .node("b", user())
            .node("stop", ElementKind::EndEvent(stop))
            .flows("start -> sub -> after")
            .flows("in -> fork -> a -> stop")
            .flows("fork -> b")
            .inside("sub", &["in", "fork", "a", "b", "stop"])
    };
    for (sketch, way) in [
        (Sketch::zeebe(), "-a +stop xb -stop -sub +after"),
        (Sketch::camunda(), "-a xb +stop -stop -sub +after"),
        (Sketch::flowable(), "-a +stop xb -stop xsub +after"),
    ] {
        let mut story = Story::of(draw(sketch).build());
        story.start("{}");
        assert_eq!(visits(&story.complete_user_task("a", "{}")), way);
    }
}

#[test]
fn elements_of_an_ad_hoc_subprocess_begin_by_choice() {
    let sketch = Sketch::zeebe();
    let ad_hoc = AdHoc {
        by_hand: false,
        is_sequential: false,
        completion: None,
        cancels_rest: true,
        active_elements: Some(sketch.expression("chosen")),
        worker: None,
        output: None,
    };
    let process = sketch
        .node("start", start())
        .node("sub", subprocess(SubProcessKind::AdHoc(ad_hoc)))
        .node("a", user())
        .node("b", user())
        .node("end", end())
        .flows("start -> sub -> end")
        .inside("sub", &["a", "b"]);
    let mut story = Story::of(process.build());
    let told = story.start(r#"{"chosen":["a","b"]}"#);
    assert_eq!(visits(&told), "+start -start +sub +sub#2 +sub#3 +a +b");
    assert_eq!(visits(&story.complete_user_task("a", "{}")), "-a -sub#2");
    let told = story.complete_user_task("b", "{}");
    assert_eq!(visits(&told), "-b -sub#3 -sub +end -end ended Completed");
}

#[test]
fn in_zeebe_an_inclusive_choice_needs_conditions_too() {
    let draw = |sketch: Sketch| {
        sketch
            .node("start", start())
            .node("fork", ElementKind::InclusiveGateway)
            .node("a", user())
            .node("b", user())
            .node("c", user())
            .flows("start -> fork -> a")
            .flows("fork -> b")
    };
    let mut camunda = Story::of(draw(Sketch::camunda()).build());
    assert_eq!(visits(&camunda.start("{}")), "+start -start +fork -fork +a +b");
    let mut zeebe = Story::of(draw(Sketch::zeebe()).build());
    assert!(zeebe.start("{}").contains("opened CONDITION_ERROR"));
    let mut zeebe = Story::of(draw(Sketch::zeebe()).default_flow("fork", "c").build());
    assert_eq!(visits(&zeebe.start("{}")), "+start -start +fork -fork +c");
}

#[test]
fn history_sees_a_gateway_whose_listener_throws() {
    let way = |sketch: Sketch, event: ListenerEvent| {
        let process = sketch
            .node("start", start())
            .node("sub", subprocess(SubProcessKind::Embedded))
            .boundary("sub", "caught", on_error(None))
            .node("begin", start())
            .node("gate", and())
            .node("a", user())
            .node("mend", user())
            .flows("start -> sub")
            .flows("begin -> gate -> a")
            .flows("caught -> mend")
            .inside("sub", &["begin", "gate", "a"])
            .listener_code("gate", event, "Bad");
        let told = Story::of(process.build()).delegate("Bad", &[thrown("E")]).start("{}");
        visits(&told).replace("+start -start +sub +begin -begin ", "")
    };
    for event in [ListenerEvent::Start, ListenerEvent::End] {
        let camunda = way(Sketch::camunda(), event.clone());
        assert_eq!(camunda, "+gate xgate xsub +caught -caught +mend", "{event:?}");
        let flowable = way(Sketch::flowable(), event.clone());
        assert_eq!(flowable, "+gate -gate xsub +caught -caught +mend", "{event:?}");
    }
}

#[test]
fn in_camunda_no_flow_leads_into_a_boundary_event() {
    let told = |sketch: Sketch| {
        let process = sketch
            .node("start", start())
            .node("ask", user())
            .node("other", user())
            .boundary("other", "caught", on_error(None))
            .node("mend", user())
            .flows("start -> ask -> caught -> mend");
        let mut story = Story::of(process.build());
        story.start("{}");
        story.complete_user_task("ask", "{}")
    };
    assert_eq!(told(Sketch::camunda()), "rejected: caught: a flow leads to a boundary event");
    assert_eq!(visits(&told(Sketch::flowable())), "-ask +caught -caught +mend");
}
