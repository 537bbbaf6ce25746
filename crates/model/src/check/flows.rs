//! Sequence flows: what they may join, and where conditions and defaults may stand.

use orloj_xml::quoted;

use crate::graph::{ElementKind, FlowIndex};
use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::{Draft, DraftElement};

pub(crate) fn check_ends<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for flow in &draft.flows {
        let source = &draft.elements[flow.flow.source.0 as usize];
        let target = &draft.elements[flow.flow.target.0 as usize];
        if source.subject.tag() == "endEvent" {
            let message = format!("{} leaves {}", flow.subject.title(), source.subject.title());
            ctx.error(&flow.subject, "flow-from-end", message);
        }
        let into = match target.subject.tag() {
            "startEvent" => "flow-to-start",
            "boundaryEvent" => "flow-to-boundary",
            _ => continue,
        };
        let message = format!("{} enters {}", flow.subject.title(), target.subject.title());
        ctx.error(&flow.subject, into, message);
    }
}

pub(crate) fn resolve_defaults<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    for at in 0..draft.elements.len() {
        let element = &draft.elements[at];
        let Some(written) = &element.default_ref else { continue };
        let flow =
            element.outgoing.iter().copied().find(|&f| *draft.flow(f).flow.id == *written.text);
        match (&element.kind, flow) {
            (None, _) => {}
            (Some(ElementKind::ExclusiveGateway), Some(flow)) => {
                draft.elements[at].default_flow = Some(flow);
            }
            (Some(ElementKind::ExclusiveGateway), None) => {
                let message = format!(
                    "the default flow {} of {} is none of its outgoing flows",
                    quoted(&written.text),
                    element.subject.title()
                );
                ctx.error_at(&element.subject, written.offset, "default-flow-unknown", message);
            }
            (Some(_), _) => default_elsewhere(ctx, element, written.offset),
        }
    }
}

/// Camunda and Flowable let tasks choose among their flows too; with a single flow there is
/// nothing to choose.
fn default_elsewhere<'a>(ctx: &mut Context<'a>, element: &DraftElement<'a>, offset: usize) {
    let title = element.subject.title();
    match ctx.dialect {
        Dialect::Zeebe => {
            let message = format!("the default flow of {title} has no effect");
            ctx.warn_at(&element.subject, offset, "ignored-default-flow", message);
        }
        Dialect::Camunda7 | Dialect::Flowable if element.outgoing.len() > 1 => {
            let message = format!(
                "a default flow of {title} is not supported yet; put an exclusive gateway after it"
            );
            ctx.error_at(&element.subject, offset, "unsupported-default-flow", message);
        }
        Dialect::Camunda7 | Dialect::Flowable => {}
    }
}

/// Conditions belong to exclusive gateways.
pub(crate) fn check_conditions<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    for at in 0..draft.flows.len() {
        let flow = draft.flow(FlowIndex(at as u32));
        if flow.flow.condition.is_none() {
            continue;
        }
        let source = draft.element(flow.flow.source);
        let (flow_title, source_title) = (flow.subject.title(), source.subject.title());
        match (&source.kind, ctx.dialect) {
            (None | Some(ElementKind::ExclusiveGateway), _) => {}
            (Some(_), Dialect::Zeebe) => {
                let message = format!(
                    "{flow_title} leaves {source_title} and cannot have a condition; \
                     only flows of gateways can"
                );
                ctx.error(&draft.flows[at].subject, "condition-misplaced", message);
            }
            (Some(ElementKind::ParallelGateway), _) => {
                let message =
                    format!("the condition of {flow_title} has no effect after {source_title}");
                ctx.warn(&draft.flows[at].subject, "ignored-condition", message);
                draft.flows[at].flow.condition = None;
            }
            (Some(_), _) => {
                let message = format!(
                    "the condition of {flow_title} after {source_title} is not supported yet; \
                     put an exclusive gateway in between"
                );
                ctx.error(&draft.flows[at].subject, "unsupported-condition", message);
            }
        }
    }
}
