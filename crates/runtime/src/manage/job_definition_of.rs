//! Which jobs belong to which job definition. Rows do not say so; element and kind do.

use orloj_model::{BODY_SUFFIX, JobHandler};
use orloj_store::{JobDefinitionRow, JobFilter, JobKind, JobRow};
use orloj_types::{DefinitionKey, ElementId, JobKey};

use crate::node::chores::{batch_job_kind, batch_of_job_definition};

/// The jobs of a job definition. Of a multi-instance activity that has save points both around it
/// and around each of its instances, the jobs of both.
pub(crate) fn filter_of(row: &JobDefinitionRow) -> JobFilter {
    if let Some(batch) = batch_of_job_definition(row) {
        return JobFilter { batch: Some(batch), kinds: kinds_of(row), ..JobFilter::default() };
    }
    JobFilter {
        definition: Some(row.definition),
        element: Some(element_of(row)),
        kinds: kinds_of(row),
        ..JobFilter::default()
    }
}

/// Those of a filter that are of a job definition as well.
pub(crate) fn narrow(row: &JobDefinitionRow, filter: JobFilter) -> JobFilter {
    let of = filter_of(row);
    fn both<T: PartialEq>(one: Option<T>, other: Option<T>) -> Result<Option<T>, ()> {
        match (one, other) {
            (Some(one), Some(other)) if one != other => Err(()),
            (one, other) => Ok(one.or(other)),
        }
    }
    let is_wanted = |kind: &JobKind| filter.kinds.is_empty() || filter.kinds.contains(kind);
    let kinds: Vec<JobKind> = of.kinds.into_iter().filter(is_wanted).collect();
    let definition = both(filter.definition, of.definition);
    let element = both(filter.element.clone(), of.element);
    let batch = both(filter.batch, of.batch);
    match (definition, element, batch) {
        (Ok(definition), Ok(element), Ok(batch)) if !kinds.is_empty() => {
            JobFilter { definition, element, batch, kinds, ..filter }
        }
        // Nothing is both; no job has the key zero.
        _ => JobFilter { keys: vec![JobKey::new(0)], ..filter },
    }
}

pub(crate) fn is_of(row: &JobDefinitionRow, job: &JobRow) -> bool {
    if let Some(batch) = batch_of_job_definition(row) {
        return job.batch == Some(batch) && kinds_of(row).contains(&job.kind);
    }
    row.definition == job.definition
        && element_of(row) == job.element
        && kinds_of(row).contains(&job.kind)
}

/// The definition that the job definition of a job belongs to: those of batches to none, whatever
/// their elements are.
pub(crate) fn definition_of(job: &JobRow) -> DefinitionKey {
    if job.batch.is_some() { DefinitionKey::new(0) } else { job.definition }
}

fn element_of(row: &JobDefinitionRow) -> ElementId {
    let id = row.element.as_str();
    ElementId::from(id.strip_suffix(BODY_SUFFIX).unwrap_or(id))
}

fn kinds_of(row: &JobDefinitionRow) -> Vec<JobKind> {
    match JobHandler::from_word(&row.kind) {
        Some(JobHandler::AsyncContinuation) if &*row.configuration == "async-after" => {
            vec![JobKind::AsyncAfter]
        }
        Some(JobHandler::AsyncContinuation) => vec![JobKind::AsyncBefore],
        Some(JobHandler::TimerStart) => vec![JobKind::StartTimer],
        Some(_) => vec![JobKind::Timer],
        None => vec![batch_job_kind(&row.kind)],
    }
}
