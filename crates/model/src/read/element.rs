//! One element: its kind, and what any element can carry.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::ElementId;

use crate::graph::{ElementIndex, ElementKind, ServiceTask};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_child};
use crate::read::draft::DraftElement;
use crate::read::error_event::ErrorDefinitions;

/// What elements refer to outside of themselves.
pub(crate) struct Surroundings<'a> {
    pub errors: ErrorDefinitions<'a>,
    pub by_id: BTreeMap<ElementId, ElementIndex>,
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
) -> DraftElement<'a> {
    let node = subject.node;
    let mut element = DraftElement::placeholder(subject.clone(), id, ctx.position(node));
    element.name = read_name(ctx, node);
    element.kind = read_kind(ctx, surroundings, &subject);
    element.default_ref = ctx.attribute(node, "default").filter(|flow| !flow.text.is_empty());
    element.async_before = ctx.async_before(node);
    element.async_after = ctx.async_after(node);
    element.jobs.priority =
        ctx.job_priority(&subject).or_else(|| surroundings.job_priority.clone());
    element.jobs.retry_cycle = ctx.retry_cycle(&subject);
    (element.inputs, element.outputs) = ctx.mappings(&subject);
    ctx.name_unread_extensions(&subject);
    name_unread_parts(ctx, &subject);
    element
}

fn read_kind<'a>(
    ctx: &mut Context<'a>,
    surroundings: &Surroundings<'a>,
    subject: &Subject<'a>,
) -> Option<ElementKind> {
    match subject.tag() {
        "startEvent" => ctx.start_event(subject),
        "endEvent" => ctx.end_event(subject),
        "intermediateCatchEvent" => ctx.catch_event(subject),
        "boundaryEvent" => ctx.boundary_event(surroundings, subject),
        "serviceTask" => ctx.service_task(surroundings, subject),
        "scriptTask" => ctx.script_task(surroundings, subject),
        "businessRuleTask" => ctx.business_rule_task(surroundings, subject),
        "sendTask" => ctx
            .job_task(surroundings, subject)
            .map(|task| ElementKind::ServiceTask(ServiceTask::Worker(task))),
        "userTask" => ctx.user_task(surroundings, subject),
        "exclusiveGateway" => Some(ElementKind::ExclusiveGateway),
        "parallelGateway" => Some(ElementKind::ParallelGateway),
        _ => None,
    }
}

/// What BPMN or the vendor let any element carry and this parser does not honour.
fn name_unread_parts<'a>(ctx: &mut Context<'a>, subject: &Subject<'a>) {
    let node = subject.node;
    if let Some(found) = bpmn_child(node, "multiInstanceLoopCharacteristics") {
        let message = format!("multi-instance {} is not supported yet", subject.title());
        ctx.error_at(subject, found.range().start, "unsupported-multi-instance", message);
    }
    // None of the three systems runs it.
    if let Some(found) = bpmn_child(node, "standardLoopCharacteristics") {
        let message = format!("the standard loop of {} has no effect", subject.title());
        ctx.warn_at(subject, found.range().start, "ignored-loop", message);
    }
    if ctx.attribute(node, "isForCompensation").is_some_and(|flag| flag.text == "true") {
        let message = format!("{} as compensation handler is not supported yet", subject.title());
        ctx.error(subject, "unsupported-compensation", message);
    }
    if ctx.dialect == Dialect::Flowable {
        let skip = ctx.extension_attribute(node, "skipExpression");
        let triggerable = ctx
            .extension_attribute(node, "triggerable")
            .filter(|flag| flag.text.eq_ignore_ascii_case("true"));
        for (name, found) in [("skipExpression", skip), ("triggerable", triggerable)] {
            if let Some(found) = found {
                let message = format!("{name} of {} is not supported yet", subject.title());
                ctx.error_at(subject, found.offset, "unsupported-attribute", message);
            }
        }
    }
}

pub(crate) fn read_name<'a>(ctx: &Context<'a>, node: Node<'a>) -> Option<Arc<str>> {
    ctx.attribute(node, "name").filter(|name| !name.text.is_empty()).map(|name| (*name.text).into())
}
