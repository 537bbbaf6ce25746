//! `orloj config show`

use std::path::PathBuf;

use clap::Args;
use orloj_server::config::{self, Config, Flags};
use orloj_settings::{Read, to_toml};

use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Where to read settings [default: orloj.toml, when it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub struct Plan {
    config: Config,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<Plan> {
    let flags = Flags { config: arguments.config, ..Flags::default() };
    // A variable that is no text cannot be one of ours.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Ok(Plan { config: config::for_serve(&flags, environment)? })
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        let read = Read {
            settings: self.config.settings.clone(),
            notes: Vec::new(),
            origins: self.config.origins.clone(),
        };
        Ok(output::data(&to_toml(&read, true))?)
    }
}
