//! `failedJobRetryTimeCycle` of an element.

use orloj_xml::quoted;

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};
use crate::read::dialect::{ACTIVITI, CAMUNDA, FLOWABLE, FOX};
use crate::read::extension::extension_elements;
use crate::retry::{RetryCycle, RetryPlan};

impl<'a> Context<'a> {
    pub fn retry_cycle(&mut self, subject: &Subject<'a>) -> Option<RetryCycle> {
        let node = self.retry_cycle_element(subject.node)?;
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
            return self.value(subject, &written).map(RetryCycle::Computed);
        }
        match RetryPlan::parse(&written.text) {
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
