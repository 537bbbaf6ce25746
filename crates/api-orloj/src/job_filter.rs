//! Which jobs are meant, as clients say it.

use orloj::types::{BatchKey, DefinitionKey, InstanceKey, JobDefinitionKey, JobKey, Timestamp};
use orloj::{JobFilter, JobScope, JobSet, JobView, Orloj};
use serde::Deserialize;

use crate::failure::{Failure, RequestFault};
use crate::job_words::{kinds_named, order_named, set_named, states_named};
use crate::suspension::tenant;
use crate::wire::{GivenKey, GivenTime};

/// Absent fields match all.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct JobParams {
    /// With commas between them.
    keys: Option<String>,
    instance: Option<GivenKey>,
    /// Only those of none.
    without_instance: Option<bool>,
    job_definition: Option<GivenKey>,
    process: Option<String>,
    definition: Option<GivenKey>,
    tenant: Option<String>,
    /// Only those of none.
    without_tenant: bool,
    element: Option<String>,
    failed_element: Option<String>,
    set: Option<String>,
    kind: Option<String>,
    state: Option<String>,
    r#type: Option<String>,
    topic: Option<String>,
    category: Option<String>,
    batch: Option<GivenKey>,
    due_before: Option<GivenTime>,
    due_after: Option<GivenTime>,
    created_before: Option<GivenTime>,
    created_after: Option<GivenTime>,
    with_failure: Option<bool>,
    failure: Option<String>,
    with_retries: Option<bool>,
    priority_min: Option<i64>,
    priority_max: Option<i64>,
    locked: Option<bool>,
    worker: Option<String>,
    order: Option<String>,
    offset: Option<u32>,
}

impl JobParams {
    /// The filter, and the job definition that rows alone may not tell from its twin.
    pub async fn chosen(self, orloj: &Orloj) -> Result<Chosen, Failure> {
        self.meant(orloj, JobSet::narrow).await
    }

    /// As [`Self::chosen`], for an order.
    pub async fn ordered(self, orloj: &Orloj) -> Result<Chosen, Failure> {
        self.meant(orloj, JobSet::narrow_order).await
    }

    async fn meant(self, orloj: &Orloj, narrow: Narrow) -> Result<Chosen, Failure> {
        let job_definition = self.job_definition.map(|key| JobDefinitionKey::new(key.0));
        let filter = self.filter(orloj.now(), narrow)?;
        let Some(key) = job_definition else { return Ok(Chosen { filter, twin: None }) };
        let filter = orloj.jobs().of_job_definition(key, filter).await?;
        let twin = orloj.jobs().has_twin(key).await?.then_some(key);
        Ok(Chosen { filter, twin })
    }

    fn filter(self, now: Timestamp, narrow: Narrow) -> Result<JobFilter, RequestFault> {
        let keys = match self.keys.as_deref() {
            None | Some("") => Vec::new(),
            Some(keys) => keys.split(',').map(job_key).collect::<Result<_, _>>()?,
        };
        let priorities = match (self.priority_min, self.priority_max) {
            (None, None) => None,
            (min, max) => Some(min.unwrap_or(i64::MIN)..=max.unwrap_or(i64::MAX)),
        };
        if priorities.as_ref().is_some_and(|range| range.is_empty()) {
            let reason = "priorityMin must not be above priorityMax";
            return Err(RequestFault::Query(reason.to_owned()));
        }
        let instance = match (self.instance, self.without_instance) {
            (Some(key), None) => Some(InstanceKey::new(key.0)),
            (None, Some(true)) => Some(InstanceKey::new(0)),
            (None, None) => None,
            _ => {
                let reason = "withoutInstance is true or left out, and goes with no instance";
                return Err(RequestFault::Query(reason.to_owned()));
            }
        };
        let filter = JobFilter {
            keys,
            instance,
            definition: self.definition.map(|key| DefinitionKey::new(key.0)),
            process_id: self.process.map(Into::into),
            tenant: tenant(self.tenant, self.without_tenant)?,
            element: self.element.map(Into::into),
            failed_element: self.failed_element.map(Into::into),
            kinds: self.kind.as_deref().map(kinds_named).transpose()?.unwrap_or_default(),
            states: self.state.as_deref().map(states_named).transpose()?.unwrap_or_default(),
            job_type: self.r#type.map(Into::into),
            topic: self.topic.map(Into::into),
            category: self.category.map(Into::into),
            batch: self.batch.map(|key| BatchKey::new(key.0)),
            due_before: self.due_before.map(|at| at.0),
            due_after: self.due_after.map(|at| at.0),
            created_before: self.created_before.map(|at| at.0),
            created_after: self.created_after.map(|at| at.0),
            has_failure: self.with_failure,
            failure: self.failure.map(Into::into),
            has_retries: self.with_retries,
            priorities,
            is_locked: self.locked,
            owner: self.worker.map(Into::into),
            order: self.order.as_deref().map(order_named).transpose()?.unwrap_or_default(),
            offset: self.offset.unwrap_or(0),
            ..JobFilter::default()
        };
        let set = self.set.as_deref().map(set_named).transpose()?.unwrap_or(JobSet::All);
        Ok(narrow(set, filter, now))
    }
}

/// How a set takes its part of a filter.
type Narrow = fn(JobSet, JobFilter, Timestamp) -> JobFilter;

/// Which jobs a request is about.
pub struct Chosen {
    pub filter: JobFilter,
    /// The job definition, where the filter finds jobs of another as well.
    twin: Option<JobDefinitionKey>,
}

impl Chosen {
    /// Of rows that the filter found, those that are meant.
    pub async fn keep(&self, orloj: &Orloj, rows: &mut Vec<JobView>) -> Result<(), Failure> {
        let Some(wanted) = self.twin else { return Ok(()) };
        let found: Vec<JobKey> = rows.iter().map(|row| row.key).collect();
        let kept = orloj.jobs().among(wanted, &found).await?;
        rows.retain(|row| kept.contains(&row.key));
        Ok(())
    }

    pub fn scope(self) -> JobScope {
        match self.twin {
            None => JobScope::Filter(self.filter),
            Some(job_definition) => JobScope::JobDefinitionAnd(job_definition, self.filter),
        }
    }

    /// The filter, where nothing looks at the rows it finds.
    pub fn alone(self) -> Result<JobFilter, RequestFault> {
        match self.twin {
            None => Ok(self.filter),
            Some(_) => Err(RequestFault::Query(
                "jobDefinition: of a multi-instance activity that has save points around it and \
                 around its instances, jobs are neither counted nor given to a batch by it"
                    .to_owned(),
            )),
        }
    }
}

fn job_key(text: &str) -> Result<JobKey, RequestFault> {
    match text.trim().parse() {
        Ok(key) if key > 0 => Ok(JobKey::new(key)),
        _ => Err(RequestFault::Query(format!("keys: '{text}' is not a key"))),
    }
}
