//! Which jobs belong to which job definition. Rows do not say so; element and kind do.

use orloj_model::{BODY_SUFFIX, JobHandler};
use orloj_store::{JobDefinitionRow, JobFilter, JobKind, JobRow};
use orloj_types::ElementId;

/// The jobs of a job definition. Of a multi-instance activity that has save points both around it
/// and around each of its instances, the jobs of both.
pub(crate) fn filter_of(row: &JobDefinitionRow) -> JobFilter {
    JobFilter {
        definition: Some(row.definition),
        element: Some(element_of(row)),
        kinds: kinds_of(row),
        ..JobFilter::default()
    }
}

pub(crate) fn is_of(row: &JobDefinitionRow, job: &JobRow) -> bool {
    row.definition == job.definition
        && element_of(row) == job.element
        && kinds_of(row).contains(&job.kind)
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
        None => match &*row.kind {
            "batch-seed-job" => vec![JobKind::BatchSeed],
            "batch-monitor-job" => vec![JobKind::BatchMonitor],
            _ => vec![JobKind::BatchPart],
        },
    }
}
