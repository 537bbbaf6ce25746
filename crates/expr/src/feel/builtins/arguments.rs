//! Arguments as functions want them.

use std::sync::Arc;

use orloj_types::{Temporal, Value};

use super::super::session::{Outcome, Session};
use crate::error::EvalError;
use crate::meter::SLOT_BYTES;
use crate::number::Number;

/// Characters that are looked at for one step.
const CHARS_PER_STEP: usize = 8;

/// By the standard a list of one is its item where no list is wanted.
pub(super) fn single<'v>(session: &Session<'_>, value: &'v Value) -> &'v Value {
    match value {
        Value::List(items) if session.is_standard() && items.len() == 1 => &items[0],
        other => other,
    }
}

pub(super) fn text<'v>(
    session: &Session<'_>,
    arguments: &'v [Value],
    at: usize,
) -> Option<&'v str> {
    match single(session, arguments.get(at)?) {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

pub(super) fn number(session: &Session<'_>, arguments: &[Value], at: usize) -> Option<Number> {
    Number::of(single(session, arguments.get(at)?))
}

/// A whole number; fractions are cut off.
pub(super) fn index(session: &Session<'_>, arguments: &[Value], at: usize) -> Option<i64> {
    number(session, arguments, at)?.truncated()
}

pub(super) fn temporal<'v>(
    session: &Session<'_>,
    arguments: &'v [Value],
    at: usize,
) -> Option<&'v Temporal> {
    single(session, arguments.get(at)?).as_temporal()
}

/// A list; by the standard everything but null is a list of itself.
pub(super) fn list(
    session: &Session<'_>,
    arguments: &[Value],
    at: usize,
) -> Option<Arc<Vec<Value>>> {
    match arguments.get(at)? {
        Value::List(items) => Some(items.clone()),
        Value::Null => None,
        other if session.is_standard() => Some(Arc::new(vec![other.clone()])),
        _ => None,
    }
}

/// The items of one list, or the arguments themselves.
pub(super) fn items(arguments: &[Value]) -> Option<&[Value]> {
    match arguments {
        [Value::List(items)] => Some(items),
        [Value::Null] => None,
        several => Some(several),
    }
}

pub(super) fn outcome(value: Option<Value>) -> Outcome {
    Ok(value.unwrap_or_default())
}

pub(super) fn boolean(value: Option<bool>) -> Outcome {
    Ok(value.map_or(Value::Null, Value::Bool))
}

impl Session<'_> {
    /// For looking at so many bytes of text.
    pub(super) fn read_text(&mut self, bytes: usize) -> Result<(), EvalError> {
        self.meter.steps(bytes / CHARS_PER_STEP + 1, self.at)
    }

    pub(super) fn read_items(&mut self, count: usize) -> Result<(), EvalError> {
        self.meter.steps(count, self.at)
    }

    pub(super) fn make_text(&mut self, text: impl Into<Arc<str>>) -> Outcome {
        let text = text.into();
        self.meter.bytes(text.len(), self.at)?;
        Ok(Value::Text(text))
    }

    /// Also counts a step for every item.
    pub(super) fn make_list(&mut self, items: Vec<Value>) -> Outcome {
        self.room_for(items.len())?;
        Ok(Value::list(items))
    }

    /// Before a list of so many items is made.
    pub(super) fn room_for(&mut self, count: usize) -> Result<(), EvalError> {
        self.read_items(count)?;
        self.meter.bytes(count.saturating_mul(SLOT_BYTES), self.at)
    }

    pub(super) fn same(&mut self, a: &Value, b: &Value) -> Result<bool, EvalError> {
        super::super::compare::same(a, b, self.mode, &mut self.meter, self.depth, self.at)
    }
}
