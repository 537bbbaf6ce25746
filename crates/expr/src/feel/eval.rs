//! Walks the tree. The only failure is an exhausted budget; everything else is null with a warning.
//!
//! The arms of the walk are functions of their own, so that a level of nesting takes little stack.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{Range, RangeForm, Value};

use super::ast::{
    Access, Arithmetic, Comparison, Entry, Interval, Kind, Node, Operand, Program, Step,
};
use super::builtins;
use super::closure::Closure;
use super::compare::{equal, order};
use super::frames::Local;
use super::plain::plain;
use super::session::{Outcome, Session};
use super::temporal;
use crate::environment::Environment;
use crate::error::EvalError;
use crate::expression::Evaluated;
use crate::meter::{CONTEXT_BYTES, SLOT_BYTES};
use crate::number::Number;

/// What an operation on decimals costs beside the usual one.
const DECIMAL_STEPS: usize = 12;
/// An entry of a context is a place in a tree.
const ENTRY_STEPS: usize = 4;
/// A power is up to 40 multiplications.
const POWER_STEPS: usize = 200;

pub(crate) fn evaluate(
    program: &Program,
    environment: &Environment<'_>,
) -> Result<Evaluated, EvalError> {
    let mut session = Session::new(*environment);
    let mut value = session.run(program)?;
    // DIFFERENCE: Zeebe keeps texts of dates, times and durations, and nothing of ranges.
    let is_kept = environment.keeps_temporals && value.as_temporal().is_some();
    let can_change = program.builds || value.as_temporal().is_some();
    if !program.mode.is_standard() && can_change && !is_kept {
        value = plain(value);
    }
    Ok(Evaluated { value, warnings: session.take_warnings() })
}

pub(crate) fn evaluate_tests(
    program: &Program,
    environment: &Environment<'_>,
    input: &Value,
) -> Result<Evaluated, EvalError> {
    let mut session = Session::new(*environment);
    let value = session.run_tests(program, input)?;
    Ok(Evaluated { value, warnings: session.take_warnings() })
}

impl Session<'_> {
    pub(super) fn value_of_kind(&mut self, node: &Node) -> Outcome {
        match &node.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Name(name) => Ok(self.variable(name, node.at())),
            Kind::Input => Ok(self.input(node.at())),
            Kind::Path(base, steps) => self.path(base, steps),
            Kind::Compare(comparison, sides) => self.comparison(*comparison, sides, node.at()),
            Kind::All(nodes) => self.junction(nodes, false),
            Kind::Any(nodes) => self.junction(nodes, true),
            Kind::Arithmetic(first, operands) => self.arithmetic(first, operands),
            Kind::Negate(operand) => self.negation(operand, node.at()),
            Kind::If(parts) => self.choice(parts),
            Kind::Between(parts) => self.between(parts, node.at()),
            Kind::In(value, tests) => self.membership(value, tests, node.at()),
            Kind::List(nodes) => self.list(nodes, node.at()),
            Kind::Context(entries) => self.context(entries, node.at()),
            Kind::Range(interval) => self.range(interval, node.at()),
            Kind::For(parts) => self.for_each(parts, node.at()),
            Kind::Some(parts) => self.quantified(parts, true, node.at()),
            Kind::Every(parts) => self.quantified(parts, false, node.at()),
            Kind::InstanceOf(operand, of) => self.instance_of(operand, of, node.at()),
            Kind::Function(lambda) => self.function(lambda, node.at()),
            Kind::Call(call) => self.call(call, node.at()),
            Kind::Tests(_) => Ok(Value::Null),
        }
    }

    fn variable(&mut self, name: &str, offset: usize) -> Value {
        if let Some(value) = self.lookup(name) {
            return value;
        }
        if let Some(builtin) = builtins::named(name, self.mode)
            && self.is_standard()
        {
            return builtins::as_value(builtin);
        }
        self.warn_at(offset, || format!("there is no variable '{name}'"));
        Value::Null
    }

    fn input(&mut self, offset: usize) -> Value {
        let found = self.frames.input().map(|(value, height)| (value.clone(), height));
        match found {
            Some((value, height)) => {
                self.height = height;
                value
            }
            None => match self.environment.scope.get("?") {
                Some(value) => value,
                None => {
                    self.warn_at(offset, || "'?' has a meaning only in tests".to_owned());
                    Value::Null
                }
            },
        }
    }

    fn path(&mut self, base: &Node, steps: &[Step]) -> Outcome {
        let mut value = self.value(base)?;
        for step in steps {
            let offset = step.offset as usize;
            value = match &step.access {
                Access::Member(name) => self.member(&value, name, offset)?,
                Access::Filter(filter) => self.filter(value, filter, offset)?,
            };
        }
        Ok(value)
    }

    /// An entry of a context, a property, or that of every item of a list.
    pub(super) fn member(&mut self, holder: &Value, name: &Arc<str>, offset: usize) -> Outcome {
        self.meter.step(self.depth, offset)?;
        match holder {
            Value::Map(entries) => Ok(match entries.get(name) {
                Some(value) => value.clone(),
                None => {
                    self.warn_at(offset, || format!("the context has no entry '{name}'"));
                    Value::Null
                }
            }),
            Value::List(items) => {
                self.meter.bytes(items.len().saturating_mul(SLOT_BYTES), offset)?;
                self.depth += 1;
                let members: Result<Vec<_>, _> =
                    items.iter().map(|item| self.member(item, name, offset)).collect();
                self.depth -= 1;
                Ok(Value::list(members?))
            }
            other => Ok(match property(other, name) {
                Some(value) => value,
                None => {
                    self.warn_at(offset, || {
                        format!("a {} has no entry '{name}'", other.type_name())
                    });
                    Value::Null
                }
            }),
        }
    }

    /// A number picks an item, counted from one or from the end; a condition keeps items. Which of
    /// both it is shows outside of the list first, then on the first item.
    ///
    /// DIFFERENCE: by the standard everything but null is a list of itself, in Camunda's engine
    /// only lists can be filtered.
    fn filter(&mut self, list: Value, filter: &Node, offset: usize) -> Outcome {
        let single;
        let items = match &list {
            Value::List(items) => items,
            other if self.is_standard() => {
                single = Arc::new(if other.is_null() { Vec::new() } else { vec![list.clone()] });
                &single
            }
            other => return Ok(self.null_of(other, "only a list can be filtered", offset)),
        };
        // Whatever the filter keeps is no higher than the list.
        let height = self.height + usize::from(self.is_standard());
        if !filter.kind.is_condition() {
            let warnings = self.warnings.len();
            let outside = self.value(filter)?;
            if let Some(index) = Number::of(&outside) {
                self.height = height;
                return Ok(self.item(items, index, offset));
            }
            self.warnings.truncate(warnings);
        }
        if self.is_standard() && list.is_null() {
            return Ok(Value::list(Vec::new()));
        }
        let mut kept = Vec::new();
        for (at, item) in items.iter().enumerate() {
            self.push(Local::Item(item.clone()), height);
            let keep = self.value(filter)?;
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
                        if self.is_standard() && !other.is_null() {
                            return Ok(Value::Null);
                        }
                    }
                },
            }
        }
        Ok(Value::list(kept))
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
                self.warn_at(offset, || {
                    format!("the list has {count} items and none at this index")
                });
                Value::Null
            }
        }
    }

    fn list(&mut self, nodes: &[Node], offset: usize) -> Outcome {
        self.meter.bytes(nodes.len().saturating_mul(SLOT_BYTES), offset)?;
        let mut items = Vec::with_capacity(nodes.len());
        let mut height = 0;
        for node in nodes {
            items.push(self.value(node)?);
            height = height.max(self.height);
        }
        self.raise(height, Value::list(items), offset)
    }

    fn context(&mut self, entries: &[Entry], offset: usize) -> Outcome {
        let names: usize = entries.iter().map(|entry| entry.name.len() + SLOT_BYTES).sum();
        self.meter.bytes(names + CONTEXT_BYTES, offset)?;
        self.meter.steps(entries.len() * ENTRY_STEPS, offset)?;
        self.push(Local::Entries(BTreeMap::new()), 0);
        let frame = self.frames.len() - 1;
        let mut twice = false;
        for entry in entries {
            if let Kind::Function(_) = entry.value.kind {
                self.function_name = Some(entry.name.clone());
            }
            let value = self.value(&entry.value)?;
            let height = self.height;
            let frame = self.frames.at(frame);
            frame.height = frame.height.max(height);
            if let Local::Entries(made) = &mut frame.local {
                twice |= made.insert(entry.name.clone(), value).is_some();
            }
        }
        let Some(frame) = self.frames.pop() else { return Ok(Value::Null) };
        let Local::Entries(made) = frame.local else { return Ok(Value::Null) };
        // DIFFERENCE: in Camunda's engine the last entry of a name wins.
        if twice && self.is_standard() {
            self.warn_at(offset, || "a context has one entry of a name".to_owned());
            return Ok(Value::Null);
        }
        self.raise(frame.height, Value::Map(Arc::new(made)), offset)
    }

    fn range(&mut self, interval: &Interval, offset: usize) -> Outcome {
        let low = self.end(&interval.low)?;
        let high = match interval.form {
            RangeForm::Interval => self.end(&interval.high)?,
            RangeForm::Equal | RangeForm::NotEqual => low.clone(),
        };
        self.meter.bytes(2 * SLOT_BYTES, offset)?;
        let has_both = interval.low.is_some() && interval.high.is_some();
        let (low_included, high_included) = (interval.low_included, interval.high_included);
        let fits = match (&low, &high) {
            (Value::Null, _) | (_, Value::Null) => true,
            // DIFFERENCE: Camunda's engine makes ranges of any values.
            (low, high) => !self.is_standard() || order(low, high).is_some(),
        };
        let is_plain =
            |value: &Value| !matches!(value, Value::List(_) | Value::Map(_) | Value::Function(_));
        if !fits || !is_plain(&low) || !is_plain(&high) {
            self.warn_at(offset, || {
                format!("{} and {} are no ends of a range", low.type_name(), high.type_name())
            });
            return Ok(Value::Null);
        }
        if has_both && self.is_standard() && (low.is_null() || high.is_null()) {
            return Ok(Value::Null);
        }
        let form = interval.form;
        Ok(Value::Range(Arc::new(Range { low, low_included, high, high_included, form })))
    }

    pub(super) fn end(&mut self, node: &Option<Node>) -> Outcome {
        node.as_ref().map_or(Ok(Value::Null), |node| self.value(node))
    }

    /// `and` and `or` of three values: `decisive` settles it, wherever it stands; what is no
    /// boolean counts as null.
    fn junction(&mut self, nodes: &[Node], decisive: bool) -> Outcome {
        let mut unknown = false;
        for node in nodes {
            match self.value(node)? {
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

    fn negation(&mut self, operand: &Node, offset: usize) -> Outcome {
        let value = self.value(operand)?;
        if let Some(number) = Number::of(&value) {
            return Ok(number.negate().into_value());
        }
        // DIFFERENCE: Camunda's engine negates numbers only.
        if self.is_standard()
            && let Some(negated) = value.as_temporal().and_then(temporal::negate)
        {
            return Ok(Value::temporal(negated));
        }
        Ok(self.null_of(&value, "'-' expects a number", offset))
    }

    fn choice(&mut self, parts: &(Node, Node, Node)) -> Outcome {
        let (condition, yes, no) = parts;
        match self.value(condition)? {
            Value::Bool(true) => self.value(yes),
            Value::Bool(false) => self.value(no),
            other => {
                self.null_of(&other, "'if' expects a boolean", condition.at());
                self.value(no)
            }
        }
    }

    fn between(&mut self, parts: &(Node, Node, Node), offset: usize) -> Outcome {
        let (value, low, high) = parts;
        let value = self.value(value)?;
        let low = self.value(low)?;
        let high = self.value(high)?;
        let above = self.compare(Comparison::GreaterOrEqual, &value, &low, offset)?;
        let below = self.compare(Comparison::LessOrEqual, &value, &high, offset)?;
        Ok(match (above, below) {
            (Value::Bool(false), _) | (_, Value::Bool(false)) => Value::Bool(false),
            (Value::Bool(true), Value::Bool(true)) => Value::Bool(true),
            _ => Value::Null,
        })
    }

    fn arithmetic(&mut self, first: &Node, operands: &[Operand]) -> Outcome {
        let mut left = self.value(first)?;
        for operand in operands {
            let right = self.value(&operand.node)?;
            left = self.operation(operand.operator, &left, &right, operand.offset as usize)?;
        }
        Ok(left)
    }

    pub(super) fn operation(
        &mut self,
        operator: Arithmetic,
        left: &Value,
        right: &Value,
        offset: usize,
    ) -> Outcome {
        let (Some(a), Some(b)) = (Number::of(left), Number::of(right)) else {
            return self.other_operation(operator, left, right, offset);
        };
        if operator == Arithmetic::Power {
            self.meter.steps(POWER_STEPS, offset)?;
        } else if a.is_decimal() || b.is_decimal() || operator == Arithmetic::Divide {
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
                self.warn_at(offset, || {
                    format!("'{}' has no result for these numbers", operator.symbol())
                });
                Value::Null
            }
        })
    }

    /// On texts, dates, times and durations.
    fn other_operation(
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
        if let (Value::Temporal(_), _) | (_, Value::Temporal(_)) = (left, right) {
            self.meter.steps(DECIMAL_STEPS, offset)?;
            if let Some(value) = temporal::operation(operator, left, right, self.mode) {
                return Ok(value);
            }
        }
        self.warn_at(offset, || {
            let (left, right) = (left.type_name(), right.type_name());
            format!("'{}' has no meaning for {left} and {right}", operator.symbol())
        });
        Ok(Value::Null)
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        sides: &(Node, Node),
        offset: usize,
    ) -> Outcome {
        let left = self.value(&sides.0)?;
        let right = self.value(&sides.1)?;
        self.compare(comparison, &left, &right, offset)
    }

    pub(super) fn compare(
        &mut self,
        comparison: Comparison,
        left: &Value,
        right: &Value,
        offset: usize,
    ) -> Outcome {
        let mode = self.mode;
        let holds = match comparison {
            Comparison::Equal => equal(left, right, mode, &mut self.meter, offset)?,
            Comparison::NotEqual => {
                equal(left, right, mode, &mut self.meter, offset)?.map(|same| !same)
            }
            _ => order(left, right).map(|order| comparison.holds(order)),
        };
        Ok(match holds {
            Some(holds) => Value::Bool(holds),
            None => {
                self.warn_at(offset, || {
                    format!("{} and {} cannot be compared", left.type_name(), right.type_name())
                });
                Value::Null
            }
        })
    }

    fn instance_of(&mut self, operand: &Node, of: &super::types::Type, offset: usize) -> Outcome {
        let value = self.value(operand)?;
        if of.is_about_parts() {
            self.meter.look(&value, offset)?;
        }
        let types = self.environment.types;
        Ok(match of.holds(&value, types) {
            Some(holds) => Value::Bool(holds),
            None => {
                self.warn_at(offset, || format!("there is no type '{of}'"));
                if self.is_standard() { Value::Null } else { Value::Bool(false) }
            }
        })
    }

    fn function(&mut self, lambda: &Arc<super::ast::Lambda>, offset: usize) -> Outcome {
        let name = self.function_name.take();
        self.meter.bytes((lambda.free.len() + 4) * SLOT_BYTES, offset)?;
        let mut captured = Vec::new();
        let mut height = 0;
        for free in &lambda.free {
            self.meter.steps(1, offset)?;
            if let Some(value) = self.lookup(free) {
                height = height.max(self.height);
                captured.push((free.clone(), value));
            }
        }
        let function = Closure::new(lambda.clone(), name, captured, height).into_value();
        self.raise(height, function, offset)
    }
}

fn property(holder: &Value, name: &str) -> Option<Value> {
    match holder {
        Value::Temporal(temporal) => temporal::property(temporal, name),
        Value::Range(range) => Some(match name {
            "start" => range.low.clone(),
            "end" => range.high.clone(),
            "start included" => Value::Bool(range.low_included),
            "end included" => Value::Bool(range.high_included),
            _ => return None,
        }),
        _ => None,
    }
}
