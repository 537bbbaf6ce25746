//! Messages that events and receive tasks wait for.

use orloj_expr::Expression;
use orloj_types::Value;

use crate::graph::{ElementKind, MessageCatch, ReceiveTask, RegistryEvent, Trigger};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::definitions::Named;
use crate::read::dialect::ZEEBE;
use crate::read::element::Surroundings;
use crate::read::event::Spot;
use crate::read::expression::is_uel;
use crate::read::extension::extension_elements;

impl<'a> Context<'a> {
    pub fn message_catch(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
        spot: Spot,
    ) -> Option<MessageCatch> {
        let caught = match self.dialect {
            Dialect::Zeebe => {
                let message = self.zeebe_message_reference(surroundings, subject, definition)?;
                self.zeebe_message(subject, &message, spot)
            }
            Dialect::Camunda7 => {
                let message = self.camunda_message(surroundings, subject, definition)?;
                self.camunda_message_name(subject, &message, spot)
            }
            Dialect::Flowable => self.flowable_message(surroundings, subject, definition, spot),
        }?;
        if spot == Spot::Start {
            self.check_start_name(subject, "the message name", &caught.name);
        }
        Some(caught)
    }

    /// The message that a definition refers to, which must be there.
    pub fn zeebe_message_reference(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Named<'a>> {
        // A message that is thrown needs none.
        let is_thrown = matches!(subject.tag(), "endEvent" | "intermediateThrowEvent");
        let Some(written) = self.reference(definition, "messageRef") else {
            if !is_thrown {
                self.message_missing(subject, definition);
            }
            return None;
        };
        let found = surroundings.definitions.message(definition, &written.text);
        let found = found.cloned();
        if let (Some(found), true) = (&found, is_thrown)
            && let Some(name) = self.zeebe_message_name(found)
        {
            // Nobody is sent it, but it must parse.
            self.value(subject, &name);
        }
        if found.is_none() && !is_thrown {
            self.unknown_reference(subject, &written, "messageRef", "message");
        }
        found
    }

    fn zeebe_message_name(&mut self, message: &Named<'a>) -> Option<Written<'a>> {
        let written = message.word.clone().filter(|name| !name.text.is_empty());
        if written.is_none() {
            let text = format!("{} has no name", message.subject.title());
            self.error(&message.subject, "message-name-missing", text);
        }
        written
    }

    fn zeebe_message(
        &mut self,
        subject: &Subject<'a>,
        message: &Named<'a>,
        spot: Spot,
    ) -> Option<MessageCatch> {
        let written = self.zeebe_message_name(message)?;
        let name = self.value(subject, &written)?;
        if spot == Spot::Start {
            // Nobody is there yet whose variables could be looked at.
            if self.constant_text(subject, &name).is_none() {
                let text = format!("the message name of {} cannot be computed", subject.title());
                self.error_at(subject, written.offset, "message-name-computed", text);
                return None;
            }
            return Some(MessageCatch { name, correlation_key: None });
        }
        let mut subscriptions = extension_elements(message.subject.node)
            .filter(|node| node.has_tag_name((ZEEBE, "subscription")));
        let (subscription, second) = (subscriptions.next(), subscriptions.next());
        let Some(subscription) = subscription.filter(|_| second.is_none()) else {
            let text = format!(
                "{} waits for {}, which must have exactly one zeebe:subscription",
                subject.title(),
                message.subject.title()
            );
            self.error(&message.subject, "correlation-key-missing", text);
            return None;
        };
        // What is wrong with the key was said where the message stands.
        let key = self.own_attribute(subscription, "correlationKey")?;
        let key = orloj_expr::zeebe_expression(&key.text).ok()?;
        Some(MessageCatch { name, correlation_key: Some(key) })
    }

    /// Zeebe looks at all messages, also at those that nothing refers to.
    pub fn check_message(&mut self, message: &Subject<'a>) {
        self.check_idle_extensions(message);
        if self.dialect != Dialect::Zeebe {
            return;
        }
        let is_subscription = |node: &Node<'a>| node.has_tag_name((ZEEBE, "subscription"));
        let subscriptions: Vec<_> =
            extension_elements(message.node).filter(is_subscription).collect();
        for node in subscriptions {
            let key = self.own_attribute(node, "correlationKey").filter(|key| !key.text.is_empty());
            match key {
                Some(key) => {
                    self.expression_required(message, &key, "the correlationKey");
                }
                None => {
                    let text =
                        format!("the subscription of {} has no correlationKey", message.title());
                    let offset = node.range().start;
                    self.error_at(message, offset, "correlation-key-missing", text);
                }
            }
        }
    }

    fn camunda_message(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Named<'a>> {
        let Some(written) = self.reference(definition, "messageRef") else {
            self.message_missing(subject, definition);
            return None;
        };
        let found = surroundings.definitions.message(definition, &written.text).cloned();
        if found.is_none() {
            self.unknown_reference(subject, &written, "messageRef", "message");
        }
        found
    }

    fn camunda_message_name(
        &mut self,
        subject: &Subject<'a>,
        message: &Named<'a>,
        spot: Spot,
    ) -> Option<MessageCatch> {
        let written = message.word.clone().filter(|name| !name.text.trim().is_empty());
        let Some(written) = written else {
            let text = format!(
                "{} waits for {}, which has no name",
                subject.title(),
                message.subject.title()
            );
            self.error(subject, "message-name-missing", text);
            return None;
        };
        if spot == Spot::Start && is_uel(&written.text) {
            let text = format!("the message name of {} cannot be computed", subject.title());
            self.error_at(subject, written.offset, "message-name-computed", text);
            return None;
        }
        Some(MessageCatch { name: self.value(subject, &written)?, correlation_key: None })
    }

    fn flowable_message(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
        spot: Spot,
    ) -> Option<MessageCatch> {
        let name = match self.reference(definition, "messageRef") {
            Some(written) => {
                let Some(found) =
                    surroundings.definitions.message(definition, &written.text).cloned()
                else {
                    self.unknown_reference(subject, &written, "messageRef", "message");
                    return None;
                };
                // The name is never computed; without one nobody is heard.
                let name = found.word.map(|name| name.text.into_owned()).unwrap_or_default();
                Expression::constant(Value::text(name))
            }
            None => {
                let written = self.extension_attribute(definition, "messageExpression");
                let Some(written) = written.filter(|written| !written.text.is_empty()) else {
                    self.message_missing(subject, definition);
                    return None;
                };
                match spot {
                    Spot::Start => self.message_at_start(subject, &written)?,
                    _ => self.late_value(subject, &written)?,
                }
            }
        };
        let name = match spot {
            Spot::Start => self.fixed_at_start(subject, name),
            _ => name,
        };
        Some(MessageCatch { name, correlation_key: None })
    }

    /// Flowable computes it when the process is deployed; nobody is there yet whose variables
    /// could be looked at.
    fn message_at_start(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
    ) -> Option<Expression> {
        let name = self.value(subject, written)?;
        if self.constant(subject, &name).is_none() {
            let text = format!("the message name of {} cannot be computed", subject.title());
            self.error_at(subject, written.offset, "message-name-computed", text);
            return None;
        }
        Some(name)
    }

    fn message_missing(&mut self, subject: &Subject<'a>, definition: Node<'a>) {
        let message = format!("{} refers to no message", subject.title());
        self.error_at(subject, definition.range().start, "message-missing", message);
    }

    pub fn receive_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let message = match self.dialect {
            Dialect::Zeebe => {
                Some(self.message_catch(surroundings, subject, subject.node, Spot::Catch)?)
            }
            Dialect::Camunda7 => match self.attribute(subject.node, "messageRef") {
                Some(_) => {
                    Some(self.message_catch(surroundings, subject, subject.node, Spot::Catch)?)
                }
                None => None,
            },
            Dialect::Flowable => {
                if let Some(event) = self.registry_event(subject) {
                    return Some(ElementKind::CatchEvent(Some(Trigger::Registry(event))));
                }
                None
            }
        };
        Some(ElementKind::ReceiveTask(ReceiveTask { message }))
    }

    fn registry_event(&mut self, subject: &Subject<'a>) -> Option<RegistryEvent> {
        let node = self.extension(subject, "eventType")?;
        let written = Some(self.content(node)).filter(|written| !written.text.is_empty())?;
        self.registry_event_of(subject, &written)
    }

    /// `None`: an expression is wrong.
    pub fn registry_event_of(
        &mut self,
        subject: &Subject<'a>,
        event_type: &Written<'a>,
    ) -> Option<RegistryEvent> {
        let event_type = match subject.tag() {
            // It is never computed where something begins.
            "startEvent" => Expression::constant(Value::text(&*event_type.text)),
            _ => self.value(subject, event_type)?,
        };
        let node = subject.node;
        let named = |name: &'static str| {
            extension_elements(node).filter(move |e| e.tag_name().name() == name)
        };
        let mut correlation = Vec::new();
        for parameter in named("eventCorrelationParameter") {
            if let Some(value) = self.own_attribute(parameter, "value") {
                correlation.push(self.late_value(subject, &value)?);
            }
        }
        let is_manual = named("startEventCorrelationConfiguration")
            .any(|node| self.content(node).text == "manualSubscription");
        Some(RegistryEvent { event_type, correlation, is_manual })
    }
}
