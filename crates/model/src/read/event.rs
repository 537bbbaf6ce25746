//! Start, end, catch and boundary events.

use orloj_xml::quoted;

use crate::graph::{ElementIndex, ElementKind};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, is_bpmn};
use crate::read::dialect::FLOWABLE;
use crate::read::element::Surroundings;
use crate::read::extension::extension_elements;

impl<'a> Context<'a> {
    pub fn start_event(&mut self, subject: &Subject<'a>) -> Option<ElementKind> {
        if let Some(found) = self.extension_attribute(subject.node, "initiator") {
            let message = format!("initiator of {} has no effect yet", subject.title());
            self.warn_at(subject, found.offset, "ignored-attribute", message);
        }
        match definitions(subject.node)[..] {
            [] => Some(ElementKind::NoneStart),
            [definition, ..] => self.unsupported_definition(subject, definition),
        }
    }

    pub fn end_event(&mut self, subject: &Subject<'a>) -> Option<ElementKind> {
        match definitions(subject.node)[..] {
            [] => Some(ElementKind::NoneEnd),
            [definition, ..] => self.unsupported_definition(subject, definition),
        }
    }

    pub fn catch_event(&mut self, subject: &Subject<'a>) -> Option<ElementKind> {
        let definition = self.one_definition(subject)?;
        match definition.tag_name().name() {
            "timerEventDefinition" => {
                self.timer(subject, definition, true).map(ElementKind::TimerCatch)
            }
            _ => self.unsupported_definition(subject, definition),
        }
    }

    pub fn boundary_event(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let attached_to = self.attached_to(surroundings, subject);
        let definition = self.one_definition(subject)?;
        let cancel = self.attribute(subject.node, "cancelActivity");
        let interrupting = !cancel.is_some_and(|flag| flag.text.eq_ignore_ascii_case("false"));
        match definition.tag_name().name() {
            "timerEventDefinition" => {
                let timer = self.timer(subject, definition, interrupting);
                let (timer, attached_to) = (timer?, attached_to?);
                Some(ElementKind::TimerBoundary { attached_to, interrupting, timer })
            }
            "errorEventDefinition" => {
                self.check_error_interrupts(subject, interrupting);
                let catches = self.error_catch(surroundings, subject, definition);
                let (catches, attached_to) = (catches?, attached_to?);
                Some(ElementKind::ErrorBoundary { attached_to, catches })
            }
            _ => self.unsupported_definition(subject, definition),
        }
    }

    fn attached_to(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementIndex> {
        let Some(written) = self.attribute(subject.node, "attachedToRef") else {
            let message = format!("{} is attached to nothing", subject.title());
            self.error(subject, "boundary-unattached", message);
            return None;
        };
        let by_id = &surroundings.by_id;
        let found = by_id.get(&*written.text).or_else(|| by_id.get(local_name(&written.text)));
        if found.is_none() {
            let message = format!(
                "{} is attached to {}, which is no element of the process",
                subject.title(),
                quoted(&written.text)
            );
            self.error_at(subject, written.offset, "boundary-unattached", message);
        }
        found.copied()
    }

    fn check_error_interrupts(&mut self, subject: &Subject<'a>, interrupting: bool) {
        if interrupting {
            return;
        }
        const CODE: &str = "error-boundary-must-interrupt";
        let message = format!("{} catches an error and so always interrupts", subject.title());
        match self.dialect {
            Dialect::Zeebe => self.error(subject, CODE, message),
            Dialect::Camunda7 | Dialect::Flowable => self.warn(subject, CODE, message),
        }
    }

    fn one_definition(&mut self, subject: &Subject<'a>) -> Option<Node<'a>> {
        match definitions(subject.node)[..] {
            [definition] => Some(definition),
            [] => {
                let message = format!("{} has no event definition", subject.title());
                self.error(subject, "event-definition-missing", message);
                None
            }
            [_, second, ..] => {
                let message = format!("{} has more than one event definition", subject.title());
                self.error_at(subject, second.range().start, "event-definition-repeated", message);
                None
            }
        }
    }

    fn unsupported_definition(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<ElementKind> {
        let name = definition.tag_name().name();
        let message = format!("{} with {name} is not supported yet", subject.title());
        self.error_at(subject, definition.range().start, "unsupported-event", message);
        None
    }
}

/// What the event waits for. Flowable adds definitions in its own namespace, and names events of
/// its registry in an extension.
fn definitions<'a>(event: Node<'a>) -> Vec<Node<'a>> {
    let is_definition = |node: &Node<'a>| {
        let name = node.tag_name().name();
        let is_vendors = node.tag_name().namespace() == Some(FLOWABLE);
        (is_bpmn(*node) || is_vendors)
            && (name.ends_with("EventDefinition") || name == "eventDefinitionRef")
    };
    let registry =
        extension_elements(event).filter(|node| node.has_tag_name((FLOWABLE, "eventType")));
    event.children().filter(is_definition).chain(registry).collect()
}

/// References are qualified names; tools write them with and without a prefix.
pub(crate) fn local_name(reference: &str) -> &str {
    reference.rsplit_once(':').map_or(reference, |(_, local)| local)
}
