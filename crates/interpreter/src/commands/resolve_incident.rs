//! ResolveIncident: the reason of a problem is gone, so what failed is done again. When it fails
//! again there is a new incident, and this command has still done what it was asked for.

use orloj_types::IncidentKey;

use super::complete_user_task::is_stopped;
use crate::agenda::Step;
use crate::command::Rejection;
use crate::failure::Stop;
use crate::outcome::IncidentEnd;
use crate::record::JobState;
use crate::stage::{self, Stage};
use crate::turn::Turn;
use crate::{incidents, jobs};

pub(crate) fn resolve_incident(turn: &mut Turn<'_>, key: IncidentKey) -> Result<(), Stop> {
    let found = incidents::find(&turn.work.record, key);
    let (host, incident) = found.ok_or(Rejection::IncidentNotFound(key))?;
    let is_beside = turn.element(host).incident.as_ref().is_none_or(|own| own.key != key);
    if incident.cause.is_some() {
        return Err(Rejection::IncidentBelow(key).into());
    }
    if let Some(job) = incident.job {
        let (_, failed) = turn.work.record.job(job).ok_or(Rejection::JobNotFound(job))?;
        // An error that nobody caught is no matter of retries.
        if failed.retries_left <= 0 && failed.state != JobState::ErrorThrown {
            return Err(Rejection::IncidentNeedsRetries { incident: key, job }.into());
        }
        let is_suspended = failed.state == JobState::Suspended;
        incidents::close(turn, host, key, IncidentEnd::Resolved);
        if !is_suspended {
            jobs::make_ready(turn, job);
        }
        return Ok(());
    }
    let is_completed = is_stopped(turn.element(host));
    incidents::close(turn, host, key, IncidentEnd::Resolved);
    if is_beside {
        // It did not stop the element.
        return Ok(());
    }
    let instance = turn.element(host);
    let stage = match is_completed {
        true => Stage::Completing(0),
        false => stage::of_state(instance.state),
    };
    turn.work.push_next(Step::Go { key: host, stage });
    Ok(())
}
