//! Where the result of a task goes.

use std::sync::Arc;

use crate::read::context::{Context, Node, Subject};

impl<'a> Context<'a> {
    /// Of Camunda and Flowable, which both know two names for it.
    pub fn result_variable(&self, subject: &Subject<'a>) -> Option<Arc<str>> {
        self.result_variable_of(subject.node)
    }

    /// The same, where another node than the element has the attributes.
    pub fn result_variable_of(&self, holder: Node<'a>) -> Option<Arc<str>> {
        let names = ["resultVariable", "resultVariableName"].iter();
        let mut found = names.filter_map(|name| self.extension_attribute(holder, name));
        // White space is a part of a name.
        found.find(|found| !found.text.is_empty()).map(|found| (*found.text).into())
    }

    /// Of an extension of Zeebe, which insists on it.
    pub fn result_variable_required(
        &mut self,
        subject: &Subject<'a>,
        extension: Node<'a>,
    ) -> Option<Arc<str>> {
        let found = self.own_attribute(extension, "resultVariable");
        if let Some(found) = found.filter(|found| !found.text.is_empty()) {
            return Some((*found.text).into());
        }
        let name = extension.tag_name().name();
        let message = format!("the {name} of {} has no resultVariable", subject.title());
        self.error_at(subject, extension.range().start, "result-variable-missing", message);
        None
    }

    /// In Zeebe a task that says itself what it does cannot be a job as well.
    pub fn is_only_implementation(&mut self, subject: &Subject<'a>, name: &str) -> bool {
        let Some(definition) = self.extension(subject, "taskDefinition") else { return true };
        let message = format!("{} has both {name} and taskDefinition", subject.title());
        self.error_at(subject, definition.range().start, "implementation-repeated", message);
        false
    }
}
