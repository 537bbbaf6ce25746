//! The intermediate catch event (BPMN 10.5.4, 13.5.2): waits for a timer, a message, a signal or a
//! condition. A link is come to as by a flow.

use orloj_model::{Element, Trigger};
use orloj_types::ElementInstanceKey;

use super::Begun;
use crate::events;
use crate::failure::Ruled;
use crate::record::Role;
use crate::turn::Turn;
use crate::variables;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    trigger: Option<&Trigger>,
) -> Ruled<Begun> {
    if turn.element(key).role == Role::Triggered {
        variables::pass_on_payload(turn, key, element);
        return Ok(Begun::Done);
    }
    if matches!(trigger, Some(Trigger::Link)) {
        return Ok(Begun::Done);
    }
    wait(turn, key, element)
}

/// Opens what the element waits for.
pub(crate) fn wait(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled<Begun> {
    let index = turn.index_of(&element.id);
    let own = events::prepare(turn, key, turn.model(index), false)?;
    let boundaries = events::prepare_boundaries(turn, key, element)?;
    events::open_all(turn, key, boundaries);
    if let Some(own) = own {
        events::open(turn, key, own);
    }
    Ok(Begun::Waits)
}

#[cfg(test)]
mod tests {
    use orloj_model::TimerKind;

    use crate::testing::{Sketch, Story, catch, delegate, end, start};

    fn waits(sketch: Sketch, kind: TimerKind, text: &str) -> Sketch {
        sketch
            .node("start", start())
            .node("wait", catch(kind, text))
            .node("end", end())
            .flows("start -> wait -> end")
    }

    #[test]
    fn a_duration_ends_when_it_is_over_and_not_before() {
        let mut story = Story::of(waits(Sketch::zeebe(), TimerKind::Duration, "PT10S").build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered wait
        job1 created
        --
        insert job1 timer wait, waiting, retries 3, due +10 s
        at wait job1
        ");
        story.pass(9_999);
        insta::assert_snapshot!(story.job_due("wait"), @"rejected: job job1 is in state Waiting");
        story.pass(1);
        insta::assert_snapshot!(story.job_due("wait"), @"
        job1 completed
        left wait
        entered end
        left end
        ended Completed
        --
        delete job1
        end Completed {}
        ");
    }

    #[test]
    fn a_date_that_is_past_still_waits_to_be_told() {
        let text = "2029-12-31T23:00:00Z";
        let mut story = Story::of(waits(Sketch::camunda(), TimerKind::Date, text).build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered wait
        job1 created
        --
        insert job1 timer wait, waiting, retries 3, due -3600 s
        at wait job1
        ");
        insta::assert_snapshot!(story.job_due("wait"), @"
        job1 completed
        left wait
        entered end
        left end
        ended Completed
        --
        delete job1
        end Completed {}
        ");
    }

    #[test]
    fn a_repetition_fires_once() {
        let mut story = Story::of(waits(Sketch::camunda(), TimerKind::Cycle, "R3/PT1M").build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered wait
        job1 created
        --
        insert job1 timer wait, waiting, retries 3, due +60 s
        at wait job1
        ");
        story.pass(60_000);
        insta::assert_snapshot!(story.job_due("wait"), @"
        job1 completed
        left wait
        entered end
        left end
        ended Completed
        --
        delete job1
        end Completed {}
        ");
    }

    #[test]
    fn a_text_that_is_no_time_is_an_incident_or_a_refusal() {
        let mut zeebe = Story::of(waits(Sketch::zeebe(), TimerKind::Duration, "soon").build());
        insta::assert_snapshot!(zeebe.start("{}"), @"
        started
        entered start
        left start
        entered wait
        incident1 opened EXTRACT_VALUE_ERROR: 'soon' is no ISO 8601 duration
        --
        insert incident1 EXTRACT_VALUE_ERROR
        at wait entering incident1
        ");
        insta::assert_snapshot!(zeebe.resolve(), @"
        incident1 closed
        incident2 opened EXTRACT_VALUE_ERROR: 'soon' is no ISO 8601 duration
        --
        delete incident1
        insert incident2 EXTRACT_VALUE_ERROR
        at wait entering incident2
        ");
        let mut camunda =
            Story::of(waits(Sketch::camunda(), TimerKind::Cycle, "0 0 * * *").build());
        insta::assert_snapshot!(camunda.start("{}"), @"rejected: wait: '0 0 * * *' is no repetition such as R3/PT10S, nor a cron expression: a cron expression has six fields, not 5, at offset 0");
    }

    #[test]
    fn foreign_code_behind_a_timer_waits_for_the_lock() {
        let process = waits(Sketch::camunda(), TimerKind::Duration, "PT10S")
            .node("call", delegate("Call"))
            .with("wait", |e| e.outgoing.clear())
            .flows("wait -> call -> end");
        let mut story = Story::of(process.build()).delegate("Call", &[]);
        story.start("{}");
        story.pass(10_000);
        insta::assert_snapshot!(story.job_due("wait"), @"
        --
        update job1 timer wait, ready, retries 3
        at wait job1
        ");
        assert!(story.invoked.is_empty());
        insta::assert_snapshot!(story.run_job("wait"), @"
        job1 completed
        left wait
        entered call
        left call
        entered end
        left end
        ended Completed
        --
        delete job1
        end Completed {}
        ");
        assert_eq!(story.invoked, ["Call {}"]);
    }
}
