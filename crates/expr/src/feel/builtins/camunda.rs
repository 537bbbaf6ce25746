//! Functions that only Camunda's engine has.

use orloj_types::{Temporal, Value};

use super::super::session::{Outcome, Session};
use super::arguments::{boolean, number, outcome, text};
use super::regex;
use super::text_form::text_of;
use crate::error::EvalError;
use crate::number::Number;
use crate::pattern::Searches;

/// Random numbers have as many bits as a double keeps.
const RANDOM_BITS: u32 = 53;
const UUID_STEPS: usize = 20;
/// What a part of a text counts for: it is a text of its own, in a list.
const PART_SLOTS: usize = 3;
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A variable or entry that is null counts as one that is not there.
pub(super) fn is_defined(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    session.warnings.retain(|warning| warning.offset < session.at);
    Ok(Value::Bool(!arguments[0].is_null()))
}

pub(super) fn get_or_else(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    Ok(if value.is_null() { arguments[1].clone() } else { value.clone() })
}

/// The value, or the failure of the whole expression.
pub(super) fn assert(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    if let Value::Bool(true) = arguments[1] {
        return Ok(arguments[0].clone());
    }
    let cause = match arguments.get(2) {
        Some(Value::Text(cause)) => cause.to_string(),
        _ => "the condition is not fulfilled".to_owned(),
    };
    Err(EvalError::operands(format!("assertion failure: {cause}"), session.at))
}

pub(super) fn from_ai(_session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    Ok(arguments[0].clone())
}

/// A repetition as timers write it: so often, or without an end.
pub(super) fn cycle(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let (times, interval) = match arguments {
        [interval] | [Value::Null, interval] => (String::new(), interval),
        [_, interval] => match number(session, arguments, 0) {
            Some(times) => (times.truncated().unwrap_or_default().to_string(), interval),
            None => return Ok(Value::Null),
        },
        _ => return Ok(Value::Null),
    };
    let Value::Temporal(of) = interval else { return Ok(Value::Null) };
    if !matches!(**of, Temporal::Months(_) | Temporal::Nanos(_)) {
        return Ok(Value::Null);
    }
    let interval = text_of(session, interval)?;
    session.make_text(format!("R{times}/{interval}"))
}

pub(super) fn trim(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else { return Ok(Value::Null) };
    session.read_text(source.len())?;
    session.make_text(source.trim_matches(|c: char| c <= ' '))
}

pub(super) fn is_blank(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else { return Ok(Value::Null) };
    session.read_text(source.len())?;
    boolean(Some(source.chars().all(char::is_whitespace)))
}

/// All places that match.
pub(super) fn extract(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let (Some(source), Some(pattern)) = (text(session, arguments, 0), text(session, arguments, 1))
    else {
        return Ok(Value::Null);
    };
    let Some(pattern) = regex::compiled(session, pattern, "", source)? else {
        return Ok(Value::Null);
    };
    let mut searches = Searches::new(&pattern, source);
    let mut found = Vec::new();
    loop {
        session.meter.steps(searches.steps(), session.at)?;
        let Some(part) = searches.next_match() else { break };
        session.room_for(PART_SLOTS)?;
        found.push(session.make_text(part.as_str())?);
    }
    Ok(Value::list(found))
}

pub(super) fn to_base64(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else { return Ok(Value::Null) };
    session.read_text(source.len())?;
    session.meter.bytes(source.len() / 3 * 4 + 4, session.at)?;
    let mut out = String::with_capacity(source.len() / 3 * 4 + 4);
    for chunk in source.as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let sign = BASE64[(bits >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    Ok(Value::text(out))
}

pub(super) fn random_number(session: &mut Session<'_>, _arguments: &[Value]) -> Outcome {
    let bits = session.random() >> (64 - RANDOM_BITS);
    let number = bits as f64 / (1_u64 << RANDOM_BITS) as f64;
    outcome(Number::from_f64(number).map(Number::into_value))
}

/// Of version 4: random but for the version itself.
pub(super) fn uuid(session: &mut Session<'_>, _arguments: &[Value]) -> Outcome {
    session.meter.steps(UUID_STEPS, session.at)?;
    let high = session.random() & !0xf000 | 0x4000;
    let low = session.random() & !(0b11 << 62) | 1 << 63;
    session.make_text(format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    ))
}
