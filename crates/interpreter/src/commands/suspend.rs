//! Suspend and Resume: nothing of the instance is worked on until it is let go on.
//!
//! Its jobs are suspended, whoever would do them; events that come to it and everything that would
//! move a token are refused. Variables may be set, incidents resolved and tokens moved by hand.
//!
//! DIFFERENCE: Zeebe has no such thing. Flowable sets no variables of what is suspended, refuses to
//! suspend it again and to resume what is not suspended; Camunda does it again, which resumes jobs
//! that were suspended by themselves. In Camunda a job of what is suspended can be resumed by
//! itself, and then its run fails; here it is not resumed.

use orloj_model::JobDefinition;
use orloj_types::JobKey;

use crate::command::{Command, Rejection};
use crate::failure::Stop;
use crate::job_definitions::job_definition;
use crate::jobs;
use crate::outcome::{Event, JobEdit};
use crate::record::{JobKind, JobState};
use crate::turn::Turn;

/// Whether the command would move a token of a suspended instance.
pub(crate) fn refuses(turn: &Turn<'_>) -> Option<Rejection> {
    let is_moving = matches!(
        turn.command,
        Command::RunJob { .. }
            | Command::JobDue { .. }
            | Command::CompleteJob { .. }
            | Command::FailJob(_)
            | Command::ThrowError(_)
            | Command::CompleteUserTask { .. }
            | Command::Trigger { .. }
            | Command::DeferTrigger { .. }
            | Command::AskConditions { .. }
    );
    let record = &turn.work.record;
    let rules = turn.semantics().jobs;
    let once = rules.suspended_once;
    match (turn.command, record.is_suspended) {
        (Command::Resume, false) if once => Some(Rejection::NotSuspended(record.instance)),
        (Command::Suspend, true) if once => Some(Rejection::AlreadySuspended(record.instance)),
        (_, true) if is_moving => Some(Rejection::Suspended(record.instance)),
        (Command::SetVariables { .. }, true) if rules.suspended_keeps_variables => {
            Some(Rejection::Suspended(record.instance))
        }
        _ => None,
    }
}

pub(crate) fn suspend(turn: &mut Turn<'_>) {
    turn.work.record.is_suspended = true;
    turn.work.changes.is_record_changed = true;
    for key in movable(turn) {
        jobs::stop(turn, key, JobState::Suspended);
    }
}

/// Jobs that have become due meanwhile may run at once. So may those that were suspended by
/// themselves: an instance is resumed as a whole.
pub(crate) fn resume(turn: &mut Turn<'_>) -> Result<(), Stop> {
    let is_suspended = |key: &JobKey| {
        turn.work.record.job(*key).is_some_and(|(_, job)| job.state == JobState::Suspended)
    };
    let mut suspended = movable(turn);
    // Exclusive ones queue again, the oldest first.
    suspended.sort_unstable();
    if !turn.work.record.is_suspended {
        suspended.retain(is_suspended);
    }
    turn.work.record.is_suspended = false;
    turn.work.changes.is_record_changed = true;
    for key in suspended {
        set_free(turn, key);
    }
    Ok(())
}

/// Those of the jobs that the instance has. What waits for a person waits on: giving it new
/// retries does not make it run while it is suspended.
pub(crate) fn suspend_jobs(turn: &mut Turn<'_>, keys: &[JobKey]) -> Result<(), Stop> {
    for key in present(turn, keys)? {
        let state = turn.job_mut(key).expect("just listed").state;
        if !matches!(state, JobState::Suspended | JobState::ErrorThrown) {
            jobs::stop(turn, key, JobState::Suspended);
            turn.event(Event::JobChanged { key, what: JobEdit::Suspended });
        }
    }
    Ok(())
}

pub(crate) fn resume_jobs(turn: &mut Turn<'_>, keys: &[JobKey]) -> Result<(), Stop> {
    for key in present(turn, keys)? {
        if turn.job_mut(key).expect("just listed").state != JobState::Suspended {
            continue;
        }
        if turn.work.record.is_suspended {
            return Err(Rejection::JobOfSuspended(key).into());
        }
        set_free(turn, key);
        turn.event(Event::JobChanged { key, what: JobEdit::Resumed });
    }
    Ok(())
}

/// Those of the jobs that the job definition has.
pub(crate) fn of_definition(
    turn: &Turn<'_>,
    keys: &[JobKey],
    definition: &JobDefinition,
) -> Result<Vec<JobKey>, Rejection> {
    let is_of = |key: &JobKey| {
        let found = turn.work.record.job(*key);
        let of = found.and_then(|(host, job)| job_definition(turn.process, host, job));
        of.as_ref() == Some(definition)
    };
    let of_it: Vec<_> = keys.iter().copied().filter(is_of).collect();
    match (of_it.first(), keys.first()) {
        (None, Some(other)) => Err(Rejection::JobNotFound(*other)),
        _ => Ok(of_it),
    }
}

/// The first is asked for: with none of them there the command is about nothing.
fn present(turn: &Turn<'_>, keys: &[JobKey]) -> Result<Vec<JobKey>, Rejection> {
    let here: Vec<_> =
        keys.iter().copied().filter(|key| turn.work.record.job(*key).is_some()).collect();
    match (here.first(), keys.first()) {
        (None, Some(missing)) => Err(Rejection::JobNotFound(*missing)),
        _ => Ok(here),
    }
}

/// A suspended job comes to what its retries and its due date say.
///
/// DIFFERENCE: in Flowable a failed job in its wait is run at once when it is resumed; only timers
/// wait on.
fn set_free(turn: &mut Turn<'_>, key: JobKey) {
    let forgets_wait = turn.semantics().jobs.resumed_tries_at_once;
    let now = turn.now;
    let job = turn.job_mut(key).expect("just listed");
    let is_timer = matches!(job.kind, JobKind::Timer { .. });
    if forgets_wait && !is_timer && job.due_at.is_some_and(|due_at| due_at > now) {
        job.due_at = Some(now);
    }
    jobs::settle(turn, key);
}

/// The jobs that do not wait for a person.
fn movable(turn: &Turn<'_>) -> Vec<JobKey> {
    let is_stopped = |state| matches!(state, JobState::Failed | JobState::ErrorThrown);
    let jobs = turn.work.record.holders().flat_map(|holder| &holder.jobs);
    jobs.filter(|job| !is_stopped(job.state)).map(|job| job.key).collect()
}

#[cfg(test)]
mod tests {
    use orloj_model::TimerKind;

    use crate::testing::{Sketch, Story, document, on_timer, start, user, worker};
    use crate::{Command, JobState};

    #[test]
    fn a_suspended_instance_moves_no_token_until_it_is_resumed() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("pay", worker("charge"))
            .boundary("pay", "soon", on_timer(false, TimerKind::Duration, "PT1M"))
            .boundary("pay", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("then", user())
            .flows("start -> pay -> then");
        let mut story = Story::of(process.build());
        story.start("{}");
        story.play(Command::Suspend);
        assert!(story.jobs.values().all(|row| row.job.state == JobState::Suspended));
        assert!(story.complete("pay", "{}").ends_with("is suspended"));
        story.play(Command::Suspend);
        assert!(story.jobs.values().all(|row| row.job.state == JobState::Suspended));
        let scope = story.record.as_ref().expect("it lives").root.key;
        let variables = document(r#"{"n":1}"#);
        story.play(Command::SetVariables { scope, variables, local: false });
        story.pass(120_000);
        story.play(Command::Resume);
        assert_eq!(story.jobs[&story.job_of("soon")].job.state, JobState::Ready);
        assert_eq!(story.jobs[&story.job_of("late")].job.state, JobState::Waiting);
        story.play(Command::Resume);
        assert_eq!(story.jobs[&story.job_of("soon")].job.state, JobState::Ready);
        assert_eq!(story.jobs[&story.job_of("late")].job.state, JobState::Waiting);
        assert!(story.complete("pay", "{}").contains("entered then"));
    }
}
