//! UpdateRetries: an operator gives a job more tries.
//!
//! DIFFERENCE: in Zeebe the incident of a job without retries is resolved in a second step; in
//! Camunda and Flowable new retries are the resolution.

use orloj_model::IncidentNames;
use orloj_types::JobKey;

use crate::command::Rejection;
use crate::failure::Stop;
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
    let resolves = turn.semantics().incident_names != IncidentNames::Zeebe;
    if resolves && state == JobState::Failed {
        incidents::close_about(turn, host, key);
        jobs::make_ready(turn, key);
    }
    Ok(())
}
