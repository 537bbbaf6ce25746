//! Strings. Positions count UTF-16 units, as in Java.

use std::sync::Arc;

use orloj_types::Value;

use super::pattern;
use super::{Call, Called};
use crate::error::EvalError;
use crate::value_text::compare_text;

pub(super) fn call(text: &Arc<str>, call: &mut Call<'_>) -> Result<Called, EvalError> {
    call.read(text)?;
    let result = match (call.method, call.count()) {
        ("length", 0) => Value::Int(length(text)),
        ("isEmpty", 0) => Value::Bool(text.is_empty()),
        ("isBlank", 0) => Value::Bool(text.chars().all(char::is_whitespace)),
        ("toString" | "intern", 0) => Value::Text(text.clone()),
        ("substring", 1 | 2) => {
            let to = if call.count() == 2 { call.int(1)? } else { length(text) };
            return substring(text, call.int(0)?, to, call);
        }
        ("subSequence", 2) => return substring(text, call.int(0)?, call.int(1)?, call),
        ("charAt", 1) => {
            let at = call.int(0)?;
            return substring(text, at, at.saturating_add(1), call);
        }
        ("indexOf", 1 | 2) => {
            let part = call.text(0)?;
            let from = if call.count() == 2 { call.int(1)? } else { 0 };
            Value::Int(index_of(text, &part, from))
        }
        ("lastIndexOf", 1) => {
            let part = call.text(0)?;
            Value::Int(text.rfind(&*part).map_or(-1, |at| length(&text[..at])))
        }
        ("contains", 1) => Value::Bool(text.contains(&*call.chars(0)?)),
        ("startsWith", 1) => Value::Bool(text.starts_with(&*call.text(0)?)),
        ("startsWith", 2) => {
            let part = call.text(0)?;
            let from = call.int(1)?;
            Value::Bool(tail(text, from).is_some_and(|rest| rest.starts_with(&*part)))
        }
        ("endsWith", 1) => Value::Bool(text.ends_with(&*call.text(0)?)),
        ("equals" | "contentEquals", 1) => {
            Value::Bool(matches!(call.value(0)?, Value::Text(other) if other == *text))
        }
        ("equalsIgnoreCase", 1) => {
            let other = call.value(0)?;
            Value::Bool(!other.is_null() && same_ignoring_case(text, &call.text(0)?))
        }
        ("compareTo", 1) => {
            let other = call.text(0)?;
            Value::Int(distance(text, &other))
        }
        ("compareToIgnoreCase", 1) => {
            let other = call.text(0)?.to_lowercase();
            Value::Int(distance(&text.to_lowercase(), &other))
        }
        ("codePointAt", 1) => {
            let at = call.int(0)?;
            match tail(text, at).and_then(|rest| rest.chars().next()) {
                Some(c) => Value::Int(u32::from(c).into()),
                None => return Err(outside(text, call)),
            }
        }
        ("toUpperCase", 0) => return call.made(text.to_uppercase()),
        ("toLowerCase", 0) => return call.made(text.to_lowercase()),
        ("trim", 0) => return call.made(text.trim_matches(|c| c <= ' ')),
        ("strip", 0) => return call.made(text.trim()),
        ("stripLeading", 0) => return call.made(text.trim_start()),
        ("stripTrailing", 0) => return call.made(text.trim_end()),
        ("concat", 1) => {
            let other = call.text(0)?;
            return call.made(format!("{text}{other}"));
        }
        ("repeat", 1) => {
            let count = call.int(0)?;
            let count = usize::try_from(count)
                .map_err(|_| call.fail("a text cannot repeat less than never"))?;
            call.meter.bytes(text.len().saturating_mul(count), call.offset)?;
            Value::text(text.repeat(count))
        }
        ("replace", 2) => {
            let (old, new) = (call.chars(0)?, call.chars(1)?);
            charge_replaced(text, &old, &new, call)?;
            Value::text(text.replace(&*old, &new))
        }
        ("replaceAll" | "replaceFirst", 2) => return pattern::replace(text, call),
        ("matches", 1) => Value::Bool(pattern::matches(text, call)?),
        ("split", 1 | 2) => return pattern::split(text, call),
        ("join", 2) => return join(call),
        ("valueOf", 1) => {
            let value = call.value(0)?;
            let text = call.java_text(&value)?;
            return call.made(text);
        }
        _ => return Err(call.unknown("a string")),
    };
    Ok(result.into())
}

/// In UTF-16 units.
pub(super) fn length(text: &str) -> i64 {
    if text.is_ascii() {
        return text.len() as i64;
    }
    text.encode_utf16().count() as i64
}

fn substring(text: &str, from: i64, to: i64, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let (Ok(start), Ok(end)) = (usize::try_from(from), usize::try_from(to)) else {
        return Err(outside(text, call));
    };
    if start > end || to > length(text) {
        return Err(outside(text, call));
    }
    if text.is_ascii() {
        return call.made(&text[start..end]);
    }
    let units: Vec<u16> = text.encode_utf16().skip(start).take(end - start).collect();
    call.made(String::from_utf16_lossy(&units))
}

fn outside(text: &str, call: &Call<'_>) -> EvalError {
    let message =
        format!("the method '{}' reaches outside of a string of {}", call.method, length(text));
    call.fail(message)
}

/// What begins `from` units into the text; `None` outside of it and inside of a character.
fn tail(text: &str, from: i64) -> Option<&str> {
    let from = usize::try_from(from).ok()?;
    if text.is_ascii() {
        return text.get(from..);
    }
    let mut units = 0;
    for (at, c) in text.char_indices() {
        if units == from {
            return text.get(at..);
        }
        units += c.len_utf16();
    }
    (units == from).then_some("")
}

fn index_of(text: &str, part: &str, from: i64) -> i64 {
    let from = from.max(0);
    match tail(text, from) {
        Some(rest) => rest.find(part).map_or(-1, |at| from + length(&rest[..at])),
        None => -1,
    }
}

fn same_ignoring_case(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

/// Java's: of the first differing units, else of the lengths.
fn distance(a: &str, b: &str) -> i64 {
    if compare_text(a, b).is_eq() {
        return 0;
    }
    let first = a.encode_utf16().zip(b.encode_utf16()).find(|(x, y)| x != y);
    first.map_or(length(a) - length(b), |(x, y)| i64::from(x) - i64::from(y))
}

/// Before memory is taken for it.
fn charge_replaced(text: &str, old: &str, new: &str, call: &mut Call<'_>) -> Result<(), EvalError> {
    let times = text.matches(old).count();
    let gained = new.len().saturating_mul(times);
    call.meter.bytes(text.len().saturating_add(gained), call.offset)
}

fn join(call: &mut Call<'_>) -> Result<Called, EvalError> {
    let between = call.chars(0)?;
    let Value::List(items) = call.value(1)? else {
        let found = call.value(1)?;
        return Err(call.wrong("a list", &found));
    };
    let mut out = String::new();
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(&between);
        }
        let text = call.java_text(item)?;
        out.push_str(if item.is_null() { "null" } else { &text });
        call.meter.bytes(between.len(), call.offset)?;
    }
    Ok(Value::text(out).into())
}
