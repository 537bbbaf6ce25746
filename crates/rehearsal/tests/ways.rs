//! Ways of Camunda and Flowable, one to a model of `tests/models/camunda` and
//! `tests/models/flowable`. Beside each model lies what the real engine did with it: the variables it
//! began with, its steps, and the variables it left.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use orloj_rehearsal::{Engine, Pass, Played, Run, Stage, StartBy, Stop, Stubs, Trace, play_one};

fn folder(engine: Engine) -> PathBuf {
    let name = match engine {
        Engine::Camunda7 => "camunda",
        Engine::Flowable => "flowable",
        Engine::Zeebe => unreachable!("its models are those of the conformance suite"),
    };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

fn stage(engine: Engine) -> Arc<Stage> {
    let stubs = fs::read_to_string(folder(engine).join("stubs.tsv")).expect("the stubs");
    let stubs = Stubs::parse(&stubs).expect("they are well-formed");
    Arc::new(Stage::new(stubs, None).expect("a runtime"))
}

fn play(engine: Engine, stage: &Arc<Stage>, model: &Path, vars: &str) -> Trace {
    let run = Run {
        id: model.display().to_string(),
        engine,
        files: vec![model.to_owned()],
        start: Some("p".to_owned()),
        vars: serde_json::from_str(vars).expect("an object"),
        pass: Pass::Forward,
        start_by: StartBy::Hand,
    };
    play_one(stage, run).expect("a thread")
}

/// With the variables it left.
fn told(played: &Played) -> String {
    let mut out = common::told(played);
    let mut variables: Vec<String> = played
        .variables
        .iter()
        .map(|(scope, name, value)| format!("variable {scope} {name} {value}\n"))
        .collect();
    variables.sort();
    out.extend(variables);
    out
}

/// What is not as in the real engine, of how many models.
fn differences(engine: Engine) -> (String, usize) {
    let stage = stage(engine);
    let mut models: Vec<PathBuf> = fs::read_dir(folder(engine))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bpmn"))
        .collect();
    models.sort();
    let mut differences = String::new();
    for model in &models {
        let trace = fs::read_to_string(model.with_extension("trace")).expect("its trace");
        let (vars, expected) = trace.split_once('\n').expect("a line of variables");
        let trace = play(engine, &stage, model, vars.strip_prefix("vars ").expect("it says so"));
        let note = trace.note.clone();
        let found = trace.played.as_ref().map_or_else(|| note, told);
        if found != expected {
            let name = model.file_stem().unwrap_or_default().display();
            let _ = writeln!(differences, "{name}: expected\n{expected}but found\n{found}");
        }
    }
    (differences, models.len())
}

#[test]
fn every_model_of_camunda_runs_as_in_the_real_engine() {
    let (differences, models) = differences(Engine::Camunda7);
    assert!(models > 5, "only {models} models found");
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn every_model_of_flowable_runs_as_in_the_real_engine() {
    let (differences, models) = differences(Engine::Flowable);
    assert!(models > 10, "only {models} models found");
    assert!(differences.is_empty(), "{differences}");
}

/// The subprocess ends in the moment between its error and the boundary event's turn.
#[test]
fn an_error_whose_scope_is_terminated_in_the_same_moment_comes_too_late() {
    let engine = Engine::Flowable;
    let model = folder(engine).join("terminated/an-error-comes-too-late.bpmn");
    let trace = play(engine, &stage(engine), &model, "{}");
    assert_eq!(trace.stop, Some(Stop::Quiescent), "{}", trace.note);
}
