//! ManageJob: what operators do with single jobs.
//!
//! Whether a job is locked is for the caller to judge: the record does not know. A run that is still
//! under way when an order stops its job finds it in another state and comes to nothing; until then
//! the lock stays with whoever runs it, so that neither the job nor an exclusive one beside it is
//! begun meanwhile. So it is in Camunda, where orders leave the lock alone, and in Flowable, where
//! the run holds the lock of its instance.

use std::sync::Arc;

use orloj_model::TimerKind;
use orloj_types::{ElementInstanceKey, JobKey, Timestamp};

use crate::command::{JobOrder, NewTimer, Rejection};
use crate::exclusive;
use crate::failure::Stop;
use crate::incidents::{self, Reason};
use crate::jobs::{self, Draft};
use crate::outcome::{Event, JobEdit};
use crate::record::{Job, JobKind, JobState};
use crate::turn::Turn;
use crate::{schedule, timers};

/// Of incidents that no failure has led to.
const RETRIES_TAKEN: &str = "an operator has taken away the retries";
const BURIED: &str = "an operator has moved the job to the dead letters";

pub(crate) fn manage_job(
    turn: &mut Turn<'_>,
    key: JobKey,
    order: &JobOrder,
    failure: Option<&Arc<str>>,
) -> Result<(), Stop> {
    let (host, job) = turn.work.record.job(key).ok_or(Rejection::JobNotFound(key))?;
    let (host, job) = (host.key, job.clone());
    match order {
        JobOrder::SetRetries { retries, due } => {
            let message = failure.cloned().unwrap_or_else(|| RETRIES_TAKEN.into());
            set_retries(turn, host, &job, (*retries, *due), message)?;
        }
        JobOrder::SetDueDate { due, cascade } => {
            if *cascade {
                shift_repetition(turn, &job, *due);
            }
            set_due_date(turn, key, *due);
            resettle(turn, &job);
        }
        JobOrder::RecalculateDueDate { from_creation } => {
            recalculate(turn, host, &job, *from_creation)?;
        }
        JobOrder::SetPriority(priority) => {
            turn.job_mut(key).expect("found above").priority = *priority;
            turn.work.changes.job_updated(key);
            turn.event(Event::JobChanged { key, what: JobEdit::Priority(*priority) });
            exclusive::reconsider(turn, key);
        }
        JobOrder::Delete => {
            jobs::take(turn, host, key);
            turn.event(Event::JobCancelled { key });
            incidents::close_about(turn, host, key);
        }
        JobOrder::MoveToDeadLetters => {
            let message = failure.cloned().unwrap_or_else(|| BURIED.into());
            move_to_dead_letters(turn, host, &job, message)?;
        }
        JobOrder::MoveToExecutable { retries } => {
            move_to_executable(turn, host, &job, *retries)?;
        }
        JobOrder::MoveTimerToExecutable => run_now(turn, &job)?,
        JobOrder::Reschedule { timer, new } => reschedule(turn, host, &job, (timer, *new))?,
    }
    Ok(())
}

fn set_retries(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    job: &Job,
    (retries, due): (i32, Option<Option<Timestamp>>),
    message: Arc<str>,
) -> Result<(), Rejection> {
    if retries < 0 {
        return Err(Rejection::RetriesNegative(retries));
    }
    if job.state == JobState::ErrorThrown {
        return Err(Rejection::JobState { job: job.key, state: job.state });
    }
    turn.job_mut(job.key).expect("the caller found it").retries_left = retries;
    turn.work.changes.job_updated(job.key);
    turn.event(Event::JobChanged { key: job.key, what: JobEdit::Retries(retries) });
    if let Some(due) = due {
        // Together with retries, no date means now where every job has one.
        let due = due.or_else(|| turn.settings.due_dates_always.then_some(turn.now));
        set_due_date(turn, job.key, due);
    }
    if retries == 0 {
        if !matches!(job.state, JobState::Suspended) {
            jobs::stop(turn, job.key, JobState::Failed);
        }
        let opens = job.retries_left > 0 && !turn.settings.without_incidents;
        if opens {
            incidents::open_about(turn, host, Reason::of_job(&job.kind), message, job.key);
        }
        return Ok(());
    }
    let is_told = incidents::about(turn.element(host), job.key).is_some();
    if is_told && !turn.semantics().jobs.retries_resolve {
        // Resolving the incident is a step of its own.
        return Ok(());
    }
    incidents::resolve_about(turn, host, job.key);
    if job.state != JobState::Suspended {
        jobs::settle(turn, job.key);
        exclusive::reconsider(turn, job.key);
    }
    Ok(())
}

/// Only the date.
fn set_due_date(turn: &mut Turn<'_>, key: JobKey, due: Option<Timestamp>) {
    turn.job_mut(key).expect("the caller found it").due_at = due;
    turn.work.changes.job_updated(key);
    turn.event(Event::JobChanged { key, what: JobEdit::DueDate(due) });
}

/// The job waits or runs as its new due date says, unless it waits for something else.
fn resettle(turn: &mut Turn<'_>, job: &Job) {
    if matches!(job.state, JobState::Ready | JobState::Waiting | JobState::Parked) {
        jobs::settle(turn, job.key);
        exclusive::reconsider(turn, job.key);
    }
}

/// Firings are counted from an anchor, so moving it moves all of them. Cron has none.
fn shift_repetition(turn: &mut Turn<'_>, job: &Job, due: Option<Timestamp>) {
    let (Some(old), Some(new)) = (job.due_at, due) else { return };
    let job = turn.job_mut(job.key).expect("the caller found it");
    if let JobKind::Timer { repeat: Some(repeat), .. } = &mut job.kind
        && repeat.text.starts_with('R')
    {
        repeat.anchor = repeat.anchor.plus_ms(new.ms_since(old));
    }
}

/// The repetition of the job stays as it is; only this firing moves.
fn recalculate(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    job: &Job,
    from_creation: bool,
) -> Result<(), Stop> {
    let Some((event, timer)) = timers::timer_of(turn, job) else {
        return Err(Rejection::NotATimer(job.key).into());
    };
    let base = match from_creation {
        true => job.key.made_at(),
        false => turn.now,
    };
    let planned = timers::plan(turn, host, event, timer, base).map_err(|failure| match failure
        .needs
        .is_some()
    {
        true => Stop::Failed(failure),
        false => Rejection::TimerInvalid { job: job.key, reason: failure.message.clone() }.into(),
    })?;
    set_due_date(turn, job.key, Some(planned.due_at));
    resettle(turn, job);
    Ok(())
}

/// Flowable looks for the job among its timers and its own jobs; one for workers is not found.
fn move_to_dead_letters(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    job: &Job,
    message: Arc<str>,
) -> Result<(), Rejection> {
    if job.kind.is_for_clients() {
        return Err(Rejection::ForWorkers(job.key));
    }
    if !matches!(job.state, JobState::Ready | JobState::Waiting | JobState::Parked) {
        return Err(Rejection::JobState { job: job.key, state: job.state });
    }
    turn.job_mut(job.key).expect("the caller found it").retries_left = 0;
    jobs::stop(turn, job.key, JobState::Failed);
    turn.event(Event::JobChanged { key: job.key, what: JobEdit::MovedToDeadLetters });
    if !turn.settings.without_incidents {
        incidents::open_about(turn, host, Reason::of_job(&job.kind), message, job.key);
    }
    Ok(())
}

fn move_to_executable(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    job: &Job,
    retries: i32,
) -> Result<(), Rejection> {
    if job.state != JobState::Failed {
        return Err(Rejection::JobState { job: job.key, state: job.state });
    }
    if retries < 1 {
        return Err(Rejection::RetriesTooFew(retries));
    }
    turn.job_mut(job.key).expect("the caller found it").retries_left = retries;
    turn.event(Event::JobChanged { key: job.key, what: JobEdit::MadeExecutable });
    incidents::resolve_about(turn, host, job.key);
    jobs::make_ready(turn, job.key);
    Ok(())
}

fn run_now(turn: &mut Turn<'_>, job: &Job) -> Result<(), Rejection> {
    if job.state != JobState::Waiting {
        return Err(Rejection::JobState { job: job.key, state: job.state });
    }
    turn.event(Event::JobChanged { key: job.key, what: JobEdit::MadeExecutable });
    jobs::make_ready(turn, job.key);
    Ok(())
}

/// The timer that takes the place of the old one is a job of its own, with nothing of the old
/// one's failures.
fn reschedule(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    job: &Job,
    (timer, new): (&NewTimer, JobKey),
) -> Result<(), Rejection> {
    let JobKind::Timer { event, repeat } = &job.kind else {
        return Err(Rejection::NotATimer(job.key));
    };
    if !matches!(job.state, JobState::Waiting | JobState::Suspended) {
        return Err(Rejection::JobState { job: job.key, state: job.state });
    }
    let planned = schedule::plan(timer.kind, &timer.text, turn.now, turn.semantics());
    let planned = planned.map_err(|error| Rejection::TimerInvalid {
        job: job.key,
        reason: error.to_string().into(),
    })?;
    // What fires once for the model does so with any timer.
    let repeats = timer.kind == TimerKind::Cycle && repeat.is_some();
    let kind = JobKind::Timer { event: event.clone(), repeat: planned.repeat.filter(|_| repeats) };
    let draft = Draft {
        job_type: job.job_type.clone(),
        priority: job.priority,
        exclusive: job.exclusive,
        due_at: Some(planned.due_at),
        category: job.category.clone(),
        limit_key: job.limit_key.clone(),
        is_suspended: job.state == JobState::Suspended,
        ..Draft::new(kind, jobs::default_retries(turn))
    };
    jobs::take(turn, host, job.key);
    turn.event(Event::JobCancelled { key: job.key });
    incidents::close_about(turn, host, job.key);
    jobs::create_as(turn, host, new, draft);
    Ok(())
}
