//! `cargo xtask bench`: the benchmark program beside a durable throw-away PostgreSQL.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::postgres::{Cluster, Settings};
use crate::workspace;

/// Where the benchmark program finds its PostgreSQL.
const URL_VARIABLE: &str = "ORLOJ_BENCH_POSTGRES";

/// Stdout belongs to the benchmark program alone, and its exit code is ours.
pub fn run(bench_arguments: &[String]) -> Result<ExitCode> {
    let cluster = Cluster::start(Settings::Durable)?;
    let status = workspace::cargo()
        .args(["run", "--quiet", "--release", "--package", "orloj-bench", "--"])
        .args(bench_arguments)
        .env(URL_VARIABLE, cluster.url())
        .status()
        .context("cannot start cargo")?;
    drop(cluster);
    // No code means a signal, which is no measurement either.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
    Ok(ExitCode::from(code))
}
