//! Service tasks: worker jobs, or delegates that run in this process.

use orloj_xml::quoted;

use crate::graph::{DelegateTask, ElementKind, ServiceTask};
use crate::options::Dialect;
use crate::read::context::{Context, Subject, Written};
use crate::read::element::Surroundings;
use crate::read::expression::{is_uel, text};

impl<'a> Context<'a> {
    pub fn service_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        if self.dialect == Dialect::Zeebe {
            let worker = self.zeebe_worker(surroundings, subject).map(ServiceTask::Worker);
            return worker.map(ElementKind::ServiceTask);
        }
        let given = |ctx: &Self, name: &str| {
            ctx.extension_attribute(subject.node, name).filter(|found| !found.text.is_empty())
        };
        if let Some(kind) = given(self, "type") {
            if self.dialect == Dialect::Flowable && kind.text == "dmn" {
                return self.flowable_decision_task(subject).map(ElementKind::DecisionTask);
            }
            return self.typed_task(surroundings, subject, &kind).map(ElementKind::ServiceTask);
        }
        self.delegate_task(surroundings, subject).map(ElementKind::ServiceTask)
    }

    fn delegate_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ServiceTask> {
        let given = |ctx: &Self, name: &str| {
            ctx.extension_attribute(subject.node, name).filter(|found| !found.text.is_empty())
        };
        if let Some(class) = given(self, "class") {
            return self.class_task(surroundings, subject, &class);
        }
        let delegate = given(self, "delegateExpression");
        let expression = given(self, "expression");
        // Camunda looks for the delegate first, Flowable for the expression.
        match (delegate, expression) {
            (Some(delegate), None) => self.bean_task(surroundings, subject, &delegate),
            (Some(delegate), Some(_)) if self.dialect == Dialect::Camunda7 => {
                self.bean_task(surroundings, subject, &delegate)
            }
            (_, Some(expression)) => {
                let message = format!("expression of {} is not supported yet", subject.title());
                self.error_at(subject, expression.offset, "unsupported-attribute", message);
                None
            }
            // A connector is refused as an extension.
            (None, None) if self.extension(subject, "connector").is_some() => None,
            (None, None) => {
                let message = format!(
                    "{} has none of type, class, delegateExpression and expression",
                    subject.title()
                );
                self.error(subject, "implementation-missing", message);
                None
            }
        }
    }

    fn typed_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        kind: &Written<'a>,
    ) -> Option<ServiceTask> {
        let is_worker = match self.dialect {
            Dialect::Camunda7 => kind.text.eq_ignore_ascii_case("external"),
            Dialect::Flowable => matches!(&*kind.text, "external-worker" | "external"),
            Dialect::Zeebe => false,
        };
        if is_worker {
            return self.external_worker(surroundings, subject).map(ServiceTask::Worker);
        }
        let message =
            format!("type {} of {} is not supported", quoted(&kind.text), subject.title());
        self.error_at(subject, kind.offset, "unsupported-task-type", message);
        None
    }

    fn class_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        class: &Written<'a>,
    ) -> Option<ServiceTask> {
        if is_uel(&class.text) {
            let message = format!("class of {} cannot be an expression", subject.title());
            self.error_at(subject, class.offset, "delegate-invalid", message);
            return None;
        }
        self.delegate(surroundings, subject, class, class.text.trim())
    }

    /// `${bean}`: anything more than a name would need the bean's code to be evaluated.
    fn bean_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        written: &Written<'a>,
    ) -> Option<ServiceTask> {
        let Some(bean) = bean_name(&written.text) else {
            let message = format!(
                "delegateExpression {} of {} is not supported: it must be a name as in ${{name}}",
                quoted(&written.text),
                subject.title()
            );
            self.error_at(subject, written.offset, "delegate-invalid", message);
            return None;
        };
        self.delegate(surroundings, subject, written, bean)
    }

    fn delegate(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        written: &Written<'a>,
        name: &str,
    ) -> Option<ServiceTask> {
        if !self.job_type_fits(subject, written) {
            return None;
        }
        let worker = self.worker(surroundings, subject, text(name));
        Some(ServiceTask::Delegate(DelegateTask { name: name.into(), worker }))
    }
}

fn bean_name(expression: &str) -> Option<&str> {
    let expression = expression.trim();
    let inside = expression.strip_prefix("${").or_else(|| expression.strip_prefix("#{"))?;
    let name = inside.strip_suffix('}')?.trim();
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
    (starts && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$')).then_some(name)
}
