//! `orloj lint`: every problem of BPMN files, and advice.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::Args;
use orloj_model::{Diagnostic, Options, Position, Severity, advise, parse};
use serde_json::json;

use crate::args::{Shape, Vendor};
use crate::{output, plan};

#[derive(Debug, Args)]
pub struct Arguments {
    /// BPMN files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Whose model it is; told by each file's extensions where this is left out
    #[arg(long, value_enum)]
    engine: Option<Vendor>,
    /// Apply the transforms of this configuration file first, as a node does
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How to show the problems
    #[arg(short, long, value_enum, default_value_t = Shape::Table)]
    output: Shape,
}

pub struct Plan {
    files: Vec<File>,
    options: Options,
    output: Shape,
}

struct File {
    path: PathBuf,
    content: io::Result<Vec<u8>>,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<plan::Plan> {
    let files = arguments.files.into_iter().map(|path| {
        let content = fs::read(&path);
        File { path, content }
    });
    let files = files.collect();
    let dialect = arguments.engine.map(Vendor::dialect);
    let mut options = Options { dialect, ..Options::default() };
    if let Some(file) = &arguments.config {
        options = options.with_hook(orloj_server::config::transforms_of(file)?);
    }
    Ok(plan::Plan::LintModel(Plan { files, options, output: arguments.output }))
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        let mut found = Vec::new();
        for file in &self.files {
            found.extend(self.problems(file).into_iter().map(|problem| (file, problem)));
        }
        match self.output {
            Shape::Table => {
                for (file, problem) in &found {
                    output::data(&line(file, problem))?;
                }
            }
            Shape::Json => {
                let all: Vec<_> = found.iter().map(|(file, problem)| json(file, problem)).collect();
                output::data(&serde_json::to_string(&all)?)?;
            }
        }
        let errors =
            found.iter().filter(|(_, problem)| problem.severity == Severity::Error).count();
        output::verdict(errors, found.len())
    }

    /// In the order of the file.
    fn problems(&self, file: &File) -> Vec<Diagnostic> {
        let content = match &file.content {
            Ok(content) => content,
            Err(error) => return vec![unreadable(error)],
        };
        let parsed = parse(content, &self.options);
        let mut problems = parsed.diagnostics;
        problems.extend(parsed.processes.iter().flat_map(advise));
        problems.sort_by_key(|problem| problem.position);
        problems
    }
}

/// A file that cannot be read keeps nobody from hearing about the others.
fn unreadable(error: &io::Error) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        position: Position::FIRST,
        element: None,
        code: "file-unreadable",
        message: format!("the file cannot be read: {error}"),
    }
}

/// `order.bpmn:12:7: error: the message [the-code] (element)`
fn line(file: &File, problem: &Diagnostic) -> String {
    let path = file.path.display();
    match &problem.element {
        Some(element) => format!("{path}:{problem} ({element})"),
        None => format!("{path}:{problem}"),
    }
}

fn json(file: &File, problem: &Diagnostic) -> serde_json::Value {
    json!({
        "file": file.path.display().to_string(),
        "line": problem.position.line,
        "column": problem.position.column,
        "severity": problem.severity.to_string(),
        "element": problem.element.as_deref(),
        "code": problem.code,
        "message": problem.message,
    })
}
