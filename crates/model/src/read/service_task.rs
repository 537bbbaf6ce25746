//! What does the work of a service task, a send task or the event that throws a message.
//!
//! DIFFERENCE: Camunda looks for `type`, `class`, `delegateExpression` and `expression` in this
//! order, Flowable for `expression` before `delegateExpression`. Both take the first one.

use std::sync::Arc;

use orloj_xml::quoted;

use crate::graph::{DelegateTask, ElementKind, ExpressionTask, ServiceTask};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::element::Surroundings;
use crate::read::expression::{bean_name, text};
use crate::read::limits::JOB_TYPE_BYTES_MAX;

impl<'a> Context<'a> {
    pub fn service_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        if self.dialect == Dialect::Flowable && self.is_decision(subject) {
            return self.flowable_decision_task(subject).map(ElementKind::DecisionTask);
        }
        self.work(surroundings, subject, subject.node).map(ElementKind::ServiceTask)
    }

    pub fn send_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        match self.dialect {
            Dialect::Zeebe => self.zeebe_send_task(surroundings, subject),
            Dialect::Camunda7 => {
                self.work(surroundings, subject, subject.node).map(ElementKind::ServiceTask)
            }
            Dialect::Flowable => {
                self.flowable_send_task(surroundings, subject).map(ElementKind::ServiceTask)
            }
        }
    }

    /// What sends the message of a throw or end event. Outer `None`: it is refused; inner `None`:
    /// nothing sends it.
    pub fn message_sender(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Option<ServiceTask>> {
        match self.dialect {
            Dialect::Zeebe => {
                let publishes = self.extension_nodes(definition, "publishMessage").next();
                if let Some(node) = publishes {
                    return self.unsent_message(subject, node).map(|()| None);
                }
                self.zeebe_worker(surroundings, subject).map(ServiceTask::Worker).map(Some)
            }
            Dialect::Flowable => Some(None),
            Dialect::Camunda7 => {
                let names = ["type", "class", "delegateExpression", "expression"];
                let is_given =
                    names.iter().any(|name| self.extension_attribute(definition, name).is_some());
                match is_given || self.connector_node(subject, definition).is_some() {
                    true => self.work(surroundings, subject, definition).map(Some),
                    false => Some(None),
                }
            }
        }
    }

    /// `holder` has the attributes and fields: the task, or the definition of the event.
    pub fn work(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<ServiceTask> {
        match self.dialect {
            Dialect::Zeebe => self.zeebe_worker(surroundings, subject).map(ServiceTask::Worker),
            Dialect::Camunda7 => self.camunda_work(surroundings, subject, holder),
            Dialect::Flowable => self.flowable_work(surroundings, subject, holder),
        }
    }

    fn camunda_work(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<ServiceTask> {
        if let Some(kind) = self.extension_attribute(holder, "type") {
            return match &*kind.text.to_ascii_lowercase() {
                "external" => {
                    self.external_task(surroundings, subject, holder).map(ServiceTask::Worker)
                }
                "mail" | "shell" => self
                    .builtin_task(surroundings, subject, holder, &kind)
                    .map(ServiceTask::Builtin),
                _ => self.unknown_type(subject, &kind),
            };
        }
        let class = self.extension_attribute(holder, "class");
        if let Some(class) = class.filter(|class| !class.text.trim().is_empty()) {
            self.refuse_result(subject, holder, "class")?;
            return self.class_task(surroundings, subject, holder, &class);
        }
        if let Some(delegate) = self.extension_attribute(holder, "delegateExpression") {
            self.refuse_result(subject, holder, "delegateExpression")?;
            return self.bean_task(surroundings, subject, holder, &delegate);
        }
        let expression = self.extension_attribute(holder, "expression");
        if let Some(expression) = expression.filter(|e| !e.text.trim().is_empty()) {
            return self.expression_task(surroundings, subject, holder, &expression);
        }
        if let Some(connector) = self.connector_node(subject, holder) {
            return self.connector_task(surroundings, subject, connector);
        }
        self.nothing_works(subject)
    }

    fn flowable_work(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<ServiceTask> {
        let given = |ctx: &Self, name: &str| {
            ctx.extension_attribute(holder, name).filter(|found| !found.text.is_empty())
        };
        if let Some(kind) = given(self, "type") {
            return match &*kind.text {
                "external-worker" | "external" => {
                    self.external_worker(surroundings, subject).map(ServiceTask::Worker)
                }
                "mail" | "shell" | "http" | "case" | "send-event" => self
                    .builtin_task(surroundings, subject, holder, &kind)
                    .map(ServiceTask::Builtin),
                _ => self.unknown_type(subject, &kind),
            };
        }
        if let Some(class) = given(self, "class") {
            self.refuse_result(subject, holder, "class")?;
            return self.class_task(surroundings, subject, holder, &class);
        }
        if let Some(expression) = given(self, "expression") {
            return self.expression_task(surroundings, subject, holder, &expression);
        }
        if let Some(delegate) = given(self, "delegateExpression") {
            self.refuse_result(subject, holder, "delegateExpression")?;
            return self.bean_task(surroundings, subject, holder, &delegate);
        }
        if self.is_web_service(subject) {
            return self.web_service_task(surroundings, subject).map(ServiceTask::Builtin);
        }
        self.nothing_works(subject)
    }

    fn flowable_send_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ServiceTask> {
        let kind = self.extension_attribute(subject.node, "type").filter(|k| !k.text.is_empty());
        match kind {
            Some(kind) if kind.text == "mail" => self
                .builtin_task(surroundings, subject, subject.node, &kind)
                .map(ServiceTask::Builtin),
            Some(kind) => self.unknown_type(subject, &kind),
            None if self.is_web_service(subject) => {
                self.web_service_task(surroundings, subject).map(ServiceTask::Builtin)
            }
            None => {
                let message = format!("{} has neither type nor operationRef", subject.title());
                self.error(subject, "implementation-missing", message);
                None
            }
        }
    }

    fn is_web_service(&self, subject: &Subject<'a>) -> bool {
        let implementation = self.attribute(subject.node, "implementation");
        implementation.is_some_and(|i| i.text == "##WebService")
    }

    /// The class is looked for when the task is reached, so any text will do here.
    fn class_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
        class: &Written<'a>,
    ) -> Option<ServiceTask> {
        if !self.job_type_fits(subject, class) {
            return None;
        }
        let name: Arc<str> = class.text.trim().into();
        let fields = self.fields(subject, holder)?;
        Some(ServiceTask::Delegate(DelegateTask {
            computed: None,
            fields,
            result_variable: None,
            is_triggerable: self.is_triggerable(holder),
            exceptions: self.exceptions(subject, holder)?,
            worker: self.worker(surroundings, subject, holder, text(&name)),
            name,
        }))
    }

    fn bean_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
        written: &Written<'a>,
    ) -> Option<ServiceTask> {
        if !self.job_type_fits(subject, written) {
            return None;
        }
        let (name, computed): (Arc<str>, _) = match bean_name(&written.text) {
            Some(bean) => (bean.into(), None),
            None => ((*written.text).into(), Some(self.value(subject, written)?)),
        };
        let fields = self.fields(subject, holder)?;
        Some(ServiceTask::Delegate(DelegateTask {
            computed,
            fields,
            result_variable: None,
            is_triggerable: self.is_triggerable(holder),
            exceptions: self.exceptions(subject, holder)?,
            worker: self.worker(surroundings, subject, holder, text(&name)),
            name,
        }))
    }

    fn expression_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        holder: Node<'a>,
        written: &Written<'a>,
    ) -> Option<ServiceTask> {
        let expression = self.value(subject, written)?;
        let is_flowable = self.dialect == Dialect::Flowable;
        let flag = |ctx: &Self, name: &str| is_flowable && ctx.flag(holder, name);
        let result_variable = self.result_variable_of(holder);
        let job_type = expression.method_call().map(|(bean, method)| format!("{bean}.{method}"));
        let job_type = job_type.filter(|name| name.len() <= JOB_TYPE_BYTES_MAX);
        let worker = job_type.map(|name| {
            let worker = self.worker(surroundings, subject, holder, text(&name));
            worker.with_result(result_variable.as_ref())
        });
        Some(ServiceTask::Expression(ExpressionTask {
            worker,
            expression,
            result_variable,
            is_result_local: flag(self, "useLocalScopeForResultVariable"),
            is_result_transient: flag(self, "storeResultVariableAsTransient"),
            is_triggerable: self.is_triggerable(holder),
            exceptions: self.exceptions(subject, holder)?,
        }))
    }

    pub fn is_triggerable(&self, holder: Node<'a>) -> bool {
        self.dialect == Dialect::Flowable && self.flag(holder, "triggerable")
    }

    /// Only an expression has a result. Camunda minds an empty name too.
    fn refuse_result(&mut self, subject: &Subject<'a>, holder: Node<'a>, with: &str) -> Option<()> {
        let is_flowable = self.dialect == Dialect::Flowable;
        let mut names = ["resultVariable", "resultVariableName"].iter();
        let found = names.find_map(|name| {
            let found = self.extension_attribute(holder, name);
            found.filter(|found| !is_flowable || !found.text.is_empty())
        });
        let Some(found) = found else { return Some(()) };
        let message = format!("{} has a {with}, which gives no result to store", subject.title());
        self.error_at(subject, found.offset, "result-variable-misplaced", message);
        None
    }

    fn unknown_type<T>(&mut self, subject: &Subject<'a>, kind: &Written<'a>) -> Option<T> {
        let message =
            format!("type {} of {} is not supported", quoted(&kind.text), subject.title());
        let code = match self.dialect {
            Dialect::Camunda7 | Dialect::Flowable => "task-type-unknown",
            Dialect::Zeebe => "unsupported-task-type",
        };
        self.error_at(subject, kind.offset, code, message);
        None
    }

    fn nothing_works<T>(&mut self, subject: &Subject<'a>) -> Option<T> {
        let message = format!(
            "{} has none of type, class, delegateExpression and expression",
            subject.title()
        );
        self.error(subject, "implementation-missing", message);
        None
    }
}
