//! RunJob: the executor has locked a job of the engine's own and wants its work done.
//!
//! When that fails, the run is undone and the job fails instead (`retries.rs`); the caller of
//! this sees to it.

use orloj_types::{ElementInstanceKey, JobKey};

use crate::agenda::Step;
use crate::command::Rejection;
use crate::failure::{Ruled, Stop};
use crate::outcome::Event;
use crate::record::{Job, JobKind, JobState, Role};
use crate::stage::Stage;
use crate::turn::Turn;
use crate::{exclusive, flow, incidents, jobs, multi_instance, timers};

pub(crate) fn run_job(turn: &mut Turn<'_>, key: JobKey) -> Result<(), Stop> {
    let (host, job) = find(turn, key)?;
    if job.state != JobState::Ready {
        return Err(Rejection::JobState { job: key, state: job.state }.into());
    }
    if job.exclusive {
        exclusive::locks_over(turn, key);
    }
    perform(turn, host, key)?;
    Ok(())
}

/// A job that is not worked by a client. To the executor the others do not exist.
pub(crate) fn find<'t>(
    turn: &'t Turn<'_>,
    key: JobKey,
) -> Result<(ElementInstanceKey, &'t Job), Rejection> {
    match turn.work.record.job(key) {
        Some((host, job)) if !job.kind.is_for_clients() => Ok((host.key, job)),
        _ => Err(Rejection::JobNotFound(key)),
    }
}

/// The job is done with, and its token goes on.
pub(crate) fn perform(turn: &mut Turn<'_>, host: ElementInstanceKey, key: JobKey) -> Ruled {
    let job = jobs::take(turn, host, key);
    turn.event(Event::JobCompleted { key });
    incidents::resolve_about(turn, host, key);
    match job.kind {
        JobKind::AsyncBefore => flow::enter(turn, host),
        JobKind::AsyncAfter if flow::ends_by_job(turn, host) => {
            turn.work.push_next(Step::Go { key: host, stage: Stage::Done });
        }
        JobKind::AsyncAfter => turn.work.push_next(Step::Go { key: host, stage: Stage::Leave }),
        JobKind::AsyncComplete if turn.element(host).role == Role::Body => {
            multi_instance::check(turn, host)?;
        }
        JobKind::AsyncComplete if super::task_of(turn, host).is_some() => {
            turn.work.push_next(Step::Go { key: host, stage: Stage::Worked });
        }
        JobKind::AsyncComplete => flow::complete(turn, host),
        JobKind::Timer { .. } => timers::fire(turn, host, &job)?,
        JobKind::Signal { subscription, variables } => {
            // The event may not wait any more; then nothing is left to do.
            if turn.work.record.subscription(subscription).is_some() {
                super::trigger::hear(turn, subscription, variables)?;
            }
        }
        JobKind::Worker | JobKind::Listener { .. } => {
            unreachable!("worker jobs are completed, not run")
        }
    }
    Ok(())
}
