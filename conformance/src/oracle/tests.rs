//! Verdicts of the reference program on traces that differ in one thing each, and the runs that
//! are part of the project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use orloj_rehearsal::{Stage, Stubs};
use serde_json::Value;

use super::compare::{LEVELS, Verdict, compare};
use super::exceptions::Exceptions;
use super::play;
use super::source::{Recorded, text};

const CASES: &str = include_str!("cases.ndjson");

#[test]
fn verdicts_are_those_of_the_reference_program() {
    let mut judged = 0;
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let actual = Some(&case["actual"]).filter(|actual| !actual.is_null());
        let expected = Verdict {
            levels: usize::try_from(case["levels"].as_u64().unwrap()).unwrap(),
            why: case["why"].as_str().map(str::to_owned),
        };
        assert_eq!(compare(&case["reference"], actual), expected, "{}", case["name"]);
        judged += 1;
    }
    assert!(judged > 30, "{judged} cases");
}

/// Models of Zeebe, one behaviour each, as the published engine ran or refused them.
#[test]
fn own_models_do_what_the_published_engine_did() {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let project = home.parent().map_or(Path::new(""), |parent| parent);
    let (runs, traces) = (home.join("zeebe/runs.ndjson"), home.join("zeebe/traces.ndjson"));
    let recorded = Recorded::read(&runs, &traces, project).unwrap();
    let listed = |file: &str| Exceptions::parse(&text(&home.join(file)).unwrap()).unwrap();
    let (exceptions, open) = (listed("exceptions.tsv"), listed("zeebe/open.tsv"));
    let stage = Arc::new(Stage::new(Stubs::default(), None).unwrap());
    let (played, _) = play(&stage, recorded.runs).unwrap();
    let mut problems = Vec::new();
    for (run, reference) in &recorded.traces {
        let verdict = compare(reference, played.get(run));
        let agrees = verdict.levels == LEVELS.len();
        match (agrees, exceptions.reason(run).or(open.reason(run))) {
            (true, Some(_)) => {
                problems.push(format!("{run} agrees but is listed as one that does not"))
            }
            (false, None) => problems.push(format!("{run}: {}", verdict.why.unwrap_or_default())),
            _ => {}
        }
    }
    assert!(recorded.traces.len() > 1_000, "{} runs", recorded.traces.len());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
