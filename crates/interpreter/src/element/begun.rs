//! From the kind of an element to its file.

use orloj_model::{ElementIndex, ElementKind};
use orloj_types::ElementInstanceKey;

use super::{
    boundary_event, call_activity, catch_event, decision_task, event_gateway, join, receive_task,
    script_task, service_task, start_event, subprocess, throw_event, user_task,
};
use crate::failure::Ruled;
use crate::turn::Turn;

/// What came of an element's first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    /// There is nothing to wait for.
    Done,
    /// The element instance now has a durable reason to wait, or is gone.
    Waits,
    /// Foreign code is the next step.
    Calls,
}

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled<Begun> {
    let element = turn.model(index);
    match &element.kind {
        ElementKind::StartEvent(start) => start_event::begin(turn, key, element, start),
        ElementKind::CatchEvent(trigger) => {
            catch_event::begin(turn, key, element, trigger.as_ref())
        }
        ElementKind::EndEvent(throw) | ElementKind::ThrowEvent(throw) => {
            throw_event::begin(turn, key, index, element, throw)
        }
        ElementKind::BoundaryEvent(_) => boundary_event::begin(turn, key, element),
        ElementKind::ServiceTask(task) => service_task::begin(turn, key, index, element, task),
        ElementKind::UserTask(task) => user_task::begin(turn, key, element, task),
        ElementKind::ScriptTask(_) | ElementKind::DecisionTask(_) => Ok(Begun::Calls),
        ElementKind::ReceiveTask(_) => receive_task::begin(turn, key, element),
        ElementKind::CallActivity(call) => call_activity::begin(turn, key, element, call),
        ElementKind::SubProcess(inner) => subprocess::begin(turn, key, index, inner),
        ElementKind::PlainTask | ElementKind::ExclusiveGateway => Ok(Begun::Done),
        ElementKind::ParallelGateway | ElementKind::InclusiveGateway => {
            Ok(join::begin(turn, key, element))
        }
        ElementKind::EventGateway => event_gateway::begin(turn, key, element),
    }
}

/// The step of an element whose work is foreign code: its result is there, or it is asked for.
pub(crate) fn call(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled<Begun> {
    let element = turn.model(index);
    match &element.kind {
        ElementKind::ServiceTask(task) => service_task::call(turn, key, element, task),
        ElementKind::ScriptTask(task) => script_task::call(turn, key, element, task),
        ElementKind::DecisionTask(task) => decision_task::call(turn, key, element, task),
        ElementKind::EndEvent(orloj_model::Throw::Message(task))
        | ElementKind::ThrowEvent(orloj_model::Throw::Message(task)) => {
            service_task::call(turn, key, element, task)
        }
        other => unreachable!("a {} calls nothing", other.name()),
    }
}
