//! What can be done with batches.

use orloj_store::{
    BatchFilter, BatchRow, BatchUpdate, BatchWrite, Change, ChoreWrite, JobKind, JobRow, Page,
};
use orloj_types::{BatchKey, DefinitionKey, JobKey};
use thin_vec::thin_vec;

use super::log::{created, of_batch};
use super::new::check;
use super::view::ended_view;
use super::{BATCH_ELEMENTS_MAX, BatchStatistics, BatchView, NewBatch};
use crate::api::{Error, Missing};
use crate::handle::Orloj;
use crate::manage::Desk;
use crate::node::chores::{
    BatchConfig, Suspension, SuspensionOf, batch_chore, batch_job_definitions,
};
use crate::node::{Reply, Request, due_when_made, store_error};

/// What can be done with batches.
#[derive(Clone)]
pub struct Batches {
    pub(super) engine: Orloj,
    pub(super) desk: Desk,
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
        let due_at = due_when_made(settings, now);
        let seed = JobRow { definition: DefinitionKey::new(first), due_at, ..seed };
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

    /// Its seed, monitor and parts wait until it is activated. What somebody runs at this moment
    /// comes to nothing and waits, too.
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
        let of = SuspensionOf::Batch(key.raw());
        let suspension = Suspension { of, suspended, with_existing: true };
        self.engine.request(Request::Suspend(suspension)).await.map(drop)
    }

    async fn must_be_there(&self, key: BatchKey) -> Result<BatchRow, Error> {
        self.row(key).await?.ok_or(Error::Missing(Missing::Batch(key.raw())))
    }

    pub(super) async fn row(&self, key: BatchKey) -> Result<Option<BatchRow>, Error> {
        self.engine.inner.store.batch(key).await.map_err(|e| store_error(&e))
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
