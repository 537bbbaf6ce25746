//! Where runs and recorded traces lie.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use orloj_rehearsal::{Run, read_runs};
use serde_json::Value;

/// Runs recorded from one real engine, or of one collection of files.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    pub name: &'static str,
    /// Where the files of its runs lie, under the shared folder.
    home: &'static str,
}

pub const SOURCES: [Source; 4] = [
    Source { name: "camunda7", home: "corpus" },
    Source { name: "flowable", home: "corpus" },
    Source { name: "miwg", home: "corpus" },
    Source { name: "zeebe", home: "" },
];

pub struct Recorded {
    pub runs: Vec<Run>,
    /// By the run; what the real engine could not play is left out.
    pub traces: BTreeMap<String, Value>,
}

impl Source {
    pub fn read(&self, shared: &Path) -> Result<Recorded> {
        let file = format!("{}.ndjson", self.name);
        let (runs, traces) = (shared.join("oracle/runs"), shared.join("oracle/traces"));
        Recorded::read(&runs.join(&file), &traces.join(&file), &shared.join(self.home))
    }
}

impl Recorded {
    /// The files of the runs lie under `root`.
    pub fn read(runs: &PathBuf, traces: &PathBuf, root: &Path) -> Result<Self> {
        let named = || runs.display().to_string();
        let runs = read_runs(&text(runs)?, root).with_context(named)?;
        let mut by_run = BTreeMap::new();
        for line in text(traces)?.lines() {
            let trace: Value = serde_json::from_str(line).with_context(named)?;
            if trace["stop"] != "error" {
                let id = trace["id"].as_str().context("a trace without an id")?;
                by_run.insert(id.to_owned(), trace);
            }
        }
        Ok(Self { runs, traces: by_run })
    }
}

pub fn text(path: &PathBuf) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
