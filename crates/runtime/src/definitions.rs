//! Deployed definitions, parsed once and shared by the node and the handle.

use std::collections::{BTreeMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use orloj_interpreter::{Bound, CalledProcess};
use orloj_model::{CHECKS, Dialect, Process, TimeToLive};
use orloj_store::{
    DefinitionFilter, DefinitionRow, Error as StoreError, MovedDefinition, PAGE_ROWS_MAX, Page,
    Store,
};
use orloj_types::{DefinitionKey, DeploymentKey, ProcessId, TenantId};
use rustc_hash::FxHashMap;
use tokio::sync::OnceCell;

use crate::api::{Error, Missing, Which};
use crate::definition::Definition;
use crate::definition_cache::DefinitionCache;
use crate::node::store_error;
use crate::reading::{Reading, transforms_name};

/// Files with several processes kept parsed, so that each is read once for all its definitions;
/// beyond it the oldest goes.
const FILES_MAX: usize = 16;

pub(crate) struct Definitions {
    store: Arc<dyn Store>,
    reading: Arc<Reading>,
    cache: Arc<dyn DefinitionCache>,
    files: Mutex<VecDeque<(FileName, Arc<OnceCell<File>>)>>,
    /// Only what this node deployed or looked up; cleared when another node deploys.
    latest: Latest<(TenantId, ProcessId), DefinitionKey>,
    /// Likewise; `None`: there is none.
    bound: Latest<Bond, Option<DefinitionKey>>,
    /// Of those that a clean-up has asked for: some bytes each.
    times_to_live: Mutex<FxHashMap<DefinitionKey, Option<TimeToLive>>>,
    /// Of those that have another one than they were deployed with, as far as it is known here.
    tenants: RwLock<FxHashMap<DefinitionKey, TenantId>>,
}

impl Definitions {
    pub fn new(
        store: Arc<dyn Store>,
        reading: Arc<Reading>,
        cache: Arc<dyn DefinitionCache>,
    ) -> Self {
        Self {
            store,
            reading,
            cache,
            files: Mutex::default(),
            latest: Latest::default(),
            bound: Latest::default(),
            times_to_live: Mutex::default(),
            tenants: RwLock::default(),
        }
    }

    pub async fn find(&self, which: &Which, tenant: &TenantId) -> Result<Arc<Definition>, Error> {
        match which {
            Which::Definition(key) => self.get(*key).await,
            Which::Version(process_id, version) => {
                let row = self.row(process_id, tenant, Some(*version)).await?.ok_or_else(|| {
                    let process_id = process_id.as_str().into();
                    Error::Missing(Missing::Version { process_id, version: *version })
                })?;
                self.parsed(row).await
            }
            Which::Latest(process_id) => {
                let known = (tenant.clone(), process_id.clone());
                let lookup = match self.latest.get(&known) {
                    Ok(key) => return self.get(key).await,
                    Err(lookup) => lookup,
                };
                let row = self
                    .row(process_id, tenant, None)
                    .await?
                    .ok_or_else(|| Error::Missing(Missing::Process(process_id.as_str().into())))?;
                self.latest.insert(lookup, known, row.key);
                self.parsed(row).await
            }
        }
    }

    /// The process that a call activity names; `None`: nobody has deployed it.
    pub async fn called(&self, called: &CalledProcess) -> Result<Option<Arc<Definition>>, Error> {
        let found = self.called_in(&called.tenant, called).await?;
        let falls_back = called.falls_back_to_no_tenant && !called.tenant.is_empty();
        match found {
            None if falls_back => self.called_in(&TenantId::none(), called).await,
            found => Ok(found),
        }
    }

    async fn called_in(
        &self,
        tenant: &TenantId,
        called: &CalledProcess,
    ) -> Result<Option<Arc<Definition>>, Error> {
        let process_id = ProcessId::from(&*called.process);
        let found = match &called.binding {
            Bound::Latest => self.find(&Which::Latest(process_id), tenant).await,
            Bound::Version(version) => {
                self.find(&Which::Version(process_id, *version), tenant).await
            }
            Bound::Definition => match called.process.parse() {
                Ok(key) => self.get(DefinitionKey::new(key)).await,
                Err(_) => return Ok(None),
            },
            Bound::Deployment => self.deployed_with(&process_id, called.caller).await,
            Bound::DeploymentOrLatest => {
                match self.deployed_with(&process_id, called.caller).await {
                    Err(Error::Missing(_)) => self.find(&Which::Latest(process_id), tenant).await,
                    found => found,
                }
            }
            Bound::VersionTag(tag) => {
                self.bound(Bond::Tag(tenant.clone(), process_id, tag.clone())).await
            }
        };
        match found {
            Ok(definition) => Ok(Some(definition)),
            Err(Error::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The process of this id that was deployed together with a definition.
    async fn deployed_with(
        &self,
        process_id: &ProcessId,
        caller: DefinitionKey,
    ) -> Result<Arc<Definition>, Error> {
        let deployment = self.get(caller).await?.deployment;
        self.bound(Bond::Deployment(deployment, process_id.clone())).await
    }

    /// The newest version that fits. Numbers are missing where versions were deleted or belong to
    /// another tenant now, and what came from another one may have a higher number than what was
    /// deployed later.
    async fn bound(&self, bond: Bond) -> Result<Arc<Definition>, Error> {
        let missing = || Error::Missing(Missing::Process(bond.process_id().as_str().into()));
        let lookup = match self.bound.get(&bond) {
            Ok(Some(key)) => return self.get(key).await,
            Ok(None) => return Err(missing()),
            Err(lookup) => lookup,
        };
        let rows = definition_rows(&*self.store, &bond.filter()).await;
        let mut rows = rows.map_err(|e| store_error(&e))?;
        rows.sort_by_key(|row| std::cmp::Reverse(row.version));
        let mut found = None;
        for row in rows {
            let definition = self.parsed(row).await?;
            if bond.fits(&definition) {
                found = Some(definition);
                break;
            }
        }
        let key = found.as_ref().map(|definition| definition.key);
        let found = found.ok_or_else(missing);
        self.bound.insert(lookup, bond, key);
        found
    }

    pub async fn get(&self, key: DefinitionKey) -> Result<Arc<Definition>, Error> {
        if let Some(definition) = self.cache.get(key) {
            return Ok(definition);
        }
        let row = self.store.definition(key).await.map_err(|e| store_error(&e))?;
        let row = row.ok_or(Error::Missing(Missing::Definition(key.raw())))?;
        self.parsed(row).await
    }

    /// Of those that say how long their ended instances are kept. One that cannot be read any more
    /// counts as one that keeps them.
    pub async fn times_to_live(&self) -> Result<Vec<(DefinitionKey, TimeToLive)>, StoreError> {
        let mut found = Vec::new();
        for row in definition_rows(&*self.store, &DefinitionFilter::default()).await? {
            let key = row.key;
            if let Some(ttl) = self.time_to_live(row).await? {
                found.push((key, ttl));
            }
        }
        Ok(found)
    }

    /// Remembered: a definition never changes, and reading all of them again would take long.
    async fn time_to_live(&self, row: DefinitionRow) -> Result<Option<TimeToLive>, StoreError> {
        let key = row.key;
        let lock = || self.times_to_live.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return Ok(*known);
        }
        let ttl = match self.parsed(row).await {
            Ok(definition) => definition.process.time_to_live,
            Err(Error::Unavailable(reason)) => return Err(StoreError::Unavailable(reason)),
            Err(error) => {
                tracing::warn!(%error, definition = %key, "ended instances are kept");
                Some(TimeToLive::Unlimited)
            }
        };
        lock().insert(key, ttl);
        Ok(ttl)
    }

    /// A file of the deployment that brought a definition.
    pub async fn file(
        &self,
        definition: DefinitionKey,
        name: &str,
    ) -> Result<Option<Arc<[u8]>>, Error> {
        let deployment = self.get(definition).await?.deployment;
        self.store.resource(deployment, name.into()).await.map_err(|e| store_error(&e))
    }

    /// Definitions that have got another tenant are read again.
    pub fn know_tenants(&self, moved: &[MovedDefinition]) {
        let mut tenants = write(&self.tenants);
        let mut is_news = false;
        for row in moved {
            let known = tenants.insert(row.key, row.tenant.clone());
            if known.as_ref() != Some(&row.tenant) {
                self.cache.remove(row.key);
                is_news = true;
            }
        }
        drop(tenants);
        if is_news {
            self.forget_latest();
        }
    }

    /// Another node may have deployed.
    pub fn forget_latest(&self) {
        self.latest.forget();
        self.bound.forget();
    }

    async fn row(
        &self,
        process_id: &ProcessId,
        tenant: &TenantId,
        version: Option<i32>,
    ) -> Result<Option<DefinitionRow>, Error> {
        let found = self.store.find_definition(process_id.clone(), tenant.clone(), version).await;
        found.map_err(|e| store_error(&e))
    }

    async fn parsed(&self, row: DefinitionRow) -> Result<Arc<Definition>, Error> {
        if let Some(definition) = self.cache.get(row.key) {
            return Ok(definition);
        }
        let name = (row.deployment, row.resource_name.clone());
        let file = self.file_cell(&name);
        let file = file.get_or_try_init(|| self.read_file(&row)).await;
        let file = match file {
            Ok(file) => file.clone(),
            Err(error) => {
                self.forget_file(&name);
                return Err(error);
            }
        };
        if file.processes.len() <= 1 {
            // Nothing else will ask for it.
            self.forget_file(&name);
        }
        let process = file.processes.get(&row.process_id).cloned();
        let process = process.ok_or_else(|| unreadable(&row, &file.first_problem))?;
        let mut definition = Definition::new(&row, process);
        if row.suspended {
            // After the row: both were written at once, so this version tells of it, or a later
            // one has ended it.
            let settings = self.store.settings().await.map_err(|e| store_error(&e))?;
            definition.suspended_under = Some(settings.version);
        }
        let definition = Arc::new(definition);
        // Held while it is put: what was read before its tenant changed is not kept.
        let tenants = read(&self.tenants);
        if tenants.get(&row.key).is_none_or(|tenant| *tenant == row.tenant) {
            self.cache.put(definition.clone());
        }
        Ok(definition)
    }

    /// Where the file is, or will be: whoever comes while it is being read waits for it.
    fn file_cell(&self, name: &FileName) -> Arc<OnceCell<File>> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, file)) = files.iter().find(|(known, _)| known == name) {
            return file.clone();
        }
        if files.len() >= FILES_MAX {
            files.pop_front();
        }
        let file = Arc::default();
        files.push_back((name.clone(), Arc::clone(&file)));
        file
    }

    fn forget_file(&self, name: &FileName) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|(known, _)| known != name);
    }

    async fn read_file(&self, row: &DefinitionRow) -> Result<File, Error> {
        let resource = self.store.resource(row.deployment, row.resource_name.clone()).await;
        let resource = resource.map_err(|e| store_error(&e))?;
        let content = resource.ok_or(Error::Missing(Missing::Definition(row.key.raw())))?;
        let transforms = transforms_name(&row.resource_name);
        let transforms = self.store.resource(row.deployment, transforms).await;
        let transforms = transforms.map_err(|e| store_error(&e))?;
        let reading = self.reading.clone();
        let dialect = dialect_named(&row.dialect);
        let parsed = tokio::task::spawn_blocking(move || {
            reading.read_again(&content, dialect, transforms.as_deref())
        });
        let parsed = parsed.await.map_err(|e| Error::Internal(e.to_string()))?;
        let parsed = parsed.map_err(|reason| unreadable(row, &reason))?;
        if let Some(problem) = &parsed.outgrown {
            // The levels tell whether the checks have changed, or the file or the hooks have.
            let (definition, accepted_under) = (row.key, row.checks);
            let said = "a definition would be refused today and runs as it was accepted";
            tracing::warn!(%definition, accepted_under, checks = CHECKS, %problem, "{said}");
        }
        let first = parsed.diagnostics.first().map(ToString::to_string).unwrap_or_default();
        let processes = parsed.processes.into_iter();
        let processes = processes.map(|process| (process.id.clone(), Arc::new(process)));
        Ok(File { processes: Arc::new(processes.collect()), first_problem: first.into() })
    }
}

/// All of them, newest first.
pub(crate) async fn definition_rows(
    store: &dyn Store,
    filter: &DefinitionFilter,
) -> Result<Vec<DefinitionRow>, StoreError> {
    let mut found = Vec::new();
    let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
    loop {
        let rows = store.definitions(filter.clone(), page).await?;
        page.before = rows.last().map(|row| row.key.raw());
        let is_last = rows.len() < PAGE_ROWS_MAX as usize;
        found.extend(rows);
        if is_last {
            return Ok(found);
        }
    }
}

/// A newer version may take what this one cannot read: nodes of both may run on one store.
fn unreadable(row: &DefinitionRow, reason: &str) -> Error {
    let by_whom = match row.checks > CHECKS {
        true => "a definition that a newer version has accepted does not load",
        false => "a deployed definition does not load any more",
    };
    Error::Internal(format!("{by_whom}: {reason}"))
}

/// What a call activity names beside a process.
#[derive(PartialEq, Eq, Hash)]
enum Bond {
    /// What was deployed together.
    Deployment(DeploymentKey, ProcessId),
    /// A version with a tag.
    Tag(TenantId, ProcessId, Arc<str>),
}

impl Bond {
    fn process_id(&self) -> &ProcessId {
        match self {
            Self::Deployment(_, process_id) | Self::Tag(_, process_id, _) => process_id,
        }
    }

    fn filter(&self) -> DefinitionFilter {
        let mut filter = DefinitionFilter {
            process_id: Some(self.process_id().clone()),
            ..DefinitionFilter::default()
        };
        match self {
            Self::Deployment(deployment, _) => filter.deployment = Some(*deployment),
            Self::Tag(tenant, ..) => filter.tenant = Some(tenant.clone()),
        }
        filter
    }

    fn fits(&self, definition: &Definition) -> bool {
        match self {
            Self::Deployment(..) => true,
            Self::Tag(_, _, tag) => definition.process.version_tag.as_ref() == Some(tag),
        }
    }
}

/// A resource of a deployment.
type FileName = (DeploymentKey, Arc<str>);

/// What was read from one.
#[derive(Clone)]
struct File {
    processes: Arc<BTreeMap<ProcessId, Arc<Process>>>,
    /// What to say when a process is not among them.
    first_problem: Arc<str>,
}

/// Ids whose latest version is remembered; beyond it they are looked up again.
const LATEST_MAX: usize = 10_000;

/// The latest versions by id, until somebody deploys. A lookup that began before that has read what
/// may be no longer true, and is not remembered.
pub(crate) struct Latest<K, V> {
    state: RwLock<LatestState<K, V>>,
}

struct LatestState<K, V> {
    known: FxHashMap<K, V>,
    forgotten: u64,
}

/// How often everything had been forgotten when a lookup began.
#[derive(Clone, Copy)]
pub(crate) struct Lookup(u64);

impl<K, V> Default for Latest<K, V> {
    fn default() -> Self {
        Self { state: RwLock::new(LatestState { known: FxHashMap::default(), forgotten: 0 }) }
    }
}

impl<K: Eq + Hash, V: Clone> Latest<K, V> {
    pub fn get(&self, id: &K) -> Result<V, Lookup> {
        let state = read(&self.state);
        state.known.get(id).cloned().ok_or(Lookup(state.forgotten))
    }

    pub fn insert(&self, lookup: Lookup, id: K, version: V) {
        let mut state = write(&self.state);
        if state.forgotten != lookup.0 {
            return;
        }
        if state.known.len() >= LATEST_MAX {
            state.known.clear();
        }
        state.known.insert(id, version);
    }

    pub fn forget(&self) {
        let mut state = write(&self.state);
        state.forgotten += 1;
        state.known.clear();
    }
}

pub(crate) fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Camunda7 => "camunda7",
        Dialect::Flowable => "flowable",
        Dialect::Zeebe => "zeebe",
    }
}

pub(crate) fn dialect_named(name: &str) -> Dialect {
    match name {
        "flowable" => Dialect::Flowable,
        "zeebe" => Dialect::Zeebe,
        _ => Dialect::Camunda7,
    }
}

/// Whether jobs that instances of a suspended definition make are suspended as well. Flowable sets
/// a flag of the definition that only starts ask for.
pub(crate) fn suspends_jobs(dialect: &str) -> bool {
    dialect != dialect_name(Dialect::Flowable)
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lookup_that_was_overtaken_is_not_remembered() {
        let latest: Latest<&str, i32> = Latest::default();
        let slow = latest.get(&"order").expect_err("nothing is known");
        // Version 2 is deployed while version 1 is on its way from the store.
        latest.forget();
        latest.insert(slow, "order", 1);
        let lookup = latest.get(&"order").expect_err("not remembered");
        latest.insert(lookup, "order", 2);
        assert_eq!(latest.get(&"order").ok(), Some(2));
    }
}
