//! `cargo xtask postgres`: a cluster for a developer's own session.

use std::io::Write as _;

use anyhow::Result;

use super::{Cluster, Pooler, Settings};

/// Prints the URL on stdout and stays until Ctrl-C (the watchdog tidies up then) or a failure.
pub fn run_in_foreground(durable: bool, pooled: bool) -> Result<()> {
    let settings = if durable { Settings::Durable } else { Settings::Test };
    let cluster = Cluster::start(settings)?;
    let pooler = if pooled { Some(Pooler::start(&cluster)?) } else { None };
    let url = pooler.as_ref().map_or(cluster.url(), Pooler::url);
    println!("{url}");
    std::io::stdout().flush()?;
    eprintln!("for tests: export ORLOJ_TEST_POSTGRES={url}; Ctrl-C stops it");
    cluster.wait()
}
