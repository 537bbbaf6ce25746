//! Calls: functions, closures, methods and properties.

use std::sync::Arc;

use crate::ast::{Function, Name, Type};
use crate::methods;
use crate::value::{Callable, Id, Val};

use super::machine::{Machine, Stop, Thrown};
use super::statement::Flow;

/// A call of a closure costs at least this: its arguments are put into a list and a scope.
const CALL_STEPS: usize = 2;

impl Machine<'_> {
    /// `name(arguments)`
    pub(crate) fn call_name(&mut self, name: &Name, arguments: Vec<Val>, at: u32) -> Thrown<Val> {
        if let Some(local) = self.local(name) {
            let callee = local.value.clone();
            return self.invoke(&callee, "call", arguments, at);
        }
        let functions = self.script.functions.get(name);
        if let Some(function) = functions
            .and_then(|found| found.iter().find(|function| takes(function, arguments.len())))
        {
            let function = function.clone();
            return self.run_function(&function, None, None, arguments, at);
        }
        if let Some(callee @ Val::Closure(_)) = self.bindings.get(name).cloned() {
            return self.invoke(&callee, "call", arguments, at);
        }
        if let Some(value) = methods::script_function(self, name, &arguments, at)? {
            return Ok(value);
        }
        if let Some(delegate) = self.delegate() {
            return self.invoke(&delegate, name, arguments, at);
        }
        Err(self.no_method(&Val::Script, name, &arguments, at))
    }

    /// Calls a closure as Groovy does: one list spreads over several parameters.
    pub(crate) fn call(&mut self, closure: Id, arguments: Vec<Val>, at: u32) -> Thrown<Val> {
        self.steps(CALL_STEPS, at)?;
        match self.heap.closures[closure as usize].clone() {
            Callable::Method { target, name } => match (&target, &*name) {
                (Val::Class(class), "new") => self.construct(*class, arguments, at),
                _ => self.invoke(&target, &name, arguments, at),
            },
            Callable::Closure { function, scope, delegate } => {
                let wanted = function.parameters.len();
                let arguments = match arguments.as_slice() {
                    [list @ (Val::List(_) | Val::Array(..))] if wanted > 1 => {
                        self.items(list, at)?.unwrap_or_default()
                    }
                    _ => arguments,
                };
                let fits = takes(&function, arguments.len())
                    || (function.implicit_it && arguments.len() <= 1);
                if !fits {
                    let callee = Val::Closure(closure);
                    return Err(self.no_method(&callee, "call", &arguments, at));
                }
                self.run_function(&function, Some(scope), delegate, arguments, at)
            }
        }
    }

    /// Calls a closure with an entry of a map: with key and value when it takes two.
    pub(crate) fn call_entry(&mut self, closure: Id, key: Val, value: Val, at: u32) -> Thrown<Val> {
        if self.arity(closure) == 2 {
            return self.call(closure, vec![key, value], at);
        }
        let pair = self.new_pair(key, value, at)?;
        self.call(closure, vec![pair], at)
    }

    pub(crate) fn arity(&self, closure: Id) -> usize {
        match &self.heap.closures[closure as usize] {
            Callable::Closure { function, .. } if !function.implicit_it => {
                function.parameters.len()
            }
            _ => 1,
        }
    }

    pub(crate) fn call_with_delegate(
        &mut self,
        closure: Id,
        delegate: Val,
        arguments: Vec<Val>,
        at: u32,
    ) -> Thrown<Val> {
        match self.heap.closures[closure as usize].clone() {
            Callable::Closure { function, scope, .. } => {
                self.run_function(&function, Some(scope), Some(delegate), arguments, at)
            }
            Callable::Method { .. } => self.call(closure, arguments, at),
        }
    }

    fn run_function(
        &mut self,
        function: &Arc<Function>,
        scope: Option<Id>,
        delegate: Option<Val>,
        arguments: Vec<Val>,
        at: u32,
    ) -> Thrown<Val> {
        self.deeper(at, |m| {
            m.scoped(scope, delegate, at, |m| {
                m.bind(function, arguments, at)?;
                let value = match m.statements(&function.body)? {
                    Flow::Normal(value) | Flow::Return(value) => value,
                    Flow::Break(_) | Flow::Continue(_) => Val::Null,
                };
                if function.returns == Type::Any {
                    Ok(value)
                } else {
                    m.fit(value, function.returns, at)
                }
            })
        })
    }

    fn bind(&mut self, function: &Function, arguments: Vec<Val>, at: u32) -> Thrown<()> {
        if function.implicit_it {
            let it = arguments.into_iter().next().unwrap_or(Val::Null);
            self.declare(&"it".into(), Type::Any, it);
            return Ok(());
        }
        // Parameters with a default give way to those without when arguments are short.
        let wanted = function.parameters.len();
        let mut missing = wanted.saturating_sub(arguments.len());
        let mut given = arguments.into_iter();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let is_last = index + 1 == wanted;
            let from_right =
                function.parameters[index..].iter().filter(|later| later.default.is_some()).count();
            let value = if function.varargs && is_last {
                let rest: Vec<Val> = given.by_ref().collect();
                match rest.as_slice() {
                    [one @ (Val::List(_) | Val::Array(..))] => one.clone(),
                    _ => self.new_array_of(rest, "java.lang.Object", at)?,
                }
            } else if let Some(default) =
                parameter.default.as_ref().filter(|_| missing >= from_right && missing > 0)
            {
                missing -= 1;
                self.eval(default)?
            } else {
                given.next().unwrap_or(Val::Null)
            };
            let value = self.fit(value, parameter.ty, at)?;
            self.declare(&parameter.name, parameter.ty, value);
        }
        Ok(())
    }

    /// `target.name(arguments)`
    pub(crate) fn invoke(
        &mut self,
        target: &Val,
        name: &str,
        arguments: Vec<Val>,
        at: u32,
    ) -> Thrown<Val> {
        self.step(at)?;
        self.deeper(at, |m| match methods::invoke(m, target, name, &arguments, at)? {
            Some(value) => Ok(value),
            None if target.is_null() => {
                let message = format!("Cannot invoke method {name}() on null object");
                Err(m.throw("java.lang.NullPointerException", message, at))
            }
            None => Err(m.no_method(target, name, &arguments, at)),
        })
    }

    pub(crate) fn get_property(&mut self, target: &Val, name: &str, at: u32) -> Thrown<Val> {
        self.step(at)?;
        match target {
            Val::Null => {
                let message = format!("Cannot get property '{name}' on null object");
                return Err(self.throw("java.lang.NullPointerException", message, at));
            }
            Val::Map(id) => {
                let key = self.text(name, at)?;
                return self.map_read(*id, &key, at);
            }
            Val::Script => return self.read_name(&name.into(), at),
            Val::Pair(id) => {
                let (key, value) = self.heap.pairs[*id as usize].clone();
                match name {
                    "key" => return Ok(key),
                    "value" => return Ok(value),
                    _ => {}
                }
            }
            Val::Array(id, _) if name == "length" => {
                let count = self.heap.lists[*id as usize].len();
                return Ok(Val::Int(i32::try_from(count).unwrap_or(i32::MAX)));
            }
            Val::Class(class) => {
                if let Some(value) = methods::static_property(self, *class, name, at)? {
                    return Ok(value);
                }
            }
            _ => {}
        }
        for getter in getters(name) {
            if let Some(value) = methods::invoke(self, target, &getter, &[], at)? {
                return Ok(value);
            }
        }
        if matches!(target, Val::List(_) | Val::Set(_) | Val::Array(..)) {
            return self
                .deeper(at, |m| m.spread(target, at, |m, item| m.get_property(&item, name, at)));
        }
        let class = self.class_name(target);
        let message = format!("No such property: {name} for class: {class}");
        Err(self.throw("groovy.lang.MissingPropertyException", message, at))
    }

    pub(crate) fn set_property(
        &mut self,
        target: &Val,
        name: &str,
        value: Val,
        at: u32,
    ) -> Thrown<()> {
        match target {
            Val::Null => {
                let message = format!("Cannot set property '{name}' on null object");
                return Err(self.throw("java.lang.NullPointerException", message, at));
            }
            Val::Map(id) => {
                let key = self.text(name, at)?;
                self.map_put(*id, key, value, at)?;
                return Ok(());
            }
            Val::Script => {
                self.write_name(&name.into(), value, at)?;
                return Ok(());
            }
            Val::Closure(id) if name == "delegate" => {
                if let Callable::Closure { delegate, .. } = &mut self.heap.closures[*id as usize] {
                    *delegate = Some(value);
                }
                return Ok(());
            }
            _ => {}
        }
        let setter = format!("set{}", capitalised(name));
        match methods::invoke(self, target, &setter, std::slice::from_ref(&value), at)? {
            Some(_) => Ok(()),
            None => {
                let class = self.class_name(target);
                let message = format!("No such property: {name} for class: {class}");
                Err(self.throw("groovy.lang.MissingPropertyException", message, at))
            }
        }
    }

    #[cold]
    pub(crate) fn no_method(
        &mut self,
        target: &Val,
        name: &str,
        arguments: &[Val],
        at: u32,
    ) -> Stop {
        let class = self.class_name(target);
        let types: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Val::Null => "null".to_owned(),
                other => {
                    let name = self.class_name(other);
                    name.rsplit('.').next().unwrap_or_default().to_owned()
                }
            })
            .collect();
        let message = format!(
            "No signature of method: {class}.{name}() is applicable for argument types: ({})",
            types.join(", ")
        );
        self.throw("groovy.lang.MissingMethodException", message, at)
    }
}

fn takes(function: &Function, count: usize) -> bool {
    let wanted = function.parameters.len();
    let required = function.parameters.iter().filter(|p| p.default.is_none()).count();
    if function.varargs {
        return count + 1 >= required;
    }
    (required..=wanted).contains(&count)
}

fn getters(name: &str) -> [String; 2] {
    let name = capitalised(name);
    [format!("get{name}"), format!("is{name}")]
}

pub(crate) fn capitalised(name: &str) -> String {
    let mut chars = name.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
