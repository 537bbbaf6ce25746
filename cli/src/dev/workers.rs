//! Workers of the demo. They ask for jobs as any client would, only without a network.

#![expect(clippy::disallowed_methods, reason = "a driver: work takes real time")]

use std::time::Duration;

use orloj_server::Stop;
use orloj_server::orloj::types::Document;
use orloj_server::orloj::{ActivateJobs, ActivatedJob, Error, LongPoll, Orloj};

const LOCK_MS: i64 = 30_000;
const POLL_MS: i64 = 10_000;
const JOBS_MAX: u32 = 16;
const BYTES_MAX: usize = 1024 * 1024;
/// Pretended work for all jobs taken together, so that a locked job can be seen now and then and
/// the highest rate is still kept up with.
const WORK: Duration = Duration::from_millis(100);
/// When the store is away.
const PAUSE: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug)]
pub struct Worker {
    job_type: &'static str,
    name: &'static str,
    result: fn(&ActivatedJob) -> Document,
}

pub const ALL: [Worker; 2] = [
    Worker {
        job_type: "reserve-stock",
        name: "demo-warehouse",
        result: |_| Document::new().with("reserved", true),
    },
    Worker {
        job_type: "ship-order",
        name: "demo-courier",
        result: |job| Document::new().with("parcel", format!("parcel-{}", job.instance).as_str()),
    },
];

/// Takes and completes jobs until the node stops.
pub async fn work(orloj: Orloj, worker: Worker, stop: Stop) {
    while !stop.is_cancelled() {
        let jobs = tokio::select! {
            () = stop.cancelled() => return,
            jobs = orloj.activate_jobs(activate(worker)) => jobs,
        };
        let jobs = match jobs {
            Ok(jobs) if jobs.is_empty() => continue,
            Ok(jobs) => jobs,
            Err(Error::ShuttingDown) => return,
            Err(error) => {
                crate::output::talk(&format!("worker {}: {error}", worker.name));
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        tokio::time::sleep(WORK).await;
        for job in jobs {
            match orloj.complete_job(job.key, (worker.result)(&job)).await {
                // Someone else was faster, or cancelled the order: nothing is left to do.
                Ok(()) | Err(Error::Rejected(_) | Error::Missing(_)) => {}
                Err(Error::ShuttingDown) => return,
                Err(error) => crate::output::talk(&format!("worker {}: {error}", worker.name)),
            }
        }
    }
}

fn activate(worker: Worker) -> ActivateJobs {
    ActivateJobs {
        job_type: worker.job_type.into(),
        worker: worker.name.into(),
        timeout_ms: LOCK_MS,
        jobs_max: JOBS_MAX,
        fetch_variables: Vec::new(),
        long_poll: LongPoll::UpToMs(POLL_MS),
        bytes_max: BYTES_MAX,
    }
}
