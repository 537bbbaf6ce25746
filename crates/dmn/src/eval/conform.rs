//! Whether values are of their types, and the conversions of the standard where they are not.

use std::cell::Cell;
use std::sync::Arc;

use orloj_types::{Clock, DateTime, Temporal, Time, Timestamp, Value, Zone};

use crate::feel::Tests;
use crate::graph::{Graph, ItemIndex, Shape};
use crate::options::Mode;
use crate::types::Type;

/// Item definitions inside item definitions, of values that are as deep.
const DEPTH_MAX: usize = 200;

/// Parts of values that are looked at in one check, which takes a few milliseconds.
const STEPS_MAX: usize = 250_000;

/// Checks one value. Tests of allowed values see nothing but the value, so that they need no
/// session of their own.
pub(crate) struct Conformance<'c> {
    graph: &'c Graph,
    now: Timestamp,
    steps: Cell<usize>,
    /// `instance of` asks for the type alone, whatever values of it are allowed.
    ignores_allowed: bool,
}

impl<'c> Conformance<'c> {
    pub fn new(graph: &'c Graph, now: Timestamp) -> Self {
        Self { graph, now, steps: Cell::new(0), ignores_allowed: false }
    }

    pub fn of_types_alone(graph: &'c Graph, now: Timestamp) -> Self {
        Self { ignores_allowed: true, ..Self::new(graph, now) }
    }

    /// What it has cost so far.
    pub fn steps(&self) -> usize {
        self.steps.get()
    }

    fn step(&self) -> bool {
        self.steps.set(self.steps.get() + 1);
        self.steps.get() <= STEPS_MAX
    }

    pub fn passes(&self, tests: &Tests, value: &Value) -> bool {
        self.step() && tests.passes_alone(value, self.now)
    }

    /// The value as one of the type: itself, the one item of a list, a list of itself, midnight
    /// of a date; nothing when none of these fits. Null is of every type.
    pub fn coerced(&self, value: Value, ty: &Type) -> Option<Value> {
        match self.graph.mode {
            Mode::Standard => self.coerced_by_standard(value, ty),
            // Zeebe looks at the types of results alone.
            Mode::Camunda8 => Some(value),
            Mode::Camunda7 => camunda7(value, ty),
            Mode::Flowable => flowable(value, ty),
        }
    }

    /// The same for the result of a decision.
    pub fn coerced_result(&self, value: Value, ty: &Type) -> Option<Value> {
        match self.graph.mode {
            Mode::Standard | Mode::Camunda7 | Mode::Flowable => self.coerced(value, ty),
            Mode::Camunda8 => camunda8(value, ty),
        }
    }

    fn coerced_by_standard(&self, value: Value, ty: &Type) -> Option<Value> {
        if self.conforms(&value, ty) {
            return Some(value);
        }
        if let Value::List(items) = &value {
            return match &items[..] {
                [only] if !only.is_null() && self.conforms(only, ty) => Some(only.clone()),
                _ => None,
            };
        }
        if let Some(Temporal::Date(date)) = value.as_temporal() {
            let time = Time { clock: Clock::default(), zone: Zone::UTC };
            let midnight = Value::temporal(DateTime { date: *date, time });
            if self.conforms(&midnight, ty) {
                return Some(midnight);
            }
        }
        let list = Value::list(vec![value]);
        self.conforms(&list, ty).then_some(list)
    }

    pub fn conforms(&self, value: &Value, ty: &Type) -> bool {
        self.conforms_at(value, ty, 0)
    }

    fn conforms_at(&self, value: &Value, ty: &Type, depth: usize) -> bool {
        if value.is_null() || *ty == Type::Any {
            return true;
        }
        if depth > DEPTH_MAX || !self.step() {
            return false;
        }
        match (ty, value) {
            (
                Type::Number | Type::Integer | Type::Double,
                Value::Int(_) | Value::Double(_) | Value::Decimal(_),
            )
            | (Type::Text, Value::Text(_))
            | (Type::Bool, Value::Bool(_))
            | (Type::Context, Value::Map(_))
            | (Type::Function, Value::Function(_)) => true,
            (Type::List(of), Value::List(items)) => {
                items.iter().all(|item| self.conforms_at(item, of, depth + 1))
            }
            (Type::Range(of), Value::Range(range)) => {
                self.conforms_at(&range.low, of, depth + 1)
                    && self.conforms_at(&range.high, of, depth + 1)
            }
            (Type::Item(item), _) => self.conforms_to_item(value, *item, depth + 1),
            (_, Value::Temporal(temporal)) => is_temporal(ty, temporal),
            _ => false,
        }
    }

    fn conforms_to_item(&self, value: &Value, index: ItemIndex, depth: usize) -> bool {
        let item = self.graph.item(index);
        let fits = |value: &Value| {
            value.is_null()
                || (self.has_shape(value, &item.shape, depth)
                    && self.is_allowed(item.allowed.as_ref(), value))
        };
        let has_type = match (item.is_collection, value) {
            (false, _) => fits(value),
            (true, Value::List(items)) => items.iter().all(fits),
            (true, _) => false,
        };
        has_type && self.is_allowed(item.constraint.as_ref(), value)
    }

    fn is_allowed(&self, tests: Option<&Tests>, value: &Value) -> bool {
        self.ignores_allowed || tests.is_none_or(|tests| self.passes(tests, value))
    }

    fn has_shape(&self, value: &Value, shape: &Shape, depth: usize) -> bool {
        match (shape, value) {
            (Shape::Of(ty), _) => self.conforms_at(value, ty, depth),
            (Shape::Components(components), Value::Map(entries)) => {
                components.iter().all(|(name, ty)| match entries.get(name) {
                    Some(entry) => self.conforms_at(entry, ty, depth),
                    None => false,
                })
            }
            (Shape::Function { parameters, .. }, Value::Function(function)) => {
                function.0.parameters().len() == parameters.len()
            }
            _ => false,
        }
    }
}

/// Zeebe takes no value for another; types that are not FEEL's it does not know.
fn camunda8(value: Value, ty: &Type) -> Option<Value> {
    let fits = match (ty, &value) {
        (_, Value::Null) => true,
        (Type::Number, _) => {
            matches!(value, Value::Int(_) | Value::Double(_) | Value::Decimal(_))
        }
        (Type::Text, _) => matches!(value, Value::Text(_)),
        (Type::Bool, _) => matches!(value, Value::Bool(_)),
        (_, Value::Temporal(temporal)) => is_temporal(ty, temporal),
        (
            Type::Date | Type::Time | Type::DateTime | Type::DaysDuration | Type::MonthsDuration,
            _,
        ) => false,
        _ => true,
    };
    fits.then_some(value)
}

fn is_temporal(ty: &Type, temporal: &Temporal) -> bool {
    matches!(
        (ty, temporal),
        (Type::Date, Temporal::Date(_))
            | (Type::Time, Temporal::Time(_))
            | (Type::DateTime, Temporal::DateTime(_))
            | (Type::MonthsDuration, Temporal::Months(_))
            | (Type::DaysDuration, Temporal::Nanos(_))
    )
}

/// Camunda 7 converts by the type of the column; what it cannot convert is an error there. It
/// knows types of Java; others, FEEL's `number` among them, it takes for anything.
fn camunda7(value: Value, ty: &Type) -> Option<Value> {
    Some(match (ty, &value) {
        (_, Value::Null) => value,
        (Type::Text, Value::Text(_)) => value,
        (Type::Text, Value::Temporal(temporal)) => Value::text(temporal.to_string()),
        (Type::Text, _) => Value::text(value.to_json()),
        (Type::Integer, Value::Text(text)) => Value::Int(text.parse().ok()?),
        (Type::Integer, Value::Int(_)) => value,
        (Type::Integer, _) => Value::Int(double_of(&value)? as i64),
        (Type::Double, Value::Text(text)) => Value::Double(text.trim().parse().ok()?),
        (Type::Double, _) => Value::Double(double_of(&value)?),
        (Type::Bool, Value::Bool(_)) => value,
        (Type::Bool, Value::Text(text)) => Value::Bool(text.eq_ignore_ascii_case("true")),
        (Type::Bool, _) => return None,
        (Type::Date, Value::Temporal(_)) => value,
        (Type::Date, Value::Text(text)) => Value::temporal(DateTime::parse(text)?),
        (Type::Date, _) => return None,
        _ => value,
    })
}

/// Flowable converts the outputs by the types of their columns: all numbers are doubles.
fn flowable(value: Value, ty: &Type) -> Option<Value> {
    Some(match (ty, &value) {
        (Type::Number, Value::Text(text)) => Value::Double(text.trim().parse().ok()?),
        (Type::Number, Value::Null) => value,
        (Type::Number, _) => Value::Double(double_of(&value)?),
        (Type::Bool, Value::Int(_) | Value::Double(_) | Value::Decimal(_)) => Value::Bool(false),
        _ => return camunda7(value, ty),
    })
}

pub(super) fn double_of(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Double(number) => Some(*number),
        Value::Decimal(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// The type of what a call gives: knowledge models and services name the type of the function,
/// or, as older models do, of its result.
pub(crate) fn result_type<'t>(graph: &'t Graph, ty: &'t Type) -> &'t Type {
    let mut seen = ty;
    for _ in 0..DEPTH_MAX {
        match seen {
            Type::Item(index) => match &graph.item(*index).shape {
                Shape::Function { result, .. } => return result,
                Shape::Of(next) if !graph.item(*index).is_collection => seen = next,
                _ => return ty,
            },
            Type::Function => return &Type::Any,
            _ => return ty,
        }
    }
    ty
}

pub(crate) fn list_of(value: Value) -> Arc<Vec<Value>> {
    match value {
        Value::List(items) => items,
        other => Arc::new(vec![other]),
    }
}
