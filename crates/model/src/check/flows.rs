//! Sequence flows: what they may join, and which of them is the default.

use orloj_xml::quoted;

use crate::graph::ElementKind;
use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::{Draft, DraftElement, DraftFlow};

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for flow in &draft.flows {
        let source = &draft.elements[flow.flow.source.0 as usize];
        let target = &draft.elements[flow.flow.target.0 as usize];
        check_ends(ctx, flow, source, target);
        if ctx.dialect == Dialect::Camunda7 {
            check_name(ctx, flow, source);
        }
    }
}

fn check_ends<'a>(
    ctx: &mut Context<'a>,
    flow: &DraftFlow<'a>,
    source: &DraftElement<'a>,
    target: &DraftElement<'a>,
) {
    let leaves = |what: &DraftElement<'a>| {
        format!("{} leaves {}", flow.subject.title(), what.subject.title())
    };
    let enters = |what: &DraftElement<'a>| {
        format!("{} enters {}", flow.subject.title(), what.subject.title())
    };
    if ctx.dialect != Dialect::Camunda7 && source.parent != target.parent {
        let message = format!(
            "{} joins elements of different subprocesses: {} and {}",
            flow.subject.title(),
            source.subject.title(),
            target.subject.title()
        );
        let is_error = ctx.dialect == Dialect::Flowable;
        report(ctx, flow, is_error, "flow-between-scopes", message);
    }
    // Zeebe looks at the flows that the elements themselves list.
    let is_zeebe = ctx.dialect == Dialect::Zeebe;
    if source.subject.tag() == "endEvent" {
        let is_error = is_zeebe && source.listed.outgoing > 0;
        report(ctx, flow, is_error, "flow-from-end", leaves(source));
    }
    match target.subject.tag() {
        "startEvent" => report(ctx, flow, false, "flow-to-start", enters(target)),
        "boundaryEvent" => {
            let is_error = is_zeebe && target.listed.incoming > 0;
            report(ctx, flow, is_error, "flow-to-boundary", enters(target));
        }
        _ => {}
    }
    let refuses_event_subprocess = ctx.dialect == Dialect::Camunda7;
    if refuses_event_subprocess && source.is_event_subprocess() {
        ctx.error(&flow.subject, "flow-from-event-subprocess", leaves(source));
    }
    if refuses_event_subprocess && target.is_event_subprocess() {
        ctx.error(&flow.subject, "flow-to-event-subprocess", enters(target));
    }
}

fn report<'a>(
    ctx: &mut Context<'a>,
    flow: &DraftFlow<'a>,
    is_error: bool,
    code: &'static str,
    message: String,
) {
    match is_error {
        true => ctx.error(&flow.subject, code, message),
        false => ctx.warn(&flow.subject, code, message),
    }
}

/// Camunda remembers in a job which flow to take after an element.
fn check_name<'a>(ctx: &mut Context<'a>, flow: &DraftFlow<'a>, source: &DraftElement<'a>) {
    if source.async_after.is_some() && !flow.has_id {
        let message = format!(
            "a flow that leaves {} has no id, which asyncAfter needs",
            source.subject.title()
        );
        ctx.error(&flow.subject, "id-missing", message);
    }
}

pub(crate) fn resolve_defaults<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    for at in 0..draft.elements.len() {
        let element = &draft.elements[at];
        let Some(written) = &element.default_ref else { continue };
        let mut flows = element.outgoing.iter().copied();
        let flow = flows.find(|&flow| *draft.flow(flow).flow.id == *written.text);
        let chooses = matches!(
            element.kind,
            Some(ElementKind::ExclusiveGateway | ElementKind::InclusiveGateway)
        );
        if ctx.dialect == Dialect::Zeebe && !chooses {
            if element.kind.is_some() {
                let message =
                    format!("the default flow of {} has no effect", element.subject.title());
                ctx.warn_at(&element.subject, written.offset, "ignored-default-flow", message);
            }
            continue;
        }
        if flow.is_none() {
            let message = format!(
                "the default flow {} of {} is none of its outgoing flows",
                quoted(&written.text),
                element.subject.title()
            );
            const CODE: &str = "default-flow-unknown";
            match ctx.dialect {
                Dialect::Zeebe => ctx.error_at(&element.subject, written.offset, CODE, message),
                Dialect::Camunda7 | Dialect::Flowable => {
                    ctx.warn_at(&element.subject, written.offset, CODE, message);
                }
            }
        }
        draft.elements[at].default_flow = flow;
    }
}
