//! Walks the tree. The only failure is an exhausted budget.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

use super::ast::{
    Access, Arithmetic, Comparison, Entry, Interval, Kind, Node, Operand, Program, Step, Test,
};
use super::compare::{equal, order, same};
use crate::environment::{Environment, Scope};
use crate::error::EvalError;
use crate::expression::{Evaluated, WARNINGS_MAX, Warning};
use crate::meter::{Meter, SLOT_BYTES};
use crate::number::Number;

pub(crate) fn evaluate(
    program: &Program,
    environment: &Environment<'_>,
) -> Result<Evaluated, EvalError> {
    let mut evaluator = Evaluator {
        scope: environment.scope,
        frames: Vec::new(),
        warnings: Vec::new(),
        meter: Meter::new(environment.budget),
        height: 0,
        height_max: environment.budget.depth_max,
    };
    let value = evaluator.value(&program.root, 0)?;
    if program.builds {
        evaluator.meter.result(&value, program.root.at())?;
    }
    Ok(Evaluated { value, warnings: evaluator.warnings })
}

struct Evaluator<'a> {
    scope: &'a dyn Scope,
    /// What contexts and filters add to the scope, innermost last.
    frames: Vec<Frame>,
    warnings: Vec<Warning>,
    meter: Meter,
    /// How many lists and contexts made here may lie inside of each other in the last value.
    /// Entries of a context can use those before them, so that this grows without any nesting in
    /// the text, and dropping a value takes stack for each of them.
    height: usize,
    height_max: usize,
}

struct Frame {
    names: Names,
    /// The height of the values.
    height: usize,
}

enum Names {
    /// The entries of a context so far.
    Entries(BTreeMap<Arc<str>, Value>),
    /// What a filter looks at: its entries by name, and itself as `item`.
    Item(Value),
}

const ITEM: &str = "item";
/// What an operation on decimals costs beside the usual one.
const DECIMAL_STEPS: usize = 10;
/// A power is up to 40 multiplications.
const POWER_STEPS: usize = 200;

type Outcome = Result<Value, EvalError>;

impl Evaluator<'_> {
    fn value(&mut self, node: &Node, depth: usize) -> Outcome {
        self.meter.step(depth, node.at())?;
        let value = self.value_of_kind(node, depth + 1)?;
        if !matches!(value, Value::List(_) | Value::Map(_)) {
            self.height = 0;
        }
        Ok(value)
    }

    fn value_of_kind(&mut self, node: &Node, depth: usize) -> Outcome {
        match &node.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Name(name) => Ok(self.variable(name, node.at())),
            Kind::Path(base, steps) => self.path(base, steps, depth),
            Kind::Compare(comparison, sides) => {
                let left = self.value(&sides.0, depth)?;
                let right = self.value(&sides.1, depth)?;
                self.compare(*comparison, &left, &right, node.at())
            }
            Kind::All(nodes) => self.junction(nodes, false, depth),
            Kind::Any(nodes) => self.junction(nodes, true, depth),
            Kind::Not(operand) => {
                let value = self.value(operand, depth)?;
                Ok(match value {
                    Value::Bool(flag) => Value::Bool(!flag),
                    other => self.null_of(&other, "'not' expects a boolean", node.at()),
                })
            }
            Kind::Arithmetic(first, operands) => self.arithmetic(first, operands, depth),
            Kind::Negate(operand) => {
                let value = self.value(operand, depth)?;
                Ok(match Number::of(&value) {
                    Some(number) => number.negate().into_value(),
                    None => self.null_of(&value, "'-' expects a number", node.at()),
                })
            }
            Kind::If(parts) => {
                let (condition, yes, no) = &**parts;
                match self.value(condition, depth)? {
                    Value::Bool(true) => self.value(yes, depth),
                    Value::Bool(false) => self.value(no, depth),
                    other => {
                        self.null_of(&other, "'if' expects a boolean", condition.at());
                        self.value(no, depth)
                    }
                }
            }
            Kind::Between(parts) => {
                let (value, low, high) = &**parts;
                let value = self.value(value, depth)?;
                let low = self.value(low, depth)?;
                let high = self.value(high, depth)?;
                let above = self.compare(Comparison::GreaterOrEqual, &value, &low, node.at())?;
                let below = self.compare(Comparison::LessOrEqual, &value, &high, node.at())?;
                Ok(match (above, below) {
                    (Value::Bool(false), _) | (_, Value::Bool(false)) => Value::Bool(false),
                    (Value::Bool(true), Value::Bool(true)) => Value::Bool(true),
                    _ => Value::Null,
                })
            }
            Kind::In(value, tests) => {
                let value = self.value(value, depth)?;
                self.any_test(&value, tests, depth, node.at())
            }
            Kind::List(nodes) => {
                self.meter.bytes(nodes.len().saturating_mul(SLOT_BYTES), node.at())?;
                let mut items = Vec::with_capacity(nodes.len());
                let mut height = 0;
                for node in nodes {
                    items.push(self.value(node, depth)?);
                    height = height.max(self.height);
                }
                self.raise(height, node.at())?;
                Ok(Value::List(Arc::new(items)))
            }
            Kind::Context(entries) => self.context(entries, depth, node.at()),
        }
    }

    fn variable(&mut self, name: &Arc<str>, offset: usize) -> Value {
        for frame in self.frames.iter().rev() {
            let found = match &frame.names {
                Names::Entries(entries) => entries.get(name),
                Names::Item(item) => match item {
                    Value::Map(entries) if entries.contains_key(name) => entries.get(name),
                    _ => (&**name == ITEM).then_some(item),
                },
            };
            if let Some(value) = found {
                self.height = frame.height;
                return value.clone();
            }
        }
        self.height = 0;
        match self.scope.get(name) {
            Some(value) => value,
            None => {
                self.warn(offset, || format!("there is no variable '{name}'"));
                Value::Null
            }
        }
    }

    fn path(&mut self, base: &Node, steps: &[Step], depth: usize) -> Outcome {
        let mut value = self.value(base, depth)?;
        for step in steps {
            let offset = step.offset as usize;
            value = match &step.access {
                Access::Member(name) => self.member(&value, name, depth, offset)?,
                Access::Filter(filter) => self.filter(value, filter, depth, offset)?,
            };
        }
        Ok(value)
    }

    /// An entry of a context, or that entry of every item of a list.
    fn member(&mut self, holder: &Value, name: &Arc<str>, depth: usize, offset: usize) -> Outcome {
        self.meter.step(depth, offset)?;
        match holder {
            Value::Map(entries) => Ok(match entries.get(name) {
                Some(value) => value.clone(),
                None => {
                    self.warn(offset, || format!("the context has no entry '{name}'"));
                    Value::Null
                }
            }),
            Value::List(items) => {
                self.meter.bytes(items.len().saturating_mul(SLOT_BYTES), offset)?;
                let members: Result<Vec<_>, _> =
                    items.iter().map(|item| self.member(item, name, depth + 1, offset)).collect();
                Ok(Value::List(Arc::new(members?)))
            }
            other => {
                self.warn(offset, || format!("a {} has no entry '{name}'", other.type_name()));
                Ok(Value::Null)
            }
        }
    }

    /// A number picks an item, counted from one or from the end; a condition keeps items. Which of
    /// both it is shows outside of the list first, then on the first item.
    fn filter(&mut self, list: Value, filter: &Node, depth: usize, offset: usize) -> Outcome {
        let Value::List(items) = &list else {
            return Ok(self.null_of(&list, "only a list can be filtered", offset));
        };
        // Whatever the filter keeps is no higher than the list.
        let height = self.height;
        if !filter.kind.is_condition() {
            let warnings = self.warnings.len();
            let outside = self.value(filter, depth)?;
            if let Some(index) = Number::of(&outside) {
                self.height = height;
                return Ok(self.item(items, index, offset));
            }
            self.warnings.truncate(warnings);
        }
        let mut kept = Vec::new();
        for (at, item) in items.iter().enumerate() {
            self.frames.push(Frame { names: Names::Item(item.clone()), height });
            let keep = self.value(filter, depth)?;
            self.frames.pop();
            self.height = height;
            match keep {
                Value::Bool(true) => {
                    self.meter.bytes(SLOT_BYTES, offset)?;
                    kept.push(item.clone());
                }
                Value::Bool(false) => {}
                other => match Number::of(&other) {
                    Some(index) if at == 0 => return Ok(self.item(items, index, offset)),
                    _ => {
                        self.null_of(&other, "a filter expects a boolean or a number", offset);
                    }
                },
            }
        }
        Ok(Value::List(Arc::new(kept)))
    }

    fn item(&mut self, items: &[Value], index: Number, offset: usize) -> Value {
        let found = index.truncated().and_then(|index| {
            let at = match index {
                1.. => usize::try_from(index - 1).ok()?,
                0 => return None,
                _ => items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?,
            };
            items.get(at)
        });
        match found {
            Some(item) => item.clone(),
            None => {
                let count = items.len();
                self.warn(offset, || format!("the list has {count} items and none at this index"));
                Value::Null
            }
        }
    }

    fn context(&mut self, entries: &[Entry], depth: usize, offset: usize) -> Outcome {
        let names: usize = entries.iter().map(|entry| entry.name.len() + SLOT_BYTES).sum();
        self.meter.bytes(names, offset)?;
        self.frames.push(Frame { names: Names::Entries(BTreeMap::new()), height: 0 });
        let frame = self.frames.len() - 1;
        for entry in entries {
            let value = self.value(&entry.value, depth)?;
            let frame = &mut self.frames[frame];
            frame.height = frame.height.max(self.height);
            if let Names::Entries(made) = &mut frame.names {
                made.insert(entry.name.clone(), value);
            }
        }
        let Some(Frame { names: Names::Entries(made), height }) = self.frames.pop() else {
            return Ok(Value::Null);
        };
        self.raise(height, offset)?;
        Ok(Value::Map(Arc::new(made)))
    }

    /// A list or context is one higher than what it holds.
    fn raise(&mut self, height: usize, offset: usize) -> Result<(), EvalError> {
        self.height = height + 1;
        if self.height > self.height_max {
            return Err(self.meter.too_deep(offset));
        }
        Ok(())
    }

    /// `and` and `or` of three values: `decisive` settles it, wherever it stands; what is no
    /// boolean counts as null.
    fn junction(&mut self, nodes: &[Node], decisive: bool, depth: usize) -> Outcome {
        let mut unknown = false;
        for node in nodes {
            match self.value(node, depth)? {
                Value::Bool(flag) if flag == decisive => return Ok(Value::Bool(decisive)),
                Value::Bool(_) => {}
                other => {
                    self.null_of(&other, "a condition expects a boolean", node.at());
                    unknown = true;
                }
            }
        }
        Ok(if unknown { Value::Null } else { Value::Bool(!decisive) })
    }

    fn arithmetic(&mut self, first: &Node, operands: &[Operand], depth: usize) -> Outcome {
        let mut left = self.value(first, depth)?;
        for operand in operands {
            let right = self.value(&operand.node, depth)?;
            left = self.operation(operand.operator, &left, &right, operand.offset as usize)?;
        }
        Ok(left)
    }

    fn operation(
        &mut self,
        operator: Arithmetic,
        left: &Value,
        right: &Value,
        offset: usize,
    ) -> Outcome {
        if let (Arithmetic::Add, Value::Text(left), Value::Text(right)) = (operator, left, right) {
            self.meter.bytes(left.len() + right.len(), offset)?;
            return Ok(Value::text([&**left, &**right].concat()));
        }
        let (Some(a), Some(b)) = (Number::of(left), Number::of(right)) else {
            self.warn(offset, || {
                let (left, right) = (left.type_name(), right.type_name());
                format!("'{}' has no meaning for {left} and {right}", operator.symbol())
            });
            return Ok(Value::Null);
        };
        if operator == Arithmetic::Power {
            self.meter.steps(POWER_STEPS, offset)?;
        } else if a.is_decimal() || b.is_decimal() {
            self.meter.steps(DECIMAL_STEPS, offset)?;
        }
        let result = match operator {
            Arithmetic::Add => a.add(b),
            Arithmetic::Subtract => a.sub(b),
            Arithmetic::Multiply => a.mul(b),
            Arithmetic::Divide => a.div(b),
            Arithmetic::Power => a.pow(b),
        };
        Ok(match result {
            Some(number) => number.into_value(),
            None => {
                self.warn(offset, || {
                    format!("'{}' has no result for these numbers", operator.symbol())
                });
                Value::Null
            }
        })
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        left: &Value,
        right: &Value,
        offset: usize,
    ) -> Outcome {
        let holds = match comparison {
            Comparison::Equal => equal(left, right, &mut self.meter, offset)?,
            Comparison::NotEqual => equal(left, right, &mut self.meter, offset)?.map(|same| !same),
            _ => order(left, right).map(|order| comparison.holds(order)),
        };
        Ok(match holds {
            Some(holds) => Value::Bool(holds),
            None => {
                self.warn(offset, || {
                    format!("{} and {} cannot be compared", left.type_name(), right.type_name())
                });
                Value::Null
            }
        })
    }

    fn any_test(&mut self, value: &Value, tests: &[Test], depth: usize, offset: usize) -> Outcome {
        let mut unknown = false;
        for test in tests {
            match self.test(value, test, depth, offset)? {
                Value::Bool(true) => return Ok(Value::Bool(true)),
                Value::Bool(false) => {}
                _ => unknown = true,
            }
        }
        Ok(if unknown { Value::Null } else { Value::Bool(false) })
    }

    fn test(&mut self, value: &Value, test: &Test, depth: usize, offset: usize) -> Outcome {
        match test {
            Test::Compare(comparison, bound) => {
                let bound = self.value(bound, depth)?;
                self.compare(*comparison, value, &bound, offset)
            }
            Test::Interval(interval) => self.interval(value, interval, depth, offset),
            Test::Equal(node) => {
                let wanted = self.value(node, depth)?;
                self.compare(Comparison::Equal, value, &wanted, offset)
            }
            Test::Fits(node) => match (self.value(node, depth)?, value) {
                (Value::Bool(true), _) => Ok(Value::Bool(true)),
                (Value::Bool(false), value) => Ok(Value::Bool(matches!(value, Value::Bool(false)))),
                (list @ Value::List(_), value) => self.list_fits(value, &list, depth, offset),
                (wanted, value) => self.compare(Comparison::Equal, value, &wanted, offset),
            },
        }
    }

    fn list_fits(&mut self, value: &Value, list: &Value, depth: usize, offset: usize) -> Outcome {
        if let Value::List(items) = list {
            for item in items.iter() {
                if same(value, item, &mut self.meter, depth, offset)? {
                    return Ok(Value::Bool(true));
                }
            }
        }
        same(value, list, &mut self.meter, depth, offset).map(Value::Bool)
    }

    /// Null as soon as one end cannot be compared, unlike `between`.
    fn interval(
        &mut self,
        value: &Value,
        interval: &Interval,
        depth: usize,
        offset: usize,
    ) -> Outcome {
        let low = self.value(&interval.low, depth)?;
        let high = self.value(&interval.high, depth)?;
        let above = match interval.low_included {
            true => Comparison::GreaterOrEqual,
            false => Comparison::Greater,
        };
        let below = match interval.high_included {
            true => Comparison::LessOrEqual,
            false => Comparison::Less,
        };
        let above = self.compare(above, value, &low, offset)?;
        let below = self.compare(below, value, &high, offset)?;
        Ok(match (above, below) {
            (Value::Bool(above), Value::Bool(below)) => Value::Bool(above && below),
            _ => Value::Null,
        })
    }

    /// Null for a value of the wrong type.
    fn null_of(&mut self, value: &Value, rule: &str, offset: usize) -> Value {
        self.warn(offset, || format!("{rule}, found {}", value.type_name()));
        Value::Null
    }

    fn warn(&mut self, offset: usize, message: impl FnOnce() -> String) {
        if self.warnings.len() < WARNINGS_MAX {
            self.warnings.push(Warning { message: message(), offset });
        }
    }
}
