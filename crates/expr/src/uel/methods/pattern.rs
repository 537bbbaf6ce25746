//! Java's regular expressions.
//!
//! DIFFERENCE: what needs backtracking, such as looking ahead and back references, is refused.

use std::sync::Arc;

use orloj_types::Value;

use super::{Call, Called};
use crate::error::EvalError;
use crate::meter::SLOT_BYTES;
use crate::pattern::{Flags, GROUP_BYTES_PER_STEP, Pattern, Refused, Searches, Translated};

/// Finding where the groups of a match are takes longer than finding the match.
const STEPS_PER_MATCH: usize = 8;
/// Matching may look at every instruction for every byte; most patterns need far fewer.
const BYTES_PER_STEP: usize = 16;
/// A pattern is read before it is refused.
const REFUSED_STEPS: usize = 500;
/// Characters that make a pattern of one character more than that character.
const SPECIAL: &str = ".$|()[{^?*+\\";

pub(super) fn matches(text: &str, call: &mut Call<'_>) -> Result<bool, EvalError> {
    let source = call.text(0)?;
    let flags = Flags { whole: true, ..Flags::default() };
    Ok(compile(&source, flags, text, call)?.regex().is_match(text))
}

pub(super) fn replace(text: &str, call: &mut Call<'_>) -> Result<Called, EvalError> {
    let source = call.text(0)?;
    let pattern = compile(&source, Flags::default(), text, call)?;
    let replacement = call.text(1)?;
    let mut searches = Searches::new(&pattern, text);
    let mut out = String::new();
    let mut copied = 0;
    loop {
        call.meter.steps(searches.steps(), call.offset)?;
        let Some(found) = searches.next_captures() else { break };
        let Some(whole) = found.get(0) else { continue };
        out.push_str(&text[copied..whole.start()]);
        call.meter.steps(STEPS_PER_MATCH + whole.len() / GROUP_BYTES_PER_STEP, call.offset)?;
        write_replacement(&replacement, &pattern, &found, &mut out, call)?;
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
            let pattern = compile(&source, Flags::default(), text, call)?;
            let mut searches = Searches::new(&pattern, text);
            let mut copied = 0;
            while parts.len() + 1 < most {
                call.meter.steps(searches.steps(), call.offset)?;
                let Some(found) = searches.next_match() else { break };
                // Nothing is cut off before the first character.
                if found.end() == 0 {
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

fn compile(
    source: &str,
    flags: Flags,
    text: &str,
    call: &mut Call<'_>,
) -> Result<Pattern, EvalError> {
    call.meter.steps(text.len() / BYTES_PER_STEP, call.offset)?;
    let translated = match Translated::java(source, flags) {
        Ok(translated) => translated,
        Err(refused) => {
            call.meter.steps(REFUSED_STEPS, call.offset)?;
            return Err(call.fail(refused_message(call.method, &refused)));
        }
    };
    call.meter.steps(translated.steps(), call.offset)?;
    translated.compile().map_err(|refused| call.fail(refused_message(call.method, &refused)))
}

fn refused_message(method: &str, refused: &Refused) -> String {
    format!("the regular expression of '{method}' is none: {refused}")
}

/// `$1` and `${name}` are groups, and a backslash takes the meaning from what follows.
fn write_replacement(
    replacement: &str,
    pattern: &Pattern,
    found: &regex::Captures<'_>,
    out: &mut String,
    call: &mut Call<'_>,
) -> Result<(), EvalError> {
    call.meter.bytes(replacement.len(), call.offset)?;
    let mut chars = replacement.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            '$' if chars.next_if_eq(&'{').is_some() => {
                let name: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let group = pattern.regex().capture_names().position(|known| known == Some(&name));
                let Some(group) = group else {
                    return Err(call.fail("the replacement names a group that is not there"));
                };
                let text = found.get(group).map_or("", |group| group.as_str());
                call.meter.bytes(text.len(), call.offset)?;
                out.push_str(text);
            }
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
                let text = found.get(group).map_or("", |group| group.as_str());
                call.meter.bytes(text.len(), call.offset)?;
                out.push_str(text);
            }
            c => out.push(c),
        }
    }
    Ok(())
}
