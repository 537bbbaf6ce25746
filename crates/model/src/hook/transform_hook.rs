//! Transforms of the configuration at work.

use std::sync::atomic::{AtomicBool, Ordering};

use orloj_expr::{Expression, Language};
use orloj_types::Value;

use crate::graph::{
    Code, CompletionVariables, ElementKind, Listener, ListenerEvent, ListenerMoment, SavePoint,
    ServiceTask, Throw, WorkerTask,
};
use crate::hook::pattern::fits;
use crate::hook::run::FIXED_ATTRIBUTES;
use crate::hook::source::split_name;
use crate::hook::{
    AddedListener, AddedListenerEvent, ElementParts, FlowParts, Matching, ParseHook, PriorityValue,
    ProcessParts, Source, Transform, TransformError,
};
use crate::read::limits::JOB_TYPE_BYTES_MAX;
use crate::retry::RetryCycle;
use crate::semantics::completion_of;

/// Checked transforms, applied in their order.
#[derive(Clone, Debug, Default)]
pub struct Transforms(Vec<Ready>);

/// Transforms that note which of them had anything to do, so that a file can be kept together with
/// just those that made it what it is. Made for one reading of one file.
#[derive(Debug)]
pub struct NotedTransforms {
    transforms: Transforms,
    used: Vec<AtomicBool>,
}

/// A transform with everything parsed.
#[derive(Clone, Debug)]
struct Ready {
    transform: Transform,
    retry_cycle: Option<RetryCycle>,
    priority: Option<Expression>,
    job_type: Option<Expression>,
    listeners: Vec<Listener>,
}

impl Transforms {
    pub fn new(transforms: Vec<Transform>) -> Result<Self, TransformError> {
        let ready = |(at, transform): (usize, Transform)| {
            let number = at + 1;
            Ready::of(transform).map_err(|(key, reason)| TransformError { number, key, reason })
        };
        transforms.into_iter().enumerate().map(ready).collect::<Result<_, _>>().map(Self)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn noted(&self) -> NotedTransforms {
        let used = self.0.iter().map(|_| AtomicBool::new(false)).collect();
        NotedTransforms { transforms: self.clone(), used }
    }

    fn before(&self, source: &mut Source, note: impl Fn(usize)) {
        for (at, ready) in self.0.iter().enumerate() {
            if ready.transform.matching.holds(source) {
                note(at);
                for (name, value) in &ready.transform.set.attributes {
                    source.set_attribute(name, value);
                }
            }
        }
    }

    fn after(&self, source: &mut Source, mut element: ElementParts<'_>, note: impl Fn(usize)) {
        for (at, ready) in self.0.iter().enumerate() {
            if ready.transform.matching.holds(source) {
                note(at);
                ready.apply(source, &mut element);
            }
        }
    }

    fn after_flow(&self, source: &Source, flow: FlowParts<'_>, note: impl Fn(usize)) {
        for (at, ready) in self.0.iter().enumerate() {
            if ready.transform.matching.holds(source) {
                note(at);
                let fitting = |l: &&Listener| l.event == ListenerEvent::Take;
                flow.listeners.extend(ready.listeners.iter().filter(fitting).cloned());
            }
        }
    }

    fn after_process(&self, source: &Source, process: ProcessParts<'_>, note: impl Fn(usize)) {
        for (at, ready) in self.0.iter().enumerate() {
            let matching = &ready.transform.matching;
            // One that names no kind means elements.
            if !matching.kinds.is_empty() && matching.holds(source) {
                note(at);
                let fitting =
                    |l: &&Listener| matches!(l.event, ListenerEvent::Start | ListenerEvent::End);
                process.listeners.extend(ready.listeners.iter().filter(fitting).cloned());
            }
        }
    }
}

impl ParseHook for Transforms {
    fn before(&self, source: &mut Source) {
        self.before(source, |_| ());
    }

    fn after(&self, source: &mut Source, element: ElementParts<'_>) {
        self.after(source, element, |_| ());
    }

    fn after_flow(&self, source: &mut Source, flow: FlowParts<'_>) {
        self.after_flow(source, flow, |_| ());
    }

    fn after_process(&self, source: &mut Source, process: ProcessParts<'_>) {
        self.after_process(source, process, |_| ());
    }
}

impl NotedTransforms {
    /// Those that matched something, in their order. Applied to the same file they have the same
    /// effect as all.
    pub fn used(&self) -> Vec<Transform> {
        let with_notes = self.transforms.0.iter().zip(&self.used);
        let used = with_notes.filter(|(_, used)| used.load(Ordering::Relaxed));
        used.map(|(ready, _)| ready.transform.clone()).collect()
    }

    fn note(&self, at: usize) {
        self.used[at].store(true, Ordering::Relaxed);
    }
}

impl ParseHook for NotedTransforms {
    fn before(&self, source: &mut Source) {
        self.transforms.before(source, |at| self.note(at));
    }

    fn after(&self, source: &mut Source, element: ElementParts<'_>) {
        self.transforms.after(source, element, |at| self.note(at));
    }

    fn after_flow(&self, source: &mut Source, flow: FlowParts<'_>) {
        self.transforms.after_flow(source, flow, |at| self.note(at));
    }

    fn after_process(&self, source: &mut Source, process: ProcessParts<'_>) {
        self.transforms.after_process(source, process, |at| self.note(at));
    }
}

impl Matching {
    fn holds(&self, source: &Source) -> bool {
        let any = |patterns: &[String], text: &str| {
            patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, text))
        };
        self.dialect.is_none_or(|dialect| dialect == source.dialect())
            && any(&self.processes, source.process())
            && any(&self.kinds, source.kind())
            && any(&self.ids, source.id())
            && self.attributes.iter().all(|(name, pattern)| {
                source.attribute(name).is_some_and(|value| fits(pattern, value))
            })
    }
}

impl Ready {
    /// An error comes with the key that is wrong.
    fn of(transform: Transform) -> Result<Self, (&'static str, String)> {
        let set = &transform.set;
        let retry_cycle = set.retry_cycle.as_deref().map(RetryCycle::parse).transpose();
        let retry_cycle = retry_cycle.map_err(|reason| ("set.retry_cycle", reason))?;
        let priority = match &set.priority {
            None => None,
            Some(PriorityValue::Number(n)) => Some(Expression::constant(Value::Int(i64::from(*n)))),
            Some(PriorityValue::Expression(text)) => {
                Some(expression(text).map_err(|reason| ("set.priority", reason))?)
            }
        };
        let job_type = set.job_type.as_deref().map(job_type).transpose();
        let job_type = job_type.map_err(|reason| ("set.job_type", reason))?;
        let listeners = set.listeners.iter().map(listener).collect::<Result<_, _>>();
        let listeners = listeners.map_err(|reason| ("set.listeners", reason))?;
        let wrong = set.attributes.keys().find(|name| split_name(name).is_none());
        if let Some(name) = wrong {
            let reason = format!("{name:?} has a prefix that no vendor has");
            return Err(("set.attributes", reason));
        }
        let fixed = set.attributes.keys().find(|name| FIXED_ATTRIBUTES.contains(&name.as_str()));
        if let Some(name) = fixed {
            return Err(("set.attributes", format!("{name:?} joins elements and cannot be set")));
        }
        Ok(Self { retry_cycle, priority, job_type, listeners, transform })
    }

    fn apply(&self, source: &mut Source, element: &mut ElementParts<'_>) {
        let set = &self.transform.set;
        let exclusive = set.exclusive.unwrap_or(true);
        for (wanted, point) in [
            (set.async_before, &mut *element.async_before),
            (set.async_after, &mut *element.async_after),
        ] {
            match wanted {
                Some(true) if point.is_none() => *point = Some(SavePoint { exclusive }),
                Some(false) => *point = None,
                _ => {}
            }
        }
        if let Some(exclusive) = set.exclusive {
            let multi = element.multi.iter_mut();
            let inner = multi.flat_map(|multi| [&mut multi.inner_before, &mut multi.inner_after]);
            let own = [&mut *element.async_before, &mut *element.async_after];
            for point in own.into_iter().chain(inner).flatten() {
                point.exclusive = exclusive;
            }
        }
        if let Some(cycle) = &self.retry_cycle {
            element.jobs.retry_cycle = Some(cycle.clone());
        }
        if let Some(priority) = &self.priority {
            element.jobs.priority = Some(priority.clone());
        }
        self.apply_work(source, element.kind);
        let is_user_task = matches!(element.kind, ElementKind::UserTask(_));
        let fitting = |listener: &&Listener| match listener.event {
            ListenerEvent::Start | ListenerEvent::End => true,
            ListenerEvent::Take => false,
            _ => is_user_task,
        };
        element.listeners.extend(self.listeners.iter().filter(fitting).cloned());
    }

    fn apply_work(&self, source: &mut Source, kind: &mut ElementKind) {
        let completion = completion_of(source.dialect());
        let work = match kind {
            ElementKind::ServiceTask(work) => Some(work),
            ElementKind::ThrowEvent(Throw::Message(work))
            | ElementKind::EndEvent(Throw::Message(work)) => Some(&mut **work),
            _ => None,
        };
        match (work, &self.job_type) {
            (None, Some(_)) => source.warn("the transform's job_type has no effect here"),
            (None, None) => {}
            (Some(work), job_type) => {
                if let Some(job_type) = job_type {
                    make_worker(work, job_type, completion);
                }
                if let (Some(worker), Some(priority)) = (work.worker_mut(), &self.priority) {
                    worker.priority = Some(priority.clone());
                }
            }
        }
    }
}

/// What may be a job keeps the settings it would have had as one.
fn make_worker(work: &mut ServiceTask, job_type: &Expression, completion: CompletionVariables) {
    let job_type = job_type.clone();
    *work = ServiceTask::Worker(match work.worker() {
        Some(worker) => WorkerTask { job_type, ..worker.clone() },
        None => WorkerTask::of(job_type, completion),
    });
}

fn expression(text: &str) -> Result<Expression, String> {
    let parsed = if let Some(feel) = text.strip_prefix('=') {
        Expression::parse(Language::Feel, feel)
    } else if text.contains("${") || text.contains("#{") {
        Expression::parse(Language::Uel, text)
    } else {
        return Ok(Expression::constant(Value::text(text)));
    };
    parsed.map_err(|error| format!("the expression {text:?} does not parse: {}", error.message))
}

fn job_type(text: &str) -> Result<Expression, String> {
    match text.len() {
        0 => Err("the job type is empty".to_owned()),
        1..=JOB_TYPE_BYTES_MAX => expression(text),
        _ => Err(format!("the job type is longer than {JOB_TYPE_BYTES_MAX} bytes")),
    }
}

fn listener(added: &AddedListener) -> Result<Listener, String> {
    let code = match (&added.delegate, &added.expression, &added.job_type) {
        (Some(name), None, None) => Code::Delegate(name.as_str().into()),
        (None, Some(text), None) => Code::Expression(expression(text)?),
        (None, None, Some(name)) => {
            Code::Worker { job_type: job_type(name)?, retries: None, headers: Vec::new() }
        }
        _ => return Err("a listener needs one of delegate, expression and job_type".to_owned()),
    };
    let event = match added.event {
        AddedListenerEvent::Start => ListenerEvent::Start,
        AddedListenerEvent::End => ListenerEvent::End,
        AddedListenerEvent::Take => ListenerEvent::Take,
        AddedListenerEvent::TaskCreate => ListenerEvent::TaskCreate,
        AddedListenerEvent::TaskAssign => ListenerEvent::TaskAssign,
        AddedListenerEvent::TaskUpdate => ListenerEvent::TaskUpdate,
        AddedListenerEvent::TaskComplete => ListenerEvent::TaskComplete,
        AddedListenerEvent::TaskDelete => ListenerEvent::TaskDelete,
    };
    let (fields, moment) = (Vec::new(), ListenerMoment::AtOnce);
    Ok(Listener { event, code, fields, result_variable: None, timeout: None, moment })
}
