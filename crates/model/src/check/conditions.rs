//! Where conditions of flows may stand.

use crate::graph::{ElementKind, FlowIndex};
use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::Draft;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    for at in 0..draft.flows.len() {
        let flow = draft.flow(FlowIndex(at as u32));
        if flow.flow.condition.is_none() {
            continue;
        }
        let source = draft.element(flow.flow.source);
        let (flow_title, source_title) = (flow.subject.title(), source.subject.title());
        match (&source.kind, ctx.dialect) {
            (None | Some(ElementKind::ExclusiveGateway | ElementKind::InclusiveGateway), _) => {}
            // Zeebe looks at the flows that the element itself lists.
            (Some(_), Dialect::Zeebe) if source.listed.outgoing == 0 => {}
            (Some(_), Dialect::Zeebe) => {
                let message = format!(
                    "{flow_title} leaves {source_title} and cannot have a condition; \
                     only flows of gateways can"
                );
                ctx.error(&draft.flows[at].subject, "condition-misplaced", message);
            }
            (Some(ElementKind::ParallelGateway | ElementKind::EventGateway), _) => {
                let message =
                    format!("the condition of {flow_title} has no effect after {source_title}");
                ctx.warn(&draft.flows[at].subject, "ignored-condition", message);
                draft.flows[at].flow.condition = None;
            }
            (Some(_), _) => {}
        }
    }
}
