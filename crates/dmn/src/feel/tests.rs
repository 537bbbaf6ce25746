use std::sync::Arc;

use orloj_expr::{self as expr, Budget, Expression, ParseError};
use orloj_types::{Timestamp, Value};
use orloj_xml::Position;

use super::Feel;
use super::language::{Language, UNKNOWN, feel_mode, parse_cell, parse_uel, with_prefixes};
use super::names::Names;
use super::place::advanced;
use crate::eval::evaluator::Evaluator;
use crate::eval::frame::Frame;
use crate::options::Mode;

/// Steps for one test of allowed values; real ones are lists of a few texts or numbers.
const CHECK_STEPS_MAX: usize = 10_000;

/// Unary tests and where they stand.
pub(crate) struct Tests {
    tests: TestsProgram,
    text: Arc<str>,
    position: Position,
}

enum TestsProgram {
    Feel(Expression),
    /// Camunda 7: an expression that is true or equal to the input.
    Uel(Expression),
    /// Why they cannot be read.
    Broken(String),
}

impl Tests {
    pub fn parse(
        text: &str,
        language: Language,
        mode: Mode,
        names: &Names,
        position: Position,
    ) -> Result<Self, ParseError> {
        let tests = match language {
            Language::Feel => {
                let mode = feel_mode(mode);
                TestsProgram::Feel(Expression::parse_unary_tests(mode, text, names.current())?)
            }
            Language::Uel => TestsProgram::Uel(parse_uel(text)?),
            Language::Unknown => return Ok(Self::broken(text, position, UNKNOWN.into())),
        };
        Ok(Self { tests, text: text.into(), position })
    }

    /// What they read that is not in scope, with the bytes before it.
    pub fn unknown_names(&self, names: &Names) -> Vec<(Arc<str>, usize)> {
        match &self.tests {
            TestsProgram::Feel(tests) => tests.unknown_names(names.current()),
            TestsProgram::Uel(_) | TestsProgram::Broken(_) => Vec::new(),
        }
    }

    /// A cell of Flowable, which goes on where the expression of its input ends.
    pub fn continuing(
        text: &str,
        input: &str,
        has_methods: bool,
        position: Position,
    ) -> Result<Self, ParseError> {
        let cell = parse_cell(&with_prefixes(text), input, has_methods)?;
        Ok(Self { tests: TestsProgram::Uel(cell), text: text.into(), position })
    }

    pub fn broken(text: &str, position: Position, message: String) -> Self {
        Self { tests: TestsProgram::Broken(message), text: text.into(), position }
    }

    pub fn text(&self) -> Arc<str> {
        self.text.clone()
    }

    pub fn passes(&self, evaluator: &Evaluator<'_, '_>, value: &Value, frame: &Frame<'_>) -> bool {
        let mut feel = evaluator.feel.borrow_mut();
        let passes = match &self.tests {
            TestsProgram::Feel(tests) => feel.test(tests, frame, value),
            TestsProgram::Uel(expression) => feel.evaluate(expression, frame),
            TestsProgram::Broken(message) => {
                evaluator.error(self.position, "expression-malformed", message.clone());
                return false;
            }
        };
        for warning in feel.take_warnings() {
            let position = advanced(self.position, &self.text, warning.offset);
            evaluator.warn(position, "expression-warning", warning.message);
        }
        drop(feel);
        match passes {
            Ok(Value::Bool(passes)) => passes,
            Ok(_) => false,
            Err(error) => {
                let position = advanced(self.position, &self.text, error.offset());
                evaluator.failed(&error, position);
                false
            }
        }
    }

    /// Seeing nothing but the value, with a budget of its own.
    pub fn passes_alone(&self, value: &Value, now: Timestamp) -> bool {
        let budget = Budget { steps_max: CHECK_STEPS_MAX, ..Budget::default() };
        let mut feel = Feel::new(expr::Environment::new(&(), now).with_budget(budget));
        let passes = match &self.tests {
            TestsProgram::Feel(tests) => feel.test(tests, &(), value),
            TestsProgram::Uel(expression) => feel.evaluate(expression, &()),
            TestsProgram::Broken(_) => return false,
        };
        matches!(passes, Ok(Value::Bool(true)))
    }
}
