//! The one binary: runs nodes, looks into running ones over HTTP, and tries out expressions,
//! timers and decisions without any.
//!
//! Arguments are parsed (`args`), checked into a plan (`plan`), then acted upon. Data goes to
//! stdout, talk to stderr.

mod args;
mod call;
mod client;
mod clock;
mod decision;
mod definition;
mod deploy;
mod dev;
mod feel;
mod incident;
mod instance;
mod job;
mod lint;
mod node;
mod output;
mod plan;
mod script_host;
mod serve;
mod table;
mod timer;
mod trace;
mod uel;
mod user_task;
mod variables;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let result = args::Cli::parse().plan().and_then(plan::Plan::act);
    output::exit_code(result)
}
