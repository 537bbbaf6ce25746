//! The types of the model as expressions see them.

use std::sync::Arc;

use orloj_expr as feel;
use orloj_types::Value;

use crate::eval::conform::Conformance;
use crate::eval::session::Session;
use crate::graph::{Graph, ItemIndex, Shape};
use crate::types::Type;

/// Types inside types; where it ends a type is known by its name alone.
const DEPTH_MAX: usize = 8;
/// Marks the number of an item definition: such a name cannot be written.
const NUMBER: char = '\u{0}';

/// What a name means depends on the file whose expression is being evaluated.
pub(crate) struct ModelTypes<'m>(pub &'m Session);

impl feel::Types for ModelTypes<'_> {
    fn conforms(&self, name: &str, value: &Value) -> Option<bool> {
        let ty = self.named(name)?;
        let graph = &self.0.graph;
        let conformance = Conformance::of_types_alone(graph, self.0.now);
        let conforms = conformance.conforms(value, &ty);
        self.0.checked_parts(conformance.steps()).then_some(conforms)
    }

    fn resolve(&self, name: &str) -> Option<feel::Type> {
        resolved(&self.0.graph, &self.named(name)?, DEPTH_MAX)
    }
}

impl ModelTypes<'_> {
    fn named(&self, name: &str) -> Option<Type> {
        let graph = &self.0.graph;
        if let Some(number) = name.strip_prefix(NUMBER) {
            return number.parse().ok().map(|number| Type::Item(ItemIndex(number)));
        }
        graph.types.named(&graph.items, self.0.file(), name, 0)
    }
}

/// The type with item definitions by number.
pub(crate) fn feel_type(ty: &Type) -> feel::Type {
    match ty {
        Type::Any => feel::Type::Any,
        Type::Number | Type::Integer | Type::Double => feel::Type::Number,
        Type::Text => feel::Type::Text,
        Type::Bool => feel::Type::Boolean,
        Type::Date => feel::Type::Date,
        Type::Time => feel::Type::Time,
        Type::DateTime => feel::Type::DateTime,
        Type::DaysDuration => feel::Type::DaysTime,
        Type::MonthsDuration => feel::Type::YearsMonths,
        Type::Context => feel::Type::AnyContext,
        Type::Function => feel::Type::AnyFunction,
        Type::List(of) => feel::Type::List(Box::new(feel_type(of))),
        Type::Range(of) => feel::Type::Range(Box::new(feel_type(of))),
        Type::Item(index) => {
            let name: Arc<str> = format!("{NUMBER}{}", index.0).into();
            feel::Type::Named(name)
        }
    }
}

/// The type with item definitions spelled out.
fn resolved(graph: &Graph, ty: &Type, depth_left: usize) -> Option<feel::Type> {
    let depth_left = depth_left.checked_sub(1)?;
    let Type::Item(index) = ty else {
        return match ty {
            Type::List(of) => Some(feel::Type::List(Box::new(resolved(graph, of, depth_left)?))),
            Type::Range(of) => Some(feel::Type::Range(Box::new(resolved(graph, of, depth_left)?))),
            plain => Some(feel_type(plain)),
        };
    };
    let item = graph.item(*index);
    let of = match &item.shape {
        Shape::Of(of) => resolved(graph, of, depth_left)?,
        Shape::Components(components) => {
            let members = components
                .iter()
                .map(|(name, of)| Some((name.clone(), resolved(graph, of, depth_left)?)));
            feel::Type::Context(members.collect::<Option<Vec<_>>>()?)
        }
        Shape::Function { parameters, result } => {
            let parameters = parameters.iter().map(|of| resolved(graph, of, depth_left));
            let parameters = parameters.collect::<Option<Vec<_>>>()?;
            feel::Type::Function(parameters, Box::new(resolved(graph, result, depth_left)?))
        }
    };
    Some(if item.is_collection { feel::Type::List(Box::new(of)) } else { of })
}
