//! Advice: models that are correct, and that run better with a save point or need somebody's help.
//!
//! Where a branch is saved and continued by a job of its own, its end is often met by those of
//! other branches at the same moment. A save point before the join keeps what a branch has done
//! from being repeated when another one comes first; one at each instance of a multi-instance
//! activity lets the instances fail and be tried again one by one.

use std::collections::BTreeSet;

use orloj_types::ElementId;

use crate::diagnostic::{Diagnostic, Severity};
use crate::graph::{
    Boundary, Element, ElementIndex, ElementKind, Failures, FlowIndex, Process, Script,
    ServiceTask, Throw,
};

/// Elements looked at behind one flow into a join: branches are shorter, and files are not to be
/// trusted.
const BRANCH_ELEMENTS_MAX: usize = 1_000;

/// What would make the process more robust.
pub fn advise(process: &Process) -> Vec<Diagnostic> {
    let mut advice = Vec::new();
    let with_code = with_code_inside(process);
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
        if lacks_inner_save_point(element, with_code.contains(&index)) {
            let message = format!(
                "each instance of {} \"{}\" runs code: a save point at the instances (asyncBefore \
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
    if !element.kind.is_join() || element.async_before.is_some() || element.incoming.len() < 2 {
        return false;
    }
    let mut followed = BTreeSet::new();
    let mut saved = 0;
    for &flow in &element.incoming {
        let Some(branch) = saved_branch(process, flow) else { continue };
        // Flows with something in common may be two ways of one token.
        saved += usize::from(branch.is_disjoint(&followed));
        if saved == 2 {
            return true;
        }
        followed.extend(branch);
    }
    false
}

/// What lies between the fork and this flow, if something there is continued by a job, on whatever
/// way.
fn saved_branch(process: &Process, flow: FlowIndex) -> Option<BTreeSet<ElementIndex>> {
    let mut to_see: Vec<ElementIndex> = vec![process.flow(flow).source];
    let mut branch = BTreeSet::new();
    let mut is_saved = false;
    while let Some(index) = to_see.pop() {
        let element = process.element(index);
        if is_fork(element) {
            // Its branches are continued by jobs of their own where each flow has one.
            let choices = &process.semantics.choices;
            is_saved |= element.async_after.is_some() && choices.flows_before_save_point;
            continue;
        }
        if branch.len() >= BRANCH_ELEMENTS_MAX || !branch.insert(index) {
            continue;
        }
        is_saved |= element.async_before.is_some() || element.async_after.is_some();
        to_see.extend(element.incoming.iter().map(|&flow| process.flow(flow).source));
        if let ElementKind::BoundaryEvent(Boundary { attached_to, interrupting: true, .. }) =
            element.kind
        {
            to_see.push(attached_to);
        }
    }
    is_saved.then_some(branch)
}

/// Several branches begin there.
fn is_fork(element: &Element) -> bool {
    let chooses = matches!(element.kind, ElementKind::ExclusiveGateway | ElementKind::EventGateway);
    !chooses && element.outgoing.len() > 1
}

/// Elements of which each instance runs foreign code at once, somewhere inside. Where a failure
/// undoes nothing, save points change nothing.
fn with_code_inside(process: &Process) -> BTreeSet<ElementIndex> {
    let mut found = BTreeSet::new();
    if process.semantics.failures != Failures::RollBack {
        return found;
    }
    for index in process.indices() {
        let element = process.element(index);
        let calls =
            calls_code(&element.kind) || matches!(element.kind, ElementKind::CallActivity(_));
        // That of a multi-instance activity is before all of its instances.
        let is_saved = element.async_before.is_some() && element.multi.is_none();
        let mut next = (calls && !is_saved).then_some(index);
        while let Some(index) = next.filter(|&index| found.insert(index)) {
            next = process.element(index).parent;
        }
    }
    found
}

fn lacks_inner_save_point(element: &Element, runs_code: bool) -> bool {
    let Some(multi) = &element.multi else { return false };
    multi.inner_before.is_none() && runs_code
}

/// Whether foreign code runs within the command that brings a token there.
fn calls_code(kind: &ElementKind) -> bool {
    match kind {
        ElementKind::ServiceTask(task) => !matches!(task, ServiceTask::Worker(_)),
        ElementKind::ScriptTask(task) => matches!(task.script, Script::Program(_)),
        _ => false,
    }
}
