//! Batches: what is done to many instances or jobs, durably and piece by piece.
//!
//! A batch is made with the keys of its elements, given or found by a filter at that moment. Its
//! seed cuts them into parts, the parts do the work, a monitor ends the batch when no part is left.
//! Parts that failed for good stay: they are retried or deleted like other jobs.
//!
//! A batch has three job definitions, for its seed, its monitor and its parts: they are suspended
//! and given priorities like those of a model.

#![expect(clippy::disallowed_methods, reason = "whoever deletes a batch waits for its chores")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use orloj_store::{
    BatchEnd, BatchFilter, BatchRow, BatchUpdate, BatchWrite, Change, ChoreWrite, EndedBatchRow,
    EndedFilter, Held, InstanceFilter, JobDefinitionChange, JobDefinitionFilter, JobFilter,
    JobKind, JobRow, JobState, PAGE_ROWS_MAX, PRUNE_ROWS_MAX, Page, Prune, PruneQuery,
};
use orloj_types::{BatchKey, DefinitionKey, InstanceKey, JobKey, TenantId, Timestamp};
use thin_vec::thin_vec;

use crate::api::{Error, Missing};
use crate::handle::Orloj;
use crate::history::batch_removal_at;
use crate::manage::{Desk, Entry};
use crate::node::chores::INCIDENT_WORD;
use crate::node::chores::{
    BatchConfig, BatchGroup, BatchWork, batch_chore, batch_job_definitions, suspended_chore,
};
use crate::node::{Reply, Request, store_error};

/// Most elements of one batch: their keys are some megabytes in its row.
pub const BATCH_ELEMENTS_MAX: usize = 1_000_000;
/// How often a write about chores is tried that others work on at the same moment.
const TRIES_MAX: usize = 20;
/// Chores changed by one transaction.
const CHORES_AT_ONCE: usize = 100;
/// Between two looks for what is at work: about the time of its run.
const CHORE_POLL: Duration = Duration::from_millis(5);
/// How often whoever deletes a batch looks for what is still at work: some ten seconds.
const DELETE_PASSES_MAX: usize = 2_000;

/// What a batch is made of.
#[derive(Clone, Debug)]
pub struct NewBatch {
    pub work: BatchWork,
    pub elements: BatchElements,
    pub tenant: TenantId,
    pub created_by: Option<Arc<str>>,
    /// Nothing of it happens before it is activated.
    pub suspended: bool,
}

impl NewBatch {
    pub fn new(work: BatchWork, elements: BatchElements) -> Self {
        let (tenant, created_by) = (TenantId::none(), None);
        Self { work, elements, tenant, created_by, suspended: false }
    }
}

/// Named by key and found by filter; each counts once.
#[expect(clippy::large_enum_variant, reason = "one is made for a whole batch")]
#[derive(Clone, Debug)]
pub enum BatchElements {
    Instances {
        keys: Vec<InstanceKey>,
        filter: Option<InstanceFilter>,
    },
    Ended {
        keys: Vec<InstanceKey>,
        filter: Option<EndedFilter>,
    },
    Jobs {
        keys: Vec<JobKey>,
        filter: Option<JobFilter>,
    },
    /// Ended ones.
    Batches {
        keys: Vec<BatchKey>,
        filter: Option<BatchFilter>,
    },
}

impl BatchElements {
    pub fn instances(keys: impl IntoIterator<Item = InstanceKey>) -> Self {
        Self::Instances { keys: keys.into_iter().collect(), filter: None }
    }

    pub fn ended(keys: impl IntoIterator<Item = InstanceKey>) -> Self {
        Self::Ended { keys: keys.into_iter().collect(), filter: None }
    }

    pub fn batches(keys: impl IntoIterator<Item = BatchKey>) -> Self {
        Self::Batches { keys: keys.into_iter().collect(), filter: None }
    }

    pub fn jobs(keys: impl IntoIterator<Item = JobKey>) -> Self {
        Self::Jobs { keys: keys.into_iter().collect(), filter: None }
    }
}

/// A batch and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchView {
    pub key: BatchKey,
    pub kind: Arc<str>,
    pub tenant: TenantId,
    pub suspended: bool,
    pub created_at: Timestamp,
    pub created_by: Option<Arc<str>>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub removal_at: Option<Timestamp>,
    pub statistics: BatchStatistics,
}

impl BatchView {
    /// As of its parts, or `deleted` when it is over before all of them were done.
    pub fn status(&self) -> &'static str {
        match self.ended_at {
            Some(_) if self.statistics.left() > 0 => "deleted",
            _ => self.statistics.status(),
        }
    }
}

/// In parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchStatistics {
    pub total: u64,
    pub made: u64,
    pub done: u64,
    /// Without retries left.
    pub failed: u64,
}

impl BatchStatistics {
    /// Those that are not done, failed ones included.
    pub fn left(&self) -> u64 {
        self.total.saturating_sub(self.done)
    }

    /// The words of Flowable: `inProgress`, `waiting` for someone to retry what failed,
    /// `completed`.
    pub fn status(&self) -> &'static str {
        match self {
            Self { total, done, .. } if done == total => "completed",
            Self { failed, .. } if *failed > 0 && self.left() == *failed => "waiting",
            _ => "inProgress",
        }
    }
}

/// What can be done with batches.
#[derive(Clone)]
pub struct Batches {
    engine: Orloj,
    desk: Desk,
}

impl Orloj {
    pub fn batches(&self) -> Batches {
        Batches { engine: self.clone(), desk: Desk::new(self) }
    }
}

impl Batches {
    /// Who gives the orders, for the log.
    pub fn by(self, user: &str) -> Self {
        Self { desk: self.desk.by(user), ..self }
    }

    /// An error when there is nothing to be done.
    pub async fn create(&self, new: NewBatch) -> Result<BatchView, Error> {
        check(&new.work)?;
        let groups = self.groups(new.elements).await?;
        let count: usize = groups.iter().map(|group| group.elements.len()).sum();
        if count == 0 {
            return Err(Error::Invalid("a batch needs at least one element".into()));
        }
        if count > BATCH_ELEMENTS_MAX {
            let problem =
                format!("a batch of {count} elements is larger than {BATCH_ELEMENTS_MAX}");
            return Err(Error::Invalid(problem));
        }
        let settings = &self.engine.inner.settings;
        let kind = new.work.kind();
        let of_kind = settings.batches.invocations_per_job_by_kind.get(kind).copied();
        let per_part = of_kind.unwrap_or(settings.batches.invocations_per_job).max(1);
        let first = groups.first().map_or(0, |group| group.definition);
        let entries = created(&new.work, count, &new.tenant);
        let config = BatchConfig { work: new.work, groups, per_part };
        let keys = self.engine.keys(5).await?;
        let now = self.engine.now();
        let row = BatchRow {
            key: BatchKey::new(keys[0]),
            engine: self.engine.inner.engine.clone(),
            tenant: new.tenant,
            kind: kind.into(),
            total: i64::try_from(config.parts()).unwrap_or(i64::MAX),
            parts_made: 0,
            config: config.bytes(),
            suspended: new.suspended,
            created_at: now,
            started_at: None,
            created_by: new.created_by.or_else(|| self.desk.user.clone()),
        };
        let (retries, priority) = (settings.jobs.retries, settings.batches.priority);
        let retries = i32::try_from(retries).unwrap_or(i32::MAX).max(1);
        let seed = JobKey::new(keys[1]);
        let seed = batch_chore(seed, &row, JobKind::BatchSeed, retries, priority, now);
        let seed = JobRow { definition: DefinitionKey::new(first), ..seed };
        let view = self.view(&row).await?;
        let desk = Desk { user: row.created_by.clone(), ..self.desk.clone() };
        let change = Change {
            job_definitions_added: batch_job_definitions(&row, [keys[2], keys[3], keys[4]]).into(),
            batches: thin_vec![BatchWrite::Insert(row)],
            chores: thin_vec![ChoreWrite::Insert(seed)],
            operations: desk.log(entries).await?.into(),
            ..Change::default()
        };
        self.engine.done(Request::Write(Box::new(change))).await?;
        Ok(view)
    }

    /// Under way or ended.
    pub async fn get(&self, key: BatchKey) -> Result<BatchView, Error> {
        let store = &self.engine.inner.store;
        if let Some(row) = store.batch(key).await.map_err(|e| store_error(&e))? {
            return self.view(&row).await;
        }
        let page = Page { before: Some(key.raw().saturating_add(1)), limit: 1 };
        let ended = store.ended_batches(BatchFilter::default(), page).await;
        let ended = ended.map_err(|e| store_error(&e))?.into_iter().find(|row| row.key == key);
        ended.as_ref().map(ended_view).ok_or(Error::Missing(Missing::Batch(key.raw())))
    }

    /// Those under way, newest first.
    pub async fn list(&self, filter: BatchFilter, page: Page) -> Result<Vec<BatchView>, Error> {
        let rows = self.engine.inner.store.batches(filter, page).await;
        let mut views = Vec::new();
        for row in rows.map_err(|e| store_error(&e))? {
            views.push(self.view(&row).await?);
        }
        Ok(views)
    }

    /// Newest first.
    pub async fn list_ended(
        &self,
        filter: BatchFilter,
        page: Page,
    ) -> Result<Vec<BatchView>, Error> {
        let rows = self.engine.inner.store.ended_batches(filter, page).await;
        Ok(rows.map_err(|e| store_error(&e))?.iter().map(ended_view).collect())
    }

    /// Also of an ended one.
    pub async fn statistics(&self, key: BatchKey) -> Result<BatchStatistics, Error> {
        Ok(self.get(key).await?.statistics)
    }

    /// Its seed, monitor and parts that nobody runs at this moment wait until it is activated.
    pub async fn suspend(&self, key: BatchKey) -> Result<(), Error> {
        self.set_suspended(key, true).await
    }

    pub async fn activate(&self, key: BatchKey) -> Result<(), Error> {
        self.set_suspended(key, false).await
    }

    async fn set_suspended(&self, key: BatchKey, suspended: bool) -> Result<(), Error> {
        let row = self.must_be_there(key).await?;
        let update = BatchUpdate { key, suspended: Some(suspended), ..BatchUpdate::default() };
        let operation = if suspended { "SuspendBatch" } else { "ActivateBatch" };
        let entry = of_batch(operation, &row).suspending(suspended);
        let change = Change {
            batches: thin_vec![BatchWrite::Update(update)],
            operations: self.desk.log(vec![entry]).await?.into(),
            ..Change::default()
        };
        self.engine.done(Request::Write(Box::new(change))).await?;
        self.set_jobs_suspended(key, suspended).await?;
        let now = self.engine.now();
        self.change_chores(key, |row| suspended_chore(row, suspended, now).map(ChoreWrite::Update))
            .await
    }

    /// Its parts go with it; what they have done stays. With `cascade` nothing is left of it in
    /// history; otherwise it counts as ended. One that has ended is deleted with `cascade` only.
    ///
    /// Waits for what is at work at this moment; [`Error::Overtaken`] when that takes too long. The
    /// batch is gone then all the same, and what is left of it ends with its next run.
    pub async fn delete(&self, key: BatchKey, cascade: bool) -> Result<(), Error> {
        if self.row(key).await?.is_none() {
            return self.delete_ended(key, cascade).await;
        }
        // What its seed still makes from here on waits to be deleted too.
        self.set_jobs_suspended(key, true).await?;
        let Some(row) = self.row(key).await? else {
            return self.delete_ended(key, cascade).await;
        };
        let write = match cascade {
            true => BatchWrite::Delete(key),
            false => BatchWrite::End { key, end: self.end(&row).await? },
        };
        let entry =
            of_batch("Delete", &row).changing("cascadeToHistory", None::<&str>, Some(cascade));
        let change = Change {
            batches: thin_vec![write],
            operations: self.desk.log(vec![entry]).await?.into(),
            ..Change::default()
        };
        self.engine.done(Request::Write(Box::new(change))).await?;
        let of_it = JobFilter { batch: Some(key), ..JobFilter::default() };
        for _ in 0..DELETE_PASSES_MAX {
            self.change_chores(key, |row| {
                (!row.is_locked()).then_some(ChoreWrite::Delete { key: row.key, held: Held::Free })
            })
            .await?;
            // Chores of a batch are made by others of it alone: where none is left, none will be.
            let left = self.engine.inner.store.count_jobs(of_it.clone()).await;
            if left.map_err(|e| store_error(&e))? == 0 {
                return if cascade { self.delete_log(key).await } else { Ok(()) };
            }
            // Someone is at work at this moment, and what follows will not be.
            tokio::time::sleep(CHORE_POLL).await;
        }
        Err(Error::Overtaken)
    }

    async fn delete_ended(&self, key: BatchKey, cascade: bool) -> Result<(), Error> {
        let view = self.get(key).await?;
        if !cascade {
            let reason = format!("batch {key} has ended; cascade to delete it from history");
            return Err(Error::Invalid(reason));
        }
        let query = PruneQuery { what: Prune::BatchKeys(vec![key]), limit: 1 };
        let pruned = self.engine.inner.store.prune(query).await;
        if pruned.map_err(|e| store_error(&e))?.rows == 0 {
            return Err(Error::Missing(Missing::Batch(key.raw())));
        }
        let entry =
            Entry { tenant: view.tenant, ..Entry::new("DeleteHistory", "Batch", Some(key.raw())) };
        self.desk.note(vec![entry]).await?;
        self.delete_log(key).await
    }

    /// A chunk at a time: a batch of a million elements has a log of as many lines.
    async fn delete_log(&self, key: BatchKey) -> Result<(), Error> {
        loop {
            let query = PruneQuery { what: Prune::BatchLog(key), limit: PRUNE_ROWS_MAX };
            let pruned = self.engine.inner.store.prune(query).await;
            if pruned.map_err(|e| store_error(&e))?.rows < PRUNE_ROWS_MAX {
                return Ok(());
            }
        }
    }

    /// How a batch stands that is over before its time.
    async fn end(&self, row: &BatchRow) -> Result<BatchEnd, Error> {
        let at = self.engine.now();
        let began_at = row.started_at.unwrap_or(row.created_at);
        let settings = &self.engine.inner.settings;
        let statistics = self.view(row).await?.statistics;
        Ok(BatchEnd {
            at,
            removal_at: batch_removal_at(settings, &row.kind, began_at, at),
            parts_done: i64::try_from(statistics.done).unwrap_or(i64::MAX),
            parts_failed: i64::try_from(statistics.failed).unwrap_or(i64::MAX),
        })
    }

    /// Whatever any node makes for the batch from now on is suspended, or is not.
    async fn set_jobs_suspended(&self, key: BatchKey, suspended: bool) -> Result<(), Error> {
        let store = &self.engine.inner.store;
        let filter = JobDefinitionFilter {
            definition: Some(DefinitionKey::new(0)),
            configuration: Some(key.to_string().into()),
            ..JobDefinitionFilter::default()
        };
        let page = Page { before: None, limit: PAGE_ROWS_MAX };
        let rows = store.job_definitions(filter, page).await.map_err(|e| store_error(&e))?;
        let mut version = None;
        for row in rows.iter().filter(|row| row.suspended != suspended) {
            let change = JobDefinitionChange { suspended: Some(suspended), priority: None };
            let set = store.set_job_definition(row.key, change).await;
            version = version.max(set.map_err(|e| store_error(&e))?);
        }
        match version {
            Some(version) => self.desk.settled(version).await,
            None => Ok(()),
        }
    }

    async fn must_be_there(&self, key: BatchKey) -> Result<BatchRow, Error> {
        self.row(key).await?.ok_or(Error::Missing(Missing::Batch(key.raw())))
    }

    async fn row(&self, key: BatchKey) -> Result<Option<BatchRow>, Error> {
        self.engine.inner.store.batch(key).await.map_err(|e| store_error(&e))
    }

    /// Changes what nobody holds, until there is nothing left to change.
    async fn change_chores(
        &self,
        batch: BatchKey,
        change: impl Fn(&JobRow) -> Option<ChoreWrite>,
    ) -> Result<(), Error> {
        let store = &self.engine.inner.store;
        let filter = JobFilter { batch: Some(batch), ..JobFilter::default() };
        for _ in 0..TRIES_MAX {
            let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
            let mut was_overtaken = false;
            loop {
                let rows = store.jobs(filter.clone(), page).await.map_err(|e| store_error(&e))?;
                page.before = rows.last().map(|row| row.key.raw());
                let free = rows.iter().filter(|row| !row.is_locked());
                let writes: Vec<_> = free.filter_map(|row| Some((row, change(row)?))).collect();
                for some in writes.chunks(CHORES_AT_ONCE) {
                    was_overtaken |= !self.write_chores(some).await?;
                }
                if rows.len() < PAGE_ROWS_MAX as usize {
                    break;
                }
            }
            if !was_overtaken {
                return Ok(());
            }
        }
        Err(Error::Overtaken)
    }

    /// False: one of them has changed meanwhile.
    async fn write_chores(&self, writes: &[(&JobRow, ChoreWrite)]) -> Result<bool, Error> {
        let following = self.engine.following(INCIDENT_WORD);
        let mut change = Change::default();
        for (row, write) in writes {
            following.add(&mut change, row, write);
            change.chores.push(write.clone());
        }
        match self.engine.done(Request::Write(Box::new(change))).await {
            Ok(()) => Ok(true),
            Err(Error::Overtaken) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn view(&self, row: &BatchRow) -> Result<BatchView, Error> {
        let store = &self.engine.inner.store;
        let parts = |states: Vec<JobState>| JobFilter {
            batch: Some(row.key),
            kinds: vec![JobKind::BatchPart],
            states,
            ..JobFilter::default()
        };
        let left = store.count_jobs(parts(Vec::new())).await.map_err(|e| store_error(&e))?;
        let failed =
            store.count_jobs(parts(vec![JobState::Failed])).await.map_err(|e| store_error(&e))?;
        let made = u64::try_from(row.parts_made).unwrap_or(0);
        let statistics = BatchStatistics {
            total: u64::try_from(row.total).unwrap_or(0),
            made,
            done: made.saturating_sub(left),
            failed,
        };
        Ok(BatchView {
            key: row.key,
            kind: row.kind.clone(),
            tenant: row.tenant.clone(),
            suspended: row.suspended,
            created_at: row.created_at,
            created_by: row.created_by.clone(),
            started_at: row.started_at,
            ended_at: None,
            removal_at: None,
            statistics,
        })
    }

    // ---- elements

    async fn groups(&self, elements: BatchElements) -> Result<Vec<BatchGroup>, Error> {
        let found = match elements {
            BatchElements::Instances { keys, filter } => self.instances(keys, filter).await?,
            BatchElements::Ended { keys, filter } => self.ended(keys, filter).await?,
            BatchElements::Jobs { keys, filter } => self.jobs(keys, filter).await?,
            BatchElements::Batches { keys, filter } => self.ended_keys(keys, filter).await?,
        };
        let mut groups: BTreeMap<DefinitionKey, Vec<i64>> = BTreeMap::new();
        for (element, definition) in found {
            groups.entry(definition).or_default().push(element);
        }
        let groups = groups.into_iter();
        let group = |(definition, elements): (DefinitionKey, _)| BatchGroup {
            definition: definition.raw(),
            elements,
        };
        Ok(groups.map(group).collect())
    }

    /// Each with its definition. One that is not there belongs to none: its part says so.
    async fn instances(
        &self,
        keys: Vec<InstanceKey>,
        filter: Option<InstanceFilter>,
    ) -> Result<BTreeMap<i64, DefinitionKey>, Error> {
        let store = &self.engine.inner.store;
        let mut found: BTreeMap<i64, DefinitionKey> =
            keys.iter().map(|key| (key.raw(), DefinitionKey::new(0))).collect();
        for some in keys.chunks(PAGE_ROWS_MAX as usize) {
            let loaded = store.load(some.to_vec()).await.map_err(|e| store_error(&e))?;
            found.extend(loaded.iter().map(|it| (it.row.key.raw(), it.row.definition)));
        }
        let Some(filter) = filter else { return Ok(found) };
        let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
        loop {
            let rows = store.instances(filter.clone(), page).await.map_err(|e| store_error(&e))?;
            page.before = rows.last().map(|row| row.key.raw());
            let is_last = rows.len() < PAGE_ROWS_MAX as usize;
            found.extend(rows.into_iter().map(|row| (row.key.raw(), row.definition)));
            if is_last || found.len() > BATCH_ELEMENTS_MAX {
                return Ok(found);
            }
        }
    }

    async fn ended(
        &self,
        keys: Vec<InstanceKey>,
        filter: Option<EndedFilter>,
    ) -> Result<BTreeMap<i64, DefinitionKey>, Error> {
        let store = &self.engine.inner.store;
        let mut found = BTreeMap::new();
        for key in keys {
            let row = store.ended_instance(key).await.map_err(|e| store_error(&e))?;
            found.insert(key.raw(), row.map_or(DefinitionKey::new(0), |row| row.definition));
        }
        let Some(filter) = filter else { return Ok(found) };
        let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
        loop {
            let rows = store.ended(filter.clone(), page).await.map_err(|e| store_error(&e))?;
            page.before = rows.last().map(|row| row.key.raw());
            let is_last = rows.len() < PAGE_ROWS_MAX as usize;
            found.extend(rows.into_iter().map(|row| (row.key.raw(), row.definition)));
            if is_last || found.len() > BATCH_ELEMENTS_MAX {
                return Ok(found);
            }
        }
    }

    /// They belong to no definition.
    async fn ended_keys(
        &self,
        keys: Vec<BatchKey>,
        filter: Option<BatchFilter>,
    ) -> Result<BTreeMap<i64, DefinitionKey>, Error> {
        let store = &self.engine.inner.store;
        let none = DefinitionKey::new(0);
        let mut found: BTreeMap<_, _> = keys.iter().map(|key| (key.raw(), none)).collect();
        let Some(filter) = filter else { return Ok(found) };
        let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
        loop {
            let rows = store.ended_batches(filter.clone(), page).await;
            let rows = rows.map_err(|e| store_error(&e))?;
            page.before = rows.last().map(|row| row.key.raw());
            let is_last = rows.len() < PAGE_ROWS_MAX as usize;
            found.extend(rows.into_iter().map(|row| (row.key.raw(), none)));
            if is_last || found.len() > BATCH_ELEMENTS_MAX {
                return Ok(found);
            }
        }
    }

    async fn jobs(
        &self,
        keys: Vec<JobKey>,
        filter: Option<JobFilter>,
    ) -> Result<BTreeMap<i64, DefinitionKey>, Error> {
        let store = &self.engine.inner.store;
        let mut found: BTreeMap<i64, DefinitionKey> =
            keys.iter().map(|key| (key.raw(), DefinitionKey::new(0))).collect();
        let of_keys = keys
            .chunks(PAGE_ROWS_MAX as usize)
            .map(|some| JobFilter { keys: some.to_vec(), ..JobFilter::default() });
        for filter in of_keys.chain(filter) {
            let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
            loop {
                let rows = store.jobs(filter.clone(), page).await.map_err(|e| store_error(&e))?;
                page.before = rows.last().map(|row| row.key.raw());
                let is_last = rows.len() < PAGE_ROWS_MAX as usize;
                found.extend(rows.into_iter().map(|row| (row.key.raw(), row.definition)));
                if is_last || found.len() > BATCH_ELEMENTS_MAX {
                    break;
                }
            }
        }
        Ok(found)
    }
}

impl Orloj {
    pub(crate) async fn keys(&self, count: usize) -> Result<Vec<i64>, Error> {
        match self.request(Request::Keys { count }).await? {
            Reply::Keys(keys) if keys.len() == count => Ok(keys),
            other => Err(crate::handle::unexpected(&other)),
        }
    }
}

/// What can be told to be wrong before anything happens.
fn check(work: &BatchWork) -> Result<(), Error> {
    match work {
        BatchWork::SetJobRetries { retries, .. }
        | BatchWork::SetExternalTaskRetries { retries }
            if *retries < 0 =>
        {
            Err(orloj_interpreter::Rejection::RetriesNegative(*retries).into())
        }
        BatchWork::SetVariables { variables } | BatchWork::CorrelateMessage { variables, .. } => {
            Ok(orloj_types::Document::parse(variables).map(drop)?)
        }
        BatchWork::InstanceModification { instructions } if instructions.is_empty() => {
            Err(Error::Invalid("a modification needs at least one instruction".into()))
        }
        _ => Ok(()),
    }
}

fn of_batch(operation: &'static str, row: &BatchRow) -> Entry {
    Entry { tenant: row.tenant.clone(), ..Entry::new(operation, "Batch", Some(row.key.raw())) }
}

/// What the log tells of a batch that begins: by the names of what is done to each element.
fn created(work: &BatchWork, count: usize, tenant: &TenantId) -> Vec<Entry> {
    let instance = "ProcessInstance";
    let (operation, entity) = match work {
        BatchWork::InstanceMigration { .. } => ("Migrate", instance),
        BatchWork::InstanceModification { .. } => ("ModifyProcessInstance", instance),
        BatchWork::InstanceRestart { .. } => ("RestartProcessInstance", instance),
        BatchWork::InstanceDeletion { .. } => ("Delete", instance),
        BatchWork::InstanceUpdateSuspensionState { suspended: true } => ("Suspend", instance),
        BatchWork::InstanceUpdateSuspensionState { suspended: false } => ("Activate", instance),
        BatchWork::SetJobRetries { .. } => ("SetJobRetries", "Job"),
        BatchWork::SetExternalTaskRetries { .. } => ("SetExternalTaskRetries", "ExternalTask"),
        BatchWork::SetVariables { .. } => ("SetVariables", instance),
        BatchWork::CorrelateMessage { .. } => ("CorrelateMessage", instance),
        BatchWork::HistoricInstanceDeletion => ("DeleteHistory", instance),
        BatchWork::ProcessSetRemovalTime { .. } => ("SetRemovalTime", instance),
        BatchWork::BatchSetRemovalTime { .. } => ("SetRemovalTime", "Batch"),
    };
    let entry = || Entry { tenant: tenant.clone(), ..Entry::new(operation, entity, None) };
    let none = None::<&str>;
    let mut entries = vec![
        entry().changing("nrOfInstances", none, Some(count)),
        entry().changing("async", none, Some(true)),
    ];
    match work {
        BatchWork::SetJobRetries { retries, .. }
        | BatchWork::SetExternalTaskRetries { retries } => {
            entries.push(entry().changing("retries", none, Some(retries)));
        }
        BatchWork::InstanceUpdateSuspensionState { suspended } => {
            entries.push(entry().suspending(*suspended));
        }
        BatchWork::ProcessSetRemovalTime { at_ms } | BatchWork::BatchSetRemovalTime { at_ms } => {
            let at = at_ms.map(Timestamp::from_ms);
            entries.push(entry().changing("removalTime", none, at));
        }
        _ => {}
    }
    entries
}

fn ended_view(row: &EndedBatchRow) -> BatchView {
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    let total = count(row.total);
    BatchView {
        key: row.key,
        kind: row.kind.clone(),
        tenant: row.tenant.clone(),
        suspended: false,
        created_at: row.created_at,
        created_by: row.created_by.clone(),
        started_at: row.started_at,
        ended_at: Some(row.ended_at),
        removal_at: row.removal_at,
        statistics: BatchStatistics {
            total,
            made: count(row.parts_made),
            done: count(row.parts_done),
            failed: count(row.parts_failed),
        },
    }
}
