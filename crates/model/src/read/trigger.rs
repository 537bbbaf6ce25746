//! Event definitions: what is waited for, and what is thrown.

use std::sync::Arc;

use orloj_xml::quoted;

use crate::graph::{CompensationThrow, SignalThrow, Throw, Trigger, VariableChange, VariableEvent};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::definitions::local_name;
use crate::read::element::Surroundings;
use crate::read::event::Spot;

impl<'a> Context<'a> {
    /// What a catching event waits for.
    pub fn trigger(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
        spot: Spot,
        interrupting: bool,
    ) -> Option<Trigger> {
        Some(match definition.tag_name().name() {
            "timerEventDefinition" => {
                Trigger::Timer(self.timer(subject, definition, spot, interrupting)?)
            }
            "messageEventDefinition" => {
                Trigger::Message(self.message_catch(surroundings, subject, definition, spot)?)
            }
            "signalEventDefinition" => {
                Trigger::Signal(self.signal_catch(surroundings, subject, definition)?)
            }
            "errorEventDefinition" => {
                Trigger::Error(self.error_catch(surroundings, subject, definition)?)
            }
            "escalationEventDefinition" => {
                Trigger::Escalation(self.escalation_catch(surroundings, subject, definition)?)
            }
            "conditionalEventDefinition" => {
                Trigger::Condition(self.condition_catch(subject, definition)?)
            }
            "compensateEventDefinition" => {
                if spot != Spot::Start {
                    self.zeebe_id_of(subject, definition);
                }
                Trigger::Compensation
            }
            "cancelEventDefinition" => Trigger::Cancel,
            "linkEventDefinition" => {
                self.link_name(subject, definition)?;
                Trigger::Link
            }
            // Of a start event of Zeebe: nothing ever comes.
            "terminateEventDefinition" => Trigger::Cancel,
            _ => Trigger::Variable(self.variable_change(subject, definition)?),
        })
    }

    /// What a throwing event does.
    pub fn throw(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Throw> {
        Some(match definition.tag_name().name() {
            "messageEventDefinition" => {
                return self.message_throw(surroundings, subject, definition);
            }
            "signalEventDefinition" => {
                Throw::Signal(self.signal_throw(surroundings, subject, definition)?)
            }
            "errorEventDefinition" => {
                Throw::Error(self.error_throw(surroundings, subject, definition)?)
            }
            "escalationEventDefinition" => {
                Throw::Escalation(self.escalation_throw(surroundings, subject, definition)?)
            }
            "compensateEventDefinition" => {
                Throw::Compensation(self.compensation_throw(surroundings, subject, definition)?)
            }
            "cancelEventDefinition" => Throw::Cancel,
            "terminateEventDefinition" => Throw::Terminate {
                // Only Flowable reaches beyond the scope.
                all: self.dialect == Dialect::Flowable && self.flag(definition, "terminateAll"),
                multi_instance: self.dialect == Dialect::Flowable
                    && self.flag(definition, "terminateMultiInstance"),
            },
            _ => return self.link_throw(surroundings, subject, definition),
        })
    }

    /// Sent by code or by a worker. Camunda lets a message without either vanish.
    fn message_throw(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Throw> {
        if self.dialect == Dialect::Zeebe {
            self.zeebe_message_reference(surroundings, subject, definition);
        }
        let sender = self.message_sender(surroundings, subject, definition)?;
        Some(sender.map_or(Throw::None, |task| Throw::Message(Box::new(task))))
    }

    fn signal_throw(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<SignalThrow> {
        let (name, is_local) = self.signal(surroundings, subject, definition)?;
        let is_async = self.async_before(definition);
        let payload = self.signal_payload(subject, definition);
        Some(SignalThrow { name, is_local, is_async, payload })
    }

    pub fn compensation_throw(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<CompensationThrow> {
        let waits = self.attribute(definition, "waitForCompletion");
        // Camunda always waits.
        let waits =
            self.dialect == Dialect::Camunda7 || waits.is_none_or(|flag| flag.text != "false");
        self.zeebe_id_of(subject, definition);
        if !waits && self.dialect == Dialect::Zeebe {
            let message = format!("{} must wait until everything is undone", subject.title());
            self.error_at(subject, definition.range().start, "compensation-must-wait", message);
        }
        let written = self.attribute(definition, "activityRef").filter(|id| !id.text.is_empty());
        let activity = match written {
            None => None,
            Some(written) => match surroundings.by_id.get(self.activity_id(&written)) {
                Some(&index) => Some(index),
                None => {
                    self.unknown_reference(subject, &written, "activityRef", "activity");
                    return None;
                }
            },
        };
        Some(CompensationThrow { activity, waits })
    }

    /// Only Zeebe reads the name with a prefix.
    fn activity_id<'w>(&self, written: &'w Written<'a>) -> &'w str {
        match self.dialect {
            Dialect::Zeebe => local_name(&written.text),
            Dialect::Camunda7 | Dialect::Flowable => &written.text,
        }
    }

    fn link_throw(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Throw> {
        let name = self.link_name(subject, definition)?;
        match surroundings.links.target_of(subject.node, &name.text) {
            Some(target) => Some(Throw::Link(target)),
            // Camunda minds only when a token can come there; the checks know that.
            None if self.dialect == Dialect::Camunda7 => Some(Throw::None),
            None => {
                let message = format!(
                    "no event catches the link {} of {}",
                    quoted(&name.text),
                    subject.title()
                );
                self.error_at(subject, name.offset, "link-target-missing", message);
                None
            }
        }
    }

    fn link_name(&mut self, subject: &Subject<'a>, definition: Node<'a>) -> Option<Written<'a>> {
        let name = self.attribute(definition, "name");
        let name = name.filter(|n| self.dialect != Dialect::Zeebe || !n.text.is_empty());
        self.zeebe_id_of(subject, definition);
        if name.is_none() {
            let message = format!("the link of {} has no name", subject.title());
            self.error_at(subject, definition.range().start, "link-name-missing", message);
        }
        name
    }

    /// Zeebe needs ids of some definitions and stumbles without.
    pub fn zeebe_id_of(&mut self, subject: &Subject<'a>, definition: Node<'a>) {
        if self.dialect == Dialect::Zeebe && self.reference(definition, "id").is_none() {
            let name = definition.tag_name().name();
            let message = format!("the {name} of {} has no id", subject.title());
            self.error_at(subject, definition.range().start, "id-missing", message);
        }
    }

    fn variable_change(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<VariableChange> {
        let variable = self.own_attribute(definition, "variableName");
        let Some(variable) = variable.filter(|name| !name.text.is_empty()) else {
            let message = format!("{} names no variable to listen to", subject.title());
            self.error_at(subject, definition.range().start, "variable-name-missing", message);
            return None;
        };
        let change = self.own_attribute(definition, "variableChangeType");
        let events = match change.as_ref().map_or("", |change| &*change.text) {
            "create" => vec![VariableEvent::Create],
            "update" => vec![VariableEvent::Update],
            "" | "all" | "update-create" => vec![VariableEvent::Update, VariableEvent::Create],
            // Other words are taken, and hear of nothing.
            _ => Vec::new(),
        };
        Some(VariableChange { variable: Arc::from(&*variable.text), events })
    }

    pub fn unknown_reference(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
        attribute: &str,
        what: &str,
    ) {
        let message = format!(
            "{attribute} of {} names {}, which is no {what} of the file",
            subject.title(),
            quoted(&written.text)
        );
        self.error_at(subject, written.offset, "reference-unknown", message);
    }

    /// An attribute that refers to something, where it is there and not empty.
    pub fn reference(&self, definition: Node<'a>, attribute: &str) -> Option<Written<'a>> {
        self.attribute(definition, attribute).filter(|written| !written.text.is_empty())
    }
}
