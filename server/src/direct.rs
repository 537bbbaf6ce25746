//! The API of a store that no node holds, for commands that need one answer and no server.
//!
//! An engine without an executor and without listeners joins the store for as long as the command
//! takes. It runs nothing, and it is refused while a node lives there: commands go to that node.

#![expect(clippy::disallowed_methods, reason = "a driver: it waits for the store and for answers")]

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use orloj::types::Timestamp;
use orloj::{NodeView, Orloj, StoreChoice};
use tokio::runtime::{self, Runtime};
use tokio::time::{Instant, sleep};
use tower::ServiceExt;

use crate::config::StoreUrl;

/// A node that has not been heard for so long is dead; the default of its heartbeat time-out.
const SILENCE_MAX: Duration = Duration::from_millis(5_500);
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub struct Direct {
    runtime: Runtime,
    orloj: Orloj,
    router: Router,
}

/// As it would come over HTTP.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Direct {
    /// `store` as in `--store`.
    pub fn open(store: &str) -> anyhow::Result<Self> {
        let url: StoreUrl = store.parse().map_err(anyhow::Error::msg).context("--store")?;
        match &url.0 {
            StoreChoice::SqliteFile(file) => {
                ensure!(file.exists(), "--store: there is no file {}", file.display());
            }
            StoreChoice::Memory => bail!("--store: a store in memory has no past to look at"),
            StoreChoice::Postgres(_) => {}
        }
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_io()
            .enable_time()
            .build()
            .context("cannot start threads")?;
        let orloj = runtime.block_on(async {
            let builder = Orloj::builder().store(url.0.clone()).executor(false);
            let built = builder.build().await;
            let orloj = built.with_context(|| format!("cannot open the store {url}"))?;
            if let Some(node) = living(&orloj).await? {
                orloj.shutdown().await;
                bail!("node '{}' holds the store {url}; talk to it with --url", node.name);
            }
            Ok(orloj)
        })?;
        let router = orloj_api_orloj::router(orloj.clone());
        Ok(Self { runtime, orloj, router })
    }

    pub fn send(&self, request: Request<Vec<u8>>) -> anyhow::Result<Answer> {
        let router = self.router.clone();
        self.runtime.block_on(async {
            let response = router.oneshot(request.map(Body::from)).await?;
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), usize::MAX).await?;
            Ok(Answer { status, body: body.to_vec() })
        })
    }
}

impl Drop for Direct {
    /// So that the next one need not wait for this one's silence.
    fn drop(&mut self) {
        self.runtime.block_on(self.orloj.shutdown());
    }
}

/// Another node that is heard again, if there is one.
async fn living(orloj: &Orloj) -> anyhow::Result<Option<NodeView>> {
    let begun = Instant::now();
    let mut heard: BTreeMap<i64, Timestamp> = BTreeMap::new();
    loop {
        let nodes = orloj.nodes().list().await?;
        let mut others = nodes.into_iter().filter(|node| !node.is_self).peekable();
        if others.peek().is_none() {
            return Ok(None);
        }
        for node in others {
            let first = *heard.entry(node.session).or_insert(node.seen_at);
            if node.seen_at != first {
                return Ok(Some(node));
            }
        }
        if begun.elapsed() >= SILENCE_MAX {
            return Ok(None);
        }
        sleep(LOOK_EVERY).await;
    }
}
