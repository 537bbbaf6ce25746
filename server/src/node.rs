//! One node: engine and listeners.
//!
//! Listeners are bound before the store is opened, so that a second node on the same addresses
//! fails before it touches anything. At the end the order is: accept nothing, let the engine
//! finish and give its jobs back (which ends waiting polls and streams), let go of connections.

#![expect(clippy::disallowed_methods, reason = "a driver: it runs the listeners")]

use std::future::Future;
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::time::Duration;

use anyhow::Context;
use futures_util::future::join_all;
use orloj::script::ScriptHost;
use orloj::settings::Settings;
use orloj::types::EngineName;
use orloj::{Builder, Orloj, StoreChoice};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::config::{Address, Config};
use crate::http;
use crate::huge_pages;
use crate::signals::Stop;

/// Connections that do not end by themselves are cut so long after the stop was asked for.
const CONNECTIONS_END_MAX: Duration = Duration::from_secs(5);

/// What an engine needs to give its jobs back once it waits for none of them any more.
const GIVE_BACK_MAX: Duration = Duration::from_secs(5);

pub struct Node {
    orloj: Orloj,
    /// Further engines of the configuration, by name.
    others: Vec<(EngineName, Orloj)>,
    grpc: TcpListener,
    http: TcpListener,
    addresses: Addresses,
    /// Work that still runs after so long does not hold up the end of the process.
    shutdown_max: Duration,
}

#[derive(Clone, Copy, Debug)]
pub struct Addresses {
    pub grpc: SocketAddr,
    pub http: SocketAddr,
}

impl Node {
    /// `prepare` may add delegates.
    pub async fn start(
        config: &Config,
        prepare: impl FnOnce(Builder) -> Builder,
    ) -> anyhow::Result<Self> {
        let grpc = listen(&config.listen_grpc, "--listen-grpc").await?;
        let http = listen(&config.listen_http, "--listen-http").await?;
        let addresses = Addresses { grpc: grpc.local_addr()?, http: http.local_addr()? };
        create_data_dir(config)?;

        let (orloj, others) = engines(config, prepare).await?;
        tracing::info!(
            grpc = %addresses.grpc, http = %addresses.http, store = %config.store, "listening"
        );
        let settings = config.settings.engines.values();
        let waits = settings.chain([&config.settings]).map(|one| one.executor.shutdown_wait_ms);
        let shutdown_max = Duration::from_millis(waits.max().unwrap_or(0)) + GIVE_BACK_MAX;
        Ok(Self { orloj, others, grpc, http, addresses, shutdown_max })
    }

    pub fn orloj(&self) -> &Orloj {
        &self.orloj
    }

    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Serves until `stop`, then ends in order.
    pub async fn serve(self, stop: Stop) -> anyhow::Result<()> {
        let Self { orloj, others, grpc, http, addresses, shutdown_max } = self;
        let mut router = orloj_api_orloj::router(orloj.clone());
        for (name, engine) in &others {
            router = router.nest(&format!("/api/engine/{name}"), http::of_engine(engine.clone()));
        }
        let options = orloj_api_zeebe::Options {
            shutdown_grace: CONNECTIONS_END_MAX,
            advertised_host: addresses.grpc.ip().to_string(),
            advertised_port: addresses.grpc.port(),
            ..orloj_api_zeebe::Options::default()
        };
        let gateway =
            orloj_api_zeebe::serve(grpc, orloj.clone(), options, stop.clone().cancelled_owned());
        let gateway = tokio::spawn(ending(gateway, stop.clone()));
        tokio::spawn(huge_pages::allow_when_busy(orloj.clone(), stop.clone()));
        let pages = http::serve(http, router, stop.clone());
        let pages = tokio::spawn(ending(pages, stop.clone()));

        stop.cancelled().await;
        tracing::info!("stopping; a second signal ends it at once");
        let engines = others.iter().map(|(_, engine)| engine).chain([&orloj]);
        let shutdown = join_all(engines.map(Orloj::shutdown));
        if tokio::time::timeout(shutdown_max, shutdown).await.is_err() {
            tracing::warn!("work did not finish in time; it is given back when the lease runs out");
        }
        let served = end_connections(gateway, pages).await;
        tracing::info!("stopped");
        served
    }
}

/// The engine of the configuration, and those it names: on one store, with one pool. `prepare` is
/// for the first.
async fn engines(
    config: &Config,
    prepare: impl FnOnce(Builder) -> Builder,
) -> anyhow::Result<(Orloj, Vec<(EngineName, Orloj)>)> {
    let builder = |settings: &Settings| {
        let mut builder = Orloj::builder()
            .store(config.store.0.clone())
            .settings(settings.clone())
            .executor(settings.executor.active.unwrap_or(config.executor))
            .heartbeat_timeout(config.heartbeat_timeout)
            .scripting(config.scripting.clone())
            .transforms(config.transforms.clone());
        if let Some(name) = &config.node_name {
            builder = builder.node_name(name);
        }
        // This very program, started again as a host of scripts.
        match ScriptHost::current() {
            Ok(host) => builder.script_host(host),
            Err(error) => {
                tracing::warn!(%error, "no script host: JavaScript cannot run");
                builder
            }
        }
    };
    let first = prepare(builder(&config.settings).executor(config.executor));
    // Said for what it is, before the store could be blamed for it.
    first.check()?;
    let opened = || format!("cannot open the store {}", config.store);
    if config.settings.engines.is_empty() {
        return Ok((first.build().await.with_context(opened)?, Vec::new()));
    }
    let default = EngineName::default();
    let calls_max = usize::try_from(config.settings.executor.workers_max).unwrap_or(usize::MAX);
    let mut group = Orloj::group().store(config.store.0.clone()).calls_max(calls_max);
    group = group.engine(default.as_str(), first);
    for (name, settings) in &config.settings.engines {
        let other = builder(settings);
        other.check().with_context(|| format!("engine '{name}'"))?;
        group = group.engine(name, other);
    }
    let mut engines = group.build().await.with_context(opened)?.into_engines();
    let first = engines.remove(&default).expect("it is the first of the group");
    Ok((first, engines.into_iter().collect()))
}

async fn listen(address: &Address, flag: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address.as_str())
        .await
        .with_context(|| format!("cannot listen on {address} ({flag})"))
}

/// Only the folder of the default file is made: a path that someone typed may be a mistake.
fn create_data_dir(config: &Config) -> anyhow::Result<()> {
    let StoreChoice::SqliteFile(file) = &config.store.0 else { return Ok(()) };
    if file.parent() != Some(&config.data_dir) {
        return Ok(());
    }
    // Variables of processes are nobody else's business.
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&config.data_dir).with_context(
        || format!("cannot create the data folder {} (--data-dir)", config.data_dir.display()),
    )
}

/// A listener that ends by itself takes the node with it: half a node helps nobody.
async fn ending<T>(listener: impl Future<Output = T>, stop: Stop) -> T {
    let _guard = stop.drop_guard();
    listener.await
}

/// What matters is safe by now: this only waits for clients to read their answers.
async fn end_connections<E>(
    gateway: JoinHandle<Result<(), E>>,
    pages: JoinHandle<()>,
) -> anyhow::Result<()>
where
    E: std::error::Error + Send + Sync + 'static,
{
    gateway.await.context("the gRPC listener broke")?.context("the gRPC listener failed")?;
    match tokio::time::timeout(CONNECTIONS_END_MAX, pages).await {
        Ok(ended) => ended.context("the HTTP listener broke"),
        Err(_) => {
            tracing::warn!("requests still under way were cut off");
            Ok(())
        }
    }
}
