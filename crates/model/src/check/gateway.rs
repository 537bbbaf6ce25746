//! Gateways that choose: a way out for every token.

use crate::graph::{ElementKind, FlowIndex};
use crate::options::Dialect;
use crate::read::context::{Context, Node, bpmn_child};
use crate::read::draft::{Draft, DraftElement};

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for gateway in &draft.elements {
        let is_inclusive = match gateway.kind {
            Some(ElementKind::ExclusiveGateway) => false,
            Some(ElementKind::InclusiveGateway) => true,
            _ => continue,
        };
        // Only Zeebe looks at the flows of inclusive gateways.
        if is_inclusive && ctx.dialect != Dialect::Zeebe {
            continue;
        }
        if ctx.dialect == Dialect::Zeebe && gateway.listed.outgoing < 2 {
            continue;
        }
        match gateway.outgoing[..] {
            [] if draft.has_gaps => {}
            [] => check_dead_end(ctx, gateway),
            [only] => check_only_flow(ctx, draft, gateway, only),
            _ => check_choice(ctx, draft, gateway),
        }
    }
}

/// In Zeebe a token may end at a gateway.
fn check_dead_end<'a>(ctx: &mut Context<'a>, gateway: &DraftElement<'a>) {
    if ctx.dialect != Dialect::Zeebe {
        let message = format!("{} has no outgoing flow", gateway.subject.title());
        ctx.error(&gateway.subject, "gateway-without-outgoing", message);
    }
}

fn check_only_flow<'a>(
    ctx: &mut Context<'a>,
    draft: &Draft<'a>,
    gateway: &DraftElement<'a>,
    only: FlowIndex,
) {
    let flow = &draft.flows[only.0 as usize];
    if flow.flow.condition.is_some() && ctx.dialect != Dialect::Zeebe {
        let message = format!(
            "{} is the only flow that leaves {} and cannot have a condition",
            flow.subject.title(),
            gateway.subject.title()
        );
        ctx.error(&flow.subject, "condition-on-only-flow", message);
    }
}

fn check_choice<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>, gateway: &DraftElement<'a>) {
    let default = gateway.default_flow;
    let is_open =
        |&&index: &&FlowIndex| draft.flow(index).flow.condition.is_none() && Some(index) != default;
    let open: Vec<FlowIndex> = gateway.outgoing.iter().filter(is_open).copied().collect();
    // Without a default, Camunda lets one flow go without a condition and Flowable any number:
    // such a flow is taken when its turn comes.
    let is_error = match ctx.dialect {
        Dialect::Zeebe => true,
        Dialect::Camunda7 => gateway.default_ref.is_some() || open.len() > 1,
        Dialect::Flowable => false,
    };
    for index in open {
        let flow = &draft.flows[index.0 as usize];
        // A condition that could not be read is reported where it stands.
        if is_written(ctx, flow.subject.node) {
            continue;
        }
        let message = format!(
            "{} leaves {} without a condition and is not its default flow",
            flow.subject.title(),
            gateway.subject.title()
        );
        const CODE: &str = "condition-missing";
        match is_error {
            true => ctx.error(&flow.subject, CODE, message),
            false => ctx.warn(&flow.subject, CODE, message),
        }
    }
    if let (Some(default), true) = (default, ctx.dialect != Dialect::Zeebe) {
        let flow = &draft.flows[default.0 as usize];
        if flow.flow.condition.is_some() {
            let message = format!(
                "{} is the default flow of {} and cannot have a condition",
                flow.subject.title(),
                gateway.subject.title()
            );
            ctx.error(&flow.subject, "condition-on-default-flow", message);
        }
    }
}

/// Whether there is a condition, however bad. Flowable takes a blank one for none.
fn is_written<'a>(ctx: &Context<'a>, flow: Node<'a>) -> bool {
    let condition = bpmn_child(flow, "conditionExpression");
    condition
        .is_some_and(|node| ctx.dialect != Dialect::Flowable || !ctx.content(node).text.is_empty())
}
