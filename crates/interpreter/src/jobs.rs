//! Jobs of an element instance: made, taken away, cancelled.

use std::sync::Arc;

use orloj_expr::{Expression, Profile};
use orloj_model::{Element, Failures, RetryCycle, SavePoint};
use orloj_types::{ElementId, ElementInstanceKey, JobKey, Timestamp, Value};

use crate::exclusive;
use crate::extract;
use crate::failure::Ruled;
use crate::incidents;
use crate::outcome::Event;
use crate::record::{Job, JobKind, JobState, Role};
use crate::turn::Turn;

/// A job to be.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) kind: JobKind,
    pub(crate) job_type: Arc<str>,
    pub(crate) retries: i32,
    pub(crate) priority: i64,
    pub(crate) exclusive: bool,
    /// `None`: ready at once.
    pub(crate) due_at: Option<Timestamp>,
}

pub(crate) fn create(turn: &mut Turn<'_>, of: ElementInstanceKey, draft: Draft) -> JobKey {
    let key = JobKey::new(turn.next_key());
    let state = match draft.due_at {
        // It waits for the instance to be resumed first.
        _ if turn.work.record.is_suspended => JobState::Parked,
        Some(_) => JobState::Waiting,
        None if draft.exclusive => turn.work.record.exclusive.join(key),
        None => JobState::Ready,
    };
    let job_type = draft.job_type.clone();
    turn.element_mut(of).jobs.push(Job {
        key,
        kind: draft.kind,
        job_type: draft.job_type,
        state,
        retries_left: draft.retries,
        priority: draft.priority,
        exclusive: draft.exclusive,
        due_at: draft.due_at,
        failed_before: false,
    });
    turn.work.changes.job_created(key);
    turn.event(Event::JobCreated { key, element_instance: of, job_type });
    key
}

/// The job of a save point before or after `element`.
pub(crate) fn create_async(
    turn: &mut Turn<'_>,
    of: ElementInstanceKey,
    element: &Element,
    kind: JobKind,
    save_point: SavePoint,
) -> Ruled {
    let draft = draft_async(turn, of, element, kind, save_point)?;
    create(turn, of, draft);
    Ok(())
}

/// As [`create_async`], but the job is not made yet: nothing changes.
pub(crate) fn draft_async(
    turn: &Turn<'_>,
    of: ElementInstanceKey,
    element: &Element,
    kind: JobKind,
    save_point: SavePoint,
) -> Ruled<Draft> {
    let priority = match priority_of(turn, of, element) {
        // Between two visits there is nothing yet that an incident could be shown on.
        Err(failure)
            if failure.needs.is_none() && turn.semantics().failures == Failures::Incident =>
        {
            0
        }
        priority => priority?,
    };
    if let Some(category) = &element.jobs.category {
        extract::optional_text(turn, of, element, "category of the job", category)?;
    }
    Ok(Draft {
        kind,
        job_type: Arc::default(),
        retries: retries_of(turn, retry_cycle_of(turn, of, element)),
        priority,
        exclusive: save_point.exclusive,
        due_at: None,
    })
}

/// How often a job of the engine's own is tried. A computed cycle is only known at the first
/// failure.
pub(crate) fn retries_of(turn: &Turn<'_>, cycle: Option<&RetryCycle>) -> i32 {
    let tries = match cycle {
        Some(RetryCycle::Fixed(plan)) => plan.tries,
        Some(RetryCycle::Computed(_)) | None => turn.semantics().retries_default,
    };
    i32::try_from(tries).unwrap_or(i32::MAX)
}

/// The retry cycle of an element instance's own jobs.
pub(crate) fn retry_cycle_of<'e>(
    turn: &Turn<'_>,
    of: ElementInstanceKey,
    element: &'e Element,
) -> Option<&'e RetryCycle> {
    match (turn.element(of).role, &element.multi) {
        (Role::Inner, Some(multi)) => multi.inner_retry_cycle.as_ref(),
        _ => element.jobs.retry_cycle.as_ref(),
    }
}

/// The priority of a job of the engine's own.
pub(crate) fn priority_of(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
) -> Ruled<i64> {
    let Some(expression) = &element.jobs.priority else { return Ok(0) };
    computed_priority(turn, scope, element, expression)
}

/// DIFFERENCE: in Camunda a priority that cannot be computed is the default one, but what is
/// computed and is no whole number is a failure.
pub(crate) fn computed_priority(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    expression: &Expression,
) -> Ruled<i64> {
    const WHAT: &str = "priority of the job";
    if !extract::is_lenient(turn) || turn.semantics().uel != Profile::Camunda {
        let priority = extract::whole_number(turn, scope, element, WHAT, expression)?;
        return Ok(priority.unwrap_or(0));
    }
    match turn.evaluate(&element.id, scope, expression) {
        Ok(Value::Int(priority)) => Ok(priority),
        Ok(other) => Err(extract::wrong(element, WHAT, "a whole number", &other)),
        Err(failure) if failure.needs.is_none() => Ok(0),
        Err(failure) => Err(failure),
    }
}

/// Takes a job that is done from its element instance; the exclusive queue moves on.
pub(crate) fn take(turn: &mut Turn<'_>, of: ElementInstanceKey, key: JobKey) -> Job {
    let jobs = &mut turn.element_mut(of).jobs;
    let position = jobs.iter().position(|job| job.key == key);
    let job = jobs.remove(position.expect("the caller found the job on this element instance"));
    forget(turn, &job);
    job
}

/// The element instance no longer needs its jobs, nor what is told about them.
pub(crate) fn cancel_all(turn: &mut Turn<'_>, of: ElementInstanceKey) {
    // One after the other: the next exclusive one may be of the same element instance.
    while !turn.element(of).jobs.is_empty() {
        let job = turn.element_mut(of).jobs.remove(0);
        forget(turn, &job);
        turn.event(Event::JobCancelled { key: job.key });
        incidents::close_about(turn, of, job.key);
    }
}

/// Timers of some events are not waited for any more.
pub(crate) fn cancel_timers(
    turn: &mut Turn<'_>,
    of: ElementInstanceKey,
    which: impl Fn(&ElementId) -> bool,
) {
    let jobs = turn.element(of).jobs.iter();
    let keys: Vec<JobKey> = jobs
        .filter(|job| matches!(&job.kind, JobKind::Timer { event, .. } if which(event)))
        .map(|job| job.key)
        .collect();
    for key in keys {
        take(turn, of, key);
        turn.event(Event::JobCancelled { key });
        incidents::close_about(turn, of, key);
    }
}

/// The row goes, and the queue moves on.
fn forget(turn: &mut Turn<'_>, job: &Job) {
    turn.work.changes.job_gone(job.key);
    if job.exclusive {
        exclusive::release(turn, job.key);
    }
}

/// The job may run as soon as its turn comes: at once, or parked behind other exclusive ones.
pub(crate) fn make_ready(turn: &mut Turn<'_>, key: JobKey) {
    let job = turn.job_mut(key).expect("the caller found the job");
    let exclusive = job.exclusive;
    let state = match exclusive {
        _ if turn.work.record.is_suspended => JobState::Parked,
        true => turn.work.record.exclusive.join(key),
        false => JobState::Ready,
    };
    turn.job_mut(key).expect("the caller found the job").state = state;
    turn.work.changes.job_updated(key);
}

/// The first `limit` characters.
pub(crate) fn cut(text: &Arc<str>, limit: usize) -> Arc<str> {
    // A text with no more bytes than that needs no counting.
    if text.len() <= limit {
        return text.clone();
    }
    match text.char_indices().nth(limit) {
        Some((end, _)) => text[..end].into(),
        None => text.clone(),
    }
}
