//! Puts an engine together.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::stream::{FuturesOrdered, FuturesUnordered};
use jiff::tz::TimeZone;
use orloj_interpreter::JobSettings;
use orloj_model::{ParseHook, Transforms};
use orloj_script::{ScriptHost, SecureScripting};
use orloj_settings::{AcquisitionSettings, DEFAULT_ACQUISITION, IdGenerator, Settings};
use orloj_store::{Claim, Error as StoreError, NewLimit, Notice, Store, StoredSettings};
use orloj_types::{EngineName, Timestamp};
use prometheus_client::registry::Registry as MetricsRegistry;
use rustc_hash::FxHashMap;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot};

use crate::api::Error;
use crate::calls::{Callees, Programs, Registry};
use crate::clock::Clock;
use crate::configurator::Configurator;
use crate::decisions::Decisions;
use crate::definition_cache::{BoundedCache, DefinitionCache};
use crate::definitions::Definitions;
use crate::driver::{Driver, Input, Pace, metering, run_chores};
use crate::handle::{Inner, Orloj};
use crate::metrics::Metrics;
use crate::node::chores::windows_of;
use crate::node::{Config, Event, ExecutorOptions, Node, job_settings, limit_of, store_error};
use crate::own_executor::Executor;
use crate::pool::Spawn;
use crate::reading::Reading;

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
pub(crate) struct OwnStore {
    store: Arc<dyn Store>,
    lanes: u8,
    is_shared: bool,
}

/// Puts an engine together: `Orloj::builder()`.
pub struct Builder {
    pub(crate) store: StoreChoice,
    own_store: Option<OwnStore>,
    node_name: Option<String>,
    pub(crate) registry: Registry,
    pub(crate) configurators: Vec<Box<dyn Configurator>>,
    pub(crate) cache: Option<Arc<dyn DefinitionCache>>,
    pub(crate) runtime: Option<Handle>,
    pub(crate) spawn: Option<Arc<dyn Spawn>>,
    pub(crate) own_executor: Option<Arc<dyn Executor>>,
    script_host: Option<ScriptHost>,
    scripting: SecureScripting,
    reading: Reading,
    zone: Option<TimeZone>,
    pub(crate) clock: Clock,
    pub(crate) config: Config,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            store: StoreChoice::Memory,
            own_store: None,
            node_name: None,
            registry: Registry::default(),
            configurators: Vec::new(),
            cache: None,
            runtime: None,
            spawn: None,
            own_executor: None,
            script_host: None,
            scripting: SecureScripting::default(),
            reading: Reading::default(),
            zone: None,
            clock: Clock::system(),
            config: Config {
                executor: ExecutorOptions { is_active: false, ..ExecutorOptions::default() },
                ..Config::default()
            },
        }
    }
}

impl Builder {
    pub fn store(mut self, choice: StoreChoice) -> Self {
        self.store = choice;
        self
    }

    /// Uses a store of the application's own; it must pass the contract suite. `lanes`: how many
    /// groups it commits at the same time. `is_shared`: whether other nodes use it too. Where the
    /// settings want rows written one by one it is given one change at a time; how it writes the
    /// rows of a change is its own business.
    pub fn own_store(mut self, store: Arc<dyn Store>, lanes: u8, is_shared: bool) -> Self {
        self.own_store = Some(OwnStore { store, lanes: lanes.max(1), is_shared });
        self
    }

    pub(crate) fn with_store(mut self, store: OwnStore) -> Self {
        self.own_store = Some(store);
        self
    }

    /// Joins an acquisition by its name: one of the [settings](Builder::settings), or of the
    /// [group](crate::GroupBuilder::acquisition) that the engine is built in.
    pub fn acquisition(mut self, name: &str) -> Self {
        let settings = Arc::make_mut(&mut self.config.settings);
        name.clone_into(&mut settings.executor.acquisition);
        self.join_acquisition(&BTreeMap::new())
    }

    /// What others define counts where the settings define nothing.
    pub(crate) fn join_acquisition(
        mut self,
        others: &BTreeMap<String, AcquisitionSettings>,
    ) -> Self {
        let settings = Arc::make_mut(&mut self.config.settings);
        let joined = &settings.executor.acquisition;
        if let (Some(other), false) =
            (others.get(joined), settings.acquisitions.contains_key(joined))
        {
            settings.acquisitions.insert(joined.clone(), other.clone());
        }
        let executor = self.config.executor.clone().with_settings(&self.config.settings);
        if self
            .config
            .settings
            .acquisitions
            .contains_key(&self.config.settings.executor.acquisition)
        {
            self.config.executor.looks = executor.looks;
            self.config.executor.longest_run = executor.longest_run;
        }
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
        self.config.executor.is_active = on;
        self
    }

    /// In which order jobs are run, which ones, how many at a time. Whether the executor is active
    /// is said here too.
    pub fn executor_options(mut self, options: ExecutorOptions) -> Self {
        self.config.executor = options;
        self
    }

    /// The program whose processes run JavaScript; it must call [`orloj_script::host::run`].
    /// Without one, models with JavaScript are refused.
    pub fn script_host(mut self, host: ScriptHost) -> Self {
        self.script_host = Some(host);
        self
    }

    /// Every knob of the engine at once. Calls for single ones that come later overrule it.
    pub fn settings(mut self, settings: Settings) -> Self {
        let executor = &settings.executor;
        self.config.executor = self.config.executor.with_settings(&settings);
        if let Some(name) = &executor.lock_owner {
            self.node_name = Some(name.clone());
        }
        self = self
            .heartbeat_timeout(Duration::from_millis(executor.heartbeat_timeout_ms))
            .calls_max(usize::try_from(executor.workers_max).unwrap_or(usize::MAX));
        self.config.settings = Arc::new(settings);
        self
    }

    /// Where the node is: windows and cycles of clean-ups that name no offset are meant there.
    /// Default: the zone of the machine.
    pub fn time_zone(mut self, zone: TimeZone) -> Self {
        self.zone = Some(zone);
        self
    }

    /// What scripts may see and use up.
    pub fn scripting(mut self, scripting: SecureScripting) -> Self {
        self.scripting = scripting;
        self
    }

    /// Sees and changes every element of every model that is read, after the transforms and the
    /// hooks added before it. It must give the same answers for the same file, on every node, as
    /// long as instances of it run; what it refuses counts only when a file is deployed.
    pub fn parse_hook(mut self, hook: impl ParseHook + 'static) -> Self {
        self.reading.hooks.push(Arc::new(hook));
        self
    }

    /// Changes to models as they are deployed. Those that apply to a file are stored with it:
    /// other transforms later change nothing of what is deployed.
    pub fn transforms(mut self, transforms: Transforms) -> Self {
        self.reading.transforms = transforms;
        self
    }

    /// Time stands still at `at` and moves only by [`Orloj::advance`].
    pub fn pinned_clock(self, at: Timestamp) -> Self {
        self.clock(Clock::pinned(at))
    }

    /// The time to go by; default: the machine's.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// How long a silent node counts as alive. Default 5 s.
    pub fn heartbeat_timeout(mut self, timeout: Duration) -> Self {
        self.config.heartbeat_timeout_ms = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
        self
    }

    /// Jobs of the engine this node keeps queued. Default 8192.
    pub fn queue_jobs_max(mut self, jobs: usize) -> Self {
        self.config.executor.queue_jobs_max = jobs;
        self
    }

    /// Most changes of one commit. Default 1,024.
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
        let orloj = self.configured()?.assemble().await?;
        if let Err(error) = orloj.schedule_clean_ups().await {
            // Another node does it, or the next start; the engine works without.
            tracing::warn!(%error, "the clean-up of history is not scheduled");
        }
        Ok(orloj)
    }

    /// What the settings ask for and cannot be had, before anything is opened. [`Builder::build`]
    /// asks as well.
    pub fn check(&self) -> Result<(), Error> {
        self.config.executor.check()?;
        check_settings(&self.config.settings)?;
        job_settings(&self.config.settings).map(drop)
    }

    async fn assemble(self) -> Result<Orloj, Error> {
        self.check()?;
        let mut config = self.config;
        config.zone = self.zone.unwrap_or_else(|| zone_for(&config.settings));
        let order = config.executor.order;
        config.jobs = Arc::new(JobSettings {
            exclusive_order: Some(order),
            ..job_settings(&config.settings)?
        });
        if config.settings.ids.generator == IdGenerator::Uuid {
            tracing::warn!("ids.generator: things are named by keys of 64 bits, not by UUIDs");
        }
        let OwnStore { store, lanes, is_shared } = match self.own_store {
            Some(own) => own,
            None => {
                let in_bulk = config.settings.rows.in_bulk;
                open(&self.store, &config.engine, in_bulk).await.map_err(|e| open_error(&e))?
            }
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
            profile: config.executor.profile(&[]),
        };
        let lease = store.join(claim.clone()).await.map_err(|e| open_error(&e))?;

        let metrics = Metrics::default();
        let mut registry = MetricsRegistry::default();
        metrics.register(&mut registry);
        let code = Arc::new(self.registry);
        // After joining: whoever sets something later waits for this node.
        let stored = settings_of(&*store, &config.settings, self.clock.now()).await;
        let stored = stored.map_err(|e| open_error(&e))?;
        let mut node =
            Node::new(config.clone(), lease, code.clone(), metrics.clone(), self.clock.now());
        node.know_settings(&stored);
        let (inputs, receiver) = tokio::sync::mpsc::unbounded_channel();
        let noticed = inputs.clone();
        store.listen(Box::new(move |notice| {
            // The engine has stopped.
            let _ = noticed.send(Input::Event(Event::Noticed(notice)));
        }));
        let reading = Arc::new(self.reading);
        let cache = self.cache.unwrap_or_else(|| default_cache(&config.settings));
        let definitions = Arc::new(Definitions::new(store.clone(), reading.clone(), cache));
        definitions.know_tenants(&stored.moved);
        let decisions = Arc::new(Decisions::new(store.clone()));
        let programs = Arc::new(Programs::new(self.script_host, self.scripting));
        let is_ready = Arc::new(AtomicBool::new(true));
        let is_executor_active = Arc::new(AtomicBool::new(config.executor.is_active));
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
                registry: code,
                programs: programs.clone(),
                decisions: decisions.clone(),
                definitions: definitions.clone(),
                meters: metrics.meters.clone(),
            },
            clock: self.clock.clone(),
            tokio: self.runtime.unwrap_or_else(Handle::current),
            inputs: receiver,
            sender: inputs.clone(),
            asked: FuturesUnordered::new(),
            offered: FuturesOrdered::new(),
            early: VecDeque::new(),
            is_ready: is_ready.clone(),
            is_executor_active: is_executor_active.clone(),
            stopped: Some(stopped),
            answers: FxHashMap::default(),
            streams: FxHashMap::default(),
            calls: Vec::new(),
            spawn: self.spawn,
            executor: self.own_executor,
            is_executor_started: false,
            abroad: Vec::new(),
            call_aborts: FxHashMap::default(),
            gives_up_calls: config.executor.longest_run.is_limited(),
            pace: Pace::default(),
            to_call: Vec::new(),
            chores,
            deployed: (0, 0),
            session: session.clone(),
        };
        let moved = inputs.clone();
        self.clock.on_advance(move || moved.send(Input::Event(Event::Tick)).is_ok());
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
        let inner = Arc::new(Inner {
            store,
            engine: config.engine,
            definitions,
            decisions,
            programs,
            reading,
            settings: config.settings,
            zone: config.zone,
            inputs,
            clock: self.clock,
            is_ready,
            is_executor_active,
            metrics,
            registry: Mutex::new(registry),
            next_stream: AtomicU64::new(0),
            next_request: AtomicU64::new(0),
            requests: Semaphore::new(config.requests_max),
            stopped: tokio::sync::Mutex::new(Some(wait_stopped)),
            session,
            node_name: config.node_name,
        });
        metering::spawn(&inner);
        Ok(Orloj::of(inner))
    }
}

/// What is set in the store, with the limits of the configuration where it knows none yet.
async fn settings_of(
    store: &dyn Store,
    settings: &Settings,
    now: Timestamp,
) -> Result<StoredSettings, StoreError> {
    let stored = store.settings().await?;
    let limits = settings.limits.iter().map(limit_of).collect::<Result<Vec<NewLimit>, _>>()?;
    let is_known = |limit: &NewLimit| {
        stored.limits.iter().any(|row| (row.scope, &row.name) == (limit.scope, &limit.name))
    };
    let missing: Vec<NewLimit> = limits.into_iter().filter(|limit| !is_known(limit)).collect();
    if missing.is_empty() {
        return Ok(stored);
    }
    for limit in missing {
        let version = store.set_limit(limit, now).await?;
        // A hint; heartbeats tell as well.
        let _ = store.notify(vec![Notice::Settings(version)]).await;
    }
    store.settings().await
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let thread = std::thread::Builder::new().name(name.into()).spawn(run);
    thread.map(drop).map_err(|e| Error::Internal(format!("no thread {name}: {e}")))
}

/// Two, so that while one group is on its way to the disk the other is being filled. Where the server
/// and the node have a processor each and no more, the second would only take from both, and make
/// smaller groups (docs/adr/0003 has the figures).
#[cfg(feature = "postgres")]
fn lanes_shared() -> u8 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if processors > 2 { 2 } else { 1 }
}

/// Looking for the machine's zone may read files; mostly no zone is needed.
fn zone_for(settings: &Settings) -> TimeZone {
    let is_used = !windows_of(&settings.history.cleanup, &TimeZone::UTC).is_empty()
        || settings.batches.poll_cycle.is_some();
    if is_used { TimeZone::system() } else { TimeZone::UTC }
}

/// What cannot be had is said before anything is opened.
fn check_settings(settings: &Settings) -> Result<(), Error> {
    let joined = &settings.executor.acquisition;
    let is_known = joined == DEFAULT_ACQUISITION || settings.acquisitions.contains_key(joined);
    match is_known {
        true => Ok(()),
        false => Err(Error::Invalid(format!(
            "executor.acquisition: there is no acquisition named '{joined}'"
        ))),
    }
}

fn default_cache(settings: &Settings) -> Arc<dyn DefinitionCache> {
    let definitions_max = settings.model.definition_cache_max;
    let definitions_max = definitions_max.and_then(|max| usize::try_from(max).ok());
    Arc::new(BoundedCache::new(definitions_max.unwrap_or(BoundedCache::DEFINITIONS_MAX)))
}

/// One for each engine, on the same database. With each name: whether it writes in bulk.
pub(crate) async fn open_all(
    choice: &StoreChoice,
    engines: &[(EngineName, bool)],
) -> Result<Vec<OwnStore>, Error> {
    let Some(((first, _), others)) = engines.split_first() else { return Ok(Vec::new()) };
    #[cfg(feature = "sqlite")]
    {
        use orloj_store_sqlite::Options;
        let options = match choice {
            StoreChoice::SqliteFile(path) => Some(Options::file(path, first.clone())),
            StoreChoice::Memory => Some(Options::memory(first.clone())),
            StoreChoice::Postgres(_) => None,
        };
        if let Some(options) = options {
            let store = orloj_store_sqlite::SqliteStore::open(&options);
            let store = store.map_err(|e| open_error(&e))?;
            let mut stores: Vec<OwnStore> = others
                .iter()
                .map(|(name, _)| sqlite_store(store.for_engine(name.clone())))
                .collect();
            stores.insert(0, sqlite_store(store));
            return Ok(stores);
        }
    }
    let mut stores = Vec::with_capacity(engines.len());
    for (engine, in_bulk) in engines {
        stores.push(open(choice, engine, *in_bulk).await.map_err(|e| open_error(&e))?);
    }
    Ok(stores)
}

/// SQLite is given every row by a statement of its own anyway.
async fn open(
    choice: &StoreChoice,
    engine: &EngineName,
    in_bulk: bool,
) -> Result<OwnStore, StoreError> {
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
            let defaults = Options::new(url, engine.clone());
            let lanes = lanes_shared();
            let options = Options { lanes, in_bulk, ..defaults };
            let store = Arc::new(PostgresStore::connect(options).await?);
            Ok(OwnStore { store, lanes, is_shared: true })
        }
        #[cfg(not(all(feature = "sqlite", feature = "postgres")))]
        _ => Err(StoreError::Refused(format!("engine {engine}: this build has no such store"))),
    }
}

#[cfg(feature = "sqlite")]
fn sqlite(options: &orloj_store_sqlite::Options) -> Result<OwnStore, StoreError> {
    Ok(sqlite_store(orloj_store_sqlite::SqliteStore::open(options)?))
}

#[cfg(feature = "sqlite")]
fn sqlite_store(store: orloj_store_sqlite::SqliteStore) -> OwnStore {
    OwnStore { store: Arc::new(store), lanes: 1, is_shared: false }
}

fn open_error(error: &StoreError) -> Error {
    match error {
        StoreError::Refused(_)
        | StoreError::Held(_)
        | StoreError::NewerSchema { .. }
        | StoreError::UnreleasedSchema { .. } => Error::Invalid(error.to_string()),
        other => store_error(other),
    }
}

fn default_node_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = host.trim();
    let host = if host.is_empty() { "node" } else { host };
    format!("{host}-{}", std::process::id())
}
