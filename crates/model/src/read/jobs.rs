//! Asynchronous continuations and the settings of an element's jobs.

use orloj_expr::Expression;
use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::SavePoint;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::dialect::ORLOJ;

/// The name of the attribute, property or header that gives a limit key.
const LIMIT_KEY: &str = "limitKey";

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

    /// What the jobs of an element share a limit by: an attribute of our own, or a property or
    /// task header of that name, where a modeler shows no other attributes than its own.
    pub fn limit_key(&mut self, subject: &Subject<'a>) -> Option<Expression> {
        let node = subject.node;
        let own = node.attribute_node((ORLOJ, LIMIT_KEY));
        let written = match own {
            Some(own) => Some(Written::made(own.value().to_owned(), own.range().start)),
            None => {
                let named = [("properties", "name"), ("taskHeaders", "key")];
                named.iter().find_map(|(holder, name)| self.limit_key_in(node, holder, name))
            }
        };
        let written = written.filter(|written| !written.text.trim().is_empty())?;
        self.value(subject, &written)
    }

    fn limit_key_in(&self, node: Node<'a>, holder: &str, name: &str) -> Option<Written<'a>> {
        let holder = self.extension_nodes(node, holder).next()?;
        let is_it = |entry: &Node<'a>| {
            self.own_attribute(*entry, name).is_some_and(|name| name.text == LIMIT_KEY)
        };
        let entry = holder.children().filter(|entry| entry.is_element()).find(is_it)?;
        self.own_attribute(entry, "value")
    }

    /// A whole number of 64 bits, or an expression and nothing around it.
    ///
    /// DIFFERENCE: Camunda reads 32 bits here, though its tables hold 64.
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
        match written.text.parse::<i64>() {
            Ok(number) => Some(Expression::constant(Value::Int(number))),
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
            "callActivity" => None,
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
