//! Puts an engine together.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use orloj_interpreter::Delegates;
use orloj_script::{ScriptHost, SecureScripting};
use orloj_store::{Claim, Error as StoreError, Store};
use orloj_types::{EngineName, Timestamp};
use prometheus_client::registry::Registry as MetricsRegistry;
use rustc_hash::FxHashMap;
use tokio::sync::{Semaphore, oneshot};

use crate::api::{Delegate, Error};
use crate::calls::{Callees, Programs, Registry};
use crate::clock::Clock;
use crate::decisions::Decisions;
use crate::definitions::Definitions;
use crate::driver::{Driver, Input, Pace, run_chores};
use crate::handle::{Inner, Orloj};
use crate::metrics::Metrics;
use crate::node::{Config, Event, Node, store_error};

/// Where state is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreChoice {
    /// One file; one process owns it.
    SqliteFile(PathBuf),
    /// Gone with the process.
    Memory,
    /// A `postgres://` URL; any number of nodes.
    Postgres(String),
}

/// A store of the application's own, behind the contract of `orloj-store`.
struct OwnStore {
    store: Arc<dyn Store>,
    lanes: u8,
    is_shared: bool,
}

pub struct Builder {
    store: StoreChoice,
    own_store: Option<OwnStore>,
    node_name: Option<String>,
    delegates: Registry,
    script_host: Option<ScriptHost>,
    scripting: SecureScripting,
    clock: Clock,
    config: Config,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            store: StoreChoice::Memory,
            own_store: None,
            node_name: None,
            delegates: Registry::default(),
            script_host: None,
            scripting: SecureScripting::default(),
            clock: Clock::system(),
            config: Config { executor: false, ..Config::default() },
        }
    }
}

impl Builder {
    pub fn store(mut self, choice: StoreChoice) -> Self {
        self.store = choice;
        self
    }

    /// Uses a store of the application's own; it must pass the contract suite. `lanes`: how many
    /// groups it commits at the same time. `is_shared`: whether other nodes use it too.
    pub fn own_store(mut self, store: Arc<dyn Store>, lanes: u8, is_shared: bool) -> Self {
        self.own_store = Some(OwnStore { store, lanes: lanes.max(1), is_shared });
        self
    }

    pub fn engine(mut self, name: EngineName) -> Self {
        self.config.engine = name;
        self
    }

    /// A node of the same name is this one's predecessor. Default: host name and process id.
    pub fn node_name(mut self, name: &str) -> Self {
        self.node_name = Some(name.to_owned());
        self
    }

    /// Whether this node runs the engine's own jobs. Off unless said: an embedding application
    /// decides which of its processes work.
    pub fn executor(mut self, on: bool) -> Self {
        self.config.executor = on;
        self
    }

    pub fn delegate(mut self, name: &str, delegate: impl Delegate) -> Self {
        self.delegates.insert(name.into(), Arc::new(delegate));
        self
    }

    /// The program whose processes run JavaScript; it must call [`orloj_script::host::run`].
    /// Without one, models with JavaScript are refused.
    pub fn script_host(mut self, host: ScriptHost) -> Self {
        self.script_host = Some(host);
        self
    }

    /// What scripts may see and use up.
    pub fn scripting(mut self, scripting: SecureScripting) -> Self {
        self.scripting = scripting;
        self
    }

    /// Time stands still at `at` and moves only by [`Orloj::advance`].
    pub fn pinned_clock(mut self, at: Timestamp) -> Self {
        self.clock = Clock::pinned(at);
        self
    }

    /// How long a silent node counts as alive. Default 5 s.
    pub fn heartbeat_timeout(mut self, timeout: Duration) -> Self {
        self.config.heartbeat_timeout_ms = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
        self
    }

    /// Jobs of the engine this node keeps queued. Default 8192.
    pub fn queue_jobs_max(mut self, jobs: usize) -> Self {
        self.config.queue_jobs_max = jobs;
        self
    }

    /// Most changes of one commit. Default 256.
    pub fn group_changes_max(mut self, changes: usize) -> Self {
        self.config.group_changes_max = changes.max(1);
        self
    }

    /// Calls of delegates at the same time. Default 256.
    pub fn calls_max(mut self, calls: usize) -> Self {
        self.config.calls_max = calls.max(1);
        self
    }

    pub async fn build(self) -> Result<Orloj, Error> {
        let mut config = self.config;
        let OwnStore { store, lanes, is_shared } = match self.own_store {
            Some(own) => own,
            None => open(&self.store, &config.engine).await.map_err(|e| open_error(&e))?,
        };
        config.is_shared = is_shared;
        config.lanes = lanes;
        let name = self.node_name.unwrap_or_else(default_node_name);
        config.node_name = name.as_str().into();
        let claim = Claim {
            name,
            engine: config.engine.clone(),
            lanes: config.lanes,
            now: self.clock.now(),
        };
        let lease = store.join(claim.clone()).await.map_err(|e| open_error(&e))?;

        let metrics = Metrics::default();
        let mut registry = MetricsRegistry::default();
        metrics.register(&mut registry);
        let delegates = Arc::new(self.delegates);
        let node = Node::new(
            config.clone(),
            lease,
            Arc::new(Registered(delegates.clone())),
            metrics.clone(),
            self.clock.now(),
        );
        let (inputs, receiver) = tokio::sync::mpsc::unbounded_channel();
        let noticed = inputs.clone();
        store.listen(Box::new(move |notice| {
            // The engine has stopped.
            let _ = noticed.send(Input::Event(Event::Noticed(notice)));
        }));
        let definitions = Arc::new(Definitions::new(store.clone()));
        let decisions = Arc::new(Decisions::new(store.clone()));
        let programs = Arc::new(Programs::new(self.script_host, self.scripting));
        let is_ready = Arc::new(AtomicBool::new(true));
        let session = Arc::new(AtomicI64::new(lease.session));
        let (stopped, wait_stopped) = oneshot::channel();
        let (chores, chores_to_do) = std::sync::mpsc::channel();
        let (prepared, answered) = (store.clone(), inputs.clone());
        spawn("orloj-chores", move || run_chores(&chores_to_do, &*prepared, &answered))?;
        let driver = Driver {
            node,
            store: store.clone(),
            claim,
            definitions: definitions.clone(),
            callees: Callees {
                delegates,
                programs: programs.clone(),
                decisions: decisions.clone(),
                definitions: definitions.clone(),
            },
            clock: self.clock.clone(),
            tokio: tokio::runtime::Handle::current(),
            inputs: receiver,
            sender: inputs.clone(),
            asked: FuturesUnordered::new(),
            early: VecDeque::new(),
            is_ready: is_ready.clone(),
            stopped: Some(stopped),
            answers: FxHashMap::default(),
            streams: FxHashMap::default(),
            calls: Vec::new(),
            pace: Pace::default(),
            to_call: Vec::new(),
            chores,
            newest_definition: 0,
            session: session.clone(),
        };
        let (began, has_begun) = oneshot::channel();
        spawn("orloj-node", move || {
            match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(own) => {
                    // Nobody waits when building was given up.
                    let _ = began.send(Ok(()));
                    driver.run(&own);
                }
                Err(error) => drop(began.send(Err(error))),
            }
        })?;
        let began =
            has_begun.await.map_err(|_| Error::Internal("the node's thread ended".into()))?;
        began.map_err(|e| Error::Internal(format!("no runtime for the node: {e}")))?;
        Ok(Orloj {
            inner: Arc::new(Inner {
                store,
                engine: config.engine,
                definitions,
                decisions,
                programs,
                inputs,
                clock: self.clock,
                is_ready,
                metrics,
                registry: Mutex::new(registry),
                next_stream: AtomicU64::new(0),
                next_request: AtomicU64::new(0),
                requests: Semaphore::new(config.requests_max),
                stopped: tokio::sync::Mutex::new(Some(wait_stopped)),
                session,
            }),
        })
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let thread = std::thread::Builder::new().name(name.into()).spawn(run);
    thread.map(drop).map_err(|e| Error::Internal(format!("no thread {name}: {e}")))
}

/// Two: while one group is on its way to the disk the other is being filled.
const LANES_SHARED: u8 = 2;

struct Registered(Arc<Registry>);

impl Delegates for Registered {
    fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

async fn open(choice: &StoreChoice, engine: &EngineName) -> Result<OwnStore, StoreError> {
    match choice {
        #[cfg(feature = "sqlite")]
        StoreChoice::SqliteFile(path) => {
            sqlite(&orloj_store_sqlite::Options::file(path, engine.clone()))
        }
        #[cfg(feature = "sqlite")]
        StoreChoice::Memory => sqlite(&orloj_store_sqlite::Options::memory(engine.clone())),
        #[cfg(feature = "postgres")]
        StoreChoice::Postgres(url) => {
            use orloj_store_postgres::{Options, PostgresStore};
            let options = Options { lanes: LANES_SHARED, ..Options::new(url, engine.clone()) };
            let store = Arc::new(PostgresStore::connect(options).await?);
            Ok(OwnStore { store, lanes: LANES_SHARED, is_shared: true })
        }
        #[cfg(not(all(feature = "sqlite", feature = "postgres")))]
        _ => Err(StoreError::Refused(format!("engine {engine}: this build has no such store"))),
    }
}

#[cfg(feature = "sqlite")]
fn sqlite(options: &orloj_store_sqlite::Options) -> Result<OwnStore, StoreError> {
    let store = Arc::new(orloj_store_sqlite::SqliteStore::open(options)?);
    Ok(OwnStore { store, lanes: 1, is_shared: false })
}

fn open_error(error: &StoreError) -> Error {
    match error {
        StoreError::Refused(_) | StoreError::Held(_) | StoreError::NewerSchema { .. } => {
            Error::Invalid(error.to_string())
        }
        other => store_error(other),
    }
}

fn default_node_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = host.trim();
    let host = if host.is_empty() { "node" } else { host };
    format!("{host}-{}", std::process::id())
}
