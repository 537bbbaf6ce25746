//! Job definitions: what is set for all jobs of one kind of one element.

use std::sync::Arc;

use orloj_store::{JobDefinitionChange, JobDefinitionFilter, JobDefinitionRow, Page};
use orloj_types::{DefinitionKey, ElementId, JobDefinitionKey, ProcessId, TenantId, Timestamp};

use super::bulk::{self, Bulk, BulkReport, Keys, Source};
use super::definitions::Suspended;
use super::desk::Desk;
use super::job_action::JobAction;
use super::job_set::JobScope;
use super::operation::Entry;
use crate::api::{Error, Missing};
use crate::handle::Orloj;
use crate::node::chores::{Suspension, SuspensionOf};
use crate::node::store_error;

/// See [`Orloj::job_definitions`].
#[derive(Clone)]
pub struct JobDefinitions {
    desk: Desk,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobDefinitionView {
    pub key: JobDefinitionKey,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub tenant: TenantId,
    /// Of a multi-instance body it ends in `#multiInstanceBody`.
    pub element: ElementId,
    /// Such as `async-continuation`.
    pub kind: Arc<str>,
    pub configuration: Arc<str>,
    pub suspended: bool,
    /// Takes the place of the one in the model.
    pub priority: Option<i64>,
}

impl From<JobDefinitionRow> for JobDefinitionView {
    fn from(row: JobDefinitionRow) -> Self {
        Self {
            key: row.key,
            definition: row.definition,
            process_id: row.process_id,
            tenant: row.tenant,
            element: row.element,
            kind: row.kind,
            configuration: row.configuration,
            suspended: row.suspended,
            priority: row.priority,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobDefinitionScope {
    Key(JobDefinitionKey),
    /// All of a definition. Its start timers go with them.
    Definition(DefinitionKey),
    /// Of all versions; `None`: of every tenant.
    Process(ProcessId, Option<TenantId>),
}

/// How job definitions are suspended or activated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuspendJobs {
    /// Also the jobs there are.
    pub include_jobs: bool,
    /// Not now, but then.
    pub at: Option<Timestamp>,
}

/// What can be done with a job definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobDefinitionAction {
    SetPriority {
        priority: i64,
        /// The jobs there are as well.
        cascade: bool,
    },
    ClearPriority,
    /// For those of its jobs that have none left.
    SetRetries {
        retries: i32,
        /// Also the due date, which may be taken away.
        due: Option<Option<Timestamp>>,
    },
    Suspend(SuspendJobs),
    Activate(SuspendJobs),
}

impl JobDefinitionAction {
    /// What the log tells of it, without saying of which.
    fn summary(&self) -> Entry {
        let entry = |operation| Entry::new(operation, "JobDefinition", None);
        match self {
            Self::SetPriority { priority, .. } => {
                entry("SetPriority").changing("overridingPriority", None::<i64>, Some(*priority))
            }
            Self::ClearPriority => entry("SetPriority"),
            Self::SetRetries { retries, .. } => {
                entry("SetJobRetries").changing("retries", None::<i32>, Some(*retries))
            }
            Self::Suspend(_) => entry("SuspendJobDefinition").suspending(true),
            Self::Activate(_) => entry("ActivateJobDefinition").suspending(false),
        }
    }
}

/// Which job definitions a verb is for.
#[derive(Clone, Debug)]
pub enum WhichJobDefinitions {
    Keys(Vec<JobDefinitionKey>),
    Filter(JobDefinitionFilter),
}

impl From<Vec<JobDefinitionKey>> for WhichJobDefinitions {
    fn from(keys: Vec<JobDefinitionKey>) -> Self {
        Self::Keys(keys)
    }
}

impl From<JobDefinitionFilter> for WhichJobDefinitions {
    fn from(filter: JobDefinitionFilter) -> Self {
        Self::Filter(filter)
    }
}

impl Orloj {
    pub fn job_definitions(&self) -> JobDefinitions {
        JobDefinitions { desk: Desk::new(self) }
    }
}

impl JobDefinitions {
    /// Who gives the orders, for the log.
    pub fn by(self, user: &str) -> Self {
        Self { desk: self.desk.by(user) }
    }

    pub async fn list(
        &self,
        filter: JobDefinitionFilter,
        page: Page,
    ) -> Result<Vec<JobDefinitionView>, Error> {
        let page = self.desk.engine.within(page)?;
        let rows = self.desk.engine.inner.store.job_definitions(filter, page).await;
        Ok(rows.map_err(|e| store_error(&e))?.into_iter().map(Into::into).collect())
    }

    pub async fn count(&self, filter: JobDefinitionFilter) -> Result<u64, Error> {
        let count = self.desk.engine.inner.store.count_job_definitions(filter).await;
        count.map_err(|e| store_error(&e))
    }

    pub async fn get(&self, key: JobDefinitionKey) -> Result<JobDefinitionView, Error> {
        Ok(self.row(key).await?.into())
    }

    // ---- many at once

    /// Does something to each that is named, or that matches. One that cannot be done is reported
    /// and stops no other; so is one of whose jobs one refuses, with what that said.
    pub fn all(&self, which: impl Into<WhichJobDefinitions>, action: JobDefinitionAction) -> Bulk {
        let source = match which.into() {
            WhichJobDefinitions::Keys(keys) => {
                Source::Keys(keys.into_iter().map(JobDefinitionKey::raw).collect())
            }
            WhichJobDefinitions::Filter(filter) => {
                let (counting, paging) = (self.clone(), self.clone());
                let counted = filter.clone();
                Source::Pages {
                    count: Box::pin(async move { counting.count(counted).await }),
                    page: Box::new(move |page| {
                        let (definitions, filter) = (paging.clone(), filter.clone());
                        Box::pin(async move {
                            let store = &definitions.desk.engine.inner.store;
                            let rows = store.job_definitions(filter, page).await;
                            let rows = rows.map_err(|e| store_error(&e))?;
                            Ok(Keys::of(&rows, page, |row| row.key.raw()))
                        })
                    }),
                }
            }
        };
        let (desk, log) = self.desk.bulk(vec![action.summary()]);
        let definitions = Self { desk };
        Bulk::new(source, log, move |key| {
            let (definitions, action) = (definitions.clone(), action.clone());
            async move {
                let report = definitions.act(JobDefinitionKey::new(key), &action).await?;
                match report.errors.into_iter().next() {
                    Some(first) => Err(first.error),
                    None => Ok(()),
                }
            }
        })
    }

    /// Whatever it is. The report is about the jobs that it reached.
    pub async fn act(
        &self,
        key: JobDefinitionKey,
        action: &JobDefinitionAction,
    ) -> Result<BulkReport, Error> {
        let scope = JobDefinitionScope::Key(key);
        match *action {
            JobDefinitionAction::SetPriority { priority, cascade } => {
                return self.set_priority(key, priority, cascade).await;
            }
            JobDefinitionAction::SetRetries { retries, due } => {
                return self.set_retries(key, retries, due).await;
            }
            JobDefinitionAction::ClearPriority => self.clear_priority(key).await?,
            JobDefinitionAction::Suspend(how) => drop(self.suspend(&scope, how).await?),
            JobDefinitionAction::Activate(how) => drop(self.activate(&scope, how).await?),
        }
        Ok(BulkReport::default())
    }

    // ---- suspension

    /// Jobs that are made from now on are suspended.
    pub async fn suspend(
        &self,
        scope: &JobDefinitionScope,
        how: SuspendJobs,
    ) -> Result<Suspended, Error> {
        self.set_suspended(scope, how, true).await
    }

    pub async fn activate(
        &self,
        scope: &JobDefinitionScope,
        how: SuspendJobs,
    ) -> Result<Suspended, Error> {
        self.set_suspended(scope, how, false).await
    }

    async fn set_suspended(
        &self,
        scope: &JobDefinitionScope,
        how: SuspendJobs,
        suspended: bool,
    ) -> Result<Suspended, Error> {
        let (of, rows) = self.scope(scope).await?;
        let suspension = Suspension { of, suspended, with_existing: how.include_jobs };
        let operation = if suspended { "SuspendJobDefinition" } else { "ActivateJobDefinition" };
        let entry = |row| Entry::of_job_definition(operation, row).suspending(suspended);
        let entries = rows.iter().map(entry).collect();
        if let Some(at) = how.at {
            let first = rows.first().map(|row| (row.definition, row.tenant.clone()));
            let first = first.unwrap_or_default();
            return self.desk.schedule(&suspension, first, at, entries).await;
        }
        self.desk.suspend_now(suspension, entries).await
    }

    // ---- priority and retries

    /// Jobs that are made from now on have this priority, whatever the model says; with `cascade`
    /// those there are, too.
    pub async fn set_priority(
        &self,
        key: JobDefinitionKey,
        priority: i64,
        cascade: bool,
    ) -> Result<BulkReport, Error> {
        let row = self.row(key).await?;
        let entry = Entry::of_job_definition("SetPriority", &row).changing(
            "overridingPriority",
            row.priority,
            Some(priority),
        );
        self.override_priority(key, Some(priority), entry).await?;
        if !cascade {
            return Ok(BulkReport::default());
        }
        let desk = self.desk.as_one().await?;
        let jobs = super::Jobs { desk };
        jobs.all(JobScope::JobDefinition(key), JobAction::SetPriority(priority)).run().await
    }

    /// The model's counts again. Jobs that there are keep what they have.
    pub async fn clear_priority(&self, key: JobDefinitionKey) -> Result<(), Error> {
        let row = self.row(key).await?;
        let entry = Entry::of_job_definition("SetPriority", &row).changing(
            "overridingPriority",
            row.priority,
            None::<i64>,
        );
        self.override_priority(key, None, entry).await
    }

    async fn override_priority(
        &self,
        key: JobDefinitionKey,
        priority: Option<i64>,
        entry: Entry,
    ) -> Result<(), Error> {
        let change =
            JobDefinitionChange { priority: Some(priority), ..JobDefinitionChange::default() };
        let version = self.set(key, change).await?;
        self.desk.note(vec![entry]).await?;
        self.desk.settled(version).await
    }

    /// For those of its jobs that have none left. Their incidents are resolved.
    pub async fn set_retries(
        &self,
        key: JobDefinitionKey,
        retries: i32,
        due: Option<Option<Timestamp>>,
    ) -> Result<BulkReport, Error> {
        let desk = self.desk.as_one().await?;
        let jobs = super::Jobs { desk };
        let action = JobAction::SetRetries { retries, due };
        action.check()?;
        jobs.all(JobScope::JobDefinition(key), action).run().await
    }

    async fn set(&self, key: JobDefinitionKey, change: JobDefinitionChange) -> Result<i64, Error> {
        let set = self.desk.engine.inner.store.set_job_definition(key, change).await;
        let version = set.map_err(|e| store_error(&e))?;
        version.ok_or(Error::Missing(Missing::JobDefinition(key.raw())))
    }

    async fn scope(
        &self,
        scope: &JobDefinitionScope,
    ) -> Result<(SuspensionOf, Vec<JobDefinitionRow>), Error> {
        let any = JobDefinitionFilter::default;
        Ok(match scope {
            JobDefinitionScope::Key(key) => {
                (SuspensionOf::job_definition(*key), vec![self.row(*key).await?])
            }
            JobDefinitionScope::Definition(key) => {
                let filter = JobDefinitionFilter { definition: Some(*key), ..any() };
                (SuspensionOf::JobsOfDefinition(key.raw()), self.rows(filter).await?)
            }
            JobDefinitionScope::Process(id, tenant) => {
                let filter = JobDefinitionFilter {
                    process_id: Some(id.clone()),
                    tenant: tenant.clone(),
                    ..any()
                };
                let of = SuspensionOf::JobsOfProcess {
                    id: id.to_string(),
                    tenant: tenant.as_ref().map(ToString::to_string),
                };
                (of, self.rows(filter).await?)
            }
        })
    }

    async fn rows(&self, filter: JobDefinitionFilter) -> Result<Vec<JobDefinitionRow>, Error> {
        let store = &self.desk.engine.inner.store;
        bulk::all(|page| store.job_definitions(filter.clone(), page), |row| row.key.raw()).await
    }

    async fn row(&self, key: JobDefinitionKey) -> Result<JobDefinitionRow, Error> {
        let row = self.desk.engine.inner.store.job_definition(key).await;
        let row = row.map_err(|e| store_error(&e))?;
        row.ok_or(Error::Missing(Missing::JobDefinition(key.raw())))
    }
}
