//! Texts of the model that are, or may be, expressions.

use orloj_expr::{Expression, Language, ParseError, Profile};
use orloj_types::Value;
use orloj_xml::quoted;

use crate::options::Dialect;
use crate::read::context::{Context, Subject, Written};

impl<'a> Context<'a> {
    /// A value that is literal unless it is marked as an expression, by the rules of the dialect.
    pub fn value(&mut self, subject: &Subject<'a>, written: &Written<'a>) -> Option<Expression> {
        let written = self.parsed_part(written);
        let parsed = self.parse_value(&written);
        self.parsed(subject, &written, parsed)
    }

    /// A value that Flowable parses only when it is needed: what does not parse is accepted and
    /// fails then. Camunda and Zeebe parse at deployment.
    pub fn late_value(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
    ) -> Option<Expression> {
        match self.dialect {
            Dialect::Flowable => Some(self.tolerated_value(subject, written)),
            Dialect::Camunda7 | Dialect::Zeebe => self.value(subject, written),
        }
    }

    /// A value that no deployment looks at: what does not parse fails when it is needed.
    pub fn tolerated_value(&mut self, subject: &Subject<'a>, written: &Written<'a>) -> Expression {
        let written = self.parsed_part(written);
        self.parse_value(&written).unwrap_or_else(|error| {
            let message = format!(
                "the expression {} of {} does not parse and will fail: {}",
                quoted(&written.text),
                subject.title(),
                error.message
            );
            let offset = written.offset_of(error.offset);
            self.warn_at(subject, offset, "expression-invalid", message);
            failing(&format!("{} does not parse: {}", quoted(&written.text), error.message))
        })
    }

    /// What stands for something else than text, a number, a date or a condition: white space that
    /// is parsed with an expression makes text of it. That is accepted and fails when it is needed.
    pub fn unless_padded(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
        value: Expression,
    ) -> Expression {
        let parsed = self.parsed_part(written);
        if parsed.text.trim() == parsed.text {
            return value;
        }
        let message = format!(
            "white space around {} of {} makes text of it, which will fail",
            quoted(&written.text),
            subject.title()
        );
        let value = failing(&message);
        self.warn_at(subject, written.offset, "expression-padded", message);
        value
    }

    /// Flowable takes white space off before it parses, around plain text too; for Camunda and
    /// Zeebe it is part of the text.
    fn parsed_part(&self, written: &Written<'a>) -> Written<'a> {
        match self.dialect {
            Dialect::Flowable => written.clone().trimmed(),
            Dialect::Camunda7 | Dialect::Zeebe => written.clone(),
        }
    }

    fn parse_value(&self, written: &Written<'a>) -> Result<Expression, ParseError> {
        match self.dialect {
            Dialect::Zeebe => orloj_expr::zeebe_expression(&written.text),
            Dialect::Camunda7 | Dialect::Flowable if !is_uel(&written.text) => {
                Ok(text(&written.text))
            }
            Dialect::Camunda7 => Expression::parse_uel(&written.text, Profile::Camunda),
            Dialect::Flowable => Expression::parse_uel(&written.text, Profile::Flowable),
        }
    }

    /// A value where Zeebe takes only an expression.
    pub fn expression_required(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
        what: &str,
    ) -> Option<Expression> {
        if !is_zeebe_expression(&written.text) {
            let message = format!(
                "{what} of {} must be an expression that begins with =, but is {}",
                subject.title(),
                quoted(&written.text)
            );
            self.error_at(subject, written.offset, "expression-required", message);
            return None;
        }
        self.value(subject, written)
    }

    /// A version of something: a whole number where one is written. Anything else is looked at
    /// when it is needed.
    pub fn version(&mut self, subject: &Subject<'a>, written: &Written<'a>) -> Option<Expression> {
        match written.text.trim().parse::<i64>() {
            Ok(number) => Some(Expression::constant(Value::Int(number))),
            Err(_) => self.value(subject, written),
        }
    }

    pub fn parsed(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
        parsed: Result<Expression, ParseError>,
    ) -> Option<Expression> {
        match parsed {
            Ok(expression) => Some(expression),
            Err(error) => {
                let message = format!(
                    "the expression {} of {} does not parse: {}",
                    quoted(&written.text),
                    subject.title(),
                    error.message
                );
                let offset = written.offset_of(error.offset);
                self.error_at(subject, offset, "expression-invalid", message);
                None
            }
        }
    }
}

pub(crate) fn text(text: &str) -> Expression {
    Expression::constant(Value::text(text))
}

/// An expression whose evaluation fails, and says why as far as a text with a method that it does
/// not have can say it.
pub(crate) fn failing(reason: &str) -> Expression {
    let reason: String = reason.chars().take(FAILING_REASON_CHARS_MAX).collect();
    let escaped = reason.replace('\\', "\\\\").replace('\'', "\\'");
    let source = format!("${{'{escaped}'.cannotBeEvaluated()}}");
    Expression::parse(Language::Uel, &source).expect("a call on a text literal parses")
}

/// Reasons quote the model, which may hold megabytes in one attribute.
const FAILING_REASON_CHARS_MAX: usize = 300;

pub(crate) fn is_uel(text: &str) -> bool {
    text.contains("${") || text.contains("#{")
}

pub(crate) fn is_zeebe_expression(text: &str) -> bool {
    text.len() > 1 && text.starts_with('=')
}

/// `${name}`: the name, when the expression is nothing else.
pub(crate) fn bean_name(expression: &str) -> Option<&str> {
    let expression = expression.trim();
    let inside = expression.strip_prefix("${").or_else(|| expression.strip_prefix("#{"))?;
    let name = inside.strip_suffix('}')?.trim();
    let mut chars = name.chars();
    let starts = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$');
    let is_word = !matches!(name, "true" | "false" | "null" | "empty" | "not");
    (starts && is_word && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '$'))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use orloj_expr::Environment;
    use orloj_types::{Document, Timestamp};

    use super::*;

    #[test]
    fn a_failing_expression_fails_whatever_the_reason_looks_like() {
        let variables = Document::parse(r#"{"a": 1}"#).expect("a document");
        for reason in ["it's wrong", "a \\ b", "${x}", "#{y", "", "\u{1F600}\n"] {
            let outcome = failing(reason).evaluate(&Environment::new(&variables, Timestamp::ZERO));
            assert!(outcome.is_err(), "{reason:?}");
        }
    }

    #[test]
    fn only_a_name_is_the_name_of_a_bean() {
        assert_eq!(bean_name(" #{ pay } "), Some("pay"));
        for text in ["pay", "${a.b}", "${a()}", "${}", "${true}", "x${a}", "${1a}"] {
            assert_eq!(bean_name(text), None, "{text}");
        }
    }
}
