//! Types as models name them.

use std::sync::Arc;

use crate::graph::ItemIndex;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Any,
    Number,
    /// Camunda 7's; numbers like all others for everybody else.
    Integer,
    Double,
    Text,
    Bool,
    Date,
    Time,
    DateTime,
    DaysDuration,
    MonthsDuration,
    /// A context of any shape.
    Context,
    /// A function of any shape.
    Function,
    List(Arc<Type>),
    Range(Arc<Type>),
    Item(ItemIndex),
}

impl Type {
    pub fn list(of: Type) -> Self {
        Self::List(Arc::new(of))
    }

    /// The built-in types in the spellings of FEEL, of DMN 1.1, and of Camunda 7's tables.
    pub fn built_in(name: &str) -> Option<Self> {
        Some(match name {
            "Any" | "any" | "Null" => Self::Any,
            "number" => Self::Number,
            "integer" | "long" => Self::Integer,
            "double" => Self::Double,
            "string" => Self::Text,
            "boolean" => Self::Bool,
            "date" => Self::Date,
            "time" => Self::Time,
            "date and time" | "dateTime" => Self::DateTime,
            "days and time duration" | "dayTimeDuration" => Self::DaysDuration,
            "years and months duration" | "yearMonthDuration" => Self::MonthsDuration,
            "context" => Self::Context,
            "function" => Self::Function,
            "list" => Self::list(Self::Any),
            "range" => Self::Range(Arc::new(Self::Any)),
            _ => return None,
        })
    }
}
