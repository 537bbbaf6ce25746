//! Texts of the model that are, or may be, expressions.

use orloj_expr::{Expression, Language, ParseError};
use orloj_types::Value;
use orloj_xml::quoted;

use crate::options::Dialect;
use crate::read::context::{Context, Subject, Written};

impl<'a> Context<'a> {
    /// A value that is literal unless it is marked as an expression, by the rules of the dialect.
    pub fn value(&mut self, subject: &Subject<'a>, written: &Written<'a>) -> Option<Expression> {
        let parsed = match self.dialect {
            Dialect::Zeebe => orloj_expr::zeebe_expression(&written.text),
            Dialect::Camunda7 | Dialect::Flowable if !is_uel(&written.text) => {
                return Some(text(&written.text));
            }
            Dialect::Camunda7 | Dialect::Flowable => {
                Expression::parse(Language::Uel, &written.text)
            }
        };
        self.parsed(subject, written, parsed)
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

    /// A whole number, or an expression that gives one.
    pub fn number(
        &mut self,
        subject: &Subject<'a>,
        written: &Written<'a>,
        what: &str,
    ) -> Option<Expression> {
        let is_expression = match self.dialect {
            Dialect::Zeebe => is_zeebe_expression(&written.text),
            Dialect::Camunda7 | Dialect::Flowable => is_uel(&written.text),
        };
        if is_expression {
            return self.value(subject, written);
        }
        match written.text.trim().parse::<i64>() {
            Ok(number) => Some(Expression::constant(Value::Int(number))),
            Err(_) => {
                let message = format!(
                    "{what} of {} must be a whole number or an expression, but is {}",
                    subject.title(),
                    quoted(&written.text)
                );
                self.error_at(subject, written.offset, "number-invalid", message);
                None
            }
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

pub(crate) fn is_uel(text: &str) -> bool {
    text.contains("${") || text.contains("#{")
}

pub(crate) fn is_zeebe_expression(text: &str) -> bool {
    text.len() > 1 && text.starts_with('=')
}
