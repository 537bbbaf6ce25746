//! Benchmarks of Orloj; `cargo xtask bench` runs them beside a PostgreSQL of their own.
#![expect(clippy::disallowed_methods, reason = "benchmarks measure real time and drive real tasks")]

mod floor;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "orloj-bench", about = "Figures of Orloj beside the floor of the same storage")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// What the bare databases do with the least work a durable engine must do
    Floor(floor::command::Options),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().command {
        Command::Floor(options) => floor::command::run(&options),
    }
}
