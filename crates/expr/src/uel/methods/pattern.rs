//! Regular expressions, in linear time.
//!
//! DIFFERENCE: what needs backtracking, such as looking ahead and back references, is refused.

use std::sync::Arc;

use orloj_types::Value;
use regex::{Regex, RegexBuilder};

use super::{Call, Called};
use crate::error::EvalError;
use crate::meter::SLOT_BYTES;

/// Memory of a compiled pattern. Compiling is the costly part; this much takes a third of a
/// millisecond.
const PATTERN_BYTES_MAX: usize = 1 << 18;
/// So that a budget has some forty of them in it.
const STEPS_PER_PATTERN: usize = 5_000;
/// Characters that make a pattern of one character more than that character.
const SPECIAL: &str = ".$|()[{^?*+\\";

pub(super) fn matches(text: &str, call: &mut Call<'_>) -> Result<bool, EvalError> {
    let pattern = compile(&format!("^(?:{})$", call.text(0)?), call)?;
    Ok(pattern.is_match(text))
}

pub(super) fn replace(text: &str, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let source = call.text(0)?;
    let pattern = compile(&source, call)?;
    let replacement = call.text(1)?;
    let mut out = String::new();
    let mut copied = 0;
    for found in pattern.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        out.push_str(&text[copied..whole.start()]);
        let before = out.len();
        write_replacement(&replacement, &found, &mut out, call)?;
        call.meter.bytes(out.len() - before, call.offset)?;
        copied = whole.end();
        if call.method == "replaceFirst" {
            break;
        }
    }
    out.push_str(&text[copied..]);
    call.made(out)
}

/// Empty texts at the end are left out, unless a number of parts is asked for.
pub(super) fn split(text: &str, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let source = call.text(0)?;
    let limit = if call.count() == 2 { call.int(1)? } else { 0 };
    let most = if limit > 0 { usize::try_from(limit).unwrap_or(usize::MAX) } else { usize::MAX };
    let mut parts: Vec<&str> = Vec::new();
    let mut chars = source.chars();
    match (chars.next(), chars.next()) {
        // The usual case needs no automaton.
        (Some(single), None) if !SPECIAL.contains(single) => {
            for part in text.splitn(most, single) {
                call.meter.bytes(SLOT_BYTES + part.len(), call.offset)?;
                parts.push(part);
            }
        }
        _ => {
            let pattern = compile(&source, call)?;
            let mut copied = 0;
            for found in pattern.find_iter(text) {
                // Nothing is cut off before the first character.
                if parts.len() + 1 >= most || (found.end() == 0) {
                    continue;
                }
                if found.is_empty() && found.start() == text.len() {
                    continue;
                }
                call.meter.bytes(SLOT_BYTES + found.start() - copied, call.offset)?;
                parts.push(&text[copied..found.start()]);
                copied = found.end();
            }
            call.meter.bytes(SLOT_BYTES + text.len() - copied, call.offset)?;
            parts.push(&text[copied..]);
        }
    }
    if limit == 0 && parts.len() > 1 {
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
    }
    let parts = parts.into_iter().map(Value::from).collect();
    Ok(Value::List(Arc::new(parts)).into())
}

fn compile(source: &str, call: &mut Call<'_>) -> Result<Regex, EvalError> {
    call.meter.steps(STEPS_PER_PATTERN, call.offset)?;
    RegexBuilder::new(source).size_limit(PATTERN_BYTES_MAX).build().map_err(|error| {
        let reason = match error {
            regex::Error::CompiledTooBig(_) => "is too large",
            _ => "is not supported",
        };
        call.fail(format!("the regular expression of '{}' {reason}", call.method))
    })
}

/// `$1` is a group, and a backslash takes the meaning from what follows.
fn write_replacement(
    replacement: &str,
    found: &regex::Captures<'_>,
    out: &mut String,
    call: &Call<'_>,
) -> Result<(), EvalError> {
    let mut chars = replacement.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            '$' => {
                let digit = chars.next().and_then(|c| c.to_digit(10));
                let group = digit.map(|digit| digit as usize).filter(|group| *group < found.len());
                let Some(mut group) = group else {
                    return Err(call.fail("the replacement names a group that is not there"));
                };
                // More digits belong to it as long as there is such a group.
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                    let longer = group * 10 + digit as usize;
                    if longer >= found.len() {
                        break;
                    }
                    group = longer;
                    chars.next();
                }
                out.push_str(found.get(group).map_or("", |group| group.as_str()));
            }
            c => out.push(c),
        }
    }
    Ok(())
}
