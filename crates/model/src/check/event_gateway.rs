//! Event-based gateways: what may follow them.

use std::collections::BTreeSet;

use crate::graph::{ElementIndex, ElementKind, Trigger};
use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::{Draft, DraftElement};

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    for gateway in &draft.elements {
        if !matches!(gateway.kind, Some(ElementKind::EventGateway)) {
            continue;
        }
        if ctx.dialect == Dialect::Zeebe && gateway.listed.outgoing < 2 {
            let message = format!("{} needs at least two outgoing flows", gateway.subject.title());
            ctx.error(&gateway.subject, "gateway-without-outgoing", message);
        }
        // Any number of flows may lead to one event.
        let targets: BTreeSet<ElementIndex> =
            gateway.outgoing.iter().map(|&flow| draft.flow(flow).flow.target).collect();
        for target in targets {
            check_target(ctx, draft, gateway, draft.element(target));
        }
    }
}

fn check_target<'a>(
    ctx: &mut Context<'a>,
    draft: &Draft<'a>,
    gateway: &DraftElement<'a>,
    target: &DraftElement<'a>,
) {
    let is_event = target.subject.tag() == "intermediateCatchEvent";
    let is_link = matches!(target.kind, Some(ElementKind::CatchEvent(Some(Trigger::Link))));
    let is_condition =
        matches!(target.kind, Some(ElementKind::CatchEvent(Some(Trigger::Condition(_)))));
    let fits = match ctx.dialect {
        Dialect::Flowable => is_event,
        Dialect::Camunda7 => is_event && !is_link,
        Dialect::Zeebe => is_event && !is_link && !is_condition,
    };
    if !fits {
        let message =
            format!("{} cannot follow {}", target.subject.title(), gateway.subject.title());
        ctx.error(&target.subject, "event-gateway-target", message);
        return;
    }
    let comes_elsewhere = |&flow: &_| draft.element(draft.flow(flow).flow.source).id != gateway.id;
    if ctx.dialect != Dialect::Flowable && target.incoming.iter().any(comes_elsewhere) {
        let message = format!(
            "{} follows {} and cannot be reached in another way",
            target.subject.title(),
            gateway.subject.title()
        );
        ctx.error(&target.subject, "event-gateway-target-shared", message);
    }
}
