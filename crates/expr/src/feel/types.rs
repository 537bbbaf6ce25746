//! Types, as `instance of` and parameters name them.

use std::fmt;
use std::sync::Arc;

use orloj_types::{Temporal, Value};

use super::closure;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Any,
    Null,
    Boolean,
    Number,
    Text,
    Date,
    Time,
    DateTime,
    YearsMonths,
    DaysTime,
    /// Any function, any list, any context, any range: as plain words.
    AnyList,
    AnyContext,
    AnyFunction,
    AnyRange,
    List(Box<Type>),
    Context(Vec<(Arc<str>, Type)>),
    Range(Box<Type>),
    Function(Vec<Type>, Box<Type>),
    /// Of the model: item definitions.
    Named(Arc<str>),
}

/// Knows the types that a model defines.
pub trait Types {
    /// Whether the value is one of the type; `None` when there is no such type.
    fn conforms(&self, name: &str, value: &Value) -> Option<bool>;

    /// What the name stands for, where it is made of the types of FEEL alone.
    fn resolve(&self, _name: &str) -> Option<Type> {
        None
    }
}

/// Names of several words first.
pub(super) const TYPE_NAMES: [(&str, Type); 22] = [
    ("years and months duration", Type::YearsMonths),
    ("days and time duration", Type::DaysTime),
    ("year-month-duration", Type::YearsMonths),
    ("day-time-duration", Type::DaysTime),
    ("date and time", Type::DateTime),
    ("date-time", Type::DateTime),
    ("yearMonthDuration", Type::YearsMonths),
    ("dayTimeDuration", Type::DaysTime),
    ("dateTime", Type::DateTime),
    ("date", Type::Date),
    ("time", Type::Time),
    ("number", Type::Number),
    ("string", Type::Text),
    ("boolean", Type::Boolean),
    ("Any", Type::Any),
    ("any", Type::Any),
    ("Null", Type::Null),
    ("null", Type::Null),
    ("list", Type::AnyList),
    ("context", Type::AnyContext),
    ("function", Type::AnyFunction),
    ("range", Type::AnyRange),
];

impl Type {
    /// Whether `value` is one of this type; `None` when a name is not known. Null is of no type
    /// but its own.
    pub fn holds(&self, value: &Value, types: Option<&dyn Types>) -> Option<bool> {
        Some(match (self, value) {
            (Self::Named(name), _) => return types?.conforms(name, value),
            (Self::Null, _) => value.is_null(),
            (_, Value::Null) => false,
            (Self::Any, _)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Int(_) | Value::Double(_) | Value::Decimal(_))
            | (Self::Text, Value::Text(_))
            | (Self::AnyList, Value::List(_))
            | (Self::AnyContext, Value::Map(_))
            | (Self::AnyFunction, Value::Function(_))
            | (Self::AnyRange, Value::Range(_)) => true,
            (_, Value::Temporal(temporal)) => self.holds_temporal(temporal),
            (Self::List(of), Value::List(items)) => {
                return all(items.iter().map(|item| of.accepts(item, types)));
            }
            (Self::Context(members), Value::Map(entries)) => {
                return all(members.iter().map(|(name, of)| match entries.get(name) {
                    Some(entry) => of.accepts(entry, types),
                    None => Some(false),
                }));
            }
            (Self::Range(of), Value::Range(range)) => {
                let low = of.accepts(&range.low, types)?;
                low && of.accepts(&range.high, types)?
            }
            (Self::Function(parameters, result), Value::Function(function)) => {
                closure::conforms(function, parameters, result)
            }
            _ => false,
        })
    }

    /// Whether it takes more than a look at the outside to tell what is of this type.
    pub(super) fn is_about_parts(&self) -> bool {
        matches!(self, Self::List(_) | Self::Context(_) | Self::Range(_) | Self::Named(_))
    }

    /// As a part of a whole, where null stands for a value that is not known.
    pub fn accepts(&self, value: &Value, types: Option<&dyn Types>) -> Option<bool> {
        if value.is_null() { Some(true) } else { self.holds(value, types) }
    }

    /// Whether every value of this type is one of `other`.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, _) | (_, Self::Any) => true,
            (Self::List(_), Self::AnyList)
            | (Self::Context(_), Self::AnyContext)
            | (Self::Range(_), Self::AnyRange)
            | (Self::Function(..), Self::AnyFunction) => true,
            (Self::AnyList, Self::List(of)) => **of == Self::Any,
            (Self::List(a), Self::List(b)) | (Self::Range(a), Self::Range(b)) => a.is_within(b),
            (Self::Context(a), Self::Context(b)) => b.iter().all(|(name, of)| {
                a.iter().any(|(other, found)| other == name && found.is_within(of))
            }),
            (Self::Function(a, from), Self::Function(b, to)) => {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| b.is_within(a))
                    && from.is_within(to)
            }
            _ => self == other,
        }
    }

    fn holds_temporal(&self, temporal: &Temporal) -> bool {
        matches!(
            (self, temporal),
            (Self::Date, Temporal::Date(_))
                | (Self::Time, Temporal::Time(_))
                | (Self::DateTime, Temporal::DateTime(_))
                | (Self::YearsMonths, Temporal::Months(_))
                | (Self::DaysTime, Temporal::Nanos(_))
        )
    }
}

/// False as soon as one is; else unknown as soon as one is.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = false,
        }
    }
    known.then_some(true)
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(of) => write!(f, "list<{of}>"),
            Self::Range(of) => write!(f, "range<{of}>"),
            Self::Context(members) => {
                f.write_str("context<")?;
                for (at, (name, of)) in members.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}{}: {of}", super::print::key_text(name))?;
                }
                f.write_str(">")
            }
            Self::Function(parameters, result) => {
                f.write_str("function<")?;
                for (at, of) in parameters.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}{of}")?;
                }
                write!(f, "> -> {result}")
            }
            Self::Named(name) => f.write_str(&super::print::name_text(name)),
            plain => {
                let found = TYPE_NAMES.iter().find(|(_, of)| of == plain);
                f.write_str(found.map_or("Any", |(name, _)| name))
            }
        }
    }
}
