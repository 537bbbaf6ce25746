//! Events: where they stand, and which of their definitions counts.

use std::sync::Arc;

use orloj_xml::quoted;

use crate::graph::{
    Boundary, ElementIndex, ElementKind, RegistryEvent, StartEvent, Throw, Trigger,
};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, is_bpmn};
pub(crate) use crate::read::definitions::local_name;
use crate::read::dialect::FLOWABLE;
use crate::read::element::Surroundings;
use crate::read::extension::extension_elements;

/// Where an event stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    /// Start event of the process itself.
    Start,
    /// Start event of a subprocess that a token enters.
    InnerStart,
    /// Start event of an event subprocess.
    EventStart,
    Catch,
    Boundary,
    Throw,
    End,
}

impl Spot {
    fn waits(self) -> bool {
        !matches!(self, Self::Throw | Self::End)
    }

    /// The definitions that the dialect knows there; for Camunda in the order in which it looks.
    fn known(self, dialect: Dialect) -> &'static [&'static str] {
        match (dialect, self) {
            (Dialect::Camunda7, Self::Start) => &["timer", "message", "signal", "conditional"],
            (Dialect::Camunda7, Self::InnerStart) => &[],
            (Dialect::Camunda7, Self::EventStart) => {
                &["error", "message", "signal", "timer", "compensate", "escalation", "conditional"]
            }
            (Dialect::Camunda7, Self::Catch) => {
                &["timer", "signal", "message", "link", "conditional"]
            }
            (Dialect::Camunda7, Self::Boundary) => &[
                "timer",
                "error",
                "signal",
                "cancel",
                "compensate",
                "message",
                "escalation",
                "conditional",
            ],
            (Dialect::Camunda7, Self::Throw) => {
                &["link", "signal", "compensate", "message", "escalation"]
            }
            (Dialect::Camunda7, Self::End) => {
                &["error", "cancel", "terminate", "message", "signal", "compensate", "escalation"]
            }
            (Dialect::Flowable, Self::Start) => &["message", "timer", "signal"],
            (Dialect::Flowable, Self::InnerStart) => &[],
            (Dialect::Flowable, Self::EventStart) => &[
                "conditional",
                "error",
                "escalation",
                "message",
                "signal",
                "timer",
                "variableListener",
            ],
            (Dialect::Flowable, Self::Catch) => {
                &["timer", "signal", "message", "conditional", "variableListener"]
            }
            (Dialect::Flowable, Self::Boundary) => &[
                "timer",
                "error",
                "signal",
                "cancel",
                "message",
                "conditional",
                "compensate",
                "escalation",
                "variableListener",
            ],
            (Dialect::Flowable, Self::Throw) => &["signal", "escalation", "compensate"],
            // An end event undoes nothing there.
            (Dialect::Flowable, Self::End) => &["error", "terminate", "cancel", "escalation"],
            // Nothing ever brings an error or an escalation to a process, but it may wait.
            (Dialect::Zeebe, Self::Start) => {
                &["message", "timer", "signal", "error", "escalation", "compensate", "terminate"]
            }
            (Dialect::Zeebe, Self::InnerStart) => &[],
            (Dialect::Zeebe, Self::EventStart) => {
                &["message", "timer", "error", "signal", "escalation"]
            }
            (Dialect::Zeebe, Self::Catch) => &["message", "timer", "link", "signal"],
            (Dialect::Zeebe, Self::Boundary) => {
                &["message", "timer", "error", "signal", "escalation", "compensate"]
            }
            (Dialect::Zeebe, Self::Throw) => {
                &["message", "link", "escalation", "signal", "compensate"]
            }
            (Dialect::Zeebe, Self::End) => {
                &["error", "message", "terminate", "signal", "escalation", "compensate"]
            }
        }
    }
}

/// Which definition of an event counts.
enum Chosen<'a> {
    Nothing,
    Definition(Node<'a>),
    Registry(RegistryEvent),
    /// An error says why.
    Wrong,
}

impl<'a> Context<'a> {
    pub fn start_event(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let spot = start_spot(self, subject.node);
        let interrupting = self.is_interrupting(subject, "isInterrupting");
        let trigger = match self.choose(surroundings, subject, spot) {
            Chosen::Wrong => return None,
            Chosen::Nothing => None,
            Chosen::Registry(event) => Some(Trigger::Registry(event)),
            Chosen::Definition(definition) => {
                self.check_error_interrupts(subject, definition, spot, interrupting);
                Some(self.trigger(surroundings, subject, definition, spot, interrupting)?)
            }
        };
        if spot == Spot::EventStart && trigger.is_none() && !self.may_start_by_nothing(subject) {
            return None;
        }
        let initiator = self.extension_attribute(subject.node, "initiator");
        let initiator = initiator.filter(|name| !name.text.is_empty());
        Some(ElementKind::StartEvent(StartEvent {
            trigger,
            interrupting,
            initiator: initiator.map(|name| Arc::from(&*name.text)),
        }))
    }

    pub fn end_event(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        self.thrown(surroundings, subject, Spot::End).map(ElementKind::EndEvent)
    }

    pub fn throw_event(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        self.thrown(surroundings, subject, Spot::Throw).map(ElementKind::ThrowEvent)
    }

    fn thrown(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        spot: Spot,
    ) -> Option<Throw> {
        match self.choose(surroundings, subject, spot) {
            Chosen::Wrong => None,
            Chosen::Nothing => Some(Throw::None),
            Chosen::Registry(event) => Some(Throw::Registry(event)),
            Chosen::Definition(definition) => self.throw(surroundings, subject, definition),
        }
    }

    pub fn catch_event(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let trigger = match self.choose(surroundings, subject, Spot::Catch) {
            Chosen::Wrong => return None,
            Chosen::Registry(event) => Some(Trigger::Registry(event)),
            Chosen::Definition(definition) => {
                Some(self.trigger(surroundings, subject, definition, Spot::Catch, true)?)
            }
            Chosen::Nothing if self.has_registry(subject) => None,
            Chosen::Nothing => return self.definition_missing(subject),
        };
        Some(ElementKind::CatchEvent(trigger))
    }

    pub fn boundary_event(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let attached_to = self.attached_to(surroundings, subject);
        let written = self.is_interrupting(subject, "cancelActivity");
        let (trigger, interrupting) = match self.choose(surroundings, subject, Spot::Boundary) {
            Chosen::Wrong => return None,
            Chosen::Nothing => return self.definition_missing(subject),
            Chosen::Registry(event) => (Trigger::Registry(event), written),
            Chosen::Definition(definition) => {
                self.check_error_interrupts(subject, definition, Spot::Boundary, written);
                let trigger =
                    self.trigger(surroundings, subject, definition, Spot::Boundary, written)?;
                let always =
                    matches!(trigger, Trigger::Error(_) | Trigger::Cancel | Trigger::Compensation);
                (trigger, written || always)
            }
        };
        let Some(attached_to) = attached_to else {
            // Flowable lets it be: no token ever comes there.
            let is_let_be = self.dialect == Dialect::Flowable;
            return is_let_be.then_some(ElementKind::CatchEvent(None));
        };
        Some(ElementKind::BoundaryEvent(Boundary { attached_to, interrupting, trigger }))
    }

    fn is_interrupting(&self, subject: &Subject<'a>, attribute: &str) -> bool {
        let flag = self.attribute(subject.node, attribute);
        !flag.is_some_and(|flag| flag.text.eq_ignore_ascii_case("false") || flag.text == "0")
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
        // Camunda takes a prefix for a part of the id.
        let id = match self.dialect {
            Dialect::Camunda7 => &*written.text,
            Dialect::Flowable | Dialect::Zeebe => local_name(&written.text),
        };
        let found = surroundings.by_id.get(id);
        if found.is_none() {
            let message = format!(
                "{} is attached to {}, which is no element of the process",
                subject.title(),
                quoted(&written.text)
            );
            let is_flow = |node: Node<'a>| {
                node.tag_name().name() == "sequenceFlow" && node.attribute("id") == Some(id)
            };
            let has_flow = |scope: Node<'a>| scope.children().any(is_flow);
            match self.dialect {
                // Flowable lets be what is attached to nothing, but a flow beside it is something.
                Dialect::Flowable if !subject.node.parent().is_some_and(has_flow) => {
                    self.warn_at(subject, written.offset, "boundary-unattached", message);
                }
                Dialect::Flowable | Dialect::Camunda7 | Dialect::Zeebe => {
                    self.error_at(subject, written.offset, "boundary-unattached", message);
                }
            }
        }
        found.copied()
    }

    fn check_error_interrupts(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
        spot: Spot,
        interrupting: bool,
    ) {
        if interrupting || definition.tag_name().name() != "errorEventDefinition" {
            return;
        }
        const CODE: &str = "error-event-must-interrupt";
        let message = format!("{} catches an error and so always interrupts", subject.title());
        match (self.dialect, spot) {
            (Dialect::Zeebe, _) | (Dialect::Camunda7, Spot::EventStart) => {
                self.error(subject, CODE, message);
            }
            (Dialect::Camunda7 | Dialect::Flowable, _) => self.warn(subject, CODE, message),
        }
    }

    /// Flowable leaves out an event subprocess that nothing can begin.
    fn may_start_by_nothing(&mut self, subject: &Subject<'a>) -> bool {
        const CODE: &str = "event-definition-missing";
        let message = format!("{} begins an event subprocess without a trigger", subject.title());
        match self.dialect {
            Dialect::Flowable => self.warn(subject, CODE, message),
            Dialect::Camunda7 | Dialect::Zeebe => self.error(subject, CODE, message),
        }
        self.dialect == Dialect::Flowable
    }

    fn choose(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        spot: Spot,
    ) -> Chosen<'a> {
        let mut found = definitions(subject.node);
        if self.dialect == Dialect::Flowable {
            // Its reader does not know the others at all.
            found.retain(|node| match kind_of(*node) {
                "link" => false,
                "terminate" => spot == Spot::End,
                _ => true,
            });
        }
        let known = spot.known(self.dialect);
        let chosen = match self.dialect {
            Dialect::Camunda7 => self.choose_by_order(subject, spot, &found, known),
            Dialect::Flowable => self.choose_first(subject, spot, &found, known),
            Dialect::Zeebe => self.choose_only(subject, spot, &found, known),
        };
        if self.dialect != Dialect::Camunda7 && !matches!(chosen, Chosen::Wrong) {
            // What waits to be undone does not look at the activity that it names.
            let is_read = |node: Node<'a>| {
                let waits = kind_of(node) == "compensate" && spot.waits();
                matches!(&chosen, Chosen::Definition(c) if *c == node) && !waits
            };
            for &node in found.iter().filter(|node| !is_read(**node)) {
                self.check_ignored(surroundings, subject, node);
            }
        }
        chosen
    }

    /// Flowable and Zeebe look at what every definition holds, also where it has no effect.
    fn check_ignored(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) {
        match (kind_of(definition), self.dialect) {
            ("timer", dialect) => {
                let kind = self.timer_kind(subject, definition);
                if let (Some((_, node)), Dialect::Zeebe) = (kind, dialect) {
                    let written = self.content(node);
                    self.value(subject, &written);
                }
            }
            ("compensate", Dialect::Flowable) => {
                self.compensation_throw(surroundings, subject, definition);
            }
            ("error", Dialect::Zeebe) => {
                self.error_catch(surroundings, subject, definition);
            }
            ("compensate", Dialect::Zeebe)
                if subject.tag() == "startEvent"
                    && self.reference(definition, "activityRef").is_some() =>
            {
                self.compensation_throw(surroundings, subject, definition);
            }
            ("terminate", Dialect::Zeebe) => {}
            (_, Dialect::Zeebe) if subject.tag() == "intermediateThrowEvent" => {
                self.throw(surroundings, subject, definition);
            }
            ("signal", Dialect::Flowable) => {
                self.signal(surroundings, subject, definition);
            }
            ("message", Dialect::Flowable) => {
                self.message_catch(surroundings, subject, definition, Spot::End);
            }
            _ => {}
        }
    }

    /// Camunda asks for each kind in turn and sees nothing else.
    fn choose_by_order(
        &mut self,
        subject: &Subject<'a>,
        spot: Spot,
        found: &[Node<'a>],
        known: &[&str],
    ) -> Chosen<'a> {
        let kinds = known.iter();
        let chosen = kinds.filter_map(|kind| found.iter().find(|node| kind_of(**node) == *kind));
        let chosen = chosen.copied().next();
        for kind in known {
            let second = found.iter().filter(|node| kind_of(**node) == *kind).nth(1);
            if let Some(second) = second {
                let message =
                    format!("{} has more than one {kind}EventDefinition", subject.title());
                self.error_at(subject, second.range().start, "event-definition-repeated", message);
                return Chosen::Wrong;
            }
        }
        for node in found.iter().filter(|node| Some(**node) != chosen && is_bpmn(**node)) {
            if spot == Spot::InnerStart
                && !matches!(kind_of(*node), "cancel" | "link" | "terminate")
            {
                return self.misplaced_definition(subject, *node);
            }
            self.ignored_definition(subject, *node);
        }
        chosen.map_or(Chosen::Nothing, Chosen::Definition)
    }

    /// Flowable looks at the first definition only.
    fn choose_first(
        &mut self,
        subject: &Subject<'a>,
        spot: Spot,
        found: &[Node<'a>],
        known: &[&str],
    ) -> Chosen<'a> {
        let registry = registry(subject.node);
        let Some((&first, others)) = found.split_first() else {
            let Some(registry) = registry else { return Chosen::Nothing };
            let written = self.content(registry);
            if spot == Spot::Start && written.text.is_empty() {
                let message = format!("the eventType of {} is empty", subject.title());
                self.error_at(subject, registry.range().start, "event-type-missing", message);
                return Chosen::Wrong;
            }
            if written.text.is_empty() || matches!(spot, Spot::Throw | Spot::End) {
                return Chosen::Nothing;
            }
            let event = self.registry_event_of(subject, &written);
            return event.map_or(Chosen::Wrong, Chosen::Registry);
        };
        for &other in others {
            self.ignored_definition(subject, other);
        }
        if known.contains(&kind_of(first)) {
            return Chosen::Definition(first);
        }
        if spot == Spot::End {
            self.ignored_definition(subject, first);
            return Chosen::Nothing;
        }
        self.misplaced_definition(subject, first)
    }

    fn choose_only(
        &mut self,
        subject: &Subject<'a>,
        spot: Spot,
        found: &[Node<'a>],
        known: &[&str],
    ) -> Chosen<'a> {
        match found {
            [] => Chosen::Nothing,
            [only] if known.contains(&kind_of(*only)) => Chosen::Definition(*only),
            [only] if is_passed_over(spot, kind_of(*only)) => {
                self.ignored_definition(subject, *only);
                Chosen::Nothing
            }
            [only] => self.misplaced_definition(subject, *only),
            // The first counts; the others are only looked at.
            [first, ..] if spot == Spot::Throw => {
                let is_known =
                    |kind: &str| known.contains(&kind) || is_passed_over(Spot::Throw, kind);
                if let Some(other) = found.iter().find(|node| !is_known(kind_of(**node))) {
                    return self.misplaced_definition(subject, *other);
                }
                for node in found.iter().filter(|node| *node != first) {
                    self.ignored_definition(subject, *node);
                }
                match known.contains(&kind_of(*first)) {
                    true => Chosen::Definition(*first),
                    false => Chosen::Nothing,
                }
            }
            [_, second, ..] => {
                let message = format!("{} has more than one event definition", subject.title());
                self.error_at(subject, second.range().start, "event-definition-repeated", message);
                Chosen::Wrong
            }
        }
    }

    fn ignored_definition(&mut self, subject: &Subject<'a>, definition: Node<'a>) {
        let name = definition.tag_name().name();
        let message = format!("{name} of {} has no effect", subject.title());
        self.warn_at(subject, definition.range().start, "ignored-event-definition", message);
    }

    fn misplaced_definition(&mut self, subject: &Subject<'a>, definition: Node<'a>) -> Chosen<'a> {
        let name = definition.tag_name().name();
        let message = format!("{} cannot have a {name} here", subject.title());
        self.error_at(subject, definition.range().start, "event-definition-misplaced", message);
        Chosen::Wrong
    }

    /// Whether an event of the registry is meant, even if it is left open which.
    fn has_registry(&self, subject: &Subject<'a>) -> bool {
        self.dialect == Dialect::Flowable && registry(subject.node).is_some()
    }

    fn definition_missing(&mut self, subject: &Subject<'a>) -> Option<ElementKind> {
        let message = format!("{} has no event definition", subject.title());
        self.error(subject, "event-definition-missing", message);
        None
    }
}

/// Where a start event stands.
fn start_spot<'a>(ctx: &Context<'a>, event: Node<'a>) -> Spot {
    match event.parent_element() {
        Some(parent) if parent.tag_name().name() == "process" => Spot::Start,
        Some(parent) if is_event_subprocess(ctx, parent) => Spot::EventStart,
        _ => Spot::InnerStart,
    }
}

pub(crate) fn is_event_subprocess<'a>(ctx: &Context<'a>, subprocess: Node<'a>) -> bool {
    let flag = ctx.attribute(subprocess, "triggeredByEvent");
    subprocess.tag_name().name() == "subProcess" && flag.is_some_and(|flag| ctx.is_true(&flag.text))
}

/// What the event waits for or throws. References to definitions outside are not among them: none
/// of the three systems follows them. Flowable adds definitions in its own namespace.
fn definitions<'a>(event: Node<'a>) -> Vec<Node<'a>> {
    let is_definition = |node: &Node<'a>| {
        let is_known = is_bpmn(*node) || node.tag_name().namespace() == Some(FLOWABLE);
        is_known && node.tag_name().name().ends_with("EventDefinition")
    };
    let own = extension_elements(event).filter(|node| {
        node.tag_name().name() == "variableListenerEventDefinition" && is_vendors(*node)
    });
    event.children().filter(is_definition).chain(own).collect()
}

/// Where Flowable names the type of an event of its registry.
fn registry<'a>(event: Node<'a>) -> Option<Node<'a>> {
    extension_elements(event)
        .find(|node| node.tag_name().name() == "eventType" && is_vendors(*node))
}

fn is_vendors(node: Node<'_>) -> bool {
    node.tag_name().namespace() == Some(FLOWABLE)
}

/// Definitions of throw events that Zeebe accepts and does nothing about.
fn is_passed_over(spot: Spot, kind: &str) -> bool {
    spot == Spot::Throw && matches!(kind, "error" | "terminate" | "timer")
}

/// `timer` of `timerEventDefinition`.
fn kind_of<'a>(definition: Node<'a>) -> &'a str {
    let name = definition.tag_name().name();
    name.strip_suffix("EventDefinition").unwrap_or(name)
}
