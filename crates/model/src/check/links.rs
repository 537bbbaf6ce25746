//! Links, and compensation of a single activity: events that name another element.

use std::collections::BTreeSet;

use orloj_xml::quoted;

use crate::check::compensation::check_reference;
use crate::graph::{CompensationThrow, ElementKind, Throw, Trigger};
use crate::options::Dialect;
use crate::read::context::{Context, bpmn_child};
use crate::read::draft::{Draft, DraftElement};

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    let mut names = BTreeSet::new();
    for element in &draft.elements {
        match &element.kind {
            Some(ElementKind::CatchEvent(Some(Trigger::Link))) => {
                let node = element.subject.node;
                let definition = bpmn_child(node, "linkEventDefinition");
                let name = definition.and_then(|definition| ctx.attribute(definition, "name"));
                let Some(name) = name else { continue };
                if !names.insert(name.text.clone().into_owned()) {
                    let message = format!("two events catch the link {}", quoted(&name.text));
                    ctx.error_at(&element.subject, name.offset, "link-target-repeated", message);
                }
            }
            Some(ElementKind::ThrowEvent(thrown) | ElementKind::EndEvent(thrown)) => {
                let is_end = element.subject.tag() == "endEvent";
                if matches!(thrown, Throw::None) && !element.incoming.is_empty() && !is_end {
                    check_target(ctx, element);
                }
                let Throw::Compensation(CompensationThrow { activity: Some(activity), .. }) =
                    thrown
                else {
                    continue;
                };
                if ctx.dialect != Dialect::Flowable {
                    check_reference(ctx, draft, element, *activity);
                }
            }
            _ => {}
        }
    }
}

/// A link that no token comes to may lead nowhere.
fn check_target<'a>(ctx: &mut Context<'a>, element: &DraftElement<'a>) {
    let definition = bpmn_child(element.subject.node, "linkEventDefinition");
    let name = definition.and_then(|definition| ctx.attribute(definition, "name"));
    if let (Some(name), Dialect::Camunda7) = (name, ctx.dialect) {
        let message = format!(
            "no event catches the link {} of {}",
            quoted(&name.text),
            element.subject.title()
        );
        ctx.error_at(&element.subject, name.offset, "link-target-missing", message);
    }
}
