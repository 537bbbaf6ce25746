use std::sync::Arc;

use orloj_types::Value;

use crate::environment::Budget;
use crate::error::{EvalError, Limit};

/// Memory of one value inside a list or context.
pub(crate) const SLOT_BYTES: usize = size_of::<Value>();

/// What a context takes besides its entries: the nodes of its tree have room for eleven.
pub(crate) const CONTEXT_BYTES: usize = 11 * (SLOT_BYTES + size_of::<Arc<str>>());
/// A look at a part of a value takes a nanosecond or two, a step some tens of them.
const PARTS_PER_STEP: usize = 8;

/// What is left of a budget during one evaluation.
#[derive(Clone, Copy)]
pub(crate) struct Meter {
    budget: Budget,
    steps_left: usize,
    bytes_left: usize,
}

impl Meter {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget, steps_left: budget.steps_max, bytes_left: budget.result_bytes_max }
    }

    /// One node or item, `depth` levels down.
    #[inline]
    pub(crate) fn step(&mut self, depth: usize, offset: usize) -> Result<(), EvalError> {
        if depth > self.budget.depth_max {
            return Err(self.exhausted(Limit::Depth, offset));
        }
        self.steps(1, offset)
    }

    #[inline]
    pub(crate) fn steps(&mut self, count: usize, offset: usize) -> Result<(), EvalError> {
        match self.steps_left.checked_sub(count) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => Err(self.exhausted(Limit::Steps, offset)),
        }
    }

    pub(crate) fn bytes(&mut self, count: usize, offset: usize) -> Result<(), EvalError> {
        match self.bytes_left.checked_sub(count) {
            Some(left) => {
                self.bytes_left = left;
                Ok(())
            }
            None => Err(self.exhausted(Limit::ResultBytes, offset)),
        }
    }

    /// Checks the size that `value` has when it is written out. Parts are shared in memory, so a
    /// short expression can name a value that is exponentially larger on paper.
    pub(crate) fn result(&self, value: &Value, offset: usize) -> Result<(), EvalError> {
        let mut left = self.budget.result_bytes_max;
        if weigh(value, &mut left, self.budget.depth_max) {
            Ok(())
        } else if left == 0 {
            Err(self.exhausted(Limit::ResultBytes, offset))
        } else {
            Err(self.exhausted(Limit::Depth, offset))
        }
    }

    /// For a look at all parts of a value, which are as many as it has on paper.
    pub(crate) fn look(&mut self, value: &Value, offset: usize) -> Result<(), EvalError> {
        let allowed = self.steps_left.saturating_mul(PARTS_PER_STEP);
        let mut left = allowed;
        if !count_parts(value, &mut left) {
            return Err(self.exhausted(Limit::Steps, offset));
        }
        self.steps((allowed - left) / PARTS_PER_STEP, offset)
    }

    pub(crate) fn too_deep(&self, offset: usize) -> EvalError {
        self.exhausted(Limit::Depth, offset)
    }

    #[cold]
    fn exhausted(&self, limit: Limit, offset: usize) -> EvalError {
        let allowed = match limit {
            Limit::Depth => self.budget.depth_max,
            Limit::Steps => self.budget.steps_max,
            Limit::ResultBytes => self.budget.result_bytes_max,
        };
        EvalError::Budget { limit, allowed, offset }
    }
}

/// Takes the parts of `value` from `left`; false when there are more.
fn count_parts(value: &Value, left: &mut usize) -> bool {
    let count = match value {
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        _ => return true,
    };
    let Some(rest) = left.checked_sub(count) else { return false };
    *left = rest;
    match value {
        Value::List(items) => items.iter().all(|item| count_parts(item, left)),
        Value::Map(entries) => entries.values().all(|entry| count_parts(entry, left)),
        _ => true,
    }
}

/// Takes the size of `value` from `left`; false when it does not fit, with `left` at zero, or is
/// nested deeper than `depth_left`.
fn weigh(value: &Value, left: &mut usize, depth_left: usize) -> bool {
    let own = SLOT_BYTES
        + match value {
            Value::Text(text) => text.len(),
            Value::Map(entries) => entries.keys().map(|name| name.len()).sum(),
            _ => 0,
        };
    if own > *left {
        *left = 0;
        return false;
    }
    *left -= own;
    let Some(depth_left) = depth_left.checked_sub(1) else {
        return !matches!(value, Value::List(_) | Value::Map(_));
    };
    match value {
        Value::List(items) => items.iter().all(|item| weigh(item, left, depth_left)),
        Value::Map(entries) => entries.values().all(|entry| weigh(entry, left, depth_left)),
        _ => true,
    }
}
