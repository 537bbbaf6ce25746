//! Sequence flows and their conditions.

use orloj_xml::quoted;

use crate::graph::{ElementIndex, Flow, FlowIndex, Script};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_child};
use crate::read::dialect::{BPMN, XSI};
use crate::read::draft::{Draft, DraftFlow};
use crate::read::expression::text;
use crate::read::parts::FlowPart;

impl<'a> Context<'a> {
    /// Reads a flow and joins its two ends.
    pub fn read_flow(&mut self, draft: &mut Draft<'a>, part: FlowPart<'a>) {
        let FlowPart { subject, id, parent, has_id } = part;
        let hooked = self.hooks_before(&subject);
        self.name_unread_extensions(&subject);
        let source = self.end_of_flow(draft, &subject, parent, "sourceRef");
        let target = self.end_of_flow(draft, &subject, parent, "targetRef");
        let condition = self.flow_condition(&subject);
        let listeners = self.listeners(&subject);
        let skip = self.skip_expression(&subject);
        let (Some(source), Some(target)) = (source, target) else {
            draft.has_gaps = true;
            return;
        };
        let index = FlowIndex(draft.flows.len() as u32);
        // Flowable joins only what lies where the flow itself stands.
        let is_joined = |end: ElementIndex| {
            self.dialect != Dialect::Flowable || draft.element(end).parent == parent
        };
        let (leaves, enters) = (is_joined(source), is_joined(target));
        if leaves {
            draft.elements[source.0 as usize].outgoing.push(index);
        } else {
            let message = format!(
                "{} stands elsewhere than its source, so no token takes it",
                subject.title()
            );
            self.warn(&subject, "flow-unreached", message);
        }
        if enters {
            draft.elements[target.0 as usize].incoming.push(index);
        }
        let mut flow = Flow { id, source, target, condition, listeners, skip };
        self.hooks_after_flow(&subject, hooked, &mut flow);
        draft.flows.push(DraftFlow { subject, flow, has_id });
    }

    fn end_of_flow(
        &mut self,
        draft: &Draft<'a>,
        subject: &Subject<'a>,
        parent: Option<ElementIndex>,
        attribute: &str,
    ) -> Option<ElementIndex> {
        let Some(written) = self.attribute(subject.node, attribute) else {
            let message = format!("{} has no {attribute}", subject.title());
            self.error(subject, "reference-missing", message);
            return None;
        };
        let found = draft.by_id.get(&*written.text).copied();
        // Camunda looks only where the flow itself stands.
        let is_beyond = |&index: &ElementIndex| {
            self.dialect == Dialect::Camunda7 && draft.element(index).parent != parent
        };
        let place = match found.is_some_and(|index| is_beyond(&index)) {
            true => "the same process or subprocess",
            false => "the process",
        };
        let found = found.filter(|index| !is_beyond(index));
        if found.is_none() {
            let message = format!(
                "{attribute} of {} names {}, which is no element of {place}",
                subject.title(),
                quoted(&written.text)
            );
            self.error_at(subject, written.offset, "reference-unknown", message);
        }
        found
    }

    fn flow_condition(&mut self, subject: &Subject<'a>) -> Option<Script> {
        let node = bpmn_child(subject.node, "conditionExpression")?;
        let written = self.content(node);
        if self.dialect == Dialect::Camunda7 {
            self.check_formal(subject, node);
        }
        match (self.dialect, written.text.is_empty()) {
            (Dialect::Zeebe, _) => {
                self.expression_required(subject, &written, "the condition").map(Script::Expression)
            }
            (Dialect::Flowable, true) => None,
            // Camunda finds out when a token comes.
            (Dialect::Camunda7, true) if self.attribute(node, "language").is_none() => {
                let message = format!("the condition of {} is empty", subject.title());
                self.warn_at(subject, written.offset, "condition-empty", message);
                Some(Script::Expression(text("")))
            }
            (Dialect::Camunda7 | Dialect::Flowable, _) => self.condition_script(subject, node),
        }
    }

    fn check_formal(&mut self, subject: &Subject<'a>, condition: Node<'a>) {
        let Some(written) = condition.attribute((XSI, "type")) else { return };
        let (namespace, name) = match written.split_once(':') {
            Some((prefix, name)) => (condition.lookup_namespace_uri(Some(prefix)), name),
            None => (Some(BPMN), written),
        };
        if namespace != Some(BPMN) || name != "tFormalExpression" {
            let message = format!(
                "the condition of {} is {}; only tFormalExpression runs",
                subject.title(),
                quoted(written)
            );
            self.error_at(subject, condition.range().start, "condition-type-unknown", message);
        }
    }
}
