//! A worker opens a stream, and jobs are pushed to it.

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use orloj::{JobStream, Orloj, StreamJobs};
use prost::Message;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use tonic::codegen::BoxStream;

use crate::delivery::{Delivery, Parcel, Source};
use crate::gateway::Gateway;
use crate::metrics::StreamId;
use crate::options::MESSAGE_BYTES_MAX;
use crate::proto::*;
use crate::status::{self, Intent};
use crate::wire::{check_tenants, job_message, lock_of, names, read_job_type, read_worker};

/// Stays open until the client goes or the gateway shuts down.
pub(crate) async fn stream_activated_jobs(
    gateway: &Gateway,
    request: StreamActivatedJobsRequest,
) -> Result<BoxStream<ActivatedJob>, Status> {
    gateway.is_open()?;
    let tenant_filter = request.tenant_filter;
    let stream_jobs = read(request, gateway.options.stream_credit)?;
    let id = stream_id(&stream_jobs, tenant_filter);
    let jobs = gateway.command(Intent::Activate, gateway.orloj.stream_jobs(stream_jobs)).await?;
    let open = gateway.metrics.stream_opens(id);
    let pushes = Pushes { jobs, orloj: gateway.orloj.clone(), closing: gateway.closing.clone() };
    let parcels = stream::unfold(Some(pushes), |pushes| async move {
        let mut pushes = pushes?;
        match pushes.next().await {
            Some(parcel) => Some((Ok(parcel), Some(pushes))),
            None => Some((Err(status::stream_closed()), None)),
        }
    });
    let source = Source::Stream(parcels.boxed());
    Ok(Delivery::new(gateway.orloj.clone(), open, source).boxed())
}

struct Pushes {
    jobs: JobStream,
    orloj: Orloj,
    closing: CancellationToken,
}

impl Pushes {
    /// `None`: shutting down.
    async fn next(&mut self) -> Option<Parcel<ActivatedJob>> {
        loop {
            let job = tokio::select! {
                // Jobs first: looking at the token costs a lock, and a stream in full flow need
                // not pay it.
                biased;
                job = self.jobs.next() => job?,
                () = self.closing.cancelled() => return None,
            };
            let lock = lock_of(&job);
            let message = job_message(job.clone());
            if message.encoded_len() <= MESSAGE_BYTES_MAX {
                return Some(Parcel { message, jobs: vec![lock] });
            }
            hold_back_as_too_large(&self.orloj, job).await;
        }
    }
}

fn read(request: StreamActivatedJobsRequest, credit: u32) -> Result<StreamJobs, Status> {
    check_tenants("StreamActivatedJobs", &request.tenant_ids, request.tenant_filter)?;
    if request.with_lease {
        return Err(status::not_yet("StreamActivatedJobs with leases"));
    }
    let job_type = read_job_type(request.r#type)?;
    let worker = read_worker(request.worker)?;
    if request.timeout < 1 {
        return Err(status::invalid(format!(
            "StreamActivatedJobs: timeout must be at least 1 ms, but is {}",
            request.timeout
        )));
    }
    let fetch_variables = names(request.fetch_variable);
    Ok(StreamJobs { job_type, worker, timeout_ms: request.timeout, fetch_variables, credit })
}

fn stream_id(stream: &StreamJobs, tenant_filter: i32) -> StreamId {
    let mut fetch_variables: Vec<Arc<str>> = stream.fetch_variables.clone();
    fetch_variables.sort();
    StreamId {
        job_type: stream.job_type.clone(),
        worker: stream.worker.clone(),
        timeout_ms: stream.timeout_ms,
        fetch_variables,
        tenant_filter,
    }
}

/// No client can receive the job as it is: handing it out again and again would only hide that. An
/// incident waits for a person, who may drop variables or let workers fetch fewer.
pub(crate) async fn hold_back_as_too_large(orloj: &Orloj, job: orloj::ActivatedJob) {
    let message = format!(
        "the job's variables have {} bytes, more than fits a message of {MESSAGE_BYTES_MAX}; \
         fetch fewer variables",
        job.variables.len()
    );
    // Somebody else may have completed it; otherwise it comes back by its timeout.
    if let Err(error) = orloj.hold_back_job(job.key, message.into()).await {
        tracing::warn!(job = %job.key, %error, "a job too large to be sent could not be held back");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Code;

    fn request() -> StreamActivatedJobsRequest {
        StreamActivatedJobsRequest { r#type: "charge".into(), timeout: 1_000, ..Default::default() }
    }

    #[test]
    fn reads_and_refuses() {
        assert_eq!(read(request(), 7).unwrap().credit, 7);
        let bad = [
            StreamActivatedJobsRequest { r#type: "  ".into(), ..request() },
            StreamActivatedJobsRequest { timeout: 0, ..request() },
            StreamActivatedJobsRequest { tenant_ids: vec!["acme".into()], ..request() },
            StreamActivatedJobsRequest { tenant_filter: 9, ..request() },
        ];
        for request in bad {
            assert_eq!(read(request, 7).unwrap_err().code(), Code::InvalidArgument);
        }
        let lease = StreamActivatedJobsRequest { with_lease: true, ..request() };
        assert_eq!(read(lease, 7).unwrap_err().code(), Code::Unimplemented);
    }

    #[test]
    fn the_order_of_variables_makes_no_other_stream() {
        let with = |names: [&str; 2]| {
            let fetch_variable = names.map(str::to_owned).to_vec();
            let request = StreamActivatedJobsRequest { fetch_variable, ..request() };
            stream_id(&read(request, 1).unwrap(), 0)
        };
        assert_eq!(with(["a", "b"]), with(["b", "a"]));
        assert_ne!(with(["a", "b"]), with(["a", "c"]));
    }
}
