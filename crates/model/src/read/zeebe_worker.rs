//! Jobs of Zeebe: `zeebe:taskDefinition` and what belongs to it.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_xml::quoted;

use crate::graph::{
    CallBinding, ElementKind, LinkedResource, RESERVED_HEADERS, ServiceTask, WorkerTask,
};
use crate::read::binding::ZeebeBinding;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::dialect::ZEEBE;
use crate::read::element::Surroundings;
use crate::semantics::completion_of;

impl<'a> Context<'a> {
    /// A job, or a message that the engine would publish itself.
    ///
    /// The published engine accepts the latter and never sends it: the task does nothing.
    pub fn zeebe_send_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let publishes = self.extension(subject, "publishMessage");
        let has_definition = self.extension(subject, "taskDefinition").is_some();
        let has_message = self.attribute(subject.node, "messageRef").is_some();
        match publishes {
            Some(node) if has_definition => {
                let message =
                    format!("{} has both publishMessage and taskDefinition", subject.title());
                let offset = node.range().start;
                self.error_at(subject, offset, "implementation-repeated", message);
                None
            }
            Some(node) if has_message => {
                self.unsent_message(subject, node).map(|()| ElementKind::PlainTask)
            }
            Some(node) => {
                let message = format!("{} publishes no message", subject.title());
                self.error_at(subject, node.range().start, "reference-missing", message);
                None
            }
            None => {
                let worker = self.zeebe_worker(surroundings, subject)?;
                Some(ElementKind::ServiceTask(ServiceTask::Worker(worker)))
            }
        }
    }

    /// A message that is accepted and not sent. `None`: it is refused.
    pub fn unsent_message(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<()> {
        let offset = node.range().start;
        if self.own_attribute(node, "correlationKey").is_none_or(|key| key.text.is_empty()) {
            let message = format!("publishMessage of {} has no correlationKey", subject.title());
            self.error_at(subject, offset, "correlation-key-missing", message);
            return None;
        }
        let message = format!("publishMessage of {} has no effect", subject.title());
        self.warn_at(subject, offset, "ignored-extension", message);
        Some(())
    }

    /// `zeebe:taskDefinition` and what belongs to it.
    pub fn zeebe_worker(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<WorkerTask> {
        let headers = self.headers(subject);
        let priority =
            self.worker_priority(subject).or_else(|| surroundings.worker_priority.clone());
        let Some(definition) = self.extension(subject, "taskDefinition") else {
            let message = format!("{} has no zeebe:taskDefinition", subject.title());
            self.error(subject, "implementation-missing", message);
            return None;
        };
        let written = self.own_attribute(definition, "type");
        let job_type = self.job_type(subject, written, definition, "type");
        let retries = match self.own_attribute(definition, "retries") {
            Some(written) if !written.text.is_empty() => Some(self.value(subject, &written)?),
            _ => None,
        };
        Some(WorkerTask {
            retries,
            priority,
            headers: headers?,
            linked_resources: self.linked_resources(subject)?,
            ..WorkerTask::of(job_type?, completion_of(self.dialect))
        })
    }

    /// Resources whose keys the client is told. `None`: one of them is refused.
    pub fn linked_resources(&mut self, subject: &Subject<'a>) -> Option<Vec<LinkedResource>> {
        let Some(holder) = self.extension(subject, "linkedResources") else {
            return Some(Vec::new());
        };
        let nodes = holder.children().filter(|node| node.has_tag_name((ZEEBE, "linkedResource")));
        nodes.map(|node| self.linked_resource(subject, node)).collect()
    }

    fn linked_resource(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<LinkedResource> {
        let given = |ctx: &Self, name: &str| {
            ctx.own_attribute(node, name).filter(|value| !value.text.is_empty())
        };
        for name in ["resourceId", "resourceType"] {
            if given(self, name).is_none() {
                let message = format!("a linkedResource of {} has no {name}", subject.title());
                let offset = node.range().start;
                self.error_at(subject, offset, "linked-resource-invalid", message);
            }
        }
        let binding = match self.zeebe_binding_of(subject, node)? {
            ZeebeBinding::Latest => CallBinding::Latest,
            ZeebeBinding::Deployment => CallBinding::Deployment,
            ZeebeBinding::VersionTag(tag) => CallBinding::VersionTag(tag),
        };
        let text = |written: Written<'a>| Arc::from(&*written.text);
        Some(LinkedResource {
            id: given(self, "resourceId").map(text)?,
            kind: given(self, "resourceType").map(text)?,
            link_name: given(self, "linkName").map(text),
            binding,
        })
    }

    /// `None` when one of them is refused.
    pub fn headers(&mut self, subject: &Subject<'a>) -> Option<Vec<(Arc<str>, Arc<str>)>> {
        match self.extension(subject, "taskHeaders") {
            Some(holder) => self.headers_in(subject, holder),
            None => Some(Vec::new()),
        }
    }

    pub fn headers_in(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<Vec<(Arc<str>, Arc<str>)>> {
        let mut headers = Vec::new();
        let mut keys = BTreeSet::new();
        let mut is_valid = true;
        for node in holder.children().filter(|node| node.has_tag_name((ZEEBE, "header"))) {
            let key = self.own_attribute(node, "key").filter(|key| !key.text.is_empty());
            let value = self.own_attribute(node, "value").filter(|value| !value.text.is_empty());
            // Modelers write empty rows; the engine passes over them.
            let (Some(key), Some(value)) = (key, value) else { continue };
            let problem = if key.text.starts_with(RESERVED_HEADERS) {
                Some(("header-reserved", "is reserved for the engine"))
            } else if !keys.insert(key.text.clone()) {
                Some(("header-repeated", "is given twice"))
            } else {
                None
            };
            match problem {
                Some((code, reason)) => {
                    let key_shown = quoted(&key.text);
                    let message =
                        format!("the task header {key_shown} of {} {reason}", subject.title());
                    self.error_at(subject, key.offset, code, message);
                    is_valid = false;
                }
                None => headers.push(((*key.text).into(), (*value.text).into())),
            }
        }
        is_valid.then_some(headers)
    }
}
