//! Script tasks: code written into the model.

use std::sync::Arc;

use orloj_expr::{Expression, Language};
use orloj_xml::quoted;

use crate::graph::{
    ElementKind, Program, ProgramHost, ProgramLanguage, Script, ScriptTask, ServiceTask,
};
use crate::options::Dialect;
use crate::read::context::{Context, Subject, Written, bpmn_child};
use crate::read::element::Surroundings;

/// What Camunda and Flowable take a script for that names no language.
const DEFAULT_FORMAT: &str = "juel";

enum Format {
    Expression(Language),
    Program(ProgramLanguage),
}

impl Format {
    /// By the names that the script engines of the two systems go by, in any case.
    fn named(name: &str) -> Option<Self> {
        Some(match &*name.trim().to_ascii_lowercase() {
            "juel" => Self::Expression(Language::Uel),
            "feel" => Self::Expression(Language::Feel),
            "javascript"
            | "js"
            | "ecmascript"
            | "nashorn"
            | "rhino"
            | "graal.js"
            | "graaljs"
            | "secure-javascript"
            | "text/javascript"
            | "application/javascript"
            | "text/ecmascript"
            | "application/ecmascript" => Self::Program(ProgramLanguage::JavaScript),
            "groovy" | "application/x-groovy" | "text/x-groovy" => {
                Self::Program(ProgramLanguage::Groovy)
            }
            _ => return None,
        })
    }
}

impl<'a> Context<'a> {
    pub fn script_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        match self.dialect {
            Dialect::Zeebe => self.zeebe_script_task(surroundings, subject),
            Dialect::Camunda7 => self.code_task(subject, ProgramHost::Camunda),
            Dialect::Flowable => self.code_task(subject, ProgramHost::Flowable),
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
        let script = Script::Expression(expression?);
        Some(ElementKind::ScriptTask(ScriptTask { script, result_variable: Some(variable?) }))
    }

    fn code_task(&mut self, subject: &Subject<'a>, host: ProgramHost) -> Option<ElementKind> {
        if let Some(found) = self.extension_attribute(subject.node, "resource") {
            let message =
                format!("a script of {} in another resource is not supported yet", subject.title());
            self.error_at(subject, found.offset, "unsupported-attribute", message);
            return None;
        }
        let format = self.attribute(subject.node, "scriptFormat").filter(|f| !f.text.is_empty());
        let Some(known) = Format::named(format.as_ref().map_or(DEFAULT_FORMAT, |f| &f.text)) else {
            let written = format.expect("the default is known");
            let message = format!(
                "scripts of {} in {} are not supported; javascript, groovy, juel and feel are",
                subject.title(),
                quoted(&written.text)
            );
            self.error_at(subject, written.offset, "unsupported-script-language", message);
            return None;
        };
        let code = bpmn_child(subject.node, "script").map(|node| self.code(node));
        let Some(code) = code.filter(|code| !code.text.is_empty()) else {
            let message = format!("{} has no script", subject.title());
            self.error(subject, "script-empty", message);
            return None;
        };
        let script = match known {
            Format::Expression(language) => {
                Script::Expression(self.script_expression(subject, &code, language)?)
            }
            Format::Program(language) => Script::Program(Arc::new(Program {
                language,
                host,
                source: (*code.text).into(),
                stores_assigned: host == ProgramHost::Flowable
                    && self.flag(subject.node, "autoStoreVariables"),
                place: self.place(&code),
            })),
        };
        self.name_unread_script_attributes(subject);
        let result_variable = self.result_variable(subject);
        Some(ElementKind::ScriptTask(ScriptTask { script, result_variable }))
    }

    fn script_expression(
        &mut self,
        subject: &Subject<'a>,
        code: &Written<'a>,
        language: Language,
    ) -> Option<Expression> {
        let parsed = Expression::parse(language, &code.text);
        self.parsed(subject, code, parsed)
    }

    fn name_unread_script_attributes(&mut self, subject: &Subject<'a>) {
        if self.dialect != Dialect::Flowable {
            return;
        }
        for name in ["doNotIncludeVariables", "useLocalScopeForResultVariable"] {
            let found = self.extension_attribute(subject.node, name);
            if let Some(found) = found.filter(|found| self.is_true(&found.text)) {
                let message = format!("{name} of {} has no effect yet", subject.title());
                self.warn_at(subject, found.offset, "ignored-attribute", message);
            }
        }
    }
}
