//! Evaluation of the logic of one node.

use std::cell::RefCell;
use std::sync::Arc;

use orloj_expr::EvalError;
use orloj_types::Value;
use orloj_xml::Position;

use crate::boxed::Boxed;
use crate::eval::conform::Conformance;
use crate::eval::frame::Frame;
use crate::eval::session::{BOXES_DEEP_MAX, Session};
use crate::eval::size::{PARTS_PER_STEP, parts_of};
use crate::feel::{Feel, Formula, Tests};
use crate::graph::{Graph, Node, NodeIndex};
use crate::types::Type;

pub(crate) struct Evaluator<'e, 's> {
    pub session: &'e Arc<Session>,
    /// Whose logic it is; problems name it.
    pub index: NodeIndex,
    /// The budget, and what evaluates expressions within it. Borrowed for one expression at a
    /// time: functions that it calls on the way bring an evaluator of their own.
    pub feel: RefCell<&'e mut Feel<'s>>,
}

impl<'e, 's> Evaluator<'e, 's> {
    pub fn new(session: &'e Arc<Session>, index: NodeIndex, feel: &'e mut Feel<'s>) -> Self {
        Self { session, index, feel: RefCell::new(feel) }
    }

    pub fn graph(&self) -> &'e Graph {
        &self.session.graph
    }

    pub fn node(&self) -> &'e Node {
        self.graph().node(self.index)
    }

    /// False when the budget is used up, from then on always.
    pub fn spend(&self, steps: usize) -> bool {
        if self.session.has_failed() {
            return false;
        }
        let spent = self.feel.borrow_mut().spend(steps);
        spent.map_err(|error| self.failed(&error, self.node().position)).is_ok()
    }

    /// Errors of expressions end the evaluation as a whole.
    pub fn failed(&self, error: &EvalError, position: Position) {
        if self.session.fail(error) {
            let code = match error {
                EvalError::Budget { .. } => "budget-exhausted",
                _ => "expression-failed",
            };
            self.error(position, code, error.message());
        }
    }

    pub fn error(&self, position: Position, code: &'static str, message: String) {
        self.session.error(self.node(), position, code, message);
    }

    pub fn warn(&self, position: Position, code: &'static str, message: String) {
        self.session.warn(self.node(), position, code, message);
    }

    pub fn formula(&self, formula: &Formula, frame: &Frame<'_>) -> Value {
        formula.evaluate(self, frame)
    }

    /// Whether a value passes tests that see nothing else.
    pub fn passes(&self, tests: &Tests, value: &Value) -> bool {
        self.spend(1) && self.conformance().passes(tests, value)
    }

    fn conformance(&self) -> Conformance<'_> {
        Conformance::new(self.graph(), self.session.now)
    }

    /// The value as one of its type, or null and a problem that says so.
    pub fn checked(
        &self,
        value: Value,
        ty: Option<&Type>,
        position: Position,
        what: &str,
    ) -> Value {
        match self.coerced(value, ty) {
            Ok(value) => value,
            Err(mismatch) => {
                self.error(position, "type-mismatch", format!("{what} is {mismatch}"));
                Value::Null
            }
        }
    }

    /// The value as one of its type, or what it is instead.
    pub fn coerced(&self, value: Value, ty: Option<&Type>) -> Result<Value, String> {
        let Some(ty) = ty.filter(|ty| **ty != Type::Any) else { return Ok(value) };
        let found = value.type_name();
        let conformance = self.conformance();
        let coerced = conformance.coerced(value, ty);
        if !self.spend(conformance.steps()) {
            return Ok(Value::Null);
        }
        coerced.ok_or_else(|| format!("a {found} that is no {}", self.graph().type_name(ty)))
    }

    /// The same for the result of the decision.
    pub fn checked_result(&self, value: Value) -> Value {
        let node = self.node();
        let found = value.type_name();
        let conformance = self.conformance();
        let coerced = conformance.coerced_result(value, &node.ty);
        if !self.spend(conformance.steps()) {
            return Value::Null;
        }
        coerced.unwrap_or_else(|| {
            let ty = self.graph().type_name(&node.ty);
            let message = format!("the value is a {found} that is no {ty}");
            self.error(node.position, "type-mismatch", message);
            Value::Null
        })
    }

    pub fn boxed(&self, boxed: &Boxed, frame: &Frame<'_>) -> Value {
        if !self.spend(1) {
            return Value::Null;
        }
        if !self.session.enter_box() {
            let message = format!("boxes are nested deeper than {BOXES_DEEP_MAX}");
            self.error(boxed.position, "boxes-too-deep", message);
            return Value::Null;
        }
        let value = self.kind(boxed, frame);
        self.session.leave_box();
        let value = self.measured(value, boxed.position);
        self.checked(value, boxed.ty.as_ref(), boxed.position, "the value")
    }

    /// The value, unless it is too much to be walked over. Parts are shared in memory, so that a
    /// chain of entries or decisions can make values that are exponentially larger than it.
    fn measured(&self, value: Value, position: Position) -> Value {
        let parts = match parts_of(&value) {
            Ok(parts) => parts,
            Err(message) => {
                self.error(position, "value-too-large", message);
                return Value::Null;
            }
        };
        if self.spend(parts / PARTS_PER_STEP) { value } else { Value::Null }
    }
}
