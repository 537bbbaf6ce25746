//! Scripts of tasks, listeners, mappings and conditions.

use std::sync::Arc;

use orloj_expr::{Expression, Language};
use orloj_xml::quoted;

use crate::graph::{Program, ProgramHost, ProgramLanguage, Script, ScriptLanguage, ScriptResource};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};

/// By the names that the script engines of Camunda and Flowable go by, in any case.
pub(crate) fn script_language(name: &str) -> Option<ScriptLanguage> {
    Some(match &*name.to_ascii_lowercase() {
        "juel" => ScriptLanguage::Uel,
        "feel" => ScriptLanguage::Feel,
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
        | "application/ecmascript" => ScriptLanguage::Program(ProgramLanguage::JavaScript),
        "groovy" | "application/x-groovy" | "text/x-groovy" => {
            ScriptLanguage::Program(ProgramLanguage::Groovy)
        }
        _ => return None,
    })
}

impl<'a> Context<'a> {
    /// A script in the model. No deployment looks inside of it: what cannot run is accepted with
    /// a warning and fails when it is reached.
    pub fn inline_script(
        &mut self,
        subject: &Subject<'a>,
        format: &str,
        code: &Written<'a>,
        stores_assigned: bool,
    ) -> Script {
        let Some(language) = script_language(format) else {
            return self.unknown_language(subject, format, code.offset);
        };
        match language {
            ScriptLanguage::Uel => self.script_expression(subject, code, Language::Uel),
            ScriptLanguage::Feel => self.script_expression(subject, code, Language::Feel),
            ScriptLanguage::Program(language) => Script::Program(Arc::new(Program {
                language,
                host: self.program_host(),
                source: (*code.text).into(),
                stores_assigned,
                place: self.place(code),
            })),
        }
    }

    /// A script of another resource; `None` when its name does not parse.
    pub fn resource_script(
        &mut self,
        subject: &Subject<'a>,
        format: &str,
        resource: &Written<'a>,
    ) -> Option<Script> {
        let name = self.value(subject, resource)?;
        let Some(language) = script_language(format) else {
            return Some(self.unknown_language(subject, format, resource.offset));
        };
        Some(Script::Resource(Arc::new(ScriptResource {
            name,
            language,
            host: self.program_host(),
            stores_assigned: false,
        })))
    }

    /// Camunda's `script` element of a listener or mapping: `scriptFormat`, and `resource` or the
    /// text.
    pub fn script_element(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Script> {
        let format = self.attribute(node, "scriptFormat").filter(|f| !f.text.is_empty());
        let Some(format) = format else {
            let message = format!("a script of {} has no scriptFormat", subject.title());
            self.error_at(subject, node.range().start, "script-format-missing", message);
            return None;
        };
        match self.attribute(node, "resource").filter(|resource| !resource.text.is_empty()) {
            Some(resource) => self.resource_script(subject, &format.text, &resource),
            None => {
                let code = self.code(node);
                Some(self.inline_script(subject, &format.text, &code, false))
            }
        }
    }

    fn script_expression(
        &mut self,
        subject: &Subject<'a>,
        code: &Written<'a>,
        language: Language,
    ) -> Script {
        match Expression::parse(language, &code.text) {
            // Flowable's script engine wants at least one expression.
            Ok(expression)
                if self.dialect == Dialect::Flowable && expression.as_constant().is_some() =>
            {
                let message =
                    format!("the script of {} is plain text and will fail", subject.title());
                self.warn_at(subject, code.offset, "script-invalid", message);
                Script::Unusable("the script is plain text, not an expression".into())
            }
            Ok(expression) => Script::Expression(expression),
            Err(error) => {
                let message = format!(
                    "the script of {} does not parse and will fail: {}",
                    subject.title(),
                    error.message
                );
                let offset = code.offset_of(error.offset);
                self.warn_at(subject, offset, "script-invalid", message);
                Script::Unusable(format!("the script does not parse: {}", error.message).into())
            }
        }
    }

    fn unknown_language(&mut self, subject: &Subject<'a>, format: &str, offset: usize) -> Script {
        let message = format!(
            "a script of {} is in {}, which cannot run; javascript, groovy, juel and feel can",
            subject.title(),
            quoted(format)
        );
        self.warn_at(subject, offset, "unsupported-script-language", message);
        Script::Unusable(format!("no script language {}", quoted(format)).into())
    }

    pub fn program_host(&self) -> ProgramHost {
        match self.dialect {
            Dialect::Flowable => ProgramHost::Flowable,
            Dialect::Camunda7 | Dialect::Zeebe => ProgramHost::Camunda,
        }
    }
}
