//! FailJob: a worker gives a job back. It says how many retries are left and how long to wait.

use std::sync::Arc;

use orloj_model::CompletionVariables;

use super::worker_job;
use crate::command::FailJob;
use crate::failure::Stop;
use crate::incidents::{self, Reason};
use crate::jobs;
use crate::outcome::Event;
use crate::record::JobState;
use crate::turn::Turn;
use crate::variables;

/// How much of a worker's message is kept, as in Zeebe.
pub const MESSAGE_CHARS_MAX: usize = 10_000;

pub(crate) fn fail_job(turn: &mut Turn<'_>, fail: &FailJob) -> Result<(), Stop> {
    let key = fail.job;
    let host = worker_job::find_ready(turn, key)?;
    worker_job::note_activations(turn, key, &fail.activations);
    let document = &fail.variables.0;
    match worker_job::completion_of(turn, host) {
        CompletionVariables::Merge => variables::set_local(&mut turn.work.record, host, document),
        CompletionVariables::Assign => variables::assign(&mut turn.work.record, host, document),
    }
    let message = jobs::cut(&fail.message, MESSAGE_CHARS_MAX);
    let now = turn.now;
    let job = turn.job_mut(key).expect("found above");
    job.retries_left = fail.retries;
    job.failed_before = true;
    job.state = match (fail.retries > 0, fail.back_off_ms > 0) {
        (true, true) => JobState::Waiting,
        (true, false) => JobState::Ready,
        (false, _) => JobState::Failed,
    };
    if job.state == JobState::Waiting {
        job.due_at = Some(now.plus_ms(fail.back_off_ms));
    }
    let is_last = job.state == JobState::Failed;
    turn.work.changes.job_failed(key, message.clone());
    let retries_left = fail.retries;
    turn.event(Event::JobFailed { key, retries_left, message: message.clone() });
    if is_last {
        let message = match message.is_empty() {
            true => Arc::from("the job failed and has no retries left"),
            false => message,
        };
        incidents::open(turn, host, Reason::WorkerJobFailed, message, Some(key));
    }
    Ok(())
}
