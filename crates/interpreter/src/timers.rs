//! Timer jobs: of catch events and of the boundary events of an element.

use std::sync::Arc;

use orloj_model::{Element, ElementKind, Timer};
use orloj_types::{ElementId, ElementInstanceKey, Timestamp, Value};

use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::flow;
use crate::jobs::{self, Draft};
use crate::record::{JobKind, Repeat};
use crate::schedule::{self, Planned};
use crate::turn::Turn;

/// A timer whose expressions have been evaluated.
pub(crate) struct Armed<'a> {
    event: &'a Element,
    exclusive: bool,
    priority: i64,
    planned: Planned,
}

/// Evaluates the timer of `event` as seen from `scope`. Nothing changes yet.
pub(crate) fn prepare<'a>(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    event: &'a Element,
    timer: &Timer,
    repeats: bool,
) -> Ruled<Armed<'a>> {
    let value = turn.evaluate(&event.id, scope, &timer.value)?;
    let mut planned = match &value {
        Value::Text(text) => {
            schedule::plan(timer.kind, text, turn.now, turn.semantics()).map_err(|error| {
                Failure::new(&event.id, FailureKind::ExtractValue, error.to_string())
            })?
        }
        // A date of the model's host language comes as a number of milliseconds.
        Value::Int(ms) if extract::is_lenient(turn) => {
            Planned { due_at: Timestamp::from_ms(*ms), repeat: None }
        }
        Value::Temporal(value) => {
            let planned = schedule::plan_value(timer.kind, value, turn.now, turn.semantics());
            planned.map_err(|error| {
                Failure::new(&event.id, FailureKind::ExtractValue, error.to_string())
            })?
        }
        other => return Err(extract::wrong(event, "timer", "a string", other)),
    };
    if !repeats {
        planned.repeat = None;
    }
    let priority = jobs::priority_of(turn, scope, event)?;
    Ok(Armed { event, exclusive: timer.exclusive, priority, planned })
}

/// Evaluates the timers of all boundary events of `element`. Nothing changes yet.
pub(crate) fn prepare_boundaries<'a>(
    turn: &Turn<'a>,
    host: ElementInstanceKey,
    element: &Element,
) -> Ruled<Vec<Armed<'a>>> {
    let mut armed = Vec::new();
    for &index in &element.boundaries {
        let event = turn.model(index);
        if let ElementKind::TimerBoundary { interrupting, timer, .. } = &event.kind {
            armed.push(prepare(turn, host, event, timer, !interrupting)?);
        }
    }
    Ok(armed)
}

pub(crate) fn create(turn: &mut Turn<'_>, on: ElementInstanceKey, armed: Armed<'_>) {
    let draft = Draft {
        kind: JobKind::Timer { event: armed.event.id.clone(), repeat: armed.planned.repeat },
        job_type: Arc::default(),
        retries: jobs::retries_of(turn, armed.event),
        priority: armed.priority,
        exclusive: armed.exclusive,
        due_at: Some(armed.planned.due_at),
    };
    jobs::create(turn, on, draft);
}

/// The timer of `event`, whose job belonged to element instance `on`, fires.
pub(crate) fn fire(
    turn: &mut Turn<'_>,
    on: ElementInstanceKey,
    event: &ElementId,
    repeat: Option<Repeat>,
) -> Ruled {
    let index = turn.index_of(event);
    let element = turn.model(index);
    let ElementKind::TimerBoundary { interrupting, timer, .. } = &element.kind else {
        return flow::complete(turn, on, index);
    };
    if *interrupting {
        let scope = flow::terminate(turn, on).scope;
        return flow::arrive(turn, index, scope, None);
    }
    if let Some(repeat) = repeat {
        schedule_next(turn, on, element, timer, &repeat)?;
    }
    let scope = turn.element(on).scope;
    flow::arrive(turn, index, scope, None)
}

fn schedule_next(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    event: &Element,
    timer: &Timer,
    repeat: &Repeat,
) -> Ruled {
    if let Some(planned) = schedule::next(repeat, turn.now, turn.semantics()) {
        let priority = jobs::priority_of(turn, host, event)?;
        create(turn, host, Armed { event, exclusive: timer.exclusive, priority, planned });
    }
    Ok(())
}
