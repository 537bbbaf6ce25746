//! `cargo xtask …`: what a developer and CI run. Talk goes to stderr, data to stdout.
#![expect(
    clippy::disallowed_methods,
    reason = "a command-line tool outside the engine: it waits for other programs in real time"
)]

mod apt;
mod bench;
mod check;
mod clients;
mod conformance;
mod deny;
mod overdue;
mod peers;
mod postgres;
mod process;
mod room;
mod signals;
mod summary;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development commands of the Orloj workspace")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run all tests and doctests on SQLite and on a throw-away PostgreSQL, then tidy
    Test {
        /// Arguments for `cargo test` in place of `--workspace`, for example `-p orloj-store`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        cargo_arguments: Vec<String>,
    },
    /// Everything CI asks for: rustfmt, clippy, tests, tidy, cargo-deny
    Check,
    /// Test the tree itself: arrows between crates, migrations, links, leftovers, banned crates
    Tidy,
    /// Run the benchmarks in release mode beside a throw-away PostgreSQL with fsync on
    Bench {
        /// Arguments for the benchmark program
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        bench_arguments: Vec<String>,
    },
    /// Kill servers with SIGKILL under load and check that nothing acknowledged is lost
    Crash {
        /// On each store
        #[arg(long, default_value_t = 100)]
        kills: u32,
    },
    /// Run the foreign cases and files of a folder `shared` beside the repository
    Conformance,
    /// Install the foreign client libraries that the client tests drive and print their folder
    Clients,
    /// Start a throw-away PostgreSQL, print its URL and keep it until Ctrl-C
    Postgres {
        /// Use the durable settings of `bench` (fsync on) in place of those of `test`
        #[arg(long)]
        durable: bool,
        /// Put PgBouncer in front of it, clients sharing its connections by transaction
        #[arg(long)]
        pooled: bool,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(error) = signals::restore_defaults() {
        return exit(Err(error));
    }
    let outcome = match arguments.command {
        Command::Test { cargo_arguments } => test::run(&cargo_arguments),
        Command::Check => check::run(),
        Command::Tidy => tidy::run(),
        Command::Bench { bench_arguments } => return exit(bench::run(&bench_arguments)),
        Command::Crash { kills } => bench::crash(kills).map(drop),
        Command::Conformance => conformance::run(),
        Command::Clients => clients::run(),
        Command::Postgres { durable, pooled } => postgres::run_in_foreground(durable, pooled),
    };
    exit(outcome.map(|()| ExitCode::SUCCESS))
}

fn exit(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
