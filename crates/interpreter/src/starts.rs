//! Start events of a definition that something other than a command sets off, and when its timers
//! fire. There is no variable yet that their expressions could see.

use std::sync::Arc;

use orloj_expr::{Environment, Expression};
use orloj_model::{ElementKind, Process, Timer, Trigger};
use orloj_types::{ElementId, Temporal, Timestamp, Value};

use crate::record::Repeat;
use crate::schedule::{self, Planned};

#[derive(Clone, Debug, PartialEq)]
pub struct StartWait {
    /// The start event.
    pub event: ElementId,
    pub trigger: StartTrigger,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StartTrigger {
    Message { name: Arc<str> },
    Signal { name: Arc<str> },
    Timer { due_at: Timestamp, repeat: Option<Repeat> },
    Condition,
}

/// What the start events of the process itself wait for. One whose expression gives no name or no
/// moment waits for nothing.
pub fn starts(process: &Process, now: Timestamp) -> Vec<StartWait> {
    let waits = process.root.starts.iter().filter_map(|&index| {
        let element = process.element(index);
        let ElementKind::StartEvent(start) = &element.kind else { return None };
        let trigger = match start.trigger.as_ref()? {
            Trigger::Message(message) => StartTrigger::Message { name: text(&message.name, now)? },
            Trigger::Signal(signal) => StartTrigger::Signal { name: text(&signal.name, now)? },
            Trigger::Condition(_) => StartTrigger::Condition,
            Trigger::Timer(timer) => {
                let Planned { due_at, repeat } = first_firing(process, timer, now)?;
                StartTrigger::Timer { due_at, repeat }
            }
            _ => return None,
        };
        Some(StartWait { event: element.id.clone(), trigger })
    });
    waits.collect()
}

/// The firing after the one that has just happened; `None` when that was the last.
pub fn next_start(
    process: &Process,
    repeat: &Repeat,
    now: Timestamp,
) -> Option<(Timestamp, Repeat)> {
    let planned = schedule::next(repeat, now, &process.semantics)?;
    planned.repeat.map(|repeat| (planned.due_at, repeat))
}

fn first_firing(process: &Process, timer: &Timer, now: Timestamp) -> Option<Planned> {
    let semantics = &process.semantics;
    match value(&timer.value, now)? {
        Value::Text(text) => schedule::plan(timer.kind, &text, now, semantics).ok(),
        Value::Temporal(moment) => {
            let moment: &Temporal = &moment;
            schedule::plan_value(timer.kind, moment, now, semantics).ok()
        }
        Value::Int(ms) => Some(Planned { due_at: Timestamp::from_ms(ms), repeat: None }),
        _ => None,
    }
}

fn text(expression: &Expression, now: Timestamp) -> Option<Arc<str>> {
    match value(expression, now)? {
        Value::Text(text) => Some(text),
        Value::Null => None,
        other => Some(other.to_json().into()),
    }
}

fn value(expression: &Expression, now: Timestamp) -> Option<Value> {
    expression.evaluate(&Environment::new(&(), now)).ok().map(|evaluated| evaluated.value)
}
