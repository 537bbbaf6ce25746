//! `orloj decision lint`

use std::path::PathBuf;

use clap::Args;
use orloj_dmn::{Diagnostic, Diagnostics, Model, Options, Severity};
use serde_json::json;

use super::file::{Dialect, File};
use crate::args::Shape;
use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    /// DMN files; they may import each other
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Whose rules apply [default: what each file says of itself, else the standard]
    #[arg(long, value_enum)]
    mode: Option<Dialect>,
    /// How to show the problems
    #[arg(short, long, value_enum, default_value_t = Shape::Table)]
    output: Shape,
}

pub struct Plan {
    files: Vec<File>,
    mode: Option<Dialect>,
    output: Shape,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<Plan> {
    let files = File::read_all(&arguments.files)?;
    Ok(Plan { files, mode: arguments.mode, output: arguments.output })
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        let mut found = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            found.extend(self.problems(at).into_iter().map(|problem| (file, problem)));
        }
        match self.output {
            Shape::Table => {
                for (file, problem) in &found {
                    output::data(&format!("{}:{problem}", file.path.display()))?;
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

    /// Of one file, with the others at hand if it wants any.
    fn problems(&self, at: usize) -> Vec<Diagnostic> {
        let file = &self.files[at];
        let others: Vec<&[u8]> = match file.imports_others() {
            true => self
                .files
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != at)
                .map(|(_, other)| &*other.content)
                .collect(),
            false => Vec::new(),
        };
        let problems = self.diagnostics(file, others);
        // Another file that is broken hides what is wrong with this one.
        if problems.has_errors() && problems.iter().all(|problem| problem.file != 0) {
            return own(&self.diagnostics(file, Vec::new()));
        }
        own(&problems)
    }

    fn diagnostics(&self, file: &File, imports: Vec<&[u8]>) -> Diagnostics {
        let options = Options { mode: file.mode(self.mode), imports, lenient: false };
        match Model::parse(&file.content, &options) {
            Ok(model) => model.warnings().clone(),
            Err(diagnostics) => diagnostics,
        }
    }
}

fn own(diagnostics: &Diagnostics) -> Vec<Diagnostic> {
    diagnostics.iter().filter(|problem| problem.file == 0).cloned().collect()
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
