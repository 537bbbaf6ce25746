//! The log: lines on stderr.

use std::io::{IsTerminal, stderr};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// A second call is without effect, so that several nodes can live in one process.
pub fn start_log(levels: Targets) {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal())
        .compact();
    let _ = tracing_subscriber::registry().with(levels).with(lines).try_init();
}
