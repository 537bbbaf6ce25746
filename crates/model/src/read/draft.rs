//! A process as far as it could be read.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{ElementId, ProcessId};
use orloj_xml::Position;

use orloj_expr::Expression;

use crate::graph::{
    Contents, DataObject, Element, ElementIndex, ElementKind, EngineListener, Flow, FlowIndex,
    HistoryDepth, JobSettings, Listener, Mapping, MultiInstance, Process, SavePoint, Scope,
    Semantics, SiblingOrder, Sources, StartEvent, SubProcess, TimeToLive, topic_of,
};
use crate::options::Dialect;
use crate::read::context::{Subject, Written};

pub(crate) struct Draft<'a> {
    pub subject: Subject<'a>,
    pub id: ProcessId,
    pub name: Option<Arc<str>>,
    pub version_tag: Option<Arc<str>>,
    pub time_to_live: Option<TimeToLive>,
    pub history_depth: Option<HistoryDepth>,
    pub elements: Vec<DraftElement<'a>>,
    pub flows: Vec<DraftFlow<'a>>,
    pub listeners: Vec<Listener>,
    pub engine_listeners: Vec<EngineListener>,
    /// With the subprocess they lie in.
    pub data_objects: Vec<(Option<ElementIndex>, DataObject)>,
    pub associations: Vec<Subject<'a>>,
    pub by_id: BTreeMap<ElementId, ElementIndex>,
    /// Something had to be left out; an error says what. Absence proves nothing then.
    pub has_gaps: bool,
    /// Flowable checks processes too that it never runs.
    pub is_executable: bool,
}

pub(crate) struct DraftElement<'a> {
    pub subject: Subject<'a>,
    pub id: ElementId,
    /// Whether the file gives it the id.
    pub has_id: bool,
    pub parent: Option<ElementIndex>,
    pub position: Position,
    /// `None` stands for what could not be read; an error says why.
    pub kind: Option<ElementKind>,
    pub name: Option<Arc<str>>,
    pub incoming: Vec<FlowIndex>,
    pub outgoing: Vec<FlowIndex>,
    /// How many flows the element itself says that it has; nobody but Zeebe looks at that.
    pub listed: Listed,
    /// As the attribute names it.
    pub default_ref: Option<Written<'a>>,
    pub default_flow: Option<FlowIndex>,
    pub boundaries: Vec<ElementIndex>,
    pub async_before: Option<SavePoint>,
    pub async_after: Option<SavePoint>,
    pub multi: Option<MultiInstance>,
    pub is_for_compensation: bool,
    pub compensation: Option<ElementIndex>,
    pub listeners: Vec<Listener>,
    pub skip: Option<Expression>,
    pub jobs: JobSettings,
    pub inputs: Vec<Mapping>,
    pub outputs: Vec<Mapping>,
}

impl<'a> DraftElement<'a> {
    pub fn placeholder(
        subject: Subject<'a>,
        id: ElementId,
        parent: Option<ElementIndex>,
        position: Position,
    ) -> Self {
        Self {
            subject,
            id,
            has_id: true,
            parent,
            position,
            kind: None,
            name: None,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            listed: Listed::default(),
            default_ref: None,
            default_flow: None,
            boundaries: Vec::new(),
            async_before: None,
            async_after: None,
            multi: None,
            is_for_compensation: false,
            compensation: None,
            listeners: Vec::new(),
            skip: None,
            jobs: JobSettings::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    pub fn is_event_subprocess(&self) -> bool {
        self.kind.as_ref().is_some_and(ElementKind::is_event_subprocess)
    }

    fn finish(mut self) -> Option<Element> {
        let kind = self.kind?;
        self.jobs.topic = topic_of(&kind);
        Some(Element {
            id: self.id,
            has_id: self.has_id,
            name: self.name,
            kind,
            parent: self.parent,
            incoming: self.incoming,
            outgoing: self.outgoing,
            default_flow: self.default_flow,
            boundaries: self.boundaries,
            async_before: self.async_before,
            async_after: self.async_after,
            multi: self.multi,
            is_for_compensation: self.is_for_compensation,
            compensation: self.compensation,
            listeners: self.listeners,
            skip: self.skip,
            jobs: self.jobs,
            inputs: self.inputs,
            outputs: self.outputs,
            position: self.position,
        })
    }
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Listed {
    pub incoming: usize,
    pub outgoing: usize,
}

pub(crate) struct DraftFlow<'a> {
    pub subject: Subject<'a>,
    pub flow: Flow,
    /// Whether the file names it.
    pub has_id: bool,
}

impl<'a> Draft<'a> {
    pub fn element(&self, index: ElementIndex) -> &DraftElement<'a> {
        &self.elements[index.0 as usize]
    }

    pub fn flow(&self, index: FlowIndex) -> &DraftFlow<'a> {
        &self.flows[index.0 as usize]
    }

    pub fn indices(&self) -> impl Iterator<Item = ElementIndex> + use<> {
        (0..self.elements.len() as u32).map(ElementIndex)
    }

    /// The graph, unless a part of it could not be read.
    pub fn finish(self, dialect: Dialect, semantics: Semantics) -> Option<Process> {
        let mut elements: Vec<Element> =
            self.elements.into_iter().map(DraftElement::finish).collect::<Option<_>>()?;
        let mut scopes = Scopes::of(dialect, &elements, self.data_objects);
        if semantics.siblings == SiblingOrder::Reversed {
            for element in &mut elements {
                element.outgoing.reverse();
                element.boundaries.reverse();
            }
            scopes.reverse();
        }
        for (element, scope) in elements.iter_mut().zip(scopes.inner) {
            if let ElementKind::SubProcess(SubProcess { scope: inside, .. }) = &mut element.kind {
                *inside = scope;
            }
        }
        Some(Process {
            id: self.id,
            name: self.name,
            version_tag: self.version_tag,
            time_to_live: self.time_to_live,
            history_depth: self.history_depth,
            flows: self.flows.into_iter().map(|draft| draft.flow).collect(),
            root: scopes.root,
            contents: Contents::of(&elements).watched_by(&self.engine_listeners),
            listeners: self.listeners,
            engine_listeners: self.engine_listeners,
            sources: Sources::of(&elements),
            elements,
            semantics,
            by_id: self.by_id.into_iter().collect(),
        })
    }
}

/// What lies where.
struct Scopes {
    root: Scope,
    /// By element; empty for those that contain nothing.
    inner: Vec<Scope>,
}

impl Scopes {
    fn of(
        dialect: Dialect,
        elements: &[Element],
        data_objects: Vec<(Option<ElementIndex>, DataObject)>,
    ) -> Self {
        let inner = elements.iter().map(|_| Scope::default()).collect();
        let mut scopes = Self { root: Scope::default(), inner };
        for (at, element) in elements.iter().enumerate() {
            let index = ElementIndex(at as u32);
            let scope = scopes.get(element.parent);
            scope.members.push(index);
            if matches!(element.kind, ElementKind::StartEvent(_)) {
                scope.starts.push(index);
            }
            if element.kind.is_event_subprocess() {
                scope.event_subprocesses.push(index);
            }
        }
        for (parent, object) in data_objects {
            scopes.get(parent).data_objects.push(object);
        }
        scopes.root.none_start = first_start(dialect, elements, &scopes.root);
        for scope in &mut scopes.inner {
            scope.none_start = first_start(dialect, elements, scope);
        }
        scopes
    }

    fn get(&mut self, of: Option<ElementIndex>) -> &mut Scope {
        match of {
            Some(index) => &mut self.inner[index.0 as usize],
            None => &mut self.root,
        }
    }

    fn reverse(&mut self) {
        for scope in self.inner.iter_mut().chain([&mut self.root]) {
            scope.starts.reverse();
            scope.event_subprocesses.reverse();
        }
    }
}

/// Where a start by hand begins. Camunda begins at a timer too, and at any start event that is
/// the only one; Flowable at the first one where none is without a trigger.
fn first_start(dialect: Dialect, elements: &[Element], scope: &Scope) -> Option<ElementIndex> {
    let trigger = |index: &ElementIndex| match &elements[index.0 as usize].kind {
        ElementKind::StartEvent(StartEvent { trigger, .. }) => trigger.as_ref(),
        _ => None,
    };
    let none = scope.starts.iter().find(|start| trigger(start).is_none()).copied();
    let other = match dialect {
        // Nothing ever undoes a process, so its start event is as good as one without a trigger.
        Dialect::Zeebe => {
            let undoes = |start: &&ElementIndex| {
                matches!(trigger(start), Some(crate::graph::Trigger::Compensation))
            };
            scope.starts.iter().find(undoes).copied()
        }
        Dialect::Camunda7 => {
            let is_timer = |start: &&ElementIndex| {
                matches!(trigger(start), Some(crate::graph::Trigger::Timer(_)))
            };
            let only = || match scope.starts[..] {
                [only] => Some(only),
                _ => None,
            };
            scope.starts.iter().find(is_timer).copied().or_else(only)
        }
        Dialect::Flowable => scope.starts.first().copied(),
    };
    none.or(other)
}
