//! Errors that events throw and catch.

use std::sync::Arc;

use crate::graph::{CaughtFailures, ErrorCatch, ErrorThrow};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::element::Surroundings;
use crate::read::exception;
use crate::read::expression::{failing, is_zeebe_expression, text};

impl<'a> Context<'a> {
    pub fn error_catch(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<ErrorCatch> {
        let (code_variable, message_variable) = self.error_variables(definition);
        let is_set =
            |ctx: &Self, name: &str| ctx.dialect == Dialect::Flowable && ctx.flag(definition, name);
        let is_code_local = is_set(self, "errorVariableLocalScope");
        let is_code_transient = is_set(self, "errorVariableTransient");
        let code = match self.reference(definition, "errorRef") {
            None => None,
            Some(reference) => {
                match surroundings.definitions.error(&reference.text).cloned() {
                    Some(found) => self.catchable_code(subject, found.word.as_ref())?,
                    // A reference to nothing is the code itself.
                    None if self.dialect != Dialect::Zeebe => Some((*reference.text).into()),
                    // In Zeebe every error is caught then.
                    None => None,
                }
            }
        };
        let inputs = match self.dialect {
            Dialect::Flowable => self.parameters(subject, subject.node, "in"),
            Dialect::Camunda7 | Dialect::Zeebe => Vec::new(),
        };
        let failures = match (&code, self.dialect) {
            (Some(code), Dialect::Camunda7) => exception::caught_by_class(code),
            _ => CaughtFailures::default(),
        };
        Some(ErrorCatch {
            code,
            failures,
            code_variable,
            message_variable,
            is_code_local,
            is_code_transient,
            inputs,
        })
    }

    /// A definition without code catches every error.
    fn catchable_code(
        &mut self,
        subject: &Subject<'a>,
        code: Option<&Written<'a>>,
    ) -> Option<Option<Arc<str>>> {
        let is_zeebe = self.dialect == Dialect::Zeebe;
        match code {
            Some(code) if is_zeebe && is_zeebe_expression(&code.text) => {
                let message =
                    format!("{} cannot catch an error code that is computed", subject.title());
                self.error_at(subject, code.offset, "error-code-computed", message);
                None
            }
            code => Some(code.map(|code| (*code.text).into())),
        }
    }

    pub fn error_throw(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<ErrorThrow> {
        let Some(reference) = self.reference(definition, "errorRef") else {
            let message = format!("{} refers to no error", subject.title());
            if self.dialect == Dialect::Flowable {
                // An empty reference is an error without a code; without any a token fails.
                if self.attribute(definition, "errorRef").is_some() {
                    return Some(ErrorThrow { code: None, message: None });
                }
                let code = Some(failing(&message));
                self.warn_at(subject, definition.range().start, "error-missing", message);
                return Some(ErrorThrow { code, message: None });
            }
            self.error_at(subject, definition.range().start, "error-missing", message);
            return None;
        };
        let Some(found) = surroundings.definitions.error(&reference.text).cloned() else {
            if self.dialect == Dialect::Zeebe {
                self.unknown_reference(subject, &reference, "errorRef", "error");
                return None;
            }
            return Some(ErrorThrow { code: Some(text(&reference.text)), message: None });
        };
        let Some(code) = found.word.filter(|code| !code.text.is_empty()) else {
            if self.dialect == Dialect::Flowable {
                return Some(ErrorThrow { code: None, message: None });
            }
            let message =
                format!("{} throws {}, which has no code", subject.title(), found.subject.title());
            self.error(subject, "error-code-missing", message);
            return None;
        };
        let message = match self.dialect {
            Dialect::Camunda7 => self.extension_attribute(found.subject.node, "errorMessage"),
            Dialect::Flowable | Dialect::Zeebe => None,
        };
        let message = match message.filter(|message| !message.text.is_empty()) {
            Some(message) => Some(self.value(subject, &message)?),
            None => None,
        };
        let code = match self.dialect {
            Dialect::Zeebe => self.tolerated_value(subject, &code),
            Dialect::Camunda7 | Dialect::Flowable => text(&code.text),
        };
        Some(ErrorThrow { code: Some(code), message })
    }

    fn error_variables(&self, definition: Node<'a>) -> (Option<Arc<str>>, Option<Arc<str>>) {
        let read = |ctx: &Self, name: &str| -> Option<Arc<str>> {
            let found = ctx.extension_attribute(definition, name);
            found.filter(|found| !found.text.is_empty()).map(|found| (*found.text).into())
        };
        match self.dialect {
            Dialect::Zeebe => (None, None),
            Dialect::Camunda7 => {
                (read(self, "errorCodeVariable"), read(self, "errorMessageVariable"))
            }
            Dialect::Flowable => {
                let code =
                    read(self, "errorVariableName").or_else(|| read(self, "errorCodeVariable"));
                (code, read(self, "errorMessageVariable"))
            }
        }
    }
}
