//! What must hold between the processes of a file.

use std::collections::BTreeSet;

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{ElementKind, StartEvent, Trigger};
use crate::options::Dialect;
use crate::read::context::{Context, Node, bpmn_child};
use crate::read::draft::Draft;

/// A message begins instances of one process only. Zeebe lets two messages have one name.
pub(crate) fn check<'a>(ctx: &mut Context<'a>, drafts: &[Draft<'a>]) {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for draft in drafts.iter().filter(|draft| draft.is_executable) {
        let mut own = BTreeSet::new();
        for element in draft.elements.iter().filter(|element| element.parent.is_none()) {
            let Some(ElementKind::StartEvent(StartEvent {
                trigger: Some(Trigger::Message(message)),
                ..
            })) = &element.kind
            else {
                continue;
            };
            let name = match ctx.dialect {
                Dialect::Zeebe => reference(ctx, element.subject.node),
                Dialect::Camunda7 | Dialect::Flowable => written(&message.name),
            };
            if names.contains(&name) {
                let message = format!(
                    "{} waits for the message {}, which begins another process of the file",
                    element.subject.title(),
                    quoted(name.trim_matches('"'))
                );
                ctx.error(&element.subject, "event-repeated", message);
            }
            own.insert(name);
        }
        names.extend(own);
    }
}

fn reference<'a>(ctx: &Context<'a>, start: Node<'a>) -> String {
    let definition = bpmn_child(start, "messageEventDefinition");
    let written = definition.and_then(|definition| ctx.attribute(definition, "messageRef"));
    written.map(|written| written.text.into_owned()).unwrap_or_default()
}

fn written(name: &Expression) -> String {
    match name.as_constant() {
        Some(value) => value.to_json(),
        None => name.source().to_owned(),
    }
}
