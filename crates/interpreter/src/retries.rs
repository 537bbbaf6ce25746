//! A job of the engine's own has failed: when, and whether, it is tried again.
//!
//! The run that failed is undone first; what is changed here is the record as it was before.
//!
//! DIFFERENCE: without a retry cycle Camunda tries again at once, Flowable after a wait, a failed
//! timer counting from its old due date. With one, the first failure sets the number of tries,
//! and the waits are walked in order: when an operator has raised the retries above the list, the
//! first wait is used for the surplus.

use std::sync::Arc;

use orloj_model::{Element, RetryCycle, RetryPlan};
use orloj_types::{ElementInstanceKey, JobKey, Timestamp, Value};

use crate::exclusive;
use crate::incidents::{self, Reason};
use crate::jobs;
use crate::outcome::Event;
use crate::record::{Job, JobKind, JobState};
use crate::schedule;
use crate::timers;
use crate::turn::Turn;

/// How much of the message a failed job keeps, as in Camunda's column.
pub(crate) const FAILURE_CHARS_MAX: usize = 666;

pub(crate) fn fail(turn: &mut Turn<'_>, key: JobKey, message: &Arc<str>) {
    let message = jobs::cut(message, FAILURE_CHARS_MAX);
    let (host, job) = turn.work.record.job(key).expect("the job was there when its run began");
    let (host, mut job) = (host.key, job.clone());
    let plan = plan_of(turn, host, &job);

    let tries = plan.as_ref().map(|plan| i32::try_from(plan.tries).unwrap_or(i32::MAX));
    let retries = tries.filter(|_| !job.failed_before).unwrap_or(job.retries_left);
    let due_at = match &plan {
        Some(plan) => {
            let retries = u32::try_from(retries).unwrap_or(0);
            schedule::later(turn.now, &plan.wait_after(retries).0)
        }
        None => default_due(turn, &job),
    };
    let repeat = match &mut job.kind {
        JobKind::Timer { event, repeat }
            if turn.semantics().repeats_despite_failure && !job.failed_before =>
        {
            repeat.take().map(|repeat| (event.clone(), repeat))
        }
        _ => None,
    };
    job.failed_before = true;
    job.retries_left = retries.saturating_sub(1).max(0);
    let retries_left = job.retries_left;
    turn.event(Event::JobFailed { key, retries_left, message: message.clone() });

    let is_last = retries_left == 0;
    job.state = match is_last {
        true => JobState::Failed,
        false if due_at > turn.now => JobState::Waiting,
        false => JobState::Ready,
    };
    if job.state == JobState::Waiting
        || (is_last && (plan.is_some() || turn.semantics().dead_jobs_are_due))
    {
        job.due_at = Some(due_at);
    }
    if job.exclusive {
        requeue(turn, &mut job);
    }
    let listener = job.job_type.clone();
    *turn.job_mut(key).expect("found above") = job;
    if let Some((event, repeat)) = repeat {
        timers::repeat_despite_failure(turn, host, &event, &listener, &repeat);
    }
    turn.work.changes.job_failed(key, message.clone());
    if is_last {
        incidents::open(turn, host, Reason::JobFailed, message, Some(key));
    }
}

/// Lets the next exclusive job run; a job that is tried at once goes behind those parked.
fn requeue(turn: &mut Turn<'_>, job: &mut Job) {
    let queue = &mut turn.work.record.exclusive;
    let is_alone = queue.parked.is_empty() && queue.holder.is_none_or(|holder| holder == job.key);
    if job.state == JobState::Ready && is_alone {
        queue.holder = Some(job.key);
        return;
    }
    exclusive::release(turn, job.key);
    if job.state == JobState::Ready {
        job.state = turn.work.record.exclusive.join(job.key);
    }
}

fn default_due(turn: &Turn<'_>, job: &Job) -> Timestamp {
    let delay = turn.semantics().retry_delay_ms;
    let from = match (&job.kind, job.due_at) {
        (JobKind::Timer { .. }, Some(due_at)) if delay > 0 => due_at,
        _ => turn.now,
    };
    from.plus_ms(delay)
}

/// A cycle that cannot be computed counts as none.
fn plan_of(turn: &Turn<'_>, host: ElementInstanceKey, job: &Job) -> Option<RetryPlan> {
    let element = settings_of(turn, host, job);
    let cycle = match job.kind {
        JobKind::Timer { .. } => element.jobs.retry_cycle.as_ref(),
        _ => jobs::retry_cycle_of(turn, host, element),
    };
    match cycle? {
        RetryCycle::Fixed(plan) => Some(plan.clone()),
        RetryCycle::Computed(expression) => {
            match turn.evaluate(&element.id, host, expression).ok()? {
                Value::Text(text) => RetryPlan::parse(&text).ok(),
                _ => None,
            }
        }
    }
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
                    story.play(Command::JobDue { job });
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
        let failed = InvokeResult::Failed { message: "ä".repeat(700).into() };
        let mut story = Story::of(failing(Sketch::camunda()).build()).delegate("Call", &[failed]);
        story.start("{}");
        story.run_job("call");
        let row = story.jobs.values().next().expect("the job is still there");
        let length = row.failure.as_deref().map(|text| text.chars().count());
        assert_eq!(length, Some(super::FAILURE_CHARS_MAX));
    }
}
