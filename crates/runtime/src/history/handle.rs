//! Questions about history.

use std::collections::BTreeMap;

use orloj_interpreter::Scopes;
use orloj_store::format::decode_variables;
use orloj_store::{
    BatchFilter, BatchRow, EndedBatchRow, OperationFilter, OperationRow, PAGE_ROWS_MAX, Page,
};
use orloj_types::{DefinitionKey, ElementId, InstanceKey, JobKey};

use super::activities::{self, ActivityView};
use super::chore_log;
use super::incidents::{self, IncidentHistory};
use super::instances::{self, HistoryFilter, Listed};
use super::job_log::{self, JobLogEntry, JobLogFilter};
use super::reading::{Span, State, Told};
use super::tasks::{self, TaskHistory};
use super::variables::{self, VariableUpdate, VariableView};
use super::whereabouts::{self, Whereabouts};
use crate::api::{Error, InstanceView};
use crate::handle::Orloj;
use crate::node::store_error;

/// Instances looked at for a question about all of them. Their history is only clustered by
/// instance (docs/adr/0004), so the newest are read one by one.
pub const RECENT_INSTANCES_MAX: usize = 200;

/// See [`Orloj::history`].
#[derive(Clone, Copy)]
pub struct History<'a> {
    engine: &'a Orloj,
}

impl Orloj {
    /// What happened, as far as the level of history keeps it.
    pub fn history(&self) -> History<'_> {
        History { engine: self }
    }
}

impl History<'_> {
    /// Whether what happens to jobs from now on is kept.
    pub fn keeps_job_log(&self) -> bool {
        chore_log::is_chore_logged(&self.engine.inner.settings)
    }

    /// Live and ended ones, newest first.
    pub async fn instances(
        &self,
        filter: &HistoryFilter,
        page: Page,
    ) -> Result<Listed<InstanceView>, Error> {
        instances::list(self.engine, filter, self.engine.within(page)?).await
    }

    /// Visits of elements, in the order in which they began.
    pub async fn activities(
        &self,
        instance: InstanceKey,
        span: Span,
    ) -> Result<Vec<ActivityView>, Error> {
        let told = self.told(instance).await?;
        Ok(span.of(activities::activities(&told.events, told.origin, &told.definition)))
    }

    /// Every variable that an instance has or had, by scope and name. Values that are still there
    /// are whole; others may have been cut.
    pub async fn variables(
        &self,
        instance: InstanceKey,
        span: Span,
    ) -> Result<Vec<VariableView>, Error> {
        let told = self.told(instance).await?;
        let current = match told.state {
            State::Live(record) => record.variables,
            State::Ended(row) => {
                let own = decode_variables(&row.variables).map_err(|e| store_error(&e))?;
                let mut current = Scopes::new();
                current.insert(instance.root_scope(), own.0);
                current
            }
        };
        Ok(span.of(variables::variables(&told.events, told.origin, &current)))
    }

    /// Every value that variables were given, in order. Only at the level `full`.
    pub async fn variable_updates(
        &self,
        instance: InstanceKey,
        span: Span,
    ) -> Result<Vec<VariableUpdate>, Error> {
        let told = self.told(instance).await?;
        Ok(span.of(variables::updates(&told.events, told.origin)))
    }

    /// User tasks, in the order in which they were made.
    pub async fn tasks(
        &self,
        instance: InstanceKey,
        span: Span,
    ) -> Result<Vec<TaskHistory>, Error> {
        let told = self.told(instance).await?;
        Ok(span.of(tasks::tasks(&told.events, told.origin)))
    }

    /// What happened to the jobs of an instance, in order. Only at the level `full`.
    pub async fn job_log(
        &self,
        instance: InstanceKey,
        filter: &JobLogFilter,
        span: Span,
    ) -> Result<Vec<JobLogEntry>, Error> {
        let told = self.told(instance).await?;
        let mut log = job_log::job_log(&told.events, told.origin, &told.definition);
        log.retain(|row| filter.matches(row));
        Ok(span.of(log))
    }

    /// What happened last to jobs of no instance and to those of the newest instances that can
    /// match, at most [`RECENT_INSTANCES_MAX`] of them; newest first. With a job in the filter: all
    /// that happened to it, whatever it belongs to. Only at the level `full`.
    pub async fn recent_job_log(
        &self,
        filter: &JobLogFilter,
        limit: usize,
    ) -> Result<Found<JobLogEntry>, Error> {
        let limit = limit.min(super::SPAN_ROWS_MAX);
        let of = |told: &Told| {
            let log = job_log::job_log(&told.events, told.origin, &told.definition);
            log.into_iter().filter(|row| filter.matches(row)).collect::<Vec<_>>()
        };
        let (mut rows, is_partial) = match filter.job {
            Some(job) => match whereabouts::of_job(self.engine, job).await? {
                Whereabouts::Chores => {
                    let found = chore_log::job_log(self.engine, filter, limit).await?;
                    (found.rows, found.is_partial)
                }
                Whereabouts::Instance(told) => (of(&told), false),
                Whereabouts::Unknown { is_partial } => (Vec::new(), is_partial),
            },
            None => {
                let chores = chore_log::job_log(self.engine, filter, limit).await?;
                let mut rows = chores.rows;
                let (newest, is_partial) = self.newest(&filter.instances()).await?;
                for instance in newest {
                    let told = whereabouts::told(self.engine, instance).await?;
                    rows.extend(told.iter().flat_map(of));
                }
                (rows, is_partial || chores.is_partial)
            }
        };
        rows.sort_by_key(|row| std::cmp::Reverse((row.at, row.job, row.sequence)));
        rows.truncate(limit);
        Ok(Found { rows, is_partial })
    }

    /// The newest that match, at most [`RECENT_INSTANCES_MAX`] of them, and whether there are more.
    async fn newest(&self, filter: &HistoryFilter) -> Result<(Vec<InstanceKey>, bool), Error> {
        let limit = u32::try_from(RECENT_INSTANCES_MAX).unwrap_or(PAGE_ROWS_MAX);
        let listed = instances::list(self.engine, filter, Page { before: None, limit }).await?;
        let is_partial = match listed.next {
            None => false,
            // A full list may have been the last.
            Some(before) => {
                let page = Page { before: Some(before), limit: 1 };
                let older = instances::list(self.engine, filter, page).await?;
                !older.rows.is_empty() || older.next.is_some()
            }
        };
        Ok((listed.rows.iter().map(|view| view.key).collect(), is_partial))
    }

    /// Incidents of jobs of no instance, open and closed; newest first. Only at the level `full`.
    pub async fn chore_incidents(&self, limit: usize) -> Result<Vec<IncidentHistory>, Error> {
        chore_log::incidents(self.engine, None, limit.min(super::SPAN_ROWS_MAX)).await
    }

    /// Incidents of a job, open and closed, whatever it belongs to; newest first. Only at the level
    /// `full`.
    pub async fn job_incidents(
        &self,
        job: JobKey,
        limit: usize,
    ) -> Result<Found<IncidentHistory>, Error> {
        let limit = limit.min(super::SPAN_ROWS_MAX);
        let (rows, is_partial) = match whereabouts::of_job(self.engine, job).await? {
            Whereabouts::Chores => {
                (chore_log::incidents(self.engine, Some(job), limit).await?, false)
            }
            Whereabouts::Instance(told) => {
                let mut rows = incidents::incidents(&told.events, told.origin);
                rows.retain(|row| row.job == Some(job));
                rows.reverse();
                rows.truncate(limit);
                (rows, false)
            }
            Whereabouts::Unknown { is_partial } => (Vec::new(), is_partial),
        };
        Ok(Found { rows, is_partial })
    }

    /// Open and closed ones, in the order in which they were opened. Only at the level `full`;
    /// those that are open are always listed by [`Orloj::incidents`].
    pub async fn incidents(
        &self,
        instance: InstanceKey,
        span: Span,
    ) -> Result<Vec<IncidentHistory>, Error> {
        let told = self.told(instance).await?;
        Ok(span.of(incidents::incidents(&told.events, told.origin)))
    }

    /// What people did, newest first.
    pub async fn operations(
        &self,
        filter: OperationFilter,
        page: Page,
    ) -> Result<Vec<OperationRow>, Error> {
        let page = self.engine.within(page)?;
        self.engine.inner.store.operations(filter, page).await.map_err(|e| store_error(&e))
    }

    /// Batches that are done, newest first.
    pub async fn batches(
        &self,
        filter: BatchFilter,
        page: Page,
    ) -> Result<Vec<EndedBatchRow>, Error> {
        let page = self.engine.within(page)?;
        self.engine.inner.store.ended_batches(filter, page).await.map_err(|e| store_error(&e))
    }

    /// Those under way, newest first.
    pub async fn running_batches(
        &self,
        filter: BatchFilter,
        page: Page,
    ) -> Result<Vec<BatchRow>, Error> {
        let page = self.engine.within(page)?;
        self.engine.inner.store.batches(filter, page).await.map_err(|e| store_error(&e))
    }

    /// How often each element of a definition was visited by its newest instances, at most
    /// [`RECENT_INSTANCES_MAX`] of them.
    pub async fn heat(&self, definition: DefinitionKey) -> Result<Heat, Error> {
        let filter = HistoryFilter { definition: Some(definition), ..HistoryFilter::default() };
        let (newest, is_partial) = self.newest(&filter).await?;
        let mut heat = Heat { is_partial, ..Heat::default() };
        for instance in newest {
            let Some(told) = whereabouts::told(self.engine, instance).await? else { continue };
            heat.instances += 1;
            let visits = activities::activities(&told.events, told.origin, &told.definition);
            for visit in visits.into_iter().filter(|visit| !visit.is_body) {
                let element = heat.elements.entry(visit.element).or_default();
                element.open += u64::from(visit.left_at.is_none());
                element.cancelled += u64::from(visit.is_cancelled);
                element.left += u64::from(visit.left_at.is_some() && !visit.is_cancelled);
            }
        }
        Ok(heat)
    }

    async fn told(&self, instance: InstanceKey) -> Result<Told, Error> {
        Told::read(self.engine, instance).await
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<T> {
    pub rows: Vec<T>,
    /// There are instances, or jobs of none, that were not looked at; naming one tells all.
    pub is_partial: bool,
}

/// Where the tokens of a definition have been.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    /// How many instances were looked at.
    pub instances: u64,
    /// There are older ones.
    pub is_partial: bool,
    pub elements: BTreeMap<ElementId, ElementHeat>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ElementHeat {
    /// Visits under way.
    pub open: u64,
    pub left: u64,
    pub cancelled: u64,
}
