//! Conditions: of flows, and of events that wait for one to hold.

use std::sync::Arc;

use orloj_xml::quoted;

use crate::graph::{Condition, Script, VariableEvent};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_child};

impl<'a> Context<'a> {
    pub fn condition_catch(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Condition> {
        let node = bpmn_child(definition, "condition");
        // In Camunda and Flowable an empty one is found out when it is asked.
        let may_be_empty = self.dialect != Dialect::Zeebe;
        let node = node.filter(|node| may_be_empty || !self.content(*node).text.is_empty());
        let Some(node) = node else {
            let message = format!("{} has no condition", subject.title());
            self.error_at(subject, definition.range().start, "condition-empty", message);
            return None;
        };
        let expression = self.condition_script(subject, node)?;
        let variable = self.extension_attribute(definition, "variableName");
        let variable = variable.filter(|name| !name.text.is_empty());
        let events = self.variable_events(subject, definition)?;
        Some(Condition { expression, variable: variable.map(|v| Arc::from(&*v.text)), events })
    }

    fn variable_events(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Vec<VariableEvent>> {
        let mut events = Vec::new();
        let Some(written) = self.extension_attribute(definition, "variableEvents") else {
            return Some(events);
        };
        for word in written.text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            events.push(match word {
                "create" => VariableEvent::Create,
                "update" => VariableEvent::Update,
                "delete" => VariableEvent::Delete,
                other => {
                    const CODE: &str = "variable-event-unknown";
                    let message = format!(
                        "the variable event {} of {} is none of create, update and delete",
                        quoted(other),
                        subject.title()
                    );
                    self.warn_at(subject, written.offset, CODE, message);
                    continue;
                }
            });
        }
        Some(events)
    }

    /// The text of a condition: an expression, or a script where it names a language.
    pub fn condition_script(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Script> {
        let code = self.code(node);
        let language = self.attribute(node, "language");
        let resource = self.extension_attribute(node, "resource").filter(|r| !r.text.is_empty());
        match (self.dialect, language, resource) {
            (Dialect::Camunda7, Some(language), _) if language.text.is_empty() => {
                let message =
                    format!("the language of a condition of {} is empty", subject.title());
                self.error_at(subject, language.offset, "script-format-missing", message);
                None
            }
            (Dialect::Camunda7, Some(language), Some(resource)) => {
                self.resource_script(subject, &language.text, &resource)
            }
            (Dialect::Camunda7, Some(language), None) => {
                Some(self.inline_script(subject, &language.text, &code, false))
            }
            (Dialect::Flowable, Some(language), _) if !is_own_language(&language.text) => {
                Some(self.inline_script(subject, &language.text, &code, false))
            }
            _ => self.late_value(subject, &code).map(Script::Expression),
        }
    }
}

/// Names that tools write for the expression language that the engine uses anyway.
pub(crate) fn is_own_language(language: &str) -> bool {
    let names = ["", "juel", "uel", "feel"];
    names.iter().any(|name| language.eq_ignore_ascii_case(name)) || language.starts_with("http")
}
