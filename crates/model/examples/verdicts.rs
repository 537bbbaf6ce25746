//! Compares what the parser accepts with what the real engines accepted.
//!
//! `cargo run -p orloj-model --example verdicts -- RUNS.ndjson TRACES.ndjson ROOT`: parses the
//! files of every run below ROOT and prints how often the answer is that of the trace, and each
//! file with another one.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use orloj_model::{Dialect, Options, Severity, parse};
use serde_json::Value;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runs, traces, root, ..] = &arguments[..] else {
        eprintln!("usage: verdicts RUNS.ndjson TRACES.ndjson ROOT");
        return ExitCode::FAILURE;
    };
    match compare(runs, traces, Path::new(root)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(runs: &str, traces: &str, root: &Path) -> std::io::Result<()> {
    let mut accepted = BTreeMap::new();
    for trace in read(traces)? {
        accepted.insert(text(&trace, "id"), text(&trace, "deploy") == "ok");
    }
    let mut known: BTreeMap<(String, String), Result<(), String>> = BTreeMap::new();
    let mut agreed: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut mismatches: BTreeMap<String, String> = BTreeMap::new();
    for run in read(runs)? {
        let Some(&is_accepted) = accepted.get(&text(&run, "id")) else { continue };
        let engine = text(&run, "engine");
        let mut answer = Ok(());
        let files = texts(&run, "files");
        for file in &files {
            let key = (engine.clone(), file.clone());
            let verdict = known.entry(key).or_insert_with(|| verdict(&engine, &root.join(file)));
            answer = answer.and(verdict.clone());
        }
        let counts = agreed.entry(engine.clone()).or_default();
        counts[1] += 1;
        if answer.is_ok() == is_accepted {
            counts[0] += 1;
            continue;
        }
        let why = match answer {
            Ok(()) => "is refused by the engine".to_owned(),
            Err(problem) => format!("is accepted by the engine: {problem}"),
        };
        mismatches.insert(files.first().cloned().unwrap_or_default(), why);
    }
    for (file, why) in &mismatches {
        println!("{file} {why}");
    }
    for (engine, [same, all]) in &agreed {
        let share = *same as f64 * 100.0 / *all as f64;
        println!("{engine}: {same} of {all} runs, {share:.2} %");
    }
    Ok(())
}

/// The first error, if there is one. Other files than BPMN are not looked at.
fn verdict(engine: &str, file: &Path) -> Result<(), String> {
    let name = file.to_string_lossy();
    if !(name.ends_with(".bpmn") || name.ends_with(".xml")) {
        return Ok(());
    }
    let dialect = match engine {
        "flowable" => Dialect::Flowable,
        "zeebe" => Dialect::Zeebe,
        _ => Dialect::Camunda7,
    };
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let parsed = parse(&bytes, &Options::of(dialect));
    let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
    error.map_or(Ok(()), |error| Err(error.to_string()))
}

fn read(path: &str) -> std::io::Result<Vec<Value>> {
    let content = std::fs::read_to_string(path)?;
    let parse = |line: &str| serde_json::from_str(line).ok();
    Ok(content.lines().filter_map(parse).collect())
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn texts(value: &Value, name: &str) -> Vec<String> {
    let items = value[name].as_array().map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
