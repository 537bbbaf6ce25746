//! The one binary: runs nodes, and looks into running ones over HTTP.
//!
//! Arguments are parsed (`args`), checked into a plan (`plan`), then acted upon. Data goes to
//! stdout, talk to stderr.

mod args;
mod call;
mod client;
mod definition;
mod deploy;
mod dev;
mod incident;
mod instance;
mod job;
mod node;
mod output;
mod plan;
mod serve;
mod table;
mod user_task;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let result = args::Cli::parse().plan().and_then(plan::Plan::act);
    output::exit_code(result)
}
