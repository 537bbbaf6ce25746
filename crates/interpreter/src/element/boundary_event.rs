//! The boundary event (BPMN 10.5.4, 13.5.3): a token comes here when it has occurred.
//!
//! DIFFERENCE: BPMN has no flows that lead to one. Where a model has them all the same, the command
//! fails in Camunda when a token comes that way, and the others go on.

use orloj_model::Element;
use orloj_types::ElementInstanceKey;

use super::Begun;
use crate::errors;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::record::Role;
use crate::turn::Turn;
use crate::variables;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled<Begun> {
    let is_by_flow = turn.element(key).role == Role::Plain;
    if is_by_flow && turn.semantics().choices.boundaries_need_event {
        let message = "a flow leads to a boundary event";
        return Err(Failure::new(&element.id, FailureKind::Foreign, message));
    }
    variables::pass_on_payload(turn, key, element);
    errors::keep_code(turn, key, element);
    Ok(Begun::Done)
}

#[cfg(test)]
mod tests {
    use orloj_model::{ElementKind, TimerKind};

    use crate::testing::{Sketch, Story, delegate, end, on_timer, start, user, worker};

    fn late(sketch: Sketch, event: ElementKind) -> Sketch {
        sketch
            .node("start", start())
            .node("pay", worker("charge"))
            .node("paid", end())
            .boundary("pay", "late", event)
            .node("sorry", user())
            .flows("start -> pay -> paid")
            .flows("late -> sorry")
    }

    #[test]
    fn an_interrupting_timer_takes_the_job_away() {
        let event = on_timer(true, TimerKind::Duration, "PT10M");
        let mut story = Story::of(late(Sketch::zeebe(), event).build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered pay
        job1 created
        job2 created charge
        --
        insert job1 timer late, waiting, retries 3, due +600 s
        insert job2 charge of pay, ready, retries 3
        at pay job1 job2
        ");
        let job = story.job_of("pay");
        story.pass(600_000);
        insta::assert_snapshot!(story.job_due("late"), @"
        job1 completed
        job2 cancelled
        terminated pay
        entered late
        left late
        entered sorry
        --
        delete job1
        delete job2
        insert task1 sorry priority 50
        at sorry task1
        ");
        let told = story.play(crate::Command::CompleteJob {
            result: crate::JobResult::None,
            job,
            variables: crate::testing::document("{}"),
            activations: Vec::new(),
        });
        insta::assert_snapshot!(told, @"rejected: no job job2");
    }

    #[test]
    fn a_completed_element_takes_its_timers_along() {
        let event = on_timer(true, TimerKind::Duration, "PT10M");
        let mut story = Story::of(late(Sketch::zeebe(), event).build());
        story.start("{}");
        insta::assert_snapshot!(story.complete("pay", "{}"), @"
        job2 completed
        job1 cancelled
        left pay
        entered paid
        left paid
        ended Completed
        --
        delete job1
        delete job2
        end Completed {}
        ");
    }

    #[test]
    fn an_interrupting_timer_takes_incident_and_user_task_away() {
        let event = || on_timer(true, TimerKind::Duration, "PT10M");
        let mut story = Story::of(late(Sketch::zeebe(), event()).build());
        story.start("{}");
        story.fail("pay", 0, 0);
        story.pass(600_000);
        insta::assert_snapshot!(story.job_due("late"), @"
        job1 completed
        job2 cancelled
        incident1 deleted
        terminated pay
        entered late
        left late
        entered sorry
        --
        delete job1
        delete job2
        insert task1 sorry priority 50
        delete incident1
        at sorry task1
        ");

        let process = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "late", event())
            .flows("start -> ask");
        let mut story = Story::of(process.build());
        story.start("{}");
        story.pass(600_000);
        insta::assert_snapshot!(story.job_due("late"), @"
        job1 completed
        terminated ask
        entered late
        left late
        ended Completed
        --
        delete job1
        delete task1
        end Completed {}
        ");
    }

    #[test]
    fn a_repeating_timer_leaves_its_element_alone_and_ends_after_its_last_firing() {
        let event = on_timer(false, TimerKind::Cycle, "R2/PT10S");
        let mut story = Story::of(late(Sketch::zeebe(), event).build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered pay
        job1 created
        job2 created charge
        --
        insert job1 timer late R2/PT10S fired 0, waiting, retries 3, due +10 s
        insert job2 charge of pay, ready, retries 3
        at pay job1 job2
        ");
        story.pass(10_000);
        insta::assert_snapshot!(story.job_due("late"), @"
        job1 completed
        job3 created
        entered late
        left late
        entered sorry
        --
        delete job1
        insert job3 timer late R2/PT10S fired 1, waiting, retries 3, due +20 s
        insert task1 sorry priority 50
        at pay job2 job3
        at sorry task1
        ");
        story.pass(10_000);
        insta::assert_snapshot!(story.job_due("late"), @"
        job3 completed
        entered late#2
        left late#2
        entered sorry#2
        --
        delete job3
        insert task2 sorry priority 50
        at pay job2
        at sorry task1
        at sorry#2 task2
        ");
    }

    #[test]
    fn zeebe_makes_up_for_missed_firings_and_camunda_skips_them() {
        let event = || on_timer(false, TimerKind::Cycle, "R/PT10S");
        let mut zeebe = Story::of(late(Sketch::zeebe(), event()).build());
        zeebe.start("{}");
        zeebe.pass(35_000);
        for _ in 0..3 {
            zeebe.job_due("late");
        }
        insta::assert_snapshot!(zeebe.job_due("late"), @"rejected: job job5 is in state Waiting");
        let mut camunda = Story::of(late(Sketch::camunda(), event()).build());
        camunda.start("{}");
        camunda.pass(35_000);
        insta::assert_snapshot!(camunda.job_due("late"), @"
        job1 completed
        job3 created
        entered late
        left late
        entered sorry
        --
        delete job1
        insert job3 timer late R/PT10S fired 3, waiting, retries 3, due +40 s
        insert task1 sorry priority 50
        at pay job2 job3
        at sorry task1
        ");
    }

    #[test]
    fn months_stay_months() {
        let event = on_timer(false, TimerKind::Cycle, "R/2030-01-31T00:00:00.000Z/P1M");
        let mut story = Story::of(late(Sketch::zeebe(), event).build());
        story.start("{}");
        let mut dates = Vec::new();
        for _ in 0..5 {
            let job = &story.jobs[&story.job_of("late")].job;
            story.now = job.due_at.expect("it waits");
            dates.push(story.now.to_string());
            story.job_due("late");
        }
        insta::assert_snapshot!(dates.join("\n"), @"
        2030-01-31T00:00:00.000Z
        2030-02-28T00:00:00.000Z
        2030-03-31T00:00:00.000Z
        2030-04-30T00:00:00.000Z
        2030-05-31T00:00:00.000Z
        ");
    }

    #[test]
    fn in_camunda_a_firing_that_fails_leaves_the_element_and_loses_a_retry() {
        let event = on_timer(true, TimerKind::Duration, "PT10S");
        let process = Sketch::camunda()
            .node("start", start())
            .node("pay", worker("charge"))
            .boundary("pay", "late", event)
            .node("call", delegate("Call"))
            .flows("start -> pay")
            .flows("late -> call")
            .with("late", |e| e.jobs.retry_cycle = None);
        let failed = crate::InvokeResult::Failed { message: "no line".into() };
        let mut story =
            Story::of(process.build()).delegate("Call", &[failed.clone(), failed.clone(), failed]);
        story.start("{}");
        story.fail("pay", 0, 0);
        story.pass(10_000);
        story.job_due("late");
        insta::assert_snapshot!(story.run_job("late"), @"
        job1 failed, 2 left: no line
        --
        update job1 timer late, ready, retries 2 unlock 'no line'
        at pay job1 job2 incident1
        ");
        story.run_job("late");
        insta::assert_snapshot!(story.run_job("late"), @"
        job1 failed, 0 left: no line
        incident2 opened failedJob: no line
        --
        update job1 timer late, failed, retries 0 unlock 'no line'
        insert incident2 failedJob
        at pay job1 job2 incident1 incident2
        ");
        let job = story.job_of("late");
        insta::assert_snapshot!(story.play(crate::Command::UpdateRetries { job, retries: 1 }), @"
        job1 changed: Retries(1)
        incident2 closed
        --
        update job1 timer late, ready, retries 1
        delete incident2
        at pay job1 job2 incident1
        ");
        insta::assert_snapshot!(story.run_job("late"), @"
        job1 completed
        job2 cancelled
        incident1 deleted
        terminated pay
        entered late
        left late
        entered call
        left call
        ended Completed
        --
        delete job1
        delete job2
        delete incident1
        end Completed {}
        ");
    }

    #[test]
    fn the_incident_of_a_timer_goes_with_its_element() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "late", on_timer(false, TimerKind::Duration, "PT10S"))
            .node("call", delegate("Call"))
            .flows("start -> ask")
            .flows("late -> call")
            .retry("late", "R1/PT1M");
        let failed = crate::InvokeResult::Failed { message: "no line".into() };
        let mut story = Story::of(process.build()).delegate("Call", &[failed]);
        story.start("{}");
        story.pass(10_000);
        story.job_due("late");
        story.run_job("late");
        insta::assert_snapshot!(story.complete_user_task("ask", "{}"), @"
        job1 cancelled
        incident1 deleted
        left ask
        ended Completed
        --
        delete job1
        delete task1
        delete incident1
        end Completed {}
        ");
    }

    #[test]
    fn a_bad_timer_keeps_the_element_from_starting() {
        let event = on_timer(true, TimerKind::Date, "PT10S");
        let mut story = Story::of(late(Sketch::zeebe(), event).build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered pay
        incident1 opened EXTRACT_VALUE_ERROR: 'PT10S' is no ISO 8601 date and time
        --
        insert incident1 EXTRACT_VALUE_ERROR
        at pay entering incident1
        ");
    }
}
