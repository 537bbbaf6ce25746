//! Draws a checked process without XML.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::{Expression, Language};
use orloj_model::{
    Boundary, CallActivity, CallBinding, CallMapping, Code, CompletionVariables, Condition,
    Contents, DelegateTask, Dialect, Element, ElementIndex, ElementKind, ErrorCatch,
    EscalationCatch, Flow, FlowIndex, JobSettings, Listener, ListenerEvent, Mapping, MappingSource,
    MessageCatch, Position, Process, RetryCycle, RetryPlan, SavePoint, Scope, Script, Semantics,
    ServiceTask, SiblingOrder, Sources, StartEvent, SubProcess, SubProcessKind, Throw, Timer,
    TimerKind, Trigger, UserTask, WorkerTask,
};
use orloj_types::{ElementId, ProcessId, Value};

pub(crate) struct Sketch {
    semantics: Semantics,
    elements: Vec<Element>,
    flows: Vec<Flow>,
    listeners: Vec<Listener>,
}

pub(crate) fn start() -> ElementKind {
    let (trigger, interrupting, initiator) = (None, true, None);
    ElementKind::StartEvent(StartEvent { trigger, interrupting, initiator })
}

pub(crate) fn end() -> ElementKind {
    ElementKind::EndEvent(Throw::None)
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
    ElementKind::ServiceTask(ServiceTask::Delegate(DelegateTask {
        name: name.into(),
        computed: None,
        fields: Vec::new(),
        result_variable: None,
        is_triggerable: false,
        exceptions: Vec::new(),
        worker,
    }))
}

pub(crate) fn catch(kind: TimerKind, text: &str) -> ElementKind {
    ElementKind::CatchEvent(Some(Trigger::Timer(timer(kind, text))))
}

pub(crate) fn on_timer(interrupting: bool, kind: TimerKind, text: &str) -> ElementKind {
    let (attached_to, trigger) = (ElementIndex(0), Trigger::Timer(timer(kind, text)));
    ElementKind::BoundaryEvent(Boundary { attached_to, interrupting, trigger })
}

pub(crate) fn on_error(code: Option<&str>) -> ElementKind {
    let catches = ErrorCatch { code: code.map(Arc::from), ..ErrorCatch::default() };
    let (attached_to, trigger) = (ElementIndex(0), Trigger::Error(catches));
    ElementKind::BoundaryEvent(Boundary { attached_to, interrupting: true, trigger })
}

fn listener(event: ListenerEvent, code: Code) -> Listener {
    let (fields, moment) = (Vec::new(), orloj_model::ListenerMoment::AtOnce);
    Listener { event, code, fields, result_variable: None, timeout: None, moment }
}

/// A boundary event that waits for this.
pub(crate) fn on(interrupting: bool, trigger: Trigger) -> ElementKind {
    let attached_to = ElementIndex(0);
    ElementKind::BoundaryEvent(Boundary { attached_to, interrupting, trigger })
}

/// The start event of an event subprocess.
pub(crate) fn start_on(interrupting: bool, trigger: Trigger) -> ElementKind {
    let (trigger, initiator) = (Some(trigger), None);
    ElementKind::StartEvent(StartEvent { trigger, interrupting, initiator })
}

/// In UEL.
pub(crate) fn condition(text: &str) -> Trigger {
    let text = format!("${{{text}}}");
    let expression = Script::Expression(Expression::parse(Language::Uel, &text).expect(&text));
    Trigger::Condition(Condition { expression, variable: None, events: Vec::new() })
}

pub(crate) fn message(name: &str) -> Trigger {
    let name = Expression::constant(Value::text(name));
    Trigger::Message(MessageCatch { name, correlation_key: None })
}

pub(crate) fn escalation(code: Option<&str>) -> Trigger {
    let code = code.map(Arc::from);
    Trigger::Escalation(EscalationCatch { code, ..EscalationCatch::default() })
}

pub(crate) fn subprocess(kind: SubProcessKind) -> ElementKind {
    ElementKind::SubProcess(SubProcess { kind, scope: Scope::default() })
}

/// Everything goes in, nothing comes out.
pub(crate) fn call(process: &str) -> CallActivity {
    CallActivity {
        process: Expression::constant(Value::text(process)),
        binding: CallBinding::Latest,
        tenant: None,
        business_key: None,
        inherits_business_key: false,
        inputs: vec![CallMapping::All { is_local: false }],
        outputs: Vec::new(),
        variable_mapping: None,
        falls_back_to_no_tenant: false,
        instance_name: None,
        instance_key_variable: None,
        completes_by_job: None,
        exceptions: Vec::new(),
    }
}

fn worker_task(job_type: &str) -> WorkerTask {
    let job_type = Expression::constant(Value::text(job_type));
    WorkerTask::of(job_type, CompletionVariables::Merge)
}

fn timer(kind: TimerKind, text: &str) -> Timer {
    let value = Expression::constant(Value::text(text));
    Timer { kind, value, end: None, exclusive: false }
}

impl Sketch {
    pub(crate) fn zeebe() -> Self {
        Self::new(Semantics::of(Dialect::Zeebe))
    }

    pub(crate) fn camunda() -> Self {
        Self::new(Semantics::of(Dialect::Camunda7))
    }

    pub(crate) fn flowable() -> Self {
        Self::new(Semantics::of(Dialect::Flowable))
    }

    fn new(semantics: Semantics) -> Self {
        let (elements, flows, listeners) = (Vec::new(), Vec::new(), Vec::new());
        Self { semantics, elements, flows, listeners }
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
            has_id: true,
            name: None,
            kind,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            default_flow: None,
            boundaries: Vec::new(),
            async_before: None,
            async_after: None,
            parent: None,
            multi: None,
            is_for_compensation: false,
            compensation: None,
            listeners: Vec::new(),
            skip: None,
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
        if let ElementKind::BoundaryEvent(boundary) = &mut kind {
            boundary.attached_to = host;
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
        let condition = condition.map(Script::Expression);
        let (listeners, skip) = (Vec::new(), None);
        self.flows.push(Flow { id, source, target, condition, listeners, skip });
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
            source: MappingSource::Expression(self.expression(source)),
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

    /// What lies directly in a subprocess, or in the process itself.
    fn scope_of(&self, parent: Option<ElementIndex>) -> Scope {
        let all = (0..self.elements.len() as u32).map(ElementIndex);
        let members: Vec<_> = all.filter(|&index| self.element(index).parent == parent).collect();
        let which = |is_it: &dyn Fn(&ElementKind) -> bool| -> Vec<ElementIndex> {
            members.iter().copied().filter(|&index| is_it(&self.element(index).kind)).collect()
        };
        let starts = which(&|kind| matches!(kind, ElementKind::StartEvent(_)));
        let is_none = |kind: &ElementKind| {
            matches!(kind, ElementKind::StartEvent(StartEvent { trigger: None, .. }))
        };
        Scope {
            none_start: which(&is_none).first().copied(),
            starts,
            event_subprocesses: which(&ElementKind::is_event_subprocess),
            members,
            data_objects: Vec::new(),
        }
    }

    fn element(&self, index: ElementIndex) -> &Element {
        &self.elements[index.0 as usize]
    }

    /// What was drawn lies in a subprocess that was drawn before.
    pub(crate) fn inside(mut self, parent: &str, ids: &[&str]) -> Self {
        let parent = self.index(parent);
        for id in ids {
            let index = self.index(id);
            self.elements[index.0 as usize].parent = Some(parent);
        }
        self
    }

    /// A listener that evaluates an expression.
    pub(crate) fn listener(self, id: &str, event: ListenerEvent, text: &str) -> Self {
        let code = Code::Expression(self.expression(text));
        self.with(id, |e| e.listeners.push(listener(event, code)))
    }

    /// A listener that is a job.
    pub(crate) fn listener_job(self, id: &str, event: ListenerEvent, job_type: &str) -> Self {
        let job_type = Expression::constant(Value::text(job_type));
        let code = Code::Worker { job_type, retries: None, headers: Vec::new() };
        self.with(id, |e| e.listeners.push(listener(event, code)))
    }

    /// A delegate that listens.
    pub(crate) fn listener_code(self, id: &str, event: ListenerEvent, name: &str) -> Self {
        let code = Code::Delegate(name.into());
        self.with(id, |e| e.listeners.push(listener(event, code)))
    }

    /// A delegate that is called when a token takes the flow.
    pub(crate) fn listener_of_flow(mut self, flow: &str, name: &str) -> Self {
        let found = self.flows.iter_mut().find(|found| *found.id == *flow).expect(flow);
        found.listeners.push(listener(ListenerEvent::Take, Code::Delegate(name.into())));
        self
    }

    /// The same as [`Sketch::listener_job`] of the process itself.
    pub(crate) fn process_listener_job(mut self, event: ListenerEvent, job_type: &str) -> Self {
        let job_type = Expression::constant(Value::text(job_type));
        let code = Code::Worker { job_type, retries: None, headers: Vec::new() };
        self.listeners.push(listener(event, code));
        self
    }

    /// The index of an element that was drawn.
    pub(crate) fn number(&self, id: &str) -> ElementIndex {
        self.index(id)
    }

    pub(crate) fn build(mut self) -> Arc<Process> {
        if self.semantics.siblings == SiblingOrder::Reversed {
            for element in &mut self.elements {
                element.outgoing.reverse();
                element.boundaries.reverse();
            }
        }
        let root = self.scope_of(None);
        let inner: Vec<_> = (0..self.elements.len() as u32)
            .map(ElementIndex)
            .filter(|&index| matches!(self.element(index).kind, ElementKind::SubProcess(_)))
            .map(|index| (index, self.scope_of(Some(index))))
            .collect();
        for (index, found) in inner {
            if let ElementKind::SubProcess(inner) = &mut self.elements[index.0 as usize].kind {
                inner.scope = found;
            }
        }
        let by_id: BTreeMap<_, _> = (0..)
            .map(ElementIndex)
            .zip(&self.elements)
            .map(|(index, element)| (element.id.clone(), index))
            .collect();
        Arc::new(Process {
            id: ProcessId::from("sketch"),
            name: None,
            version_tag: None,
            time_to_live: None,
            history_depth: None,
            contents: Contents::of(&self.elements),
            sources: Sources::of(&self.elements),
            elements: self.elements,
            flows: self.flows,
            root,
            listeners: self.listeners,
            engine_listeners: Vec::new(),
            semantics: self.semantics,
            by_id: by_id.into_iter().collect(),
        })
    }
}
