//! Small pieces of the wire format that several answers share.

use orloj::types::{Document, DocumentError, Timestamp};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A key as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(pub i64);

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A moment in RFC 3339, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Timestamp);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// "Never" is shown as an absent moment.
pub fn time(at: Option<Timestamp>) -> Option<Time> {
    at.filter(|at| *at != Timestamp::MAX).map(Time)
}

/// Variables as they are, without a detour through numbers of limited precision. Text of a store
/// that was tampered with reads as null, so that it cannot stop a listing.
pub fn variables(document: &Document) -> Box<RawValue> {
    RawValue::from_string(document.to_json()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

pub fn document(variables: Option<&RawValue>) -> Result<Document, DocumentError> {
    match variables {
        Some(raw) => Document::parse(raw.get()),
        None => Ok(Document::new()),
    }
}

/// A moment in a query or a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "String")]
pub struct GivenTime(pub Timestamp);

impl TryFrom<String> for GivenTime {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let at: jiff::Timestamp = text
            .parse()
            .map_err(|_| format!("'{text}' is not a moment such as 2030-01-31T09:00:00Z"))?;
        Ok(Self(Timestamp::from_ms(at.as_millisecond())))
    }
}

/// Tells null from absent, with `#[serde(default)]`.
pub fn given<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::Deserialize<'de>,
{
    serde::Deserialize::deserialize(deserializer).map(Some)
}

/// A key in a body: text, as answers give it, or a number.
#[derive(Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(try_from = "KeyText")]
pub struct GivenKey(pub i64);

#[derive(serde::Deserialize)]
#[serde(untagged)]
enum KeyText {
    Text(String),
    Number(i64),
}

impl TryFrom<KeyText> for GivenKey {
    type Error = String;

    fn try_from(key: KeyText) -> Result<Self, String> {
        match key {
            KeyText::Number(key) => Ok(Self(key)),
            KeyText::Text(text) => {
                text.parse().map(Self).map_err(|_| format!("'{text}' is no key"))
            }
        }
    }
}
