//! One evaluation after another under one budget: what a decision model needs.

use std::sync::Arc;

use orloj_types::{Value, Zone};

use super::ast::{Kind, Node, Program};
use super::frames::{Frame, Frames, Local};
use super::mode::Mode;
use crate::environment::{Environment, Scope};
use crate::error::EvalError;
use crate::expression::{WARNINGS_MAX, Warning};
use crate::meter::Meter;

/// Evaluates expressions with one budget for all of them, and collects their warnings. What is
/// made on the way, functions included, can be passed from one evaluation to the next.
///
/// After an error the session is of no more use.
pub struct Session<'a> {
    pub(super) environment: Environment<'a>,
    pub(super) mode: Mode,
    pub(super) frames: Frames,
    pub(super) warnings: Vec<Warning>,
    pub(super) meter: Meter,
    pub(super) depth: usize,
    /// How many lists, contexts and functions made here may lie inside of each other in the last
    /// value. Entries of a context can use those before them, so that this grows without any
    /// nesting in the text, and dropping a value takes stack for each of them.
    pub(super) height: usize,
    /// Where the function stands that is being called.
    pub(super) at: usize,
    /// The name that the next function will have.
    pub(super) function_name: Option<Arc<str>>,
    /// Patterns with their flags, compiled once.
    pub(super) patterns: Vec<super::builtins::KeptPattern>,
    random: u64,
}

pub(super) type Outcome = Result<Value, EvalError>;

impl<'a> Session<'a> {
    pub fn new(environment: Environment<'a>) -> Self {
        Self {
            environment,
            mode: Mode::Camunda8,
            frames: Frames::default(),
            warnings: Vec::new(),
            meter: Meter::new(environment.budget),
            depth: 0,
            height: 0,
            at: 0,
            function_name: None,
            patterns: Vec::new(),
            random: environment.seed,
        }
    }

    pub(crate) fn run(&mut self, program: &Program) -> Outcome {
        let value = self.run_inner(program)?;
        if program.builds {
            self.meter.result(&value, program.root.at())?;
        }
        Ok(value)
    }

    /// Without a look at the size of the result, which is only for those who keep it.
    fn run_inner(&mut self, program: &Program) -> Outcome {
        let mode = std::mem::replace(&mut self.mode, program.mode);
        let value = self.value(&program.root);
        self.mode = mode;
        value
    }

    /// With other variables than those of the environment, but the same budget.
    pub(crate) fn run_in(&mut self, program: &Program, scope: &dyn Scope) -> Outcome {
        self.within(scope, |session| session.run_inner(program))
    }

    /// Whether `input` passes the tests.
    pub(crate) fn test_in(
        &mut self,
        program: &Program,
        scope: &dyn Scope,
        input: &Value,
    ) -> Outcome {
        self.within(scope, |session| session.run_tests(program, input))
    }

    pub(crate) fn run_tests(&mut self, program: &Program, input: &Value) -> Outcome {
        let Kind::Tests(tests) = &program.root.kind else { return self.run_inner(program) };
        let mode = std::mem::replace(&mut self.mode, program.mode);
        let value = self.unary_tests(input, tests, &program.root);
        self.mode = mode;
        value
    }

    fn within(
        &mut self,
        scope: &dyn Scope,
        work: impl FnOnce(&mut Session<'_>) -> Outcome,
    ) -> Outcome {
        let mut inner = Session {
            environment: Environment { scope, ..self.environment },
            mode: self.mode,
            frames: Frames::default(),
            warnings: std::mem::take(&mut self.warnings),
            meter: self.meter,
            depth: self.depth,
            height: 0,
            at: self.at,
            function_name: None,
            patterns: std::mem::take(&mut self.patterns),
            random: self.random,
        };
        let value = work(&mut inner);
        self.warnings = std::mem::take(&mut inner.warnings);
        self.meter = inner.meter;
        self.height = inner.height;
        self.random = inner.random;
        self.patterns = std::mem::take(&mut inner.patterns);
        value
    }

    /// The environment's types, moment and zone.
    pub fn environment(&self) -> &Environment<'a> {
        &self.environment
    }

    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Takes steps from the budget, for work that is done outside of expressions.
    pub fn spend(&mut self, steps: usize) -> Result<(), EvalError> {
        self.meter.steps(steps, self.at)
    }

    pub fn warn(&mut self, message: impl Into<String>) {
        let offset = self.at;
        self.warn_at(offset, || message.into());
    }

    pub(super) fn warn_at(&mut self, offset: usize, message: impl FnOnce() -> String) {
        if self.warnings.len() < WARNINGS_MAX {
            self.warnings.push(Warning { message: message(), offset });
        }
    }

    /// Null for a value of the wrong type.
    pub(super) fn null_of(&mut self, value: &Value, rule: &str, offset: usize) -> Value {
        self.warn_at(offset, || format!("{rule}, found {}", value.type_name()));
        Value::Null
    }

    pub(super) fn is_standard(&self) -> bool {
        self.mode.is_standard()
    }

    pub(super) fn zone(&self) -> &'a Zone {
        self.environment.zone
    }

    /// The next of the numbers that follow from the seed (SplitMix64).
    pub(super) fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// What a name stands for here, without a warning when there is none.
    pub(super) fn lookup(&mut self, name: &str) -> Option<Value> {
        if let Some((value, height)) = self.frames.get(name) {
            self.height = height;
            return Some(value);
        }
        self.height = 0;
        self.environment.scope.get(name)
    }

    pub(super) fn push(&mut self, local: Local, height: usize) {
        self.frames.push(Frame { local, height });
    }

    /// A list, context or function is one higher than what it holds. The count is an upper bound;
    /// where it gets too high, the value itself is measured.
    pub(super) fn raise(&mut self, height: usize, value: Value, offset: usize) -> Outcome {
        self.height = height + 1;
        let height_max = self.environment.budget.depth_max;
        if self.height > height_max {
            self.height = self.measured(&value, height_max, offset)?;
        }
        Ok(value)
    }

    fn measured(&mut self, value: &Value, left: usize, offset: usize) -> Result<usize, EvalError> {
        self.meter.steps(1, offset)?;
        let Some(left) = left.checked_sub(1) else {
            return match value {
                Value::List(_) | Value::Map(_) | Value::Function(_) => {
                    Err(self.meter.too_deep(offset))
                }
                _ => Ok(0),
            };
        };
        let mut height = 0;
        match value {
            Value::List(items) => {
                for item in items.iter() {
                    height = height.max(self.measured(item, left, offset)?);
                }
                Ok(height + 1)
            }
            Value::Map(entries) => {
                for entry in entries.values() {
                    height = height.max(self.measured(entry, left, offset)?);
                }
                Ok(height + 1)
            }
            // What a function has captured cannot be looked into cheaply.
            Value::Function(_) => Err(self.meter.too_deep(offset)),
            _ => Ok(0),
        }
    }

    /// One node of the tree, with the budget checked.
    pub(super) fn value(&mut self, node: &Node) -> Outcome {
        self.meter.step(self.depth, node.at())?;
        self.depth += 1;
        let value = self.value_of_kind(node)?;
        if !matches!(value, Value::List(_) | Value::Map(_) | Value::Function(_)) {
            self.height = 0;
        }
        self.depth -= 1;
        Ok(value)
    }
}
