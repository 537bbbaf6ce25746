//! Children of `extensionElements`.
//!
//! What nobody reads is free metadata and is ignored. What a system does read and this parser
//! does not is named.

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_children};
use crate::read::dialect::{ACTIVITI, CAMUNDA, ZEEBE};

/// Extensions without which a process still does the same steps.
fn passed_over(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zeebe => &["agentDefinition"],
        Dialect::Camunda7 => &["potentialStarter"],
        Dialect::Flowable => &[
            "httpRequestHandler",
            "httpResponseHandler",
            "includeInHistory",
            "localization",
            "potentialStarter",
        ],
    }
}

/// Attributes of the same kind.
fn passed_over_attributes(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Zeebe => &[],
        Dialect::Camunda7 => &["isStartableInTasklist"],
        Dialect::Flowable => &[
            "extensionId",
            "formFieldValidation",
            "isEagerExecutionFetching",
            "parallelInSameTransaction",
        ],
    }
}

/// Attributes of parts of an element, with the part they stand in.
const PART_ATTRIBUTES: &[(&str, &str)] = &[
    ("timerEventDefinition", "businessCalendarName"),
    ("executionListener", "customPropertiesResolverClass"),
    ("executionListener", "customPropertiesResolverExpression"),
    ("executionListener", "customPropertiesResolverDelegateExpression"),
    ("taskListener", "customPropertiesResolverClass"),
    ("taskListener", "customPropertiesResolverExpression"),
    ("taskListener", "customPropertiesResolverDelegateExpression"),
];

impl<'a> Context<'a> {
    /// Names every extension of the element that is not honoured.
    pub fn name_unread_extensions(&mut self, subject: &Subject<'a>) {
        if self.dialect == Dialect::Zeebe {
            // Free metadata, but not twice.
            let _ = self.extension(subject, "properties");
        }
        self.check_idle_extensions(subject);
        if self.dialect == Dialect::Flowable {
            self.check_flowable_extensions(subject);
        }
        for extension in self.extensions(subject.node) {
            let name = extension.tag_name().name();
            if !passed_over(self.dialect).contains(&name) {
                continue;
            }
            let message = format!("{name} of {} has no effect yet", subject.title());
            self.warn_at(subject, extension.range().start, "ignored-extension", message);
        }
        self.name_unread_attributes(subject);
    }

    /// Parts at which Flowable's reader stumbles.
    fn check_flowable_extensions(&mut self, subject: &Subject<'a>) {
        let tag = subject.tag();
        let is_scope = matches!(tag, "process" | "subProcess" | "transaction" | "adHocSubProcess");
        for node in self.extensions(subject.node) {
            let problem = match node.tag_name().name() {
                "eventListener" if tag != "process" => "stands outside of a process",
                "localization"
                    if (is_scope || tag == "userTask")
                        && self.own_attribute(node, "locale").is_none() =>
                {
                    "has no locale"
                }
                _ => continue,
            };
            let message =
                format!("the {} of {} {problem}", node.tag_name().name(), subject.title());
            self.error_at(subject, node.range().start, "extension-misplaced", message);
        }
        if matches!(tag, "task" | "userTask" | "manualTask" | "receiveTask" | "scriptTask") {
            self.exceptions(subject, subject.node);
        }
    }

    fn name_unread_attributes(&mut self, subject: &Subject<'a>) {
        for &name in passed_over_attributes(self.dialect) {
            if let Some(written) = self.extension_attribute(subject.node, name) {
                self.ignored_attribute(subject, name, &written);
            }
        }
        if self.dialect != Dialect::Flowable {
            return;
        }
        let parts: Vec<_> =
            bpmn_children(subject.node).chain(self.extensions(subject.node)).collect();
        for part in parts {
            for &(tag, name) in PART_ATTRIBUTES {
                if part.tag_name().name() != tag {
                    continue;
                }
                let written = self.own_attribute(part, name);
                if let Some(written) = written.or_else(|| self.extension_attribute(part, name)) {
                    self.ignored_attribute(subject, name, &written);
                }
            }
        }
    }

    fn ignored_attribute(&mut self, subject: &Subject<'a>, name: &str, written: &Written<'a>) {
        let message = format!("{name} of {} has no effect", subject.title());
        self.warn_at(subject, written.offset, "ignored-attribute", message);
    }

    /// The one extension of that name. Flowable reads the first, the others refuse a second of the
    /// same namespace.
    pub fn extension(&mut self, subject: &Subject<'a>, name: &str) -> Option<Node<'a>> {
        let mut found = self.extensions(subject.node);
        found.retain(|node| node.tag_name().name() == name);
        if self.dialect == Dialect::Camunda7 {
            // Its own namespace comes before the one that it inherited.
            found.sort_by_key(|node| node.tag_name().namespace() != Some(CAMUNDA));
        }
        let &first = found.first()?;
        let namespace = first.tag_name().namespace();
        let second = found.get(1).filter(|node| node.tag_name().namespace() == namespace);
        if let Some(second) = second.filter(|_| self.dialect != Dialect::Flowable) {
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

pub(crate) fn is_read_by(dialect: Dialect, extension: Node<'_>) -> bool {
    let namespace = extension.tag_name().namespace();
    match dialect {
        Dialect::Zeebe => namespace == Some(ZEEBE),
        Dialect::Camunda7 => matches!(namespace, Some(CAMUNDA | ACTIVITI)),
        // Flowable goes by local names, whoever's they are.
        Dialect::Flowable => true,
    }
}
