//! `in`, and the cells of decision tables.

use orloj_types::{Range, RangeForm, Value};

use super::ast::{Comparison, Interval, Node, Test, UnaryTests};
use super::compare::same;
use super::frames::Local;
use super::session::{Outcome, Session};
use crate::error::EvalError;

impl Session<'_> {
    pub(super) fn membership(&mut self, value: &Node, tests: &[Test], offset: usize) -> Outcome {
        let value = self.value(value)?;
        let height = self.height;
        self.push(Local::Input(value.clone()), height);
        let found = self.any_test(&value, tests, offset)?;
        self.frames.pop();
        Ok(found)
    }

    pub(super) fn unary_tests(
        &mut self,
        input: &Value,
        parts: &UnaryTests,
        node: &Node,
    ) -> Outcome {
        if parts.tests.is_empty() {
            return Ok(Value::Bool(true));
        }
        self.push(Local::Input(input.clone()), 0);
        let found = self.any_test(input, &parts.tests, node.at())?;
        self.frames.pop();
        Ok(match found {
            Value::Bool(flag) => Value::Bool(flag != parts.negated),
            other => other,
        })
    }

    fn any_test(&mut self, value: &Value, tests: &[Test], offset: usize) -> Outcome {
        let mut unknown = false;
        for test in tests {
            match self.one_test(value, test, offset)? {
                Value::Bool(true) => return Ok(Value::Bool(true)),
                Value::Bool(false) => {}
                _ => unknown = true,
            }
        }
        Ok(if unknown { Value::Null } else { Value::Bool(false) })
    }

    fn one_test(&mut self, value: &Value, test: &Test, offset: usize) -> Outcome {
        match test {
            Test::Compare(comparison, bound) => {
                let bound = self.value(bound)?;
                self.compare(*comparison, value, &bound, offset)
            }
            Test::Interval(interval) => self.in_interval(value, interval, offset),
            Test::Equal(node) => {
                let wanted = self.value(node)?;
                self.compare(Comparison::Equal, value, &wanted, offset)
            }
            Test::Holds(node) => {
                let found = self.value(node)?;
                match found {
                    Value::Bool(_) => Ok(found),
                    Value::Null if !value.is_null() => Ok(Value::Null),
                    wanted => self.fits(value, &wanted, offset),
                }
            }
            Test::Fits(node) => {
                let wanted = self.value(node)?;
                self.fits(value, &wanted, offset)
            }
        }
    }

    fn fits(&mut self, value: &Value, wanted: &Value, offset: usize) -> Outcome {
        match (wanted, value) {
            (Value::Bool(true), Value::Bool(_)) if self.is_standard() => Ok(value.clone()),
            (Value::Bool(true), _) => Ok(Value::Bool(true)),
            (Value::Bool(false), value) => Ok(Value::Bool(matches!(value, Value::Bool(false)))),
            (Value::List(items), value) => {
                for item in items.iter() {
                    if self.fits_item(value, item, offset)? {
                        return Ok(Value::Bool(true));
                    }
                }
                same(value, wanted, self.mode, &mut self.meter, self.depth, offset).map(Value::Bool)
            }
            (Value::Range(range), value) if !matches!(value, Value::Range(_)) => {
                self.in_range(value, range, offset)
            }
            (wanted, value) => self.compare(Comparison::Equal, value, wanted, offset),
        }
    }

    fn fits_item(&mut self, value: &Value, item: &Value, offset: usize) -> Result<bool, EvalError> {
        if let (Value::Range(range), true) = (item, self.is_standard())
            && !matches!(value, Value::Range(_))
        {
            return Ok(matches!(self.in_range(value, range, offset)?, Value::Bool(true)));
        }
        same(value, item, self.mode, &mut self.meter, self.depth, offset)
    }

    /// Null as soon as one end cannot be compared, unlike `between`.
    fn in_interval(&mut self, value: &Value, interval: &Interval, offset: usize) -> Outcome {
        let low = self.end(&interval.low)?;
        let high = self.end(&interval.high)?;
        match interval.form {
            RangeForm::Interval => {}
            RangeForm::Equal => return self.compare(Comparison::Equal, value, &low, offset),
            RangeForm::NotEqual => return self.compare(Comparison::NotEqual, value, &low, offset),
        }
        let above = match &interval.low {
            Some(_) => self.is_above(value, &low, interval.low_included, offset)?,
            None => Value::Bool(true),
        };
        let below = match &interval.high {
            Some(_) => self.is_below(value, &high, interval.high_included, offset)?,
            None => Value::Bool(true),
        };
        Ok(both(above, below))
    }

    /// An end that is null is not there.
    pub(super) fn in_range(&mut self, value: &Value, range: &Range, offset: usize) -> Outcome {
        if range.form == RangeForm::NotEqual {
            return self.compare(Comparison::NotEqual, value, &range.low, offset);
        }
        let above = match range.low.is_null() {
            true => Value::Bool(true),
            false => self.is_above(value, &range.low, range.low_included, offset)?,
        };
        let below = match range.high.is_null() {
            true => Value::Bool(true),
            false => self.is_below(value, &range.high, range.high_included, offset)?,
        };
        Ok(both(above, below))
    }

    fn is_above(&mut self, value: &Value, low: &Value, included: bool, offset: usize) -> Outcome {
        let comparison = if included { Comparison::GreaterOrEqual } else { Comparison::Greater };
        self.compare(comparison, value, low, offset)
    }

    fn is_below(&mut self, value: &Value, high: &Value, included: bool, offset: usize) -> Outcome {
        let comparison = if included { Comparison::LessOrEqual } else { Comparison::Less };
        self.compare(comparison, value, high, offset)
    }
}

fn both(above: Value, below: Value) -> Value {
    match (above, below) {
        (Value::Bool(above), Value::Bool(below)) => Value::Bool(above && below),
        _ => Value::Null,
    }
}
