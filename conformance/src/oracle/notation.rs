//! JSON as the reference program writes it: keys sorted, blanks after commas and colons, nothing
//! beyond ASCII.

use std::fmt::Write as _;

use serde_json::Value;

pub fn written(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
        Value::String(text) => write_text(text, out),
        Value::Array(list) => {
            out.push('[');
            for (at, item) in list.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            let mut keys: Vec<&String> = entries.keys().collect();
            keys.sort();
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_text(key, out);
                out.push_str(": ");
                write(&entries[key], out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_one_way() {
        let value = serde_json::json!({"b": [1, 2.5, null], "a": "é \"x\"", "c": true});
        let expected = r#"{"a": "\u00e9 \"x\"", "b": [1, 2.5, null], "c": true}"#;
        assert_eq!(written(&value), expected);
    }
}
