use std::fmt;
use std::sync::Arc;

use orloj_types::Value;

use crate::environment::Environment;
use crate::environment::Scope;
use crate::error::{EvalError, ParseError};
use crate::feel::{Mode, Names, Session};
use crate::{feel, uel};

/// Deepest nesting of operators, parentheses and literals in a text. It bounds the stack that the
/// parser needs, and the tree that evaluation and printing walk.
pub const NESTING_MAX: usize = 200;
/// Words, signs and literals of one text. Reading one takes about 100 ns and what it becomes about
/// 100 bytes, so that a text with this many costs a few of both milliseconds and megabytes.
pub const TOKENS_MAX: usize = 30_000;
/// Longest text. Models are of a few megabytes; offsets are kept in 32 bits.
pub const TEXT_BYTES_MAX: usize = 4 << 20;
/// Warnings kept of one evaluation; a filter over a long list makes one per item.
pub const WARNINGS_MAX: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    Feel,
    Uel,
}

/// An expression that was parsed once and is evaluated often. Clones share the tree.
#[derive(Clone)]
pub struct Expression {
    inner: Arc<Inner>,
}

struct Inner {
    language: Language,
    source: Box<str>,
    program: Program,
}

enum Program {
    Constant(Value),
    Feel(feel::Program),
    UnaryTests(feel::Program),
    Uel(uel::Program),
}

impl Program {
    /// What a text means besides its words: how it is read, and by which rules.
    fn kind(&self) -> (std::mem::Discriminant<Self>, Option<Mode>) {
        let mode = match self {
            Self::Constant(_) | Self::Uel(_) => None,
            Self::Feel(program) | Self::UnaryTests(program) => Some(program.mode()),
        };
        (std::mem::discriminant(self), mode)
    }
}

/// A value, and what was odd on the way to it.
#[derive(Clone, Debug)]
pub struct Evaluated {
    pub value: Value,
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub message: String,
    /// Bytes from the start of the text that was parsed.
    pub offset: usize,
}

impl Expression {
    /// FEEL without the leading `=`; UEL as a whole, composite or literal.
    pub fn parse(language: Language, text: &str) -> Result<Self, ParseError> {
        match language {
            Language::Feel => Self::parse_feel_at(text, 0),
            Language::Uel => Self::parse_uel_of(text, None),
        }
    }

    /// UEL with the functions of one profile only.
    pub fn parse_uel(text: &str, profile: uel::Profile) -> Result<Self, ParseError> {
        Self::parse_uel_of(text, Some(profile))
    }

    fn parse_uel_of(text: &str, only: Option<uel::Profile>) -> Result<Self, ParseError> {
        check_length(text)?;
        let program = match uel::parse(text, only)? {
            uel::Parsed::Text(text) => Program::Constant(Value::Text(text)),
            uel::Parsed::Program(program) => Program::Uel(program),
        };
        Ok(Self::new(Language::Uel, text, program))
    }

    /// FEEL of a mode, with the names that are known where it stands.
    pub fn parse_with(mode: Mode, text: &str, names: &Names) -> Result<Self, ParseError> {
        check_length(text)?;
        let program = feel::parse(text, 0, mode, names)?;
        Ok(Self::new(Language::Feel, text, Program::Feel(program)))
    }

    /// FEEL as a cell of a decision table has it: tests of an input, to be evaluated with
    /// [`Expression::test`].
    pub fn parse_unary_tests(mode: Mode, text: &str, names: &Names) -> Result<Self, ParseError> {
        check_length(text)?;
        let program = feel::parse_unary_tests(text, mode, names)?;
        Ok(Self::new(Language::Feel, text, Program::UnaryTests(program)))
    }

    /// FEEL that starts `base` bytes into the text that its author knows.
    pub(crate) fn parse_feel_at(text: &str, base: usize) -> Result<Self, ParseError> {
        check_length(text)?;
        let program = feel::parse(text, base, Mode::Camunda8, &Names::new())?;
        Ok(Self::new(Language::Feel, text, Program::Feel(program)))
    }

    /// An expression that always gives this value. Its source is the FEEL literal of the value.
    pub fn constant(value: Value) -> Self {
        let source = feel::literal(&value);
        Self::new(Language::Feel, &source, Program::Constant(value))
    }

    pub fn language(&self) -> Language {
        self.inner.language
    }

    pub fn source(&self) -> &str {
        &self.inner.source
    }

    /// The value of a constant and of UEL text without `${}` and `#{}`.
    pub fn as_constant(&self) -> Option<&Value> {
        match &self.inner.program {
            Program::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The name and the method, where a text of UEL is nothing but the call of a method of what a
    /// name stands for.
    pub fn method_call(&self) -> Option<(&str, &str)> {
        match &self.inner.program {
            Program::Uel(program) => program.method_call(),
            Program::Constant(_) | Program::Feel(_) | Program::UnaryTests(_) => None,
        }
    }

    pub fn evaluate(&self, environment: &Environment<'_>) -> Result<Evaluated, EvalError> {
        match &self.inner.program {
            Program::Constant(value) => {
                Ok(Evaluated { value: value.clone(), warnings: Vec::new() })
            }
            Program::Feel(program) => feel::evaluate(program, environment),
            Program::UnaryTests(program) => {
                let input = environment.scope.get("?").unwrap_or_default();
                feel::evaluate_tests(program, environment, &input)
            }
            Program::Uel(program) => {
                let (value, effects) = uel::evaluate(program, environment)?;
                match effects.is_empty() {
                    true => Ok(Evaluated { value, warnings: Vec::new() }),
                    false => {
                        Err(EvalError::operands("the expression may not change variables here", 0))
                    }
                }
            }
        }
    }

    /// Whether `input` passes these unary tests: a boolean, or null where it cannot be said.
    pub fn test(
        &self,
        environment: &Environment<'_>,
        input: &Value,
    ) -> Result<Evaluated, EvalError> {
        match &self.inner.program {
            Program::UnaryTests(program) => feel::evaluate_tests(program, environment, input),
            _ => self.evaluate(environment),
        }
    }

    /// Also what the expression wants done: UEL can set variables.
    pub fn evaluate_with_effects(
        &self,
        environment: &Environment<'_>,
    ) -> Result<(Evaluated, Vec<uel::Effect>), EvalError> {
        match &self.inner.program {
            Program::Uel(program) => {
                let (value, effects) = uel::evaluate(program, environment)?;
                Ok((Evaluated { value, warnings: Vec::new() }, effects))
            }
            _ => Ok((self.evaluate(environment)?, Vec::new())),
        }
    }

    /// Names that FEEL reads though they are not among the `known` and nothing in it makes them,
    /// with the bytes before them.
    pub fn unknown_names(&self, known: &Names) -> Vec<(Arc<str>, usize)> {
        match &self.inner.program {
            Program::Feel(program) | Program::UnaryTests(program) => {
                feel::unknown_names(program, known)
            }
            Program::Constant(_) | Program::Uel(_) => Vec::new(),
        }
    }

    fn new(language: Language, source: &str, program: Program) -> Self {
        Self { inner: Arc::new(Inner { language, source: source.into(), program }) }
    }
}

impl Session<'_> {
    /// The value of an expression with these variables, under the session's budget. UEL has no
    /// part in sessions and keeps its own.
    pub fn evaluate(
        &mut self,
        expression: &Expression,
        scope: &dyn Scope,
    ) -> Result<Value, EvalError> {
        match &expression.inner.program {
            Program::Constant(value) => Ok(value.clone()),
            Program::Feel(program) => self.run_in(program, scope),
            Program::UnaryTests(program) => {
                let input = scope.get("?").unwrap_or_default();
                self.test_in(program, scope, &input)
            }
            Program::Uel(_) => {
                let environment = Environment { scope, ..*self.environment() };
                expression.evaluate(&environment).map(|evaluated| evaluated.value)
            }
        }
    }

    /// Whether `input` passes unary tests.
    pub fn test(
        &mut self,
        tests: &Expression,
        scope: &dyn Scope,
        input: &Value,
    ) -> Result<Value, EvalError> {
        match &tests.inner.program {
            Program::UnaryTests(program) => self.test_in(program, scope, input),
            _ => self.evaluate(tests, scope),
        }
    }
}

/// The expression in canonical form: parsing it again gives an expression with the same meaning.
pub fn print(expression: &Expression) -> String {
    match (&expression.inner.program, expression.inner.language) {
        (Program::Constant(Value::Text(text)), Language::Uel) => uel::literal_text(text),
        (Program::Constant(value), _) => feel::literal(value),
        (Program::Feel(program) | Program::UnaryTests(program), _) => feel::print(program),
        (Program::Uel(program), _) => uel::print(program),
    }
}

fn check_length(text: &str) -> Result<(), ParseError> {
    if text.len() > TEXT_BYTES_MAX {
        let message = format!("the expression is longer than {TEXT_BYTES_MAX} bytes");
        return Err(ParseError::new(message, TEXT_BYTES_MAX));
    }
    Ok(())
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.language() == other.language()
            && self.source() == other.source()
            && self.inner.program.kind() == other.inner.program.kind()
    }
}

impl Eq for Expression {}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:?})", self.language(), self.source())
    }
}
