//! Batches: what is done to many instances or jobs, durably and piece by piece.
//!
//! A batch is made with the keys of its elements, given or found by a filter at that moment. Its
//! seed cuts them into parts, the parts do the work, a monitor ends the batch when no part is left.
//! Parts that failed for good stay: they are retried or deleted like other jobs.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_store::{
    BatchFilter, BatchRow, BatchUpdate, BatchWrite, Change, ChoreWrite, EndedBatchRow, EndedFilter,
    Held, InstanceFilter, JobFilter, JobKind, JobRow, JobState, PAGE_ROWS_MAX, Page,
};
use orloj_types::{BatchKey, DefinitionKey, IncidentKey, InstanceKey, JobKey, TenantId, Timestamp};

use crate::api::{Error, Missing};
use crate::handle::Orloj;
use crate::node::chores::{BatchConfig, BatchGroup, BatchWork, batch_chore, suspended_chore};
use crate::node::{Reply, Request, store_error};

/// Most elements of one batch: their keys are some megabytes in its row.
pub const BATCH_ELEMENTS_MAX: usize = 1_000_000;
/// How often a write about chores is tried that others work on at the same moment.
const TRIES_MAX: usize = 20;
/// Chores changed by one transaction.
const CHORES_AT_ONCE: usize = 100;

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
    Instances { keys: Vec<InstanceKey>, filter: Option<InstanceFilter> },
    Ended { keys: Vec<InstanceKey>, filter: Option<EndedFilter> },
    Jobs { keys: Vec<JobKey>, filter: Option<JobFilter> },
}

impl BatchElements {
    pub fn instances(keys: impl IntoIterator<Item = InstanceKey>) -> Self {
        Self::Instances { keys: keys.into_iter().collect(), filter: None }
    }

    pub fn ended(keys: impl IntoIterator<Item = InstanceKey>) -> Self {
        Self::Ended { keys: keys.into_iter().collect(), filter: None }
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
        self.total - self.done
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
}

impl Orloj {
    pub fn batches(&self) -> Batches {
        Batches { engine: self.clone() }
    }
}

impl Batches {
    /// An error when there is nothing to be done.
    pub async fn create(&self, new: NewBatch) -> Result<BatchView, Error> {
        check(&new.work)?;
        let left = self.groups(new.elements).await?;
        let count: usize = left.iter().map(|group| group.elements.len()).sum();
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
        let first = left.first().map_or(0, |group| group.definition);
        let config = BatchConfig { work: new.work, left, per_part };
        let keys = self.engine.keys(2).await?;
        let now = self.engine.now();
        let row = BatchRow {
            key: BatchKey::new(keys[0]),
            engine: self.engine.inner.engine.clone(),
            tenant: new.tenant,
            kind: kind.into(),
            total: i64::try_from(config.parts_left()).unwrap_or(i64::MAX),
            parts_made: 0,
            config: config.bytes(),
            suspended: new.suspended,
            created_at: now,
            started_at: None,
            created_by: new.created_by,
        };
        let (retries, priority) = (settings.jobs.retries, settings.batches.priority);
        let retries = i32::try_from(retries).unwrap_or(i32::MAX).max(1);
        let seed = JobKey::new(keys[1]);
        let seed = batch_chore(seed, &row, JobKind::BatchSeed, retries, priority, now);
        let seed = JobRow { definition: DefinitionKey::new(first), ..seed };
        let view = self.view(&row).await?;
        let change = Change {
            batches: vec![BatchWrite::Insert(row)],
            chores: vec![ChoreWrite::Insert(seed)],
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
        self.must_be_there(key).await?;
        let update = BatchUpdate { key, suspended: Some(suspended), ..BatchUpdate::default() };
        let change = Change { batches: vec![BatchWrite::Update(update)], ..Change::default() };
        self.engine.done(Request::Write(Box::new(change))).await?;
        let now = self.engine.now();
        self.change_chores(key, |row| suspended_chore(row, suspended, now).map(ChoreWrite::Update))
            .await
    }

    /// Its parts go with it; what they have done stays. With `cascade` nothing is left of it in
    /// history; otherwise it counts as ended.
    pub async fn delete(&self, key: BatchKey, cascade: bool) -> Result<(), Error> {
        self.must_be_there(key).await?;
        let ended_at = self.engine.now();
        let write = match cascade {
            true => BatchWrite::Delete(key),
            false => BatchWrite::End { key, ended_at, removal_at: None },
        };
        // From here on its chores find no batch, and end by themselves when they run.
        let change = Change { batches: vec![write], ..Change::default() };
        self.engine.done(Request::Write(Box::new(change))).await?;
        self.change_chores(key, |row| {
            (!row.is_locked()).then_some(ChoreWrite::Delete { key: row.key, held: Held::Free })
        })
        .await
    }

    async fn must_be_there(&self, key: BatchKey) -> Result<(), Error> {
        let found = self.engine.inner.store.batch(key).await.map_err(|e| store_error(&e))?;
        found.map(drop).ok_or(Error::Missing(Missing::Batch(key.raw())))
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
                let writes: Vec<_> =
                    free.filter_map(|row| Some((change(row)?, incident_of(row)))).collect();
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
    async fn write_chores(
        &self,
        writes: &[(ChoreWrite, Option<IncidentKey>)],
    ) -> Result<bool, Error> {
        let goes = |(write, incident): &(ChoreWrite, Option<IncidentKey>)| {
            incident.filter(|_| matches!(write, ChoreWrite::Delete { .. }))
        };
        let change = Change {
            chores: writes.iter().map(|(write, _)| write.clone()).collect(),
            incidents_gone: writes.iter().filter_map(goes).collect(),
            ..Change::default()
        };
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

fn incident_of(row: &JobRow) -> Option<IncidentKey> {
    row.failure.as_ref().map(|_| IncidentKey::new(row.key.raw()))
}

fn ended_view(row: &EndedBatchRow) -> BatchView {
    let total = u64::try_from(row.total).unwrap_or(0);
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
        statistics: BatchStatistics { total, made: total, done: total, failed: 0 },
    }
}
