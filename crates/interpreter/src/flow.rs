//! The moves of a token: it goes along a flow, comes to an element and leaves it.
//!
//! What happens between arriving and leaving is told by the stages of an element instance
//! ([`crate::stage`]). Nothing here calls itself: what follows a flow is a step of the agenda.

use std::borrow::Cow;

use orloj_model::{
    Element, ElementIndex, ElementKind, Failures, FlowIndex, Joins, ListenerEvent, SavePoint,
    Throw, Trigger,
};
use orloj_types::{ElementId, ElementInstanceKey, Variables};

use crate::agenda::{Brought, Step};
use crate::element;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::outcome::{Event, LeaveKind};
use crate::record::{ElementInstance, ElementState, JobKind, Role};
use crate::stage::{Stage, Went};
use crate::turn::Turn;
use crate::{
    beside_work, compensation, edits, ending, engine_events, errors, events, incidents, jobs,
    listeners, multi_instance, subprocess_scope, visits,
};

/// Elements entered in one command, not counted what lies in instances of a multi-instance
/// activity, which have as many each. A loop without a wait would otherwise hold its node for ever;
/// at about a microsecond each this bounds a command to some ten milliseconds, and no model that
/// people draw comes near it.
pub const VISITS_MAX: u32 = 10_000;

/// Calls out of flows are counted apart from the other calls of their scope.
const TAKE_ORDINAL: u32 = 1 << 25;

/// A token goes along a flow, whose listeners are called first.
pub(crate) fn take(
    turn: &mut Turn<'_>,
    index: FlowIndex,
    scope: ElementInstanceKey,
    listener: u32,
    with: Brought,
) -> Ruled {
    let flow = turn.process.flow(index);
    if let Some((place, next)) = listeners::find(&flow.listeners, &ListenerEvent::Take, listener) {
        let ordinal = TAKE_ORDINAL + turn.work.calls;
        turn.beans.set_event("take");
        turn.beans.set_activity(Some(turn.model(flow.source).id.clone()));
        turn.beans.set_flow(flow.id.clone());
        match listeners::call(turn, scope, &flow.id, next, ordinal) {
            Ok(_) => {}
            Err(failure) => return errors::throw_from_flow(turn, scope, failure),
        }
        turn.apply_bean_replies();
        turn.work.calls += 1;
        turn.work.push_next(Step::Take { flow: index, scope, listener: place + 1, with });
        return Ok(());
    }
    if turn.must_ask() {
        // What the element changed when it was left is heard before the next one is entered.
        turn.work.push_next(Step::Take { flow: index, scope, listener, with });
        turn.work.push_next(Step::Conditions);
        return Ok(());
    }
    engine_events::tell_taken(turn, scope);
    let Brought { variables, from } = match edits::may_bring(turn, turn.model(flow.target)) {
        true => with,
        false => Brought::default(),
    };
    let has_any = !variables.is_empty();
    let key = arrive(turn, flow.target, scope, Some(&flow.id), Role::Plain, variables)?;
    if has_any {
        turn.work.move_transients(from, key);
    }
    Ok(())
}

/// A token comes to an element, perhaps with variables of its own.
pub(crate) fn arrive(
    turn: &mut Turn<'_>,
    index: ElementIndex,
    scope: ElementInstanceKey,
    by: Option<&ElementId>,
    role: Role,
    with: Variables,
) -> Ruled<ElementInstanceKey> {
    let element = turn.model(index);
    let role = match (&element.multi, role) {
        (Some(_), Role::Plain | Role::Handler) => Role::Body,
        (_, role) => role,
    };
    let save_point = next_save_point(turn, element, scope, role)?;
    let is_last =
        matches!(&element.kind, ElementKind::EndEvent(Throw::Terminate { .. } | Throw::Cancel));
    if is_last && turn.semantics().choices.last_ends_clear_scope {
        ending::hold_children(turn, scope, None);
        if save_point.is_some() {
            events::close_all(turn, scope);
            jobs::cancel_all(turn, scope);
        }
    }
    let key = ElementInstanceKey::new(turn.next_key());
    let mut instance = ElementInstance::new(key, element.id.clone(), scope, turn.now);
    instance.role = role;
    instance.arrived_by = by.cloned();
    turn.work.record.elements.insert(instance);
    if !with.is_empty() {
        turn.work.record.variables.insert(key, with);
        if role == Role::Inner && turn.semantics().loops.writes_are_held {
            turn.work.record.variables.hold_new(scope, key);
        }
    }
    match save_point {
        None => enter(turn, key),
        // A stage of its own: it may have to be repeated, and the instance is made once.
        Some(point) => {
            if is_seen_before(turn, key, element) {
                note_entered(turn, key);
            }
            turn.work.push_next(Step::Go { key, stage: Stage::Before(point) });
        }
    }
    Ok(key)
}

/// The model's save point, or one of ours when the command has gone on for too long.
fn next_save_point(
    turn: &mut Turn<'_>,
    element: &Element,
    scope: ElementInstanceKey,
    role: Role,
) -> Ruled<Option<SavePoint>> {
    let visits = match (turn.semantics().failures, role) {
        (Failures::Incident, _) => turn.work.visits.count(),
        (Failures::RollBack, Role::Inner) => visits::count_instance_in(turn.work, scope),
        (Failures::RollBack, _) => visits::count_in(turn.work, scope),
    };
    let visits_max = turn.settings.visits_max();
    if visits <= visits_max {
        return Ok(match (role, &element.multi) {
            (Role::Inner, Some(multi)) => multi.inner_before,
            _ => element.async_before,
        });
    }
    match turn.semantics().failures {
        Failures::Incident => Ok(Some(SavePoint { exclusive: false })),
        Failures::RollBack => Err(too_many_visits(&element.id, visits_max)),
    }
}

pub(crate) fn too_many_visits(at: &ElementId, limit: u32) -> Failure {
    let message = format!(
        "more than {limit} elements visited in one command: \
         a loop this long needs a save point (asyncBefore or asyncAfter)"
    );
    Failure::new(at, FailureKind::TooManyVisits { limit }, message)
}

/// The element's own work starts.
pub(crate) fn enter(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let element = turn.model(turn.index_of(&turn.element(key).element));
    let kind = &element.kind;
    // A join counts its visits its own way.
    if !kind.is_join() && !is_hidden_link(turn, kind) && !is_seen_before(turn, key, element) {
        note_entered(turn, key);
    }
    turn.work.push_next(Step::Go { key, stage: Stage::Inputs });
}

/// DIFFERENCE: the history of Flowable sees an instance at its start event from the beginning,
/// before the job of the save point there has run.
fn is_seen_before(turn: &Turn<'_>, key: ElementInstanceKey, element: &Element) -> bool {
    turn.semantics().choices.starts_are_seen
        && matches!(element.kind, ElementKind::StartEvent(_))
        && element.async_before.is_some()
        && turn.element(key).scope == turn.work.record.root.key
}

/// DIFFERENCE: in Camunda a link is a flow that is drawn in two parts, no element.
fn is_hidden_link(turn: &Turn<'_>, kind: &ElementKind) -> bool {
    turn.semantics().choices.hides_links
        && matches!(
            kind,
            ElementKind::ThrowEvent(Throw::Link(_)) | ElementKind::CatchEvent(Some(Trigger::Link))
        )
}

pub(crate) fn note_entered(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let now = turn.now;
    let instance = turn.element_mut(key);
    instance.entered_at = now;
    let (element, scope, role) = (instance.element.clone(), instance.scope, instance.role);
    turn.event(Event::ElementEntered { key, element, scope, role });
}

/// The element's own work is done.
pub(crate) fn complete(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    turn.work.push_next(Step::Go { key, stage: Stage::Done });
}

/// The same, where the end of an element is a turn of its own.
pub(crate) fn complete_in_turn(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    turn.work.push_turn(Step::Go { key, stage: Stage::Done });
}

/// Whether the job of a save point after the element ends it.
pub(crate) fn ends_by_job(turn: &Turn<'_>, key: ElementInstanceKey) -> bool {
    let instance = turn.element(key);
    let element = turn.model(turn.index_of(&instance.element));
    let is_scope = matches!(element.kind, ElementKind::SubProcess(_));
    turn.semantics().choices.ends_by_job
        && element.async_after.is_some()
        && !matches!(instance.role, Role::Body | Role::Inner)
        && !is_scope
        && !element.kind.is_join()
}

/// Whether that job is still to be made.
pub(crate) fn ends_later(turn: &Turn<'_>, key: ElementInstanceKey, element: &Element) -> bool {
    element.async_after.is_some()
        && turn.element(key).state != ElementState::Leaving
        && ends_by_job(turn, key)
}

/// The element's work is done and nothing waits on it any more; a job ends it.
pub(crate) fn end_later(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled<Went> {
    let Some(save_point) = element.async_after else { return Ok(Went::On(Stage::Done)) };
    if element.kind.is_gateway() {
        // It fails at once where it cannot choose.
        flows_to_take(turn, key, element)?;
    }
    let draft = jobs::draft_async(turn, key, element, JobKind::AsyncAfter, save_point)?;
    jobs::cancel_all(turn, key);
    events::close_all(turn, key);
    turn.element_mut(key).state = ElementState::Leaving;
    jobs::create(turn, key, draft);
    Ok(Went::Rests)
}

/// The last stage but one: everything that waited here is taken away, and the save point after
/// the element is made if there is one.
pub(crate) fn finish(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled<Went> {
    let element = turn.model(index);
    let role = turn.element(key).role;
    let Some(save_point) = save_point_after(role, element) else {
        return Ok(Went::On(Stage::Leave));
    };
    if ends_by_job(turn, key) {
        turn.element_mut(key).state = ElementState::Active;
        return Ok(Went::On(Stage::Leave));
    }
    let ends_here = turn.work.ends_here.contains(&key);
    let settled = match settles_flows(turn, role) && !ends_here {
        true => flows_to_take(turn, key, element)?,
        false => Cow::Borrowed(&[][..]),
    };
    let draft = jobs::draft_async(turn, key, element, JobKind::AsyncAfter, save_point)?;
    jobs::cancel_all(turn, key);
    events::close_all(turn, key);
    if !is_hidden_link(turn, &element.kind) {
        turn.event(Event::ElementLeft { key, how: LeaveKind::Completed });
    }
    turn.element_mut(key).state = ElementState::Leaving;
    if settles_flows(turn, role) {
        if !ends_here {
            compensation::note_completed(turn, key, index)?;
        }
        turn.element_mut(key).arrived_by =
            settled.first().map(|&f| turn.process.flow(f).id.clone());
    }
    jobs::create(turn, key, draft.clone());
    for &flow in settled.iter().skip(1) {
        branch_off(turn, key, element, flow, draft.clone());
    }
    Ok(Went::Rests)
}

/// Whether an element instance at the save point after its element knows the flow it will take.
fn settles_flows(turn: &Turn<'_>, role: Role) -> bool {
    turn.semantics().choices.flows_before_save_point
        && matches!(role, Role::Plain | Role::Body | Role::Triggered | Role::Branch)
}

/// Another token at the same save point, for a further flow. It is no visit of its own.
fn branch_off(
    turn: &mut Turn<'_>,
    from: ElementInstanceKey,
    element: &Element,
    flow: FlowIndex,
    draft: jobs::Draft,
) {
    let key = ElementInstanceKey::new(turn.next_key());
    let from = turn.element(from);
    let mut branch = ElementInstance::new(key, element.id.clone(), from.scope, turn.now);
    branch.role = from.role;
    branch.state = ElementState::Leaving;
    branch.arrived_by = Some(turn.process.flow(flow).id.clone());
    turn.work.record.elements.insert(branch);
    jobs::create(turn, key, draft);
}

/// The last stage: the element instance vanishes and its token goes on.
pub(crate) fn leave_by_flows(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled<Went> {
    let role = turn.element(key).role;
    match role {
        Role::Inner => {
            let left = multi_instance::before_inner_leaves(turn, key, index)?;
            compensation::note_completed(turn, key, index)?;
            let instance = vanish(turn, key);
            multi_instance::inner_left(turn, instance.scope, index, left);
        }
        Role::Handler => {
            let instance = vanish(turn, key);
            compensation::handler_left(turn, instance.scope);
        }
        Role::Plain | Role::Body | Role::Triggered | Role::Branch => {
            let element = turn.model(index);
            let flows = match turn.element(key).state {
                ElementState::Leaving if settles_flows(turn, role) => {
                    settled_flow(turn, key, element)
                }
                _ => {
                    let flows = flows_to_take(turn, key, element)?;
                    compensation::note_completed(turn, key, index)?;
                    flows
                }
            };
            if matches!(element.kind, ElementKind::StartEvent(_)) {
                subprocess_scope::started(turn, turn.element(key).scope)?;
            }
            let mut with = Brought::default();
            if edits::go_along(turn, element, role) {
                let variables = turn.work.record.variables.remove(&key).unwrap_or_default();
                with = Brought { variables, from: key };
            }
            let instance = vanish(turn, key);
            if turn.work.record.stops_after.contains(&instance.element) {
                crate::instance::cancel(turn);
                return Ok(Went::Rests);
            }
            // DIFFERENCE: in Flowable its scope does not even end when it is the last one there.
            let flows = match turn.semantics().undoing.handlers_lead_nowhere {
                true if element.is_for_compensation => Cow::default(),
                _ => flows,
            };
            send(turn, element, &flows, instance.scope, with);
        }
    }
    Ok(Went::Rests)
}

/// The flow that was settled before the save point.
fn settled_flow<'a>(
    turn: &Turn<'a>,
    key: ElementInstanceKey,
    element: &'a Element,
) -> Cow<'a, [FlowIndex]> {
    let (process, settled) = (turn.process, &turn.element(key).arrived_by);
    let is_it = |&&flow: &&FlowIndex| Some(&process.flow(flow).id) == settled.as_ref();
    Cow::Owned(element.outgoing.iter().find(is_it).copied().into_iter().collect())
}

/// A token goes along each of the flows; without any, the scope may be at its end.
fn send(
    turn: &mut Turn<'_>,
    element: &Element,
    flows: &[FlowIndex],
    scope: ElementInstanceKey,
    mut with: Brought,
) {
    if let ElementKind::ThrowEvent(Throw::Link(target)) = &element.kind {
        let (role, with) = (Role::Triggered, Variables::new());
        turn.work.push(Step::Arrive { element: *target, scope, role, with });
        return;
    }
    for &flow in flows {
        let with = std::mem::take(&mut with);
        turn.work.push(Step::Take { flow, scope, listener: 0, with });
    }
    if flows.is_empty() {
        close(turn, element, scope);
    }
}

/// A token has ended at an element: its scope may be at its end.
fn close(turn: &mut Turn<'_>, element: &Element, scope: ElementInstanceKey) {
    if !element.kind.is_event_subprocess() {
        beside_work::stop_with_flow(turn, scope);
    }
    turn.work.push(Step::Close { scope });
}

/// Takes a completed element instance out of the record, with everything that waited on it.
pub(crate) fn vanish(turn: &mut Turn<'_>, key: ElementInstanceKey) -> ElementInstance {
    jobs::cancel_all(turn, key);
    events::close_all(turn, key);
    incidents::close_all(turn, key);
    let instance = remove(turn, key);
    turn.work.last_left = Some(instance.element.clone());
    let kind = &turn.model(turn.index_of(&instance.element)).kind;
    if instance.state != ElementState::Leaving && !is_hidden_link(turn, kind) {
        turn.event(Event::ElementLeft { key, how: LeaveKind::Completed });
    }
    instance
}

/// Whether there is a save point after the element, at which its token can end.
pub(crate) fn ends_with_save_point(turn: &Turn<'_>, key: ElementInstanceKey) -> bool {
    let instance = turn.element(key);
    let element = turn.model(turn.index_of(&instance.element));
    save_point_after(instance.role, element).is_some()
        && turn.semantics().choices.flows_before_save_point
}

/// The save point after an element, or after each instance of its loop.
fn save_point_after(role: Role, element: &Element) -> Option<SavePoint> {
    match (role, &element.multi) {
        (Role::Inner, Some(multi)) => multi.inner_after,
        _ => element.async_after,
    }
}

/// As [`end_token`], where the job of the save point after the element ends the token.
pub(crate) fn end_at_save_point(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    turn.work.ends_here.insert(key);
    let stage = match turn.work.said_end.contains(&key) {
        true => Stage::Finish,
        false => Stage::End(0),
    };
    turn.work.push_next(Step::Go { key, stage });
}

/// As [`end_token`], of an element instance that may be one of a loop.
pub(crate) fn end_of_its_own(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled {
    if turn.element(key).role != Role::Inner {
        end_token(turn, key);
        return Ok(());
    }
    // The loop counts an instance that ends without leaving by a flow as one that has left.
    let index = turn.index_of(&turn.element(key).element);
    let left = multi_instance::before_inner_leaves(turn, key, index)?;
    let instance = vanish(turn, key);
    multi_instance::inner_left(turn, instance.scope, index, left);
    Ok(())
}

/// The token ends here, though there may be flows to take.
pub(crate) fn end_token(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let instance = vanish(turn, key);
    let element = turn.model(turn.index_of(&instance.element));
    close(turn, element, instance.scope);
}

/// Whether history has seen the visit begin and not yet end.
pub(crate) fn is_open_in_history(turn: &Turn<'_>, instance: &ElementInstance) -> bool {
    if compensation::is_hidden(turn, instance) {
        return false;
    }
    if is_hidden_link(turn, &turn.model(turn.index_of(&instance.element)).kind) {
        return false;
    }
    match instance.state {
        // The save point's job has not run yet, unless the element stopped at its first step.
        ElementState::Entering => {
            let element = turn.model(turn.index_of(&instance.element));
            !instance.jobs.iter().any(|j| j.kind == JobKind::AsyncBefore)
                || is_seen_before(turn, instance.key, element)
        }
        ElementState::Leaving => ends_by_job(turn, instance.key),
        ElementState::Ending => true,
        ElementState::Active => {
            let element = turn.model(turn.index_of(&instance.element));
            let is_visit = match turn.semantics().joins {
                Joins::PerFlow => element::is_through(instance),
                Joins::PerToken => true,
                Joins::PerTokenEndedAtOnce => false,
            };
            !element.kind.is_join() || is_visit
        }
    }
}

/// The element instance alone, without its jobs.
pub(crate) fn remove(turn: &mut Turn<'_>, key: ElementInstanceKey) -> ElementInstance {
    turn.work.record.variables.remove(&key);
    let removed = turn.work.record.elements.remove(key);
    let removed = removed.expect("a rule is only given element instances of the record");
    element::inclusive_gateway::note_left(turn, removed.scope);
    removed
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
        // Only one that does not wait itself comes here.
        ElementKind::EventGateway => return Ok(Cow::Borrowed(&element.outgoing)),
        _ if extract::chooses_by_condition(turn, element) => {}
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
    use crate::{JobKind, JobSettings, Rejection};

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
    fn in_camunda_each_flow_has_its_own_save_point_after_an_element() {
        let process = |sketch: Sketch| {
            sketch
                .node("start", start())
                .node("work", xor())
                .node("fork", and())
                .node("a", user())
                .node("b", user())
                .flow_if("work", "fork", "n > 1")
                .flows("start -> work")
                .flows("fork -> a")
                .flows("fork -> b")
                .async_after("work")
                .async_after("fork")
                .build()
        };
        let mut story = Story::of(process(Sketch::camunda()));
        let refused = story.start(r#"{"n":1}"#);
        assert!(refused.starts_with("failed") || refused.starts_with("rejected"), "{refused}");
        let mut story = Story::of(process(Sketch::camunda()));
        story.start(r#"{"n":2}"#);
        insta::assert_snapshot!(story.run_job("work"), @r#"
        job1 completed
        entered fork
        left fork
        job2 created
        job3 created
        --
        delete job1
        insert job2 after fork, ready, retries 3, exclusive
        insert job3 after fork, parked, retries 3, exclusive
        at fork leaving job2
        at fork#2 leaving job3
        instance: {"n":2}
        "#);
        insta::assert_snapshot!(story.run_job("fork"), @r#"
        job2 completed
        entered a
        --
        delete job2
        update job3 after fork, ready, retries 3, exclusive
        insert task1 a priority 50
        at fork#2 leaving job3
        at a task1
        instance: {"n":2}
        "#);
        let mut story = Story::of(process(Sketch::flowable()));
        story.start(r#"{"n":2}"#);
        story.run_job("work");
        story.run_job("fork");
        assert!(story.jobs.is_empty(), "one job for both");
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
    fn a_loop_with_a_save_point_is_as_long_as_it_likes() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("round", xor())
            .flows("start -> round -> round")
            .async_before("round");
        let mut story = Story::of(process.build());
        story.start("{}");
        for _ in 0..3 * VISITS_MAX {
            let told = story.run_job("round");
            assert!(told.contains("left round"), "{told}");
        }
        assert_eq!(story.jobs.len(), 1);
    }

    #[test]
    fn elsewhere_it_is_refused_or_fails_its_job() {
        let mut story = Story::of(endless(Sketch::camunda()).build());
        story.start("{}");
        story.pass(1_000);
        insta::assert_snapshot!(story.job_due("wait"), @"
        job1 failed, 2 left: more than 10000 elements visited in one command: a loop this long needs a save point (asyncBefore or asyncAfter)
        --
        update job1 timer wait, ready, retries 2 unlock 'more than 10000 elements visited in one command: a loop this long needs a save point (asyncBefore or asyncAfter)'
        at wait job1
        ");
        let round = || {
            let process = Sketch::camunda().node("start", start()).node("round", xor());
            Story::of(process.flows("start -> round -> round").build())
        };
        let start = round().start("{}");
        assert_eq!(start, format!("rejected: {}", Rejection::TooManyVisits { limit: VISITS_MAX }));
        let settings = JobSettings { visits_max: Some(150), ..JobSettings::default() };
        let start = round().settings(settings).start("{}");
        assert_eq!(start, format!("rejected: {}", Rejection::TooManyVisits { limit: 150 }));
    }
}
