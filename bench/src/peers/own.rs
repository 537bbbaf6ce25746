//! Orloj's run: the same chain, its executor off while instances are started.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, stream};
use orloj::StartInstance;
use orloj::types::Document;

use crate::chain::{Chain, PROCESS, TASKS};
use crate::place::{Ground, Place};

/// Starts under way at once.
const STARTERS: usize = 64;

/// Steps per second from switching the executor on to the end of the last instance.
pub async fn once(ground: &Ground, instances: u32) -> anyhow::Result<f64> {
    let fresh = ground.fresh(Place::Postgres).await?;
    let chain = Chain::open_idle(fresh.choice.clone()).await?;
    stream::iter(0..instances)
        .map(|_| {
            let start = StartInstance::latest(PROCESS)
                .with(Document::new().with("order", 4711).with("customer", "anna"));
            chain.orloj.start(start)
        })
        .buffer_unordered(STARTERS)
        .try_for_each(|_| async { Ok(()) })
        .await?;
    let ended = || chain.orloj.metrics().instances_ended.get();
    let since = Instant::now();
    chain.orloj.executor().start().await?;
    while ended() < u64::from(instances) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let secs = since.elapsed().as_secs_f64();
    chain.close().await?;
    Ok(f64::from(instances * TASKS) / secs)
}
