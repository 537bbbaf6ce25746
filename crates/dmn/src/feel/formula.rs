use std::sync::Arc;

use orloj_expr::{Expression, ParseError};
use orloj_types::Value;
use orloj_xml::Position;

use super::language::{Language, UNKNOWN, feel_mode, parse_uel, with_prefixes};
use super::names::Names;
use super::place::advanced;
use crate::eval::evaluator::Evaluator;
use crate::eval::frame::Frame;
use crate::options::Mode;

/// An expression and where it stands.
pub(crate) struct Formula {
    program: Program,
    text: Arc<str>,
    position: Position,
}

enum Program {
    Constant(Value),
    Expression(Expression),
    /// Why it cannot be read.
    Broken(String),
}

impl Formula {
    pub fn parse(
        text: &str,
        language: Language,
        mode: Mode,
        names: &Names,
        position: Position,
    ) -> Result<Self, ParseError> {
        let expression = match language {
            Language::Feel => Expression::parse_with(feel_mode(mode), text, names.current())?,
            Language::Uel => parse_uel(&with_prefixes(text))?,
            Language::Unknown => return Ok(Self::broken(text, position, UNKNOWN.into())),
        };
        let program = match expression.as_constant() {
            Some(value) => Program::Constant(value.clone()),
            None => Program::Expression(expression),
        };
        Ok(Self { program, text: text.into(), position })
    }

    /// A list of the values that `text` enumerates; nothing when it is no such enumeration.
    pub fn list(text: &str, mode: Mode, names: &Names, position: Position) -> Option<Self> {
        let list = format!("[{text}]");
        Self::parse(&list, Language::Feel, mode, names, position).ok()
    }

    /// Of our own making.
    pub fn of(text: &'static str) -> Self {
        Self::parse(text, Language::Feel, Mode::Standard, &Names::new(&[]), Position::FIRST)
            .expect("it was written here")
    }

    pub fn broken(text: &str, position: Position, message: String) -> Self {
        Self { program: Program::Broken(message), text: text.into(), position }
    }

    /// What it reads that is not in scope, with the bytes before it.
    pub fn unknown_names(&self, names: &Names) -> Vec<(Arc<str>, usize)> {
        match &self.program {
            Program::Expression(expression) => expression.unknown_names(names.current()),
            Program::Constant(_) | Program::Broken(_) => Vec::new(),
        }
    }

    pub fn position(&self) -> Position {
        self.position
    }

    pub fn evaluate(&self, evaluator: &Evaluator<'_, '_>, frame: &Frame<'_>) -> Value {
        self.evaluate_as(evaluator, frame, self.position, &self.text)
    }

    /// Of our own making, on behalf of something in the file: problems are told at its place.
    pub fn evaluate_at(
        &self,
        evaluator: &Evaluator<'_, '_>,
        frame: &Frame<'_>,
        position: Position,
    ) -> Value {
        self.evaluate_as(evaluator, frame, position, &Arc::from(""))
    }

    fn evaluate_as(
        &self,
        evaluator: &Evaluator<'_, '_>,
        frame: &Frame<'_>,
        position: Position,
        text: &Arc<str>,
    ) -> Value {
        let expression = match &self.program {
            Program::Constant(value) => return value.clone(),
            Program::Expression(expression) => expression,
            Program::Broken(message) => {
                evaluator.error(position, "expression-malformed", message.clone());
                return Value::Null;
            }
        };
        if evaluator.session.has_failed() {
            return Value::Null;
        }
        evaluator.session.open(evaluator.index, position, text);
        let value = {
            let mut feel = evaluator.feel.borrow_mut();
            let value = feel.evaluate(expression, frame);
            evaluator.session.report_warnings(feel.take_warnings());
            value
        };
        evaluator.session.close();
        value.unwrap_or_else(|error| {
            evaluator.failed(&error, advanced(position, text, error.offset()));
            Value::Null
        })
    }
}
