//! `for`, `some` and `every`.

use std::cmp::Ordering;
use std::sync::Arc;

use orloj_types::{Temporal, Value};

use super::ast::{Loop, Node, Source};
use super::compare::order;
use super::frames::Local;
use super::session::{Outcome, Session};
use crate::error::EvalError;
use crate::meter::SLOT_BYTES;
use crate::number::Number;

/// Making a date of a day, which is kept apart from its value.
const DATE_STEPS: usize = 3;

impl Session<'_> {
    pub(super) fn for_each(&mut self, parts: &Loop, offset: usize) -> Outcome {
        let frame = self.frames.len();
        if parts.partial {
            self.push(Local::Partial(Arc::default()), 0);
        }
        let mut results = Results { made: Vec::new(), height: 0, frame, partial: parts.partial };
        let done = self.iterate(parts, 0, &mut |session, body| {
            let value = session.value(body)?;
            session.meter.bytes(SLOT_BYTES, offset)?;
            results.add(session, value, offset)?;
            Ok(true)
        })?;
        let height = results.height;
        let made = match parts.partial {
            true => match self.frames.pop().map(|frame| frame.local) {
                Some(Local::Partial(made)) => Value::List(made),
                _ => Value::Null,
            },
            false => Value::list(results.made),
        };
        match done {
            Iterated::All | Iterated::Stopped => self.raise(height, made, offset),
            Iterated::NoList => Ok(Value::Null),
        }
    }

    /// Three values, as `and` and `or` have.
    pub(super) fn quantified(&mut self, parts: &Loop, decisive: bool, offset: usize) -> Outcome {
        let mut unknown = false;
        let mut settled = false;
        let done = self.iterate(parts, 0, &mut |session, body| {
            match session.value(body)? {
                Value::Bool(flag) if flag == decisive => settled = true,
                Value::Bool(_) => {}
                other => {
                    session.null_of(&other, "a condition expects a boolean", offset);
                    unknown = true;
                }
            }
            Ok(!settled)
        })?;
        Ok(match done {
            Iterated::NoList => Value::Null,
            _ if settled => Value::Bool(decisive),
            _ if unknown => Value::Null,
            _ => Value::Bool(!decisive),
        })
    }

    /// Calls `each` with every combination, the last iterator being the fastest, until it says no.
    fn iterate(
        &mut self,
        parts: &Loop,
        at: usize,
        each: &mut dyn FnMut(&mut Self, &Node) -> Result<bool, EvalError>,
    ) -> Result<Iterated, EvalError> {
        let Some(iterator) = parts.iterators.get(at) else {
            return Ok(if each(self, &parts.body)? { Iterated::All } else { Iterated::Stopped });
        };
        let offset = parts.body.at();
        let Some((mut values, height)) = self.values(&iterator.source)? else {
            return Ok(Iterated::NoList);
        };
        while let Some(value) = values.next() {
            self.meter.step(self.depth, offset)?;
            if let Values::Dates(_) = values {
                self.meter.steps(DATE_STEPS, offset)?;
            }
            let frame = self.frames.len();
            self.push(Local::One(iterator.name.clone(), value), height);
            self.depth += 1;
            let done = self.iterate(parts, at + 1, each)?;
            self.depth -= 1;
            self.frames.truncate(frame);
            if let Iterated::NoList | Iterated::Stopped = done {
                return Ok(done);
            }
        }
        Ok(Iterated::All)
    }

    fn values(&mut self, source: &Source) -> Result<Option<(Values, usize)>, EvalError> {
        let node = match source {
            Source::Between(low, high) => {
                let first = self.value(low)?;
                let last = self.value(high)?;
                return Ok(self.counted(first, last, low.at()).map(|values| (values, 0)));
            }
            Source::Values(node) => node,
        };
        let value = self.value(node)?;
        let height = self.height;
        let values = match value {
            Value::List(items) => Some(Values::List(items, 0)),
            Value::Range(range) => {
                let (low, high) = (range.low.clone(), range.high.clone());
                // `2..1` goes down, but no range does.
                if self.is_standard() && order(&low, &high).is_none_or(Ordering::is_gt) {
                    self.warn_at(node.at(), || "the range has no values".to_owned());
                    return Ok(None);
                }
                let counted = self.counted(low, high, node.at());
                counted.map(|values| values.within(range.low_included, range.high_included))
            }
            // DIFFERENCE: Camunda's engine iterates over lists only.
            other if self.is_standard() && !other.is_null() => {
                Some(Values::List(Arc::new(vec![other]), 0))
            }
            other => {
                self.null_of(&other, "an iteration expects a list", node.at());
                None
            }
        };
        Ok(values.map(|values| (values, height)))
    }

    fn counted(&mut self, first: Value, last: Value, offset: usize) -> Option<Values> {
        // DIFFERENCE: Camunda's engine cuts fractions off.
        let standard = self.is_standard();
        let whole = |value: &Value| match standard {
            true => Number::of(value)?.whole(),
            false => Number::of(value)?.truncated(),
        };
        if let (Some(first), Some(last)) = (whole(&first), whole(&last)) {
            return Some(Values::Numbers(Count::new(first, last)));
        }
        if let (Some(Temporal::Date(a)), Some(Temporal::Date(b))) =
            (first.as_temporal(), last.as_temporal())
        {
            return Some(Values::Dates(Count::new(a.to_days(), b.to_days())));
        }
        self.warn_at(offset, || {
            let (first, last) = (first.type_name(), last.type_name());
            format!("an iteration goes over whole numbers or dates, not from {first} to {last}")
        });
        None
    }
}

enum Iterated {
    All,
    Stopped,
    /// What should be iterated over is no list.
    NoList,
}

struct Results {
    made: Vec<Value>,
    height: usize,
    frame: usize,
    partial: bool,
}

impl Results {
    fn add(
        &mut self,
        session: &mut Session<'_>,
        value: Value,
        offset: usize,
    ) -> Result<(), EvalError> {
        self.height = self.height.max(session.height);
        if !self.partial {
            self.made.push(value);
            return Ok(());
        }
        let height = self.height + 1;
        let frame = session.frames.at(self.frame);
        frame.height = height;
        if let Local::Partial(made) = &mut frame.local {
            // A body that keeps the list makes us copy it.
            if Arc::get_mut(made).is_none() {
                session.meter.bytes(made.len() * SLOT_BYTES, offset)?;
                session.meter.steps(made.len(), offset)?;
            }
            Arc::make_mut(made).push(value);
        }
        Ok(())
    }
}

enum Values {
    List(Arc<Vec<Value>>, usize),
    Numbers(Count),
    Dates(Count),
}

/// From one number to another, up or down.
struct Count {
    next: Option<i64>,
    last: i64,
}

impl Values {
    /// Without the ends that are not part of the range.
    fn within(mut self, low: bool, high: bool) -> Self {
        if let Self::Numbers(count) | Self::Dates(count) = &mut self {
            if !low {
                count.next();
            }
            if !high {
                match count.next {
                    Some(next) if next < count.last => count.last -= 1,
                    Some(next) if next > count.last => count.last += 1,
                    _ => count.next = None,
                }
            }
        }
        self
    }

    fn next(&mut self) -> Option<Value> {
        match self {
            Self::List(items, at) => {
                *at += 1;
                items.get(*at - 1).cloned()
            }
            Self::Numbers(count) => count.next().map(Value::Int),
            Self::Dates(count) => {
                Some(Value::temporal(orloj_types::Date::from_days(count.next()?)?))
            }
        }
    }
}

impl Count {
    fn new(first: i64, last: i64) -> Self {
        Self { next: Some(first), last }
    }

    fn next(&mut self) -> Option<i64> {
        let found = self.next?;
        self.next = match found.cmp(&self.last) {
            Ordering::Less => found.checked_add(1),
            Ordering::Equal => None,
            Ordering::Greater => found.checked_sub(1),
        };
        Some(found)
    }
}
