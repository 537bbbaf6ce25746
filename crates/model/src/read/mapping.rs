//! Input and output mappings of elements: `zeebe:ioMapping` and `camunda:inputOutput`.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::{Mapping, MappingSource};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_child};
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
        let (mut inputs, mut outputs) = (Targets::default(), Targets::default());
        let Some(holder) = self.extension(subject, "ioMapping") else {
            return (Vec::new(), Vec::new());
        };
        for node in holder.children().filter(|node| node.tag_name().namespace() == Some(ZEEBE)) {
            let (mappings, source) = match node.tag_name().name() {
                "input" => (&mut inputs, self.input_source(subject, node)),
                "output" => (&mut outputs, self.output_source(subject, node)),
                _ => continue,
            };
            let target = self.mapping_target(subject, node);
            let Some((source, target)) = source.zip(target) else { continue };
            mappings.add(Mapping { source: MappingSource::Expression(source), target });
        }
        let (mut inputs, mut outputs) = (inputs.into_mappings(), outputs.into_mappings());
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
            true => {
                self.check_mapping_end(subject, &written);
                self.value(subject, &written)
            }
            false if written.text.is_empty() => Some(Expression::constant(Value::Null)),
            false => Some(text(&written.text)),
        }
    }

    fn output_source(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Expression> {
        match self.own_attribute(node, "source") {
            Some(written) => {
                self.check_mapping_end(subject, &written);
                self.expression_required(subject, &written, "the source of an output")
            }
            None => {
                let message = format!("an output of {} has no source", subject.title());
                self.error_at(subject, node.range().start, "mapping-source-missing", message);
                None
            }
        }
    }

    /// The published engine joins the sources of an element into one expression, so that a line
    /// comment at the end of one hides the next.
    fn check_mapping_end(&mut self, subject: &Subject<'a>, written: &Written<'a>) {
        // A bracket too many is read past only in a comment.
        let closed = format!("{})", written.text);
        let is_comment =
            written.text.contains("//") && orloj_expr::zeebe_expression(&closed).is_ok();
        if is_comment {
            let message = format!(
                "the source {} of a mapping of {} ends in a comment",
                quoted(&written.text),
                subject.title()
            );
            self.error_at(subject, written.offset, "mapping-source-comment", message);
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

/// Mappings in one direction. Of several for one target, or for a part of it, the last counts, in
/// the place of the first.
#[derive(Default)]
struct Targets {
    /// In document order; `None` where a later one counts.
    mappings: Vec<Option<Mapping>>,
    /// Where the mapping of a target stands. No target is the beginning of another, so that all
    /// that a new one overlaps stands side by side.
    places: BTreeMap<Vec<Arc<str>>, usize>,
}

impl Targets {
    fn add(&mut self, last: Mapping) {
        let target = &last.target[..];
        let before = (Bound::Unbounded, Bound::Excluded(target));
        let around = self.places.range::<[Arc<str>], _>(before).next_back();
        let around = around.filter(|(known, _)| target.starts_with(known));
        let from = (Bound::Included(target), Bound::Unbounded);
        let within = self.places.range::<[Arc<str>], _>(from);
        let within = within.take_while(|(known, _)| known.starts_with(target));
        let overlapped: Vec<_> = around
            .into_iter()
            .chain(within)
            .map(|(known, &place)| (known.clone(), place))
            .collect();
        for (known, place) in &overlapped {
            self.places.remove(known);
            self.mappings[*place] = None;
        }
        let place = overlapped.iter().map(|(_, place)| *place).min();
        let place = place.unwrap_or_else(|| {
            self.mappings.push(None);
            self.mappings.len() - 1
        });
        self.places.insert(last.target.clone(), place);
        self.mappings[place] = Some(last);
    }

    /// What is put into one object stands together, in the place of the first of it.
    fn into_mappings(self) -> Vec<Mapping> {
        let mut parts: BTreeMap<(usize, Arc<str>), usize> = BTreeMap::new();
        let mut placed = Vec::with_capacity(self.mappings.len());
        for mapping in self.mappings.into_iter().flatten() {
            // Each part of a target has a number, the later it comes the higher.
            let mut place = Vec::with_capacity(mapping.target.len());
            for part in &mapping.target {
                let within = place.last().copied().unwrap_or_default();
                let next = parts.len() + 1;
                place.push(*parts.entry((within, part.clone())).or_insert(next));
            }
            placed.push((place, mapping));
        }
        placed.sort_by(|(one, _), (other, _)| one.cmp(other));
        placed.into_iter().map(|(_, mapping)| mapping).collect()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(targets: &[&str]) -> Vec<String> {
        let mut all = Targets::default();
        for (place, target) in targets.iter().enumerate() {
            let source = MappingSource::Expression(Expression::constant(Value::Int(place as i64)));
            all.add(Mapping { source, target: target.split('.').map(Arc::from).collect() });
        }
        let show = |mapping: Mapping| {
            let place = match mapping.source {
                MappingSource::Expression(source) => source.as_constant().map(Value::to_json),
                _ => None,
            };
            format!("{}={}", mapping.target.join("."), place.unwrap_or_default())
        };
        all.into_mappings().into_iter().map(show).collect()
    }

    #[test]
    fn the_last_of_what_overlaps_counts_in_the_place_of_the_first() {
        assert_eq!(kept(&["a", "b", "a"]), ["a=2", "b=1"]);
        assert_eq!(kept(&["a.x", "b", "a.y", "a"]), ["a=3", "b=1"]);
        assert_eq!(kept(&["b", "a", "a.y.z"]), ["b=0", "a.y.z=2"]);
        assert_eq!(kept(&["a-x", "a.x", "ab", "x.a"]), ["a-x=0", "a.x=1", "ab=2", "x.a=3"]);
    }

    #[test]
    fn what_is_put_into_one_object_stands_together() {
        assert_eq!(kept(&["a.x", "b", "a.y"]), ["a.x=0", "a.y=2", "b=1"]);
        assert_eq!(
            kept(&["b.z", "a.x.p", "a.y", "b.a", "a.x.q"]),
            ["b.z=0", "b.a=3", "a.x.p=1", "a.x.q=4", "a.y=2"]
        );
        assert_eq!(kept(&["a.x", "b", "a.y", "a.x"]), ["a.x=3", "a.y=2", "b=1"]);
    }
}
