//! Writes meters down from time to time, as long as somebody holds the engine.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tracing::warn;

use crate::handle::{Inner, Orloj};

pub(crate) fn spawn(inner: &Arc<Inner>) {
    let metrics = &inner.settings.metrics;
    if metrics.enabled && metrics.stored {
        let every = Duration::from_millis(metrics.interval_ms);
        tokio::spawn(run(Arc::downgrade(inner), every));
    }
}

async fn run(inner: Weak<Inner>, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let Some(inner) = inner.upgrade() else { return };
        let engine = Orloj::of(inner);
        if let Err(error) = engine.meters().flush().await {
            // They are kept, and written the next time.
            warn!(%error, "meters were not written");
        }
    }
}
