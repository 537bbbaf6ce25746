//! Walks the tree.

use orloj_types::Value;

use super::ast::{Access, Kind, Node, Part, Program, Step};
use super::coerce::to_bool;
use super::operators::{apply, is_empty, negate};
use crate::environment::{Environment, Scope};
use crate::error::EvalError;
use crate::meter::Meter;
use crate::number::scaled;
use crate::value_text::write_java;

pub(crate) fn evaluate(
    program: &Program,
    environment: &Environment<'_>,
) -> Result<Value, EvalError> {
    let mut evaluator =
        Evaluator { scope: environment.scope, meter: Meter::new(environment.budget) };
    match &program.parts[..] {
        [Part::Expression(node)] => evaluator.value(node, 0),
        parts => evaluator.composite(parts),
    }
}

struct Evaluator<'a> {
    scope: &'a dyn Scope,
    meter: Meter,
}

type Outcome = Result<Value, EvalError>;

impl Evaluator<'_> {
    fn composite(&mut self, parts: &[Part]) -> Outcome {
        let mut out = String::new();
        for part in parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Expression(node) => {
                    let value = self.value(node, 0)?;
                    write_java(&value, &mut out, &mut self.meter, node.at())?;
                }
            }
        }
        Ok(Value::text(out))
    }

    fn value(&mut self, node: &Node, depth: usize) -> Outcome {
        self.meter.step(depth, node.at())?;
        let depth = depth + 1;
        match &node.kind {
            Kind::Literal(value) => Ok(value.clone()),
            Kind::Name(name) => self
                .scope
                .get(name)
                .ok_or_else(|| EvalError::UnknownName { name: name.clone(), offset: node.at() }),
            Kind::Path(base, steps) => self.path(base, steps, depth),
            Kind::Chain(first, operands) => {
                let mut left = self.value(first, depth)?;
                for operand in operands {
                    let right = self.value(&operand.node, depth)?;
                    let offset = operand.offset as usize;
                    left = apply(operand.operator, &left, &right, &mut self.meter, offset)?;
                }
                Ok(left)
            }
            Kind::All(nodes) => self.junction(nodes, false, depth),
            Kind::Any(nodes) => self.junction(nodes, true, depth),
            Kind::Not(operand) => Ok(Value::Bool(!self.condition(operand, depth)?)),
            Kind::Empty(operand) => Ok(Value::Bool(is_empty(&self.value(operand, depth)?))),
            Kind::Negate(operand) => negate(&self.value(operand, depth)?, node.at()),
            Kind::Choice(parts) => {
                let (condition, yes, no) = &**parts;
                let chosen = if self.condition(condition, depth)? { yes } else { no };
                self.value(chosen, depth)
            }
        }
    }

    fn condition(&mut self, node: &Node, depth: usize) -> Result<bool, EvalError> {
        to_bool(&self.value(node, depth)?, node.at())
    }

    /// Operands behind the decisive one are not looked at.
    fn junction(&mut self, nodes: &[Node], decisive: bool, depth: usize) -> Outcome {
        for node in nodes {
            if self.condition(node, depth)? == decisive {
                return Ok(Value::Bool(decisive));
            }
        }
        Ok(Value::Bool(!decisive))
    }

    fn path(&mut self, base: &Node, steps: &[Step], depth: usize) -> Outcome {
        let mut value = self.value(base, depth)?;
        for step in steps {
            if value.is_null() {
                return Ok(Value::Null);
            }
            let offset = step.offset as usize;
            value = match &step.access {
                Access::Member(name) => member(&value, name, offset)?,
                Access::Index(index) => {
                    let index = self.value(index, depth)?;
                    self.element(&value, &index, offset)?
                }
            };
        }
        Ok(value)
    }

    fn element(&mut self, holder: &Value, index: &Value, offset: usize) -> Outcome {
        match (holder, index) {
            (Value::Map(_) | Value::List(_), Value::Null) => Ok(Value::Null),
            (_, Value::Text(name)) => member(holder, name, offset),
            // The keys of a map are texts, and no other type equals one.
            (Value::Map(_), _) => Ok(Value::Null),
            (Value::List(items), Value::Int(index)) => list_item(items, *index),
            (Value::List(items), Value::Double(index)) => list_item(items, *index as i64),
            (Value::List(items), Value::Decimal(index)) => {
                list_item(items, scaled::to_i64(index).unwrap_or(-1))
            }
            (Value::List(_), other) => {
                let message = format!("a {} is no index of a list", other.type_name());
                Err(EvalError::operands(message, offset))
            }
            (other, index) => {
                let mut name = String::new();
                write_java(index, &mut name, &mut self.meter, offset)?;
                Err(unknown_property(&name, other, offset))
            }
        }
    }
}

fn member(holder: &Value, name: &str, offset: usize) -> Outcome {
    match holder {
        Value::Map(entries) => Ok(entries.get(name).cloned().unwrap_or_default()),
        Value::List(items) => list_item(items, parse_index(name, offset)?),
        other => Err(unknown_property(name, other, offset)),
    }
}

/// Null outside of the list, at both ends.
fn list_item(items: &[Value], index: i64) -> Outcome {
    let item = usize::try_from(index).ok().and_then(|index| items.get(index));
    Ok(item.cloned().unwrap_or_default())
}

fn parse_index(name: &str, offset: usize) -> Result<i64, EvalError> {
    name.parse().map_err(|_| EvalError::operands(format!("'{name}' is no index of a list"), offset))
}

fn unknown_property(property: &str, holder: &Value, offset: usize) -> EvalError {
    let holder = holder.type_name();
    EvalError::UnknownProperty { property: property.to_owned(), holder, offset }
}
