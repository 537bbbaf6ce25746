//! Error definitions of the file and the events that catch them.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::ElementId;
use orloj_xml::quoted;

use crate::graph::ErrorCatch;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_children};
use crate::read::element::Surroundings;
use crate::read::event::local_name;

/// `bpmn:error` elements: id to code.
#[derive(Clone, Default)]
pub(crate) struct ErrorDefinitions<'a>(Arc<BTreeMap<String, Option<Written<'a>>>>);

impl<'a> ErrorDefinitions<'a> {
    pub fn read(ctx: &mut Context<'a>, definitions: Node<'a>) -> Self {
        let mut by_id = BTreeMap::new();
        for node in bpmn_children(definitions).filter(|node| node.tag_name().name() == "error") {
            let Some(id) = ctx.attribute(node, "id") else { continue };
            let code = ctx.attribute(node, "errorCode");
            if code.as_ref().is_some_and(|code| code.text.is_empty()) {
                let subject = Subject { node, id: Some(ElementId::from(&*id.text)) };
                let message = format!("the errorCode of {} is empty", subject.title());
                ctx.error(&subject, "error-code-empty", message);
            }
            by_id.insert(id.text.into_owned(), code);
        }
        Self(Arc::new(by_id))
    }

    fn find(&self, reference: &str) -> Option<&Option<Written<'a>>> {
        self.0.get(reference).or_else(|| self.0.get(local_name(reference)))
    }
}

impl<'a> Context<'a> {
    pub fn error_catch(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Option<ErrorCatch> {
        let (code_variable, message_variable) = self.error_variables(subject, definition);
        let code = match self.attribute(definition, "errorRef") {
            None => None,
            Some(reference) if reference.text.is_empty() => None,
            Some(reference) => match surroundings.errors.find(&reference.text) {
                Some(code) => self.catchable_code(subject, definition, code.as_ref())?,
                None => Some(self.unresolved_code(subject, &reference)?),
            },
        };
        Some(ErrorCatch { code, code_variable, message_variable })
    }

    /// A definition without code catches every error, except in Zeebe.
    fn catchable_code(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
        code: Option<&Written<'a>>,
    ) -> Option<Option<Arc<str>>> {
        let is_zeebe = self.dialect == Dialect::Zeebe;
        match code {
            Some(code) if is_zeebe && code.text.starts_with('=') => {
                let message =
                    format!("{} cannot catch an error code that is computed", subject.title());
                self.error_at(subject, code.offset, "error-code-computed", message);
                None
            }
            None if is_zeebe => {
                let message = format!("{} refers to an error without errorCode", subject.title());
                self.error_at(subject, definition.range().start, "error-code-missing", message);
                None
            }
            code => Some(code.map(|code| (*code.text).into())),
        }
    }

    /// Camunda and Flowable take a reference to nothing as the code itself.
    fn unresolved_code(
        &mut self,
        subject: &Subject<'a>,
        reference: &Written<'a>,
    ) -> Option<Arc<str>> {
        if self.dialect != Dialect::Zeebe {
            return Some((*reference.text).into());
        }
        let message = format!(
            "errorRef of {} names {}, which is no error of the file",
            subject.title(),
            quoted(&reference.text)
        );
        self.error_at(subject, reference.offset, "reference-unknown", message);
        None
    }

    fn error_variables(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> (Option<Arc<str>>, Option<Arc<str>>) {
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
                for name in ["errorVariableTransient", "errorVariableLocalScope"] {
                    if self.flag(definition, name) {
                        let message = format!("{name} of {} has no effect yet", subject.title());
                        self.warn(subject, "ignored-attribute", message);
                    }
                }
                let code =
                    read(self, "errorVariableName").or_else(|| read(self, "errorCodeVariable"));
                (code, read(self, "errorMessageVariable"))
            }
        }
    }
}
