//! ThrowError: a worker throws a BPMN error instead of completing its job.

use std::sync::Arc;

use orloj_types::{ElementInstanceKey, JobKey};

use super::fail_job::MESSAGE_CHARS_MAX;
use super::worker_job;
use crate::agenda::Step;
use crate::command::{Rejection, ThrowError};
use crate::errors::{Source, Throwing, Thrown};
use crate::failure::Stop;
use crate::incidents::{self, Reason};
use crate::jobs;
use crate::outcome::{Event, Failed};
use crate::record::{JobKind, JobState};
use crate::turn::Turn;

pub(crate) fn throw_error(turn: &mut Turn<'_>, throw: &ThrowError) -> Result<(), Stop> {
    let key = throw.job;
    let host = worker_job::find_ready(turn, key)?;
    let is_listener = turn.work.record.job(key).is_some_and(|(_, job)| job.kind != JobKind::Worker);
    if is_listener {
        return Err(Rejection::ErrorRefused { job: key }.into());
    }
    worker_job::note_activations(turn, key, &throw.activations);
    turn.event(Event::JobThrew { key, code: throw.code.clone() });
    let by_job = worker_job::task_of(turn, host).and_then(|task| task.completes_by_job);
    if let Some(save_point) = by_job {
        let job = jobs::take(turn, host, key);
        let instance = turn.element_mut(host);
        instance.held = throw.variables.0.clone();
        instance.thrown = Some(throw.code.clone());
        jobs::create_completing(turn, host, job, save_point)?;
        return Ok(());
    }
    let throwing = Throwing {
        from: host,
        what: Thrown::Error { code: throw.code.clone(), message: throw.message.clone() },
        variables: throw.variables.clone(),
        source: Source::Job(key),
    };
    turn.work.push_next(Step::Throw(Box::new(throwing)));
    Ok(())
}

/// The job's error found no event: a person has to look at it.
pub(crate) fn wait_with_incident(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    job: JobKey,
    message: Arc<str>,
) {
    let message = jobs::cut(&message, MESSAGE_CHARS_MAX);
    turn.job_mut(job).expect("the command found it").state = JobState::ErrorThrown;
    let element = turn.element(host).element.clone();
    let failed = Failed { message: message.clone(), details: None, element };
    turn.work.changes.job_failed(job, failed);
    incidents::open(turn, host, Reason::UncaughtError, message, Some(job));
}
