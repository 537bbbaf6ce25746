//! From a configuration to a process that has ended in order.

use std::time::Duration;

use anyhow::Context;
use orloj::Builder;
use orloj_settings::{Note, Severity};
use tokio::runtime::{self, Runtime};

use crate::config::Config;
use crate::node::Node;
use crate::signals::{Stop, stop_on_signals};
use crate::telemetry::start_log;

/// Tasks that have not ended by then hold nothing that matters.
const TASKS_END_MAX: Duration = Duration::from_millis(500);

/// Runs a node until a signal ends it. `prepare` may add delegates; `started` is called when the
/// engine takes commands, before the listeners answer, and is given the means to stop the node.
pub fn run<F>(
    config: &Config,
    prepare: impl FnOnce(Builder) -> Builder,
    started: F,
) -> anyhow::Result<()>
where
    F: AsyncFnOnce(&Node, &Stop) -> anyhow::Result<()>,
{
    start_log(config.log.clone());
    for note in &config.notes {
        let Note { severity, place, property, message } = note;
        match severity {
            Severity::Warning => tracing::warn!(%place, %property, "{message}"),
            Severity::Note => tracing::info!(%place, %property, "{message}"),
        }
    }
    let runtime = threads(config.threads).context("cannot start threads")?;
    let ended = runtime.block_on(async {
        let stop = stop_on_signals().context("cannot wait for signals")?;
        // A store that does not answer must not make the process deaf to signals.
        let node = tokio::select! {
            node = Node::start(config, prepare) => node?,
            () = stop.cancelled() => return Ok(()),
        };
        if let Err(error) = started(&node, &stop).await {
            node.orloj().shutdown().await;
            return Err(error);
        }
        node.serve(stop).await
    });
    runtime.shutdown_timeout(TASKS_END_MAX);
    ended
}

/// The threads that all asynchronous work of this process shares. Their stacks cost address space
/// only; what counts as memory is what they touch.
fn threads(count: usize) -> std::io::Result<Runtime> {
    runtime::Builder::new_multi_thread()
        .worker_threads(count)
        .thread_name("orloj")
        .enable_io()
        .enable_time()
        .build()
}
