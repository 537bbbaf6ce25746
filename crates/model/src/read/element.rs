//! One element: its kind, and what any element can carry.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::ElementId;

use crate::graph::{ElementIndex, ElementKind, Throw};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_child, bpmn_children};
use crate::read::definitions::Definitions;
use crate::read::draft::{DraftElement, Listed};
use crate::read::link::Links;

/// What elements refer to outside of themselves.
pub(crate) struct Surroundings<'a> {
    pub definitions: Definitions<'a>,
    pub by_id: BTreeMap<ElementId, ElementIndex>,
    pub links: Links,
    /// Of worker jobs whose element names none.
    pub worker_priority: Option<Expression>,
    /// Of continuations and timers whose element names none.
    pub job_priority: Option<Expression>,
}

pub(crate) fn read_element<'a>(
    ctx: &mut Context<'a>,
    surroundings: &Surroundings<'a>,
    subject: Subject<'a>,
    id: ElementId,
    parent: Option<ElementIndex>,
) -> DraftElement<'a> {
    let node = subject.node;
    let source = ctx.hooks_before(&subject);
    let mut element = DraftElement::placeholder(subject.clone(), id, parent, ctx.position(node));
    element.name = read_name(ctx, node);
    element.kind = match ctx.hooks_instead(&subject, source.as_ref()) {
        Some(kind) => kind,
        None => read_kind(ctx, surroundings, &subject),
    };
    element.listed = listed(node);
    element.default_ref = ctx.attribute(node, "default").filter(|flow| !flow.text.is_empty());
    element.async_before = ctx.async_before(node);
    element.async_after = ctx.async_after(node);
    element.jobs.priority =
        ctx.job_priority(&subject).or_else(|| surroundings.job_priority.clone());
    element.jobs.retry_cycle = ctx.retry_cycle(&subject);
    element.jobs.category = ctx.job_category(&subject);
    element.jobs.limit_key = ctx.limit_key(&subject);
    (element.inputs, element.outputs) = ctx.mappings(&subject);
    element.listeners = ctx.listeners(&subject);
    if is_activity(subject.tag()) {
        read_activity(ctx, &subject, &mut element);
    }
    if ctx.dialect == Dialect::Camunda7 {
        forget_unheeded(&mut element);
    }
    ctx.check_start_form(&subject);
    ctx.name_unread_extensions(&subject);
    ctx.hooks_after(&subject, source, &mut element);
    element
}

fn read_kind<'a>(
    ctx: &mut Context<'a>,
    surroundings: &Surroundings<'a>,
    subject: &Subject<'a>,
) -> Option<ElementKind> {
    match subject.tag() {
        "startEvent" => ctx.start_event(surroundings, subject),
        "endEvent" => ctx.end_event(surroundings, subject),
        "intermediateCatchEvent" => ctx.catch_event(surroundings, subject),
        "intermediateThrowEvent" => ctx.throw_event(surroundings, subject),
        "boundaryEvent" => ctx.boundary_event(surroundings, subject),
        "serviceTask" => ctx.service_task(surroundings, subject),
        "scriptTask" => ctx.script_task(surroundings, subject),
        "businessRuleTask" => ctx.business_rule_task(surroundings, subject),
        "sendTask" => ctx.send_task(surroundings, subject),
        "receiveTask" => ctx.receive_task(surroundings, subject),
        "userTask" => ctx.user_task(surroundings, subject),
        "callActivity" => ctx.call_activity(subject),
        "subProcess" | "transaction" | "adHocSubProcess" => ctx.subprocess(surroundings, subject),
        "manualTask" | "task" => Some(ElementKind::PlainTask),
        // Flowable takes a complex gateway for an exclusive one.
        "exclusiveGateway" | "complexGateway" => Some(ElementKind::ExclusiveGateway),
        "parallelGateway" => Some(ElementKind::ParallelGateway),
        "inclusiveGateway" => Some(ElementKind::InclusiveGateway),
        "eventBasedGateway" => Some(ElementKind::EventGateway),
        _ => None,
    }
}

/// What tasks, call activities and subprocesses can carry.
fn read_activity<'a>(ctx: &mut Context<'a>, subject: &Subject<'a>, element: &mut DraftElement<'a>) {
    let node = subject.node;
    match ctx.multi_instance(subject) {
        Ok(Some(mut multi)) => {
            multi.inner_retry_cycle = ctx.inner_retry_cycle(subject, &multi, &element.jobs);
            element.multi = Some(multi);
        }
        Ok(None) => {}
        Err(()) => element.kind = None,
    }
    // Flowable saves the single instances and never the body.
    if element.multi.is_some() && ctx.dialect == Dialect::Flowable {
        element.async_before = None;
    }
    // None of the three systems runs it.
    if let Some(found) = bpmn_child(node, "standardLoopCharacteristics") {
        let message = format!("the standard loop of {} has no effect", subject.title());
        ctx.warn_at(subject, found.range().start, "ignored-loop", message);
    }
    let compensation = ctx.attribute(node, "isForCompensation");
    element.is_for_compensation = compensation.is_some_and(|flag| ctx.is_true(&flag.text));
    element.skip = ctx.skip_expression(subject);
}

/// What Camunda takes without a word and does not heed: a handler begins at once and once for what
/// it undoes, and gives nothing to the scope around it; a link is no place to save at.
fn forget_unheeded(element: &mut DraftElement<'_>) {
    if element.is_for_compensation {
        (element.async_before, element.async_after) = (None, None);
        element.multi = None;
        element.outputs.clear();
    }
    if matches!(element.kind, Some(ElementKind::ThrowEvent(Throw::Link(_)))) {
        (element.async_before, element.async_after) = (None, None);
    }
}

fn listed(node: Node<'_>) -> Listed {
    let mut listed = Listed::default();
    for child in bpmn_children(node) {
        match child.tag_name().name() {
            "incoming" => listed.incoming += 1,
            "outgoing" => listed.outgoing += 1,
            _ => {}
        }
    }
    listed
}

pub(crate) fn is_activity(tag: &str) -> bool {
    tag.ends_with("Task")
        || tag.ends_with("ubProcess")
        || matches!(tag, "task" | "callActivity" | "transaction")
}

pub(crate) fn read_name<'a>(ctx: &Context<'a>, node: Node<'a>) -> Option<Arc<str>> {
    ctx.attribute(node, "name").filter(|name| !name.text.is_empty()).map(|name| (*name.text).into())
}
