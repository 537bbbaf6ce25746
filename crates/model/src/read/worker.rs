//! Tasks whose work a client does.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{ErrorThrow, SavePoint, WorkerError, WorkerTask};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::element::Surroundings;
use crate::read::expression::{is_uel, is_zeebe_expression, text};
use crate::read::limits::JOB_TYPE_BYTES_MAX;
use crate::semantics::completion_of;

impl<'a> Context<'a> {
    /// An external task of Camunda. An empty topic is one.
    pub fn external_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<WorkerTask> {
        let Some(topic) = self.extension_attribute(holder, "topic") else {
            let message = format!("the topic of {} is missing", subject.title());
            self.error_at(subject, holder.range().start, "job-type-empty", message);
            return None;
        };
        if !is_uel(&topic.text) && !self.job_type_fits(subject, &topic) {
            return None;
        }
        let job_type = self.value(subject, &topic)?;
        let errors = self.worker_errors(surroundings, subject, holder)?;
        let properties = self.extension_properties(subject);
        let worker = self.worker(surroundings, subject, holder, job_type);
        Some(WorkerTask { errors, properties, ..worker })
    }

    /// An external worker task of Flowable.
    pub fn external_worker(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<WorkerTask> {
        let node = subject.node;
        let topic = self.extension_attribute(node, "topic");
        let job_type = self.job_type(subject, topic, node, "topic")?;
        let inputs = self.parameters(subject, node, "externalWorkerInParameter");
        let outputs = self.parameters(subject, node, "externalWorkerOutParameter");
        let worker = self.worker(surroundings, subject, node, job_type);
        Some(WorkerTask {
            inputs,
            outputs,
            includes_variables: !self.flag(node, "doNotIncludeVariables"),
            completes_by_job: Some(SavePoint { exclusive: self.flag_or_true(node, "exclusive") }),
            ..worker
        })
    }

    pub fn worker(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
        job_type: Expression,
    ) -> WorkerTask {
        let priority = self
            .worker_priority_of(subject, holder)
            .or_else(|| surroundings.worker_priority.clone());
        WorkerTask { priority, ..WorkerTask::of(job_type, completion_of(self.dialect)) }
    }

    /// Camunda: errors that are thrown when their condition holds as the job ends.
    fn worker_errors(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<Vec<WorkerError>> {
        let nodes: Vec<_> = self.extension_nodes(holder, "errorEventDefinition").collect();
        let mut errors = Vec::new();
        for node in nodes {
            let Some(written) = self.any_attribute(node, "expression") else {
                let message =
                    format!("an errorEventDefinition of {} has no expression", subject.title());
                self.error_at(subject, node.range().start, "expression-required", message);
                return None;
            };
            let condition = self.value(subject, &written)?;
            let reference = self.any_attribute(node, "errorRef");
            let error = match reference {
                Some(reference) => worker_error(surroundings, &reference),
                None => ErrorThrow { code: None, message: None },
            };
            errors.push(WorkerError { condition, error });
        }
        Some(errors)
    }

    /// Names and values that clients can ask for.
    fn extension_properties(&self, subject: &Subject<'a>) -> Vec<(Arc<str>, Arc<str>)> {
        let Some(holder) = self.extension_nodes(subject.node, "properties").next() else {
            return Vec::new();
        };
        let nodes = holder.children().filter(|node| node.tag_name().name() == "property");
        let pair = |node: Node<'a>| {
            let name = self.own_attribute(node, "name")?;
            let value = self.own_attribute(node, "value").map_or("".into(), |value| value.text);
            Some(((*name.text).into(), (*value).into()))
        };
        nodes.filter_map(pair).collect()
    }

    fn any_attribute(&self, node: Node<'a>, name: &str) -> Option<Written<'a>> {
        self.attribute(node, name).or_else(|| self.extension_attribute(node, name))
    }

    pub fn job_type(
        &mut self,
        subject: &Subject<'a>,
        written: Option<Written<'a>>,
        holder: Node<'a>,
        name: &str,
    ) -> Option<Expression> {
        let Some(written) = written.filter(|written| !written.text.is_empty()) else {
            let message = format!("the {name} of {} is missing or empty", subject.title());
            self.error_at(subject, holder.range().start, "job-type-empty", message);
            return None;
        };
        let is_expression = match self.dialect {
            Dialect::Zeebe => is_zeebe_expression(&written.text),
            Dialect::Camunda7 | Dialect::Flowable => is_uel(&written.text),
        };
        if !is_expression && !self.job_type_fits(subject, &written) {
            return None;
        }
        self.value(subject, &written)
    }

    pub fn job_type_fits(&mut self, subject: &Subject<'a>, written: &Written<'a>) -> bool {
        let fits = written.text.len() <= JOB_TYPE_BYTES_MAX;
        if !fits {
            let message = format!(
                "the job type {} of {} is longer than {JOB_TYPE_BYTES_MAX} bytes",
                quoted(&written.text),
                subject.title()
            );
            self.error_at(subject, written.offset, "job-type-too-long", message);
        }
        fits
    }
}

/// A reference to nothing is the code itself.
fn worker_error<'a>(surroundings: &Surroundings<'a>, reference: &Written<'a>) -> ErrorThrow {
    let code = match surroundings.definitions.error(&reference.text) {
        Some(found) => found.word.as_ref().map(|code| text(&code.text)),
        None => Some(text(&reference.text)),
    };
    ErrorThrow { code, message: None }
}
