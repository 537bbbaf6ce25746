//! A process as far as it could be read.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{ElementId, ProcessId};
use orloj_xml::Position;

use crate::graph::{
    Element, ElementIndex, ElementKind, Flow, FlowIndex, JobSettings, Mapping, Process, SavePoint,
    Semantics, SiblingOrder,
};
use crate::read::context::{Subject, Written};

pub(crate) struct Draft<'a> {
    pub subject: Subject<'a>,
    pub id: ProcessId,
    pub name: Option<Arc<str>>,
    pub version_tag: Option<Arc<str>>,
    pub elements: Vec<DraftElement<'a>>,
    pub flows: Vec<DraftFlow<'a>>,
    pub by_id: BTreeMap<ElementId, ElementIndex>,
    /// Something had to be left out; an error says what. Absence proves nothing then.
    pub has_gaps: bool,
}

pub(crate) struct DraftElement<'a> {
    pub subject: Subject<'a>,
    pub id: ElementId,
    pub position: Position,
    /// `None` stands for what could not be read; an error says why.
    pub kind: Option<ElementKind>,
    pub name: Option<Arc<str>>,
    pub incoming: Vec<FlowIndex>,
    pub outgoing: Vec<FlowIndex>,
    /// As the attribute names it.
    pub default_ref: Option<Written<'a>>,
    pub default_flow: Option<FlowIndex>,
    pub boundaries: Vec<ElementIndex>,
    pub async_before: Option<SavePoint>,
    pub async_after: Option<SavePoint>,
    pub jobs: JobSettings,
    pub inputs: Vec<Mapping>,
    pub outputs: Vec<Mapping>,
}

impl<'a> DraftElement<'a> {
    pub fn placeholder(subject: Subject<'a>, id: ElementId, position: Position) -> Self {
        Self {
            subject,
            id,
            position,
            kind: None,
            name: None,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            default_ref: None,
            default_flow: None,
            boundaries: Vec::new(),
            async_before: None,
            async_after: None,
            jobs: JobSettings::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    fn finish(self) -> Option<Element> {
        Some(Element {
            id: self.id,
            name: self.name,
            kind: self.kind?,
            incoming: self.incoming,
            outgoing: self.outgoing,
            default_flow: self.default_flow,
            boundaries: self.boundaries,
            async_before: self.async_before,
            async_after: self.async_after,
            jobs: self.jobs,
            inputs: self.inputs,
            outputs: self.outputs,
            position: self.position,
        })
    }
}

pub(crate) struct DraftFlow<'a> {
    pub subject: Subject<'a>,
    pub flow: Flow,
}

impl Draft<'_> {
    pub fn element(&self, index: ElementIndex) -> &DraftElement<'_> {
        &self.elements[index.0 as usize]
    }

    pub fn flow(&self, index: FlowIndex) -> &DraftFlow<'_> {
        &self.flows[index.0 as usize]
    }

    pub fn indices(&self) -> impl Iterator<Item = ElementIndex> + use<> {
        (0..self.elements.len() as u32).map(ElementIndex)
    }

    /// The graph, unless a part of it could not be read.
    pub fn finish(self, semantics: Semantics) -> Option<Process> {
        let mut elements: Vec<Element> =
            self.elements.into_iter().map(DraftElement::finish).collect::<Option<_>>()?;
        if semantics.siblings == SiblingOrder::Reversed {
            for element in &mut elements {
                element.outgoing.reverse();
                element.boundaries.reverse();
            }
        }
        let none_start = elements.iter().position(|e| matches!(e.kind, ElementKind::NoneStart));
        Some(Process {
            id: self.id,
            name: self.name,
            version_tag: self.version_tag,
            flows: self.flows.into_iter().map(|draft| draft.flow).collect(),
            none_start: none_start.map(|at| ElementIndex(at as u32)),
            elements,
            semantics,
            by_id: self.by_id,
        })
    }
}
