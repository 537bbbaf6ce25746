//! Listeners of Zeebe: jobs that the element or its user task waits for.

use std::collections::BTreeSet;

use crate::graph::{Code, Listener, ListenerEvent, ListenerMoment};
use crate::read::context::{Context, Node, Subject, bpmn_child};
use crate::read::dialect::ZEEBE;

impl<'a> Context<'a> {
    pub fn zeebe_listeners(&mut self, subject: &Subject<'a>) -> Vec<Listener> {
        let mut listeners = Vec::new();
        if let Some(holder) = self.extension(subject, "executionListeners") {
            let mut seen = BTreeSet::new();
            for node in zeebe_children(holder, "executionListener") {
                let Some(event) = self.zeebe_execution_event(subject, node) else { continue };
                let job_type = self.own_attribute(node, "type").map(|t| t.text.into_owned());
                if !seen.insert((event == ListenerEvent::End, job_type.unwrap_or_default())) {
                    let message =
                        format!("{} has the same executionListener twice", subject.title());
                    self.error_at(subject, node.range().start, "listener-repeated", message);
                }
                listeners.extend(self.zeebe_listener(subject, node, event));
            }
        }
        if let Some(holder) = self.extension(subject, "taskListeners") {
            let is_native =
                subject.tag() == "userTask" && self.extension(subject, "userTask").is_some();
            for node in zeebe_children(holder, "taskListener") {
                if !is_native {
                    let message = format!(
                        "{} is no user task of the engine and cannot have taskListeners",
                        subject.title()
                    );
                    self.error_at(subject, node.range().start, "listener-misplaced", message);
                    break;
                }
                let Some(event) = self.zeebe_task_event(subject, node) else { continue };
                listeners.extend(self.zeebe_listener(subject, node, event));
            }
        }
        listeners
    }

    fn zeebe_execution_event(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
    ) -> Option<ListenerEvent> {
        let written = self.own_attribute(node, "eventType");
        let event = match written.as_ref().map(|event| &*event.text) {
            Some("start") => ListenerEvent::Start,
            Some("end") => ListenerEvent::End,
            _ => return self.no_such_event(subject, node, written.as_ref()),
        };
        let tag = subject.tag();
        let is_misplaced = match event {
            ListenerEvent::Start => matches!(tag, "startEvent" | "boundaryEvent"),
            _ => {
                let throws_error = bpmn_child(subject.node, "errorEventDefinition").is_some();
                tag.ends_with("Gateway") || (tag == "endEvent" && throws_error)
            }
        };
        if is_misplaced {
            let message = format!("{} cannot have a listener of this event", subject.title());
            self.error_at(subject, node.range().start, "listener-misplaced", message);
            return None;
        }
        Some(event)
    }

    fn zeebe_task_event(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<ListenerEvent> {
        let written = self.own_attribute(node, "eventType");
        Some(match written.as_ref().map(|event| &*event.text) {
            Some("creating" | "create") => ListenerEvent::TaskCreate,
            Some("assigning" | "assignment") => ListenerEvent::TaskAssign,
            Some("updating" | "update") => ListenerEvent::TaskUpdate,
            Some("completing" | "complete") => ListenerEvent::TaskComplete,
            Some("canceling" | "cancel") => ListenerEvent::TaskCancel,
            _ => return self.no_such_event(subject, node, written.as_ref()),
        })
    }

    /// The engine does not look at a listener's expressions before it makes the job.
    fn zeebe_listener(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
        event: ListenerEvent,
    ) -> Option<Listener> {
        let written = self.own_attribute(node, "type").filter(|written| !written.text.is_empty());
        let Some(written) = written else {
            let message = format!("a listener of {} has no type", subject.title());
            self.error_at(subject, node.range().start, "job-type-empty", message);
            return None;
        };
        if !self.job_type_fits(subject, &written) {
            return None;
        }
        let job_type = self.tolerated_value(subject, &written);
        let retries = self.own_attribute(node, "retries").filter(|r| !r.text.is_empty());
        let retries = retries.map(|written| self.tolerated_value(subject, &written));
        let headers = match zeebe_children(node, "taskHeaders").next() {
            Some(holder) => self.headers_in(subject, holder)?,
            None => Vec::new(),
        };
        Some(Listener {
            event,
            code: Code::Worker { job_type, retries, headers },
            fields: Vec::new(),
            result_variable: None,
            timeout: None,
            moment: ListenerMoment::AtOnce,
        })
    }
}

fn zeebe_children<'a>(holder: Node<'a>, name: &str) -> impl Iterator<Item = Node<'a>> {
    holder.children().filter(move |node| node.has_tag_name((ZEEBE, name)))
}
