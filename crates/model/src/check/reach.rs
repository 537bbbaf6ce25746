//! Elements that no token can reach.

use crate::graph::{ElementIndex, ElementKind, Trigger};
use crate::read::context::Context;
use crate::read::draft::Draft;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    let has_start = draft.elements.iter().any(|e| e.subject.tag() == "startEvent");
    if draft.has_gaps || !has_start {
        return;
    }
    let reached = reached(draft);
    for (element, reached) in draft.elements.iter().zip(reached) {
        if !reached {
            let message = format!("no token can reach {}", element.subject.title());
            ctx.warn(&element.subject, "element-unreachable", message);
        }
    }
}

/// Start events and what could not be read are taken as reached: nobody knows how tokens get
/// into the latter. Handlers of compensation, event subprocesses and what lies in an ad-hoc
/// subprocess without an incoming flow are begun in other ways.
fn reached(draft: &Draft<'_>) -> Vec<bool> {
    let is_root = |index: &ElementIndex| {
        let element = draft.element(*index);
        let is_begun_elsewhere = element.is_for_compensation
            || element.is_event_subprocess()
            || matches!(element.kind, Some(ElementKind::BoundaryEvent(_)))
            || matches!(element.kind, Some(ElementKind::CatchEvent(Some(Trigger::Link))))
            || element.parent.is_some_and(|p| draft.element(p).subject.tag() == "adHocSubProcess");
        element.subject.tag() == "startEvent" || element.kind.is_none() || is_begun_elsewhere
    };
    let mut waiting: Vec<ElementIndex> = draft.indices().filter(is_root).collect();
    let mut reached = vec![false; draft.elements.len()];
    while let Some(index) = waiting.pop() {
        if std::mem::replace(&mut reached[index.0 as usize], true) {
            continue;
        }
        let element = draft.element(index);
        waiting.extend(element.outgoing.iter().map(|&flow| draft.flow(flow).flow.target));
        waiting.extend(&element.boundaries);
    }
    reached
}
