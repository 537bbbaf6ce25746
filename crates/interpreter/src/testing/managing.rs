//! What operators do with jobs.

use orloj_model::{TimerKind, Trigger};
use orloj_types::{JobKey, Timestamp};

use super::{Sketch, Story, catch, delegate, end, on_timer, start, user, worker};
use crate::{
    Command, Event, IncidentEnd, InvokeResult, JobChange, JobKind, JobOrder, JobState, NewTimer,
    OpenIncident, Rejection,
};

fn failed() -> InvokeResult {
    InvokeResult::Failed { message: "no line".into() }
}

/// An asynchronous call that fails a number of times.
fn calling(sketch: Sketch, failures: usize) -> Story {
    let process = sketch
        .node("start", start())
        .node("call", delegate("Call"))
        .node("end", end())
        .flows("start -> call -> end")
        .async_before("call");
    let mut story = Story::of(process.build()).delegate("Call", &vec![failed(); failures]);
    story.start("{}");
    story
}

/// A user task with a timer beside it.
fn timing(sketch: Sketch, kind: TimerKind, text: &str) -> Story {
    let process = sketch
        .node("start", start())
        .node("ask", user())
        .boundary("ask", "late", on_timer(false, kind, text))
        .node("warn", user())
        .flows("start -> ask")
        .flows("late -> warn");
    let mut story = Story::of(process.build());
    story.start("{}");
    story
}

impl Story {
    fn order(&mut self, element: &str, what: JobOrder) -> String {
        let job = self.job_of(element);
        self.play(Command::ManageJob { job, what, failure: None })
    }

    /// State, retries and due date in seconds from now.
    fn look(&self, element: &str) -> String {
        let job = &self.jobs[&self.job_of(element)].job;
        let due = job.due_at.map(|at| format!(" in {}", at.ms_since(self.now) / 1000));
        format!("{:?} {}{}", job.state, job.retries_left, due.unwrap_or_default())
    }

    fn in_seconds(&self, seconds: i64) -> Timestamp {
        self.now.plus_ms(1000 * seconds)
    }
}

#[test]
fn retries_taken_away_open_an_incident_and_given_back_resolve_it() {
    let mut story = calling(Sketch::camunda(), 0);
    let told = story.order("call", JobOrder::SetRetries { retries: 0, due: None });
    assert!(told.contains("incident1 opened failedJob"), "{told}");
    assert!(!told.contains("unlock"), "whoever runs it has it until that is over: {told}");
    let held = |story: &Story| story.record.as_ref().map(|record| record.still_held.len());
    assert_eq!(held(&story), Some(1));
    assert_eq!(story.look("call"), "Failed 0");
    let again = story.order("call", JobOrder::SetRetries { retries: 0, due: None });
    assert!(!again.contains("opened"), "there is one already: {again}");
    let told = story.order("call", JobOrder::SetRetries { retries: 2, due: None });
    assert!(told.contains("incident1 closed"), "{told}");
    assert_eq!(story.look("call"), "Ready 2");
    let refused = story.order("call", JobOrder::SetRetries { retries: -1, due: None });
    assert_eq!(refused, "rejected: retries must not be negative, but are -1");
    let due = Some(Some(story.in_seconds(30)));
    story.order("call", JobOrder::SetRetries { retries: 4, due });
    assert_eq!(story.look("call"), "Waiting 4 in 30");
    story.order("call", JobOrder::SetRetries { retries: 4, due: Some(None) });
    assert_eq!(story.look("call"), "Ready 4");
}

#[test]
fn in_zeebe_new_retries_wait_for_the_incident_to_be_resolved() {
    let process =
        Sketch::zeebe().node("start", start()).node("pay", worker("charge")).flows("start -> pay");
    let mut story = Story::of(process.build());
    story.start("{}");
    story.fail("pay", 0, 0);
    story.order("pay", JobOrder::SetRetries { retries: 2, due: None });
    assert_eq!(story.look("pay"), "Failed 2");
    story.resolve();
    assert_eq!(story.look("pay"), "Ready 2");
}

#[test]
fn a_due_date_lets_a_job_wait_or_run() {
    let mut story = calling(Sketch::camunda(), 0);
    let due = Some(story.in_seconds(60));
    story.order("call", JobOrder::SetDueDate { due, cascade: false });
    assert_eq!(story.look("call"), "Waiting 3 in 60");
    assert_eq!(story.run_job("call"), "rejected: job job1 is in state Waiting");
    story.order("call", JobOrder::SetDueDate { due: None, cascade: false });
    assert_eq!(story.look("call"), "Ready 3");
    assert!(story.run_job("call").contains("ended Completed"));
}

#[test]
fn a_due_date_moves_later_firings_only_where_it_cascades() {
    for (cascade, second) in [(false, "Waiting 3 in 1800"), (true, "Waiting 3 in 3600")] {
        let mut story = timing(Sketch::camunda(), TimerKind::Cycle, "R3/PT1H");
        let due = Some(story.in_seconds(5400));
        story.order("late", JobOrder::SetDueDate { due, cascade });
        story.pass(5_400_000);
        story.job_due("late");
        assert_eq!(story.look("late"), second, "cascade {cascade}");
    }
    let mut cron = timing(Sketch::camunda(), TimerKind::Cycle, "0 0 * * * ?");
    let due = Some(cron.in_seconds(5400));
    cron.order("late", JobOrder::SetDueDate { due, cascade: true });
    cron.pass(5_400_000);
    cron.job_due("late");
    assert_eq!(cron.look("late"), "Waiting 3 in 1800");
}

#[test]
fn a_due_date_is_computed_again_from_now_or_from_the_beginning() {
    let mut story = timing(Sketch::camunda(), TimerKind::Duration, "PT1H");
    story.pass(600_000);
    assert_eq!(story.look("late"), "Waiting 3 in 3000");
    story.order("late", JobOrder::RecalculateDueDate { from_creation: false });
    assert_eq!(story.look("late"), "Waiting 3 in 3600");
    story.order("late", JobOrder::RecalculateDueDate { from_creation: true });
    assert_eq!(story.look("late"), "Waiting 3 in 3000");
    let mut other = calling(Sketch::camunda(), 0);
    let refused = other.order("call", JobOrder::RecalculateDueDate { from_creation: false });
    assert_eq!(refused, "rejected: job job1 is no timer");
}

#[test]
fn what_the_model_says_now_counts_when_a_due_date_is_computed_again() {
    let sketch = Sketch::camunda().node("start", start()).node("wait", catch(TimerKind::Date, ""));
    let value = sketch.expression("wait");
    let process = sketch
        .with("wait", |element| {
            if let orloj_model::ElementKind::CatchEvent(Some(Trigger::Timer(timer))) =
                &mut element.kind
            {
                timer.kind = TimerKind::Duration;
                timer.value = value;
            }
        })
        .flows("start -> wait");
    let mut story = Story::of(process.build());
    story.start(r#"{"wait":"PT10S"}"#);
    let scope = story.record.as_ref().expect("it lives").root.key;
    let variables = super::document(r#"{"wait":"PT40S"}"#);
    story.play(Command::SetVariables { scope, variables, local: false });
    story.order("wait", JobOrder::RecalculateDueDate { from_creation: false });
    assert_eq!(story.look("wait"), "Waiting 3 in 40");
    let variables = super::document(r#"{"wait":"soon"}"#);
    story.play(Command::SetVariables { scope, variables, local: false });
    let refused = story.order("wait", JobOrder::RecalculateDueDate { from_creation: false });
    assert!(refused.starts_with("rejected: the timer of job job1 cannot be computed"), "{refused}");
    assert_eq!(story.look("wait"), "Waiting 3 in 40");
}

#[test]
fn a_priority_is_any_number() {
    let mut story = calling(Sketch::camunda(), 0);
    for priority in [i64::MIN, -1, i64::MAX] {
        story.order("call", JobOrder::SetPriority(priority));
        assert_eq!(story.jobs[&story.job_of("call")].job.priority, priority);
    }
}

#[test]
fn a_deleted_job_is_gone_and_its_incident_with_it() {
    let process = Sketch::camunda()
        .node("start", start())
        .node("ask", user())
        .boundary("ask", "late", on_timer(true, TimerKind::Duration, "PT1H"))
        .flows("start -> ask");
    let mut story = Story::of(process.build());
    story.start("{}");
    story.order("late", JobOrder::SetRetries { retries: 0, due: None });
    let job = story.job_of("late");
    let outcome = story
        .interpret(Command::ManageJob { job, what: JobOrder::Delete, failure: None })
        .expect("it may be deleted");
    assert_eq!(outcome.jobs, [JobChange::Delete(job)]);
    let ends = outcome
        .events
        .iter()
        .filter(|event| matches!(event, Event::IncidentClosed { how: IncidentEnd::Deleted, .. }));
    assert_eq!(ends.count(), 1);
    story.keep(outcome);
    let gone = story.interpret(Command::ManageJob { job, what: JobOrder::Delete, failure: None });
    assert!(matches!(gone, Err(Rejection::JobNotFound(_))));
}

#[test]
fn by_hand_a_job_runs_whatever_stands_against_it() {
    for stopped in ["waits", "dead", "suspended", "instance suspended"] {
        let mut story = calling(Sketch::camunda(), 0);
        let job = story.job_of("call");
        match stopped {
            "waits" => {
                let due = Some(story.in_seconds(60));
                story.order("call", JobOrder::SetDueDate { due, cascade: false });
            }
            "dead" => {
                story.order("call", JobOrder::SetRetries { retries: 0, due: None });
            }
            "suspended" => {
                story.play(Command::SuspendJobs { jobs: vec![job] });
            }
            _ => {
                story.play(Command::Suspend);
            }
        }
        let told = story.play(Command::ExecuteJob { job });
        assert!(told.contains("ended Completed"), "{stopped}: {told}");
        assert_eq!(told.contains("incident1 closed"), stopped == "dead", "{told}");
    }
}

/// In Flowable a cycle counts from the first failure, whatever was set before.
#[test]
fn a_first_failure_by_hand_gives_a_dead_job_its_retries_and_resolves_its_incident() {
    let process = Sketch::flowable()
        .node("start", start())
        .node("call", delegate("Call"))
        .node("end", end())
        .flows("start -> call -> end")
        .async_before("call")
        .retry("call", "R3/PT1M");
    let mut story = Story::of(process.build()).delegate("Call", &[failed()]);
    story.start("{}");
    let job = story.job_of("call");
    story.order("call", JobOrder::SetRetries { retries: 0, due: None });
    assert_eq!(story.incidents.len(), 1);
    story.play(Command::ExecuteJob { job });
    assert_eq!(story.look("call"), "Waiting 2 in 60");
    assert!(story.incidents.is_empty());
}

#[test]
fn what_fails_by_hand_loses_a_retry_and_says_why() {
    let mut story = calling(Sketch::camunda(), 3);
    let job = story.job_of("call");
    let outcome = story.interpret(Command::ExecuteJob { job }).expect("it ran");
    let failure = outcome.failed.clone().expect("it failed");
    assert_eq!((&*failure.message, &*failure.element, failure.job), ("no line", "call", job));
    story.keep(outcome);
    assert_eq!(story.look("call"), "Ready 2");
    story.play(Command::SuspendJobs { jobs: vec![job] });
    story.play(Command::ExecuteJob { job });
    assert_eq!(story.look("call"), "Suspended 1");
    story.play(Command::ExecuteJob { job });
    assert_eq!(story.look("call"), "Suspended 0");
    assert_eq!(story.incidents.len(), 1);
    story.play(Command::ResumeJobs { jobs: vec![job] });
    assert_eq!(story.look("call"), "Failed 0");
}

#[test]
fn a_worker_job_cannot_be_run_by_the_engine() {
    let process = Sketch::camunda()
        .node("start", start())
        .node("pay", worker("charge"))
        .flows("start -> pay");
    let mut story = Story::of(process.build());
    story.start("{}");
    let job = story.job_of("pay");
    assert_eq!(story.play(Command::ExecuteJob { job }), "rejected: no job job1");
}

#[test]
fn dead_letters_are_moved_back_and_forth() {
    let mut story = calling(Sketch::flowable(), 0);
    story.order("call", JobOrder::MoveToDeadLetters);
    assert_eq!(story.look("call"), "Failed 0");
    let refused = story.order("call", JobOrder::MoveToDeadLetters);
    assert_eq!(refused, "rejected: job job1 is in state Failed");
    let refused = story.order("call", JobOrder::MoveToExecutable { retries: 0 });
    assert_eq!(refused, "rejected: retries must be at least 1, not 0");
    story.order("call", JobOrder::MoveToExecutable { retries: 5 });
    assert_eq!(story.look("call"), "Ready 5");
    assert!(story.incidents.is_empty());
    let refused = story.order("call", JobOrder::MoveToExecutable { retries: 5 });
    assert_eq!(refused, "rejected: job job1 is in state Ready");
}

#[test]
fn a_timer_can_be_run_before_its_time() {
    let mut story = timing(Sketch::flowable(), TimerKind::Duration, "PT1H");
    let key = story.job_of("late");
    story.order("late", JobOrder::MoveTimerToExecutable);
    assert_eq!((story.job_of("late"), story.look("late")), (key, "Ready 3 in 3600".into()));
    assert!(story.run_job("late").contains("entered warn"));
}

#[test]
fn a_rescheduled_timer_is_another_job() {
    let mut story = timing(Sketch::flowable(), TimerKind::Cycle, "R3/PT1H");
    let old = story.job_of("late");
    let new = JobKey::new(1 << 40);
    let timer = |kind, text: &str| {
        let timer = NewTimer { kind, text: text.into() };
        JobOrder::Reschedule { timer, new }
    };
    story.order("late", timer(TimerKind::Duration, "PT2H"));
    assert_ne!(story.job_of("late"), old);
    assert_eq!(story.look("late"), "Waiting 3 in 7200");
    let repeats = |story: &Story| {
        let job = &story.jobs[&story.job_of("late")].job;
        matches!(job.kind, JobKind::Timer { repeat: Some(_), .. })
    };
    assert!(!repeats(&story));
    let mut story = timing(Sketch::flowable(), TimerKind::Cycle, "R3/PT1H");
    story.order("late", timer(TimerKind::Cycle, "R2/PT3H"));
    assert!(repeats(&story));
    let refused = story.order("late", timer(TimerKind::Date, "soon"));
    assert!(refused.starts_with("rejected: the timer of job"), "{refused}");
    let mut other = calling(Sketch::flowable(), 0);
    let refused = other.order("call", timer(TimerKind::Duration, "PT1H"));
    assert_eq!(refused, "rejected: job job1 is no timer");
}

#[test]
fn a_suspended_job_stays_so_until_it_or_its_instance_is_resumed() {
    let mut story = calling(Sketch::camunda(), 0);
    let job = story.job_of("call");
    let told = story.play(Command::SuspendJobs { jobs: vec![job] });
    assert!(told.contains("suspended, retries 3, exclusive"), "{told}");
    assert!(!told.contains("unlock"), "whoever has begun it keeps it: {told}");
    assert_eq!(story.run_job("call"), "rejected: job job1 is in state Suspended");
    story.order("call", JobOrder::SetRetries { retries: 7, due: None });
    story.order("call", JobOrder::SetDueDate { due: None, cascade: false });
    assert_eq!(story.look("call"), "Suspended 7");
    story.play(Command::Suspend);
    let refused = story.play(Command::ResumeJobs { jobs: vec![job] });
    assert_eq!(refused, "rejected: job job1 belongs to a suspended instance");
    story.play(Command::Resume);
    assert_eq!(story.look("call"), "Ready 7");
}

#[test]
fn a_dead_letter_that_is_suspended_is_not_run_by_new_retries() {
    let mut story = calling(Sketch::camunda(), 0);
    let job = story.job_of("call");
    story.order("call", JobOrder::SetRetries { retries: 0, due: None });
    story.play(Command::SuspendJobs { jobs: vec![job] });
    story.order("call", JobOrder::SetRetries { retries: 1, due: None });
    assert_eq!(story.look("call"), "Suspended 1");
    assert!(story.incidents.is_empty());
    story.play(Command::ResumeJobs { jobs: vec![job] });
    assert_eq!(story.look("call"), "Ready 1");
}

#[test]
fn in_flowable_a_resumed_job_does_not_wait_for_its_next_try() {
    for (sketch, then) in
        [(Sketch::flowable(), JobState::Ready), (Sketch::camunda(), JobState::Waiting)]
    {
        let process = sketch
            .node("start", start())
            .node("call", delegate("Call"))
            .flows("start -> call")
            .async_before("call")
            .retry("call", "R3/PT1M");
        let mut story = Story::of(process.build()).delegate("Call", &[failed()]);
        story.start("{}");
        story.run_job("call");
        assert_eq!(story.jobs[&story.job_of("call")].job.state, JobState::Waiting);
        story.play(Command::Suspend);
        story.play(Command::Resume);
        assert_eq!(story.jobs[&story.job_of("call")].job.state, then);
    }
    let mut story = timing(Sketch::flowable(), TimerKind::Duration, "PT1H");
    story.play(Command::Suspend);
    story.play(Command::Resume);
    assert_eq!(story.look("late"), "Waiting 3 in 3600");
}

#[test]
fn incidents_of_clients_come_and_go_by_hand() {
    let mut story = timing(Sketch::camunda(), TimerKind::Duration, "PT1H");
    let (on, _) = story.token("ask");
    let open = |kind: &str| {
        Command::OpenIncident(OpenIncident {
            element_instance: on,
            kind: kind.into(),
            configuration: Some("order 7".into()),
            message: "out of paper".into(),
        })
    };
    let refused = story.play(open("failedJob"));
    assert!(refused.contains("only the engine opens"), "{refused}");
    assert!(story.play(open("paper")).contains("incident1 opened paper: out of paper"));
    let incident = story.incidents[0];
    let annotation = Some("ordered".into());
    let told = story.play(Command::AnnotateIncident { incident, annotation });
    assert!(told.contains("note incident1 'ordered'"), "{told}");
    let told = story.resolve();
    assert!(told.contains("incident1 closed") && told.contains("at ask"), "{told}");
    story.play(open("paper"));
    let told = story.complete_user_task("ask", "{}");
    assert!(told.contains("incident2 deleted"), "it goes with its element: {told}");
    let missing = Command::AnnotateIncident { incident, annotation: None };
    assert!(matches!(
        story.interpret(missing),
        Err(Rejection::IncidentNotFound(_) | Rejection::InstanceNotFound(_))
    ));
}
