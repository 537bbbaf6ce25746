//! What is to be rehearsed.

use std::fmt;
use std::path::{Path, PathBuf};

use orloj_model::Dialect;
use orloj_types::{Document, DocumentError};
use serde::{Deserialize, Serialize};

/// One run: files deployed together, and what is done with them.
#[derive(Clone, Debug, Deserialize)]
pub struct Run {
    pub id: String,
    pub engine: Engine,
    /// The subject first, then what it calls.
    pub files: Vec<PathBuf>,
    /// `None`: only deployed; timers of definitions still fire.
    #[serde(default)]
    pub start: Option<String>,
    #[serde(default)]
    pub vars: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(default)]
    pub pass: Pass,
    /// Never told by a file of runs.
    #[serde(skip)]
    pub start_by: StartBy,
}

/// What starts the process of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StartBy {
    /// Somebody asks for an instance, which needs a start event without a trigger.
    #[default]
    Hand,
    /// As `Hand`, or whatever it waits for where it has no such event.
    Anything,
    Message {
        name: String,
        /// Of the message, where the engine knows such.
        key: String,
    },
    Signal {
        name: String,
    },
}

/// Whose models are meant, and whose habits the trace follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    Camunda7,
    Flowable,
    Zeebe,
}

/// In which order the loop acts, and how workers answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    #[default]
    Forward,
    Reverse,
    /// Each worker element fails once.
    Fail,
    /// Workers throw an error.
    Error,
}

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("line {line}: {error}")]
    Line { line: usize, error: serde_json::Error },
}

impl Engine {
    pub fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Camunda7 => Self::Camunda7,
            Dialect::Flowable => Self::Flowable,
            Dialect::Zeebe => Self::Zeebe,
        }
    }

    pub fn dialect(self) -> Dialect {
        match self {
            Self::Camunda7 => Dialect::Camunda7,
            Self::Flowable => Dialect::Flowable,
            Self::Zeebe => Dialect::Zeebe,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Camunda7 => "camunda7",
            Self::Flowable => "flowable",
            Self::Zeebe => "zeebe",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Run {
    pub fn variables(&self) -> Result<Document, DocumentError> {
        match &self.vars {
            Some(vars) if !vars.is_empty() => {
                Document::parse(&serde_json::Value::from(vars.clone()).to_string())
            }
            _ => Ok(Document::new()),
        }
    }
}

/// Reads runs, one JSON object per line; their files are looked for under `root`.
pub fn read_runs(text: &str, root: &Path) -> Result<Vec<Run>, RunError> {
    let mut runs = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut run: Run =
            serde_json::from_str(line).map_err(|error| RunError::Line { line: at + 1, error })?;
        for file in &mut run.files {
            *file = root.join(&*file);
        }
        runs.push(run);
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_defaults_and_its_files_lie_under_the_root() {
        let text = r#"{"id":"a","engine":"camunda7","files":["x/a.bpmn","b.bpmn"]}

{"id":"b","engine":"zeebe","files":[],"start":"p","vars":{"n":1,"l":[1.5]},"pass":"reverse"}"#;
        let runs = read_runs(text, Path::new("root")).unwrap();
        assert_eq!(runs.len(), 2);
        assert_eq!(runs[0].files, [Path::new("root/x/a.bpmn"), Path::new("root/b.bpmn")]);
        assert_eq!((runs[0].start.as_deref(), runs[0].pass), (None, Pass::Forward));
        assert!(runs[0].variables().unwrap().is_empty());
        assert_eq!((runs[1].engine, runs[1].pass), (Engine::Zeebe, Pass::Reverse));
        assert_eq!(runs[1].variables().unwrap().to_json(), r#"{"l":[1.5],"n":1}"#);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let error = read_runs("\n{\"id\":1}", Path::new("")).unwrap_err();
        assert!(error.to_string().starts_with("line 2: "), "{error}");
    }
}
