//! Sequence flows and their conditions.

use orloj_expr::Expression;
use orloj_types::ElementId;
use orloj_xml::quoted;

use crate::graph::{ElementIndex, Flow, FlowIndex};
use crate::options::Dialect;
use crate::read::context::{Context, Subject, bpmn_child};
use crate::read::draft::{Draft, DraftFlow};

impl<'a> Context<'a> {
    /// Reads a flow and joins its two ends.
    pub fn read_flow(&mut self, draft: &mut Draft<'a>, subject: Subject<'a>, id: ElementId) {
        self.name_unread_extensions(&subject);
        self.refuse_skip(&subject);
        let source = self.end_of_flow(draft, &subject, "sourceRef");
        let target = self.end_of_flow(draft, &subject, "targetRef");
        let condition = self.condition(&subject);
        let (Some(source), Some(target)) = (source, target) else {
            draft.has_gaps = true;
            return;
        };
        let index = FlowIndex(draft.flows.len() as u32);
        draft.elements[source.0 as usize].outgoing.push(index);
        draft.elements[target.0 as usize].incoming.push(index);
        draft.flows.push(DraftFlow { subject, flow: Flow { id, source, target, condition } });
    }

    fn end_of_flow(
        &mut self,
        draft: &Draft<'a>,
        subject: &Subject<'a>,
        attribute: &str,
    ) -> Option<ElementIndex> {
        let Some(written) = self.attribute(subject.node, attribute) else {
            let message = format!("{} has no {attribute}", subject.title());
            self.error(subject, "reference-missing", message);
            return None;
        };
        let found = draft.by_id.get(&*written.text).copied();
        if found.is_none() {
            let message = format!(
                "{attribute} of {} names {}, which is no element of the process",
                subject.title(),
                quoted(&written.text)
            );
            self.error_at(subject, written.offset, "reference-unknown", message);
        }
        found
    }

    fn condition(&mut self, subject: &Subject<'a>) -> Option<Expression> {
        let node = bpmn_child(subject.node, "conditionExpression")?;
        let written = self.content(node);
        let script = self.attribute(node, "language").filter(|l| !is_own_language(&l.text));
        let resource = self.extension_attribute(node, "resource");
        if let Some(found) = script.or(resource) {
            let message = format!("a script as condition of {} is not supported", subject.title());
            self.error_at(subject, found.offset, "unsupported-script", message);
            return None;
        }
        match (self.dialect, written.text.is_empty()) {
            (Dialect::Zeebe, _) => self.expression_required(subject, &written, "the condition"),
            (Dialect::Flowable, true) => None,
            (Dialect::Camunda7, true) => {
                let message = format!("the condition of {} is empty", subject.title());
                self.error_at(subject, written.offset, "condition-empty", message);
                None
            }
            (Dialect::Camunda7 | Dialect::Flowable, false) => self.value(subject, &written),
        }
    }

    /// Flowable reads this one attribute without a namespace.
    fn refuse_skip(&mut self, subject: &Subject<'a>) {
        if self.dialect != Dialect::Flowable {
            return;
        }
        if let Some(found) = self.attribute(subject.node, "skipExpression") {
            let message = format!("skipExpression of {} is not supported yet", subject.title());
            self.error_at(subject, found.offset, "unsupported-attribute", message);
        }
    }
}

/// Names that tools write for the expression language the engine uses anyway.
fn is_own_language(language: &str) -> bool {
    let names = ["", "juel", "uel", "feel"];
    names.iter().any(|name| language.eq_ignore_ascii_case(name)) || language.starts_with("http")
}
