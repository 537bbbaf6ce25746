//! From the kind of an element to its file.

use orloj_model::{ElementIndex, ElementKind};
use orloj_types::ElementInstanceKey;

use super::{
    decision_task, error_boundary, exclusive_gateway, none_end, none_start, parallel_gateway,
    script_task, service_task, timer_boundary, timer_catch, user_task,
};
use crate::failure::Ruled;
use crate::invoke::Invoke;
use crate::turn::Turn;

/// What came of an element's first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    /// There is nothing to wait for.
    Done,
    /// The element instance now has a durable reason to wait, or foreign code is the next step.
    Waits,
}

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled<Begun> {
    let element = turn.model(index);
    match &element.kind {
        ElementKind::NoneStart => none_start::begin(),
        ElementKind::NoneEnd => none_end::begin(turn, key, element),
        ElementKind::ServiceTask(task) => service_task::begin(turn, key, index, element, task),
        ElementKind::UserTask(task) => user_task::begin(turn, key, element, task),
        ElementKind::ScriptTask(task) => script_task::begin(turn, key, index, element, task),
        ElementKind::DecisionTask(_) => decision_task::begin(turn, key, index, element),
        ElementKind::ExclusiveGateway => exclusive_gateway::begin(),
        ElementKind::ParallelGateway => parallel_gateway::begin(turn, key, element),
        ElementKind::TimerCatch(timer) => timer_catch::begin(turn, key, element, timer),
        ElementKind::TimerBoundary { .. } => timer_boundary::begin(),
        ElementKind::ErrorBoundary { .. } => error_boundary::begin(turn, key, element),
    }
}

/// The step of an element whose work is foreign code: its result is there, or it is asked for.
pub(crate) fn call(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled<Option<Invoke>> {
    match &turn.model(index).kind {
        ElementKind::ServiceTask(task) => service_task::call(turn, key, index, task),
        ElementKind::ScriptTask(task) => script_task::call(turn, key, index, task),
        ElementKind::DecisionTask(task) => decision_task::call(turn, key, index, task),
        other => unreachable!("a {} calls nothing", other.name()),
    }
}
