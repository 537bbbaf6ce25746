//! Jobs of an element instance: made, taken away, cancelled.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_model::{Element, Failures, JobDefinition, JobHandler, RetryCycle, SavePoint};
use orloj_types::{ElementId, ElementInstanceKey, JobKey, Timestamp, Value};

use crate::exclusive::{self, Standing};
use crate::extract;
use crate::failure::Ruled;
use crate::incidents;
use crate::outcome::{Event, JobSketch};
use crate::record::{Headers, Job, JobKind, JobState, Role};
use crate::retries;
use crate::settings::JobOverride;
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
    pub(crate) category: Option<Arc<str>>,
    pub(crate) limit_key: Option<Arc<str>>,
    pub(crate) headers: Option<Headers>,
    /// Its job definition is suspended.
    pub(crate) is_suspended: bool,
}

impl Draft {
    /// With nothing special about it.
    pub(crate) fn new(kind: JobKind, retries: i32) -> Self {
        Self {
            kind,
            job_type: Arc::default(),
            retries,
            priority: 0,
            exclusive: false,
            due_at: None,
            category: None,
            limit_key: None,
            headers: None,
            is_suspended: false,
        }
    }
}

pub(crate) fn create(turn: &mut Turn<'_>, of: ElementInstanceKey, draft: Draft) -> JobKey {
    let key = JobKey::new(turn.next_key());
    create_as(turn, of, key, draft)
}

/// As [`create`], by a key that was made for it.
pub(crate) fn create_as(
    turn: &mut Turn<'_>,
    of: ElementInstanceKey,
    key: JobKey,
    draft: Draft,
) -> JobKey {
    let is_suspended = draft.is_suspended || turn.work.record.is_suspended;
    let is_stamped = turn.settings.due_dates_always && !draft.kind.is_for_clients();
    let due_at = draft.due_at.or_else(|| is_stamped.then_some(turn.now));
    let state = match draft.due_at {
        _ if is_suspended => JobState::Suspended,
        Some(_) => JobState::Waiting,
        None if draft.exclusive => {
            let standing = Standing::new(draft.priority, &draft.kind, due_at);
            exclusive::join(turn, key, standing)
        }
        None => JobState::Ready,
    };
    let job = Job {
        key,
        kind: draft.kind,
        job_type: draft.job_type,
        state,
        retries_left: draft.retries,
        priority: draft.priority,
        exclusive: draft.exclusive,
        due_at,
        failed_before: false,
        still_held: false,
        category: draft.category,
        limit_key: draft.limit_key,
        headers: draft.headers,
    };
    let about = JobSketch {
        element: match &job.kind {
            JobKind::Timer { event, .. } => event.clone(),
            _ => turn.element(of).element.clone(),
        },
        handler: handler_of(turn, &job),
        retries: job.retries_left,
        priority: job.priority,
        due_at: job.due_at,
    };
    let job_type = job.job_type.clone();
    let jobs = &mut turn.element_mut(of).jobs;
    // Most have one, which is copied with every step.
    jobs.reserve_exact(1);
    jobs.push(job);
    turn.work.record.elements.job_added(key, of);
    turn.work.changes.job_created(key);
    if state == JobState::Parked {
        exclusive::reconsider(turn, key);
    }
    turn.event(Event::JobCreated { key, element_instance: of, job_type, about });
    key
}

/// The word of the job's definition, for those that have one.
fn handler_of(turn: &Turn<'_>, job: &Job) -> Option<JobHandler> {
    match &job.kind {
        JobKind::AsyncBefore | JobKind::AsyncAfter => Some(JobHandler::AsyncContinuation),
        JobKind::Timer { .. } if !job.job_type.is_empty() => Some(JobHandler::TimerTaskListener),
        JobKind::Timer { event, .. } => {
            JobDefinition::timer_handler(turn.model(turn.index_of(event)))
        }
        _ => None,
    }
}

/// The job definition of an asynchronous continuation.
fn definition_of(
    turn: &Turn<'_>,
    of: ElementInstanceKey,
    element: &Element,
    kind: &JobKind,
) -> Option<JobDefinition> {
    let is_body = element.multi.is_some() && turn.element(of).role != Role::Inner;
    match kind {
        JobKind::AsyncBefore => Some(JobDefinition::before(element, is_body)),
        JobKind::AsyncAfter => Some(JobDefinition::after(element, is_body)),
        _ => None,
    }
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

/// The job by which the engine goes on with what a worker has brought. It is what has become of the
/// worker's job `of_worker`, so it has the same category, whatever the model would say now.
pub(crate) fn create_completing(
    turn: &mut Turn<'_>,
    of: ElementInstanceKey,
    of_worker: Job,
    save_point: SavePoint,
) -> Ruled {
    let element = turn.model(turn.index_of(&turn.element(of).element));
    let draft = draft_without_marks(turn, of, element, JobKind::AsyncComplete, save_point)?;
    let Job { category, limit_key, .. } = of_worker;
    create(turn, of, Draft { category, limit_key, ..draft });
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
    let draft = draft_without_marks(turn, of, element, kind, save_point)?;
    Ok(Draft {
        category: category_of(turn, of, element)?,
        limit_key: limit_key_of(turn, of, element)?,
        ..draft
    })
}

/// Without what nodes and limits know it by.
fn draft_without_marks(
    turn: &Turn<'_>,
    of: ElementInstanceKey,
    element: &Element,
    kind: JobKind,
    save_point: SavePoint,
) -> Ruled<Draft> {
    let set = turn
        .settings
        .of_job(turn.work.record.definition, || definition_of(turn, of, element, &kind));
    let priority = match priority_of(turn, of, element, set) {
        // Between two visits there is nothing yet that an incident could be shown on.
        Err(failure)
            if failure.needs.is_none() && turn.semantics().failures == Failures::Incident =>
        {
            0
        }
        priority => priority?,
    };
    let retries = retries_of(turn, of, element, retry_cycle_of(turn, of, element))?;
    Ok(Draft {
        priority,
        exclusive: save_point.exclusive,
        is_suspended: set.is_suspended,
        ..Draft::new(kind, retries)
    })
}

pub(crate) fn category_of(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
) -> Ruled<Option<Arc<str>>> {
    let Some(category) = &element.jobs.category else { return Ok(None) };
    extract::optional_text(turn, scope, element, "category of the job", category)
}

/// A number counts as its text.
pub(crate) fn limit_key_of(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
) -> Ruled<Option<Arc<str>>> {
    let Some(expression) = &element.jobs.limit_key else { return Ok(None) };
    match turn.evaluate(&element.id, scope, expression)? {
        Value::Null => Ok(None),
        Value::Text(text) => Ok(Some(cut(&text, LIMIT_KEY_CHARS_MAX))),
        number @ Value::Int(_) => Ok(Some(number.to_json().into())),
        other => Err(extract::wrong(element, "limit key", "a string or a whole number", &other)),
    }
}

/// Keys are part of an index of the store.
const LIMIT_KEY_CHARS_MAX: usize = 255;

/// How often a job of the engine's own is tried. A cycle that cannot be computed is none.
pub(crate) fn retries_of(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    cycle: Option<&RetryCycle>,
) -> Ruled<i32> {
    let is_known = turn.semantics().jobs.tries_at_creation && !turn.settings.tries_at_first_failure;
    let plan = match cycle.filter(|_| is_known) {
        Some(cycle) => retries::plan_of_cycle(turn, scope, element, cycle)?,
        None => None,
    };
    Ok(match plan {
        Some(plan) => i32::try_from(plan.tries).unwrap_or(i32::MAX),
        None => default_retries(turn),
    })
}

/// Tries of a job that has no retry cycle.
pub(crate) fn default_retries(turn: &Turn<'_>) -> i32 {
    let of_model = || i32::try_from(turn.semantics().retries_default).unwrap_or(i32::MAX);
    turn.settings.retries.unwrap_or_else(of_model)
}

/// The retry cycle of an element instance's own jobs.
pub(crate) fn retry_cycle_of<'a>(
    turn: &Turn<'a>,
    of: ElementInstanceKey,
    element: &'a Element,
) -> Option<&'a RetryCycle> {
    let own = match (turn.element(of).role, &element.multi) {
        (Role::Inner, Some(multi)) => multi.inner_retry_cycle.as_ref(),
        _ => element.jobs.retry_cycle.as_ref(),
    };
    own.or(turn.settings.retry_cycle.as_ref())
}

/// The priority of a job of the engine's own: what is set about its job definition, or what the
/// model says.
pub(crate) fn priority_of(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    set: JobOverride,
) -> Ruled<i64> {
    if turn.settings.ignores_priorities {
        return Ok(0);
    }
    match (set.priority, &element.jobs.priority) {
        (Some(priority), _) => Ok(priority),
        (None, Some(expression)) => computed_priority(turn, scope, element, expression),
        (None, None) => Ok(0),
    }
}

/// DIFFERENCE: in Camunda a priority that cannot be computed is the default one, but what is
/// computed and is no whole number is a failure. Zeebe has looked at priorities only since 8.9, so
/// that a model may have any text there.
pub(crate) fn computed_priority(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    expression: &Expression,
) -> Ruled<i64> {
    const WHAT: &str = "priority of the job";
    let may_fail = turn.semantics().values.priority_may_fail && !turn.settings.strict_priorities;
    let is_whatever = turn.semantics().values.priority_may_be_anything;
    if !may_fail || is_whatever {
        return match extract::whole_number(turn, scope, element, WHAT, expression) {
            Err(failure) if failure.needs.is_none() && is_whatever => Ok(0),
            priority => Ok(priority?.unwrap_or(0)),
        };
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
    turn.work.record.elements.job_removed(job.key);
    turn.work.changes.job_gone(job.key);
    exclusive::lock_over(turn, job.key);
    if job.exclusive {
        exclusive::release(turn, job.key, job.state);
    }
}

/// The job may run as soon as its turn comes: at once, or parked behind other exclusive ones.
pub(crate) fn make_ready(turn: &mut Turn<'_>, key: JobKey) {
    let job = turn.job_mut(key).expect("the caller found the job");
    let exclusive = job.exclusive;
    let state = match exclusive {
        _ if turn.work.record.is_suspended => JobState::Suspended,
        true => exclusive::requeue(turn, key),
        false => JobState::Ready,
    };
    turn.job_mut(key).expect("the caller found the job").state = state;
    turn.work.changes.job_updated(key);
    if state == JobState::Parked {
        exclusive::reconsider(turn, key);
    }
}

/// The job cannot run now, and the queue moves on. A worker that has locked it loses it. One of the
/// engine's own stays with the node that has locked it until that node is done with it: what has
/// begun is neither begun again when the job may run meanwhile, nor is an exclusive one beside it.
pub(crate) fn stop(turn: &mut Turn<'_>, key: JobKey, state: JobState) {
    let job = turn.job_mut(key).expect("the caller found the job");
    let (was, is_exclusive) = (std::mem::replace(&mut job.state, state), job.exclusive);
    let is_for_clients = job.kind.is_for_clients();
    turn.work.changes.job_updated(key);
    match was == JobState::Ready {
        true if is_for_clients => turn.work.changes.job_unlocked(key),
        // Nobody can have locked one that this very command has let run.
        true if turn.work.changes.new_holder == Some(key) => {}
        true if is_exclusive => exclusive::keep_lock(turn, key),
        true => set_held(turn, key, true),
        false => {}
    }
    if is_exclusive {
        exclusive::release(turn, key, was);
    }
}

/// Of one that is not exclusive.
fn set_held(turn: &mut Turn<'_>, key: JobKey, is_held: bool) {
    if let Some(job) = turn.job_mut(key) {
        job.still_held = is_held;
    }
}

/// Whether somebody may still have locked the job, which was stopped before.
pub(crate) fn is_held(turn: &Turn<'_>, key: JobKey) -> bool {
    let own = turn.work.record.job(key).is_some_and(|(_, job)| job.still_held);
    own || exclusive::is_held(turn, key)
}

/// The run of the job has ended, and unlocks it.
pub(crate) fn lock_over(turn: &mut Turn<'_>, key: JobKey) {
    set_held(turn, key, false);
    exclusive::lock_over(turn, key);
}

/// What an active job comes to by its retries and its due date.
pub(crate) fn settle(turn: &mut Turn<'_>, key: JobKey) {
    let now = turn.now;
    let (host, job) = turn.work.record.job(key).expect("the caller found the job");
    if job.retries_left <= 0 || incidents::about(host, key).is_some() {
        return stop(turn, key, JobState::Failed);
    }
    match job.due_at {
        _ if turn.work.record.is_suspended => stop(turn, key, JobState::Suspended),
        Some(due_at) if due_at > now => stop(turn, key, JobState::Waiting),
        // One that is ready keeps its place.
        _ if job.state == JobState::Ready => turn.work.changes.job_updated(key),
        _ => make_ready(turn, key),
    }
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
