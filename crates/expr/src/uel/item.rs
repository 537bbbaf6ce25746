use std::sync::Arc;

use orloj_types::Value;

use super::host::{Argument, Holder};
use super::moment::Moment;
use crate::error::EvalError;

/// What a step of a path stands on: a value, or something that only has methods.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Value(Value),
    Holder(Holder),
    Bean(Arc<str>),
    /// A variable with what is known about it.
    Variable(Arc<str>, Value),
    /// A date with a zone, as `dateTime()` gives it.
    Moment(Moment),
    /// A node of JSON.
    Spin(Value),
    /// Nodes of JSON.
    Spins(Arc<Vec<Value>>),
}

impl Item {
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Value(value) if value.is_null())
    }

    /// As the result of an expression or an operand.
    pub fn into_value(self, offset: usize) -> Result<Value, EvalError> {
        match self {
            Self::Value(value) | Self::Spin(value) | Self::Variable(_, value) => Ok(value),
            Self::Spins(values) => Ok(Value::List(values)),
            Self::Moment(moment) => moment.to_date(offset),
            Self::Holder(_) | Self::Bean(_) => {
                let message = format!("{} is no value", self.describe());
                Err(EvalError::operands(message, offset))
            }
        }
    }

    pub fn into_argument(self, offset: usize) -> Result<Argument, EvalError> {
        Ok(match self {
            Self::Holder(holder) => Argument::Holder(holder),
            Self::Bean(name) => Argument::Bean(name),
            other => Argument::Value(other.into_value(offset)?),
        })
    }

    /// As an operand of a comparison, where objects count too.
    pub fn into_operand(self, offset: usize) -> Result<Value, EvalError> {
        match self {
            Self::Holder(_) | Self::Bean(_) => Ok(Value::text(self.describe())),
            other => other.into_value(offset),
        }
    }

    /// For messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Value(value) => format!("a {}", value.type_name()),
            Self::Holder(holder) => format!("the {}", holder.describe()),
            Self::Variable(name, _) => format!("the variable '{name}'"),
            Self::Bean(name) => format!("the bean '{name}'"),
            Self::Moment(_) => "a date and time".into(),
            Self::Spin(_) => "a node of JSON".into(),
            Self::Spins(_) => "a list of JSON nodes".into(),
        }
    }
}
