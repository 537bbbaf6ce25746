//! The calls of workers, in Zeebe's protocol.

use orloj_api_zeebe::proto::{
    ActivateJobsRequest, CompleteJobRequest, FailJobRequest, ThrowErrorRequest,
    UpdateJobRetriesRequest, UpdateJobTimeoutRequest,
};
use orloj_server::orloj::types::{Document, JobKey};
use orloj_server::orloj::{FailJob, ThrowError};
use orloj_testkit::story::{Lock, Refusal, Taken};
use tonic::Status;

use super::server::Server;

/// Answer at once.
const NO_LONG_POLL: i64 = -1;

impl Server {
    pub fn take(&self, lock: &Lock) -> Result<Option<Taken>, Refusal> {
        let request = ActivateJobsRequest {
            r#type: lock.job_type.clone(),
            worker: lock.worker.clone(),
            timeout: lock.ms,
            max_jobs_to_activate: 1,
            request_timeout: NO_LONG_POLL,
            ..Default::default()
        };
        let taken = self.tokio.block_on(async {
            let mut answer = self.gateway.clone().activate_jobs(request).await?.into_inner();
            let mut jobs = Vec::new();
            while let Some(message) = answer.message().await? {
                jobs.extend(message.jobs);
            }
            Ok::<_, Status>(jobs)
        });
        let jobs = taken.map_err(|status| Refusal(status.message().to_owned()))?;
        Ok(jobs.into_iter().next().map(|job| Taken {
            job: JobKey::new(job.key),
            job_type: job.r#type,
            variables: Document::parse(&job.variables).expect("a JSON object"),
        }))
    }

    pub fn complete(&self, job: JobKey, variables: &Document) -> Result<(), Status> {
        let request = CompleteJobRequest {
            job_key: job.raw(),
            variables: variables.to_json(),
            ..Default::default()
        };
        self.called(async { self.gateway.clone().complete_job(request).await.map(drop) })
    }

    pub fn fail(&self, fail: FailJob) -> Result<(), Status> {
        let request = FailJobRequest {
            job_key: fail.job.raw(),
            retries: fail.retries,
            error_message: fail.message.to_string(),
            retry_back_off: fail.back_off_ms,
            variables: fail.variables.to_json(),
            ..Default::default()
        };
        self.called(async { self.gateway.clone().fail_job(request).await.map(drop) })
    }

    pub fn throw(&self, throw: ThrowError) -> Result<(), Status> {
        let request = ThrowErrorRequest {
            job_key: throw.job.raw(),
            error_code: throw.code.to_string(),
            error_message: throw.message.to_string(),
            variables: throw.variables.to_json(),
            ..Default::default()
        };
        self.called(async { self.gateway.clone().throw_error(request).await.map(drop) })
    }

    pub fn extend(&self, job: JobKey, ms: i64) -> Result<(), Status> {
        let request =
            UpdateJobTimeoutRequest { job_key: job.raw(), timeout: ms, ..Default::default() };
        self.called(async { self.gateway.clone().update_job_timeout(request).await.map(drop) })
    }

    pub fn update_retries(&self, job: JobKey, retries: i32) -> Result<(), Status> {
        let request = UpdateJobRetriesRequest { job_key: job.raw(), retries, ..Default::default() };
        self.called(async { self.gateway.clone().update_job_retries(request).await.map(drop) })
    }

    /// And everything that can happen after it.
    fn called(&self, call: impl Future<Output = Result<(), Status>>) -> Result<(), Status> {
        let answer = self.tokio.block_on(call);
        self.settle();
        answer
    }
}
