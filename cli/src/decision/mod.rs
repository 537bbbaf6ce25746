//! `orloj decision`

mod evaluate;
mod explanation;
mod file;
mod lint;
mod row;

use clap::Subcommand;

pub use self::evaluate::Plan as Evaluate;
pub use self::lint::Plan as Lint;
pub use self::row::Decision;
use crate::plan::Plan;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// The value of a decision, and which rules of its tables matched
    Evaluate(evaluate::Arguments),
    /// All problems of models, with their places
    Lint(lint::Arguments),
}

pub fn plan(verb: Verb) -> anyhow::Result<Plan> {
    Ok(match verb {
        Verb::Evaluate(arguments) => Plan::Evaluate(evaluate::plan(arguments)?),
        Verb::Lint(arguments) => Plan::Lint(lint::plan(arguments)?),
    })
}
