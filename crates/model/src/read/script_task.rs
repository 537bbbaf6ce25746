//! Script tasks: code written into the model.

use crate::graph::{ElementKind, Script, ScriptTask, ServiceTask};
use crate::options::Dialect;
use crate::read::context::{Context, Subject, bpmn_child};
use crate::read::element::Surroundings;

/// What Camunda and Flowable take a script for that names no language.
const DEFAULT_FORMAT: &str = "juel";

impl<'a> Context<'a> {
    pub fn script_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        match self.dialect {
            Dialect::Zeebe => self.zeebe_script_task(surroundings, subject),
            Dialect::Camunda7 => self.camunda_script_task(subject),
            Dialect::Flowable => self.flowable_script_task(subject),
        }
    }

    fn zeebe_script_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let Some(script) = self.extension(subject, "script") else {
            let task = self.zeebe_worker(surroundings, subject)?;
            return Some(ElementKind::ServiceTask(ServiceTask::Worker(task)));
        };
        if !self.is_only_implementation(subject, "script") {
            return None;
        }
        let written = self.own_attribute(script, "expression");
        let expression = match written.filter(|written| !written.text.is_empty()) {
            Some(written) => self.expression_required(subject, &written, "the script"),
            None => {
                let message = format!("the script of {} has no expression", subject.title());
                self.error_at(subject, script.range().start, "script-empty", message);
                None
            }
        };
        let variable = self.result_variable_required(subject, script);
        Some(ElementKind::ScriptTask(ScriptTask {
            script: Script::Expression(expression?),
            result_variable: Some(variable?),
            is_result_local: false,
            includes_variables: true,
            inputs: Vec::new(),
        }))
    }

    fn camunda_script_task(&mut self, subject: &Subject<'a>) -> Option<ElementKind> {
        let format = self.attribute(subject.node, "scriptFormat");
        if let Some(empty) = format.as_ref().filter(|format| format.text.is_empty()) {
            let message = format!("the scriptFormat of {} is empty", subject.title());
            self.error_at(subject, empty.offset, "script-format-missing", message);
            return None;
        }
        let format = format.map_or(DEFAULT_FORMAT.into(), |format| format.text);
        let resource = self.extension_attribute(subject.node, "resource");
        let code = bpmn_child(subject.node, "script").map(|node| self.code(node));
        let script = match (resource.filter(|resource| !resource.text.is_empty()), code) {
            (Some(resource), _) => self.resource_script(subject, &format, &resource)?,
            (None, Some(code)) => self.inline_script(subject, &format, &code, false),
            (None, None) => return self.script_missing(subject),
        };
        Some(ElementKind::ScriptTask(ScriptTask {
            script,
            result_variable: self.result_variable(subject),
            is_result_local: false,
            includes_variables: true,
            inputs: Vec::new(),
        }))
    }

    fn flowable_script_task(&mut self, subject: &Subject<'a>) -> Option<ElementKind> {
        let node = subject.node;
        let format = self.attribute(node, "scriptFormat").filter(|format| !format.text.is_empty());
        let format = format.map_or(DEFAULT_FORMAT.into(), |format| format.text);
        // A blank script is one; an empty script is none.
        let element = bpmn_child(node, "script");
        let has_text = element.is_some_and(|e| e.children().any(|child| child.is_text()));
        let Some(element) = element.filter(|_| has_text) else {
            return self.script_missing(subject);
        };
        let code = self.code(element);
        let stores_assigned = self.flag(node, "autoStoreVariables");
        let script = self.inline_script(subject, &format, &code, stores_assigned);
        Some(ElementKind::ScriptTask(ScriptTask {
            script,
            result_variable: self.result_variable(subject),
            is_result_local: self.flag(node, "useLocalScopeForResultVariable"),
            includes_variables: !self.flag(node, "doNotIncludeVariables"),
            inputs: self.parameters(subject, node, "in"),
        }))
    }

    fn script_missing(&mut self, subject: &Subject<'a>) -> Option<ElementKind> {
        let message = format!("{} has no script", subject.title());
        self.error(subject, "script-empty", message);
        None
    }
}
