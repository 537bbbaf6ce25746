//! Children of `extensionElements`.
//!
//! What nobody reads is free metadata and is ignored. What a system does read and this parser
//! does not is refused or at least named: a listener that silently never runs is worse than a
//! deployment that fails.

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_children};
use crate::read::dialect::{ACTIVITI, CAMUNDA, FLOWABLE, ZEEBE};

/// Extensions that change what a process does and cannot be honoured yet.
fn refused(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zeebe => &[
            "adHoc",
            "calledDecision",
            "calledElement",
            "conditionalFilter",
            "executionListeners",
            "linkedResources",
            "publishMessage",
            "script",
            "taskListeners",
        ],
        Dialect::Camunda7 => &[
            "connector",
            "errorEventDefinition",
            "executionListener",
            "field",
            "in",
            "inputOutput",
            "out",
            "taskListener",
        ],
        Dialect::Flowable => &[
            "eventCorrelationParameter",
            "eventInParameter",
            "eventListener",
            "eventOutParameter",
            "executionListener",
            "externalWorkerInParameter",
            "externalWorkerOutParameter",
            "field",
            "in",
            "mapException",
            "out",
            "taskListener",
            "triggerEventType",
            "variableAggregation",
        ],
    }
}

/// Lists that mean nothing while they are empty.
const LISTS: &[&str] = &["executionListeners", "inputOutput", "linkedResources", "taskListeners"];

/// Extensions without which a process still does the same steps.
fn passed_over(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zeebe => &["agentDefinition"],
        Dialect::Camunda7 => &["formData", "formProperty", "potentialStarter"],
        Dialect::Flowable => &[
            "customResource",
            "formProperty",
            "historyLevel",
            "includeInHistory",
            "inputOutput",
            "jobCategory",
            "potentialStarter",
        ],
    }
}

impl<'a> Context<'a> {
    /// Names every extension of the element that is not honoured.
    pub fn name_unread_extensions(&mut self, subject: &Subject<'a>) {
        for extension in self.extensions(subject.node) {
            let name = extension.tag_name().name();
            let offset = extension.range().start;
            if LISTS.contains(&name) && extension.first_element_child().is_none() {
                continue;
            }
            if self.is_read_elsewhere(subject, name) {
                continue;
            }
            if refused(self.dialect).contains(&name) {
                let message = format!("{name} of {} is not supported yet", subject.title());
                self.error_at(subject, offset, "unsupported-extension", message);
            } else if passed_over(self.dialect).contains(&name) {
                let message = format!("{name} of {} has no effect yet", subject.title());
                self.warn_at(subject, offset, "ignored-extension", message);
            }
        }
    }

    /// Extensions that only some elements can have, and that are read with them.
    fn is_read_elsewhere(&self, subject: &Subject<'a>, name: &str) -> bool {
        match (self.dialect, subject.tag(), name) {
            (Dialect::Zeebe, "scriptTask", "script")
            | (Dialect::Zeebe, "businessRuleTask", "calledDecision") => true,
            (Dialect::Flowable, "serviceTask" | "businessRuleTask", "field") => {
                self.extension_attribute(subject.node, "type").is_some_and(|t| t.text == "dmn")
            }
            _ => false,
        }
    }

    /// The one extension of that name. Zeebe refuses a second, the others read the first.
    pub fn extension(&mut self, subject: &Subject<'a>, name: &str) -> Option<Node<'a>> {
        let mut found = self.extensions(subject.node).into_iter();
        let first = found.by_ref().find(|node| node.tag_name().name() == name)?;
        let second = found.find(|node| node.tag_name().name() == name);
        if let (Some(second), Dialect::Zeebe) = (second, self.dialect) {
            let message = format!("{} has more than one {name}", subject.title());
            self.error_at(subject, second.range().start, "extension-repeated", message);
        }
        Some(first)
    }

    /// The vendor's extensions of an element, in document order.
    fn extensions(&self, node: Node<'a>) -> Vec<Node<'a>> {
        let dialect = self.dialect;
        extension_elements(node).filter(|child| is_read_by(dialect, *child)).collect()
    }
}

/// Everything inside `extensionElements`, whoever wrote it.
pub(crate) fn extension_elements<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    bpmn_children(node)
        .filter(|child| child.tag_name().name() == "extensionElements")
        .flat_map(|holder| holder.children().filter(|child| child.is_element()))
}

fn is_read_by(dialect: Dialect, extension: Node<'_>) -> bool {
    let namespace = extension.tag_name().namespace();
    match dialect {
        Dialect::Zeebe => namespace == Some(ZEEBE),
        Dialect::Camunda7 => matches!(namespace, Some(CAMUNDA | ACTIVITI)),
        // Flowable goes by local names; foreign vendors' elements of the same name are still not
        // meant for it.
        Dialect::Flowable => matches!(namespace, None | Some(FLOWABLE | ACTIVITI | CAMUNDA)),
    }
}
