//! Functions as values: of the text, of the standard, of the host.

use std::sync::Arc;

use orloj_types::{Callable, Function, Value};

use super::ast::Lambda;
use super::builtins::Builtin;
use super::session::Session;
use super::types::Type;
use crate::error::EvalError;

/// `function(a, b) …` with the values of the names that it uses.
pub(super) struct Closure {
    pub lambda: Arc<Lambda>,
    /// The entry of a context that holds it, by which it can call itself.
    pub name: Option<Arc<str>>,
    pub captured: Vec<(Arc<str>, Value)>,
    /// The height of what is captured.
    pub height: usize,
}

/// A function of the standard.
pub(super) struct BuiltinValue {
    pub builtin: &'static Builtin,
    pub parameters: Box<[Arc<str>]>,
}

/// A function that the host gives to expressions: a business knowledge model, a decision service.
pub trait NativeFunction: Send + Sync {
    /// `arguments` are as many as there are parameters.
    fn call(&self, arguments: Vec<Value>, session: &mut Session<'_>) -> Result<Value, EvalError>;
}

struct Native {
    parameters: Box<[(Arc<str>, Option<Type>)]>,
    names: Box<[Arc<str>]>,
    result: Option<Type>,
    function: Box<dyn NativeFunction>,
}

impl Closure {
    pub fn new(
        lambda: Arc<Lambda>,
        name: Option<Arc<str>>,
        captured: Vec<(Arc<str>, Value)>,
        height: usize,
    ) -> Self {
        Self { lambda, name, captured, height }
    }

    pub fn into_value(self) -> Value {
        Value::Function(Function(Arc::new(self)))
    }
}

/// A function value around `function`. Arguments that do not fit their types make the result null.
pub fn native(
    parameters: Vec<(Arc<str>, Option<Type>)>,
    result: Option<Type>,
    function: impl NativeFunction + 'static,
) -> Value {
    let names = parameters.iter().map(|(name, _)| name.clone()).collect();
    let function = Box::new(function);
    let native = Native { parameters: parameters.into(), names, result, function };
    Value::Function(Function(Arc::new(native)))
}

impl<F> NativeFunction for F
where
    F: Fn(Vec<Value>, &mut Session<'_>) -> Result<Value, EvalError> + Send + Sync,
{
    fn call(&self, arguments: Vec<Value>, session: &mut Session<'_>) -> Result<Value, EvalError> {
        self(arguments, session)
    }
}

impl Callable for Closure {
    fn parameters(&self) -> &[Arc<str>] {
        &self.lambda.names
    }
}

impl Callable for BuiltinValue {
    fn parameters(&self) -> &[Arc<str>] {
        &self.parameters
    }
}

impl Callable for Native {
    fn parameters(&self) -> &[Arc<str>] {
        &self.names
    }
}

/// Whether a function takes and gives what the type says; where it does not say itself, anything.
pub(super) fn conforms(function: &Function, parameters: &[Type], result: &Type) -> bool {
    let (found, gives): (Vec<Option<&Type>>, Option<&Type>) =
        if let Some(closure) = function.downcast::<Closure>() {
            let found = closure.lambda.parameters.iter().map(|p| p.type_.as_ref()).collect();
            (found, closure.lambda.result.as_ref())
        } else if let Some(native) = function.downcast::<Native>() {
            let found = native.parameters.iter().map(|(_, of)| of.as_ref()).collect();
            (found, native.result.as_ref())
        } else {
            (vec![None; function.0.parameters().len()], None)
        };
    found.len() == parameters.len()
        && parameters.iter().zip(found).all(|(wanted, found)| match found {
            Some(found) => wanted.is_within(found),
            None => true,
        })
        && gives.is_none_or(|gives| gives.is_within(result))
}

impl Session<'_> {
    /// Calls a function value. What is no function, and a wrong number of arguments, give null.
    pub fn call_function(
        &mut self,
        function: &Value,
        arguments: Vec<Value>,
    ) -> Result<Value, EvalError> {
        let Value::Function(function) = function else {
            let offset = self.at;
            return Ok(self.null_of(function, "only a function can be called", offset));
        };
        self.invoke(function, arguments)
    }

    pub(super) fn invoke(
        &mut self,
        function: &Function,
        arguments: Vec<Value>,
    ) -> Result<Value, EvalError> {
        // A call takes the stack of several levels.
        self.depth += CALL_DEPTH;
        let offset = self.at;
        self.meter.step(self.depth, offset)?;
        let value = if let Some(closure) = function.downcast::<Closure>() {
            self.invoke_closure(function, closure, arguments)
        } else if let Some(native) = function.downcast::<Native>() {
            self.invoke_native(native, arguments)
        } else if let Some(value) = function.downcast::<BuiltinValue>() {
            self.invoke_builtin(value.builtin, &arguments)
        } else {
            Ok(Value::Null)
        }?;
        self.depth -= CALL_DEPTH;
        self.at = offset;
        Ok(value)
    }

    fn invoke_closure(
        &mut self,
        function: &Function,
        closure: &Closure,
        arguments: Vec<Value>,
    ) -> Result<Value, EvalError> {
        let lambda = &closure.lambda;
        let types = lambda.parameters.iter().map(|parameter| parameter.type_.as_ref());
        let Some(arguments) = self.fitted(arguments, types)? else { return Ok(Value::Null) };
        if lambda.external {
            let message = "functions of the host's classes are not available".to_owned();
            return Err(EvalError::operands(message, self.at));
        }
        let height = self.height.max(closure.height);
        let mut locals = closure.captured.clone();
        if let Some(name) = &closure.name {
            locals.retain(|(other, _)| other != name);
            locals.push((name.clone(), Value::Function(function.clone())));
        }
        // Parameters hide what was captured, and are looked up first.
        let mut values: Vec<_> = lambda.names.iter().cloned().zip(arguments).collect();
        values.extend(locals);
        let mode = std::mem::replace(&mut self.mode, lambda.mode);
        let floor = self.frames.hide();
        let frame = self.frames.len();
        self.push(super::frames::Local::Several(values), height);
        let value = self.value(&lambda.body)?;
        self.frames.truncate(frame);
        self.frames.show(floor);
        self.mode = mode;
        self.fitted_result(value, lambda.result.as_ref())
    }

    fn invoke_native(
        &mut self,
        native: &Native,
        arguments: Vec<Value>,
    ) -> Result<Value, EvalError> {
        let types = native.parameters.iter().map(|(_, of)| of.as_ref());
        let Some(arguments) = self.fitted(arguments, types)? else { return Ok(Value::Null) };
        let floor = self.frames.hide();
        let value = native.function.call(arguments, self)?;
        self.frames.show(floor);
        self.fitted_result(value, native.result.as_ref())
    }

    /// The arguments as the parameters want them, or nothing with a warning.
    fn fitted<'t>(
        &mut self,
        arguments: Vec<Value>,
        types: impl ExactSizeIterator<Item = Option<&'t Type>>,
    ) -> Result<Option<Vec<Value>>, EvalError> {
        if arguments.len() != types.len() {
            let (wanted, found) = (types.len(), arguments.len());
            self.warn(format!("the function has {wanted} parameters, not {found}"));
            return Ok(None);
        }
        let mut fitted = Vec::with_capacity(arguments.len());
        for (argument, of) in arguments.into_iter().zip(types) {
            let Some(of) = of else {
                fitted.push(argument);
                continue;
            };
            if of.is_about_parts() {
                self.meter.look(&argument, self.at)?;
            }
            match coerce(argument, of, self.environment.types) {
                Ok(value) => fitted.push(value),
                Err(value) => {
                    self.warn(format!("an argument should be {of}, found {}", value.type_name()));
                    return Ok(None);
                }
            }
        }
        Ok(Some(fitted))
    }

    fn fitted_result(&mut self, value: Value, of: Option<&Type>) -> Result<Value, EvalError> {
        let Some(of) = of else { return Ok(value) };
        if of.is_about_parts() {
            self.meter.look(&value, self.at)?;
        }
        Ok(match coerce(value, of, self.environment.types) {
            Ok(value) => value,
            Err(value) => {
                self.warn(format!("the result should be {of}, found {}", value.type_name()));
                Value::Null
            }
        })
    }
}

/// What the evaluator's own frames of a call take, in levels of nesting.
const CALL_DEPTH: usize = 4;

/// The conversions of the standard: a list of one to its item, a value to a list of one, a date to
/// its midnight in UTC. A type that nobody knows takes everything.
pub fn coerce(
    value: Value,
    of: &Type,
    types: Option<&dyn super::types::Types>,
) -> Result<Value, Value> {
    if of.accepts(&value, types).unwrap_or(true) {
        return Ok(value);
    }
    let resolved = match of {
        Type::Named(name) => types.and_then(|types| types.resolve(name)),
        _ => None,
    };
    let of_parts = resolved.as_ref().unwrap_or(of);
    if let Value::List(items) = &value
        && let [item] = &items[..]
        && !matches!(of_parts, Type::List(_) | Type::AnyList)
        && of.accepts(item, types) == Some(true)
    {
        return Ok(item.clone());
    }
    if !matches!(value, Value::List(_)) {
        let list = Value::list(vec![value.clone()]);
        if matches!(of_parts, Type::List(_) | Type::AnyList)
            && of.accepts(&list, types) == Some(true)
        {
            return Ok(list);
        }
    }
    if let (Type::DateTime, Some(orloj_types::Temporal::Date(date))) =
        (of_parts, value.as_temporal())
    {
        return Ok(Value::temporal(super::temporal::midnight_utc(*date)));
    }
    Err(value)
}
