//! The instance as a whole: its beginning, its end, and its being called.

use orloj_model::{CompletionVariables, Conditions, ElementIndex, ListenerEvent};
use orloj_types::{ElementId, InstanceKey, Variables};

use crate::agenda::Step;
use crate::command::Place;
use crate::conditions::Seen;
use crate::failure::Ruled;
use crate::outcome::{EndKind, Event};
use crate::record::{After, Role, SubscriptionKind};
use crate::turn::Turn;
use crate::{commands, ending, events, incidents, jobs, listeners, scope, subprocess_scope};

/// The listeners of the process are called, its event subprocesses wait, and the first tokens are
/// sent off. `listener` is the place of the next listener, `None` before everything else.
pub(crate) fn begin(
    turn: &mut Turn<'_>,
    starts: Box<[ElementIndex]>,
    listener: Option<u32>,
) -> Ruled {
    let process = turn.process;
    let root = turn.work.record.root.key;
    // Listeners that are jobs come before anything else.
    let by_jobs = process.listeners.iter().any(listeners::is_for_client);
    let Some(listener) = listener else {
        if !by_jobs {
            open(turn)?;
        }
        // A step of its own: a listener that needs something from outside is called again.
        turn.work.push_next(Step::BeginInstance { starts, listener: Some(0) });
        return Ok(());
    };
    let event = ListenerEvent::Start;
    if let Some((place, next)) = listeners::find(&process.listeners, &event, listener) {
        if listeners::is_for_client(next) {
            listeners::create_job(turn, root, &turn.process_element(), place, next)?;
            turn.element_mut(root).arrived_by = Some(joined(turn, &starts));
            return Ok(());
        }
        turn.beans.set_event("start");
        turn.beans.set_activity(starts.first().map(|&start| turn.model(start).id.clone()));
        listeners::call(turn, root, &turn.process_element(), next, place)?;
        turn.apply_bean_replies();
        turn.work.push_next(Step::BeginInstance { starts, listener: Some(place + 1) });
        return Ok(());
    }
    if by_jobs {
        open(turn)?;
    }
    turn.element_mut(root).arrived_by = None;
    for &element in &starts {
        let step = if process.root.starts.contains(&element) {
            let with = if by_jobs { Variables::new() } else { brought(turn, element) };
            Step::Arrive { element, scope: root, role: Role::Triggered, with }
        } else {
            let scope = commands::open_scopes(turn, element, &Place::default())?;
            Step::Arrive { element, scope, role: Role::Plain, with: Variables::new() }
        };
        turn.work.push(step);
    }
    if turn.must_ask() {
        turn.work.push_next(Step::Conditions);
    }
    Ok(())
}

/// What a trigger has brought stays at a start event that says itself what becomes of it.
fn brought(turn: &mut Turn<'_>, start: ElementIndex) -> Variables {
    let event = turn.model(start);
    let is_merged = turn.semantics().completion == CompletionVariables::Merge;
    if event.trigger().is_none() || event.outputs.is_empty() || !is_merged {
        return Variables::new();
    }
    let root = turn.work.record.root.key;
    turn.work.record.variables.remove(&root).unwrap_or_default()
}

/// Event subprocesses begin to wait. To conditions the variables that the instance was started with
/// are changes.
fn open(turn: &mut Turn<'_>) -> Ruled {
    let root = turn.work.record.root.key;
    subprocess_scope::begin(turn, root)?;
    let mut waiting = turn.element(root).subscriptions.iter();
    if turn.semantics().conditions == Conditions::OnChange
        && waiting.any(|subscription| subscription.kind == SubscriptionKind::Condition)
    {
        let (member, _) = turn.work.at();
        turn.work.seen.insert(member, Seen::new());
    }
    Ok(())
}

/// A client has done the job of a listener; `listener` is the next.
pub(crate) fn go_on_beginning(turn: &mut Turn<'_>, listener: u32) {
    let Some(ids) = turn.work.record.root.arrived_by.clone() else { return };
    let starts: Box<[ElementIndex]> = match turn.process.find(&ids) {
        Some(start) => [start].into(),
        None => ids.split(BETWEEN).filter_map(|id| turn.process.find(id)).collect(),
    };
    if !starts.is_empty() {
        turn.work.push_next(Step::BeginInstance { starts, listener: Some(listener) });
    }
}

/// Where an instance begins, while it waits for listeners. No id has a blank.
fn joined(turn: &Turn<'_>, starts: &[ElementIndex]) -> ElementId {
    let ids: Vec<&str> = starts.iter().map(|&start| turn.model(start).id.as_str()).collect();
    ElementId::from(ids.join(BETWEEN))
}

const BETWEEN: &str = " ";

/// The last token is gone: the listeners of the process are called, and it has ended.
pub(crate) fn end(turn: &mut Turn<'_>, listener: u32) -> Ruled {
    let process = turn.process;
    let root = turn.work.record.root.key;
    let event = ListenerEvent::End;
    if let Some((place, next)) = listeners::find(&process.listeners, &event, listener) {
        if listeners::is_for_client(next) {
            return listeners::create_job(turn, root, &turn.process_element(), place, next);
        }
        turn.beans.set_event("end");
        turn.beans.set_activity(turn.work.last_left.clone());
        listeners::call(turn, root, &turn.process_element(), next, END_ORDINAL + place)?;
        turn.apply_bean_replies();
        turn.work.push_next(Step::EndInstance { listener: place + 1 });
        return Ok(());
    }
    finish(turn, EndKind::Completed);
    Ok(())
}

/// Calls at the end are counted apart from those at the beginning.
const END_ORDINAL: u32 = 1 << 15;

/// The instance has ended; nothing may be left in it.
pub(crate) fn finish(turn: &mut Turn<'_>, how: EndKind) {
    let root = turn.work.record.root.key;
    jobs::cancel_all(turn, root);
    events::close_all(turn, root);
    incidents::close_all(turn, root);
    turn.work.ended = Some(how);
    turn.event(Event::InstanceEnded { how });
    if turn.work.record.caller.is_some() && how == EndKind::Completed {
        turn.work.push_next(Step::Return);
    }
}

/// Everything in the instance ends, at once if nobody has to be asked.
pub(crate) fn cancel(turn: &mut Turn<'_>) {
    let root = turn.work.record.root.key;
    if !ending::hold_children(turn, root, None) {
        finish(turn, EndKind::Cancelled);
        return;
    }
    cancel_when_asked(turn);
}

/// The instance is cancelled when what is left in it has ended.
pub(crate) fn cancel_when_asked(turn: &mut Turn<'_>) {
    let root = turn.work.record.root.key;
    jobs::cancel_all(turn, root);
    events::close_all(turn, root);
    incidents::close_all(turn, root);
    ending::then(turn, root, After::Cancelled);
}

/// The same, and nobody is asked.
pub(crate) fn cancel_unasked(turn: &mut Turn<'_>) {
    let root = turn.work.record.root.key;
    scope::terminate_children(turn, root, None);
    finish(turn, EndKind::Cancelled);
}

/// A called instance is not needed any more.
pub(crate) fn cancel_called(turn: &mut Turn<'_>, instance: InstanceKey) -> Ruled {
    let Some(member) = turn.member(instance)? else { return Ok(()) };
    turn.switch(member);
    if turn.work.ended.is_none() {
        cancel(turn);
    }
    Ok(())
}
