//! Scopes: what lives in them is ended together, and they end when nothing is left in them.

use std::collections::BTreeSet;

use orloj_model::ElementKind;
use orloj_types::ElementInstanceKey;

use crate::agenda::Step;
use crate::failure::Ruled;
use crate::outcome::{Event, LeaveKind, TaskEnd};
use crate::record::{ElementInstance, Role};
use crate::turn::Turn;
use crate::{
    beside_work, compensation, ending, events, farewell, flow, incidents, jobs, multi_instance,
};

/// A scope in which nothing is left goes on or, if it is the instance, ends.
pub(crate) fn close_if_empty(turn: &mut Turn<'_>, scope: ElementInstanceKey) -> Ruled {
    let (member, _) = turn.work.at();
    let record = &turn.work.record;
    if record.elements.has_children(scope) || turn.work.agenda.has_tokens(member, scope) {
        return Ok(());
    }
    if record.element(scope).is_some_and(ending::is_waiting) {
        return ending::go_on(turn, scope);
    }
    if scope == record.root.key {
        turn.work.push_next(Step::EndInstance { listener: 0 });
        return Ok(());
    }
    let Some(instance) = record.elements.get(scope) else { return Ok(()) };
    match instance.role {
        Role::Body => multi_instance::all_left(turn, scope),
        Role::Handler if compensation::is_hidden(turn, instance) => {
            compensation::scope_undone(turn, scope);
            Ok(())
        }
        _ if beside_work::keeps_open(turn, scope) => Ok(()),
        _ => crate::element::subprocess::emptied(turn, scope),
    }
}

/// Takes an element instance and everything in it out of the record, from outside.
pub(crate) fn terminate(turn: &mut Turn<'_>, key: ElementInstanceKey) -> ElementInstance {
    end(turn, key, LeaveKind::Terminated)
}

/// As [`terminate`]; `how` is what history calls it.
pub(crate) fn end(turn: &mut Turn<'_>, key: ElementInstanceKey, how: LeaveKind) -> ElementInstance {
    let mut gone = BTreeSet::new();
    end_below(turn, key, how, &mut gone);
    gone.insert(key);
    let (member, _) = turn.work.at();
    turn.work.agenda.forget(member, &gone);
    end_one(turn, key, how)
}

/// Ends everything in a scope but not the scope itself.
pub(crate) fn terminate_children(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    except: Option<ElementInstanceKey>,
) {
    end_children(turn, scope, except, LeaveKind::Terminated);
}

/// As [`terminate_children`]; `how` is what history calls it.
pub(crate) fn end_children(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    except: Option<ElementInstanceKey>,
    how: LeaveKind,
) {
    let children: Vec<_> = turn.work.record.elements.children(scope).map(|e| e.key).rev().collect();
    let mut gone = BTreeSet::new();
    for child in children.into_iter().filter(|child| Some(*child) != except) {
        end_below(turn, child, how, &mut gone);
        gone.insert(child);
        end_one(turn, child, how);
    }
    let (member, _) = turn.work.at();
    turn.work.agenda.forget(member, &gone);
    turn.work.agenda.forget_tokens(member, scope);
}

/// The youngest first: what lies inside a scope is younger than the scope.
fn end_below(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    how: LeaveKind,
    gone: &mut BTreeSet<ElementInstanceKey>,
) {
    let mut below = vec![key];
    let mut next = 0;
    while let Some(&scope) = below.get(next) {
        below.extend(turn.work.record.elements.children(scope).map(|e| e.key));
        next += 1;
    }
    for &key in below.iter().skip(1).rev() {
        end_one(turn, key, how);
    }
    gone.extend(below);
}

fn end_one(turn: &mut Turn<'_>, key: ElementInstanceKey, how: LeaveKind) -> ElementInstance {
    let is_open = flow::is_open_in_history(turn, turn.element(key));
    jobs::cancel_all(turn, key);
    events::close_all(turn, key);
    incidents::close_all(turn, key);
    if is_open {
        farewell::note(turn, key);
    }
    if let Some(task) = turn.element_mut(key).user_task.take() {
        turn.work.changes.user_task_gone(task, TaskEnd::Deleted);
    }
    if let Some(called) = turn.element_mut(key).called.take() {
        turn.work.push_next(Step::CancelCalled { instance: called });
    }
    let instance = flow::remove(turn, key);
    if is_open {
        let how = match turn.semantics().choices.events_complete && is_passed(turn, &instance) {
            true => LeaveKind::Completed,
            false => how,
        };
        turn.event(Event::ElementLeft { key, how });
    }
    instance
}

/// Whether the element is one that a token only passes.
fn is_passed(turn: &Turn<'_>, instance: &ElementInstance) -> bool {
    let kind = &turn.model(turn.index_of(&instance.element)).kind;
    let is_event = matches!(
        kind,
        ElementKind::StartEvent(_) | ElementKind::EndEvent(_) | ElementKind::ThrowEvent(_)
    );
    is_event || kind.is_gateway()
}
