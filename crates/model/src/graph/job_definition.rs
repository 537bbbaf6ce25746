//! Job definitions: which kinds of jobs a process makes, and where. Operators suspend them and
//! override their priority, so they have names that outlive a deployment's graph: the words that
//! Camunda writes into its table, used for all dialects.

use std::sync::Arc;

use orloj_expr::Language;
use orloj_types::Value;

use super::element::{Element, ElementKind};
use super::event::{Timer, TimerKind, Trigger};
use super::process::Process;

/// What follows the id of a multi-instance activity where its body is meant.
pub const BODY_SUFFIX: &str = "#multiInstanceBody";

/// One kind of job of one element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobDefinition {
    /// The element's id, of a multi-instance body with [`BODY_SUFFIX`].
    pub element: Arc<str>,
    pub handler: JobHandler,
    /// `async-before`, `async-after`, or the text of a timer after its kind.
    pub configuration: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobHandler {
    AsyncContinuation,
    /// Begins an instance.
    TimerStart,
    TimerStartEventSubprocess,
    TimerBoundary,
    TimerCatch,
    TimerTaskListener,
}

impl JobHandler {
    pub const ALL: [Self; 6] = [
        Self::AsyncContinuation,
        Self::TimerStart,
        Self::TimerStartEventSubprocess,
        Self::TimerBoundary,
        Self::TimerCatch,
        Self::TimerTaskListener,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::AsyncContinuation => "async-continuation",
            Self::TimerStart => "timer-start-event",
            Self::TimerStartEventSubprocess => "timer-start-event-subprocess",
            Self::TimerBoundary => "timer-transition",
            Self::TimerCatch => "timer-intermediate-transition",
            Self::TimerTaskListener => "timer-task-listener",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|handler| handler.word() == word)
    }
}

impl JobDefinition {
    /// Of the save point before an element.
    pub fn before(element: &Element, is_body: bool) -> Self {
        Self::continuation(element, is_body, "async-before")
    }

    /// Of the save point after an element.
    pub fn after(element: &Element, is_body: bool) -> Self {
        Self::continuation(element, is_body, "async-after")
    }

    fn continuation(element: &Element, is_body: bool, configuration: &str) -> Self {
        let id = element.id.as_str();
        let element = match is_body {
            true => format!("{id}{BODY_SUFFIX}").into(),
            false => id.into(),
        };
        let handler = JobHandler::AsyncContinuation;
        Self { element, handler, configuration: configuration.into() }
    }

    /// Of the timer of an event; `None` where it has none.
    pub fn timer(event: &Element) -> Option<Self> {
        let Some(Trigger::Timer(timer)) = event.trigger() else { return None };
        let handler = Self::timer_handler(event)?;
        let element = event.id.as_str().into();
        Some(Self { element, handler, configuration: configuration_of(timer) })
    }

    /// The word for the timer of an event; `None` where it has none.
    pub fn timer_handler(event: &Element) -> Option<JobHandler> {
        let Some(Trigger::Timer(_)) = event.trigger() else { return None };
        Some(match &event.kind {
            ElementKind::BoundaryEvent(_) => JobHandler::TimerBoundary,
            ElementKind::StartEvent(_) if event.parent.is_some() => {
                JobHandler::TimerStartEventSubprocess
            }
            ElementKind::StartEvent(_) => JobHandler::TimerStart,
            _ => JobHandler::TimerCatch,
        })
    }

    /// Of the listener of a user task that waits for a moment.
    pub fn timeout(task: &Element, listener: &str) -> Option<Self> {
        let mut timeouts = task.listeners.iter().filter_map(|listener| listener.timeout.as_ref());
        let timeout = timeouts.find(|timeout| &*timeout.id == listener)?;
        Some(Self {
            element: task.id.as_str().into(),
            handler: JobHandler::TimerTaskListener,
            configuration: configuration_of(&timeout.timer),
        })
    }
}

/// The text as the model has it: expressions are not resolved.
fn configuration_of(timer: &Timer) -> Arc<str> {
    let kind = match timer.kind {
        TimerKind::Date => "DATE",
        TimerKind::Duration => "DURATION",
        TimerKind::Cycle => "CYCLE",
    };
    match (timer.value.as_constant(), timer.value.language()) {
        (Some(Value::Text(text)), _) => format!("{kind}: {text}").into(),
        (None, Language::Feel) => format!("{kind}: ={}", timer.value.source()).into(),
        _ => format!("{kind}: {}", timer.value.source()).into(),
    }
}

impl Process {
    /// Every kind of job that the process declares, in document order, each once.
    pub fn job_definitions(&self) -> Vec<JobDefinition> {
        let mut found: Vec<JobDefinition> = Vec::new();
        for element in &self.elements {
            let is_body = element.multi.is_some();
            let inner = element.multi.as_ref();
            let of_element = [
                element.async_before.map(|_| JobDefinition::before(element, is_body)),
                inner.and_then(|m| m.inner_before).map(|_| JobDefinition::before(element, false)),
                element.async_after.map(|_| JobDefinition::after(element, is_body)),
                inner.and_then(|m| m.inner_after).map(|_| JobDefinition::after(element, false)),
                JobDefinition::timer(element),
            ];
            let timeouts = element.listeners.iter().filter_map(|l| l.timeout.as_ref());
            let timeouts = timeouts.filter_map(|t| JobDefinition::timeout(element, &t.id));
            for definition in of_element.into_iter().flatten().chain(timeouts) {
                if !found.contains(&definition) {
                    found.push(definition);
                }
            }
        }
        found
    }
}
