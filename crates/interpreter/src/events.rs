//! Events that wait: opened on the element instance or scope that they belong to, closed with it,
//! and what happens when they occur.

use std::sync::Arc;

use orloj_model::{
    Conditions, Element, ElementIndex, ElementKind, MessageCatch, SignalCatch, Trigger,
};
use orloj_types::{ElementInstanceKey, SubscriptionKey, Value, Variables};

use crate::agenda::{MemberIndex, Step};
use crate::ending;
use crate::extract;
use crate::failure::Ruled;
use crate::flow;
use crate::outcome::{LeaveKind, Signal, SubscriptionRow};
use crate::record::{After, Role, Subscription, SubscriptionKind};
use crate::scope;
use crate::timers::{self, Armed};
use crate::turn::Turn;
use crate::variables;

/// An event whose expressions have been evaluated.
pub(crate) enum Ready<'a> {
    Timer(Armed<'a>),
    Subscription { event: &'a Element, kind: SubscriptionKind },
}

/// Whether the event goes on waiting after it has occurred.
pub(crate) fn stays(event: &Element) -> bool {
    match &event.kind {
        ElementKind::BoundaryEvent(boundary) => !boundary.interrupting,
        ElementKind::StartEvent(start) => !start.interrupting,
        _ => false,
    }
}

/// Evaluates what an event waits for, as seen from `scope`. Nothing changes yet. Events that are
/// thrown at and not waited for (errors, escalations, compensation) need nothing.
pub(crate) fn prepare<'a>(
    turn: &Turn<'a>,
    scope: ElementInstanceKey,
    event: &'a Element,
    repeats: bool,
) -> Ruled<Option<Ready<'a>>> {
    if let ElementKind::ReceiveTask(task) = &event.kind {
        let kind = match &task.message {
            Some(message) if !is_deaf(turn, scope) => message_kind(turn, scope, event, message)?,
            _ => SubscriptionKind::Hand,
        };
        return Ok(Some(Ready::Subscription { event, kind }));
    }
    let Some(trigger) = event.trigger() else {
        return Ok(Some(Ready::Subscription { event, kind: SubscriptionKind::Hand }));
    };
    let kind = match trigger {
        Trigger::Timer(timer) => {
            let armed = timers::prepare(turn, scope, event, timer, repeats)?;
            return Ok(Some(Ready::Timer(armed)));
        }
        Trigger::Message(message) => message_kind(turn, scope, event, message)?,
        Trigger::Signal(signal) => signal_kind(turn, scope, event, signal)?,
        Trigger::Condition(_) => SubscriptionKind::Condition,
        Trigger::Registry(registry) => {
            let event_type = extract::text(turn, scope, event, "event type", &registry.event_type)?;
            for expression in &registry.correlation {
                turn.evaluate(&event.id, scope, expression)?;
            }
            SubscriptionKind::Registry { event_type }
        }
        Trigger::Variable(change) => SubscriptionKind::Variable { name: change.variable.clone() },
        Trigger::Error(_)
        | Trigger::Escalation(_)
        | Trigger::Compensation
        | Trigger::Cancel
        | Trigger::Link => return Ok(None),
    };
    Ok(Some(Ready::Subscription { event, kind }))
}

/// Whether events are not waited for here.
fn is_deaf(turn: &Turn<'_>, key: ElementInstanceKey) -> bool {
    turn.element(key).role == Role::Handler && !turn.semantics().undoing.handlers_hear
}

/// DIFFERENCE: in Flowable event subprocesses of an event subprocess catch only what is thrown.
fn is_deaf_inside(turn: &Turn<'_>, scope: ElementInstanceKey) -> bool {
    !turn.semantics().catching.waits_in_event_subprocesses
        && turn.model_of(scope).is_some_and(|index| turn.model(index).kind.is_event_subprocess())
}

fn message_kind(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    event: &Element,
    message: &MessageCatch,
) -> Ruled<SubscriptionKind> {
    let name = extract::text(turn, scope, event, "message name", &message.name)?;
    let correlation_key = match &message.correlation_key {
        Some(expression) => Some(correlation_key(turn, scope, event, expression)?),
        None => None,
    };
    Ok(SubscriptionKind::Message { name, correlation_key })
}

/// Text, or a number that is written out.
fn correlation_key(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    event: &Element,
    expression: &orloj_expr::Expression,
) -> Ruled<Arc<str>> {
    // A date is no text, though it can be written as one.
    match turn.evaluate_temporal(&event.id, scope, expression)? {
        Value::Text(text) => Ok(text),
        number @ (Value::Int(_) | Value::Double(_) | Value::Decimal(_)) => {
            Ok(number.to_json().into())
        }
        other => Err(extract::wrong(event, "correlation key", "a string or a number", &other)),
    }
}

fn signal_kind(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    event: &Element,
    signal: &SignalCatch,
) -> Ruled<SubscriptionKind> {
    let name = extract::text(turn, scope, event, "signal name", &signal.name)?;
    Ok(SubscriptionKind::Signal { name })
}

/// The boundary events of an element, evaluated. Those of a multi-instance activity belong to its
/// body.
pub(crate) fn prepare_boundaries<'a>(
    turn: &Turn<'a>,
    host: ElementInstanceKey,
    element: &Element,
) -> Ruled<Vec<Ready<'a>>> {
    if turn.element(host).role == Role::Inner {
        return Ok(Vec::new());
    }
    let mut ready = Vec::new();
    for &index in &element.boundaries {
        let event = turn.model(index);
        let ElementKind::BoundaryEvent(boundary) = &event.kind else { continue };
        if matches!(boundary.trigger, Trigger::Condition(_)) && asks(turn) {
            // They wait already.
            continue;
        }
        ready.extend(prepare(turn, host, event, !boundary.interrupting)?);
    }
    Ok(ready)
}

/// Conditions at the boundary wait before the element's own work begins, which may be code.
pub(crate) fn open_conditions(turn: &mut Turn<'_>, host: ElementInstanceKey, element: &Element) {
    if turn.element(host).role == Role::Inner || !asks(turn) {
        return;
    }
    for &index in &element.boundaries {
        let event = turn.model(index);
        let waits = turn.element(host).subscriptions.iter().any(|s| s.event == event.id);
        if matches!(event.trigger(), Some(Trigger::Condition(_))) && !waits {
            open(turn, host, Ready::Subscription { event, kind: SubscriptionKind::Condition });
        }
    }
}

fn asks(turn: &Turn<'_>) -> bool {
    turn.semantics().conditions == Conditions::OnChange
}

/// The start events of the event subprocesses of a scope, evaluated.
pub(crate) fn prepare_event_subprocesses<'a>(
    turn: &Turn<'a>,
    host: ElementInstanceKey,
) -> Ruled<Vec<Ready<'a>>> {
    let mut ready = Vec::new();
    for start in starts_within(turn, host) {
        let event = turn.model(start);
        let ElementKind::StartEvent(kind) = &event.kind else { continue };
        let is_unheard = matches!(kind.trigger, Some(Trigger::Condition(_))) && !asks(turn);
        if kind.trigger.is_some() && !is_unheard {
            let repeats = !kind.interrupting || turn.semantics().catching.interrupts_repeatedly;
            ready.extend(prepare(turn, host, event, repeats)?);
        }
    }
    Ok(ready)
}

/// The start events of the event subprocesses of a scope, unless nothing is waited for in it.
pub(crate) fn starts_within(turn: &Turn<'_>, host: ElementInstanceKey) -> Vec<ElementIndex> {
    if is_deaf(turn, host) || is_deaf_inside(turn, host) {
        return Vec::new();
    }
    let process = turn.process;
    let subprocesses = &process.scope(turn.model_of(host)).event_subprocesses;
    subprocesses.iter().flat_map(|index| &process.scope(Some(*index)).starts).copied().collect()
}

pub(crate) fn open_all(turn: &mut Turn<'_>, host: ElementInstanceKey, ready: Vec<Ready<'_>>) {
    for event in ready {
        open(turn, host, event);
    }
}

pub(crate) fn open(turn: &mut Turn<'_>, host: ElementInstanceKey, ready: Ready<'_>) {
    match ready {
        Ready::Timer(armed) => timers::create(turn, host, armed),
        Ready::Subscription { event, kind } => {
            let key = SubscriptionKey::new(turn.next_key());
            let subscription = Subscription { key, event: event.id.clone(), kind };
            let row =
                SubscriptionRow { subscription: subscription.clone(), element_instance: host };
            if subscription.kind == SubscriptionKind::Condition && asks(turn) {
                let (member, _) = turn.work.at();
                turn.work.fresh.push((member, key));
                turn.work.pending.insert(member);
            }
            turn.element_mut(host).subscriptions.push(subscription);
            turn.work.record.elements.subscription_added(key, host);
            turn.work.changes.subscription_opened(row);
        }
    }
}

/// Nothing waits on the element instance any more; its timers go with its jobs.
pub(crate) fn close_all(turn: &mut Turn<'_>, host: ElementInstanceKey) {
    if turn.element(host).subscriptions.is_empty() {
        return;
    }
    for subscription in std::mem::take(&mut turn.element_mut(host).subscriptions) {
        turn.work.record.elements.subscription_removed(subscription.key);
        turn.work.changes.subscription_gone(subscription.key);
    }
}

/// Takes one subscription away.
pub(crate) fn close(turn: &mut Turn<'_>, host: ElementInstanceKey, key: SubscriptionKey) {
    turn.element_mut(host).subscriptions.retain(|subscription| subscription.key != key);
    turn.work.record.elements.subscription_removed(key);
    turn.work.changes.subscription_gone(key);
}

/// A signal of the instance at work: whoever waits for it there hears it, the oldest first. The
/// others hear it when the command is done.
pub(crate) fn hear(turn: &mut Turn<'_>, mut signal: Signal) -> Ruled {
    if turn.semantics().catching.signals_come_first && interrupts_caller(turn, &signal)? {
        // What the signal ends hears it no more.
        signal.heard_by = Some(turn.work.record.instance);
        turn.work.signals.push(signal);
        return Ok(());
    }
    if turn.process.contents.signal_events {
        let mut waiting: Vec<_> = Vec::new();
        for holder in turn.work.record.subscribed() {
            for subscription in &holder.subscriptions {
                let SubscriptionKind::Signal { name } = &subscription.kind else { continue };
                if *name == signal.name {
                    waiting.push((subscription.key, holder.key, subscription.event.clone()));
                }
            }
        }
        waiting.sort_unstable_by_key(|(key, ..)| *key);
        for (key, host, event) in waiting {
            // An earlier receiver may have ended this one's wait.
            if turn.work.ended.is_none() && turn.work.record.subscription(key).is_some() {
                hear_one(turn, key, host, turn.index_of(&event), &signal)?;
            }
        }
    }
    signal.heard_by = Some(turn.work.record.instance);
    turn.work.signals.push(signal);
    Ok(())
}

/// Whether the signal ends the call activity that the instance at work belongs to, and so the
/// instance.
pub(crate) fn interrupts_caller(turn: &mut Turn<'_>, signal: &Signal) -> Ruled<bool> {
    if signal.only.is_some() || turn.work.record.caller.is_none() {
        return Ok(false);
    }
    let (here, _) = turn.work.at();
    let found = interrupted_caller(turn, &signal.name);
    turn.switch(here);
    let Some((member, host, key)) = found? else { return Ok(false) };
    turn.switch(member);
    let event = turn.work.record.subscription(key).map(|(_, found)| found.event.clone());
    close(turn, host, key);
    if let Some(event) = event {
        occur(turn, host, turn.index_of(&event), signal.variables.0.clone())?;
    }
    turn.switch(here);
    Ok(true)
}

/// The event of a caller by which the signal ends the call activity that the instance at work
/// belongs to: of several the one that has waited longest.
fn interrupted_caller(
    turn: &mut Turn<'_>,
    name: &Arc<str>,
) -> Ruled<Option<(MemberIndex, ElementInstanceKey, SubscriptionKey)>> {
    let mut found: Option<(MemberIndex, ElementInstanceKey, SubscriptionKey)> = None;
    while let Some(caller) = turn.work.record.caller {
        let Some(member) = turn.member(caller.instance)? else { break };
        turn.switch(member);
        let mut around = Some(caller.element_instance);
        while let Some(holder) = around.and_then(|key| turn.work.record.element(key)) {
            for subscription in &holder.subscriptions {
                let SubscriptionKind::Signal { name: awaited } = &subscription.kind else {
                    continue;
                };
                let event = turn.model(turn.index_of(&subscription.event));
                let is_older = found.is_none_or(|(_, _, key)| subscription.key < key);
                if awaited == name && !stays(event) && is_older {
                    found = Some((member, holder.key, subscription.key));
                }
            }
            around = (holder.key != turn.work.record.root.key).then_some(holder.scope);
        }
    }
    Ok(found)
}

fn hear_one(
    turn: &mut Turn<'_>,
    key: SubscriptionKey,
    host: ElementInstanceKey,
    event: ElementIndex,
    signal: &Signal,
) -> Ruled {
    let with = signal.variables.0.clone();
    let element = turn.model(event);
    let catching = turn.semantics().catching;
    // Who hears it is known when it is thrown; what comes of it waits for its turn.
    let is_planned = !catching.signals_come_first && !catching.signals_take_turn;
    if !stays(element) {
        close(turn, host, key);
    } else if !is_planned {
        return occur(turn, host, event, with);
    }
    let is_boundary = matches!(element.kind, ElementKind::BoundaryEvent(_));
    if is_planned || (is_boundary && !catching.signals_come_first) {
        // The event that threw is done first, even if it lies in what is ended.
        turn.work.push(Step::Occur { host, event, with });
        return Ok(());
    }
    occur(turn, host, event, with)
}

/// The event, which waited on `host`, has occurred, with variables that came along.
pub(crate) fn occur(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    event: ElementIndex,
    with: Variables,
) -> Ruled {
    let element = turn.model(event);
    match &element.kind {
        ElementKind::BoundaryEvent(boundary) => {
            if boundary.interrupting && ending::hold(turn, host) {
                ending::then(turn, host, After::Event { event: element.id.clone(), with });
                return Ok(());
            }
            let scope = match boundary.interrupting {
                true => scope::terminate(turn, host).scope,
                false => turn.element(host).scope,
            };
            arrive_at(turn, event, scope, with);
        }
        ElementKind::StartEvent(start) => {
            if start.interrupting && interrupt(turn, host) {
                ending::then(turn, host, After::Event { event: element.id.clone(), with });
                return Ok(());
            }
            begin_subprocess(turn, host, event, with)?;
        }
        _ if matches!(turn.model_of(host), Some(index) if index == event) => {
            variables::take_payload(turn, host, with);
            crate::element::event_gateway::end_losers(turn, host, event);
            flow::complete(turn, host);
        }
        // One of the events after an event-based gateway.
        _ => crate::element::event_gateway::chosen(turn, host, event, with),
    }
    Ok(())
}

/// The same, of an event that ends nothing.
pub(crate) fn occur_beside(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    event: ElementIndex,
    with: Variables,
) -> Ruled {
    match &turn.model(event).kind {
        ElementKind::StartEvent(_) => begin_subprocess(turn, host, event, with),
        _ => occur(turn, host, event, with),
    }
}

/// An event subprocess of `host` begins at the start event it came by.
fn begin_subprocess(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    event: ElementIndex,
    with: Variables,
) -> Ruled {
    let start = turn.model(event);
    let subprocess = start.parent.expect("only event subprocesses wait inside a scope");
    let with = variables::payload_for_event(turn, host, with);
    flow::arrive(turn, subprocess, host, Some(&start.id), Role::Triggered, with)?;
    Ok(())
}

/// An event subprocess of `host` catches an error that came `from` somewhere in it. The others
/// in the scope go on unless it is the process itself.
pub(crate) fn catch_inside(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    event: ElementIndex,
    from: ElementInstanceKey,
    with: Variables,
) {
    if host == turn.work.record.root.key {
        scope::end_children(turn, host, None, LeaveKind::Completed);
        close_event_subprocesses(turn, host);
    } else if from != host {
        // What came from a flow of the scope itself has left no branch behind.
        let mut branch = from;
        while turn.element(branch).scope != host {
            branch = turn.element(branch).scope;
        }
        scope::end(turn, branch, LeaveKind::Completed);
    }
    let element = turn.model(event).parent.expect("it lies in an event subprocess");
    let with = variables::payload_for_event(turn, host, with);
    turn.work.push(Step::Arrive { element, scope: host, role: Role::Triggered, with });
}

/// Everything in a scope ends, and its event subprocesses wait no longer. Whether something has to
/// be asked first.
///
/// DIFFERENCE: in Camunda and Flowable its boundary events wait no longer either. Those of a loop
/// belong to its body, which goes on.
fn interrupt(turn: &mut Turn<'_>, scope: ElementInstanceKey) -> bool {
    let is_held = ending::hold_children(turn, scope, None);
    match turn.semantics().catching.interrupts_boundaries {
        true => {
            close_all(turn, scope);
            crate::jobs::cancel_timers(turn, scope, |_| true);
        }
        false => close_event_subprocesses(turn, scope),
    }
    is_held
}

/// The events of a scope's event subprocesses are not waited for any more.
pub(crate) fn close_event_subprocesses(turn: &mut Turn<'_>, scope: ElementInstanceKey) {
    let process = turn.process;
    let is_start = |id: &orloj_types::ElementId| {
        let index = process.find(id);
        index.is_some_and(|index| matches!(process.element(index).kind, ElementKind::StartEvent(_)))
    };
    let subscriptions: Vec<_> = turn.element(scope).subscriptions.iter().collect();
    let keys: Vec<_> =
        subscriptions.into_iter().filter(|s| is_start(&s.event)).map(|s| s.key).collect();
    for key in keys {
        close(turn, scope, key);
    }
    crate::jobs::cancel_timers(turn, scope, is_start);
}

/// A token begins at an event that has occurred.
fn arrive_at(
    turn: &mut Turn<'_>,
    element: ElementIndex,
    scope: ElementInstanceKey,
    with: Variables,
) {
    let role = Role::Triggered;
    let with = variables::payload_for_event(turn, scope, with);
    turn.work.push_next(Step::Arrive { element, scope, role, with });
}
