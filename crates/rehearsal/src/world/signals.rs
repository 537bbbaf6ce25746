//! Broadcasts: signals to all who wait, and Zeebe's messages by name and key.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use orloj_expr::{Environment, Expression};
use orloj_interpreter::{Command, Signal, SubscriptionKind};
use orloj_model::{ElementKind, Process, Trigger};
use orloj_types::{
    DefinitionKey, Document, ElementId, InstanceKey, JobKey, SubscriptionKey, Timestamp, Value,
};

use super::World;
use super::engine::{Failed, NewInstance};
use super::state::InstanceState;
use crate::run::Engine;

/// A signal that one receiver hears in a job of its own.
#[derive(Clone)]
pub(super) struct PendingSignal {
    pub event: ElementId,
    pub variables: Document,
    pub receiver: Receiver,
}

#[derive(Clone)]
pub(super) enum Receiver {
    Waiting { instance: InstanceKey, subscription: SubscriptionKey },
    Start(DefinitionKey),
}

impl World {
    /// A signal from outside of any process.
    pub(super) fn send_signal(&mut self, name: &Arc<str>) -> Result<(), Failed> {
        let signal = Signal {
            name: name.clone(),
            variables: Document::new(),
            only: None,
            heard_by: None,
            is_async: false,
        };
        self.hear_all(VecDeque::from([signal]))
    }

    /// Everyone who waits for the signal hears it, the oldest first, then start events. What they
    /// send themselves is left to the caller.
    pub(super) fn broadcast(
        &mut self,
        signal: &Signal,
        more: &mut VecDeque<Signal>,
    ) -> Result<(), Failed> {
        for (receiver, event) in self.receivers(signal) {
            let pending = PendingSignal { event, variables: signal.variables.clone(), receiver };
            if signal.is_async {
                let key = JobKey::new(self.keys.next(self.now));
                self.state.facts.pending_signals.insert(key, pending);
                continue;
            }
            match self.deliver(&pending, more) {
                // There a broadcast is a command of its own for each receiver.
                Err(_) if self.engine == Engine::Zeebe => {}
                delivered => delivered?,
            }
        }
        Ok(())
    }

    pub(super) fn deliver(
        &mut self,
        pending: &PendingSignal,
        more: &mut VecDeque<Signal>,
    ) -> Result<(), Failed> {
        let variables = pending.variables.clone();
        match pending.receiver {
            Receiver::Start(definition) => {
                let at = Some(&pending.event);
                self.begin_quietly(
                    NewInstance { definition, at, variables, message_key: None },
                    more,
                )
            }
            Receiver::Waiting { instance, subscription } => {
                // An earlier receiver of the same signal may have ended this one's wait.
                let record = self.state.facts.record(instance);
                if record.is_none_or(|record| record.subscription(subscription).is_none()) {
                    return Ok(());
                }
                let command = Command::Trigger { subscription, variables };
                self.command_quietly(instance, command, more).map(drop)
            }
        }
    }

    fn receivers(&self, signal: &Signal) -> Vec<(Receiver, ElementId)> {
        let mut waiting = Vec::new();
        for (_, record) in self.state.facts.live() {
            let instance = record.instance;
            let is_deaf = signal.heard_by == Some(instance)
                || signal.only.is_some_and(|only| only != instance);
            if is_deaf {
                continue;
            }
            let process = &self.definitions.get(record.definition).process;
            for found in record.holders().flat_map(|holder| &holder.subscriptions) {
                let SubscriptionKind::Signal { name } = &found.kind else { continue };
                let is_meant = signal.only.is_some() || !is_local(process, &found.event);
                if *name == signal.name && is_meant {
                    let subscription = found.key;
                    waiting.push((subscription, instance, found.event.clone()));
                }
            }
        }
        waiting.sort_by_key(|(subscription, ..)| *subscription);
        let mut receivers: Vec<_> = waiting
            .into_iter()
            .map(|(subscription, instance, event)| {
                (Receiver::Waiting { instance, subscription }, event)
            })
            .collect();
        if signal.only.is_none() {
            for definition in self.definitions.all_latest() {
                for (event, trigger) in start_triggers(&definition.process) {
                    let Trigger::Signal(signal_catch) = trigger else { continue };
                    if text_of(&signal_catch.name, self.now).as_ref() == Some(&signal.name) {
                        receivers.push((Receiver::Start(definition.key), event.clone()));
                    }
                }
            }
        }
        receivers
    }

    /// A message by its name and key, as Zeebe takes it: of each process it reaches at most one
    /// instance, the one that has waited longest, and otherwise its start event.
    pub(super) fn publish(&mut self, name: &Arc<str>, key: &Arc<str>) -> Result<(), Failed> {
        let mut waiting = Vec::new();
        for (_, record) in self.state.facts.live() {
            for found in record.holders().flat_map(|holder| &holder.subscriptions) {
                let SubscriptionKind::Message { name: awaited, correlation_key } = &found.kind
                else {
                    continue;
                };
                if awaited == name && correlation_key.as_deref().unwrap_or_default() == &**key {
                    waiting.push((found.key, record.instance, record.definition));
                }
            }
        }
        waiting.sort_by_key(|(subscription, ..)| *subscription);
        let mut reached = BTreeSet::new();
        for (subscription, instance, definition) in waiting {
            let process = self.definitions.get(definition).process.id.clone();
            if reached.insert(process) {
                let variables = Document::new();
                self.command(instance, Command::Trigger { subscription, variables })?;
            }
        }
        for (definition, event) in self.message_starts(name) {
            let process = self.definitions.get(definition).process.id.clone();
            if reached.contains(&process) || self.is_taken(definition, key) {
                continue;
            }
            self.begin(NewInstance {
                definition,
                at: Some(&event),
                variables: Document::new(),
                message_key: Some(key.clone()),
            })?;
        }
        Ok(())
    }

    fn message_starts(&self, name: &Arc<str>) -> Vec<(DefinitionKey, ElementId)> {
        let mut starts = Vec::new();
        for definition in self.definitions.all_latest() {
            for (event, trigger) in start_triggers(&definition.process) {
                let Trigger::Message(message) = trigger else { continue };
                if text_of(&message.name, self.now).as_ref() == Some(name) {
                    starts.push((definition.key, event.clone()));
                }
            }
        }
        starts
    }

    /// While an instance runs that a message with this key has started, another does not start.
    fn is_taken(&self, definition: DefinitionKey, key: &Arc<str>) -> bool {
        !key.is_empty()
            && self.state.facts.instances.values().any(|instance| {
                instance.definition == definition
                    && instance.state == InstanceState::Active
                    && instance.started_by_key.as_ref() == Some(key)
            })
    }
}

/// The start events of the process itself that wait for something.
pub(super) fn start_triggers(process: &Process) -> impl Iterator<Item = (&ElementId, &Trigger)> {
    process.root.starts.iter().filter_map(|&index| {
        let element = process.element(index);
        match &element.kind {
            ElementKind::StartEvent(start) => {
                start.trigger.as_ref().map(|trigger| (&element.id, trigger))
            }
            _ => None,
        }
    })
}

/// A name that is evaluated before there is any variable.
pub(super) fn text_of(expression: &Expression, now: Timestamp) -> Option<Arc<str>> {
    match expression.evaluate(&Environment::new(&(), now)).ok()?.value {
        Value::Text(text) => Some(text),
        Value::Null => None,
        other => Some(other.to_json().into()),
    }
}

fn is_local(process: &Process, event: &ElementId) -> bool {
    let Some(index) = process.find(event) else { return false };
    let trigger = match &process.element(index).kind {
        ElementKind::StartEvent(start) => start.trigger.as_ref(),
        ElementKind::CatchEvent(trigger) => trigger.as_ref(),
        ElementKind::BoundaryEvent(boundary) => Some(&boundary.trigger),
        _ => None,
    };
    matches!(trigger, Some(Trigger::Signal(signal)) if signal.is_local)
}
