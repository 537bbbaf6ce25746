//! `cargo xtask postgres`: a cluster for a developer's own session.

use std::io::Write as _;

use anyhow::Result;

use super::{Cluster, Settings};

/// Prints the URL on stdout and stays until Ctrl-C (the watchdog tidies up then) or a failure.
pub fn run_in_foreground(durable: bool) -> Result<()> {
    let settings = if durable { Settings::Durable } else { Settings::Test };
    let cluster = Cluster::start(settings)?;
    println!("{}", cluster.url());
    std::io::stdout().flush()?;
    eprintln!("for tests: export ORLOJ_TEST_POSTGRES={}; Ctrl-C stops it", cluster.url());
    cluster.wait()
}
