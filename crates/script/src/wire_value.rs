use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{Temporal, Timestamp, Value};
use serde::{Deserialize, Serialize};

/// A value that a script made, with the types that JSON would lose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum WireValue {
    Null,
    Bool(bool),
    Int(i64),
    /// As bits: JSON has no infinities.
    Double(u64),
    Text(String),
    /// Milliseconds since 1970.
    Date(i64),
    List(Vec<WireValue>),
    Map(Vec<(String, WireValue)>),
}

impl WireValue {
    pub(crate) fn double(number: f64) -> Self {
        Self::Double(number.to_bits())
    }

    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(flag),
            Self::Int(number) => Value::Int(number),
            Self::Double(bits) => Value::Double(f64::from_bits(bits)),
            Self::Text(text) => Value::text(text),
            Self::Date(ms) => {
                let text = Timestamp::from_ms(ms).to_string();
                Temporal::parse(&text).map_or_else(|| Value::text(text), Value::temporal)
            }
            Self::List(items) => {
                Value::List(Arc::new(items.into_iter().map(Self::into_value).collect()))
            }
            Self::Map(entries) => Value::Map(Arc::new(
                entries
                    .into_iter()
                    .map(|(name, value)| (Arc::from(name), value.into_value()))
                    .collect::<BTreeMap<_, _>>(),
            )),
        }
    }

    /// For facts, which are simple values.
    pub(crate) fn of_fact(value: &Value) -> Self {
        match value {
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Int(number) => Self::Int(*number),
            Value::Double(number) => Self::double(*number),
            Value::Text(text) => Self::Text(text.to_string()),
            Value::Null => Self::Null,
            other => Self::Text(other.to_json().trim_matches('"').to_owned()),
        }
    }
}
