use std::cmp::Ordering;
use std::collections::BTreeSet;

use orloj_types::Value;

use super::super::session::Session;
use crate::error::EvalError;
use crate::number;

/// A look into the tree of so many values as a list may have compares a dozen of them.
const LOOKUP_STEPS: usize = 2;

/// The values that have come already. Those with an order of their own are found by it; lists,
/// contexts and the like are compared one by one.
#[derive(Default)]
pub(super) struct Seen<'v> {
    scalars: BTreeSet<Scalar<'v>>,
    others: Vec<&'v Value>,
}

impl<'v> Seen<'v> {
    /// False when it was there.
    pub(super) fn insert(
        &mut self,
        session: &mut Session<'_>,
        value: &'v Value,
    ) -> Result<bool, EvalError> {
        if let Some(scalar) = scalar(session, value)? {
            return Ok(self.scalars.insert(scalar));
        }
        if self.place(session, value)?.is_some() {
            return Ok(false);
        }
        self.others.push(value);
        Ok(true)
    }

    /// True when it was there.
    pub(super) fn remove(
        &mut self,
        session: &mut Session<'_>,
        value: &'v Value,
    ) -> Result<bool, EvalError> {
        if let Some(scalar) = scalar(session, value)? {
            return Ok(self.scalars.remove(&scalar));
        }
        let place = self.place(session, value)?;
        Ok(place.map(|at| self.others.swap_remove(at)).is_some())
    }

    fn place(&self, session: &mut Session<'_>, value: &Value) -> Result<Option<usize>, EvalError> {
        for (at, other) in self.others.iter().enumerate() {
            if session.same(other, value)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}

fn scalar<'v>(
    session: &mut Session<'_>,
    value: &'v Value,
) -> Result<Option<Scalar<'v>>, EvalError> {
    session.read_items(LOOKUP_STEPS)?;
    Ok(match value {
        Value::Text(text) => {
            session.read_text(text.len())?;
            Some(Scalar(value))
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Decimal(_) => Some(Scalar(value)),
        Value::Double(number) if number.is_finite() => Some(Scalar(value)),
        _ => None,
    })
}

/// Null, a boolean, a text or a finite number.
#[derive(Clone, Copy)]
struct Scalar<'v>(&'v Value);

impl Scalar<'_> {
    fn rank(self) -> u8 {
        match self.0 {
            Value::Null => 0,
            Value::Bool(_) => 1,
            Value::Text(_) => 2,
            _ => 3,
        }
    }
}

impl Ord for Scalar<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.0, other.0) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (a, b) => self
                .rank()
                .cmp(&other.rank())
                .then_with(|| number::compare(a, b).unwrap_or(Ordering::Equal)),
        }
    }
}

impl PartialOrd for Scalar<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scalar<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scalar<'_> {}
