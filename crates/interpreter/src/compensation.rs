//! Compensation (BPMN 10.7, 13.5.5): completed activities are undone by their handlers.
//!
//! A scope remembers what was completed in it. When the scope itself is completed, that goes with
//! its variables into what the scope around it remembers. Undoing takes it back: a completed scope
//! becomes a scope again, known only to the record, in which the handlers run, and vanishes when
//! they are done. All handlers begin at once, those of what was completed last first.
//!
//! DIFFERENCE: in Flowable an event that names nothing undoes neither what is around its event
//! subprocess nor what was done in scopes within completed scopes, and a subprocess has no handler
//! but those inside it. In Zeebe a handler undoes a multi-instance activity as a whole, in the
//! others each of its instances. Camunda and Zeebe wait for the handlers; in Flowable the event that
//! throws goes on at once. In Camunda a compensation event subprocess runs instead of the handlers
//! of its scope and can throw on to them, and naming a subprocess that has a handler calls that
//! handler alone. Zeebe shows the boundary events of what is undone.

use orloj_model::{
    CompensationThrow, Element, ElementIndex, ElementKind, Process, Trigger, UndoneInstances,
};
use orloj_types::{ElementId, ElementInstanceKey, Variables};
use thin_vec::ThinVec;

use crate::agenda::Step;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::flow;
use crate::outcome::{Event, LeaveKind};
use crate::record::{Compensation, ElementInstance, ElementState, Role};
use crate::turn::Turn;

/// An activity is completed and about to vanish: it can be undone from now on.
///
/// DIFFERENCE: in Flowable its compensation event must lead to a handler.
pub(crate) fn note_completed(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled {
    let element = turn.model(index);
    if element.is_for_compensation || element.kind.is_event_subprocess() {
        return Ok(());
    }
    let instances = turn.semantics().undoing.instances;
    let instance = turn.element(key);
    let role = instance.role;
    let scope = match (role, instances) {
        (Role::Inner, UndoneInstances::EachBeside) => turn.element(instance.scope).scope,
        _ => instance.scope,
    };
    let inner = match instance.compensations.is_empty() {
        true => ThinVec::new(),
        false => std::mem::take(&mut turn.element_mut(key).compensations),
    };
    if !inner.is_empty() || (role != Role::Body && undoing_subprocess(turn, index).is_some()) {
        let variables = turn.work.record.variables.get(&key).cloned().unwrap_or_default();
        remember(turn, scope, element, variables, inner);
    }
    let is_undone = match role {
        Role::Body => instances == UndoneInstances::Whole,
        Role::Inner => instances != UndoneInstances::Whole,
        Role::Plain | Role::Triggered => true,
        Role::Handler | Role::Branch => false,
    };
    let is_scope = matches!(element.kind, ElementKind::SubProcess(_));
    let has_handler = element.compensation.is_some()
        && (!is_scope || turn.semantics().undoing.scopes_have_handlers);
    if is_undone && has_handler {
        remember(turn, scope, element, Variables::new(), ThinVec::new());
    }
    let must_have_handler = !is_scope && turn.semantics().undoing.events_need_handler;
    if must_have_handler && is_undone && is_unhandled(turn.process, index) {
        let message = "its compensation event leads to no handler";
        return Err(Failure::new(&element.id, FailureKind::Foreign, message));
    }
    Ok(())
}

fn is_unhandled(process: &Process, activity: ElementIndex) -> bool {
    process.contents.unhandled_compensation
        && process.element(activity).compensation.is_none()
        && compensation_event(process, activity).is_some()
}

fn compensation_event(process: &Process, activity: ElementIndex) -> Option<&Element> {
    process.elements.iter().find(|element| {
        matches!(&element.kind, ElementKind::BoundaryEvent(boundary)
            if boundary.attached_to == activity && matches!(boundary.trigger, Trigger::Compensation))
    })
}

fn remember(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    element: &Element,
    variables: Variables,
    inner: ThinVec<Compensation>,
) {
    let (activity, completed_at) = (element.id.clone(), turn.now);
    let entry = Compensation { activity, completed_at, variables, inner };
    turn.element_mut(scope).compensations.push(entry);
}

/// The event subprocess that undoes a subprocess.
fn undoing_subprocess(turn: &Turn<'_>, index: ElementIndex) -> Option<ElementIndex> {
    let ElementKind::SubProcess(inner) = &turn.model(index).kind else { return None };
    let undoes = |&subprocess: &ElementIndex| {
        let starts = &turn.process.scope(Some(subprocess)).starts;
        let is_undoing = |&start: &ElementIndex| {
            matches!(turn.model(start).trigger(), Some(Trigger::Compensation))
        };
        starts.iter().any(is_undoing)
    };
    inner.scope.event_subprocesses.iter().copied().find(undoes)
}

/// What an event undoes is taken out of the record; the last completed comes first.
pub(crate) fn take(
    turn: &mut Turn<'_>,
    event: ElementInstanceKey,
    throw: Option<&CompensationThrow>,
) -> ThinVec<Compensation> {
    let activity = throw.and_then(|throw| throw.activity).map(|index| turn.model(index).id.clone());
    let mut scopes = scopes_of(turn, event);
    if activity.is_some() && turn.semantics().undoing.reaches_everywhere {
        scopes = turn.work.record.holders().map(|holder| holder.key).collect();
    }
    let mut taken = ThinVec::new();
    for scope in scopes {
        let all = std::mem::take(&mut turn.element_mut(scope).compensations);
        let (meant, others) = match &activity {
            None => (all, ThinVec::new()),
            Some(activity) => {
                let only_handler = turn.semantics().undoing.name_means_handler;
                let is_meant = |entry: &Compensation| {
                    is_named(turn.process, entry, activity)
                        && !(only_handler && is_inside_handled(turn.process, entry))
                };
                all.into_iter().partition(is_meant)
            }
        };
        taken.extend(meant);
        turn.element_mut(scope).compensations = others;
    }
    if !turn.semantics().undoing.reaches_within {
        taken.retain_mut(|entry: &mut Compensation| {
            let is_scope = !entry.inner.is_empty();
            entry.inner.retain(|inner| inner.inner.is_empty());
            !is_scope || !entry.inner.is_empty()
        });
    }
    if let Some(activity) = &activity
        && taken.is_empty()
        && turn.semantics().undoing.reaches_everywhere
    {
        taken = take_inside(turn, activity);
    }
    taken.reverse();
    taken
}

/// Whether it is what was done inside of an activity that has a handler. Of a body that are its
/// instances.
fn is_inside_handled(process: &Process, entry: &Compensation) -> bool {
    let is_body = entry.inner.iter().any(|inner| inner.activity == entry.activity);
    let handled = process.find(&entry.activity).map(|index| process.element(index).compensation);
    !entry.inner.is_empty() && !is_body && handled.flatten().is_some()
}

/// Whether an event that names `name` means the activity, by itself or by its handler.
fn is_named(process: &Process, entry: &Compensation, name: &ElementId) -> bool {
    let handler = || {
        let activity = process.element(process.find(&entry.activity)?);
        activity.compensation.map(|handler| &process.element(handler).id)
    };
    entry.activity == *name || handler() == Some(name)
}

/// The scope of the event; an event subprocess undoes what was done around it as well.
fn scopes_of(turn: &Turn<'_>, event: ElementInstanceKey) -> Vec<ElementInstanceKey> {
    let mut scopes = Vec::new();
    let mut scope = turn.element(event).scope;
    loop {
        scopes.push(scope);
        let Some(index) = turn.model_of(scope) else { break };
        let reaches = turn.semantics().undoing.reaches_around;
        if !reaches || !turn.model(index).kind.is_event_subprocess() {
            break;
        }
        scope = turn.element(scope).scope;
    }
    scopes
}

/// An activity that was completed inside a scope that is completed too.
fn take_inside(turn: &mut Turn<'_>, activity: &ElementId) -> ThinVec<Compensation> {
    let holders: Vec<_> = turn.work.record.holders().map(|holder| holder.key).collect();
    let process = turn.process;
    let mut taken = ThinVec::new();
    for holder in holders {
        let mut lists = vec![&mut turn.element_mut(holder).compensations];
        while let Some(list) = lists.pop() {
            taken.extend(list.extract_if(.., |entry| is_named(process, entry, activity)));
            lists.extend(list.iter_mut().map(|entry| &mut entry.inner));
        }
    }
    taken
}

/// Sends the handlers off, in the scope given.
pub(crate) fn undo(turn: &mut Turn<'_>, scope: ElementInstanceKey, what: ThinVec<Compensation>) {
    let mut todo: Vec<_> = what.into_iter().rev().map(|entry| (scope, entry)).collect();
    while let Some((scope, entry)) = todo.pop() {
        let index = turn.index_of(&entry.activity);
        // What was done in a body are the instances of the activity itself.
        let is_body = entry.inner.iter().any(|inner| inner.activity == entry.activity);
        let subprocess = undoing_subprocess(turn, index).filter(|_| !is_body);
        if entry.inner.is_empty() && subprocess.is_none() {
            begin_handler(turn, scope, index);
            continue;
        }
        let key = ElementInstanceKey::new(turn.next_key());
        let mut again = ElementInstance::new(key, entry.activity, scope, turn.now);
        again.role = Role::Handler;
        again.state = ElementState::Active;
        if !entry.variables.is_empty() {
            turn.work.record.variables.insert(key, entry.variables);
        }
        match subprocess {
            Some(element) => {
                again.compensations = entry.inner;
                let (role, with) = (Role::Triggered, Variables::new());
                turn.work.push(Step::Arrive { element, scope: key, role, with });
            }
            None => todo.extend(entry.inner.into_iter().map(|inner| (key, inner))),
        }
        turn.work.record.elements.insert(again);
    }
    turn.work.push(Step::Close { scope });
}

fn begin_handler(turn: &mut Turn<'_>, scope: ElementInstanceKey, activity: ElementIndex) {
    let Some(element) = turn.model(activity).compensation else { return };
    if turn.semantics().undoing.shows_events {
        show_event(turn, scope, activity);
    }
    let (role, with) = (Role::Handler, Variables::new());
    turn.work.push(Step::Arrive { element, scope, role, with });
}

/// The boundary event is passed in the same moment.
fn show_event(turn: &mut Turn<'_>, scope: ElementInstanceKey, activity: ElementIndex) {
    let Some(event) = compensation_event(turn.process, activity) else { return };
    let key = ElementInstanceKey::new(turn.next_key());
    let (element, role) = (event.id.clone(), Role::Triggered);
    turn.event(Event::ElementEntered { key, element, scope, role });
    turn.event(Event::ElementLeft { key, how: LeaveKind::Completed });
}

/// A handler has undone its activity.
pub(crate) fn handler_left(turn: &mut Turn<'_>, scope: ElementInstanceKey) {
    turn.work.push(Step::Close { scope });
}

/// A completed scope in which something is undone; history does not see it.
pub(crate) fn is_hidden(turn: &Turn<'_>, instance: &ElementInstance) -> bool {
    instance.role == Role::Handler
        && !turn.model(turn.index_of(&instance.element)).is_for_compensation
}

/// Everything in such a scope is undone.
pub(crate) fn scope_undone(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let scope = flow::remove(turn, key).scope;
    turn.work.push(Step::Close { scope });
}
