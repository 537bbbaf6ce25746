//! `orloj config`: configuration files, without a node.

mod check;
mod import;
mod show;

use clap::Subcommand;

use crate::plan;

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Turn a configuration of Camunda 7 or Flowable into one of Orloj
    Import(import::Arguments),
    /// Whether a configuration file could be used
    Check(check::Arguments),
    /// Every setting of the engine with its effective value
    Show(show::Arguments),
}

pub enum Plan {
    Import(import::Plan),
    Check(check::Plan),
    Show(show::Plan),
}

pub fn plan(verb: Verb) -> anyhow::Result<plan::Plan> {
    let plan = match verb {
        Verb::Import(arguments) => Plan::Import(import::plan(arguments)?),
        Verb::Check(arguments) => Plan::Check(check::plan(arguments)?),
        Verb::Show(arguments) => Plan::Show(show::plan(arguments)?),
    };
    Ok(plan::Plan::Config(Box::new(plan)))
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        match self {
            Self::Import(plan) => plan.act(),
            Self::Check(plan) => plan.act(),
            Self::Show(plan) => plan.act(),
        }
    }
}
