//! Replays runs that were recorded from the real engines, and says where Orloj differs.

mod baseline;
mod compare;
mod exceptions;
mod manifest;
mod notation;
mod report;
mod saved;
mod source;
mod tally;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;
use orloj_rehearsal::{Stage, Step, Stubs, Trace, play_all};
use orloj_script::ScriptHost;
use serde_json::Value;

use baseline::Baseline;
use compare::{LEVELS, compare};
use exceptions::Exceptions;
use manifest::Manifest;
use report::{Judged, Listing, Report};
use saved::Saved;
use source::{SOURCES, Source};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The folder that holds `oracle` and `corpus`
    #[arg(long, value_name = "DIR", default_value = "../shared")]
    root: PathBuf,
    /// Only this source: camunda7, flowable, miwg or zeebe
    #[arg(long = "engine", value_name = "SOURCE")]
    sources: Vec<String>,
    /// Only runs whose id contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// List so many disagreements
    #[arg(long, value_name = "RUNS", default_value_t = 0)]
    list: usize,
    /// List only disagreements at this level: L0, L1, L2 or L3
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    level: Option<usize>,
    /// Judge the traces of this file in place of playing the runs
    #[arg(long, value_name = "FILE")]
    actual: Option<PathBuf>,
    /// Keep the traces in this file, one a line
    #[arg(long, value_name = "FILE", conflicts_with = "actual")]
    traces: Option<PathBuf>,
    /// Where the report, the baseline and the exceptions lie
    #[arg(long, value_name = "DIR", default_value = "conformance")]
    home: PathBuf,
    /// Play each run also with its records saved and loaded between two steps, which must change
    /// nothing: `sqlite`, or the address of a PostgreSQL
    #[arg(long, value_name = "PLACE")]
    store: Option<String>,
    /// Play only one run of so many
    #[arg(long, value_name = "RUNS", default_value_t = 1, conflicts_with_all = ["write", "check"])]
    every: usize,
    /// Write the report and the baseline
    #[arg(long, conflicts_with_all = ["only", "sources"])]
    write: bool,
    /// Fail when a figure is below the baseline
    #[arg(long, conflicts_with = "only")]
    check: bool,
}

fn level(text: &str) -> Result<usize, String> {
    let at = LEVELS.iter().position(|level| level.eq_ignore_ascii_case(text));
    at.ok_or_else(|| format!("one of {}", LEVELS.join(", ")))
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let shared = &arguments.root;
    let manifest = Manifest::parse(&source::text(&shared.join("corpus/MANIFEST.tsv"))?);
    let exceptions = Exceptions::parse(&source::text(&arguments.home.join("exceptions.tsv"))?)?;
    let stage = stage(shared, None)?;
    if let Some(place) = &arguments.store {
        return saved_is_the_same(arguments, &stage, place);
    }
    let given = arguments.actual.as_deref().map(read_traces).transpose()?;
    let mut kept = arguments.traces.as_ref().map(fs::File::create).transpose()?;
    let mut judged = Vec::new();
    for source in chosen(&arguments.sources)? {
        judged.push(judge(source, arguments, &stage, given.as_ref(), kept.as_mut())?);
    }
    let report = Report { judged: &judged, manifest: &manifest, exceptions: &exceptions };
    let listing = Listing { runs_max: arguments.list, level: arguments.level };
    print!("{}", report.text(listing));
    finish(arguments, &report)
}

/// What goes through a store between two steps gives the same traces.
fn saved_is_the_same(arguments: &Arguments, stage: &Arc<Stage>, place: &str) -> Result<()> {
    let saved = self::stage(&arguments.root, Some(place))?;
    let (mut runs, mut different) = (0, Vec::new());
    for source in chosen(&arguments.sources)? {
        let recorded = read(source, arguments)?;
        let (in_memory, _) = play(stage, recorded.runs.clone())?;
        let (through_store, _) = play(&saved, recorded.runs)?;
        runs += in_memory.len();
        let is_different = |(id, trace): &(String, Value)| through_store.get(id) != Some(trace);
        different.extend(in_memory.into_iter().filter(is_different).map(|(id, _)| id));
    }
    for id in different.iter().take(arguments.list.max(10)) {
        println!("not the same: {id}");
    }
    let kind = if place == "sqlite" { "SQLite" } else { "PostgreSQL" };
    println!("{} of {runs} runs are the same on {kind}", runs - different.len());
    anyhow::ensure!(different.is_empty(), "a store changed what a run does");
    Ok(())
}

/// The runs that were asked for, and their traces.
fn read(source: &Source, arguments: &Arguments) -> Result<source::Recorded> {
    let mut recorded = source.read(&arguments.root)?;
    if let Some(only) = &arguments.only {
        recorded.runs.retain(|run| run.id.contains(only));
        recorded.traces.retain(|id, _| id.contains(only));
    }
    if arguments.every > 1 {
        let mut at = 0;
        recorded.runs.retain(|_| {
            at += 1;
            at % arguments.every == 0
        });
        let chosen: std::collections::BTreeSet<&str> =
            recorded.runs.iter().map(|run| run.id.as_str()).collect();
        recorded.traces.retain(|id, _| chosen.contains(id.as_str()));
    }
    Ok(recorded)
}

fn chosen(names: &[String]) -> Result<Vec<&'static Source>> {
    if names.is_empty() {
        return Ok(SOURCES.iter().collect());
    }
    let find = |name: &String| {
        let found = SOURCES.iter().find(|source| source.name == name);
        found.with_context(|| format!("no source '{name}'"))
    };
    names.iter().map(find).collect()
}

fn stage(shared: &Path, store: Option<&str>) -> Result<Arc<Stage>> {
    let stubs = Stubs::parse(&source::text(&shared.join("corpus/STUBS.tsv"))?)?;
    let stage = Stage::new(stubs, Some(ScriptHost::current()?))?;
    Ok(Arc::new(match store {
        Some(place) => stage.kept_by(Arc::new(Saved::open(place)?)),
        None => stage,
    }))
}

type Traces = BTreeMap<String, Value>;

fn read_traces(path: &Path) -> Result<Traces> {
    let mut traces = Traces::new();
    for line in source::text(&path.to_owned())?.lines() {
        let trace: Value = serde_json::from_str(line)?;
        let id = trace["id"].as_str().context("a trace without an id")?.to_owned();
        traces.insert(id, trace);
    }
    Ok(traces)
}

fn judge(
    source: &'static Source,
    arguments: &Arguments,
    stage: &Arc<Stage>,
    given: Option<&Traces>,
    kept: Option<&mut fs::File>,
) -> Result<Judged> {
    let recorded = read(source, arguments)?;
    let (played, failures);
    let traces = match given {
        Some(given) => {
            failures = Failures::new();
            given
        }
        None => {
            (played, failures) = play(stage, recorded.runs)?;
            if let Some(kept) = kept {
                let lines: String = played.values().map(|trace| format!("{trace}\n")).collect();
                kept.write_all(lines.as_bytes())?;
            }
            &played
        }
    };
    let verdicts = recorded.traces.into_iter().map(|(id, reference)| {
        let verdict = compare(&reference, traces.get(&id));
        (id, verdict)
    });
    Ok(Judged { source: source.name, verdicts: verdicts.collect(), failures })
}

type Failures = BTreeMap<String, Vec<String>>;

fn play(stage: &Arc<Stage>, runs: Vec<orloj_rehearsal::Run>) -> Result<(Traces, Failures)> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (mut traces, mut failures) = (Traces::new(), Failures::new());
    play_all(stage, runs, cores, |trace| {
        traces.insert(trace.id.clone(), serde_json::to_value(&trace)?);
        failures.insert(trace.id.clone(), failures_of(&trace));
        Ok(())
    })?;
    Ok((traces, failures))
}

fn failures_of(trace: &Trace) -> Vec<String> {
    let steps = trace.played.iter().flat_map(|played| &played.steps);
    let told = |(at, step): (usize, &Step)| {
        let why = step.why.as_ref()?;
        Some(format!("step {at} ({} {}) failed: {why}", step.act, step.el))
    };
    steps.enumerate().filter_map(told).collect()
}

fn finish(arguments: &Arguments, report: &Report<'_>) -> Result<()> {
    let now = Baseline::of(report.judged.iter().map(|judged| (judged.source, judged.tally())));
    let path = arguments.home.join("baseline.tsv");
    if arguments.check {
        let needless = report.needless_exceptions();
        if arguments.sources.is_empty() && !needless.is_empty() {
            bail!("exceptions for runs that agree: {}", needless.join(", "));
        }
        let fallen = Baseline::parse(&source::text(&path)?)?.fallen(&now);
        if !fallen.is_empty() {
            bail!("figures have fallen: {}", fallen.join("; "));
        }
    }
    if arguments.write {
        fs::write(&path, now.text())?;
        fs::write(arguments.home.join("REPORT.md"), report.page())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
