//! Calls: finding the function, and putting the arguments into the order of its parameters.

use std::sync::Arc;

use orloj_types::{Callable, Value};

use super::ast::{Arguments, Call, Callee, Entry, Kind, Node};
use super::builtins::{self, Builtin};
use super::closure::BuiltinValue;
use super::session::{Outcome, Session};
use crate::error::EvalError;

/// A call of a function costs at least this: its arguments are put into a list.
const CALL_STEPS: usize = 6;

impl Session<'_> {
    pub(super) fn call(&mut self, call: &Call, offset: usize) -> Outcome {
        match &call.callee {
            Callee::Builtin(builtin) => self.call_builtin(builtin, &call.arguments, offset),
            Callee::Value(node) => self.call_value(node, &call.arguments, offset),
        }
    }

    fn call_builtin(
        &mut self,
        builtin: &'static Builtin,
        arguments: &Arguments,
        offset: usize,
    ) -> Outcome {
        let mut height = 0;
        let values = match arguments {
            Arguments::Positional(nodes) => {
                let mut values = Vec::with_capacity(nodes.len());
                for node in nodes {
                    values.push(self.value(node)?);
                    height = height.max(self.height);
                }
                Some(values)
            }
            Arguments::Named(entries) => {
                let given = self.named(entries, &mut height)?;
                builtin.arranged(given)
            }
        };
        self.at = offset;
        let Some(values) = values else {
            self.warn(format!("the function '{}' has other parameters", builtin.name));
            return Ok(Value::Null);
        };
        let value = self.invoke_builtin(builtin, &values)?;
        if let Value::List(_) | Value::Map(_) | Value::Function(_) = value {
            return self.raise(height, value, offset);
        }
        Ok(value)
    }

    pub(super) fn invoke_builtin(
        &mut self,
        builtin: &'static Builtin,
        arguments: &[Value],
    ) -> Outcome {
        if !builtin.takes(arguments.len()) {
            let (name, count) = (builtin.name, arguments.len());
            self.warn(format!("the function '{name}' does not take {count} arguments"));
            return Ok(Value::Null);
        }
        self.meter.steps(CALL_STEPS, self.at)?;
        let (at, warnings) = (self.at, self.warnings.len());
        let value = (builtin.run)(self, arguments)?;
        self.at = at;
        if value.is_null() && self.warnings.len() == warnings && !builtin.gives_null {
            self.warn(format!("the function '{}' has no result for these values", builtin.name));
        }
        Ok(value)
    }

    fn call_value(&mut self, node: &Node, arguments: &Arguments, offset: usize) -> Outcome {
        let function = match &node.kind {
            Kind::Name(name) => match self.lookup(name) {
                Some(function @ Value::Function(_)) => function,
                _ => match builtins::named(name, self.mode) {
                    Some(builtin) => return self.call_builtin(builtin, arguments, offset),
                    None => {
                        self.warn_at(offset, || format!("there is no function '{name}'"));
                        return Ok(Value::Null);
                    }
                },
            },
            _ => self.value(node)?,
        };
        let Value::Function(function) = function else {
            return Ok(self.null_of(&function, "only a function can be called", offset));
        };
        let mut height = self.height;
        let values = match arguments {
            Arguments::Positional(nodes) => {
                let mut values = Vec::with_capacity(nodes.len());
                for node in nodes {
                    values.push(self.value(node)?);
                    height = height.max(self.height);
                }
                Some(values)
            }
            Arguments::Named(entries) => {
                let given = self.named(entries, &mut height)?;
                match function.downcast::<BuiltinValue>() {
                    Some(value) => value.builtin.arranged(given),
                    None => by_name(&*function.0, given),
                }
            }
        };
        self.at = offset;
        let Some(values) = values else {
            self.warn("the function has other parameters");
            return Ok(Value::Null);
        };
        self.height = height;
        self.invoke(&function, values)
    }

    fn named(
        &mut self,
        entries: &[Entry],
        height: &mut usize,
    ) -> Result<Vec<(Arc<str>, Value)>, EvalError> {
        let mut given = Vec::with_capacity(entries.len());
        for entry in entries {
            given.push((entry.name.clone(), self.value(&entry.value)?));
            *height = (*height).max(self.height);
        }
        Ok(given)
    }
}

/// In the order of the parameters; each has to be there once.
fn by_name(function: &dyn Callable, given: Vec<(Arc<str>, Value)>) -> Option<Vec<Value>> {
    let parameters = function.parameters();
    if parameters.len() != given.len() {
        return None;
    }
    parameters
        .iter()
        .map(|name| given.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone()))
        .collect()
}
