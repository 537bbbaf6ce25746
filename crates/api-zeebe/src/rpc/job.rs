//! What a worker, or a person, says about one job.

use orloj_types::JobKey;
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::{self, Intent};
use crate::wire::{ERROR_MESSAGE_CHARS_MAX, cut, read_result, read_variables};

/// A result is for task listeners and ad-hoc sub-processes; with other jobs Zeebe ignores it, too.
pub(crate) async fn complete_job(
    gateway: &Gateway,
    request: CompleteJobRequest,
) -> Result<CompleteJobResponse, Status> {
    gateway.is_open()?;
    check_lease(Intent::Complete, request.job_key, request.lease_token.as_deref())?;
    if request.business_id.is_some_and(|id| !id.is_empty()) {
        return Err(status::not_yet("a business id set by CompleteJob"));
    }
    let variables = read_variables(&request.variables)?;
    let result = read_result(request.result)?;
    let job = JobKey::new(request.job_key);
    let complete = gateway.orloj.complete_job_with(job, variables, result);
    gateway.command(Intent::Complete, complete).await?;
    Ok(CompleteJobResponse {})
}

pub(crate) async fn fail_job(
    gateway: &Gateway,
    request: FailJobRequest,
) -> Result<FailJobResponse, Status> {
    gateway.is_open()?;
    check_lease(Intent::Fail, request.job_key, request.lease_token.as_deref())?;
    let fail = gateway.orloj.fail_job(orloj::FailJob {
        job: JobKey::new(request.job_key),
        retries: request.retries,
        message: cut(&request.error_message, ERROR_MESSAGE_CHARS_MAX).into(),
        details: None,
        back_off_ms: request.retry_back_off.max(0),
        variables: read_variables(&request.variables)?,
    });
    gateway.command(Intent::Fail, fail).await?;
    Ok(FailJobResponse {})
}

pub(crate) async fn throw_error(
    gateway: &Gateway,
    request: ThrowErrorRequest,
) -> Result<ThrowErrorResponse, Status> {
    gateway.is_open()?;
    check_lease(Intent::ThrowError, request.job_key, request.lease_token.as_deref())?;
    let throw = gateway.orloj.throw_error(orloj::ThrowError {
        job: JobKey::new(request.job_key),
        code: request.error_code.into(),
        message: cut(&request.error_message, ERROR_MESSAGE_CHARS_MAX).into(),
        variables: read_variables(&request.variables)?,
    });
    gateway.command(Intent::ThrowError, throw).await?;
    Ok(ThrowErrorResponse {})
}

pub(crate) async fn update_job_retries(
    gateway: &Gateway,
    request: UpdateJobRetriesRequest,
) -> Result<UpdateJobRetriesResponse, Status> {
    gateway.is_open()?;
    check_lease(Intent::UpdateRetries, request.job_key, request.lease_token.as_deref())?;
    let update = gateway.orloj.update_retries(JobKey::new(request.job_key), request.retries);
    gateway.command(Intent::UpdateRetries, update).await?;
    Ok(UpdateJobRetriesResponse {})
}

/// Any number goes: one that is not positive lets the job time out at once.
pub(crate) async fn update_job_timeout(
    gateway: &Gateway,
    request: UpdateJobTimeoutRequest,
) -> Result<UpdateJobTimeoutResponse, Status> {
    gateway.is_open()?;
    check_lease(Intent::UpdateTimeout, request.job_key, request.lease_token.as_deref())?;
    let job = JobKey::new(request.job_key);
    let extend = gateway.orloj.extend_lock(orloj::Extend { job, timeout_ms: request.timeout });
    gateway.command(Intent::UpdateTimeout, extend).await?;
    Ok(UpdateJobTimeoutResponse {})
}

pub(crate) async fn update_job_priority(
    gateway: &Gateway,
    request: UpdateJobPriorityRequest,
) -> Result<UpdateJobPriorityResponse, Status> {
    gateway.is_open()?;
    check_lease(Intent::UpdatePriority, request.job_key, request.lease_token.as_deref())?;
    let Some(priority) = request.priority else {
        return Err(status::invalid("UpdateJobPriority: the priority is missing"));
    };
    let (jobs, job) = (gateway.orloj.jobs(), JobKey::new(request.job_key));
    let update = jobs.set_priority(job, priority.into());
    gateway.command(Intent::UpdatePriority, update).await?;
    Ok(UpdateJobPriorityResponse {})
}

/// Leases are asked for by `withLease`, which is refused, so no token can be right.
fn check_lease(intent: Intent, job: i64, token: Option<&str>) -> Result<(), Status> {
    match token {
        Some(token) if !token.is_empty() => Err(status::not_leased(intent, job)),
        _ => Ok(()),
    }
}
