//! Escalations that events throw and catch.

use std::sync::Arc;

use orloj_expr::Expression;

use crate::graph::EscalationCatch;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};
use crate::read::element::Surroundings;
use crate::read::expression::{is_zeebe_expression, text};

impl<'a> Context<'a> {
    pub fn escalation_catch(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<EscalationCatch> {
        let code_variable = match self.dialect {
            Dialect::Camunda7 => self.extension_attribute(definition, "escalationCodeVariable"),
            Dialect::Flowable | Dialect::Zeebe => None,
        };
        let code_variable = code_variable.filter(|name| !name.text.is_empty());
        let code_variable = code_variable.map(|name| Arc::from(&*name.text));
        let Some(written) = self.reference(definition, "escalationRef") else {
            return Some(EscalationCatch { code: None, code_variable });
        };
        let code = match surroundings.definitions.escalation(&written.text).cloned() {
            Some(found) => found.word,
            None if self.dialect == Dialect::Flowable => Some(written),
            None if self.dialect == Dialect::Zeebe => None,
            None => {
                self.unknown_reference(subject, &written, "escalationRef", "escalation");
                return None;
            }
        };
        let code = code.filter(|code| !code.text.is_empty());
        let computed = code.as_ref().filter(|code| is_zeebe_expression(&code.text));
        if let (Dialect::Zeebe, Some(code)) = (self.dialect, computed) {
            let message =
                format!("{} cannot catch an escalation code that is computed", subject.title());
            self.error_at(subject, code.offset, "escalation-code-computed", message);
            return None;
        }
        Some(EscalationCatch { code: code.map(|code| Arc::from(&*code.text)), code_variable })
    }

    /// The code that is thrown; `Some(None)`: an escalation without one.
    pub fn escalation_throw(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<Option<Expression>> {
        let Some(written) = self.reference(definition, "escalationRef") else {
            if self.dialect == Dialect::Flowable {
                return Some(None);
            }
            let message = format!("{} refers to no escalation", subject.title());
            self.error_at(subject, definition.range().start, "escalation-missing", message);
            return None;
        };
        let Some(found) = surroundings.definitions.escalation(&written.text).cloned() else {
            if self.dialect == Dialect::Flowable {
                return Some(Some(text(&written.text)));
            }
            self.unknown_reference(subject, &written, "escalationRef", "escalation");
            return None;
        };
        let Some(code) = found.word.filter(|code| !code.text.is_empty()) else {
            if self.dialect == Dialect::Flowable {
                return Some(None);
            }
            let message =
                format!("{} throws {}, which has no code", subject.title(), found.subject.title());
            self.error(subject, "escalation-code-missing", message);
            return None;
        };
        match self.dialect {
            Dialect::Zeebe => Some(Some(self.tolerated_value(subject, &code))),
            Dialect::Camunda7 | Dialect::Flowable => Some(Some(text(&code.text))),
        }
    }
}
