//! FailJob: a worker gives a job back. It says how many retries are left and how long to wait.

use std::sync::Arc;

use orloj_model::{CompletionVariables, ListenerEvent};
use orloj_types::{ElementInstanceKey, JobKey};

use super::worker_job;
use crate::agenda::Step;
use crate::command::{Activation, FailJob};
use crate::element::{ad_hoc, service_task};
use crate::errors::{Source, Throwing};
use crate::failure::Stop;
use crate::foreign::ThrownByCode;
use crate::host::Worked;
use crate::incidents::{self, Reason};
use crate::jobs;
use crate::outcome::{Event, Failed};
use crate::record::{JobKind, JobState};
use crate::retries::cut_bytes;
use crate::turn::Turn;
use crate::variables::{self, View};

/// How much of a worker's message is kept, as in Zeebe.
pub(crate) const MESSAGE_CHARS_MAX: usize = 10_000;

pub(crate) fn fail_job(turn: &mut Turn<'_>, fail: &FailJob) -> Result<(), Stop> {
    let key = fail.job;
    let host = worker_job::find_ready(turn, key)?;
    worker_job::note_activations(turn, key, &fail.activations);
    let document = &fail.variables.0;
    match worker_job::completion_of(turn, host) {
        CompletionVariables::Merge => variables::set_local(&mut turn.work.record, host, document),
        CompletionVariables::Assign => variables::assign(&mut turn.work.record, host, document),
    }
    let message = jobs::cut(&fail.message, MESSAGE_CHARS_MAX);
    turn.work.worker = Some(Worked {
        message: Some(message.clone()),
        details: fail.details.clone(),
        ..Worked::new(turn, host, key, &fail.activations)
    });
    if let Some(thrown) = error_of(turn, host)? {
        jobs::take(turn, host, key);
        turn.event(Event::JobThrew { key, code: thrown.code.clone() });
        let throwing = Throwing::error(host, thrown, Source::Code);
        turn.work.push_next(Step::Throw(Box::new(throwing)));
        return Ok(());
    }
    let now = turn.now;
    let job = turn.job_mut(key).expect("found above");
    let retries_before = job.retries_left;
    job.retries_left = fail.retries;
    job.failed_before = true;
    job.state = match (fail.retries > 0, fail.back_off_ms > 0) {
        (true, true) => JobState::Waiting,
        (true, false) => JobState::Ready,
        (false, _) => JobState::Failed,
    };
    if job.state == JobState::Waiting {
        job.due_at = Some(now.plus_ms(fail.back_off_ms));
    }
    let (is_last, due_at) = (job.state == JobState::Failed, job.due_at);
    let element = turn.element(host).element.clone();
    let details = fail.details.as_ref().map(cut_bytes);
    let failed =
        Failed { message: message.clone(), details: details.clone(), element: element.clone() };
    turn.work.changes.job_failed(key, failed);
    let retries_left = fail.retries;
    let message_told = message.clone();
    turn.event(Event::JobFailed {
        key,
        retries_before,
        retries_left,
        due_at,
        message: message_told,
        element,
        details,
    });
    if is_last {
        let message = match message.is_empty() {
            true => Arc::from("the job failed and has no retries left"),
            false => message,
        };
        let reason = reason_of(turn, key);
        incidents::open(turn, host, reason, message, Some(key));
    }
    Ok(())
}

/// Nobody can be given the job as it is; when the incident is resolved it is tried again.
pub(crate) fn hold_back_job(
    turn: &mut Turn<'_>,
    key: JobKey,
    message: &Arc<str>,
    activations: &[Activation],
) -> Result<(), Stop> {
    let host = worker_job::find_ready(turn, key)?;
    worker_job::note_activations(turn, key, activations);
    let message = jobs::cut(message, MESSAGE_CHARS_MAX);
    jobs::stop(turn, key, JobState::Failed);
    let element = turn.element(host).element.clone();
    let failed = Failed { message: message.clone(), details: None, element };
    turn.work.changes.job_failed(key, failed);
    incidents::open(turn, host, Reason::MessageSize, message, Some(key));
    Ok(())
}

/// The error that the model makes of the failure. One that cannot be decided on is none.
fn error_of(turn: &Turn<'_>, host: ElementInstanceKey) -> Result<Option<ThrownByCode>, Stop> {
    let Some(worker) = worker_job::task_of(turn, host).filter(|task| !task.errors.is_empty())
    else {
        return Ok(None);
    };
    let element = turn.model(turn.index_of(&turn.element(host).element));
    let view = View::new(&turn.work.record, host);
    match service_task::error_of(turn, &view, element, worker) {
        Ok(thrown) => Ok(thrown),
        Err(failure) if failure.needs.is_some() => Err(failure.into()),
        Err(_) => Ok(None),
    }
}

/// Jobs of listeners and of ad-hoc subprocesses have words of their own.
fn reason_of(turn: &Turn<'_>, key: JobKey) -> Reason {
    let Some((host, job)) = turn.work.record.job(key) else { return Reason::WorkerJobFailed };
    let JobKind::Listener { index } = job.kind else {
        return match ad_hoc::of(turn, host.key) {
            Some(_) => Reason::AdHocFailed,
            None => Reason::WorkerJobFailed,
        };
    };
    let listeners = match turn.model_of(host.key) {
        Some(element) => &turn.model(element).listeners,
        None => &turn.process.listeners,
    };
    match listeners[index as usize].event {
        ListenerEvent::Start | ListenerEvent::End | ListenerEvent::Take => Reason::ListenerFailed,
        _ => Reason::TaskListenerFailed,
    }
}

#[cfg(test)]
mod tests {
    use orloj_model::{ElementKind, ErrorThrow, ServiceTask, WorkerError};

    use crate::testing::{Sketch, Story, document, on_error, start, user, worker};
    use crate::{Command, FailJob, JobChange};

    fn paying(sketch: Sketch) -> Story {
        let process = sketch
            .node("start", start())
            .node("pay", worker("charge"))
            .node("then", user())
            .flows("start -> pay -> then");
        Story::of(process.build())
    }

    #[test]
    fn a_failed_job_waits_out_its_back_off_and_cannot_be_worked_meanwhile() {
        let mut story = paying(Sketch::zeebe());
        story.start("{}");
        insta::assert_snapshot!(story.fail("pay", 2, 5_000), @"
        job1 failed, 2 left: out of order
        --
        update job1 charge of pay, waiting, retries 2, due +5 s unlock 'out of order'
        at pay job1
        ");
        insta::assert_snapshot!(story.complete("pay", "{}"), @"rejected: job job1 is in state Waiting");
        insta::assert_snapshot!(story.job_due("pay"), @"rejected: job job1 is in state Waiting");
        story.pass(5_000);
        insta::assert_snapshot!(story.job_due("pay"), @"
        --
        update job1 charge of pay, ready, retries 2
        at pay job1
        ");
        insta::assert_snapshot!(story.fail("pay", 1, 0), @"
        job1 failed, 1 left: out of order
        --
        update job1 charge of pay, ready, retries 1 unlock 'out of order'
        at pay job1
        ");
    }

    #[test]
    fn without_retries_an_incident_waits_for_new_retries_and_then_for_a_person() {
        let mut story = paying(Sketch::zeebe());
        story.start("{}");
        insta::assert_snapshot!(story.fail("pay", 0, 5_000), @"
        job1 failed, 0 left: out of order
        incident1 opened JOB_NO_RETRIES: out of order
        --
        update job1 charge of pay, failed, retries 0 unlock 'out of order'
        insert incident1 JOB_NO_RETRIES
        at pay job1 incident1
        ");
        insta::assert_snapshot!(story.resolve(), @"rejected: job job1 of incident incident1 has no retries left; raise them first");
        let job = story.job_of("pay");
        insta::assert_snapshot!(story.play(Command::UpdateRetries { job, retries: 0 }), @"rejected: retries must be at least 1, not 0");
        insta::assert_snapshot!(story.play(Command::UpdateRetries { job, retries: 2 }), @"
        job1 changed: Retries(2)
        --
        update job1 charge of pay, failed, retries 2
        at pay job1 incident1
        ");
        insta::assert_snapshot!(story.resolve(), @"
        incident1 closed
        --
        update job1 charge of pay, ready, retries 2
        delete incident1
        at pay job1
        ");
        insta::assert_snapshot!(story.complete("pay", "{}"), @"
        job1 completed
        left pay
        entered then
        --
        delete job1
        insert task1 then priority 50
        at then task1
        ");
    }

    #[test]
    fn in_camunda_new_retries_resolve_the_incident() {
        let mut story = paying(Sketch::camunda());
        story.start("{}");
        insta::assert_snapshot!(story.fail("pay", 0, 0), @"
        job1 failed, 0 left: out of order
        incident1 opened failedExternalTask: out of order
        --
        update job1 charge of pay, failed, retries 0 unlock 'out of order'
        insert incident1 failedExternalTask
        at pay job1 incident1
        ");
        let job = story.job_of("pay");
        insta::assert_snapshot!(story.play(Command::UpdateRetries { job, retries: 2 }), @"
        job1 changed: Retries(2)
        incident1 closed
        --
        update job1 charge of pay, ready, retries 2
        delete incident1
        at pay job1
        ");
    }

    #[test]
    fn variables_of_a_failure_stay_local_in_zeebe_and_a_long_message_is_cut() {
        let mut story = paying(Sketch::zeebe());
        story.start(r#"{"a":1}"#);
        let outcome = story
            .interpret(Command::FailJob(FailJob {
                job: story.job_of("pay"),
                retries: -1,
                message: "ä".repeat(10_001).into(),
                details: None,
                back_off_ms: 0,
                variables: document(r#"{"a":2}"#),
                activations: Vec::new(),
            }))
            .expect("it may fail");
        let JobChange::Update { row, unlock: true } = &outcome.jobs[0] else {
            panic!("the job is unlocked");
        };
        assert_eq!(row.failure.as_ref().map(|failed| failed.message.chars().count()), Some(10_000));
        let record = outcome.record.expect("it lives");
        assert_eq!(record.variables.len(), 2);
        let pay = story.token("pay").0;
        assert_eq!(record.visible(pay)["a"].to_json(), "2");
        assert_eq!(record.visible(record.instance.root_scope())["a"].to_json(), "1");
    }

    /// What becomes of a job whose element makes errors of some answers.
    fn answered(condition: &str, fails: bool) -> String {
        let sketch = Sketch::camunda();
        let condition = sketch.expression(condition);
        let error = ErrorThrow { code: None, message: None };
        let process = sketch
            .node("start", start())
            .node("pay", worker("charge"))
            .boundary("pay", "poor", on_error(None))
            .node("help", user())
            .node("then", user())
            .flows("start -> pay -> then")
            .flows("poor -> help")
            .with("pay", |e| {
                if let ElementKind::ServiceTask(ServiceTask::Worker(task)) = &mut e.kind {
                    task.errors = vec![WorkerError { condition, error }];
                }
            });
        let mut story = Story::of(process.build());
        story.start("{}");
        if fails {
            let told = story.fail("pay", 1, 0);
            if told.contains("entered help") {
                return "failed into help".to_owned();
            }
        }
        let told = story.complete("pay", "{}");
        let end = ["help", "then"].into_iter().find(|end| told.contains(&format!("entered {end}")));
        end.unwrap_or(&told).to_owned()
    }

    #[test]
    fn errors_of_a_worker_see_its_job() {
        assert_eq!(answered("externalTask.retries == 1", false), "then");
        assert_eq!(answered("externalTask.retries == 1", true), "help");
        assert_eq!(answered("externalTask.retries == null", true), "failed into help");
        assert_eq!(answered("externalTask.topicName == 'charge'", false), "help");
        assert_eq!(answered("externalTask.errorDetails == null", false), "help");
        assert_eq!(
            answered("externalTask.errorMessage == 'out of order'", true),
            "failed into help"
        );
        assert_eq!(answered("externalTask.priority == 0", false), "help");
        assert!(answered("externalTask.nope == 0", false).starts_with("rejected"));
    }
}
