//! `orloj serve`

use std::path::PathBuf;

use clap::Args;
use orloj_server::config::{self, Config, Flags};

use crate::plan;

const HELP: &str = "\
Every option but --config can also be set by an environment variable (ORLOJ_LISTEN_HTTP for
--listen-http) or in the configuration file (listen_http). A flag beats a variable, and a variable
beats the file.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Where to read further settings [default: orloj.toml, when it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where to keep state: sqlite:PATH, sqlite::memory: or postgres://USER@HOST/DATABASE
    /// [default: the file orloj.db in the data folder]
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
    /// A node takes over at once from an earlier one of the same name [default: host name and
    /// process id]
    #[arg(long, value_name = "NAME")]
    node_name: Option<String>,
    /// How long a silent node counts as alive [default: 5000]
    #[arg(long, value_name = "MS")]
    heartbeat_timeout_ms: Option<u64>,
    /// Whether this node runs asynchronous steps and timers [default: true]
    #[arg(long, value_name = "BOOL")]
    executor: Option<bool>,
    /// Threads of the node [default: 2]
    #[arg(long, value_name = "COUNT")]
    threads: Option<u64>,
    /// What to log: a level, or levels by part, such as warn,orloj=debug [default:
    /// warn,orloj_server=info]
    #[arg(long, value_name = "LEVELS")]
    log: Option<String>,
}

pub struct Plan {
    config: Config,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<plan::Plan> {
    let flags = Flags {
        config: arguments.config,
        store: arguments.store,
        data_dir: arguments.data_dir,
        listen_grpc: arguments.listen_grpc,
        listen_http: arguments.listen_http,
        node_name: arguments.node_name,
        heartbeat_timeout_ms: arguments.heartbeat_timeout_ms,
        executor: arguments.executor,
        threads: arguments.threads,
        log: arguments.log,
    };
    // A variable that is no text cannot be one of ours.
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let config = config::for_serve(&flags, environment)?;
    Ok(plan::Plan::Serve(Box::new(Plan { config })))
}

pub fn act(plan: &Plan) -> anyhow::Result<()> {
    orloj_server::run(&plan.config, |builder| builder, async |_, _| Ok(()))
}
