//! Models whose traces were taken from the real engines.

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use common::told;
use orloj_rehearsal::{
    Engine, Pass, Played, Run, Stage, StartBy, Stop, Stubs, Trace, play_all, play_one,
};

/// Of a model of `tests/models`.
fn run(engine: Engine, file: &str) -> Run {
    let files = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(file)];
    Run {
        id: file.to_owned(),
        engine,
        files,
        start: None,
        vars: None,
        pass: Pass::Forward,
        start_by: StartBy::Hand,
    }
}

fn play(engine: Engine, file: &str, start: &str, vars: &str, pass: Pass) -> Trace {
    let (start, vars) = (Some(start.to_owned()), serde_json::from_str(vars).expect("an object"));
    let run = Run { start, vars, pass, ..run(engine, file) };
    let stage = Arc::new(Stage::new(Stubs::default(), None).expect("a runtime"));
    play_one(&stage, run).expect("a thread")
}

fn played(trace: Trace) -> Played {
    assert_eq!(trace.stop, Some(Stop::Quiescent), "{}", trace.note);
    trace.played.expect("what was played")
}

#[test]
fn camunda_acts_on_jobs_then_people_then_messages() {
    let trace = play(Engine::Camunda7, "order.camunda.bpmn", "order", r#"{"n":1}"#, Pass::Forward);
    let played = played(trace);
    let expected = "\
start order @0
    started ask fork pay start
    ended fork start
    waits async:ship message:pay:paid timer:late user:ask
job ship @0 FAILED
    waits async:ship message:pay:paid timer:late user:ask
job ship @0 FAILED
    waits async:ship message:pay:paid timer:late user:ask
job ship @0 FAILED
    waits async:ship message:pay:paid timer:late user:ask
user ask @0
    started e1
    ended ask e1
    waits async:ship message:pay:paid
trigger pay @0
    started e3
    ended e3 pay
    waits async:ship
";
    assert_eq!(told(&played), expected);
    assert_eq!(played.instances, ["order:active"]);
    assert_eq!(played.incidents, ["failedJob:ship"]);
    assert_eq!(serde_json::to_string(&played.variables).unwrap(), r#"[["order","n",1]]"#);
    let job =
        r#"[{"kind":"async","el":"ship","retries":0,"priority":0,"exclusive":true,"in":null}]"#;
    assert_eq!(serde_json::to_string(&played.jobs).unwrap(), job);
    assert_eq!(played.activities["ask"], [1, 0, 0]);
}

#[test]
fn camunda_in_reverse_hears_messages_before_the_clock_moves() {
    let played = played(play(Engine::Camunda7, "order.camunda.bpmn", "order", "{}", Pass::Reverse));
    let told = told(&played);
    let (_, tail) = told.split_once("trigger pay @0").expect("the message comes");
    let expected = "
    started e3
    ended e3 pay
    waits async:ship timer:late user:ask
clock  @3600000
    waits async:ship timer:late user:ask
job late @3600000
    started e2 late
    ended e2 late
    cancelled ask
    waits async:ship
";
    assert_eq!(tail, expected);
    assert_eq!(played.activities["ask"], [0, 1, 0]);
}

#[test]
fn flowable_tries_again_after_ten_seconds_and_signals_start_processes() {
    let played =
        played(play(Engine::Flowable, "signal.flowable.bpmn", "sender", "{}", Pass::Forward));
    let expected = "\
start sender @0
    started answer heard start throw
    ended heard start throw
    waits async:work user:answer
job work @0 FAILED
    waits async:work user:answer
user answer @0
    started done
    ended answer done
    waits async:work
clock  @10000
    waits async:work
job work @10000 FAILED
    waits async:work
clock  @20000
    waits async:work
job work @20000 FAILED
    waits async:work
";
    assert_eq!(played.starts, ["signal:heard:go"]);
    assert_eq!(told(&played), expected);
    assert_eq!(played.instances, ["listener:completed", "sender:active"]);
    assert_eq!(played.incidents, ["deadLetter:work"]);
    let job = r#"[{"kind":"async","el":"work","retries":0,"exclusive":true,"in":10000}]"#;
    assert_eq!(serde_json::to_string(&played.jobs).unwrap(), job);
}

#[test]
fn a_message_of_zeebe_reaches_an_instance_and_starts_another() {
    let trace = play(Engine::Zeebe, "message.zeebe.bpmn", "order", r#"{"id":"7"}"#, Pass::Fail);
    let played = played(trace);
    let expected = "\
start order @0
    started start work
    ended start
    waits worker:work:t
worker work @0
    waits worker:work:t
worker work @0
    started pay
    ended work
    waits message:pay:paid
trigger pay @0
    started end s2 u2
    ended end pay s2
    waits user:u2
user u2 @0
    started e2
    ended e2 u2
";
    assert_eq!(played.starts, ["message:s2:paid"]);
    assert_eq!(told(&played), expected);
    assert_eq!(played.instances, ["order:completed", "other:completed"]);
}

#[test]
fn timers_of_definitions_start_instances() {
    for engine in [Engine::Camunda7, Engine::Flowable] {
        let played = played(play(engine, "timer.bpmn", "nightly", "{}", Pass::Forward));
        let expected = "\
start nightly @0
    started end tick
    ended end tick
    waits timer:tick
clock  @3600000
    waits timer:tick
job tick @3600000
    started end tick
    ended end tick
    waits timer:tick
clock  @7200000
    waits timer:tick
job tick @7200000
    started end tick
    ended end tick
";
        assert_eq!(told(&played), expected, "{engine}");
        assert_eq!(played.starts, ["timer:tick"]);
        assert_eq!(played.instances, ["nightly:completed"; 3]);
    }
}

#[test]
fn zeebe_wants_what_is_bound_to_the_deployment_in_it() {
    let trace = play(Engine::Zeebe, "call.zeebe.bpmn", "p", "{}", Pass::Forward);
    assert_eq!(trace.deploy, orloj_rehearsal::Deploy::Rejected);
    assert!(trace.note.contains("'nowhere'"), "{}", trace.note);
    let computed = play(Engine::Zeebe, "computed-call.zeebe.bpmn", "p", "{}", Pass::Forward);
    assert_eq!(played(computed).incidents, ["CALLED_ELEMENT_ERROR:c"]);
}

#[test]
fn traces_come_in_the_order_of_the_runs_and_equal_runs_are_equal() {
    let models = ["order.camunda.bpmn", "timer.bpmn", "broken.bpmn", "missing.bpmn"];
    let runs: Vec<Run> = (0..40)
        .map(|n| Run {
            id: n.to_string(),
            start: Some("order".to_owned()),
            ..run(Engine::Camunda7, models[n % models.len()])
        })
        .collect();
    let stage = Arc::new(Stage::new(Stubs::default(), None).unwrap());
    let mut traces = Vec::new();
    play_all(&stage, runs, 4, |trace| {
        traces.push(trace);
        Ok(())
    })
    .unwrap();
    let ids: Vec<usize> = traces.iter().map(|trace| trace.id.parse().unwrap()).collect();
    assert_eq!(ids, (0..40).collect::<Vec<_>>());
    for (n, trace) in traces.iter().enumerate().skip(models.len()) {
        let twin = &traces[n - models.len()];
        assert_eq!((&trace.played, trace.stop), (&twin.played, twin.stop));
    }
}

#[test]
fn a_file_that_is_no_model_is_rejected_and_a_missing_one_stops_the_run() {
    let trace = play(Engine::Camunda7, "broken.bpmn", "x", "{}", Pass::Forward);
    assert_eq!(trace.deploy, orloj_rehearsal::Deploy::Rejected);
    let trace = play(Engine::Camunda7, "missing.bpmn", "x", "{}", Pass::Forward);
    assert_eq!(trace.stop, Some(Stop::Error));
    assert!(trace.note.contains("missing.bpmn"), "{}", trace.note);
}

/// The variables at the end, each as JSON.
fn kept(played: &Played) -> Vec<String> {
    let json = |variable: &(String, String, serde_json::Value)| {
        serde_json::to_string(variable).expect("it is JSON")
    };
    played.variables.iter().map(json).collect()
}

#[test]
fn camunda_save_points_after_an_element_know_their_flows_and_links_are_no_elements() {
    let trace =
        play(Engine::Camunda7, "leaving.camunda.bpmn", "leaving", r#"{"n":1}"#, Pass::Forward);
    let played = played(trace);
    let expected = "\
start leaving @0
    started start work
    ended start work
    waits async:work async:work
job work @0
    started small
    waits async:work user:small
job work @0
    started any
    waits user:any user:small
user small @0
    started last last#body
    ended small
    waits timer:last user:any user:last
user last @0
    ended last last#body
    waits user:any
user any @0
    started end
    ended any end
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), [r#"["leaving","n",1]"#]);
}

#[test]
fn camunda_a_listener_of_a_user_task_waits_for_its_moments() {
    let trace =
        play(Engine::Camunda7, "leaving.camunda.bpmn", "leaving", r#"{"n":1}"#, Pass::Reverse);
    let played = played(trace);
    let expected = "\
start leaving @0
    started start work
    ended start work
    waits async:work async:work
job work @0
    started any
    waits async:work user:any
job work @0
    started small
    waits user:any user:small
user any @0
    started end
    ended any end
    waits user:small
user small @0
    started last last#body
    ended small
    waits timer:last user:last
clock  @3600000
    waits timer:last user:last
job last @3600000
    waits timer:last user:last
clock  @7200000
    waits timer:last user:last
job last @7200000
    waits user:last
user last @7200000
    ended last last#body
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), [r#"["leaving","n",1]"#, r#"["leaving","nudged",1]"#]);
}

#[test]
fn camunda_handlers_hear_nothing() {
    let trace = play(Engine::Camunda7, "undoing.camunda.bpmn", "undoing", r#"{}"#, Pass::Forward);
    let played = played(trace);
    let expected = "\
start undoing @0
    started ask inner is one start two undo wait
    ended is one start two
    waits receive:wait user:ask
user ask @0
    ended ask inner
    waits receive:wait
trigger wait @0
    ended undo wait
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), Vec::<String>::new());
}

#[test]
fn camunda_an_error_passes_the_outputs_of_what_it_leaves() {
    let trace = play(Engine::Camunda7, "callers.camunda.bpmn", "failing", r#"{}"#, Pass::Forward);
    let played = played(trace);
    let expected = "\
start failing @0
    started call catch caught mend set start te ts
    ended caught set start ts
    cancelled call te
    waits user:mend
user mend @0
    ended catch mend
";
    assert_eq!(told(&played), expected);
    assert_eq!(
        kept(&played),
        [
            r#"["failing","b",5]"#,
            r#"["failing","who",null]"#,
            r#"["throwing","a",5]"#,
            r#"["throwing","who",null]"#
        ]
    );
}

#[test]
fn camunda_a_signal_ends_the_event_that_throws_it() {
    let trace = play(Engine::Camunda7, "callers.camunda.bpmn", "listening", r#"{}"#, Pass::Forward);
    let played = played(trace);
    let expected = "\
start listening @0
    started ls other pe shout ss stop stopped
    ended ls pe ss stop stopped
    cancelled other shout
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), Vec::<String>::new());
}

#[test]
fn camunda_variables_of_the_start_are_changes_to_conditions() {
    let trace = play(
        Engine::Camunda7,
        "watching.camunda.bpmn",
        "watching",
        r#"{"a":true,"b":2}"#,
        Pass::Forward,
    );
    let played = played(trace);
    let expected = "\
start watching @0
    started ask changed changed changed done done done every every every start told updated updates
    ended changed changed changed done done done every every every start told updated updates
    waits condition:changed condition:updated user:ask
user ask @0
    ended ask
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), [r#"["watching","a",true]"#, r#"["watching","b",2]"#]);
}

#[test]
fn camunda_a_condition_is_a_boolean() {
    let trace =
        play(Engine::Camunda7, "watching.camunda.bpmn", "watching", r#"{"a":"x"}"#, Pass::Forward);
    let played = played(trace);
    let expected = "\
start watching @0 FAILED
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), Vec::<String>::new());
}

#[test]
fn camunda_a_local_mapping_sees_only_its_own_scope() {
    let trace =
        play(Engine::Camunda7, "working.camunda.bpmn", "working", r#"{"rank":1}"#, Pass::Forward);
    let played = played(trace);
    let expected = "\
start working @0
    started start work
    ended start
    waits worker:work:t
worker work @0 FAILED
    waits worker:work:t
worker work @0 FAILED
    waits worker:work:t
worker work @0 FAILED
    waits worker:work:t
worker work @0 FAILED
    waits worker:work:t
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), [r#"["working","rank",1]"#]);
}

#[test]
fn camunda_a_failed_worker_may_be_an_error_of_the_process() {
    let trace = play(Engine::Camunda7, "working.camunda.bpmn", "working", r#"{}"#, Pass::Fail);
    let played = played(trace);
    let expected = "\
start working @0
    started start work
    ended start
    waits worker:work:t
worker work @0
    started broken mend
    ended broken
    cancelled work
    waits receive:mend
trigger mend @0
    ended mend
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), Vec::<String>::new());
}

#[test]
fn camunda_a_priority_is_a_whole_number() {
    let trace = play(
        Engine::Camunda7,
        "working.camunda.bpmn",
        "working",
        r#"{"rank":"high"}"#,
        Pass::Forward,
    );
    let played = played(trace);
    let expected = "\
start working @0 FAILED
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), Vec::<String>::new());
}

#[test]
fn camunda_boundary_events_are_computed_where_no_token_rests() {
    let trace = play(Engine::Camunda7, "working.camunda.bpmn", "odd", r#"{}"#, Pass::Forward);
    let played = played(trace);
    let expected = "\
start odd @0 FAILED
";
    assert_eq!(told(&played), expected);
    assert_eq!(kept(&played), Vec::<String>::new());
}

#[test]
fn flowable_an_error_spares_other_branches_and_a_job_ends_the_element() {
    let file = "catching.flowable.bpmn";
    let played = played(play(Engine::Flowable, file, "catching", "{}", Pass::Forward));
    let expected = "\
start catching @0
    started a b begin fork start work
    ended begin fork start
    waits timer:late user:a user:b
user a @0
    waits async:a timer:late user:b
job a @0
    started caught fails help mend
    ended a caught fails
    waits timer:late user:b user:mend
user b @0
    ended b
    waits timer:late user:mend
user mend @0
    started then
    ended help mend work
    waits timer:late user:then
user then @0
    ended then
";
    assert_eq!(told(&played), expected);
}

#[test]
fn flowable_a_timer_interrupts_repeatedly_and_nameless_elements_are_not_told() {
    let file = "catching.flowable.bpmn";
    let played = played(play(Engine::Flowable, file, "catching", "{}", Pass::Reverse));
    let expected = "\
start catching @0
    started a b begin fork start work
    ended begin fork start
    waits timer:late user:a user:b
clock  @3600000
    waits timer:late user:a user:b
job late @3600000
    started late remind
    ended late
    cancelled a b work
    waits timer:late user:remind
clock  @7200000
    waits timer:late user:remind
job late @7200000
    started late remind
    ended late
    cancelled remind
    waits user:remind
user remind @7200000
    ended remind
";
    assert_eq!(told(&played), expected);
}

/// So many that one commit does not make them all.
const MANY: usize = 3_000;

#[test]
fn what_the_engine_leaves_to_jobs_of_its_own_belongs_to_the_action() {
    let trace = play(Engine::Zeebe, "many.zeebe.bpmn", "p", "{}", Pass::Forward);
    assert_eq!(trace.stop, Some(Stop::Limit), "{}", trace.note);
    let played = trace.played.expect("what was played");
    let first = &played.steps[0];
    assert_eq!(first.waits.len(), MANY);
    assert!(first.waits.iter().all(|wait| wait == "worker:t:t"), "{:?}", first.waits.first());
    assert_eq!(first.started.iter().filter(|element| *element == "t").count(), MANY);
    assert!(played.steps.iter().skip(1).all(|step| step.act == "worker"));
    assert!(played.jobs.iter().all(|job| job.kind == "worker"));
}

/// `==` is none of Camunda's tests.
#[test]
fn decisions_beside_a_process_of_flowable_are_read_by_its_rules() {
    let process = run(Engine::Flowable, "deciding.flowable.bpmn");
    let decisions = run(Engine::Flowable, "risk.flowable.dmn").files;
    let files = process.files.iter().chain(&decisions).cloned().collect();
    let vars = serde_json::from_str(r#"{"amount":5}"#).expect("an object");
    let stage = Arc::new(Stage::new(Stubs::default(), None).expect("a runtime"));
    let run = Run { files, vars, start: Some("p".to_owned()), ..process };
    let played = played(play_one(&stage, run).expect("a thread"));
    let level = played.variables.iter().find(|(_, name, _)| name == "level");
    assert_eq!(level.map(|(_, _, value)| value.to_string()), Some(r#""five""#.to_owned()));
}
