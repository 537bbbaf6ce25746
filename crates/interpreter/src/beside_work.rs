//! Event subprocesses that wait only beside other work in their scope.
//!
//! DIFFERENCE: in Flowable they stop waiting when a token ends in their scope and nothing else is
//! left there. Boundary events of the scope count as something else, even timers that have fired
//! for the last time, and in an instance of a loop nobody looks: there the start events go on
//! waiting and keep the scope open, and an event subprocess that began at one of them ends, but
//! the instance of the loop does not.

use orloj_model::{Element, ElementIndex, Trigger};
use orloj_types::ElementInstanceKey;

use crate::events;
use crate::record::{ElementInstance, Job, JobKind, Role};
use crate::turn::Turn;

/// A token has ended in a scope: its event subprocesses wait no longer when no other work is left.
pub(crate) fn stop_with_flow(turn: &mut Turn<'_>, scope: ElementInstanceKey) {
    if !turn.semantics().catching.waits_beside_work
        || turn.process.scope(turn.model_of(scope)).event_subprocesses.is_empty()
        || is_kept(turn, scope)
    {
        return;
    }
    if !is_busy(turn, scope) {
        events::close_event_subprocesses(turn, scope);
    }
}

/// Whether a scope in which nothing is left is kept open by the start events of its event
/// subprocesses.
pub(crate) fn keeps_open(turn: &Turn<'_>, scope: ElementInstanceKey) -> bool {
    if !turn.semantics().catching.waits_beside_work || !is_kept(turn, scope) {
        return false;
    }
    let starts: Vec<_> = awaited_starts(turn, scope).map(|start| turn.model(start)).collect();
    if turn.element(scope).role == Role::Inner {
        return !starts.is_empty();
    }
    let (staying, interrupting): (Vec<_>, Vec<_>) =
        starts.into_iter().partition(|start| events::stays(start));
    // What has interrupted the scope has ended the waiting of all of them.
    match interrupting.is_empty() {
        true => !staying.is_empty(),
        false => interrupting.iter().any(|start| is_awaited(turn.element(scope), start)),
    }
}

/// Whether start events go on waiting in the scope although no other work is left.
fn is_kept(turn: &Turn<'_>, scope: ElementInstanceKey) -> bool {
    let Some(index) = turn.model_of(scope) else { return false };
    let waits = |&boundary: &ElementIndex| {
        !matches!(turn.model(boundary).trigger(), Some(Trigger::Compensation))
    };
    match turn.element(scope).role {
        Role::Inner => true,
        Role::Body => false,
        _ => turn.model(index).boundaries.iter().any(waits),
    }
}

/// The start events of event subprocesses that wait for something, and are not only thrown at or
/// asked on demand.
fn awaited_starts(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
) -> impl Iterator<Item = ElementIndex> {
    events::starts_within(turn, scope).into_iter().filter(|&start| {
        matches!(
            turn.model(start).trigger(),
            Some(
                Trigger::Message(_)
                    | Trigger::Signal(_)
                    | Trigger::Timer(_)
                    | Trigger::Registry(_)
                    | Trigger::Variable(_)
            )
        )
    })
}

/// Whether it has not occurred yet; a timer may go on repeating.
fn is_awaited(scope: &ElementInstance, start: &Element) -> bool {
    let is_timer = |job: &Job| match &job.kind {
        JobKind::Timer { event, repeat } => {
            *event == start.id && repeat.as_ref().is_none_or(|repeat| repeat.fired == 0)
        }
        _ => false,
    };
    scope.subscriptions.iter().any(|subscription| subscription.event == start.id)
        || scope.jobs.iter().any(is_timer)
}

fn is_busy(turn: &Turn<'_>, scope: ElementInstanceKey) -> bool {
    let (member, _) = turn.work.at();
    let mut children = turn.work.record.elements.children(scope);
    turn.work.agenda.has_tokens(member, scope)
        || !is_in_event_subprocess(turn, scope) && children.any(|child| is_at_work(turn, child))
}

/// Not an event subprocess, and nothing that stands still: a loop as a whole, what has come to a
/// join, what waits behind a save point. A token that has come to one in this command is not yet
/// seen to wait.
fn is_at_work(turn: &Turn<'_>, child: &ElementInstance) -> bool {
    let kind = &turn.model(turn.index_of(&child.element)).kind;
    let changes = &turn.work.changes;
    let is_before = |job: &Job| job.kind == JobKind::AsyncBefore && !changes.is_new_job(job.key);
    let is_before = child.jobs.iter().any(is_before);
    !kind.is_event_subprocess() && !kind.is_join() && !is_before && child.role != Role::Body
}

fn is_in_event_subprocess(turn: &Turn<'_>, mut scope: ElementInstanceKey) -> bool {
    while let Some(index) = turn.model_of(scope) {
        if turn.model(index).kind.is_event_subprocess() {
            return true;
        }
        scope = turn.element(scope).scope;
    }
    false
}
