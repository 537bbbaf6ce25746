//! Compensation: which activity undoes which.

use std::collections::BTreeSet;

use orloj_xml::quoted;

use crate::graph::{Boundary, ElementIndex, ElementKind, StartEvent, Trigger};
use crate::options::Dialect;
use crate::read::context::{Context, Subject, bpmn_child};
use crate::read::draft::{Draft, DraftElement};
use crate::read::local_name;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    join(ctx, draft);
    check_handlers(ctx, draft);
    match ctx.dialect {
        Dialect::Zeebe => check_joined(ctx, draft),
        Dialect::Camunda7 => {
            check_event_subprocesses(ctx, draft);
            check_save_points(ctx, draft);
        }
        Dialect::Flowable => {}
    }
}

/// Associations lead from the boundary event to the handler.
fn join<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    for at in 0..draft.associations.len() {
        let association = draft.associations[at].clone();
        if ctx.dialect == Dialect::Camunda7 {
            check_association(ctx, &association);
        }
        let source = end(ctx, draft, &association, "sourceRef");
        let target = end(ctx, draft, &association, "targetRef");
        let (Some(source), Some(target)) = (source, target) else { continue };
        let Some(ElementKind::BoundaryEvent(Boundary { attached_to, trigger, .. })) =
            &draft.element(source).kind
        else {
            continue;
        };
        if !matches!(trigger, Trigger::Compensation) {
            continue;
        }
        let (attached_to, handler) = (*attached_to, draft.element(target));
        if !handler.is_for_compensation {
            let message = format!(
                "{} undoes an activity but is not marked isForCompensation",
                handler.subject.title()
            );
            const CODE: &str = "compensation-handler-unmarked";
            match ctx.dialect {
                Dialect::Camunda7 => ctx.error(&handler.subject.clone(), CODE, message),
                Dialect::Flowable | Dialect::Zeebe => {
                    ctx.warn(&handler.subject.clone(), CODE, message);
                }
            }
            if ctx.dialect != Dialect::Zeebe {
                continue;
            }
        }
        draft.elements[attached_to.0 as usize].compensation = Some(target);
    }
}

/// Camunda wants both ends to be something in the file.
fn check_association<'a>(ctx: &mut Context<'a>, association: &Subject<'a>) {
    for attribute in ["sourceRef", "targetRef"] {
        let Some(written) = ctx.attribute(association.node, attribute) else { continue };
        if !ctx.ids.contains(&*written.text) {
            ctx.unknown_reference(association, &written, attribute, "element");
        }
    }
}

/// The element at one end of an association. Notes and data objects are none.
fn end<'a>(
    ctx: &Context<'a>,
    draft: &Draft<'a>,
    association: &Subject<'a>,
    attribute: &str,
) -> Option<ElementIndex> {
    let written = ctx.attribute(association.node, attribute)?;
    let by_id = &draft.by_id;
    by_id.get(&*written.text).or_else(|| by_id.get(local_name(&written.text))).copied()
}

/// Camunda gives the handler of a loop no job of its own.
fn check_save_points<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for undone in draft.elements.iter().filter(|element| element.multi.is_some()) {
        let Some(handler) = undone.compensation.map(|index| draft.element(index)) else { continue };
        // Both are forgotten of a handler that is let be.
        let node = handler.subject.node;
        let has_job = ctx.async_before(node).is_some() || ctx.async_after(node).is_some();
        let is_loop = bpmn_child(node, "multiInstanceLoopCharacteristics").is_some();
        if has_job && !is_loop {
            let message = format!(
                "{} undoes the loop of {} and cannot be asynchronous",
                handler.subject.title(),
                undone.subject.title()
            );
            ctx.error(&handler.subject, "compensation-handler-async", message);
        }
    }
}

/// No token reaches what undoes another activity.
fn check_handlers<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    if ctx.dialect == Dialect::Flowable {
        return;
    }
    // Zeebe knows a handler's flows only from the event that it is joined to.
    let joined: BTreeSet<ElementIndex> =
        draft.elements.iter().filter_map(|element| element.compensation).collect();
    for index in draft.indices().filter(|index| draft.element(*index).is_for_compensation) {
        let handler = draft.element(index);
        let is_checked = ctx.dialect != Dialect::Zeebe || joined.contains(&index);
        let flows = handler.incoming.iter().chain(&handler.outgoing).filter(|_| is_checked);
        for &flow in flows {
            let flow = &draft.flows[flow.0 as usize];
            let message = format!(
                "{} joins {}, which only undoes another activity",
                flow.subject.title(),
                handler.subject.title()
            );
            ctx.error(&flow.subject, "compensation-handler-flow", message);
        }
        if ctx.dialect == Dialect::Zeebe && !handler.boundaries.is_empty() {
            let message =
                format!("{} undoes an activity and has a boundary event", handler.subject.title());
            ctx.error(&handler.subject, "compensation-handler-boundary", message);
        }
    }
}

/// Camunda undoes by an event subprocess only inside of subprocesses, and only in one way.
fn check_event_subprocesses<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for start in &draft.elements {
        let Some(ElementKind::StartEvent(StartEvent {
            trigger: Some(Trigger::Compensation), ..
        })) = &start.kind
        else {
            continue;
        };
        let Some(parent) = start.parent else { continue };
        let reason = match draft.element(parent).parent {
            None => "outside of a subprocess",
            Some(scope) if draft.element(scope).compensation.is_some() => {
                "beside a compensation boundary event"
            }
            Some(_) => continue,
        };
        let message = format!("{} cannot wait for compensation {reason}", start.subject.title());
        ctx.error(&start.subject, "compensation-misplaced", message);
    }
}

/// Zeebe insists that every compensation event has its handler.
fn check_joined<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for element in &draft.elements {
        let Some(ElementKind::BoundaryEvent(Boundary { attached_to, trigger, .. })) = &element.kind
        else {
            continue;
        };
        if !matches!(trigger, Trigger::Compensation) {
            continue;
        }
        let has_handler = draft.element(*attached_to).compensation.is_some();
        if !has_handler || !element.outgoing.is_empty() {
            let message = format!(
                "{} must have an association to its handler and no flow",
                element.subject.title()
            );
            ctx.error(&element.subject, "compensation-handler-missing", message);
        }
    }
}

/// An activity that a throw event names must lie where the event can undo it.
pub(crate) fn check_reference<'a>(
    ctx: &mut Context<'a>,
    draft: &Draft<'a>,
    event: &DraftElement<'a>,
    activity: ElementIndex,
) {
    let activity = draft.element(activity);
    let outer = event.parent.filter(|&parent| draft.element(parent).is_event_subprocess());
    let is_beside = activity.parent == event.parent
        || outer.is_some_and(|outer| activity.parent == draft.element(outer).parent);
    if !is_beside {
        let message = format!(
            "{} undoes {}, which lies in another scope",
            event.subject.title(),
            quoted(&activity.id)
        );
        ctx.error(&event.subject, "compensation-out-of-scope", message);
    }
    let can_undo = activity.compensation.is_some()
        || matches!(activity.kind, Some(ElementKind::SubProcess(_)));
    if ctx.dialect == Dialect::Zeebe && !can_undo {
        let message = format!(
            "{} undoes {}, which has no compensation",
            event.subject.title(),
            quoted(&activity.id)
        );
        ctx.error(&event.subject, "compensation-handler-missing", message);
    }
}
