//! Advice: models that are correct, and that run better with a save point or need somebody's help.
//!
//! Where a branch is saved and continued by a job of its own, its end is often met by those of
//! other branches at the same moment. A save point before the join keeps what a branch has done
//! from being repeated when another one comes first; one at each instance of a multi-instance
//! activity lets the instances fail and be tried again one by one.

use orloj_types::ElementId;

use crate::diagnostic::{Diagnostic, Severity};
use crate::graph::{
    Element, ElementIndex, ElementKind, FlowIndex, Process, Script, ServiceTask, Throw,
};

/// Elements looked at behind one flow into a join: branches are shorter, and files are not to be
/// trusted.
const BRANCH_ELEMENTS_MAX: usize = 1_000;

/// What would make the process more robust.
pub fn advise(process: &Process) -> Vec<Diagnostic> {
    let mut advice = Vec::new();
    for index in process.indices() {
        let element = process.element(index);
        if lacks_join_save_point(process, element) {
            let message = format!(
                "{} \"{}\" joins branches that are continued by jobs: a save point before it \
                 (asyncBefore) keeps them from getting in each other's way",
                element.kind.name(),
                element.id
            );
            advice.push(advised(element, "join-without-save-point", message));
        }
        if let Some(kind) = brought_along(element) {
            let message = format!(
                "{} \"{}\" is of a kind that is not built in: code registered as \"{kind}\" does \
                 it, or a worker for jobs of the type \"{kind}\"",
                element.kind.name(),
                element.id
            );
            advice.push(advised(element, "needs-a-worker", message));
        }
        if lacks_inner_save_point(element) {
            let message = format!(
                "each instance of {} \"{}\" calls code: a save point at the instances (asyncBefore \
                 of multiInstanceLoopCharacteristics) lets them be tried again one by one",
                element.kind.name(),
                element.id
            );
            advice.push(advised(element, "instances-without-save-point", message));
        }
    }
    advice
}

fn advised(element: &Element, code: &'static str, message: String) -> Diagnostic {
    let (position, id): (_, ElementId) = (element.position, element.id.clone());
    Diagnostic { severity: Severity::Advice, position, element: Some(id), code, message }
}

/// The kind of a task that the system of its dialect brings along.
fn brought_along(element: &Element) -> Option<&str> {
    let task = match &element.kind {
        ElementKind::ServiceTask(task) => task,
        ElementKind::EndEvent(Throw::Message(task))
        | ElementKind::ThrowEvent(Throw::Message(task)) => &**task,
        _ => return None,
    };
    match task {
        ServiceTask::Builtin(task) => Some(&task.kind),
        ServiceTask::Worker(_) | ServiceTask::Delegate(_) | ServiceTask::Expression(_) => None,
    }
}

fn lacks_join_save_point(process: &Process, element: &Element) -> bool {
    let is_join =
        matches!(element.kind, ElementKind::ParallelGateway | ElementKind::InclusiveGateway);
    if !is_join || element.async_before.is_some() || element.incoming.len() < 2 {
        return false;
    }
    let saved = element.incoming.iter().filter(|&&flow| is_saved_branch(process, flow));
    saved.count() >= 2
}

/// Whether something between the last gateway and this flow is continued by a job.
fn is_saved_branch(process: &Process, flow: FlowIndex) -> bool {
    let mut next: Option<ElementIndex> = Some(process.flow(flow).source);
    for _ in 0..BRANCH_ELEMENTS_MAX {
        let Some(index) = next else { return false };
        let element = process.element(index);
        if element.async_before.is_some() || element.async_after.is_some() {
            return true;
        }
        if element.kind.is_gateway() {
            return false;
        }
        next = match element.incoming[..] {
            [only] => Some(process.flow(only).source),
            _ => None,
        };
    }
    false
}

fn lacks_inner_save_point(element: &Element) -> bool {
    let Some(multi) = &element.multi else { return false };
    multi.inner_before.is_none() && calls_code(&element.kind)
}

/// Whether foreign code runs within the command that brings a token there.
fn calls_code(kind: &ElementKind) -> bool {
    match kind {
        ElementKind::ServiceTask(task) => !matches!(task, ServiceTask::Worker(_)),
        ElementKind::ScriptTask(task) => matches!(task.script, Script::Program(_)),
        _ => false,
    }
}
