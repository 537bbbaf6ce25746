//! JobDue: the moment a waiting job waited for has come.
//!
//! What needs no foreign code happens at once and costs no second commit, if whoever found the job
//! due would run it next. The rest becomes ready (or parked), so that it is acquired in its turn
//! and locked before any foreign code runs; the caller of this sees to it when the run asks for an
//! invoke.

use orloj_types::JobKey;

use super::run_job::perform;
use crate::command::Rejection;
use crate::exclusive;
use crate::failure::Stop;
use crate::jobs;
use crate::record::JobState;
use crate::turn::Turn;

pub(crate) fn job_due(turn: &mut Turn<'_>, key: JobKey, at_once: bool) -> Result<(), Stop> {
    let Some((host, job)) = turn.work.record.job(key) else {
        return Err(Rejection::JobNotFound(key).into());
    };
    let is_due = job.due_at.is_some_and(|due_at| due_at <= turn.now);
    if job.state != JobState::Waiting || !is_due {
        return Err(Rejection::JobState { job: key, state: job.state }.into());
    }
    let (host, is_exclusive) = (host.key, job.exclusive);
    let must_wait = !at_once || job.kind.is_for_clients() || jobs::is_held(turn, key);
    if must_wait || is_exclusive && exclusive::is_taken(turn) {
        jobs::make_ready(turn, key);
        return Ok(());
    }
    perform(turn, host, key)?;
    Ok(())
}
