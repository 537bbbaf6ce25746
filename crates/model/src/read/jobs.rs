//! Asynchronous continuations and the settings of an element's jobs.

use orloj_expr::Expression;
use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::SavePoint;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};

impl<'a> Context<'a> {
    pub fn async_before(&self, node: Node<'a>) -> Option<SavePoint> {
        let is_async = match self.dialect {
            Dialect::Zeebe => false,
            Dialect::Camunda7 | Dialect::Flowable => {
                self.flag(node, "asyncBefore") || self.flag(node, "async")
            }
        };
        is_async.then(|| SavePoint { exclusive: self.flag_or_true(node, "exclusive") })
    }

    pub fn async_after(&self, node: Node<'a>) -> Option<SavePoint> {
        let (is_async, exclusive) = match self.dialect {
            Dialect::Zeebe => (false, "exclusive"),
            Dialect::Camunda7 => (self.flag(node, "asyncAfter"), "exclusive"),
            Dialect::Flowable => (
                self.flag(node, "asyncLeave") || self.flag(node, "asyncAfter"),
                "asyncLeaveExclusive",
            ),
        };
        is_async.then(|| SavePoint { exclusive: self.flag_or_true(node, exclusive) })
    }

    /// Of continuations and timers: on an element or its process. Flowable has none, and Zeebe's
    /// belongs to worker jobs.
    pub fn job_priority(&mut self, subject: &Subject<'a>) -> Option<Expression> {
        if self.dialect != Dialect::Camunda7 {
            return None;
        }
        let written = self.extension_attribute(subject.node, "jobPriority")?;
        self.camunda_priority(subject, &written, "jobPriority")
    }

    /// Of worker jobs: on an element or its process.
    pub fn worker_priority(&mut self, subject: &Subject<'a>) -> Option<Expression> {
        self.worker_priority_of(subject, subject.node)
    }

    /// The same, where another node than the element has the attributes. Camunda looks at it on
    /// external tasks and processes only.
    pub fn worker_priority_of(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<Expression> {
        match self.dialect {
            Dialect::Zeebe => {
                let extension = self.extension(subject, "jobPriorityDefinition")?;
                let written = self.own_attribute(extension, "priority")?;
                match written.text.is_empty() {
                    true => None,
                    false => self.value(subject, &written),
                }
            }
            Dialect::Camunda7 => {
                let kind = self.extension_attribute(holder, "type");
                let is_external = kind.is_some_and(|k| k.text.eq_ignore_ascii_case("external"));
                if !is_external && subject.tag() != "process" {
                    return None;
                }
                let written = self.extension_attribute(holder, "taskPriority")?;
                self.camunda_priority(subject, &written, "taskPriority")
            }
            Dialect::Flowable => None,
        }
    }

    /// Which executors take the element's jobs. Flowable evaluates it when it makes a job.
    pub fn job_category(&mut self, subject: &Subject<'a>) -> Option<Expression> {
        if self.dialect != Dialect::Flowable {
            return None;
        }
        let node = self.extension_nodes(subject.node, "jobCategory").next()?;
        let written = self.content(node);
        (!written.text.is_empty()).then(|| self.tolerated_value(subject, &written))
    }

    /// A whole number of 32 bits, or an expression and nothing around it.
    fn camunda_priority(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
        what: &str,
    ) -> Option<Expression> {
        let trimmed = written.text.trim();
        if trimmed.starts_with("${") || trimmed.starts_with("#{") {
            return self.value(subject, written);
        }
        match written.text.parse::<i32>() {
            Ok(number) => Some(Expression::constant(Value::Int(number.into()))),
            Err(_) => {
                let message = format!(
                    "{what} of {} must be a whole number or an expression, but is {}",
                    subject.title(),
                    quoted(&written.text)
                );
                self.error_at(subject, written.offset, "number-invalid", message);
                None
            }
        }
    }

    /// Whether the element's work is left out.
    pub fn skip_expression(&mut self, subject: &Subject<'a>) -> Option<Expression> {
        if self.dialect != Dialect::Flowable {
            return None;
        }
        let written = match subject.tag() {
            // The one attribute that Flowable reads without a namespace; modelers write one.
            "sequenceFlow" => self.attribute(subject.node, "skipExpression"),
            _ => self.extension_attribute(subject.node, "skipExpression"),
        };
        let written = written.filter(|written| !written.text.is_empty())?;
        let kind = self.extension_attribute(subject.node, "type");
        let kind = kind.as_ref().map_or("", |kind| &*kind.text);
        let is_late = matches!(kind, "shell" | "dmn" | "case" | "send-event");
        match subject.tag() {
            "serviceTask" if !is_late => self.value(subject, &written),
            _ => Some(self.tolerated_value(subject, &written)),
        }
    }
}
