//! UpdateRetries: an operator gives a job more tries.
//!
//! DIFFERENCE: in Zeebe the incident of a job without retries is resolved in a second step; in
//! Camunda and Flowable new retries are the resolution.

use orloj_types::JobKey;

use crate::command::Rejection;
use crate::failure::Stop;
use crate::outcome::{Event, JobEdit};
use crate::record::JobState;
use crate::turn::Turn;
use crate::{incidents, jobs};

pub(crate) fn update_retries(turn: &mut Turn<'_>, key: JobKey, retries: i32) -> Result<(), Stop> {
    let (host, job) = turn.work.record.job(key).ok_or(Rejection::JobNotFound(key))?;
    let (host, state) = (host.key, job.state);
    if retries < 1 {
        return Err(Rejection::RetriesTooFew(retries).into());
    }
    turn.job_mut(key).expect("found above").retries_left = retries;
    turn.work.changes.job_updated(key);
    turn.event(Event::JobChanged { key, what: JobEdit::Retries(retries) });
    if turn.semantics().jobs.retries_resolve && state != JobState::ErrorThrown {
        incidents::resolve_about(turn, host, key);
        if state == JobState::Failed {
            jobs::make_ready(turn, key);
        }
    }
    Ok(())
}
