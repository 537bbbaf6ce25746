//! Runs foreign test kits and corpora through Orloj and counts what agrees.

mod files;
mod tck;
mod texts;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the cases of the DMN technology compatibility kit under a folder
    Tck {
        folder: PathBuf,
        /// Print each failing case on one line only
        #[arg(long)]
        short: bool,
    },
    /// Parse every expression of the BPMN and DMN files under a folder
    Texts { folder: PathBuf },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Tck { folder, short } => tck::run(&folder, short),
        Command::Texts { folder } => texts::run(&folder),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
