//! Tasks whose work a client does.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::WorkerTask;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::dialect::ZEEBE;
use crate::read::element::Surroundings;
use crate::read::expression::{is_uel, is_zeebe_expression};
use crate::read::limits::JOB_TYPE_BYTES_MAX;
use crate::semantics::completion_of;

/// Header names that the engine writes itself.
const RESERVED_HEADERS: &str = "io.camunda.zeebe:";

impl<'a> Context<'a> {
    /// Send tasks: jobs where Zeebe makes them jobs.
    pub fn job_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<WorkerTask> {
        let has_definition =
            self.dialect == Dialect::Zeebe && self.extension(subject, "taskDefinition").is_some();
        if !has_definition {
            let message = format!("{} is not supported yet", subject.title());
            self.error(subject, "unsupported-element", message);
            return None;
        }
        self.zeebe_worker(surroundings, subject)
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
            job_type: job_type?,
            retries,
            priority,
            headers: headers?,
            is_user_task: false,
            completion: completion_of(self.dialect),
        })
    }

    /// An external task of Camunda or an external worker task of Flowable.
    pub fn external_worker(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<WorkerTask> {
        if let Some(found) = self.extension_attribute(subject.node, "doNotIncludeVariables") {
            let message = format!("doNotIncludeVariables of {} has no effect yet", subject.title());
            self.warn_at(subject, found.offset, "ignored-attribute", message);
        }
        let topic = self.extension_attribute(subject.node, "topic");
        let job_type = self.job_type(subject, topic, subject.node, "topic")?;
        Some(self.worker(surroundings, subject, job_type))
    }

    pub fn worker(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        job_type: Expression,
    ) -> WorkerTask {
        let priority =
            self.worker_priority(subject).or_else(|| surroundings.worker_priority.clone());
        WorkerTask {
            job_type,
            retries: None,
            priority,
            headers: Vec::new(),
            is_user_task: false,
            completion: completion_of(self.dialect),
        }
    }

    fn job_type(
        &mut self,
        subject: &Subject<'a>,
        written: Option<Written<'a>>,
        holder: Node<'a>,
        name: &str,
    ) -> Option<Expression> {
        let Some(written) = written.filter(|written| !written.text.trim().is_empty()) else {
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

    /// `None` when one of them is refused.
    pub fn headers(&mut self, subject: &Subject<'a>) -> Option<Vec<(Arc<str>, Arc<str>)>> {
        let mut headers = Vec::new();
        let Some(holder) = self.extension(subject, "taskHeaders") else { return Some(headers) };
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
