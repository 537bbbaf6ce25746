//! `orloj feel`

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use orloj_expr::{Environment, Expression, Mode, Names, excerpt};
use orloj_types::{Document, Value};

use crate::args::Notation;
use crate::variables::{self, Variables};
use crate::{clock, plan};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The expression; a leading = is allowed, as models for Zeebe have it
    #[arg(value_name = "EXPRESSION", allow_hyphen_values = true)]
    text: String,
    #[command(flatten)]
    variables: Variables,
    /// Whose FEEL, where the two contradict each other
    #[arg(long, value_enum, default_value_t = Dialect::Camunda)]
    mode: Dialect,
    /// The expression is an entry of a decision table: does the input pass it?
    #[arg(long, requires = "input")]
    unary: bool,
    /// What a table entry tests, as JSON
    #[arg(long, value_name = "JSON", requires = "unary", allow_hyphen_values = true)]
    input: Option<String>,
    /// How to show the value
    #[arg(short, long, value_enum, default_value_t = Notation::Feel)]
    output: Notation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dialect {
    /// DMN 1.3 to 1.5
    Standard,
    /// Camunda 8
    Camunda,
}

pub struct Plan {
    expression: Expression,
    variables: Document,
    input: Option<Value>,
    output: Notation,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<plan::Plan> {
    let variables = arguments.variables.document()?;
    let input = match &arguments.input {
        Some(json) => Some(variables::value("--input", json)?),
        None => None,
    };
    // Zeebe reads expressions without knowing the variables, so that names with blanks need
    // back-ticks there.
    let (mode, names) = match arguments.mode {
        Dialect::Standard => (Mode::Standard, variables::names(&variables)),
        Dialect::Camunda => (Mode::Camunda8, Names::new()),
    };
    let (text, parsed) = if arguments.unary {
        let parsed = Expression::parse_unary_tests(mode, &arguments.text, &names);
        (arguments.text, parsed)
    } else {
        let text = without_equals(arguments.text);
        let parsed = Expression::parse_with(mode, &text, &names);
        (text, parsed)
    };
    let expression = parsed.map_err(|e| anyhow!(excerpt(&text, e.offset, &e.message)))?;
    Ok(plan::Plan::Feel(Plan { expression, variables, input, output: arguments.output }))
}

/// A blank in its place, so that positions stay what they are.
fn without_equals(text: String) -> String {
    if text.trim_start().starts_with('=') { text.replacen('=', " ", 1) } else { text }
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        let now = clock::now();
        let environment =
            Environment::new(&self.variables, now).with_seed(now.as_ms().cast_unsigned());
        let evaluated = match &self.input {
            Some(input) => self.expression.test(&environment, input),
            None => self.expression.evaluate(&environment),
        };
        let source = self.expression.source();
        let evaluated =
            evaluated.map_err(|e| anyhow!(excerpt(source, e.offset(), &e.message())))?;
        variables::show(&evaluated.value, &evaluated.warnings, source, self.output)
    }
}
