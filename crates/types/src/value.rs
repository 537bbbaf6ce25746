//! Values: as they rest in a store, and as expressions see them.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::temporal::Temporal;

/// 38 significant digits.
pub type Decimal = fastnum::D128;

/// What the bytes of a stored value are. The numbers are part of the stored format and never
/// change; they cover what the three compatible systems can store, also where nothing makes such
/// a value yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ValueTag {
    Null = 0,
    Bool = 1,
    /// 64-bit two's complement, big endian.
    Int = 2,
    /// IEEE 754 double, big endian bits.
    Double = 3,
    /// Decimal digits as text.
    Decimal = 4,
    /// UTF-8.
    Text = 5,
    /// A list or an object as minified JSON text.
    Json = 6,
    Bytes = 7,
    /// Milliseconds since 1970, as `Int`.
    DateTime = 8,
    /// ISO 8601 text of a value that FEEL keeps apart: date, time, both kinds of duration.
    Temporal = 9,
    /// XML text.
    Xml = 10,
    /// Foreign serialised object: type name, media type, bytes.
    Object = 11,
    /// File name, media type, encoding, bytes.
    File = 12,
}

impl ValueTag {
    pub const fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::Null,
            1 => Self::Bool,
            2 => Self::Int,
            3 => Self::Double,
            4 => Self::Decimal,
            5 => Self::Text,
            6 => Self::Json,
            7 => Self::Bytes,
            8 => Self::DateTime,
            9 => Self::Temporal,
            10 => Self::Xml,
            11 => Self::Object,
            12 => Self::File,
            _ => return None,
        })
    }
}

/// A value as a variable holds it: untouched until an expression reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredValue {
    pub tag: ValueTag,
    pub bytes: Arc<[u8]>,
}

impl StoredValue {
    pub fn new(tag: ValueTag, bytes: &[u8]) -> Self {
        Self { tag, bytes: bytes.into() }
    }

    pub fn null() -> Self {
        Self::new(ValueTag::Null, &[])
    }

    pub fn text(text: &str) -> Self {
        Self::new(ValueTag::Text, text.as_bytes())
    }

    pub fn int(number: i64) -> Self {
        Self::new(ValueTag::Int, &number.to_be_bytes())
    }

    /// Appends the value as JSON. Bytes that do not fit their tag read as null: a store that was
    /// tampered with must not stop a listing.
    pub fn write_json(&self, out: &mut String) {
        match self.tag {
            ValueTag::Json => match std::str::from_utf8(&self.bytes) {
                Ok(text) => out.push_str(text),
                Err(_) => out.push_str("null"),
            },
            _ => Value::from(self).write_json(out),
        }
    }

    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    fn number_bytes(&self) -> Option<[u8; 8]> {
        self.bytes[..].try_into().ok()
    }
}

/// A value as expressions see it. Integer, double and decimal stay apart, because the dialects
/// compute with them differently.
///
/// Ranges and functions live inside an evaluation only: stored and as JSON they are null. Dates,
/// times and durations are stored as their text and read again as text, as in Zeebe.
#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Decimal(Decimal),
    Text(Arc<str>),
    List(Arc<Vec<Value>>),
    Map(Arc<BTreeMap<Arc<str>, Value>>),
    Temporal(Arc<Temporal>),
    Range(Arc<Range>),
    Function(Function),
}

/// All values between two ends. An end that is null is not there: `< 5` has no low end.
#[derive(Clone, Debug)]
pub struct Range {
    pub low: Value,
    pub low_included: bool,
    pub high: Value,
    pub high_included: bool,
    pub form: RangeForm,
}

/// How a range was written, which tells `(= 5)` from `[5..5]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RangeForm {
    #[default]
    Interval,
    /// `(= 5)`: both ends are the value.
    Equal,
    /// `(!= 5)`: everything but the value, which both ends name.
    NotEqual,
}

impl Range {
    /// With a null where there is no end.
    pub fn new(low: Value, low_included: bool, high: Value, high_included: bool) -> Self {
        Self { low, low_included, high, high_included, form: RangeForm::Interval }
    }
}

/// Something that can be called, made by the evaluator that calls it.
#[derive(Clone)]
pub struct Function(pub Arc<dyn Callable>);

pub trait Callable: Any + Send + Sync {
    /// The names of the parameters, in their order.
    fn parameters(&self) -> &[Arc<str>];
}

impl Function {
    /// The function as the type that its maker gave it.
    pub fn downcast<T: Callable>(&self) -> Option<&T> {
        let any: &dyn Any = &*self.0;
        any.downcast_ref()
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.0.parameters().join(", "))
    }
}

impl Value {
    pub fn temporal(temporal: impl Into<Temporal>) -> Self {
        Self::Temporal(Arc::new(temporal.into()))
    }

    pub fn list(items: Vec<Value>) -> Self {
        Self::List(Arc::new(items))
    }

    pub fn as_temporal(&self) -> Option<&Temporal> {
        match self {
            Self::Temporal(temporal) => Some(temporal),
            _ => None,
        }
    }

    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A word for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) | Self::Double(_) | Self::Decimal(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Map(_) => "context",
            Self::Temporal(temporal) => temporal.type_name(),
            Self::Range(_) => "range",
            Self::Function(_) => "function",
        }
    }

    pub fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Int(number) => {
                let _ = write!(out, "{number}");
            }
            Self::Double(number) if number.is_finite() => {
                let _ = write!(out, "{number:?}");
            }
            Self::Double(_) => out.push_str("null"),
            Self::Decimal(number) => {
                let _ = write!(out, "{number}");
            }
            Self::Text(text) => write_json_text(text, out),
            Self::Temporal(temporal) => write_json_text(&temporal.to_string(), out),
            Self::Range(_) | Self::Function(_) => out.push_str("null"),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write_json(out);
                }
                out.push(']');
            }
            Self::Map(entries) => {
                out.push('{');
                for (at, (name, entry)) in entries.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_json_text(name, out);
                    out.push(':');
                    entry.write_json(out);
                }
                out.push('}');
            }
        }
    }

    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    pub fn to_stored(&self) -> StoredValue {
        match self {
            Self::Null => StoredValue::null(),
            Self::Bool(flag) => StoredValue::new(ValueTag::Bool, &[u8::from(*flag)]),
            Self::Int(number) => StoredValue::int(*number),
            Self::Double(number) => {
                StoredValue::new(ValueTag::Double, &number.to_bits().to_be_bytes())
            }
            Self::Decimal(number) => match i64::try_from(*number) {
                Ok(whole) if Decimal::from(whole) == *number => StoredValue::int(whole),
                _ => StoredValue::new(ValueTag::Decimal, number.to_string().as_bytes()),
            },
            Self::Text(text) => StoredValue::text(text),
            Self::Temporal(temporal) => {
                StoredValue::new(ValueTag::Temporal, temporal.to_string().as_bytes())
            }
            Self::Range(_) | Self::Function(_) => StoredValue::null(),
            Self::List(_) | Self::Map(_) => {
                StoredValue::new(ValueTag::Json, self.to_json().as_bytes())
            }
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Int(number.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Double(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

/// Appends `text` as a JSON string literal.
pub(crate) fn write_json_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

impl From<&StoredValue> for Value {
    fn from(stored: &StoredValue) -> Self {
        let text = || std::str::from_utf8(&stored.bytes).ok();
        let value = match stored.tag {
            ValueTag::Null => None,
            ValueTag::Bool => stored.bytes.first().map(|&b| Self::Bool(b != 0)),
            ValueTag::Int | ValueTag::DateTime => {
                stored.number_bytes().map(|b| Self::Int(i64::from_be_bytes(b)))
            }
            ValueTag::Double => {
                stored.number_bytes().map(|b| Self::Double(f64::from_bits(u64::from_be_bytes(b))))
            }
            ValueTag::Decimal => text().and_then(|t| t.parse().ok()).map(Self::Decimal),
            ValueTag::Text | ValueTag::Temporal | ValueTag::Xml => text().map(Self::text),
            ValueTag::Json => text().and_then(|t| serde_json::from_str(t).ok()).map(from_json),
            ValueTag::Bytes | ValueTag::Object | ValueTag::File => None,
        };
        value.unwrap_or_default()
    }
}

fn from_json(json: serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(flag),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::text(text),
        Json::Array(items) => Value::List(Arc::new(items.into_iter().map(from_json).collect())),
        Json::Object(entries) => Value::Map(Arc::new(
            entries.into_iter().map(|(name, entry)| (name.into(), from_json(entry))).collect(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_and_read_again_is_the_same() {
        let values = [
            Value::Null,
            Value::Bool(true),
            Value::Int(-7),
            Value::Double(0.5),
            Value::Decimal("1.25".parse().expect("a number")),
            Value::text("a \"quoted\" line\n"),
            Value::List(Arc::new(vec![Value::Int(1), Value::Null])),
            Value::Map(Arc::new(BTreeMap::from([("a".into(), Value::text("é"))]))),
        ];
        for value in values {
            let stored = value.to_stored();
            assert_eq!(Value::from(&stored).to_json(), value.to_json());
            assert_eq!(stored.to_json(), value.to_json());
        }
    }

    #[test]
    fn dates_are_stored_as_text() {
        let date = Value::temporal(crate::Date::parse("2024-02-29").expect("a date"));
        let stored = date.to_stored();
        assert_eq!(stored.tag, ValueTag::Temporal);
        assert_eq!(stored.to_json(), "\"2024-02-29\"");
        assert!(matches!(Value::from(&stored), Value::Text(text) if &*text == "2024-02-29"));
    }

    #[test]
    fn a_whole_decimal_is_stored_as_an_integer() {
        let five = Value::Decimal("5.0".parse().expect("a number"));
        assert_eq!(five.to_stored(), StoredValue::int(5));
    }

    #[test]
    fn damaged_bytes_read_as_null() {
        let damaged = StoredValue::new(ValueTag::Int, &[1, 2]);
        assert!(Value::from(&damaged).is_null());
    }
}
