//! Variable documents: the JSON objects that clients send and receive.
//!
//! The text is untrusted. Parsing is linear in its length, does not recurse, and values inside
//! stay text until an expression touches them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::value::{StoredValue, Value, ValueTag, write_json_text};
use crate::variables::Variables;

/// Longest name of a variable, as in Zeebe.
pub const NAME_CHARS_MAX: usize = 32_768;
/// Deepest nesting of lists and objects, as in Zeebe.
pub const NESTING_MAX: usize = 1_000;

/// Variables by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document(pub Variables);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("Invalid JSON value: {excerpt}")]
    Syntax { excerpt: String, reason: String },
    #[error("expected a root level object, but found {found}")]
    NotAnObject { found: &'static str },
    #[error("lists and objects are nested deeper than {NESTING_MAX}")]
    TooDeep,
    #[error("the name of a variable is longer than {NAME_CHARS_MAX} characters")]
    NameTooLong,
    #[error("the name or text of a variable contains the character U+0000")]
    Nul,
}

impl Document {
    pub fn new() -> Self {
        Self::default()
    }

    /// Blank text and the literal `null` are the empty document, as Zeebe's clients rely on.
    pub fn parse(text: &str) -> Result<Self, DocumentError> {
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed == "null" {
            return Ok(Self::default());
        }
        check_depth(trimmed)?;
        match Self::parse_strict(trimmed) {
            Err(DocumentError::Syntax { .. }) if trimmed.contains('\'') => {
                Self::parse_strict(&with_double_quotes(trimmed)).map_err(|error| match error {
                    DocumentError::Syntax { reason, .. } => syntax(text, &reason),
                    other => other,
                })
            }
            result => result,
        }
    }

    fn parse_strict(text: &str) -> Result<Self, DocumentError> {
        let root: &RawValue =
            serde_json::from_str(text).map_err(|e| syntax(text, &e.to_string()))?;
        if !root.get().starts_with('{') {
            return Err(DocumentError::NotAnObject { found: kind_of(root.get()) });
        }
        let entries: BTreeMap<String, &RawValue> =
            serde_json::from_str(root.get()).map_err(|e| syntax(text, &e.to_string()))?;
        let mut variables = BTreeMap::new();
        for (name, raw) in entries {
            if name.chars().count() > NAME_CHARS_MAX {
                return Err(DocumentError::NameTooLong);
            }
            let value = stored(raw.get()).map_err(|e| syntax(text, &e.to_string()))?;
            if name.contains('\0') || (value.tag == ValueTag::Text && value.bytes.contains(&0)) {
                return Err(DocumentError::Nul);
            }
            variables.insert(name.into(), value);
        }
        Ok(Self(variables.into()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: StoredValue) {
        self.0.insert(name.into(), value);
    }

    /// For building documents in code.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.insert(name, value.into().to_stored());
        self
    }

    /// Not every store takes U+0000 in a text; parsing refuses it, code may still insert it.
    pub fn is_storable(&self) -> bool {
        let is_bad = |(name, value): (&Arc<str>, &StoredValue)| {
            name.contains('\0') || (value.tag == ValueTag::Text && value.bytes.contains(&0))
        };
        !self.0.iter().any(is_bad)
    }

    pub fn get(&self, name: &str) -> Option<&StoredValue> {
        self.0.get(name)
    }

    pub fn to_json(&self) -> String {
        let mut out = String::from("{");
        for (at, (name, value)) in self.0.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            write_json_text(name, &mut out);
            out.push(':');
            value.write_json(&mut out);
        }
        out.push('}');
        out
    }
}

fn syntax(text: &str, reason: &str) -> DocumentError {
    const EXCERPT_CHARS: usize = 200;
    DocumentError::Syntax {
        excerpt: text.chars().take(EXCERPT_CHARS).collect(),
        reason: reason.to_owned(),
    }
}

fn kind_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'[') => "ARRAY",
        Some(b'"') => "STRING",
        Some(b't' | b'f') => "BOOLEAN",
        Some(b'n') => "NIL",
        _ => "NUMBER",
    }
}

fn stored(json: &str) -> Result<StoredValue, serde_json::Error> {
    Ok(match json.as_bytes().first() {
        Some(b'n') => StoredValue::null(),
        Some(b't') => StoredValue::new(ValueTag::Bool, &[1]),
        Some(b'f') => StoredValue::new(ValueTag::Bool, &[0]),
        Some(b'"') => {
            let text: std::borrow::Cow<'_, str> = serde_json::from_str(json)?;
            StoredValue::text(&text)
        }
        Some(b'[' | b'{') => StoredValue::new(ValueTag::Json, minified(json).as_bytes()),
        _ => number(json)?,
    })
}

fn number(json: &str) -> Result<StoredValue, serde_json::Error> {
    if let Ok(whole) = json.parse::<i64>() {
        return Ok(StoredValue::int(whole));
    }
    let is_whole = !json.contains(['.', 'e', 'E']);
    if is_whole && let Ok(decimal) = json.parse() {
        return Ok(Value::Decimal(decimal).to_stored());
    }
    let double: f64 = serde_json::from_str(json)?;
    Ok(Value::Double(double).to_stored())
}

/// Drops white space outside of strings, so that equal values are equal bytes.
fn minified(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut in_text, mut escaped) = (false, false);
    for c in json.chars() {
        if in_text {
            in_text = escaped || c != '"';
            escaped = c == '\\' && !escaped;
        } else if c == '"' {
            in_text = true;
        } else if c.is_ascii_whitespace() {
            continue;
        }
        out.push(c);
    }
    out
}

fn check_depth(json: &str) -> Result<(), DocumentError> {
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for b in json.bytes() {
        if in_text {
            in_text = escaped || b != b'"';
            escaped = b == b'\\' && !escaped;
            continue;
        }
        match b {
            b'"' => in_text = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > NESTING_MAX {
                    return Err(DocumentError::TooDeep);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// Zeebe's gateway takes strings in single quotes; shells make them convenient.
fn with_double_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    let mut quote = None;
    let mut escaped = false;
    for c in text.chars() {
        match (quote, c) {
            (Some(_), _) if escaped => {
                escaped = false;
                if c == '\'' {
                    out.pop();
                }
                out.push(c);
            }
            (Some(_), '\\') => {
                escaped = true;
                out.push(c);
            }
            (Some('\''), '"') => out.push_str("\\\""),
            (Some(open), c) if c == open => {
                quote = None;
                out.push('"');
            }
            (None, '"' | '\'') => {
                quote = Some(c);
                out.push('"');
            }
            (_, c) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        Document::parse(text).expect(text).to_json()
    }

    #[test]
    fn reads_and_writes_what_clients_send() {
        assert_eq!(json(""), "{}");
        assert_eq!(json(" null "), "{}");
        assert_eq!(
            json(r#"{"b":1.50,"a":[1, {"x" : "y z"}]}"#),
            r#"{"a":[1,{"x":"y z"}],"b":1.5}"#
        );
        assert_eq!(json("{'a': 'it''s'}".replace("''", "\\'").as_str()), r#"{"a":"it's"}"#);
        assert_eq!(json(r#"{"n":123456789012345678901}"#), r#"{"n":123456789012345678901}"#);
        assert_eq!(json(r#"{"n":-3,"t":true,"u":null}"#), r#"{"n":-3,"t":true,"u":null}"#);
    }

    #[test]
    fn refuses_what_is_no_object() {
        assert_eq!(Document::parse("[1]"), Err(DocumentError::NotAnObject { found: "ARRAY" }));
        assert_eq!(Document::parse("7"), Err(DocumentError::NotAnObject { found: "NUMBER" }));
        assert!(matches!(Document::parse("{a"), Err(DocumentError::Syntax { .. })));
        assert!(matches!(Document::parse("{'a"), Err(DocumentError::Syntax { .. })));
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(NESTING_MAX), "]".repeat(NESTING_MAX));
        assert_eq!(Document::parse(&deep), Err(DocumentError::TooDeep));
        let long = format!("{{\"{}\":1}}", "n".repeat(NAME_CHARS_MAX + 1));
        assert_eq!(Document::parse(&long), Err(DocumentError::NameTooLong));
        assert_eq!(Document::parse("{\"a\":\"\\u0000\"}"), Err(DocumentError::Nul));
    }
}
