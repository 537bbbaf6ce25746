//! `orloj trace`

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};
use orloj_model::Transforms;
use orloj_rehearsal::{
    Engine, Pass, Run, Stage, StartBy, Stubs, Subject, play_all, play_one, read_runs, readable,
};
use orloj_script::ScriptHost;

use crate::args::Vendor;
use crate::{output, plan};

#[derive(Debug, Args)]
pub struct Arguments {
    /// A BPMN file
    #[arg(value_name = "FILE", required_unless_present = "runs", conflicts_with = "runs")]
    file: Option<PathBuf>,
    /// Whose model it is; told by the file's extensions where this is left out
    #[arg(long, value_enum, conflicts_with = "runs")]
    engine: Option<Vendor>,
    /// Apply the transforms of this configuration file first, as a node does
    #[arg(long, value_name = "FILE", conflicts_with = "runs")]
    config: Option<PathBuf>,
    /// Another file that is deployed with it: a called process, a decision
    #[arg(long = "with", value_name = "FILE", conflicts_with = "runs")]
    companions: Vec<PathBuf>,
    /// The process to start; the first executable one where this is left out
    #[arg(long, value_name = "PROCESS", conflicts_with = "runs")]
    start: Option<String>,
    /// Start it by this message, for Zeebe with a correlation key
    #[arg(long, value_name = "NAME[=KEY]", conflicts_with_all = ["runs", "signal"])]
    message: Option<String>,
    /// Start it by this signal
    #[arg(long, value_name = "NAME", conflicts_with = "runs")]
    signal: Option<String>,
    /// Variables to start with, as a JSON object
    #[arg(long, value_name = "JSON", conflicts_with = "runs")]
    vars: Option<String>,
    /// In which order to act on what waits, and how workers answer
    #[arg(long, value_enum, default_value_t = Order::Forward, conflicts_with = "runs")]
    pass: Order,
    /// How to show what happened
    #[arg(short, long, value_enum, default_value_t = Shape::Text, conflicts_with = "runs")]
    output: Shape,
    /// Play all runs of this file, one JSON object a line, and print a trace a line
    #[arg(long, value_name = "FILE")]
    runs: Option<PathBuf>,
    /// Where the files of the runs lie
    #[arg(long, value_name = "DIR", default_value = ".", requires = "runs")]
    root: PathBuf,
    /// What stands in for Java classes and beans; without it they are missing
    #[arg(long, value_name = "FILE")]
    stubs: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Jobs, workers, people, the clock, then messages and signals
    Forward,
    /// Messages and signals before the clock, people and workers; the last first
    Reverse,
    /// As forward, and each worker fails once
    Fail,
    /// As forward, and workers throw an error
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// Step by step, for people
    Text,
    /// One line, for programs
    Json,
}

pub struct Plan {
    stubs: Stubs,
    transforms: Option<Transforms>,
    what: What,
}

enum What {
    One { run: Box<Run>, output: Shape },
    All(Vec<Run>),
}

pub fn plan(arguments: Arguments) -> anyhow::Result<plan::Plan> {
    let read = |path: &PathBuf| {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let stubs = match &arguments.stubs {
        Some(path) => {
            let stubs = Stubs::parse(&read(path)?);
            stubs.with_context(|| path.display().to_string())?
        }
        None => Stubs::default(),
    };
    let transforms = arguments.config.as_deref().map(orloj_server::config::transforms_of);
    let transforms = transforms.transpose()?;
    let what = match &arguments.runs {
        Some(path) => {
            let runs = read_runs(&read(path)?, &arguments.root);
            What::All(runs.with_context(|| path.display().to_string())?)
        }
        None => {
            let output = arguments.output;
            What::One { run: Box::new(single(arguments)?), output }
        }
    };
    Ok(plan::Plan::Trace(Plan { stubs, transforms, what }))
}

fn single(arguments: Arguments) -> anyhow::Result<Run> {
    let file = arguments.file.context("a file or --runs")?;
    for companion in &arguments.companions {
        fs::metadata(companion).with_context(|| format!("cannot read {}", companion.display()))?;
    }
    let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let engine = match arguments.engine {
        Some(vendor) => Engine::of(vendor.dialect()),
        None => Engine::of(orloj_model::parse(&bytes, &orloj_model::Options::default()).dialect),
    };
    let start = arguments.start.or_else(|| Subject::of(&bytes).process);
    let vars = match &arguments.vars {
        Some(json) => {
            Some(serde_json::from_str(json).map_err(|error| anyhow!("--vars: {error}: {json}"))?)
        }
        None => None,
    };
    let pass = match arguments.pass {
        Order::Forward => Pass::Forward,
        Order::Reverse => Pass::Reverse,
        Order::Fail => Pass::Fail,
        Order::Error => Pass::Error,
    };
    let start_by = match (arguments.message, arguments.signal, arguments.output) {
        (Some(message), _, _) => {
            let (name, key) = message.split_once('=').unwrap_or((&message, ""));
            StartBy::Message { name: name.to_owned(), key: key.to_owned() }
        }
        (None, Some(name), _) => StartBy::Signal { name },
        // People want to see it run; programs compare it with a start by hand.
        (None, None, Shape::Text) => StartBy::Anything,
        (None, None, Shape::Json) => StartBy::Hand,
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let id = format!("{name}#{}", start.as_deref().unwrap_or("-"));
    let files = std::iter::once(file).chain(arguments.companions).collect();
    Ok(Run { id, engine, files, start, vars, pass, start_by })
}

impl Plan {
    pub fn act(self) -> anyhow::Result<()> {
        let mut stage = Stage::new(self.stubs, Some(ScriptHost::current()?))?;
        if let Some(transforms) = self.transforms {
            stage = stage.with_hook(transforms);
        }
        let stage = Arc::new(stage);
        match self.what {
            What::One { run, output: Shape::Json } => {
                output::data(&play_one(&stage, *run)?.to_json())?;
            }
            What::One { run, output: Shape::Text } => {
                output::data(&readable(&play_one(&stage, *run)?))?;
            }
            What::All(runs) => {
                let cores = thread::available_parallelism().map_or(1, usize::from);
                let mut out = BufWriter::new(io::stdout().lock());
                play_all(&stage, runs, cores, |trace| writeln!(out, "{}", trace.to_json()))?;
                out.flush()?;
            }
        }
        Ok(())
    }
}
