//! The moves of a token: it comes to an element, the element begins, completes and is left.
//!
//! ```text
//! arrive ──▶ [async before: entering, job] ──▶ begin ──▶ waits, or
//!            complete ──▶ [async after: leaving, job] ──▶ depart ──▶ the flows are on the agenda
//! ```
//! None of these calls itself: what follows a flow is a step of the agenda.

use std::borrow::Cow;

use orloj_model::{Element, ElementIndex, ElementKind, Failures, FlowIndex, Joins, SavePoint};
use orloj_types::{ElementId, ElementInstanceKey, Variables};

use crate::agenda::Step;
use crate::element::{self, Begun};
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::outcome::{Event, LeaveKind};
use crate::record::{ElementInstance, ElementState, JobKind};
use crate::turn::Turn;
use crate::{incidents, jobs, mappings};

/// Elements entered in one command. A loop without a wait would otherwise hold its node for ever;
/// at about a microsecond each this bounds a command to some ten milliseconds, and no model that
/// people draw comes near it.
pub const VISITS_MAX: u32 = 10_000;

/// A token goes along a flow.
pub(crate) fn follow(turn: &mut Turn<'_>, flow: FlowIndex, scope: ElementInstanceKey) -> Ruled {
    let flow = turn.process.flow(flow);
    arrive(turn, flow.target, scope, Some(&flow.id))
}

/// A token comes to an element.
pub(crate) fn arrive(
    turn: &mut Turn<'_>,
    index: ElementIndex,
    scope: ElementInstanceKey,
    by: Option<&ElementId>,
) -> Ruled {
    arrive_with(turn, index, scope, by, Variables::new())
}

/// A token comes to an element, with variables of its own.
pub(crate) fn arrive_with(
    turn: &mut Turn<'_>,
    index: ElementIndex,
    scope: ElementInstanceKey,
    by: Option<&ElementId>,
    variables: Variables,
) -> Ruled {
    let element = turn.model(index);
    let save_point = next_save_point(turn, element)?;
    let key = ElementInstanceKey::new(turn.next_key());
    turn.work.record.elements.push(ElementInstance {
        key,
        element: element.id.clone(),
        scope,
        state: ElementState::Entering,
        entered_at: turn.now,
        arrived_by: by.cloned(),
        jobs: Vec::new(),
        user_task: None,
        incident: None,
        timer_incidents: Vec::new(),
    });
    if !variables.is_empty() {
        turn.work.record.variables.insert(key, variables);
    }
    match save_point {
        None => begin(turn, key, index),
        Some(point) => jobs::create_async(turn, key, element, JobKind::AsyncBefore, point),
    }
}

/// The model's save point, or one of ours when the command has gone on for too long.
fn next_save_point(turn: &mut Turn<'_>, element: &Element) -> Ruled<Option<SavePoint>> {
    turn.work.visits += 1;
    if turn.work.visits <= VISITS_MAX {
        return Ok(element.async_before);
    }
    match turn.semantics().failures {
        Failures::Incident => Ok(Some(SavePoint { exclusive: false })),
        Failures::RollBack => {
            let message = format!("more than {VISITS_MAX} elements visited in one command");
            Err(Failure::new(&element.id, FailureKind::TooManyVisits, message))
        }
    }
}

/// The element's own work starts.
pub(crate) fn begin(turn: &mut Turn<'_>, key: ElementInstanceKey, index: ElementIndex) -> Ruled {
    // A join counts its visits its own way.
    if !matches!(turn.model(index).kind, ElementKind::ParallelGateway) {
        note_entered(turn, key);
    }
    begin_entered(turn, key, index)
}

/// As [`begin`], for an element that history has seen entered: its work failed and is repeated.
pub(crate) fn begin_entered(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled {
    turn.element_mut(key).state = ElementState::Active;
    match element::begin(turn, key, index) {
        Ok(Begun::Waits) => Ok(()),
        Ok(Begun::Done) => complete(turn, key, index),
        Err(failure) => settle(turn, key, ElementState::Entering, failure),
    }
}

pub(crate) fn note_entered(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let now = turn.now;
    let instance = turn.element_mut(key);
    instance.entered_at = now;
    let (element, scope) = (instance.element.clone(), instance.scope);
    turn.event(Event::ElementEntered { key, element, scope });
}

/// The element's own work is done.
pub(crate) fn complete(turn: &mut Turn<'_>, key: ElementInstanceKey, index: ElementIndex) -> Ruled {
    match try_complete(turn, key, index) {
        Err(failure) => settle(turn, key, ElementState::Active, failure),
        done => done,
    }
}

fn try_complete(turn: &mut Turn<'_>, key: ElementInstanceKey, index: ElementIndex) -> Ruled {
    let element = turn.model(index);
    mappings::apply_outputs(turn, key, element)?;
    let Some(save_point) = element.async_after else {
        let flows = flows_to_take(turn, key, element)?;
        jobs::cancel_all(turn, key);
        leave(turn, key, &flows);
        return Ok(());
    };
    jobs::cancel_all(turn, key);
    turn.event(Event::ElementLeft { key, how: LeaveKind::Completed });
    turn.element_mut(key).state = ElementState::Leaving;
    jobs::create_async(turn, key, element, JobKind::AsyncAfter, save_point)
}

/// The save point after an element is passed: its token goes on.
pub(crate) fn depart(turn: &mut Turn<'_>, key: ElementInstanceKey, index: ElementIndex) -> Ruled {
    match flows_to_take(turn, key, turn.model(index)) {
        Ok(flows) => {
            leave(turn, key, &flows);
            Ok(())
        }
        Err(failure) => settle(turn, key, ElementState::Leaving, failure),
    }
}

/// Removes the element instance and sends a token along each of the flows.
fn leave(turn: &mut Turn<'_>, key: ElementInstanceKey, flows: &[FlowIndex]) {
    let instance = remove(turn, key);
    if instance.state != ElementState::Leaving {
        turn.event(Event::ElementLeft { key, how: LeaveKind::Completed });
    }
    for &flow in flows {
        turn.work.agenda.push(Step::Enter { flow, scope: instance.scope });
    }
}

/// The token ends here, though there may be flows to take.
pub(crate) fn end_token(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    jobs::cancel_all(turn, key);
    leave(turn, key, &[]);
}

/// Takes the element instance and what belongs to it out of the record, from outside.
pub(crate) fn terminate(turn: &mut Turn<'_>, key: ElementInstanceKey) -> ElementInstance {
    let is_open = is_open_in_history(turn, turn.element(key));
    jobs::cancel_all(turn, key);
    incidents::close_all(turn, key);
    if let Some(task) = turn.element_mut(key).user_task.take() {
        turn.work.changes.user_task_gone(task);
    }
    let instance = remove(turn, key);
    if is_open {
        turn.event(Event::ElementLeft { key, how: LeaveKind::Terminated });
    }
    instance
}

/// Whether history has seen the visit begin and not yet end.
fn is_open_in_history(turn: &Turn<'_>, instance: &ElementInstance) -> bool {
    match instance.state {
        // The save point's job has not run yet, unless the element stopped at its first step.
        ElementState::Entering => !instance.jobs.iter().any(|j| j.kind == JobKind::AsyncBefore),
        ElementState::Leaving => false,
        ElementState::Active => {
            let element = turn.model(turn.index_of(&instance.element));
            !matches!(element.kind, ElementKind::ParallelGateway)
                || turn.semantics().joins == Joins::PerToken
        }
    }
}

/// The element instance alone, without its jobs.
pub(crate) fn remove(turn: &mut Turn<'_>, key: ElementInstanceKey) -> ElementInstance {
    turn.work.record.variables.remove(&key);
    let position = turn.position(key);
    turn.work.record.elements.remove(position)
}

/// What a failed step comes to where the process keeps its tokens: an incident on the element,
/// which stays in `state`, from which the step can be repeated.
pub(crate) fn settle(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    state: ElementState,
    failure: Failure,
) -> Ruled {
    if turn.semantics().failures == Failures::RollBack || !failure.kind.can_wait_as_incident() {
        return Err(failure);
    }
    turn.element_mut(key).state = state;
    incidents::open(turn, key, incidents::Reason::of(failure.kind), failure.message, None);
    Ok(())
}

/// BPMN 13.3.1: every flow without a condition and every one whose condition holds; the default
/// flow if there is no other.
fn flows_to_take<'a>(
    turn: &Turn<'a>,
    key: ElementInstanceKey,
    element: &'a Element,
) -> Ruled<Cow<'a, [FlowIndex]>> {
    let process = turn.process;
    let is_plain = |&flow: &FlowIndex| {
        process.flow(flow).condition.is_none() && element.default_flow != Some(flow)
    };
    match &element.kind {
        ElementKind::ExclusiveGateway => {
            return element::exclusive_gateway::choose(turn, key, element).map(Cow::Borrowed);
        }
        ElementKind::ParallelGateway => return Ok(Cow::Borrowed(&element.outgoing)),
        _ if element.outgoing.iter().all(is_plain) => return Ok(Cow::Borrowed(&element.outgoing)),
        _ => {}
    }
    let mut taken = Vec::new();
    for &flow in element.outgoing.iter().filter(|&&flow| element.default_flow != Some(flow)) {
        if extract::holds(turn, key, element, process.flow(flow))? {
            taken.push(flow);
        }
    }
    if taken.is_empty() {
        let Some(default) = element.default_flow else {
            let message = "no condition of an outgoing flow holds and there is no default flow";
            return Err(Failure::new(&element.id, FailureKind::Condition, message));
        };
        taken.push(default);
    }
    Ok(Cow::Owned(taken))
}

#[cfg(test)]
mod tests {
    use orloj_model::{TimerKind, Walk};

    use super::VISITS_MAX;
    use crate::testing::{
        Sketch, Story, and, catch, delegate, end, on_timer, start, user, worker, xor,
    };
    use crate::{JobKind, Rejection};

    #[test]
    fn save_points_before_and_after_an_element() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("pay", worker("charge"))
            .boundary("pay", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("end", end())
            .flows("start -> pay -> end")
            .async_before("pay")
            .async_after("pay")
            .retry("pay", "R5/PT1M")
            .output("pay", "amount + 1", "paid");
        let priority = process.expression("rank");
        let process = process.with("pay", |e| e.jobs.priority = Some(priority));
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start(r#"{"rank":7}"#), @r#"
        started
        entered start
        left start
        job1 created
        --
        insert job1 before pay, ready, retries 5, priority 7, exclusive
        at pay entering job1
        instance: {"rank":7}
        "#);
        story.pass(1_000);
        insta::assert_snapshot!(story.run_job("pay"), @r#"
        job1 completed
        entered pay
        job2 created
        job3 created charge
        --
        delete job1
        insert job2 timer late, waiting, retries 3, due +3601 s
        insert job3 charge of pay, ready, retries 3
        at pay job2 job3
        instance: {"rank":7}
        "#);
        insta::assert_snapshot!(story.complete("pay", r#"{"amount":2}"#), @r#"
        job3 completed
        job2 cancelled
        left pay
        job4 created
        --
        delete job2
        delete job3
        insert job4 after pay, ready, retries 5, priority 7, exclusive
        at pay leaving job4
        instance: {"amount":2,"paid":3,"rank":7}
        "#);
        insta::assert_snapshot!(story.run_job("pay"), @r#"
        job4 completed
        entered end
        left end
        ended Completed
        --
        delete job4
        end Completed {"amount":2,"paid":3,"rank":7}
        "#);
    }

    #[test]
    fn a_save_point_belongs_to_one_branch_only() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("fork", and())
            .node("call", delegate("Call"))
            .node("ask", user())
            .flows("start -> fork -> call")
            .flows("fork -> ask")
            .async_before("call");
        let mut story = Story::of(process.build()).delegate("Call", &[]);
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered fork
        left fork
        job1 created
        entered ask
        --
        insert job1 before call, ready, retries 3, exclusive
        insert task1 ask priority 50
        at call entering job1
        at ask task1
        ");
        insta::assert_snapshot!(story.complete_user_task("ask", "{}"), @"
        left ask
        --
        delete task1
        at call entering job1
        ");
        insta::assert_snapshot!(story.run_job("call"), @"
        job1 completed
        entered call
        left call
        ended Completed
        --
        delete job1
        end Completed {}
        ");
    }

    #[test]
    fn several_flows_out_of_a_task_are_all_taken() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("a", user())
            .node("b", user())
            .flows("start -> a")
            .flows("start -> b");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered a
        entered b
        --
        insert task1 a priority 50
        insert task2 b priority 50
        at a task1
        at b task2
        ");
    }

    fn order_of_calls(walk: Walk) -> Vec<String> {
        let process = Sketch::camunda()
            .meaning(|semantics| semantics.walk = walk)
            .node("start", start())
            .node("fork", and())
            .node("a1", delegate("a1"))
            .node("a2", delegate("a2"))
            .node("b1", delegate("b1"))
            .node("b2", delegate("b2"))
            .flows("start -> fork -> a1 -> a2")
            .flows("fork -> b1 -> b2");
        let mut story = Story::of(process.build());
        for name in ["a1", "a2", "b1", "b2"] {
            story = story.delegate(name, &[]);
        }
        story.start("{}");
        story.invoked
    }

    #[test]
    fn branches_run_in_turn_or_one_after_the_other() {
        assert_eq!(order_of_calls(Walk::DepthFirst), ["a1 {}", "a2 {}", "b1 {}", "b2 {}"]);
        assert_eq!(order_of_calls(Walk::BreadthFirst), ["a1 {}", "b1 {}", "a2 {}", "b2 {}"]);
    }

    fn endless(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("wait", catch(TimerKind::Duration, "PT1S"))
            .node("round", xor())
            .flows("start -> wait -> round -> round")
    }

    #[test]
    fn in_zeebe_an_endless_run_is_cut_into_several_commits() {
        let mut story = Story::of(endless(Sketch::zeebe()).build());
        story.start("{}");
        story.pass(1_000);
        let told = story.job_due("wait");
        assert_eq!(told.lines().filter(|l| l.starts_with("entered")).count(), VISITS_MAX as usize);
        for _ in 0..2 {
            let job = &story.jobs[&story.job_of("round")].job;
            assert_eq!(job.kind, JobKind::AsyncBefore);
            assert!(!job.exclusive);
            let told = story.run_job("round");
            let entered = told.lines().filter(|l| l.starts_with("entered")).count();
            assert_eq!(entered, VISITS_MAX as usize + 1, "one came from the commit before");
        }
    }

    #[test]
    fn elsewhere_it_is_refused_or_fails_its_job() {
        let mut story = Story::of(endless(Sketch::camunda()).build());
        story.start("{}");
        story.pass(1_000);
        insta::assert_snapshot!(story.job_due("wait"), @"
        job1 failed, 2 left: more than 10000 elements visited in one command
        --
        update job1 timer wait, ready, retries 2 unlock 'more than 10000 elements visited in one command'
        at wait job1
        ");
        let process = Sketch::camunda()
            .node("start", start())
            .node("round", xor())
            .flows("start -> round -> round");
        let mut story = Story::of(process.build());
        let start = story.start("{}");
        assert_eq!(start, format!("rejected: {}", Rejection::TooManyVisits { limit: VISITS_MAX }));
    }
}
