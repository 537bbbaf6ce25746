//! `orloj dev`: a node with something to look at.

mod card;
mod demo;
mod greeting;
mod orders;
mod workers;

use clap::Args;
use orloj_server::config::{self, Config, Flags};

use crate::plan;

/// More than a demo needs, less than would fill a disk unnoticed.
const RATE_MAX: f64 = 100.0;

const HELP: &str = "\
The environment and orloj.toml are not read: a store that they name may be no place for a demo.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Where to keep state: sqlite:PATH, sqlite::memory: or postgres://USER@HOST/DATABASE
    /// [default: the file dev.db in the data folder]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Where files go [default: $XDG_DATA_HOME/orloj or ~/.local/share/orloj]
    #[arg(long, value_name = "FOLDER")]
    data_dir: Option<String>,
    /// Address of the Zeebe gateway [default: 127.0.0.1:26500]
    #[arg(long, value_name = "HOST:PORT")]
    listen_grpc: Option<String>,
    /// Address of the HTTP API [default: 127.0.0.1:8080]
    #[arg(long, value_name = "HOST:PORT")]
    listen_http: Option<String>,
    /// How many demo orders to start a second; 0 for none
    #[arg(long, value_name = "NUMBER", default_value_t = 1.0, value_parser = rate)]
    rate: f64,
    /// What to log: a level, or levels by part, such as warn,orloj=debug [default: warn]
    #[arg(long, value_name = "LEVELS", default_value = "warn", hide_default_value = true)]
    log: String,
}

pub struct Plan {
    config: Config,
    rate: f64,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (0.0..=RATE_MAX).contains(&rate) => Ok(rate),
        _ => Err(format!("a number from 0 to {RATE_MAX}")),
    }
}

pub fn plan(arguments: Arguments) -> anyhow::Result<plan::Plan> {
    let flags = Flags {
        store: arguments.store,
        data_dir: arguments.data_dir,
        listen_grpc: arguments.listen_grpc,
        listen_http: arguments.listen_http,
        log: Some(arguments.log),
        ..Flags::default()
    };
    // Only for the place of the data folder.
    let environment = ["XDG_DATA_HOME", "HOME"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)));
    let config = config::for_dev(&flags, environment)?;
    Ok(plan::Plan::Dev(Box::new(Plan { config, rate: arguments.rate })))
}

pub fn act(plan: &Plan) -> anyhow::Result<()> {
    orloj_server::run(&plan.config, demo::delegates, async |node, stop| {
        demo::begin(node.orloj(), plan.rate, stop).await?;
        greeting::say(plan, node.addresses());
        Ok(())
    })?;
    crate::output::talk("stopped; everything is saved");
    Ok(())
}
