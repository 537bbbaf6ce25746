//! ResolveIncident: the reason of a problem is gone, so what failed is done again. When it fails
//! again there is a new incident, and this command has still done what it was asked for.

use orloj_types::IncidentKey;

use crate::command::Rejection;
use crate::failure::Stop;
use crate::record::{ElementState, JobState};
use crate::turn::Turn;
use crate::{flow, incidents, jobs};

pub(crate) fn resolve_incident(turn: &mut Turn<'_>, key: IncidentKey) -> Result<(), Stop> {
    let found = incidents::find(&turn.work.record, key);
    let (host, incident) = found.ok_or(Rejection::IncidentNotFound(key))?;
    if let Some(job) = incident.job {
        let (_, failed) = turn.work.record.job(job).ok_or(Rejection::JobNotFound(job))?;
        // An error that nobody caught is no matter of retries.
        if failed.retries_left <= 0 && failed.state != JobState::ErrorThrown {
            return Err(Rejection::IncidentNeedsRetries { incident: key, job }.into());
        }
        incidents::close(turn, host, key);
        jobs::make_ready(turn, job);
        return Ok(());
    }
    incidents::close(turn, host, key);
    let instance = turn.element(host);
    let (state, index) = (instance.state, turn.index_of(&instance.element));
    match state {
        ElementState::Entering => flow::begin_entered(turn, host, index)?,
        ElementState::Active => flow::complete(turn, host, index)?,
        ElementState::Leaving => flow::depart(turn, host, index)?,
    }
    Ok(())
}
