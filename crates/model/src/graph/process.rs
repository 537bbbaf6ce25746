use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::{ElementId, ProcessId};
use rustc_hash::FxHashMap;

use super::element::{Element, ElementIndex, Flow, FlowIndex};
use super::engine_listener::{EngineEvent, EngineListener};
use super::listener::{Listener, ListenerEvent};
use super::semantics::Semantics;
use super::sources::{SourceSet, Sources};
use super::subprocess::SubProcess;
use super::{Boundary, ElementKind, Trigger};

/// One executable process of a file.
#[derive(Clone, Debug)]
pub struct Process {
    pub id: ProcessId,
    pub name: Option<Arc<str>>,
    pub version_tag: Option<Arc<str>>,
    /// How long history keeps ended instances; `None`: the model does not say.
    pub time_to_live: Option<TimeToLive>,
    /// How much history keeps; `None`: the model does not say.
    pub history_depth: Option<HistoryDepth>,
    /// All of them, those inside subprocesses too, in document order.
    pub elements: Vec<Element>,
    /// In document order.
    pub flows: Vec<Flow>,
    /// What lies in the process itself and not in a subprocess.
    pub root: Scope,
    /// Of the process as a whole: its start and its end.
    pub listeners: Vec<Listener>,
    pub engine_listeners: Vec<EngineListener>,
    pub semantics: Semantics,
    pub contents: Contents,
    pub sources: Sources,
    /// By the author's id; state refers to elements only this way.
    pub by_id: FxHashMap<ElementId, ElementIndex>,
}

impl Process {
    pub fn element(&self, index: ElementIndex) -> &Element {
        &self.elements[index.0 as usize]
    }

    pub fn flow(&self, index: FlowIndex) -> &Flow {
        &self.flows[index.0 as usize]
    }

    pub fn find(&self, id: &str) -> Option<ElementIndex> {
        self.by_id.get(id).copied()
    }

    pub fn indices(&self) -> impl Iterator<Item = ElementIndex> + use<> {
        (0..self.elements.len() as u32).map(ElementIndex)
    }

    /// From where a token can come to an inclusive gateway, itself among them.
    ///
    /// # Panics
    /// When the element is no inclusive gateway.
    pub fn sources_of(&self, gateway: ElementIndex) -> &SourceSet {
        self.sources.get(self, gateway)
    }

    /// The inside of a subprocess, or of the process itself.
    ///
    /// # Panics
    /// When the element is no subprocess.
    pub fn scope(&self, of: Option<ElementIndex>) -> &Scope {
        let Some(index) = of else { return &self.root };
        match &self.element(index).kind {
            ElementKind::SubProcess(SubProcess { scope, .. }) => scope,
            other => panic!("a {} contains nothing", other.name()),
        }
    }
}

/// How much a model wants history to keep of its instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryDepth {
    Nothing,
    Activities,
    Variables,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeToLive {
    Days(u32),
    /// Said to be none.
    Unlimited,
}

/// Which kinds of elements a process has anywhere. Every command asks, so it is told once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    pub conditional_events: bool,
    pub variable_events: bool,
    pub signal_events: bool,
    pub inclusive_gateways: bool,
    /// User tasks with listeners that are asked before the task is cancelled.
    pub cancel_listeners: bool,
    /// Compensation events that lead to no handler.
    pub unhandled_compensation: bool,
}

impl Contents {
    pub fn of(elements: &[Element]) -> Self {
        let mut contents = Self::default();
        for element in elements {
            match element.trigger() {
                Some(Trigger::Condition(_)) => contents.conditional_events = true,
                Some(Trigger::Variable(_)) => contents.variable_events = true,
                Some(Trigger::Signal(_)) => contents.signal_events = true,
                _ => {}
            }
            contents.inclusive_gateways |= matches!(element.kind, ElementKind::InclusiveGateway);
            if let ElementKind::BoundaryEvent(Boundary {
                attached_to,
                trigger: Trigger::Compensation,
                ..
            }) = &element.kind
            {
                let activity = &elements[attached_to.0 as usize];
                contents.unhandled_compensation |= activity.compensation.is_none();
            }
            let mut listeners = element.listeners.iter();
            contents.cancel_listeners |= listeners.any(|l| l.event == ListenerEvent::TaskCancel);
        }
        contents
    }

    /// Those who hear of variables want them watched.
    #[must_use]
    pub fn watched_by(mut self, listeners: &[EngineListener]) -> Self {
        let events = listeners.iter().flat_map(|listener| &listener.events);
        self.variable_events |= events.copied().any(EngineEvent::is_of_variables);
        self
    }
}

/// The inside of a process or subprocess.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// In the order the process visits siblings.
    pub starts: Vec<ElementIndex>,
    /// Where a start by hand, or a token that enters, begins: the start event without a trigger,
    /// or the one that the dialect takes instead.
    pub none_start: Option<ElementIndex>,
    /// In the order the process visits siblings.
    pub event_subprocesses: Vec<ElementIndex>,
    /// Everything directly inside, in document order.
    pub members: Vec<ElementIndex>,
    /// Variables that exist from the beginning.
    pub data_objects: Vec<DataObject>,
}

#[derive(Clone, Debug)]
pub struct DataObject {
    pub name: Arc<str>,
    pub value: Option<Expression>,
}
