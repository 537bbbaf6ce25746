//! What goes into something that is called and comes out of it: `in` and `out` of call activities
//! and signals, parameters of Flowable's worker tasks and events.

use orloj_expr::{Expression, Language};
use orloj_xml::quoted;

use crate::graph::CallMapping;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::expression::{failing, is_uel, text};

impl<'a> Context<'a> {
    /// Camunda's `in` or `out` elements; wrong ones are reported and left out. A `businessKey`
    /// is for the caller to read.
    pub fn camunda_parameters(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
        name: &str,
    ) -> Vec<CallMapping> {
        let nodes: Vec<_> = self.extension_nodes(holder, name).collect();
        nodes.into_iter().filter_map(|node| self.camunda_parameter(subject, node, name)).collect()
    }

    fn camunda_parameter(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
        name: &str,
    ) -> Option<CallMapping> {
        let is_local = self.attribute(node, "local").is_some_and(|flag| flag.text == "true");
        if self.attribute(node, "variables").is_some_and(|names| names.text == "all") {
            return Some(CallMapping::All { is_local });
        }
        let is_filled = |written: &Written<'a>| !written.text.is_empty();
        if name == "in" && self.attribute(node, "businessKey").is_some_and(|key| is_filled(&key)) {
            return None;
        }
        let source = self.attribute(node, "source");
        let expression = self.attribute(node, "sourceExpression");
        let target = self.attribute(node, "target");
        let filled = source.as_ref().or(expression.as_ref()).is_some_and(is_filled);
        let problem = match (filled, target.as_ref().is_some_and(is_filled)) {
            (true, true) => None,
            (false, _) => Some("source"),
            (true, false) => Some("target"),
        };
        if let Some(missing) = problem {
            let message = format!("an {name} of {} has no {missing}", subject.title());
            self.error_at(subject, node.range().start, "parameter-incomplete", message);
            return None;
        }
        let source = match (source, expression) {
            (Some(source), _) if is_local && name == "in" => local_variable(&source.text),
            (Some(source), _) => variable(&source.text),
            (None, Some(expression)) => self.value(subject, &expression)?,
            (None, None) => return None,
        };
        let target = target?;
        Some(CallMapping::Value {
            source,
            target: text(&target.text),
            is_local,
            is_transient: false,
            skips_missing: false,
        })
    }

    /// The business key that an `in` element gives, whatever else it gives.
    pub fn business_key_parameter(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<Expression> {
        let nodes: Vec<_> = self.extension_nodes(holder, "in").collect();
        let mut keys = nodes.into_iter().filter_map(|node| self.own_attribute(node, "businessKey"));
        let key = keys.find(|key| !key.text.is_empty())?;
        self.late_value(subject, &key)
    }

    /// Flowable's parameters of that name. What is incomplete is passed over, as Flowable does;
    /// so are `targetExpression` and types, which it reads and does not use.
    pub fn parameters(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
        name: &str,
    ) -> Vec<CallMapping> {
        let nodes: Vec<_> = self.extension_nodes(holder, name).collect();
        nodes.into_iter().filter_map(|node| self.parameter(subject, node, name)).collect()
    }

    fn parameter(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
        name: &str,
    ) -> Option<CallMapping> {
        let given = |ctx: &Self, name: &str| {
            ctx.own_attribute(node, name).filter(|written| !written.text.is_empty())
        };
        // These are for the caller to read.
        if given(self, "variables").or_else(|| given(self, "businessKey")).is_some() {
            return None;
        }
        // Sources of events are expressions, others are names.
        let is_event = name.starts_with("event");
        let source = match (given(self, "sourceExpression"), given(self, "source")) {
            (Some(expression), _) => Some(self.tolerated_value(subject, &expression)),
            (None, Some(source)) if is_event && is_uel(&source.text) => {
                Some(self.tolerated_value(subject, &source))
            }
            (None, Some(source)) => Some(variable(&source.text)),
            (None, None) => None,
        };
        let target = given(self, "target").map(|target| text(&target.text));
        let (Some(source), Some(target)) = (source, target) else {
            let message = format!("an incomplete {name} of {} has no effect", subject.title());
            self.warn_at(subject, node.range().start, "parameter-incomplete", message);
            return None;
        };
        // What a called process gives back is kept, whatever it says.
        let is_transient =
            is_event && given(self, "transient").is_some_and(|flag| self.is_true(&flag.text));
        Some(CallMapping::Value {
            source,
            target,
            is_local: false,
            is_transient,
            skips_missing: false,
        })
    }

    /// What a thrown signal carries.
    pub fn signal_payload(
        &mut self,
        subject: &Subject<'a>,
        definition: Node<'a>,
    ) -> Vec<CallMapping> {
        match self.dialect {
            // What the event's own inputs have made.
            Dialect::Zeebe => vec![CallMapping::All { is_local: true }],
            Dialect::Camunda7 => self.camunda_parameters(subject, definition, "in"),
            // What goes out of the instance stands on the event.
            Dialect::Flowable => self.parameters(subject, subject.node, "out"),
        }
    }

    /// What a caught signal leaves, where the event says it.
    pub fn signal_takes(&mut self, subject: &Subject<'a>) -> Vec<CallMapping> {
        match self.dialect {
            Dialect::Flowable => self.parameters(subject, subject.node, "in"),
            Dialect::Zeebe | Dialect::Camunda7 => Vec::new(),
        }
    }
}

/// Reads a variable by a name that need not be one of the expression language, and that need not
/// exist.
pub(crate) fn variable(name: &str) -> Expression {
    called_with("variables:get", name)
}

fn local_variable(name: &str) -> Expression {
    called_with("execution.getVariableLocal", name)
}

fn called_with(function: &str, name: &str) -> Expression {
    let escaped = name.replace('\\', "\\\\").replace('\'', "\\'");
    let parsed = Expression::parse(Language::Uel, &format!("${{{function}('{escaped}')}}"));
    parsed.unwrap_or_else(|_| failing(&format!("{} is no name of a variable", quoted(name))))
}

#[cfg(test)]
mod tests {
    use orloj_expr::Environment;
    use orloj_types::{Document, Timestamp};

    use super::*;

    #[test]
    fn any_name_is_read_and_a_missing_variable_is_null() {
        let variables = Document::parse(r#"{"a-b": 1, "it's": 2}"#).expect("a document");
        let environment = Environment::new(&variables, Timestamp::ZERO);
        for (name, value) in [("a-b", "1"), ("it's", "2"), ("none", "null")] {
            let evaluated = variable(name).evaluate(&environment).expect(name);
            assert_eq!(evaluated.value.to_json(), value, "{name}");
        }
    }
}
