//! A worker asks for jobs, and may wait for them.

use std::collections::VecDeque;

use futures_util::StreamExt;
use orloj::{ActivateJobs, LongPoll};
use tonic::codegen::BoxStream;
use tonic::{Request, Status};

use crate::delivery::{Delivery, Parcel, Source};
use crate::gateway::Gateway;
use crate::metrics::Polled;
use crate::options::MESSAGE_BYTES_MAX;
use crate::proto::*;
use crate::rpc::stream::hold_back_as_too_large;
use crate::status::{self, Intent, Refusal};
use crate::wire::{
    check_tenants, client_deadline, encoded_len_of, job_message, lock_of, long_poll, names,
    read_job_type, read_worker,
};

/// Nothing in time is an answer of no messages, which is no error.
pub(crate) async fn activate_jobs(
    gateway: &Gateway,
    request: Request<ActivateJobsRequest>,
) -> Result<BoxStream<ActivateJobsResponse>, Status> {
    gateway.is_open()?;
    let deadline = client_deadline(request.metadata());
    let request = request.into_inner();
    let wait = long_poll(request.request_timeout, gateway.options.long_poll, deadline);
    let mut activate = read(request, wait)?;
    loop {
        let jobs = wait_for_jobs(gateway, activate.clone()).await?;
        let found = !jobs.is_empty();
        let Batches { parcels, too_large } = batches(jobs, MESSAGE_BYTES_MAX);
        let sent = !parcels.is_empty();
        // Before the next await: should the client go now, its jobs go back.
        let delivery = Delivery::new(gateway.orloj.clone(), Polled, Source::Batch(parcels));
        for job in too_large {
            hold_back_as_too_large(&gateway.orloj, job).await;
        }
        if sent || !found {
            return Ok(delivery.boxed());
        }
        // All were too large and are out of the way now; there may be others behind them.
        activate.long_poll = LongPoll::No;
    }
}

async fn wait_for_jobs(
    gateway: &Gateway,
    activate: ActivateJobs,
) -> Result<Vec<orloj::ActivatedJob>, Status> {
    let _waits = gateway.metrics.poll_waits(&activate.job_type);
    tokio::select! {
        jobs = gateway.orloj.activate_jobs(activate) => {
            jobs.map_err(|error| status::of(Intent::Activate, error))
        }
        () = gateway.closing.cancelled() => Err(status::closing()),
    }
}

fn read(request: ActivateJobsRequest, long_poll: LongPoll) -> Result<ActivateJobs, Status> {
    let refused =
        |reason: String| Err(status::rejected(Intent::Activate, Refusal::InvalidArgument, &reason));
    check_tenants("ActivateJobs", &request.tenant_ids, request.tenant_filter)?;
    if request.with_lease {
        return Err(status::not_yet("ActivateJobs with leases"));
    }
    let job_type = read_job_type(request.r#type)?;
    let worker = read_worker(request.worker)?;
    if request.timeout < 1 {
        return refused(format!("timeout must be at least 1 ms, but is {}", request.timeout));
    }
    let asked = request.max_jobs_to_activate;
    let Ok(jobs_max @ 1..) = u32::try_from(asked) else {
        return refused(format!("maxJobsToActivate must be at least 1, but is {asked}"));
    };
    Ok(ActivateJobs {
        job_type,
        worker,
        timeout_ms: request.timeout,
        jobs_max,
        fetch_variables: names(request.fetch_variable),
        long_poll,
        bytes_max: MESSAGE_BYTES_MAX,
    })
}

struct Batches {
    parcels: VecDeque<Parcel<ActivateJobsResponse>>,
    /// No message can carry these.
    too_large: Vec<orloj::ActivatedJob>,
}

/// The jobs in as few messages as the limit allows, in their order.
fn batches(jobs: Vec<orloj::ActivatedJob>, bytes_max: usize) -> Batches {
    let mut parcels: VecDeque<Parcel<ActivateJobsResponse>> = VecDeque::new();
    let mut too_large = Vec::new();
    let mut bytes = 0;
    for job in jobs {
        let lock = lock_of(&job);
        let message = job_message(job.clone());
        let len = encoded_len_of(&message);
        if len > bytes_max {
            too_large.push(job);
            continue;
        }
        match parcels.back_mut() {
            Some(parcel) if bytes + len <= bytes_max => {
                parcel.message.jobs.push(message);
                parcel.jobs.push(lock);
                bytes += len;
            }
            _ => {
                let message = ActivateJobsResponse { jobs: vec![message] };
                parcels.push_back(Parcel { message, jobs: vec![lock] });
                bytes = len;
            }
        }
    }
    Batches { parcels, too_large }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;
    use tonic::Code;

    fn request() -> ActivateJobsRequest {
        ActivateJobsRequest {
            r#type: "charge".into(),
            timeout: 1_000,
            max_jobs_to_activate: 5,
            ..Default::default()
        }
    }

    #[test]
    fn a_plain_request_is_enough() {
        let read = read(request(), LongPoll::No).unwrap();
        assert_eq!((read.jobs_max, read.timeout_ms), (5, 1_000));
        assert_eq!(&*read.worker, "");
    }

    #[test]
    fn refuses_in_the_form_of_a_rejected_command() {
        let bad = [
            ActivateJobsRequest { r#type: String::new(), ..request() },
            ActivateJobsRequest { timeout: 0, ..request() },
            ActivateJobsRequest { timeout: -5, ..request() },
            ActivateJobsRequest { max_jobs_to_activate: 0, ..request() },
            ActivateJobsRequest { max_jobs_to_activate: -1, ..request() },
        ];
        for request in bad {
            let refused = read(request, LongPoll::No).unwrap_err();
            assert_eq!(refused.code(), Code::InvalidArgument);
            let start = "Command 'ACTIVATE' rejected with code 'INVALID_ARGUMENT'";
            assert!(refused.message().starts_with(start), "{refused}");
        }
        let tenants = ActivateJobsRequest { tenant_ids: vec!["acme".into()], ..request() };
        assert_eq!(read(tenants, LongPoll::No).unwrap_err().code(), Code::InvalidArgument);
        let lease = ActivateJobsRequest { with_lease: true, ..request() };
        assert_eq!(read(lease, LongPoll::No).unwrap_err().code(), Code::Unimplemented);
    }

    fn job(key: i64, bytes: usize) -> orloj::ActivatedJob {
        orloj::ActivatedJob {
            key: orloj_types::JobKey::new(key),
            job_type: "charge".into(),
            instance: orloj_types::InstanceKey::new(1),
            definition: orloj_types::DefinitionKey::new(1),
            process_id: "p".into(),
            version: 1,
            element: "e".into(),
            element_instance: orloj_types::ElementInstanceKey::new(1),
            headers: [].into(),
            worker: "".into(),
            retries: 3,
            deadline: orloj_types::Timestamp::from_ms(1),
            variables: "x".repeat(bytes),
            tenant: orloj_types::TenantId::none(),
            priority: 0,
            business_key: None,
            attempt: 1,
            purpose: orloj::Purpose::Element,
            tags: [].into(),
        }
    }

    #[test]
    fn large_answers_are_split_and_none_is_beyond_the_limit() {
        let jobs = vec![job(1, 400), job(2, 400), job(3, 400), job(4, 2_000), job(5, 10)];
        let Batches { parcels, too_large } = batches(jobs, 1_100);
        let keys: Vec<Vec<i64>> =
            parcels.iter().map(|p| p.jobs.iter().map(|(key, _)| key.raw()).collect()).collect();
        assert_eq!(keys, [vec![1, 2], vec![3, 5]]);
        assert!(parcels.iter().all(|parcel| parcel.message.encoded_len() <= 1_100));
        assert_eq!(too_large.len(), 1);
        assert_eq!(too_large[0].key.raw(), 4);
    }
}
