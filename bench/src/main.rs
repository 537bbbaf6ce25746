//! Benchmarks of Orloj; `cargo xtask bench` runs them beside a PostgreSQL of their own.
#![expect(clippy::disallowed_methods, reason = "benchmarks measure real time and drive real tasks")]

mod chain;
mod crash;
mod floor;
mod growth;
mod instances;
mod items;
mod languages;
mod latency;
mod memory;
mod models;
mod nodes;
mod peers;
mod place;
mod report;
mod restart;
mod server;
mod snapshot;
mod steps;
mod timed;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::place::Ground;
use crate::report::Figure;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "orloj-bench", about = "Figures of Orloj beside the floor of the same storage")]
struct Arguments {
    /// Without one: all figures, one after the other
    #[command(subcommand)]
    command: Option<Command>,
    /// One JSON object a line
    #[arg(long, global = true)]
    json: bool,
    /// Where SQLite files are made; it must be on a disk, not in memory
    #[arg(long, global = true, default_value = "target/bench")]
    dir: PathBuf,
    /// A durable PostgreSQL
    #[arg(long, global = true, env = "ORLOJ_BENCH_POSTGRES", default_value = "")]
    postgres: String,
}

#[derive(Subcommand)]
enum Command {
    /// What the bare databases do with the least work a durable engine must do
    Floor(floor::command::Options),
    /// Steps of a chain of asynchronous tasks, closed loop
    Steps(steps::Options),
    /// One-task instances through a native gRPC worker
    Instances(instances::Options),
    /// Very many jobs of one instance: time, growth, largest commit
    Items(items::Options),
    /// Commit to first line of the delegate; one instance alone
    Latency(latency::Options),
    /// Memory, idle cost, write-ahead log per step
    Memory(memory::Options),
    /// Start-up, and life after kill -9
    Restart(restart::Options),
    /// Expressions, decision tables, timers and scripts
    Languages(languages::Options),
    /// Reading models and moving tokens, without a store
    Models(models::Options),
    /// Steps beside thousands and millions of waiting jobs, timers and instances
    Growth(growth::Options),
    /// Steps while a transaction of somebody else holds an old snapshot
    Snapshot(snapshot::Options),
    /// Steps of several nodes on one PostgreSQL
    Nodes(nodes::Options),
    /// The same chain on Camunda 7 and Flowable; the ratios
    Peers(peers::Options),
    /// Kills servers under load and checks that nothing acknowledged is lost
    Crash(crash::Options),
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    std::fs::create_dir_all(&arguments.dir)?;
    let ground = Ground { dir: arguments.dir, postgres: arguments.postgres };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let figures = runtime.block_on(async {
        let figures = match &arguments.command {
            Some(Command::Peers(options)) => {
                peers::run(&ground, options, arguments.json).await.map(|()| Vec::new())
            }
            Some(command) => figures(&ground, command).await,
            None => all_figures(&ground).await,
        };
        if !ground.postgres.is_empty() {
            ground.clean().await?;
        }
        figures
    })?;
    if !figures.is_empty() {
        report::print(&figures, arguments.json);
    }
    Ok(())
}

async fn all_figures(ground: &Ground) -> anyhow::Result<Vec<Figure>> {
    let mut all = Vec::new();
    for name in ["steps", "instances", "latency", "memory", "restart", "languages", "models"] {
        let arguments = Arguments::try_parse_from(["orloj-bench", name])?;
        if let Some(command) = &arguments.command {
            all.extend(figures(ground, command).await?);
        }
    }
    Ok(all)
}

async fn figures(ground: &Ground, command: &Command) -> anyhow::Result<Vec<Figure>> {
    match command {
        Command::Floor(options) => floor::command::run(ground, options).await,
        Command::Steps(options) => steps::run(ground, options).await,
        Command::Instances(options) => instances::run(ground, options).await,
        Command::Items(options) => items::run(ground, options).await,
        Command::Latency(options) => latency::run(ground, options).await,
        Command::Memory(options) => memory::run(ground, options).await,
        Command::Restart(options) => restart::run(ground, options).await,
        Command::Languages(options) => languages::run(options).await,
        Command::Models(options) => models::run(options),
        Command::Growth(options) => growth::run(ground, options).await,
        Command::Snapshot(options) => snapshot::run(ground, options).await,
        Command::Nodes(options) => nodes::run(ground, options).await,
        // Its lines are of their own kind, and printed by it.
        Command::Peers(_) => Ok(Vec::new()),
        Command::Crash(options) => {
            crash::run(ground, options).await?;
            Ok(Vec::new())
        }
    }
}
