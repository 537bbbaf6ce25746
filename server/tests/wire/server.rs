//! The server of a story.

#![expect(clippy::disallowed_methods, reason = "a server runs as a task of its own")]

use orloj_api_zeebe::proto::gateway_client::GatewayClient;
use orloj_server::config::{self, Flags};
use orloj_server::orloj::settings::Settings;
use orloj_server::orloj::types::Timestamp;
use orloj_server::orloj::{self, Call, Orloj};
use orloj_server::{Addresses, Node, Stop};
use orloj_testkit::script_host::script_host;
use orloj_testkit::story::{SharedScripts, Story};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};

pub struct Server {
    pub(super) tokio: Runtime,
    pub(super) orloj: Orloj,
    pub(super) gateway: GatewayClient<Channel>,
    pub addresses: Addresses,
    stop: Stop,
    serving: JoinHandle<anyhow::Result<()>>,
    told: Told,
}

/// What the server of a story is made with, also when it is started again.
struct Told {
    folder: TempDir,
    delegates: Vec<String>,
    settings: Option<Settings>,
    scripts: SharedScripts,
}

impl Server {
    pub fn start(story: &Story, scripts: SharedScripts, now: Timestamp) -> Self {
        let told = Told {
            folder: tempfile::tempdir().expect("a temporary folder"),
            delegates: story.delegates().into_iter().map(str::to_owned).collect(),
            settings: story.settings.clone(),
            scripts,
        };
        let tokio =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let tokio = tokio.expect("a runtime");
        let node = tokio.block_on(told.node(now));
        let (orloj, addresses, stop) = (node.orloj().clone(), node.addresses(), Stop::new());
        let serving = tokio.spawn(node.serve(stop.clone()));
        let gateway = tokio.block_on(client(addresses));
        Self { tokio, orloj, gateway, addresses, stop, serving, told }
    }

    pub fn settle(&self) {
        self.tokio.block_on(self.orloj.settle());
    }

    /// In an orderly way, and up again on the same file.
    pub fn restart(&mut self, settings: Option<Settings>) {
        if settings.is_some() {
            self.told.settings = settings;
        }
        let now = self.orloj.now();
        self.stop.cancel();
        self.tokio.block_on(async {
            let ended = (&mut self.serving).await.expect("the server has not panicked");
            ended.expect("it has stopped");
            let node = self.told.node(now).await;
            (self.orloj, self.addresses, self.stop) =
                (node.orloj().clone(), node.addresses(), Stop::new());
            self.serving = tokio::spawn(node.serve(self.stop.clone()));
            self.gateway = client(self.addresses).await;
        });
    }

    pub fn stop(self) {
        self.stop.cancel();
        let ended = self.tokio.block_on(self.serving).expect("the server has not panicked");
        ended.expect("it has stopped");
    }
}

impl Told {
    async fn node(&self, now: Timestamp) -> Node {
        let flags = Flags {
            store: Some(format!("sqlite:{}", self.folder.path().join("story.db").display())),
            listen_grpc: Some("127.0.0.1:0".to_owned()),
            listen_http: Some("127.0.0.1:0".to_owned()),
            ..Flags::default()
        };
        let mut config = config::for_serve(&flags, []).expect("a configuration");
        if let Some(settings) = &self.settings {
            config.settings = settings.clone();
            config.executor = settings.executor.active.unwrap_or(true);
        }
        Node::start(&config, |builder| self.prepare(builder, now)).await.expect("a server")
    }

    fn prepare(&self, builder: orloj::Builder, now: Timestamp) -> orloj::Builder {
        /// As at the other depths.
        const NODE: &str = "story";
        // One at a time, so that the order of calls is the order in which jobs are taken.
        let host = script_host().expect("a script host: cargo build -p orloj --examples");
        let mut builder = builder.pinned_clock(now).node_name(NODE).calls_max(1).script_host(host);
        for delegate in &self.delegates {
            let scripts = self.scripts.clone();
            builder = builder.delegate(delegate, move |call: Call| {
                let result = scripts.call(NODE, &call.delegate);
                async move { result }
            });
        }
        builder
    }
}

async fn client(addresses: Addresses) -> GatewayClient<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{}", addresses.grpc));
    let channel = endpoint.expect("an address").connect().await.expect("a connection");
    GatewayClient::new(channel)
}
