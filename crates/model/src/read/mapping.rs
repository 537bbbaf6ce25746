//! Input and output mappings of elements: `zeebe:ioMapping` and `camunda:inputOutput`.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::{Mapping, MappingSource};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_child};
use crate::read::dialect::ZEEBE;
use crate::read::expression::{is_zeebe_expression, text};
use crate::read::extension::is_read_by;
use crate::read::limits::MAPPING_DEPTH_MAX;

impl<'a> Context<'a> {
    /// Inputs and outputs, each in document order.
    pub fn mappings(&mut self, subject: &Subject<'a>) -> (Vec<Mapping>, Vec<Mapping>) {
        match self.dialect {
            Dialect::Zeebe => self.zeebe_mappings(subject),
            Dialect::Camunda7 => self.camunda_mappings(subject),
            Dialect::Flowable => (Vec::new(), Vec::new()),
        }
    }

    fn zeebe_mappings(&mut self, subject: &Subject<'a>) -> (Vec<Mapping>, Vec<Mapping>) {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let Some(holder) = self.extension(subject, "ioMapping") else { return (inputs, outputs) };
        for node in holder.children().filter(|node| node.tag_name().namespace() == Some(ZEEBE)) {
            let (mappings, source) = match node.tag_name().name() {
                "input" => (&mut inputs, self.input_source(subject, node)),
                "output" => (&mut outputs, self.output_source(subject, node)),
                _ => continue,
            };
            let target = self.mapping_target(subject, node);
            let Some((source, target)) = source.zip(target) else { continue };
            let source = MappingSource::Expression(source);
            replace_target(mappings, Mapping { source, target });
        }
        // The published engine never looks at these.
        let (takes_inputs, takes_outputs) = takes_zeebe_mappings(subject);
        for (mappings, takes, which) in
            [(&mut inputs, takes_inputs, "input"), (&mut outputs, takes_outputs, "output")]
        {
            if !takes && !mappings.is_empty() {
                let message = format!("{which} mappings of {} have no effect", subject.title());
                self.warn_at(subject, holder.range().start, "ignored-mapping", message);
                mappings.clear();
            }
        }
        (inputs, outputs)
    }

    /// A static source is always text here, unlike everywhere else in Zeebe's models.
    fn input_source(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Expression> {
        let Some(written) = self.own_attribute(node, "source") else {
            let message = format!("an input of {} has no source and gives null", subject.title());
            self.warn_at(subject, node.range().start, "mapping-source-missing", message);
            return Some(Expression::constant(Value::Null));
        };
        match is_zeebe_expression(&written.text) {
            true => self.value(subject, &written),
            false => Some(text(&written.text)),
        }
    }

    fn output_source(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Expression> {
        match self.own_attribute(node, "source") {
            Some(written) => self.expression_required(subject, &written, "the source of an output"),
            None => {
                let message = format!("an output of {} has no source", subject.title());
                self.error_at(subject, node.range().start, "mapping-source-missing", message);
                None
            }
        }
    }

    fn mapping_target(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Vec<Arc<str>>> {
        let Some(written) = self.own_attribute(node, "target") else {
            let message = format!("a mapping of {} has no target", subject.title());
            self.error_at(subject, node.range().start, "mapping-target-missing", message);
            return None;
        };
        let first = written.text.split('.').next().unwrap_or_default();
        if KEYWORDS.contains(&first) || !written.text.split('.').all(is_variable_name) {
            let message = format!(
                "the target {} of a mapping of {} is no variable name",
                quoted(&written.text),
                subject.title()
            );
            self.error_at(subject, written.offset, "mapping-target-invalid", message);
            return None;
        }
        Some(written.text.split('.').map(Arc::from).collect())
    }

    fn camunda_mappings(&mut self, subject: &Subject<'a>) -> (Vec<Mapping>, Vec<Mapping>) {
        let nothing = (Vec::new(), Vec::new());
        let Some(holder) = self.extension(subject, "inputOutput") else { return nothing };
        if !takes_mappings(self, subject) {
            let message = format!("{} cannot have an inputOutput", subject.title());
            self.error_at(subject, holder.range().start, "mapping-misplaced", message);
            return nothing;
        }
        let (inputs, outputs) = self.parameter_mappings(subject, holder);
        let is_end = subject.tag() == "endEvent";
        let is_multiple = bpmn_child(subject.node, "multiInstanceLoopCharacteristics").is_some();
        if (is_end || is_multiple) && has_output(holder) {
            let message = format!("{} cannot have outputs", subject.title());
            self.error_at(subject, holder.range().start, "mapping-misplaced", message);
        }
        (inputs, outputs)
    }

    /// The parameters of an `inputOutput` element.
    pub fn parameter_mappings(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> (Vec<Mapping>, Vec<Mapping>) {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for node in holder.children().filter(|node| is_read_by(Dialect::Camunda7, *node)) {
            let mappings = match node.tag_name().name() {
                "inputParameter" => &mut inputs,
                "outputParameter" => &mut outputs,
                _ => continue,
            };
            let name = self.attribute(node, "name").filter(|name| !name.text.is_empty());
            let Some(name) = name else {
                let kind = node.tag_name().name();
                let message = format!("an {kind} of {} has no name", subject.title());
                self.error_at(subject, node.range().start, "mapping-target-missing", message);
                continue;
            };
            let source = self.parameter_value(subject, node, 0);
            let target = vec![Arc::from(&*name.text)];
            mappings.extend(source.map(|source| Mapping { source, target }));
        }
        (inputs, outputs)
    }

    /// A text, or one list, map or script. Anything else and an empty text give null.
    fn parameter_value(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
        depth: usize,
    ) -> Option<MappingSource> {
        if depth > MAPPING_DEPTH_MAX {
            let message = format!("a parameter of {} is nested too deeply", subject.title());
            self.error_at(subject, node.range().start, "mapping-too-deep", message);
            return None;
        }
        let mut children = node.children().filter(|child| child.is_element());
        let Some(child) = children.next() else {
            let written = self.content(node);
            return match written.text.is_empty() {
                true => Some(null()),
                false => self.value(subject, &written).map(MappingSource::Expression),
            };
        };
        if children.next().is_some() {
            let message = format!("a parameter of {} has several values", subject.title());
            self.error_at(subject, node.range().start, "mapping-ambiguous", message);
            return None;
        }
        if !is_read_by(Dialect::Camunda7, child) {
            return Some(null());
        }
        match child.tag_name().name() {
            "script" => self.script_element(subject, child).map(MappingSource::Script),
            "list" => self.list_value(subject, child, depth),
            "map" => self.map_value(subject, child, depth),
            _ => Some(null()),
        }
    }

    fn list_value(
        &mut self,
        subject: &Subject<'a>,
        list: Node<'a>,
        depth: usize,
    ) -> Option<MappingSource> {
        let mut values = Vec::new();
        for node in list.children().filter(|node| node.is_element()) {
            let value = match node.tag_name().name() {
                "value" => self.parameter_value(subject, node, depth + 1)?,
                "script" => MappingSource::Script(self.script_element(subject, node)?),
                "list" => self.nested(subject, node, depth, Self::list_value)?,
                "map" => self.nested(subject, node, depth, Self::map_value)?,
                _ => null(),
            };
            values.push(value);
        }
        Some(MappingSource::List(values))
    }

    fn map_value(
        &mut self,
        subject: &Subject<'a>,
        map: Node<'a>,
        depth: usize,
    ) -> Option<MappingSource> {
        let mut entries = Vec::new();
        let is_entry = |node: &Node<'a>| node.is_element() && node.tag_name().name() == "entry";
        for node in map.children().filter(is_entry) {
            let Some(key) = self.attribute(node, "key").filter(|key| !key.text.is_empty()) else {
                let message = format!("an entry of a map of {} has no key", subject.title());
                self.error_at(subject, node.range().start, "mapping-key-missing", message);
                return None;
            };
            let key = self.value(subject, &key)?;
            entries.push((key, self.parameter_value(subject, node, depth + 1)?));
        }
        Some(MappingSource::Map(entries))
    }

    fn nested(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
        depth: usize,
        read: fn(&mut Self, &Subject<'a>, Node<'a>, usize) -> Option<MappingSource>,
    ) -> Option<MappingSource> {
        if depth >= MAPPING_DEPTH_MAX {
            return self.parameter_value(subject, node, depth + 1);
        }
        read(self, subject, node, depth + 1)
    }
}

fn null() -> MappingSource {
    MappingSource::Expression(Expression::constant(Value::Null))
}

/// Whether inputs and outputs of the element have an effect in Zeebe.
fn takes_zeebe_mappings(subject: &Subject<'_>) -> (bool, bool) {
    let has = |definition: &str| bpmn_child(subject.node, definition).is_some();
    match subject.tag() {
        "task" | "manualTask" => (false, false),
        "boundaryEvent" | "startEvent" => (false, true),
        "endEvent" | "intermediateThrowEvent" => {
            let works = has("messageEventDefinition") || has("signalEventDefinition");
            let stops = ["terminate", "error", "compensate"];
            let stops = stops.iter().any(|kind| has(&format!("{kind}EventDefinition")));
            (works, !stops)
        }
        tag => (true, !tag.ends_with("Gateway")),
    }
}

/// Neither gateways nor events that only receive a token can have one.
fn takes_mappings<'a>(ctx: &Context<'a>, subject: &Subject<'a>) -> bool {
    match subject.tag() {
        "startEvent" | "boundaryEvent" => false,
        "subProcess" => {
            let is_event = ctx.attribute(subject.node, "triggeredByEvent");
            is_event.is_none_or(|flag| flag.text != "true")
        }
        tag => !tag.ends_with("Gateway"),
    }
}

fn has_output(holder: Node<'_>) -> bool {
    holder.children().any(|node| node.tag_name().name() == "outputParameter")
}

/// Of several mappings for one target, or for a part of it, the last counts, in the place of the
/// first.
fn replace_target(mappings: &mut Vec<Mapping>, last: Mapping) {
    let overlaps = |other: &Mapping| {
        let count = other.target.len().min(last.target.len());
        other.target[..count] == last.target[..count]
    };
    let Some(place) = mappings.iter().position(overlaps) else { return mappings.push(last) };
    let mut index = 0;
    mappings.retain(|other| {
        index += 1;
        index <= place || !overlaps(other)
    });
    mappings.insert(place, last);
}

/// Words of FEEL, which cannot be read back as variables.
const KEYWORDS: &[&str] = &[
    "null", "true", "false", "function", "if", "then", "else", "for", "between", "instance", "of",
];

fn is_variable_name(part: &str) -> bool {
    let mut chars = part.chars();
    let starts = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
