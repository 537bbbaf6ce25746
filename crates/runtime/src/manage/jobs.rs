//! Jobs: finding them, and what people do with them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_interpreter::job_definition;
use orloj_store::{
    JobDefinitionFilter, JobDefinitionRow, JobFilter, JobRow, Lease, Notice, PAGE_ROWS_MAX, Page,
};
use orloj_types::{InstanceKey, JobDefinitionKey, JobKey, NodeNumber, Timestamp};
use tokio::sync::OnceCell;

use super::bulk::{self, Bulk, Keys, Source};
use super::desk::{Desk, Order, TRIES_MAX};
use super::job_action::{JobAction, Reschedule};
use super::job_definition_of;
use super::job_set::{JobScope, JobSet, of_process};
use crate::api::{Error, Explanation, JobView, Missing};
use crate::codec;
use crate::handle::Orloj;
use crate::job_rows;
use crate::node::store_error;

/// See [`Orloj::jobs`].
#[derive(Clone)]
pub struct Jobs {
    pub(super) desk: Desk,
}

/// Which jobs a scope names, as far as rows tell.
struct Meaning {
    filter: JobFilter,
    /// The job definition that rows alone cannot tell from another.
    twin: Option<JobDefinitionRow>,
}

impl Orloj {
    pub fn jobs(&self) -> Jobs {
        Jobs { desk: Desk::new(self) }
    }
}

impl Jobs {
    /// Who gives the orders, for the log.
    pub fn by(self, user: &str) -> Self {
        Self { desk: self.desk.by(user) }
    }

    // ---- queries

    pub async fn list(&self, filter: JobFilter, page: Page) -> Result<Vec<JobView>, Error> {
        let page = self.desk.engine.within(page)?;
        let rows = job_rows::list(&*self.desk.engine.inner.store, filter, page).await;
        self.desk.engine.job_views(rows.map_err(|e| store_error(&e))?).await
    }

    /// Those of the set that match the filter.
    pub async fn list_of(
        &self,
        set: JobSet,
        filter: JobFilter,
        page: Page,
    ) -> Result<Vec<JobView>, Error> {
        self.list(set.narrow(filter, self.desk.engine.now()), page).await
    }

    pub async fn count(&self, filter: JobFilter) -> Result<u64, Error> {
        let store = &*self.desk.engine.inner.store;
        job_rows::count(store, filter).await.map_err(|e| store_error(&e))
    }

    pub async fn count_of(&self, set: JobSet, filter: JobFilter) -> Result<u64, Error> {
        self.count(set.narrow(filter, self.desk.engine.now())).await
    }

    pub async fn get(&self, key: JobKey) -> Result<JobView, Error> {
        self.desk.engine.job_view(self.row(key).await?).await
    }

    /// Where the last failure came from; `None`: there was none, or it said nothing.
    pub async fn stack_trace(&self, key: JobKey) -> Result<Option<Arc<str>>, Error> {
        let row = self.row(key).await?;
        Ok(row.failure_details.or(row.failure))
    }

    /// Flowable gives a job another id whenever it moves, and a correlation id for its whole life.
    /// Here it keeps its key, which is its correlation id.
    pub async fn find_by_correlation_id(&self, id: &str) -> Result<Option<JobView>, Error> {
        let Ok(key) = id.parse() else { return Ok(None) };
        match self.get(JobKey::new(key)).await {
            Ok(view) => Ok(Some(view)),
            Err(Error::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Every reason why the job is not running, in the order in which things would have to change.
    pub async fn explain(&self, key: JobKey) -> Result<Explanation, Error> {
        self.desk.engine.explain(key).await
    }

    /// The job definition that a job belongs to, where it has one.
    pub async fn definition_of(&self, key: JobKey) -> Result<Option<JobDefinitionKey>, Error> {
        let job = self.row(key).await?;
        let definition = Some(job_definition_of::definition_of(&job));
        let filter = JobDefinitionFilter { definition, ..Default::default() };
        let store = &self.desk.engine.inner.store;
        let rows =
            bulk::all(|page| store.job_definitions(filter.clone(), page), |row| row.key.raw())
                .await?;
        let mut found = None;
        for row in rows.iter().filter(|row| job_definition_of::is_of(row, &job)) {
            let jobs = std::slice::from_ref(&job);
            if !has_twin(row, &rows) || !self.of(row, jobs).await?.is_empty() {
                found = Some(row.key);
            }
        }
        Ok(found)
    }

    /// Those of the filter that belong to a job definition. Where a multi-instance activity has
    /// save points both around it and around each of its instances, rows do not tell which is
    /// which: see [`Self::has_twin`].
    pub async fn of_job_definition(
        &self,
        key: JobDefinitionKey,
        filter: JobFilter,
    ) -> Result<JobFilter, Error> {
        Ok(job_definition_of::narrow(&self.definition_row(key).await?, filter))
    }

    /// Whether another job definition has the same jobs as far as a filter tells.
    pub async fn has_twin(&self, key: JobDefinitionKey) -> Result<bool, Error> {
        self.row_has_twin(&self.definition_row(key).await?).await
    }

    async fn row_has_twin(&self, row: &JobDefinitionRow) -> Result<bool, Error> {
        let definition = Some(row.definition);
        let filter = JobDefinitionFilter { definition, ..Default::default() };
        let store = &self.desk.engine.inner.store;
        let rows =
            bulk::all(|page| store.job_definitions(filter.clone(), page), |row| row.key.raw())
                .await?;
        Ok(has_twin(row, &rows))
    }

    /// Those of the jobs that belong to a job definition and not to its twin.
    pub async fn among(
        &self,
        key: JobDefinitionKey,
        jobs: &[JobKey],
    ) -> Result<BTreeSet<JobKey>, Error> {
        let definition = self.definition_row(key).await?;
        let store = &self.desk.engine.inner.store;
        let mut found = BTreeSet::new();
        // One that has ended meanwhile is of none.
        for some in jobs.chunks(PAGE_ROWS_MAX as usize) {
            let filter = JobFilter { keys: some.to_vec(), ..JobFilter::default() };
            let page = Page { before: None, limit: PAGE_ROWS_MAX };
            let rows = store.jobs(filter, page).await.map_err(|e| store_error(&e))?;
            found.append(&mut self.of(&definition, &rows).await?);
        }
        Ok(found)
    }

    async fn definition_row(&self, key: JobDefinitionKey) -> Result<JobDefinitionRow, Error> {
        let store = &self.desk.engine.inner.store;
        let found = store.job_definition(key).await.map_err(|e| store_error(&e))?;
        found.ok_or(Error::Missing(Missing::JobDefinition(key.raw())))
    }

    // ---- one job

    /// `due`: also the due date, which may be taken away.
    pub async fn set_retries(
        &self,
        key: JobKey,
        retries: i32,
        due: Option<Option<Timestamp>>,
    ) -> Result<(), Error> {
        self.act(key, &JobAction::SetRetries { retries, due }).await.map(drop)
    }

    /// `cascade`: later firings of a repetition move by as much.
    pub async fn set_due_date(
        &self,
        key: JobKey,
        due: Option<Timestamp>,
        cascade: bool,
    ) -> Result<(), Error> {
        self.act(key, &JobAction::SetDueDate { due, cascade }).await.map(drop)
    }

    pub async fn recalculate_due_date(
        &self,
        key: JobKey,
        from_creation: bool,
    ) -> Result<(), Error> {
        self.act(key, &JobAction::RecalculateDueDate { from_creation }).await.map(drop)
    }

    pub async fn set_priority(&self, key: JobKey, priority: i64) -> Result<(), Error> {
        self.act(key, &JobAction::SetPriority(priority)).await.map(drop)
    }

    pub async fn suspend(&self, key: JobKey) -> Result<(), Error> {
        self.act(key, &JobAction::Suspend).await.map(drop)
    }

    pub async fn activate(&self, key: JobKey) -> Result<(), Error> {
        self.act(key, &JobAction::Resume).await.map(drop)
    }

    /// Runs it here and now; [`Error::JobFailed`] tells why it failed.
    pub async fn execute(&self, key: JobKey) -> Result<(), Error> {
        self.act(key, &JobAction::Execute).await.map(drop)
    }

    /// [`Error::Locked`] while someone works on it.
    pub async fn delete(&self, key: JobKey) -> Result<(), Error> {
        self.act(key, &JobAction::Delete).await.map(drop)
    }

    pub async fn move_to_dead_letter(&self, key: JobKey) -> Result<(), Error> {
        self.act(key, &JobAction::MoveToDeadLetters).await.map(drop)
    }

    pub async fn move_to_executable(&self, key: JobKey, retries: i32) -> Result<(), Error> {
        self.act(key, &JobAction::MoveToExecutable { retries }).await.map(drop)
    }

    pub async fn move_timer_to_executable(&self, key: JobKey) -> Result<(), Error> {
        self.act(key, &JobAction::MoveTimerToExecutable).await.map(drop)
    }

    /// A job of its own takes the place of the timer; the answer is its key.
    pub async fn reschedule(&self, key: JobKey, timer: Reschedule) -> Result<JobKey, Error> {
        self.act(key, &JobAction::Reschedule(timer)).await
    }

    /// Takes a worker's lock away.
    pub async fn unlock(&self, key: JobKey) -> Result<(), Error> {
        self.act(key, &JobAction::Unlock).await.map(drop)
    }

    /// Whatever it is. The answer is the key by which the job goes on: its own, unless another one
    /// has taken its place.
    pub async fn act(&self, key: JobKey, action: &JobAction) -> Result<JobKey, Error> {
        self.act_in(JobSet::All, key, action).await
    }

    /// Whatever it is; an error for a job that is not in the set.
    pub async fn act_in(
        &self,
        set: JobSet,
        key: JobKey,
        action: &JobAction,
    ) -> Result<JobKey, Error> {
        for _ in 0..TRIES_MAX {
            let row = self.row(key).await?;
            if !set.has(&row, self.desk.engine.now()) {
                return Err(Error::Invalid(format!("job {key} is not among the {}", set.word())));
            }
            match self.act_on(&row, action).await {
                // Someone was faster; how the job is now decides what becomes of the order.
                Err(Error::Overtaken) => {}
                result => return result,
            }
        }
        Err(Error::Overtaken)
    }

    async fn act_on(&self, row: &JobRow, action: &JobAction) -> Result<JobKey, Error> {
        if action.is_idle(row) {
            return Ok(row.key);
        }
        if *action == JobAction::Unlock {
            return self.unlock_row(row, action).await.map(|()| row.key);
        }
        if *action == JobAction::Execute && row.kind.is_for_workers() {
            let (key, job_type) = (row.key, &row.job_type);
            return Err(Error::Invalid(format!("job {key} is for workers of type '{job_type}'")));
        }
        if *action == JobAction::Delete && row.is_locked() {
            return Err(Error::Locked(row.key));
        }
        let key = match action {
            JobAction::Reschedule(_) => {
                JobKey::new(self.desk.keys(1).await?.first().copied().unwrap_or_default())
            }
            _ => row.key,
        };
        let entries = action.entries(row);
        if row.kind.is_chore() {
            self.act_on_chore(row, action, key, entries).await?;
            return Ok(key);
        }
        let Some(command) = action.command(row, key) else { return Ok(key) };
        let free = (*action == JobAction::Delete).then_some(row.key);
        let instance = row.instance;
        self.desk.order(Order { instance, command, target: None, free, entries }).await?;
        let is_due_set = matches!(
            action,
            JobAction::SetDueDate { .. } | JobAction::SetRetries { due: Some(_), .. }
        );
        if is_due_set || matches!(action, JobAction::SetPriority(_)) {
            // A job that was ready before may be one that somebody takes only now.
            self.desk.wake().await;
        }
        Ok(key)
    }

    async fn unlock_row(&self, row: &JobRow, action: &JobAction) -> Result<(), Error> {
        if row.lock_until.is_none() {
            return Err(Error::NotLocked(row.key));
        }
        let engine = &self.desk.engine;
        // Only what a session holds asks for the lease; a worker's lock goes by its attempt.
        let session = engine.inner.session.load(std::sync::atomic::Ordering::SeqCst);
        let lease = Lease { node: NodeNumber::default(), session, keys_above: 0 };
        let released = engine.inner.store.release(lease, vec![(row.key, row.attempt)]).await;
        released.map_err(|e| store_error(&e))?;
        self.desk.note(action.entries(row)).await?;
        self.desk.tell(vec![Notice::JobsReady { types: vec![row.job_type.clone()] }]).await;
        Ok(())
    }

    // ---- many jobs

    /// The same for all of them. With [`JobScope::JobDefinition`], retries are given to those that
    /// have none left.
    pub fn all(&self, scope: impl Into<JobScope>, action: JobAction) -> Bulk {
        self.all_in(JobSet::All, scope, action)
    }

    /// The same for those of them that are in the set; one that is named and is not is an error.
    pub fn all_in(&self, set: JobSet, scope: impl Into<JobScope>, action: JobAction) -> Bulk {
        let wants_failed = wants_failed(&action);
        let mut scope = scope.into();
        if let JobScope::Filter(filter) | JobScope::JobDefinitionAnd(_, filter) = &mut scope {
            // Pages go by key, whatever order was asked for.
            (filter.order, filter.offset) = Default::default();
        }
        let (desk, log) = self.desk.bulk(action.summary(&self.desk.engine.inner.engine));
        let jobs = Self { desk };
        let source = match scope.clone() {
            JobScope::Keys(keys) => Source::Keys(keys.into_iter().map(JobKey::raw).collect()),
            scope => {
                let (counting, paging) = (self.clone(), self.clone());
                let counted = scope.clone();
                // Read once, however many pages there are.
                let meant = Arc::new(OnceCell::new());
                let counted_meant = meant.clone();
                Source::Pages {
                    count: Box::pin(async move {
                        let meaning = counting.meaning(&counted, wants_failed);
                        let meant: &Meaning = counted_meant.get_or_try_init(|| meaning).await?;
                        match meant.twin {
                            None => counting.count_of(set, meant.filter.clone()).await,
                            // Only the jobs themselves tell which they are.
                            Some(_) => Ok(counting.all_keys(set, meant).await?.len() as u64),
                        }
                    }),
                    page: Box::new(move |page| {
                        let (jobs, scope, meant) = (paging.clone(), scope.clone(), meant.clone());
                        Box::pin(async move {
                            let meaning = jobs.meaning(&scope, wants_failed);
                            jobs.page(set, meant.get_or_try_init(|| meaning).await?, page).await
                        })
                    }),
                }
            }
        };
        let action = Arc::new(action);
        let (batched, of_batch) = (self.clone(), (scope, action.clone()));
        Bulk::new(source, log, move |key| {
            let (jobs, action) = (jobs.clone(), action.clone());
            async move { jobs.act_in(set, JobKey::new(key), &action).await.map(drop) }
        })
        .or_batch(move || async move { batched.batch(set, &of_batch.0, &of_batch.1).await })
    }

    /// Dead letters that match, or are named.
    pub fn move_dead_letters(&self, scope: impl Into<JobScope>, retries: i32) -> Bulk {
        self.all_in(JobSet::DeadLetters, scope, JobAction::MoveToExecutable { retries })
    }

    pub fn delete_dead_letters(&self, scope: impl Into<JobScope>) -> Bulk {
        self.all_in(JobSet::DeadLetters, scope, JobAction::Delete)
    }

    /// Every key that a scope names at the moment.
    pub(super) async fn keys(
        &self,
        set: JobSet,
        scope: &JobScope,
        wants_failed: bool,
    ) -> Result<Vec<JobKey>, Error> {
        if let JobScope::Keys(keys) = scope {
            return Ok(keys.clone());
        }
        self.all_keys(set, &self.meaning(scope, wants_failed).await?).await
    }

    async fn all_keys(&self, set: JobSet, meant: &Meaning) -> Result<Vec<JobKey>, Error> {
        let mut keys = Vec::new();
        let mut before = None;
        loop {
            let page = self.page(set, meant, Page { before, limit: PAGE_ROWS_MAX }).await?;
            keys.extend(page.keys.into_iter().map(JobKey::new));
            match page.next {
                Some(next) => before = Some(next),
                None => return Ok(keys),
            }
        }
    }

    async fn page(&self, set: JobSet, meant: &Meaning, page: Page) -> Result<Keys, Error> {
        let filter = set.narrow(meant.filter.clone(), self.desk.engine.now());
        let rows = job_rows::list(&*self.desk.engine.inner.store, filter, page).await;
        let rows = rows.map_err(|e| store_error(&e))?;
        let mut keys = Keys::of(&rows, page, |row| row.key.raw());
        if let Some(definition) = &meant.twin {
            let found = self.of(definition, &rows).await?;
            keys.keys.retain(|key| found.contains(&JobKey::new(*key)));
        }
        Ok(keys)
    }

    async fn meaning(&self, scope: &JobScope, wants_failed: bool) -> Result<Meaning, Error> {
        let any = JobFilter::default;
        let filter = match scope {
            JobScope::Keys(keys) => JobFilter { keys: keys.clone(), ..any() },
            JobScope::Filter(filter) => of_process(filter.clone()),
            JobScope::Instance(key) => JobFilter { instance: Some(*key), ..any() },
            JobScope::Definition(key) => of_process(JobFilter { definition: Some(*key), ..any() }),
            JobScope::Process(process_id, tenant) => {
                let process_id = Some(process_id.clone());
                of_process(JobFilter { process_id, tenant: tenant.clone(), ..any() })
            }
            JobScope::JobDefinition(key) => {
                let wanted = JobFilter { has_retries: wants_failed.then_some(false), ..any() };
                return self.meaning_of_definition(*key, wanted).await;
            }
            JobScope::JobDefinitionAnd(key, filter) => {
                return self.meaning_of_definition(*key, filter.clone()).await;
            }
        };
        Ok(Meaning { filter, twin: None })
    }

    async fn meaning_of_definition(
        &self,
        key: JobDefinitionKey,
        filter: JobFilter,
    ) -> Result<Meaning, Error> {
        let row = self.definition_row(key).await?;
        let filter = job_definition_of::narrow(&row, filter);
        let twin = self.row_has_twin(&row).await?.then_some(row);
        Ok(Meaning { filter, twin })
    }

    /// Those of the jobs that belong to the job definition and not to its twin. Their instances
    /// tell, each of which is read once, however many of its jobs are asked about.
    async fn of(
        &self,
        definition: &JobDefinitionRow,
        jobs: &[JobRow],
    ) -> Result<BTreeSet<JobKey>, Error> {
        let inner = &self.desk.engine.inner;
        let mut by_instance: BTreeMap<InstanceKey, Vec<JobKey>> = BTreeMap::new();
        for job in jobs {
            by_instance.entry(job.instance).or_default().push(job.key);
        }
        let mut found = BTreeSet::new();
        for (instance, jobs) in by_instance {
            let loaded = inner.store.load(vec![instance]).await.map_err(|e| store_error(&e))?;
            let Some(loaded) = loaded.first() else { continue };
            let record = codec::decode(loaded).map_err(|e| store_error(&e))?;
            let known = inner.definitions.get(record.definition).await?;
            found.extend(jobs.into_iter().filter(|key| {
                let found = record.job(*key);
                let of = found.and_then(|(host, job)| job_definition(&known.process, host, job));
                of.is_some_and(|of| {
                    *of.element == *definition.element.as_str()
                        && of.handler.word() == &*definition.kind
                        && of.configuration == definition.configuration
                })
            }));
        }
        Ok(found)
    }

    pub(super) async fn row(&self, key: JobKey) -> Result<JobRow, Error> {
        let row = self.desk.engine.inner.store.job(key).await.map_err(|e| store_error(&e))?;
        row.ok_or(Error::Missing(Missing::Job(key.raw())))
    }
}

/// Whether another job definition has the same jobs as far as rows tell.
fn has_twin(row: &JobDefinitionRow, all: &[JobDefinitionRow]) -> bool {
    let filter = job_definition_of::filter_of(row);
    all.iter().any(|other| other.key != row.key && job_definition_of::filter_of(other) == filter)
}

/// Of a job definition's jobs, retries are for those that have none left.
pub(super) const fn wants_failed(action: &JobAction) -> bool {
    matches!(action, JobAction::SetRetries { .. })
}
