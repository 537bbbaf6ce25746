//! Everything inside a process, sorted, with ids checked: subprocesses are opened without
//! recursion, so that only memory bounds how deep they nest.

use std::collections::{BTreeMap, BTreeSet};

use orloj_types::ElementId;
use orloj_xml::quoted;

use crate::graph::ElementIndex;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_children};
use crate::read::limits::ID_CHARS_MAX;

/// What lies in a process by what it is, in document order, ids checked.
#[derive(Default)]
pub(crate) struct Parts<'a> {
    pub elements: Vec<ElementPart<'a>>,
    pub flows: Vec<FlowPart<'a>>,
    pub associations: Vec<Subject<'a>>,
    /// With the subprocess they lie in.
    pub data_objects: Vec<(Option<ElementIndex>, Subject<'a>)>,
    pub by_id: BTreeMap<ElementId, ElementIndex>,
    /// Ids of what the dialect passes over without a word.
    pub passed_over: BTreeSet<ElementId>,
    pub has_gaps: bool,
}

pub(crate) struct ElementPart<'a> {
    pub subject: Subject<'a>,
    pub id: ElementId,
    /// Whether the file names it.
    pub has_id: bool,
    pub parent: Option<ElementIndex>,
    /// Whether the dialect runs such an element at all.
    pub is_known: bool,
}

pub(crate) struct FlowPart<'a> {
    pub subject: Subject<'a>,
    pub id: ElementId,
    pub parent: Option<ElementIndex>,
    /// Whether the file names it.
    pub has_id: bool,
}

impl<'a> Parts<'a> {
    pub fn gather(ctx: &mut Context<'a>, process: Node<'a>) -> Self {
        let mut gathering = Gathering::default();
        // Children that are still to be visited, the inmost last.
        let mut open = vec![(None, bpmn_children(process))];
        while let Some((parent, children)) = open.last_mut() {
            let parent = *parent;
            let Some(node) = children.next() else {
                open.pop();
                continue;
            };
            if let Some(inside) = gathering.take(ctx, parent, node) {
                open.push((Some(inside), bpmn_children(node)));
            }
        }
        gathering.name_the_unnamed();
        gathering.parts
    }
}

#[derive(Default)]
struct Gathering<'a> {
    parts: Parts<'a>,
    ids: BTreeSet<ElementId>,
    /// Flows without id, by their place in `parts.flows`.
    unnamed_flows: Vec<usize>,
    unnamed_elements: Vec<usize>,
}

impl<'a> Gathering<'a> {
    /// Notes a child; gives its index when it is a subprocess, to be opened.
    fn take(
        &mut self,
        ctx: &mut Context<'a>,
        parent: Option<ElementIndex>,
        node: Node<'a>,
    ) -> Option<ElementIndex> {
        let mut subject = Subject { node, id: None };
        let sort = sort_of(ctx.dialect, subject.tag());
        match sort {
            Sort::Nothing => {
                if matches!(subject.tag(), "dataObjectReference" | "dataStoreReference") {
                    self.check_data_id(ctx, &subject);
                }
                return None;
            }
            Sort::Association => {
                subject.id = written_id(ctx, node);
                self.parts.associations.push(subject);
                return None;
            }
            Sort::Data => {
                subject.id = written_id(ctx, node);
                self.check_data_id(ctx, &subject);
                self.parts.data_objects.push((parent, subject));
                return None;
            }
            Sort::PassedOver => {
                subject.id = written_id(ctx, node);
                let message = format!("{} has no effect", subject.title());
                ctx.warn(&subject, "ignored-element", message);
                self.parts.passed_over.extend(subject.id);
                return None;
            }
            Sort::Flow | Sort::Known | Sort::Scope | Sort::Refused => {}
        }
        if sort == Sort::Flow && may_lack_id(ctx, node) {
            self.unnamed_flows.push(self.parts.flows.len());
            // Named when all ids of the process are known.
            let id = ElementId::from("");
            self.parts.flows.push(FlowPart { subject, id, parent, has_id: false });
            return None;
        }
        if sort == Sort::Refused {
            subject.id = written_id(ctx, node);
            let message = format!("{} does not run in {}", subject.title(), ctx.dialect);
            ctx.error(&subject, "unsupported-element", message);
        }
        let has_id = !may_lack_id(ctx, node);
        if !has_id && sort != Sort::Refused {
            // Named when all ids of the process are known, too.
            self.unnamed_elements.push(self.parts.elements.len());
            let index = ElementIndex(self.parts.elements.len() as u32);
            let id = ElementId::from("");
            let is_known = true;
            self.parts.elements.push(ElementPart { subject, id, has_id, parent, is_known });
            return (sort == Sort::Scope).then_some(index);
        }
        let Some(id) = read_id(ctx, &subject) else {
            self.parts.has_gaps = true;
            return None;
        };
        subject.id = Some(id.clone());
        if !self.ids.insert(id.clone()) {
            let message = format!("the id {} is used twice in the process", quoted(&id));
            ctx.error(&subject, "id-repeated", message);
            self.parts.has_gaps = true;
            return None;
        }
        if sort == Sort::Flow {
            self.parts.flows.push(FlowPart { subject, id, parent, has_id: true });
            return None;
        }
        let index = ElementIndex(self.parts.elements.len() as u32);
        self.parts.by_id.insert(id.clone(), index);
        let is_known = sort != Sort::Refused;
        self.parts.elements.push(ElementPart { subject, id, has_id, parent, is_known });
        (sort == Sort::Scope).then_some(index)
    }

    /// Zeebe stumbles over data without.
    fn check_data_id(&self, ctx: &mut Context<'a>, subject: &Subject<'a>) {
        if ctx.dialect == Dialect::Zeebe && written_id(ctx, subject.node).is_none() {
            let message = format!("a {} has no id", subject.tag());
            ctx.error(subject, "id-missing", message);
        }
    }

    /// State refers to flows and elements by id, so one without gets the next free number. The
    /// same file always gives the same names.
    fn name_the_unnamed(&mut self) {
        let mut names = FreeNames { taken: &self.ids, number: 0 };
        for &at in &self.unnamed_flows {
            let flow = &mut self.parts.flows[at];
            flow.id = names.next("sequenceFlow");
            flow.subject.id = Some(flow.id.clone());
        }
        names.number = 0;
        for &at in &self.unnamed_elements {
            let element = &mut self.parts.elements[at];
            element.id = names.next(element.subject.tag());
            element.subject.id = Some(element.id.clone());
            self.parts.by_id.insert(element.id.clone(), ElementIndex(at as u32));
        }
    }
}

struct FreeNames<'i> {
    taken: &'i BTreeSet<ElementId>,
    number: u32,
}

impl FreeNames<'_> {
    fn next(&mut self, kind: &str) -> ElementId {
        loop {
            self.number += 1;
            let id = ElementId::from(format!("{kind}_{}", self.number));
            if !self.taken.contains(&id) {
                return id;
            }
        }
    }
}

/// Only Zeebe insists on ids, and Camunda on those of boundary events.
fn may_lack_id<'a>(ctx: &Context<'a>, node: Node<'a>) -> bool {
    let has_id = ctx.attribute(node, "id").is_some_and(|id| !id.text.is_empty());
    let is_boundary = node.tag_name().name() == "boundaryEvent";
    let is_needed = match ctx.dialect {
        Dialect::Zeebe => true,
        Dialect::Camunda7 => is_boundary,
        Dialect::Flowable => false,
    };
    !has_id && !is_needed
}

fn written_id<'a>(ctx: &Context<'a>, node: Node<'a>) -> Option<ElementId> {
    ctx.attribute(node, "id").map(|id| ElementId::from(&*id.text))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Known,
    /// Known, and with elements inside.
    Scope,
    Flow,
    Association,
    Data,
    /// Drawings and notes, and what no dialect looks at.
    Nothing,
    /// An element that the dialect leaves out.
    PassedOver,
    /// An element for which the dialect refuses the file.
    Refused,
}

fn sort_of(dialect: Dialect, tag: &str) -> Sort {
    match tag {
        "startEvent"
        | "endEvent"
        | "intermediateCatchEvent"
        | "intermediateThrowEvent"
        | "boundaryEvent"
        | "serviceTask"
        | "sendTask"
        | "receiveTask"
        | "businessRuleTask"
        | "scriptTask"
        | "userTask"
        | "manualTask"
        | "task"
        | "callActivity"
        | "exclusiveGateway"
        | "parallelGateway"
        | "inclusiveGateway"
        | "eventBasedGateway" => Sort::Known,
        "subProcess" => Sort::Scope,
        "transaction" if dialect == Dialect::Zeebe => Sort::Refused,
        "transaction" => Sort::Scope,
        "adHocSubProcess" | "complexGateway" if dialect == Dialect::Camunda7 => Sort::PassedOver,
        "adHocSubProcess" => Sort::Scope,
        "complexGateway" if dialect == Dialect::Zeebe => Sort::Refused,
        "complexGateway" => Sort::Known,
        "sequenceFlow" => Sort::Flow,
        "association" => Sort::Association,
        "dataObject" => Sort::Data,
        _ => Sort::Nothing,
    }
}

pub(crate) fn read_id<'a>(ctx: &mut Context<'a>, subject: &Subject<'a>) -> Option<ElementId> {
    let written = ctx.attribute(subject.node, "id").filter(|id| !id.text.trim().is_empty());
    let Some(id) = written else {
        let message = format!("a {} has no id", subject.tag());
        ctx.error(subject, "id-missing", message);
        return None;
    };
    // DIFFERENCE: Camunda minds the length of an id where it writes it down first, which is never
    // for a flow, at deployment for what has jobs, and at the first visit for the rest.
    let is_free = ctx.dialect == Dialect::Camunda7 && subject.tag() == "sequenceFlow";
    if !is_free && id.text.chars().nth(ID_CHARS_MAX).is_some() {
        let message =
            format!("the id {} is longer than {ID_CHARS_MAX} characters", quoted(&id.text));
        ctx.error_at(subject, id.offset, "id-too-long", message);
        return None;
    }
    Some(ElementId::from(&*id.text))
}
