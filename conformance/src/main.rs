//! Runs foreign test kits and corpora through Orloj and counts what agrees.

mod cuts;
mod files;
mod oracle;
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
    /// Parse every BPMN file under a folder, cut off at many places
    Cuts(cuts::Arguments),
    /// Replay runs that were recorded from the real engines
    Oracle(oracle::Arguments),
    /// Run scripts for the process that started this one
    #[command(hide = true)]
    ScriptHost,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.command {
        Command::Tck { folder, short } => tck::run(&folder, short),
        Command::Texts { folder } => texts::run(&folder),
        Command::Cuts(arguments) => cuts::run(&arguments),
        Command::Oracle(arguments) => oracle::run(&arguments),
        Command::ScriptHost => {
            let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
            orloj_script::host::run(input, output).map_err(Into::into)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
