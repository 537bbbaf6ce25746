//! `orloj config check`

use std::path::PathBuf;

use clap::Args;
use orloj_server::config::{self, Config, Flags};

use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A configuration file
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub struct Plan {
    config: Config,
}

/// The file alone: what the environment adds today says nothing about the file.
pub fn plan(arguments: Arguments) -> anyhow::Result<Plan> {
    let flags = Flags { config: Some(arguments.file), ..Flags::default() };
    Ok(Plan { config: config::for_serve(&flags, [])? })
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        for note in &self.config.notes {
            output::data(&note.to_string())?;
        }
        output::verdict(0, self.config.notes.len())
    }
}
