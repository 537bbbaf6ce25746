//! A job of the engine's own has failed: when, and whether, it is tried again.
//!
//! The run that failed is undone first; what is changed here is the record as it was before.
//!
//! DIFFERENCE: without a retry cycle Camunda tries again at once, Flowable after a wait, a failed
//! timer counting from its old due date. A cycle that is a wait alone means two tries in Camunda and
//! one in Flowable. With a cycle the first failure sets the number of tries, and the waits are
//! walked in order: when an operator has raised the retries above the list, the first wait is used
//! for the surplus.

use std::borrow::Cow;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_model::{Element, RetryCycle, RetryPlan};
use orloj_types::{ElementId, ElementInstanceKey, JobKey, Timestamp, Value};

use crate::changes;
use crate::exclusive;
use crate::failure::{Failure, Ruled};
use crate::incidents::{self, Reason};
use crate::jobs;
use crate::outcome::{Event, Failed, JobFailure};
use crate::record::{Job, JobKind, JobState};
use crate::retry_policy::{FailedTry, Retry};
use crate::schedule;
use crate::timers;
use crate::turn::Turn;

/// How much of the message a failed job keeps. The faces show less, as much as their columns hold.
pub(crate) const FAILURE_CHARS_MAX: usize = 4_000;
/// How much of the details, which are stack traces mostly.
pub(crate) const DETAILS_BYTES_MAX: usize = 64 << 10;

/// How often the text that an expression gives for a cycle may be an expression itself.
const CYCLE_DEPTH_MAX: usize = 4;

pub(crate) fn fail(turn: &mut Turn<'_>, key: JobKey, failure: Failure) {
    let message = jobs::cut(&failure.message, FAILURE_CHARS_MAX);
    let failed_at = failure.element.clone();
    let (host, job) = turn.work.record.job(key).expect("the job was there when its run began");
    let (host, mut job) = (host.key, job.clone());
    let was = job.state;
    let retries_before = job.retries_left;
    let decided = decide(turn, host, &job, &failed_at, &message);
    let Decided { retries, due_at, has_plan, is_given_up } = decided;
    let follow_up = follow_up_of(turn, &mut job);
    job.failed_before = true;
    let fault = failure.fault.as_deref();
    job.retries_left = match is_given_up || fault.is_some_and(|fault| fault.is_final) {
        true => 0,
        false => retries.saturating_sub(1).max(0),
    };
    let retries_left = job.retries_left;
    let (element, text) = (failed_at.clone(), message.clone());
    turn.work.failed = Some(JobFailure { job: key, element, message: text, retries_left });
    let details = fault.and_then(|fault| fault.details.as_ref()).map(cut_bytes);
    let is_last = retries_left == 0;
    job.state = match due_at {
        // Run by hand; it stays as it was.
        _ if job.state == JobState::Suspended => JobState::Suspended,
        _ if is_last => JobState::Failed,
        Some(due_at) if due_at > turn.now => JobState::Waiting,
        _ => JobState::Ready,
    };
    // One that stays suspended has its wait all the same: resumed it waits on.
    let waits = matches!(job.state, JobState::Waiting | JobState::Suspended)
        && due_at.is_some_and(|due_at| due_at > turn.now);
    if waits || (is_last && (has_plan || turn.semantics().dead_jobs_are_due)) {
        job.due_at = due_at;
    }
    turn.event(Event::JobFailed {
        key,
        retries_before,
        retries_left,
        due_at: job.due_at,
        message: message.clone(),
        element: failed_at.clone(),
        details: details.clone(),
    });
    if job.exclusive {
        match job.state {
            JobState::Ready => job.state = exclusive::requeue(turn, key),
            _ => exclusive::release(turn, key, was),
        }
    }
    let is_parked = job.state == JobState::Parked;
    *turn.job_mut(key).expect("found above") = job;
    if is_parked {
        exclusive::reconsider(turn, key);
    }
    jobs::lock_over(turn, key);
    if let Some(follow_up) = follow_up {
        timers::repeat_despite_failure(turn, host, &follow_up);
    }
    let failed = Failed { message: message.clone(), details, element: failed_at };
    turn.work.changes.job_failed(key, failed);
    if !is_last {
        // Run by hand it may have come to more retries than it had been left with.
        incidents::resolve_about(turn, host, key);
    } else if !turn.settings.without_incidents {
        incidents::open_about(turn, host, Reason::JobFailed, message, key);
    }
}

/// What becomes of a job that failed.
struct Decided {
    /// Left before this failure is counted.
    retries: i32,
    due_at: Option<Timestamp>,
    has_plan: bool,
    is_given_up: bool,
}

/// The application's policy has the first word, the model the second.
fn decide(
    turn: &Turn<'_>,
    host: ElementInstanceKey,
    job: &Job,
    failed_at: &ElementId,
    message: &str,
) -> Decided {
    if let Some(decided) = decide_by_policy(turn, host, job, failed_at, message) {
        return decided;
    }
    let plan = plan_of(turn, host, job);
    let tries = plan.as_ref().map(|plan| i32::try_from(plan.tries).unwrap_or(i32::MAX));
    let retries = tries.filter(|_| !job.failed_before).unwrap_or(job.retries_left);
    let due_at = match &plan {
        Some(plan) => {
            let retries = u32::try_from(retries).unwrap_or(0);
            Some(schedule::later(turn.now, &plan.wait_after(retries).0))
        }
        None => default_due(turn, job),
    };
    Decided { retries, due_at, has_plan: plan.is_some(), is_given_up: false }
}

fn decide_by_policy(
    turn: &Turn<'_>,
    host: ElementInstanceKey,
    job: &Job,
    failed_at: &ElementId,
    message: &str,
) -> Option<Decided> {
    let topic = changes::topic_of(turn.process, turn.element(host), job);
    let policy = turn.delegates.retry_policy(&topic)?;
    let tries = i32::try_from(policy.tries()).unwrap_or(i32::MAX).max(1);
    let retries = if job.failed_before { job.retries_left } else { tries };
    // An operator may have given it more than it began with.
    let attempt = u32::try_from(tries.saturating_sub(retries)).unwrap_or(0).saturating_add(1);
    let failed = FailedTry { topic: &topic, element: failed_at, attempt, message, now: turn.now };
    let (due_at, is_given_up) = match policy.after(&failed) {
        Retry::After(wait) => {
            let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
            (Some(turn.now.plus_ms(wait_ms)), false)
        }
        Retry::GiveUp => (job.due_at, true),
        Retry::AsModelled => return None,
    };
    Some(Decided { retries, due_at, has_plan: true, is_given_up })
}

pub(crate) fn cut_bytes(text: &Arc<str>) -> Arc<str> {
    if text.len() <= DETAILS_BYTES_MAX {
        return text.clone();
    }
    let ends = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= DETAILS_BYTES_MAX);
    text[..ends.last().unwrap_or(0)].into()
}

/// A repeating timer goes on to its next firing when this one has failed for the first time: the
/// job as it was, whose repetition it loses.
fn follow_up_of(turn: &Turn<'_>, job: &mut Job) -> Option<Job> {
    if !turn.semantics().repeats_despite_failure || job.failed_before {
        return None;
    }
    let before = job.clone();
    let JobKind::Timer { repeat, .. } = &mut job.kind else { return None };
    repeat.take().map(|_| before)
}

/// Without a wait the due date stays what it was.
fn default_due(turn: &Turn<'_>, job: &Job) -> Option<Timestamp> {
    let (settings, of_model) = (turn.settings, turn.semantics().retry_delay_ms);
    let (from, delay) = match (&job.kind, job.due_at) {
        (JobKind::Timer { .. }, Some(due_at)) => {
            (due_at, settings.timer_retry_wait_ms.unwrap_or(of_model))
        }
        _ => (turn.now, settings.retry_wait_ms.unwrap_or(of_model)),
    };
    match delay > 0 {
        true => Some(from.plus_ms(delay)),
        false => job.due_at,
    }
}

/// A cycle that cannot be computed counts as none.
fn plan_of<'a>(turn: &Turn<'a>, host: ElementInstanceKey, job: &Job) -> Option<Cow<'a, RetryPlan>> {
    let element = settings_of(turn, host, job);
    let cycle = match &job.kind {
        // DIFFERENCE: Camunda has no cycle for them; in Flowable no model can give them one.
        JobKind::Signal { .. } => None,
        JobKind::Timer { .. } => timer_cycle_of(turn, element, &job.job_type),
        JobKind::AsyncComplete => element.jobs.retry_cycle.as_ref(),
        _ => jobs::retry_cycle_of(turn, host, element),
    };
    plan_of_cycle(turn, host, element, cycle?).ok().flatten()
}

/// The retry cycle of an event's timer; that of a user task's listener has none.
pub(crate) fn timer_cycle_of<'a>(
    turn: &Turn<'a>,
    event: &'a Element,
    listener: &str,
) -> Option<&'a RetryCycle> {
    if !listener.is_empty() {
        return None;
    }
    event.jobs.retry_cycle.as_ref().or(turn.settings.retry_cycle.as_ref())
}

/// The plan of a cycle as it is now; `Err` only while something is to be asked for.
pub(crate) fn plan_of_cycle<'a>(
    turn: &Turn<'a>,
    scope: ElementInstanceKey,
    element: &Element,
    cycle: &'a RetryCycle,
) -> Ruled<Option<Cow<'a, RetryPlan>>> {
    let mut expression = match cycle {
        RetryCycle::Fixed(plan) => return Ok(Some(Cow::Borrowed(plan))),
        RetryCycle::Computed(expression) => Cow::Borrowed(expression),
    };
    for _ in 0..CYCLE_DEPTH_MAX {
        let text = match turn.evaluate(&element.id, scope, &expression) {
            Ok(Value::Text(text)) => text,
            Err(failure) if failure.needs.is_some() => return Err(failure),
            Ok(_) | Err(_) => return Ok(None),
        };
        let trimmed = text.trim();
        if !trimmed.starts_with("${") && !trimmed.starts_with("#{") {
            let tries_of_wait = turn.semantics().jobs.tries_of_wait;
            return Ok(RetryPlan::parse_for(trimmed, tries_of_wait).ok().map(Cow::Owned));
        }
        match Expression::parse_uel(trimmed, turn.semantics().uel) {
            Ok(inner) => expression = Cow::Owned(inner),
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// The element whose settings a job follows: that of its event, if it is a timer.
fn settings_of<'a>(turn: &Turn<'a>, host: ElementInstanceKey, job: &Job) -> &'a Element {
    let id = match &job.kind {
        JobKind::Timer { event, .. } => event,
        _ => &turn.element(host).element,
    };
    turn.model(turn.index_of(id))
}

#[cfg(test)]
mod tests {
    use orloj_model::RetryCycle;

    use crate::testing::{Sketch, Story, delegate, end, start, user, xor};
    use crate::{Command, InvokeResult};

    fn failing(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("ask", user())
            .node("call", delegate("Call"))
            .node("end", end())
            .flows("start -> call -> end")
            .async_before("call")
    }

    fn story(sketch: Sketch, failures: usize) -> Story {
        let failed = InvokeResult::Failed { message: "no line".into() };
        let mut story = Story::of(sketch.build()).delegate("Call", &vec![failed; failures]);
        story.start(r#"{"a":1}"#);
        story
    }

    /// Runs the job whenever it is due and tells its states.
    fn lives(story: &mut Story) -> String {
        let mut told = Vec::new();
        while let Some(row) = story.jobs.values().next() {
            let (job, state, due_at) = (row.job.key, row.job.state, row.job.due_at);
            let wait = due_at.map_or(0, |due_at| due_at.ms_since(story.now).max(0)) / 1000;
            match state {
                crate::JobState::Waiting => {
                    told.push(format!("wait {wait}"));
                    story.now = due_at.expect("it waits");
                    story.play(Command::JobDue { job, at_once: true });
                }
                crate::JobState::Ready => {
                    story.play(Command::RunJob { job });
                    told.push(match story.jobs.get(&job) {
                        Some(row) => format!("failed, {} left", row.job.retries_left),
                        None => "done".into(),
                    });
                }
                other => {
                    told.push(format!("{other:?}"));
                    break;
                }
            }
        }
        told.join("; ")
    }

    #[test]
    fn camunda_tries_three_times_at_once_and_then_waits_for_a_person() {
        let mut story = story(failing(Sketch::camunda()), 3);
        let before = story.record.clone().expect("it lives");
        insta::assert_snapshot!(story.run_job("call"), @r#"
        job1 failed, 2 left: no line
        --
        update job1 before call, ready, retries 2, exclusive unlock 'no line'
        at call entering job1
        instance: {"a":1}
        "#);
        let after = story.record.as_ref().expect("it lives");
        assert_eq!(after.variables, before.variables, "the run was undone");
        assert_eq!(lives(&mut story), "failed, 1 left; failed, 0 left; Failed");
        let job = story.job_of("call");
        insta::assert_snapshot!(story.play(Command::RunJob { job }), @"rejected: job job1 is in state Failed");
        insta::assert_snapshot!(story.play(Command::UpdateRetries { job, retries: 1 }), @r#"
        job1 changed: Retries(1)
        incident1 closed
        --
        update job1 before call, ready, retries 1, exclusive
        delete incident1
        at call entering job1
        instance: {"a":1}
        "#);
        assert_eq!(lives(&mut story), "done");
    }

    #[test]
    fn flowable_waits_between_tries_and_calls_the_end_a_dead_letter() {
        let mut story = story(failing(Sketch::flowable()), 3);
        assert_eq!(
            lives(&mut story),
            "failed, 2 left; wait 10; failed, 1 left; wait 10; failed, 0 left; Failed"
        );
        let record = story.record.as_ref().expect("it lives");
        let incident =
            record.elements.iter().next().expect("a token").incident.as_ref().expect("an incident");
        assert_eq!(&*incident.kind, "deadLetter");
    }

    #[test]
    fn a_list_of_waits_is_walked_in_order() {
        let process = || failing(Sketch::camunda()).retry("call", "PT1M,PT5M,PT9M");
        assert_eq!(
            lives(&mut story(process(), 4)),
            "failed, 3 left; wait 60; failed, 2 left; wait 300; failed, 1 left; wait 540; \
             failed, 0 left; Failed"
        );
        // Retries raised above the list: the first wait is used for the surplus.
        let mut raised = story(process(), 5);
        raised.run_job("call");
        let job = raised.job_of("call");
        raised.play(Command::UpdateRetries { job, retries: 6 });
        assert_eq!(
            lives(&mut raised),
            "wait 60; failed, 5 left; wait 60; failed, 4 left; wait 60; failed, 3 left; wait 60; \
             failed, 2 left; wait 300; done"
        );
    }

    #[test]
    fn the_first_failure_sets_the_tries_of_a_computed_cycle() {
        let sketch = failing(Sketch::camunda());
        let cycle = sketch.expression("cycle");
        let sketch =
            sketch.with("call", |e| e.jobs.retry_cycle = Some(RetryCycle::Computed(cycle)));
        let failed = InvokeResult::Failed { message: "no line".into() };
        let process = sketch.build();
        let mut story = Story::of(process.clone()).delegate("Call", &vec![failed.clone(); 2]);
        story.start(r#"{"cycle":"R5/PT1M"}"#);
        assert_eq!(lives(&mut story), "failed, 4 left; wait 60; failed, 3 left; wait 60; done");
        let mut broken = Story::of(process).delegate("Call", &vec![failed; 2]);
        broken.start(r#"{"cycle":"whenever"}"#);
        assert_eq!(lives(&mut broken), "failed, 2 left; failed, 1 left; done");
    }

    /// The tries a job begins with, and its life when every try fails, up to a few.
    fn life(sketch: Sketch, cycle: &str, failures: usize) -> String {
        let sketch = failing(sketch);
        let cycle = match cycle.strip_prefix('$') {
            Some(computed) => Some(RetryCycle::Computed(sketch.expression(computed))),
            None => orloj_model::RetryPlan::parse(cycle).ok().map(RetryCycle::Fixed),
        };
        let sketch = sketch.with("call", |element| element.jobs.retry_cycle = cycle);
        let mut story = story(sketch, failures);
        let tries = story.jobs.values().next().expect("the job").job.retries_left;
        format!("{tries}: {}", lives(&mut story))
    }

    #[test]
    fn every_form_of_a_cycle_in_camunda() {
        let endless = i32::MAX;
        let table = [
            ("R2/PT5M", 2, "2: failed, 1 left; wait 300; failed, 0 left; Failed"),
            ("R/PT5M", 1, &format!("{endless}: failed, {} left; wait 300; done", endless - 1)),
            ("R0/PT5M", 1, "1: failed, 0 left; Failed"),
            ("PT5M", 2, "2: failed, 1 left; wait 300; failed, 0 left; Failed"),
            (
                "PT10M, PT17M ,PT20M",
                4,
                "4: failed, 3 left; wait 600; failed, 2 left; wait 1020; failed, 1 left; \
                 wait 1200; failed, 0 left; Failed",
            ),
            // The text of an expression is read anew at every failure.
            ("$'R2/PT1M'", 2, "2: failed, 1 left; wait 60; failed, 0 left; Failed"),
            ("$a", 3, "3: failed, 2 left; failed, 1 left; failed, 0 left; Failed"),
            ("$missing", 1, "3: failed, 2 left; done"),
            ("soon", 1, "3: failed, 2 left; done"),
            ("PT1M,soon", 3, "3: failed, 2 left; wait 60; failed, 1 left; failed, 0 left; Failed"),
        ];
        for (cycle, failures, told) in table {
            assert_eq!(life(Sketch::camunda(), cycle, failures), told, "{cycle}");
        }
    }

    #[test]
    fn in_flowable_the_first_failure_sets_the_tries() {
        let table = [
            ("R5/PT7M", 2, "3: failed, 4 left; wait 420; failed, 3 left; wait 420; done"),
            ("R1/PT7M", 1, "3: failed, 0 left; Failed"),
            ("R0/PT7M", 1, "3: failed, 0 left; Failed"),
            ("soon", 1, "3: failed, 2 left; wait 10; done"),
        ];
        for (cycle, failures, told) in table {
            assert_eq!(life(Sketch::flowable(), cycle, failures), told, "{cycle}");
        }
    }

    #[test]
    fn the_text_of_a_cycle_may_be_an_expression_itself() {
        let sketch = failing(Sketch::camunda());
        let cycle = RetryCycle::Computed(sketch.expression("cycle"));
        let sketch = sketch.with("call", |element| element.jobs.retry_cycle = Some(cycle));
        let failed = InvokeResult::Failed { message: "no line".into() };
        let mut story = Story::of(sketch.build()).delegate("Call", &[failed]);
        story.start(r#"{"cycle":"${inner}","inner":"R6/PT1M"}"#);
        assert_eq!(story.jobs.values().next().expect("the job").job.retries_left, 6);
        assert_eq!(lives(&mut story), "failed, 5 left; wait 60; done");
    }

    #[test]
    fn an_expression_that_fails_behind_a_save_point_fails_the_job() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("gate", xor())
            .node("end", end())
            .flows("start -> gate")
            .flow_if("gate", "end", "missing > 1")
            .async_before("gate");
        let mut story = Story::of(process.build());
        story.start("{}");
        insta::assert_snapshot!(story.run_job("gate"), @"
        job1 failed, 2 left: an expression failed: unknown property used in expression: there is no variable 'missing'
        --
        update job1 before gate, ready, retries 2, exclusive unlock 'an expression failed: unknown property used in expression: there is no variable 'missing''
        at gate entering job1
        ");
    }

    #[test]
    fn a_long_message_is_cut() {
        let failed =
            InvokeResult::Failed { message: "ä".repeat(super::FAILURE_CHARS_MAX + 1).into() };
        let mut story = Story::of(failing(Sketch::camunda()).build()).delegate("Call", &[failed]);
        story.start("{}");
        story.run_job("call");
        let row = story.jobs.values().next().expect("the job is still there");
        let length = row.failure.as_ref().map(|failed| failed.message.chars().count());
        assert_eq!(length, Some(super::FAILURE_CHARS_MAX));
    }
}
