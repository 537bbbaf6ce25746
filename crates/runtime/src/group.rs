//! Several engines of one application: on one database, with one pool, each with rows of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_settings::{AcquisitionSettings, Settings};
use orloj_types::EngineName;

use crate::api::Error;
use crate::builder::{Builder, StoreChoice, open_all};
use crate::handle::Orloj;
use crate::pool::Pool;

/// Calls of delegates and beans of all engines of a group together, unless said otherwise.
const CALLS_MAX: usize = 256;

/// Engines that share a database and a pool. None sees rows of another.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), orloj::Error> {
/// use orloj::Orloj;
///
/// let group = Orloj::group()
///     .calls_max(8)
///     .engine("sales", Orloj::builder().executor(true))
///     .engine("support", Orloj::builder())
///     .build()
///     .await?;
/// let sales = group.engine("sales").expect("it was built");
/// assert!(sales.executor().is_active());
/// group.shutdown().await;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct OrlojGroup {
    engines: BTreeMap<EngineName, Orloj>,
    pool: Pool,
}

impl OrlojGroup {
    pub fn engine(&self, name: &str) -> Option<&Orloj> {
        self.engines.get(&EngineName::new(name))
    }

    /// By name.
    pub fn engines(&self) -> impl Iterator<Item = (&EngineName, &Orloj)> {
        self.engines.iter()
    }

    pub fn into_engines(self) -> BTreeMap<EngineName, Orloj> {
        self.engines
    }

    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Shuts all of them down, one after another. Idempotent.
    pub async fn shutdown(&self) {
        for engine in self.engines.values() {
            engine.shutdown().await;
        }
    }
}

/// Puts a group together: `Orloj::group()`.
pub struct GroupBuilder {
    store: StoreChoice,
    calls_max: usize,
    pool: Option<Pool>,
    acquisitions: BTreeMap<String, AcquisitionSettings>,
    engines: Vec<(EngineName, Builder)>,
}

impl Default for GroupBuilder {
    fn default() -> Self {
        Self {
            store: StoreChoice::Memory,
            calls_max: CALLS_MAX,
            pool: None,
            acquisitions: BTreeMap::new(),
            engines: Vec::new(),
        }
    }
}

impl Orloj {
    pub fn group() -> GroupBuilder {
        GroupBuilder::default()
    }
}

impl GroupBuilder {
    /// Where all of them keep their state. What their builders say about it does not count.
    pub fn store(mut self, choice: StoreChoice) -> Self {
        self.store = choice;
        self
    }

    /// Calls of delegates and beans at the same time, of all engines together. Default 256.
    pub fn calls_max(mut self, calls: usize) -> Self {
        self.calls_max = calls;
        self
    }

    /// A pool that is used elsewhere too.
    pub fn pool(mut self, pool: Pool) -> Self {
        self.pool = Some(pool);
        self
    }

    /// How jobs are looked for, for the engines that [join](Builder::acquisition) it by this name.
    pub fn acquisition(mut self, name: &str, settings: AcquisitionSettings) -> Self {
        self.acquisitions.insert(name.to_owned(), settings);
        self
    }

    /// An engine under its name. It runs its code in the group's pool, unless its builder names
    /// another place.
    pub fn engine(mut self, name: &str, builder: Builder) -> Self {
        self.engines.push((EngineName::new(name), builder));
        self
    }

    /// The engines of a configuration: the one that it is about, under the default name, and those
    /// that it names. `prepare` gives each the builder to start from.
    pub fn engines(
        mut self,
        settings: &Settings,
        mut prepare: impl FnMut(&EngineName, &Settings) -> Builder,
    ) -> Self {
        let default = EngineName::default();
        let builder = prepare(&default, settings).settings(settings.clone());
        self.engines.push((default, builder));
        for (name, settings) in &settings.engines {
            let name = EngineName::new(name.as_str());
            let builder = prepare(&name, settings).settings(settings.clone());
            self.engines.push((name, builder));
        }
        self
    }

    /// All of them, or none.
    pub async fn build(self) -> Result<OrlojGroup, Error> {
        let names: Vec<EngineName> = self.engines.iter().map(|(name, _)| name.clone()).collect();
        if names.is_empty() {
            return Err(Error::Invalid("a group has at least one engine".into()));
        }
        if let Some(twice) = (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
            return Err(Error::Invalid(format!("two engines are named '{}'", names[twice])));
        }
        let pool = self.pool.unwrap_or_else(|| Pool::new(self.calls_max));
        let in_bulk = self.engines.iter().map(|(_, engine)| engine.config.settings.rows.in_bulk);
        let engines: Vec<(EngineName, bool)> = names.into_iter().zip(in_bulk).collect();
        let stores = open_all(&self.store, &engines).await?;
        let mut group = OrlojGroup { engines: BTreeMap::new(), pool };
        for ((name, builder), store) in self.engines.into_iter().zip(stores) {
            let mut builder = builder.engine(name.clone()).join_acquisition(&self.acquisitions);
            if builder.spawn.is_none() {
                builder.spawn = Some(Arc::new(group.pool.clone()));
            }
            match builder.with_store(store).build().await {
                Ok(engine) => drop(group.engines.insert(name, engine)),
                Err(error) => {
                    group.shutdown().await;
                    return Err(error);
                }
            }
        }
        Ok(group)
    }
}
