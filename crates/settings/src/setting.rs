//! Values of knobs from and to what is written.

use std::collections::BTreeMap;

use crate::value::{Table, Value};

pub trait Setting: Sized {
    /// What is expected, for messages and the docs.
    fn expected() -> String;
    /// The error only says what was expected.
    fn from_value(value: &Value) -> Option<Self>;
    fn to_value(&self) -> Value;
}

/// Text counts as what it spells: property files and XML know nothing but text.
impl Setting for bool {
    fn expected() -> String {
        "true or false".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Flag(flag) => Some(*flag),
            Value::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        Value::Flag(*self)
    }
}

impl Setting for i64 {
    fn expected() -> String {
        "a whole number".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        Value::Number(*self)
    }
}

macro_rules! unsigned {
    ($($number:ty),*) => {$(
        impl Setting for $number {
            fn expected() -> String {
                format!("a whole number from 0 to {}", <$number>::MAX)
            }

            fn from_value(value: &Value) -> Option<Self> {
                i64::from_value(value).and_then(|number| Self::try_from(number).ok())
            }

            fn to_value(&self) -> Value {
                Value::Number(i64::from(*self))
            }
        }
    )*};
}
unsigned!(u16, u32);

/// Milliseconds and counts that may be large; TOML's numbers end at 2^63.
impl Setting for u64 {
    fn expected() -> String {
        "a whole number, not negative".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        i64::from_value(value).and_then(|number| Self::try_from(number).ok())
    }

    fn to_value(&self) -> Value {
        Value::Number(i64::try_from(*self).unwrap_or(i64::MAX))
    }
}

impl Setting for f64 {
    fn expected() -> String {
        "a number".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let number = match value {
            Value::Number(number) => *number as Self,
            Value::Decimal(number) => *number,
            Value::Text(text) => text.trim().parse().ok()?,
            _ => return None,
        };
        number.is_finite().then_some(number)
    }

    fn to_value(&self) -> Value {
        Value::Decimal(*self)
    }
}

impl Setting for String {
    fn expected() -> String {
        "a text".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.clone()),
            // YAML and property files do not quote.
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        Value::text(self.as_str())
    }
}

/// Nothing unsets a knob that may be unset; an empty text is a text.
impl<T: Setting> Setting for Option<T> {
    fn expected() -> String {
        T::expected()
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Nothing => Some(None),
            _ => T::from_value(value).map(Some),
        }
    }

    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Nothing, Setting::to_value)
    }
}

/// A list, or names in one text with commas between them.
impl Setting for Vec<String> {
    fn expected() -> String {
        "a list of texts".to_owned()
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::List(items) => items.iter().map(String::from_value).collect(),
            Value::Text(text) => {
                let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                Some(words.map(str::to_owned).collect())
            }
            _ => None,
        }
    }

    fn to_value(&self) -> Value {
        Value::List(self.iter().map(Setting::to_value).collect())
    }
}

impl<T: Setting> Setting for BTreeMap<String, T> {
    fn expected() -> String {
        format!("a table whose values are each {}", T::expected())
    }

    fn from_value(value: &Value) -> Option<Self> {
        let Value::Table(table) = value else { return None };
        table.iter().map(|(key, value)| Some((key.clone(), T::from_value(value)?))).collect()
    }

    fn to_value(&self) -> Value {
        let entries = self.iter().map(|(key, value)| (key.clone(), value.to_value()));
        Value::Table(entries.collect::<Table>())
    }
}

/// An enum whose variants are words.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $crate::setting::Setting for $name {
            fn expected() -> String {
                [$($word),+].join(", ").replacen(", ", " or ", usize::from([$($word),+].len() == 2))
            }

            fn from_value(value: &$crate::value::Value) -> Option<Self> {
                let $crate::value::Value::Text(text) = value else { return None };
                match text.trim().to_ascii_lowercase().as_str() {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn to_value(&self) -> $crate::value::Value {
                $crate::value::Value::text(match self { $(Self::$variant => $word),+ })
            }
        }

        impl $name {
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}
pub(crate) use words;
