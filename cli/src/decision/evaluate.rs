//! `orloj decision evaluate`

use std::path::PathBuf;

use anyhow::{anyhow, bail};
use clap::Args;
use orloj_dmn::{Environment, InvocableKind, Model, Options};
use orloj_types::Document;

use super::explanation;
use super::file::{Dialect, File};
use crate::args::Shape;
use crate::variables::{Variables, literal};
use crate::{clock, output};

#[derive(Debug, Args)]
pub struct Arguments {
    /// A DMN file
    file: PathBuf,
    /// The decision, service or knowledge model, by id or name [default: the only decision]
    #[arg(long, value_name = "ID")]
    decision: Option<String>,
    #[command(flatten)]
    variables: Variables,
    /// A file that the model imports; may be repeated
    #[arg(long = "import", value_name = "FILE")]
    imports: Vec<PathBuf>,
    /// Whose rules apply [default: what the file says of itself, else the standard]
    #[arg(long, value_enum)]
    mode: Option<Dialect>,
    /// Show also the rules that did not match, and which of their entries failed
    #[arg(long)]
    explain: bool,
    /// How to show the result
    #[arg(short, long, value_enum, default_value_t = Shape::Table)]
    output: Shape,
}

/// A line or two on a terminal.
const KNOWN_TOLD_MAX: usize = 20;

pub struct Plan {
    model: Model,
    decision: String,
    variables: Document,
    explain: bool,
    output: Shape,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<Plan> {
    let variables = arguments.variables.document()?;
    let file = File::read(&arguments.file)?;
    let imports = File::read_all(&arguments.imports)?;
    let options = Options {
        mode: file.mode(arguments.mode),
        imports: imports.iter().map(|import| &*import.content).collect(),
        lenient: false,
    };
    let model = Model::parse(&file.content, &options).map_err(|diagnostics| {
        let paths: Vec<_> =
            std::iter::once(&file).chain(&imports).map(|file| file.path.display()).collect();
        let lines: Vec<String> = diagnostics
            .iter()
            .map(|problem| match paths.get(problem.file) {
                Some(path) => format!("{path}:{problem}"),
                None => problem.to_string(),
            })
            .collect();
        anyhow!("the model has errors\n{}", lines.join("\n"))
    })?;
    let decision = match arguments.decision {
        Some(decision) => decision,
        None => only_decision(&model)?,
    };
    let (explain, output) = (arguments.explain, arguments.output);
    Ok(Plan { model, decision, variables, explain, output })
}

/// All that can be asked for.
fn known(model: &Model) -> String {
    let mut ids: Vec<String> = model
        .invocables()
        .map(|one| if one.id.is_empty() { one.name.to_string() } else { one.id.to_string() })
        .collect();
    ids.dedup();
    let more = ids.len().saturating_sub(KNOWN_TOLD_MAX);
    ids.truncate(KNOWN_TOLD_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    match ids.is_empty() {
        true => "none".to_owned(),
        false => format!("{}{rest}", ids.join(", ")),
    }
}

fn only_decision(model: &Model) -> anyhow::Result<String> {
    let is_decision = |kind| kind == InvocableKind::Decision;
    let decisions: Vec<_> = model.invocables().filter(|one| is_decision(one.kind)).collect();
    let label = |id: &str, name: &str| if id.is_empty() { name.to_owned() } else { id.to_owned() };
    let mut ids = decisions.iter().map(|one| label(&one.id, &one.name));
    match (ids.next(), decisions.len()) {
        (None, _) => bail!("there is no decision in the file"),
        (Some(id), 1) => Ok(id),
        (Some(first), count) => {
            let rest: String = ids.map(|id| format!(", {id}")).collect();
            bail!("the file has {count} decisions; name one with --decision: {first}{rest}")
        }
    }
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        let mut environment = Environment::new(clock::now());
        environment.explain = self.explain;
        let evaluation = self.model.evaluate(&self.decision, &self.variables, &environment);
        let failure = evaluation.failure();
        if let Some(problem) = failure.filter(|problem| problem.code == "unknown-decision") {
            bail!("{}; the file has {}", problem.message, known(&self.model));
        }
        match self.output {
            Shape::Json => output::data(&explanation::json(&evaluation)?)?,
            Shape::Table => {
                output::data(&literal(&evaluation.value))?;
                for table in &evaluation.tables {
                    output::data(&format!("\n{}", explanation::table(table)))?;
                }
            }
        }
        for problem in &evaluation.problems {
            if Some(problem) != failure {
                output::talk(&problem.to_string());
            }
        }
        match failure {
            Some(problem) => bail!("{problem}"),
            None => Ok(()),
        }
    }
}
