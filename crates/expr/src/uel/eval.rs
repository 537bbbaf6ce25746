//! Walks the tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

use super::ast::{Access, Kind, Node, Operator, Part, Program, Step};
use super::coerce::{to_bool, to_decimal};
use super::holder::{of_variable, uncapitalized};
use super::host::{Effect, Holder, Host, Place, Profile};
use super::item::Item;
use super::methods;
use super::operators::{apply, is_empty, negate};
use crate::environment::Environment;
use crate::error::EvalError;
use crate::meter::Meter;
use crate::number::scaled;

pub(crate) fn evaluate(
    program: &Program,
    environment: &Environment<'_>,
) -> Result<(Value, Vec<Effect>), EvalError> {
    let mut evaluator = Evaluator {
        environment,
        profile: environment.host.map_or(Profile::Camunda, |host| host.profile()),
        meter: Meter::new(environment.budget),
        effects: Vec::new(),
    };
    let value = match &program.parts[..] {
        [Part::Expression(node)] => evaluator.value(node, 0)?,
        parts => evaluator.composite(parts)?,
    };
    // Parts are shared in memory; on paper they may be far larger.
    if matches!(value, Value::List(_) | Value::Map(_)) {
        evaluator.meter.result(&value, 0)?;
    }
    for effect in &evaluator.effects {
        if let Effect::SetVariable { value, .. } = effect {
            evaluator.meter.result(value, 0)?;
        }
    }
    Ok((value, evaluator.effects))
}

pub(super) struct Evaluator<'a> {
    pub environment: &'a Environment<'a>,
    pub profile: Profile,
    pub meter: Meter,
    pub effects: Vec<Effect>,
}

type Outcome = Result<Value, EvalError>;

impl<'a> Evaluator<'a> {
    pub(super) fn host(&self) -> Option<&'a dyn Host> {
        self.environment.host
    }

    fn composite(&mut self, parts: &[Part]) -> Outcome {
        let mut out = String::new();
        for part in parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Expression(node) => {
                    let item = self.item(node, 0)?;
                    match &item {
                        // These two write themselves otherwise than their values.
                        Item::Moment(moment) => out.push_str(&moment.iso()),
                        Item::Spin(json) => {
                            self.meter.result(json, node.at())?;
                            let text = json.to_json();
                            self.meter.bytes(text.len(), node.at())?;
                            out.push_str(&text);
                        }
                        _ => {
                            let value = item.into_value(node.at())?;
                            out.push_str(&self.java_text(&value, node.at())?);
                        }
                    }
                }
            }
        }
        Ok(Value::text(out))
    }

    pub(super) fn value(&mut self, node: &Node, depth: usize) -> Outcome {
        match &node.kind {
            // What can be something else than a value.
            Kind::Name(_) | Kind::Path(..) | Kind::Function(_) | Kind::Choice(_) => {
                self.item(node, depth)?.into_value(node.at())
            }
            Kind::Literal(value) => {
                self.meter.step(depth, node.at())?;
                Ok(value.clone())
            }
            _ => {
                self.meter.step(depth, node.at())?;
                self.operation(node, depth + 1)
            }
        }
    }

    fn item(&mut self, node: &Node, depth: usize) -> Result<Item, EvalError> {
        self.meter.step(depth, node.at())?;
        let depth = depth + 1;
        match &node.kind {
            Kind::Literal(value) => Ok(Item::Value(value.clone())),
            Kind::Name(name) => self
                .name(name)
                .ok_or_else(|| EvalError::UnknownName { name: name.clone(), offset: node.at() }),
            Kind::Path(base, steps) => self.path(base, steps, depth),
            Kind::Function(call) => self.function(call, node.at(), depth),
            Kind::Choice(parts) => {
                let (condition, yes, no) = &**parts;
                let chosen = if self.condition(condition, depth)? { yes } else { no };
                self.item(chosen, depth)
            }
            _ => self.operation(node, depth).map(Item::Value),
        }
    }

    fn operation(&mut self, node: &Node, depth: usize) -> Outcome {
        match &node.kind {
            Kind::Chain(first, operands) => {
                let compares = operands.iter().any(|operand| operand.operator.is_equality());
                let mut left = self.operand(first, compares, depth)?;
                for operand in operands {
                    let right = self.operand(&operand.node, compares, depth)?;
                    let offset = operand.offset as usize;
                    left = self.operator(operand.operator, &left, &right, offset)?;
                }
                Ok(left)
            }
            Kind::All(nodes) => self.junction(nodes, false, depth),
            Kind::Any(nodes) => self.junction(nodes, true, depth),
            Kind::Not(operand) => Ok(Value::Bool(!self.condition(operand, depth)?)),
            Kind::Empty(operand) => Ok(Value::Bool(is_empty(&self.operand(operand, true, depth)?))),
            Kind::Negate(operand) => negate(&self.value(operand, depth)?, node.at()),
            // The others may be items.
            _ => self.item(node, depth)?.into_value(node.at()),
        }
    }

    /// What is compared may be an object, which is equal to itself alone.
    fn operand(&mut self, node: &Node, compares: bool, depth: usize) -> Outcome {
        match &node.kind {
            Kind::Name(_) | Kind::Path(..) if compares => {
                self.item(node, depth)?.into_operand(node.at())
            }
            _ => self.value(node, depth),
        }
    }

    #[inline]
    fn operator(&mut self, operator: Operator, a: &Value, b: &Value, offset: usize) -> Outcome {
        if self.profile == Profile::Flowable
            && let Some(outcome) = in_flowable(operator, a, b, offset)
        {
            return outcome;
        }
        apply(operator, a, b, &mut self.meter, offset)
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

    /// A variable as it is by now, own changes included.
    pub(super) fn variable(&self, name: &str) -> Option<Value> {
        for effect in self.effects.iter().rev() {
            match effect {
                Effect::SetVariable { name: set, value, .. } if **set == *name => {
                    return Some(value.clone());
                }
                Effect::RemoveVariable { name: removed, .. } if **removed == *name => return None,
                _ => {}
            }
        }
        self.environment.scope.get(name)
    }

    fn name(&self, name: &Arc<str>) -> Option<Item> {
        if let Some(value) = self.variable(name) {
            return Some(Item::Value(value));
        }
        let host = self.host()?;
        if let Some(holder) = Holder::named(name).filter(|&holder| self.exists(holder)) {
            return Some(Item::Holder(holder));
        }
        match &**name {
            // Null where nobody is known.
            "authenticatedUserId" => {
                Some(Item::Value(host.user().map_or(Value::Null, Value::Text)))
            }
            _ => {
                let beans = host.beans()?;
                let value = beans.value(name).map(Item::Value);
                value.or_else(|| beans.contains(name).then(|| Item::Bean(name.clone())))
            }
        }
    }

    fn path(&mut self, base: &Node, steps: &[Step], depth: usize) -> Result<Item, EvalError> {
        let mut item = self.item(base, depth)?;
        // What leads from the variable to the present holder, for methods that change it.
        let mut trail = match &base.kind {
            Kind::Name(name) if steps.iter().any(Step::is_call) => Some(Trail::new(name)),
            _ => None,
        };
        for step in steps {
            let offset = step.offset as usize;
            if item.is_null() {
                if step.is_call() && self.profile == Profile::Camunda {
                    return Err(EvalError::operands("a method of null cannot be called", offset));
                }
                continue;
            }
            item = match &step.access {
                Access::Member(name) => {
                    if let Some(trail) = &mut trail {
                        trail.push(Value::Text(name.clone()));
                    }
                    self.member(&item, name, offset)?
                }
                Access::Index(index) => {
                    let index = self.value(index, depth)?;
                    let found = self.element(&item, &index, offset)?;
                    if let Some(trail) = &mut trail {
                        trail.push(index);
                    }
                    found
                }
                Access::Call(method, arguments) => {
                    let arguments = self.arguments(arguments, depth)?;
                    self.method(item, method, arguments, &mut trail, offset)?
                }
                Access::CallIndex(index, arguments) => {
                    let method = self.value(index, depth)?;
                    let method = self.java_text(&method, offset)?;
                    let arguments = self.arguments(arguments, depth)?;
                    self.method(item, &method, arguments, &mut trail, offset)?
                }
            };
        }
        Ok(item)
    }

    fn arguments(&mut self, nodes: &[Node], depth: usize) -> Result<Vec<Item>, EvalError> {
        nodes.iter().map(|node| self.item(node, depth)).collect()
    }

    fn method(
        &mut self,
        item: Item,
        method: &str,
        arguments: Vec<Item>,
        trail: &mut Option<Trail>,
        offset: usize,
    ) -> Result<Item, EvalError> {
        match item {
            Item::Holder(holder) => self.holder_method(holder, method, &arguments, offset),
            Item::Bean(bean) => self.bean_method(&bean, method, arguments, offset),
            Item::Variable(name, value) => {
                let property = method.strip_prefix("get").map(uncapitalized);
                let found = property.and_then(|property| of_variable(&name, &value, &property));
                match found.filter(|_| arguments.is_empty()) {
                    Some(value) => Ok(Item::Value(value)),
                    None => {
                        let receiver = Item::Variable(name, value).describe();
                        Err(self.call(method, &arguments, offset).unknown(&receiver))
                    }
                }
            }
            item => {
                let called = methods::call(&item, &mut self.call(method, &arguments, offset))?;
                if let (Some(trail), Some(changed)) = (trail.as_ref(), called.changed) {
                    self.change(trail, changed);
                }
                // What a method gives is reached through no variable.
                *trail = None;
                Ok(called.result)
            }
        }
    }

    /// The variable gets the value that it has with the change in it.
    fn change(&mut self, trail: &Trail, changed: Value) {
        let Some(root) = self.variable(&trail.name) else { return };
        let value = replace(&root, &trail.keys, changed);
        let (place, name) = (Place::Nearest(Holder::Execution), trail.name.clone());
        self.effects.push(Effect::SetVariable { place, name, value });
    }

    fn member(&mut self, item: &Item, name: &str, offset: usize) -> Result<Item, EvalError> {
        match item {
            Item::Value(Value::Map(entries)) => {
                Ok(Item::Value(entries.get(name).cloned().unwrap_or_default()))
            }
            Item::Value(Value::List(items)) => match (name, self.profile) {
                // Arrays are lists here.
                ("length", Profile::Flowable) => Ok(Item::Value(Value::Int(items.len() as i64))),
                _ => list_item(items, parse_index(name, offset)?).map(Item::Value),
            },
            Item::Holder(holder) => self.holder_property(*holder, name, offset),
            Item::Variable(variable, value) => match of_variable(variable, value, name) {
                Some(value) => Ok(Item::Value(value)),
                None => Err(unknown_property(name, item, offset)),
            },
            Item::Bean(bean) => self.bean_property(bean, name, offset),
            Item::Spins(nodes) => {
                let node = list_item(nodes, parse_index(name, offset)?)?;
                Ok(Item::Spin(node))
            }
            other => {
                let mut call = self.call(name, &[], offset);
                match methods::property(other, name, &mut call) {
                    Some(called) => Ok(called?.result),
                    None => Err(unknown_property(name, other, offset)),
                }
            }
        }
    }

    fn element(&mut self, item: &Item, index: &Value, offset: usize) -> Result<Item, EvalError> {
        let value = match (item, index) {
            (Item::Value(Value::Map(_) | Value::List(_)), Value::Null) => Value::Null,
            (_, Value::Text(name)) => return self.member(item, name, offset),
            // The keys of a map are texts, and no other type equals one.
            (Item::Value(Value::Map(_)), _) => Value::Null,
            (Item::Value(Value::List(items)), index) => {
                list_item(items, number_index(index, offset)?)?
            }
            (Item::Spins(nodes), index) => {
                let node = list_item(nodes, number_index(index, offset)?)?;
                return Ok(Item::Spin(node));
            }
            (other, index) => {
                let name = self.java_text(index, offset)?;
                return Err(unknown_property(&name, other, offset));
            }
        };
        Ok(Item::Value(value))
    }
}

/// Where a value was found: a variable, and the keys and indexes from there.
struct Trail {
    name: Arc<str>,
    keys: Vec<Value>,
}

impl Trail {
    fn new(name: &Arc<str>) -> Self {
        Self { name: name.clone(), keys: Vec::new() }
    }

    fn push(&mut self, key: Value) {
        self.keys.push(key);
    }
}

impl Step {
    fn is_call(&self) -> bool {
        matches!(self.access, Access::Call(..) | Access::CallIndex(..))
    }
}

/// `root` with `changed` at the place that `keys` lead to.
fn replace(root: &Value, keys: &[Value], changed: Value) -> Value {
    let Some((key, rest)) = keys.split_first() else { return changed };
    match (root, key) {
        (Value::Map(entries), Value::Text(name)) => {
            let mut entries = BTreeMap::clone(entries);
            let old = entries.get(name).cloned().unwrap_or_default();
            entries.insert(name.clone(), replace(&old, rest, changed));
            Value::Map(Arc::new(entries))
        }
        (Value::List(items), key) => {
            let index = match key {
                Value::Text(name) => name.parse().unwrap_or(-1),
                key => number_index(key, 0).unwrap_or(-1),
            };
            let mut items = items.to_vec();
            if let Some(item) = usize::try_from(index).ok().and_then(|at| items.get_mut(at)) {
                *item = replace(item, rest, changed);
            }
            Value::List(Arc::new(items))
        }
        _ => root.clone(),
    }
}

/// Where Flowable departs: null takes no part in arithmetic with something else, and numbers with
/// decimals among them are equal by their value.
fn in_flowable(operator: Operator, a: &Value, b: &Value, offset: usize) -> Option<Outcome> {
    match operator {
        Operator::Equal | Operator::NotEqual => {
            let has_decimal = matches!(a, Value::Decimal(_)) || matches!(b, Value::Decimal(_));
            if !has_decimal || a.is_null() || b.is_null() {
                return None;
            }
            let (a, b) = (to_decimal(a, offset).ok()?, to_decimal(b, offset).ok()?);
            let is_equal = scaled::compare(&a, &b)?.is_eq();
            Some(Ok(Value::Bool(is_equal == (operator == Operator::Equal))))
        }
        Operator::Add
        | Operator::Subtract
        | Operator::Multiply
        | Operator::Divide
        | Operator::Remainder
            if a.is_null() != b.is_null() =>
        {
            Some(Err(EvalError::operands("cannot compute with null", offset)))
        }
        _ => None,
    }
}

fn number_index(index: &Value, offset: usize) -> Result<i64, EvalError> {
    match index {
        Value::Int(index) => Ok(*index),
        Value::Double(index) => Ok(*index as i64),
        Value::Decimal(index) => Ok(scaled::to_i64(index).unwrap_or(-1)),
        Value::Null => Ok(-1),
        other => {
            let message = format!("a {} is no index of a list", other.type_name());
            Err(EvalError::operands(message, offset))
        }
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

fn unknown_property(property: &str, item: &Item, offset: usize) -> EvalError {
    let holder = match item {
        Item::Value(value) => value.type_name(),
        Item::Moment(_) => "date and time",
        Item::Variable(..) => "variable",
        _ => "node of JSON",
    };
    EvalError::UnknownProperty { property: property.to_owned(), holder, offset }
}
