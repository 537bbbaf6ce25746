//! Knowledge models, services and boxed functions as values that expressions can call.

use std::sync::{Arc, Weak};

use orloj_expr::{EvalError, NativeFunction, native};
use orloj_types::{Function as FunctionValue, Value};
use orloj_xml::Position;

use crate::boxed::{Body, Function};
use crate::eval::conform::result_type;
use crate::eval::evaluator::Evaluator;
use crate::eval::frame::{Frame, Locals};
use crate::eval::session::{CALLS_DEEP_MAX, Session};
use crate::eval::types::feel_type;
use crate::eval::world::World;
use crate::feel::Feel;
use crate::graph::{Graph, NodeIndex, NodeKind, Service};
use crate::types::Type;

/// A function may outlive its evaluation inside a result; it is of no more use then, and must not
/// keep the session alive that holds it.
pub(crate) struct ModelFunction {
    session: Weak<Session>,
    node: NodeIndex,
    what: What,
}

enum What {
    Knowledge,
    Service,
    Boxed { function: Arc<Function>, captured: Locals },
}

impl ModelFunction {
    pub fn of_node(session: &Arc<Session>, index: NodeIndex) -> Value {
        let graph = &session.graph;
        let node = graph.node(index);
        let result = result_type(graph, &node.ty);
        let (parameters, what) = match &node.kind {
            NodeKind::Knowledge { function: Some(function) } => {
                (parameters(graph, &function.names, &function.types), What::Knowledge)
            }
            NodeKind::Service(service) => {
                let inputs = service.inputs.iter().chain(&service.input_decisions);
                let inputs = inputs.map(|&input| graph.node(input));
                let (names, types): (Vec<_>, Vec<_>) =
                    inputs.map(|input| (input.variable.clone(), input.ty.clone())).unzip();
                (parameters(graph, &names, &types), What::Service)
            }
            _ => return Value::Null,
        };
        let function = Self { session: Arc::downgrade(session), node: index, what };
        native(parameters, optional(graph, result), function)
    }

    pub fn closure(
        evaluator: &Evaluator<'_, '_>,
        function: &Arc<Function>,
        captured: Locals,
    ) -> Value {
        let graph = evaluator.graph();
        let parameters = parameters(graph, &function.names, &function.types);
        let what = What::Boxed { function: function.clone(), captured };
        let session = Arc::downgrade(evaluator.session);
        native(parameters, None, Self { session, node: evaluator.index, what })
    }
}

impl NativeFunction for ModelFunction {
    fn call(&self, arguments: Vec<Value>, feel: &mut Feel<'_>) -> Result<Value, EvalError> {
        let Some(session) = self.session.upgrade() else { return Ok(Value::Null) };
        // What was odd so far belongs to the expression that calls.
        session.report_warnings(feel.take_warnings());
        let node = session.graph.node(self.node);
        if !session.enter_call() {
            let message = format!("calls are nested deeper than {CALLS_DEEP_MAX}");
            session.error(node, node.position, "calls-too-deep", message);
            return Ok(Value::Null);
        }
        let value = match self.allowed(&session, &arguments, feel) {
            false => Value::Null,
            true => self.applied(&session, arguments, feel),
        };
        session.leave_call();
        match session.failure() {
            Some(error) => Err(error),
            None => Ok(value),
        }
    }
}

impl ModelFunction {
    /// The types of the arguments were looked at before the call, the allowed values were not.
    fn allowed(&self, session: &Arc<Session>, arguments: &[Value], feel: &mut Feel<'_>) -> bool {
        let graph = &session.graph;
        let node = graph.node(self.node);
        let evaluator = Evaluator::new(session, self.node, feel);
        let fits = |(argument, ty): (&Value, &Type)| {
            let fits = evaluator.coerced(argument.clone(), Some(ty)).is_ok();
            if !fits {
                let ty = graph.type_name(ty);
                let message = format!("an argument is not one of the allowed values of {ty}");
                evaluator.error(node.position, "argument-not-allowed", message);
            }
            fits
        };
        match (&self.what, &node.kind) {
            (What::Boxed { function, .. }, _)
            | (What::Knowledge, NodeKind::Knowledge { function: Some(function) }) => {
                arguments.iter().zip(&function.types).all(fits)
            }
            (What::Service, NodeKind::Service(service)) => {
                let inputs = service.inputs.iter().chain(&service.input_decisions);
                arguments.iter().zip(inputs.map(|&input| &graph.node(input).ty)).all(fits)
            }
            _ => false,
        }
    }

    fn applied(&self, session: &Arc<Session>, arguments: Vec<Value>, feel: &mut Feel<'_>) -> Value {
        let node = session.graph.node(self.node);
        match &self.what {
            What::Boxed { function, captured } => {
                apply(session, self.node, feel, (function, captured), arguments)
            }
            What::Knowledge => {
                let NodeKind::Knowledge { function: Some(function) } = &node.kind else {
                    unreachable!("made for a knowledge model with logic")
                };
                let mut surroundings = Locals::new();
                for required in &node.requires {
                    let value = Self::of_node(session, required.node);
                    let name = session.graph.node(required.node).variable.clone();
                    match &required.import {
                        None => {
                            surroundings.insert(name, value);
                        }
                        Some(import) => insert_within(&mut surroundings, import, name, value),
                    }
                }
                let itself = Self::of_node(session, self.node);
                surroundings.entry(node.variable.clone()).or_insert(itself);
                apply(session, self.node, feel, (function, &surroundings), arguments)
            }
            What::Service => {
                let NodeKind::Service(service) = &node.kind else {
                    unreachable!("made for a service")
                };
                serve(session, service, arguments, feel)
            }
        }
    }
}

fn apply(
    session: &Arc<Session>,
    node: NodeIndex,
    feel: &mut Feel<'_>,
    (function, surroundings): (&Function, &Locals),
    arguments: Vec<Value>,
) -> Value {
    // In Camunda's engines functions see what their caller sees.
    let sees_all = session.graph.mode.sees_callers_variables();
    let caller = sees_all.then_some(feel.environment().scope);
    let evaluator = Evaluator::new(session, node, feel);
    match &function.body {
        Body::Feel(body) => {
            let locals = function.names.iter().cloned().zip(arguments).collect();
            let outer = Frame::root(surroundings, caller);
            evaluator.boxed(body, &Frame::within(&locals, &outer))
        }
        Body::Foreign(kind) => {
            let message = format!("functions of the kind {kind} are not supported");
            evaluator.error(function.position, "foreign-function", message);
            Value::Null
        }
    }
}

impl Evaluator<'_, '_> {
    /// The value of a call as one of the type that the node gives.
    pub fn result_of(&self, value: Value) -> Value {
        let node = self.node();
        let ty = result_type(self.graph(), &node.ty);
        self.checked(value, Some(ty), node.position, "the result")
    }

    /// A call by the names of the parameters. A name that the function does not have makes the
    /// result null.
    pub fn call_named(
        &self,
        function: &FunctionValue,
        arguments: Vec<(Arc<str>, Value)>,
        position: Position,
    ) -> Value {
        let parameters = function.0.parameters();
        let unknown = arguments.iter().find(|(name, _)| !parameters.contains(name));
        if let Some((name, _)) = unknown {
            let message = format!("the function has no parameter \"{name}\"");
            self.error(position, "unknown-parameter", message);
            return Value::Null;
        }
        let mut values = vec![Value::Null; parameters.len()];
        for (name, value) in arguments {
            if let Some(at) = parameters.iter().position(|parameter| *parameter == name) {
                values[at] = value;
            }
        }
        let text: Arc<str> = "".into();
        self.session.open(self.index, position, &text);
        let called = {
            let mut feel = self.feel.borrow_mut();
            let called = feel.call_function(&Value::Function(function.clone()), values);
            self.session.report_warnings(feel.take_warnings());
            called
        };
        self.session.close();
        called.unwrap_or_else(|error| {
            self.failed(&error, position);
            Value::Null
        })
    }
}

/// The outputs of a service under inputs that were given.
pub(crate) fn serve(
    session: &Arc<Session>,
    service: &Service,
    arguments: Vec<Value>,
    feel: &mut Feel<'_>,
) -> Value {
    let mut world = World::new(session, None);
    for (&input, value) in service.inputs.iter().chain(&service.input_decisions).zip(arguments) {
        world.give(input, value);
    }
    outputs(session, service, &mut world, feel)
}

pub(crate) fn outputs(
    session: &Arc<Session>,
    service: &Service,
    world: &mut World<'_>,
    feel: &mut Feel<'_>,
) -> Value {
    match &service.outputs[..] {
        [only] => world.value(*only, feel),
        several => {
            let entry = |&output: &NodeIndex| {
                let name = session.graph.node(output).variable.clone();
                (name, world.value(output, feel))
            };
            Value::Map(Arc::new(several.iter().map(entry).collect()))
        }
    }
}

fn parameters(
    graph: &Graph,
    names: &[Arc<str>],
    types: &[Type],
) -> Vec<(Arc<str>, Option<orloj_expr::Type>)> {
    names.iter().cloned().zip(types.iter().map(|ty| optional(graph, ty))).collect()
}

/// Camunda 7 has no types here.
fn optional(graph: &Graph, ty: &Type) -> Option<orloj_expr::Type> {
    (!graph.mode.offers_outputs() && *ty != Type::Any).then(|| feel_type(ty))
}

fn insert_within(locals: &mut Locals, import: &Arc<str>, name: Arc<str>, value: Value) {
    let mut entries = match locals.get(import) {
        Some(Value::Map(entries)) => (**entries).clone(),
        _ => Locals::new(),
    };
    entries.insert(name, value);
    locals.insert(import.clone(), Value::Map(Arc::new(entries)));
}
