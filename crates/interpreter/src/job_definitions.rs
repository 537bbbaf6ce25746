//! Which job definition a job belongs to. Its row does not say so: only the record tells a job of a
//! multi-instance body from one of its instances, and the model one timeout of a task from another.

use orloj_model::{JobDefinition, Process};

use crate::record::{ElementInstance, Job, JobKind, Role};

/// `None`: no job definition has such jobs.
pub fn job_definition(
    process: &Process,
    host: &ElementInstance,
    job: &Job,
) -> Option<JobDefinition> {
    let element = |id| process.find(id).map(|index| process.element(index));
    let is_body = host.role != Role::Inner;
    match &job.kind {
        JobKind::AsyncBefore => {
            let element = element(&host.element)?;
            Some(JobDefinition::before(element, is_body && element.multi.is_some()))
        }
        JobKind::AsyncAfter => {
            let element = element(&host.element)?;
            Some(JobDefinition::after(element, is_body && element.multi.is_some()))
        }
        JobKind::Timer { event, .. } if job.job_type.is_empty() => {
            JobDefinition::timer(element(event)?)
        }
        JobKind::Timer { event, .. } => JobDefinition::timeout(element(event)?, &job.job_type),
        _ => None,
    }
}
