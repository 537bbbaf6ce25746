//! `cargo xtask bench`: the benchmark program beside a durable throw-away PostgreSQL.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::postgres::{Cluster, Settings};
use crate::{peers, process, workspace};

/// Where the benchmark program finds its PostgreSQL.
const URL_VARIABLE: &str = "ORLOJ_BENCH_POSTGRES";

/// Kills servers under load and lets the checker judge what they kept; in the profile of the
/// tests, so that nothing is built twice.
pub fn crash(kills: u32) -> Result<String> {
    let mut command = Command::new(workspace::program("orloj-bench")?);
    let cluster = Cluster::start(Settings::Durable)?;
    command.current_dir(workspace::root()).args(["crash", "--kills"]);
    process::run(command.arg(kills.to_string()).env(URL_VARIABLE, cluster.url()))?;
    Ok(format!("{kills} kills on each store"))
}

/// Stdout belongs to the benchmark program alone, and its exit code is ours.
pub fn run(bench_arguments: &[String]) -> Result<ExitCode> {
    let mut command = Command::new(workspace::bench_program()?);
    if bench_arguments.iter().any(|argument| argument == "peers") {
        command.env(peers::VARIABLE, peers::ensure_built()?);
    }
    let cluster = Cluster::start(Settings::Durable)?;
    let status = command
        .current_dir(workspace::root())
        .args(bench_arguments)
        .env(URL_VARIABLE, cluster.url())
        .status()
        .context("cannot start the benchmark program")?;
    drop(cluster);
    // No code means a signal, which is no measurement either.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
    Ok(ExitCode::from(code))
}
