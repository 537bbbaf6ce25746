//! `failedJobRetryTimeCycle` of an element.

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{JobSettings, MultiInstance, Semantics};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_child};
use crate::read::dialect::{ACTIVITI, CAMUNDA, FLOWABLE, FOX};
use crate::read::extension::extension_elements;
use crate::read::is_activity;
use crate::retry::{RetryCycle, RetryPlan};

impl<'a> Context<'a> {
    pub fn retry_cycle(&mut self, subject: &Subject<'a>) -> Option<RetryCycle> {
        let node = subject.node;
        let is_async = self.async_before(node).is_some() || self.async_after(node).is_some();
        self.retry_cycle_in(subject, node, is_async)
    }

    /// Camunda has one of its own for the single instances, Flowable no jobs of the body.
    pub fn inner_retry_cycle(
        &mut self,
        subject: &Subject<'a>,
        multi: &MultiInstance,
        jobs: &JobSettings,
    ) -> Option<RetryCycle> {
        let node = bpmn_child(subject.node, "multiInstanceLoopCharacteristics")?;
        let is_async = multi.inner_before.is_some() || multi.inner_after.is_some();
        match self.dialect {
            Dialect::Zeebe => None,
            Dialect::Camunda7 => self.retry_cycle_in(subject, node, is_async),
            Dialect::Flowable => jobs.retry_cycle.clone(),
        }
    }

    fn retry_cycle_in(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
        is_async: bool,
    ) -> Option<RetryCycle> {
        let node = self.retry_cycle_element(holder)?;
        let written = self.content(node);
        if written.text.is_empty() {
            return None;
        }
        // Flowable parses the cycle on every activity and looks at it on service tasks only.
        if self.dialect == Dialect::Flowable && subject.tag() != "serviceTask" {
            let message =
                format!("the retry cycle of {} has no effect in Flowable", subject.title());
            self.warn_at(subject, node.range().start, "ignored-retry-cycle", message);
            return None;
        }
        if written.text.starts_with("${") || written.text.starts_with("#{") {
            return self.computed_cycle(subject, &written, is_async).map(RetryCycle::Computed);
        }
        let tries_of_wait = Semantics::of(self.dialect).jobs.tries_of_wait;
        match RetryPlan::parse_for(&written.text, tries_of_wait) {
            Ok(plan) => {
                for unusable in plan.unusable(&written.text) {
                    let message = format!(
                        "{} in the retry cycle of {} is no duration; that retry will not wait",
                        quoted(unusable),
                        subject.title()
                    );
                    self.warn_at(subject, written.offset, "retry-cycle-invalid", message);
                }
                Some(RetryCycle::Fixed(plan))
            }
            Err(error) => {
                let message = format!(
                    "the retry cycle {} of {} does not parse and the default applies: {error}",
                    quoted(&written.text),
                    subject.title()
                );
                self.warn_at(subject, written.offset, "retry-cycle-invalid", message);
                None
            }
        }
    }

    /// Camunda reads it of activities only where they are asynchronous, and of manual tasks never;
    /// what does not parse there does no harm.
    fn computed_cycle(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
        is_async: bool,
    ) -> Option<Expression> {
        let is_read = subject.tag() != "manualTask" && (is_async || !is_activity(subject.tag()));
        match self.dialect == Dialect::Camunda7 && is_read {
            true => self.value(subject, written),
            false => Some(self.tolerated_value(subject, written)),
        }
    }

    fn retry_cycle_element(&self, node: Node<'a>) -> Option<Node<'a>> {
        let dialect = self.dialect;
        extension_elements(node).find(|extension| {
            let namespace = extension.tag_name().namespace();
            let is_read = match dialect {
                Dialect::Zeebe => false,
                Dialect::Camunda7 => matches!(namespace, Some(CAMUNDA | ACTIVITI | FOX)),
                Dialect::Flowable => matches!(namespace, Some(FLOWABLE | ACTIVITI | CAMUNDA)),
            };
            is_read && extension.tag_name().name() == "failedJobRetryTimeCycle"
        })
    }
}
