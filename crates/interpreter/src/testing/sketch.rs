//! Draws a checked process without XML.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{Expression, Language, Profile};
use orloj_model::{
    CompletionVariables, DelegateTask, Element, ElementIndex, ElementKind, ErrorCatch, Failures,
    Flow, FlowIndex, IncidentNames, JobSettings, Joins, Mapping, MissedFirings, Position, Process,
    RetryCycle, RetryPlan, SavePoint, Semantics, ServiceTask, SiblingOrder, Timer, TimerKind,
    UncaughtError, UserTask, Walk, WorkerTask,
};
use orloj_types::{ElementId, ProcessId, Value};

pub(crate) struct Sketch {
    semantics: Semantics,
    elements: Vec<Element>,
    flows: Vec<Flow>,
}

pub(crate) fn start() -> ElementKind {
    ElementKind::NoneStart
}

pub(crate) fn end() -> ElementKind {
    ElementKind::NoneEnd
}

pub(crate) fn xor() -> ElementKind {
    ElementKind::ExclusiveGateway
}

pub(crate) fn and() -> ElementKind {
    ElementKind::ParallelGateway
}

pub(crate) fn user() -> ElementKind {
    ElementKind::UserTask(UserTask::default())
}

pub(crate) fn worker(job_type: &str) -> ElementKind {
    ElementKind::ServiceTask(ServiceTask::Worker(worker_task(job_type)))
}

pub(crate) fn delegate(name: &str) -> ElementKind {
    let worker = worker_task(name);
    ElementKind::ServiceTask(ServiceTask::Delegate(DelegateTask { name: name.into(), worker }))
}

pub(crate) fn catch(kind: TimerKind, text: &str) -> ElementKind {
    ElementKind::TimerCatch(timer(kind, text))
}

pub(crate) fn on_timer(interrupting: bool, kind: TimerKind, text: &str) -> ElementKind {
    let attached_to = ElementIndex(0);
    ElementKind::TimerBoundary { attached_to, interrupting, timer: timer(kind, text) }
}

pub(crate) fn on_error(code: Option<&str>) -> ElementKind {
    let catches = ErrorCatch { code: code.map(Arc::from), ..ErrorCatch::default() };
    ElementKind::ErrorBoundary { attached_to: ElementIndex(0), catches }
}

fn worker_task(job_type: &str) -> WorkerTask {
    WorkerTask {
        job_type: Expression::constant(Value::text(job_type)),
        retries: None,
        priority: None,
        headers: Vec::new(),
        is_user_task: false,
        completion: CompletionVariables::Merge,
    }
}

fn timer(kind: TimerKind, text: &str) -> Timer {
    Timer { kind, value: Expression::constant(Value::text(text)), exclusive: false }
}

impl Sketch {
    pub(crate) fn zeebe() -> Self {
        Self::new(Semantics {
            language: Language::Feel,
            uel: Profile::Camunda,
            siblings: SiblingOrder::Reversed,
            failures: Failures::Incident,
            uncaught_error: UncaughtError::Incident,
            retries_default: 3,
            retry_delay_ms: 0,
            incident_names: IncidentNames::Zeebe,
            missed_firings: MissedFirings::Replay,
            walk: Walk::BreadthFirst,
            joins: Joins::PerFlow,
            completion: CompletionVariables::Merge,
        })
    }

    pub(crate) fn camunda() -> Self {
        Self::new(Semantics {
            language: Language::Uel,
            uel: Profile::Camunda,
            siblings: SiblingOrder::Document,
            failures: Failures::RollBack,
            uncaught_error: UncaughtError::EndToken,
            retries_default: 3,
            retry_delay_ms: 0,
            incident_names: IncidentNames::Camunda,
            missed_firings: MissedFirings::Skip,
            walk: Walk::DepthFirst,
            joins: Joins::PerToken,
            completion: CompletionVariables::Assign,
        })
    }

    pub(crate) fn flowable() -> Self {
        let mut sketch = Self::camunda();
        sketch.semantics.uncaught_error = UncaughtError::Fail;
        sketch.semantics.uel = Profile::Flowable;
        sketch.semantics.retry_delay_ms = 10_000;
        sketch.semantics.incident_names = IncidentNames::Flowable;
        sketch.semantics.walk = Walk::BreadthFirst;
        sketch.semantics.joins = Joins::PerTokenEndedAtOnce;
        sketch
    }

    fn new(semantics: Semantics) -> Self {
        Self { semantics, elements: Vec::new(), flows: Vec::new() }
    }

    pub(crate) fn node(mut self, id: &str, mut kind: ElementKind) -> Self {
        if let ElementKind::ServiceTask(
            ServiceTask::Worker(worker) | ServiceTask::Delegate(DelegateTask { worker, .. }),
        ) = &mut kind
        {
            worker.completion = self.semantics.completion;
        }
        self.elements.push(Element {
            id: id.into(),
            name: None,
            kind,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            default_flow: None,
            boundaries: Vec::new(),
            async_before: None,
            async_after: None,
            jobs: JobSettings::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            position: Position::default(),
        });
        self
    }

    /// A boundary event on `host`.
    pub(crate) fn boundary(self, host: &str, id: &str, mut kind: ElementKind) -> Self {
        let (host, index) = (self.index(host), ElementIndex(self.elements.len() as u32));
        if let ElementKind::TimerBoundary { attached_to, .. }
        | ElementKind::ErrorBoundary { attached_to, .. } = &mut kind
        {
            *attached_to = host;
        }
        let mut sketch = self.node(id, kind);
        sketch.elements[host.0 as usize].boundaries.push(index);
        sketch
    }

    /// `a -> b -> c` draws two flows, named `a-b` and `b-c`.
    pub(crate) fn flows(mut self, chain: &str) -> Self {
        let ids: Vec<&str> = chain.split("->").map(str::trim).collect();
        for pair in ids.windows(2) {
            self.draw(pair[0], pair[1], None);
        }
        self
    }

    pub(crate) fn flow_if(mut self, source: &str, target: &str, condition: &str) -> Self {
        let condition = self.expression(condition);
        self.draw(source, target, Some(condition));
        self
    }

    pub(crate) fn default_flow(mut self, source: &str, target: &str) -> Self {
        let flow = self.draw(source, target, None);
        let source = self.index(source);
        self.elements[source.0 as usize].default_flow = Some(flow);
        self
    }

    fn draw(&mut self, source: &str, target: &str, condition: Option<Expression>) -> FlowIndex {
        let index = FlowIndex(self.flows.len() as u32);
        let id = ElementId::from(format!("{source}-{target}"));
        let (source, target) = (self.index(source), self.index(target));
        self.flows.push(Flow { id, source, target, condition });
        self.elements[source.0 as usize].outgoing.push(index);
        self.elements[target.0 as usize].incoming.push(index);
        index
    }

    pub(crate) fn with(mut self, id: &str, change: impl FnOnce(&mut Element)) -> Self {
        let index = self.index(id);
        change(&mut self.elements[index.0 as usize]);
        self
    }

    pub(crate) fn meaning(mut self, change: impl FnOnce(&mut Semantics)) -> Self {
        change(&mut self.semantics);
        self
    }

    /// An exclusive save point before the element.
    pub(crate) fn async_before(self, id: &str) -> Self {
        self.with(id, |e| e.async_before = Some(SavePoint { exclusive: true }))
    }

    pub(crate) fn async_after(self, id: &str) -> Self {
        self.with(id, |e| e.async_after = Some(SavePoint { exclusive: true }))
    }

    pub(crate) fn retry(self, id: &str, cycle: &str) -> Self {
        let plan = RetryPlan::parse(cycle).expect(cycle);
        self.with(id, |e| e.jobs.retry_cycle = Some(RetryCycle::Fixed(plan)))
    }

    pub(crate) fn input(self, id: &str, source: &str, target: &str) -> Self {
        let mapping = self.mapping(source, target);
        self.with(id, |e| e.inputs.push(mapping))
    }

    pub(crate) fn output(self, id: &str, source: &str, target: &str) -> Self {
        let mapping = self.mapping(source, target);
        self.with(id, |e| e.outputs.push(mapping))
    }

    fn mapping(&self, source: &str, target: &str) -> Mapping {
        Mapping {
            source: self.expression(source),
            target: target.split('.').map(Arc::from).collect(),
        }
    }

    /// In the language of the process, without its brackets.
    pub(crate) fn expression(&self, text: &str) -> Expression {
        let text = match self.semantics.language {
            Language::Uel => format!("${{{text}}}"),
            Language::Feel => text.to_owned(),
        };
        Expression::parse(self.semantics.language, &text).expect(&text)
    }

    fn index(&self, id: &str) -> ElementIndex {
        let index = self.elements.iter().position(|e| &*e.id == id);
        ElementIndex(index.expect("a flow joins elements that were drawn before") as u32)
    }

    pub(crate) fn build(mut self) -> Arc<Process> {
        if self.semantics.siblings == SiblingOrder::Reversed {
            for element in &mut self.elements {
                element.outgoing.reverse();
                element.boundaries.reverse();
            }
        }
        let none_start =
            self.elements.iter().position(|e| matches!(e.kind, ElementKind::NoneStart));
        let by_id: BTreeMap<_, _> = (0..)
            .map(ElementIndex)
            .zip(&self.elements)
            .map(|(index, element)| (element.id.clone(), index))
            .collect();
        Arc::new(Process {
            id: ProcessId::from("sketch"),
            name: None,
            version_tag: None,
            elements: self.elements,
            flows: self.flows,
            none_start: none_start.map(|index| ElementIndex(index as u32)),
            semantics: self.semantics,
            by_id,
        })
    }
}
