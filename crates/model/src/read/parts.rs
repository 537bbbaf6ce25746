//! The children of a process, sorted, with their ids checked.

use std::collections::{BTreeMap, BTreeSet};

use orloj_types::ElementId;
use orloj_xml::quoted;

use crate::graph::ElementIndex;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_children};
use crate::read::extension::extension_elements;
use crate::read::limits::ID_CHARS_MAX;

/// The children of a process by what they are, ids checked.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    /// With whether this parser knows the element.
    pub elements: Vec<(Subject<'a>, ElementId, bool)>,
    pub flows: Vec<(Subject<'a>, ElementId)>,
    pub by_id: BTreeMap<ElementId, ElementIndex>,
    pub has_gaps: bool,
}

impl<'a> Parts<'a> {
    pub fn gather(ctx: &mut Context<'a>, process: Node<'a>) -> Self {
        let mut parts = Self::default();
        let mut ids = BTreeSet::new();
        let mut unnamed = Vec::new();
        for node in bpmn_children(process) {
            let mut subject = Subject { node, id: None };
            let part = part_of(subject.tag());
            if part == Part::Ignored {
                refuse_data_value(ctx, &subject);
                continue;
            }
            if part == Part::Flow && may_lack_id(ctx, node) {
                unnamed.push((parts.flows.len(), subject.clone()));
                // Replaced below, when all ids of the file are known.
                parts.flows.push((subject, ElementId::from("")));
                continue;
            }
            if part == Part::Unknown {
                subject.id = ctx.attribute(node, "id").map(|id| ElementId::from(&*id.text));
                let message = format!("{} is not supported yet", subject.title());
                ctx.error(&subject, "unsupported-element", message);
                if subject.id.is_none() {
                    parts.has_gaps = true;
                    continue;
                }
            }
            let Some(id) = read_id(ctx, &subject) else {
                parts.has_gaps = true;
                continue;
            };
            subject.id = Some(id.clone());
            if !ids.insert(id.clone()) {
                let message = format!("the id {} is used twice in the process", quoted(&id));
                ctx.error(&subject, "id-repeated", message);
                parts.has_gaps = true;
                continue;
            }
            if part == Part::Flow {
                parts.flows.push((subject, id));
            } else {
                parts.by_id.insert(id.clone(), ElementIndex(parts.elements.len() as u32));
                parts.elements.push((subject, id, part == Part::Known));
            }
        }
        name_flows(&mut parts, &ids, unnamed);
        parts
    }
}

/// Only Zeebe insists on ids of flows.
fn may_lack_id<'a>(ctx: &Context<'a>, flow: Node<'a>) -> bool {
    let has_id = ctx.attribute(flow, "id").is_some_and(|id| !id.text.is_empty());
    !has_id && ctx.dialect != Dialect::Zeebe
}

/// State refers to flows by id, so a flow without one gets the next free number. The same file
/// always gives the same names.
fn name_flows<'a>(
    parts: &mut Parts<'a>,
    ids: &BTreeSet<ElementId>,
    unnamed: Vec<(usize, Subject<'a>)>,
) {
    let mut number = 0_u32;
    for (at, mut subject) in unnamed {
        let id = loop {
            number += 1;
            let id = ElementId::from(format!("sequenceFlow_{number}"));
            if !ids.contains(&id) {
                break id;
            }
        };
        subject.id = Some(id.clone());
        parts.flows[at] = (subject, id);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Known,
    Flow,
    /// Without meaning for execution.
    Ignored,
    Unknown,
}

fn part_of(tag: &str) -> Part {
    match tag {
        "startEvent"
        | "endEvent"
        | "serviceTask"
        | "sendTask"
        | "businessRuleTask"
        | "scriptTask"
        | "userTask"
        | "exclusiveGateway"
        | "parallelGateway"
        | "intermediateCatchEvent"
        | "boundaryEvent" => Part::Known,
        "sequenceFlow" => Part::Flow,
        "association"
        | "auditing"
        | "correlationSubscription"
        | "dataObject"
        | "dataObjectReference"
        | "dataStoreReference"
        | "documentation"
        | "extensionElements"
        | "group"
        | "humanPerformer"
        | "ioBinding"
        | "ioSpecification"
        | "laneSet"
        | "monitoring"
        | "performer"
        | "potentialOwner"
        | "property"
        | "resourceRole"
        | "supportedInterfaceRef"
        | "supports"
        | "textAnnotation" => Part::Ignored,
        _ => Part::Unknown,
    }
}

/// A data object is a drawing, except that Flowable starts instances with its value.
fn refuse_data_value<'a>(ctx: &mut Context<'a>, subject: &Subject<'a>) {
    let is_data = ctx.dialect == Dialect::Flowable && subject.tag() == "dataObject";
    if is_data && extension_elements(subject.node).any(|e| e.tag_name().name() == "value") {
        let id = ctx.attribute(subject.node, "id").map(|id| ElementId::from(&*id.text));
        let subject = Subject { node: subject.node, id };
        let message = format!("the value of {} is not supported yet", subject.title());
        ctx.error(&subject, "unsupported-extension", message);
    }
}

pub(crate) fn read_id<'a>(ctx: &mut Context<'a>, subject: &Subject<'a>) -> Option<ElementId> {
    let written = ctx.attribute(subject.node, "id").filter(|id| !id.text.trim().is_empty());
    let Some(id) = written else {
        let message = format!("a {} has no id", subject.tag());
        ctx.error(subject, "id-missing", message);
        return None;
    };
    if id.text.chars().nth(ID_CHARS_MAX).is_some() {
        let message =
            format!("the id {} is longer than {ID_CHARS_MAX} characters", quoted(&id.text));
        ctx.error_at(subject, id.offset, "id-too-long", message);
        return None;
    }
    Some(ElementId::from(&*id.text))
}
