//! The one binary: runs nodes, looks into running ones over HTTP, and tries out expressions,
//! timers and decisions without any.
//!
//! Arguments are parsed (`args`), checked into a plan (`plan`), then acted upon. Data goes to
//! stdout, talk to stderr.

mod args;
mod batch;
mod batch_create;
mod bulk;
mod call;
mod client;
mod clock;
mod config;
mod dead_letter;
mod decision;
mod definition;
mod deploy;
mod deployment;
mod dev;
mod executor;
mod feel;
mod history;
mod incident;
mod instance;
mod instance_changes;
mod instance_choice;
mod job;
mod job_definition;
mod limit;
mod lint;
mod message;
mod meter;
mod moment;
mod node;
mod output;
mod plan;
mod progress;
mod script_host;
mod serve;
mod signal;
mod suspension;
mod table;
mod timer;
mod trace;
#[cfg(test)]
mod typed;
mod uel;
mod user_task;
mod variable;
mod variables;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    orloj_server::forgo_huge_pages();
    let cli = args::Cli::read();
    let is_all_on_the_line = cli.is_all_on_the_line();
    match cli.plan() {
        Ok(plan) => output::exit_code(plan.act()),
        Err(error) if is_all_on_the_line => output::nonsense(&error),
        Err(error) => output::exit_code(Err(error)),
    }
}
