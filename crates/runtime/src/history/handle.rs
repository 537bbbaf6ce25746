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

    /// What happened last to jobs of no instance and to those of the newest instances, at most
    /// [`RECENT_INSTANCES_MAX`] of them; newest first. Only at the level `full`.
    pub async fn recent_job_log(
        &self,
        filter: &JobLogFilter,
        limit: usize,
    ) -> Result<Vec<JobLogEntry>, Error> {
        let limit = limit.min(super::SPAN_ROWS_MAX);
        let mut rows = chore_log::job_log(self.engine, filter, limit).await?;
        let is_chore = filter.job.is_some() && !rows.is_empty();
        for instance in if is_chore { Vec::new() } else { self.instances_of(filter.job).await? } {
            match self.told(instance).await {
                Ok(told) => {
                    let log = job_log::job_log(&told.events, told.origin, &told.definition);
                    rows.extend(log.into_iter().filter(|row| filter.matches(row)));
                }
                // Removed meanwhile.
                Err(Error::Missing(_)) => {}
                Err(error) => return Err(error),
            }
        }
        rows.sort_by_key(|row| std::cmp::Reverse((row.at, row.job, row.sequence)));
        rows.truncate(limit);
        Ok(rows)
    }

    /// Where a job may be told of: in its instance, if it is there, or in any of the newest.
    async fn instances_of(&self, job: Option<JobKey>) -> Result<Vec<InstanceKey>, Error> {
        if let Some(job) = job {
            let row = self.engine.inner.store.job(job).await.map_err(|e| store_error(&e))?;
            if let Some(row) = row {
                return Ok(Some(row.instance).filter(|key| key.raw() != 0).into_iter().collect());
            }
        }
        let limit = u32::try_from(RECENT_INSTANCES_MAX).unwrap_or(PAGE_ROWS_MAX);
        let page = Page { before: None, limit };
        let listed = instances::list(self.engine, &HistoryFilter::default(), page).await?;
        Ok(listed.rows.iter().map(|view| view.key).collect())
    }

    /// Incidents of jobs of no instance, open and closed, of one job or of all; newest first. Only
    /// at the level `full`.
    pub async fn chore_incidents(
        &self,
        job: Option<JobKey>,
        limit: usize,
    ) -> Result<Vec<IncidentHistory>, Error> {
        chore_log::incidents(self.engine, job, limit.min(super::SPAN_ROWS_MAX)).await
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
        let page = Page {
            before: None,
            limit: u32::try_from(RECENT_INSTANCES_MAX).unwrap_or(PAGE_ROWS_MAX),
        };
        let listed = instances::list(self.engine, &filter, page).await?;
        let mut heat = Heat { is_partial: listed.next.is_some(), ..Heat::default() };
        for instance in listed.rows {
            let told = match self.told(instance.key).await {
                Ok(told) => told,
                Err(Error::Missing(_)) => continue,
                Err(error) => return Err(error),
            };
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
