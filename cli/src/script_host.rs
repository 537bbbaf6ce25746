//! `orloj script-host`, which the engine starts for itself: stdin and stdout carry its protocol
//! and nothing else.

use clap::Args;

use crate::plan;

#[derive(Debug, Args)]
pub struct Arguments {}

pub struct Plan;

pub fn plan(_arguments: Arguments) -> plan::Plan {
    plan::Plan::ScriptHost(Plan)
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        orloj_script::host::run(std::io::stdin().lock(), std::io::stdout().lock())?;
        Ok(())
    }
}
