use std::fmt::Write as _;

use orloj_types::Value;

use super::super::session::{Outcome, Session};
use super::arguments::{boolean, index, list, outcome, single, text};
use super::regex;
use crate::pattern::{GROUP_BYTES_PER_STEP, Searches};

/// Finding where the groups of a match are takes longer than finding the match.
const MATCH_STEPS: usize = 4;
/// What a part of a text counts for: it is a text of its own, in a list.
const PART_SLOTS: usize = 3;

pub(super) fn not(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let value = single(session, &arguments[0]);
    match value {
        Value::Bool(flag) => Ok(Value::Bool(!flag)),
        other => {
            let other = other.clone();
            let offset = session.at;
            Ok(session.null_of(&other, "'not' expects a boolean", offset))
        }
    }
}

/// Positions count characters from one, or from the end.
///
/// DIFFERENCE: by the standard a position of zero or behind the text gives null.
pub(super) fn substring(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else { return Ok(Value::Null) };
    let Some(start) = index(session, arguments, 1) else { return Ok(Value::Null) };
    let length = match arguments.get(2) {
        Some(_) => match index(session, arguments, 2) {
            Some(length) => Some(length),
            None => return Ok(Value::Null),
        },
        None => None,
    };
    session.read_text(source.len())?;
    let count = source.chars().count() as i64;
    let first = match start {
        1.. => start - 1,
        0 if session.is_standard() => return Ok(Value::Null),
        0 => return session.make_text(""),
        _ => count.saturating_add(start),
    };
    let shortest = i64::from(session.is_standard());
    // DIFFERENCE: in Camunda's engine there is an empty text right behind the end.
    let first_max = count - shortest;
    if first < 0 || first > first_max || length.is_some_and(|length| length < shortest) {
        return Ok(Value::Null);
    }
    let first = first.clamp(0, count);
    let last = length.map_or(count, |length| first.saturating_add(length.max(0)).min(count));
    let found: String = source.chars().skip(first as usize).take((last - first) as usize).collect();
    session.make_text(found)
}

/// DIFFERENCE: Camunda's engine counts UTF-16 units.
pub(super) fn string_length(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else { return Ok(Value::Null) };
    session.read_text(source.len())?;
    let count = match session.is_standard() {
        true => source.chars().count(),
        false => source.encode_utf16().count(),
    };
    Ok(Value::Int(count as i64))
}

pub(super) fn upper_case(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else { return Ok(Value::Null) };
    session.read_text(source.len())?;
    session.make_text(source.to_uppercase())
}

pub(super) fn lower_case(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(source) = text(session, arguments, 0) else { return Ok(Value::Null) };
    session.read_text(source.len())?;
    session.make_text(source.to_lowercase())
}

pub(super) fn substring_before(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let (Some(source), Some(found)) = (text(session, arguments, 0), text(session, arguments, 1))
    else {
        return Ok(Value::Null);
    };
    session.read_text(source.len())?;
    session.make_text(source.split_once(found).map_or("", |(before, _)| before))
}

pub(super) fn substring_after(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let (Some(source), Some(found)) = (text(session, arguments, 0), text(session, arguments, 1))
    else {
        return Ok(Value::Null);
    };
    session.read_text(source.len())?;
    session.make_text(source.split_once(found).map_or("", |(_, after)| after))
}

pub(super) fn contains(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    about_two(session, arguments, |source, found| source.contains(found))
}

pub(super) fn starts_with(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    about_two(session, arguments, |source, found| source.starts_with(found))
}

pub(super) fn ends_with(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    about_two(session, arguments, |source, found| source.ends_with(found))
}

fn about_two(
    session: &mut Session<'_>,
    arguments: &[Value],
    holds: impl FnOnce(&str, &str) -> bool,
) -> Outcome {
    let (Some(source), Some(found)) = (text(session, arguments, 0), text(session, arguments, 1))
    else {
        return Ok(Value::Null);
    };
    session.read_text(source.len() + found.len())?;
    boolean(Some(holds(source, found)))
}

/// Flags that are null are no flags.
fn flags<'v>(session: &Session<'_>, arguments: &'v [Value], at: usize) -> Option<&'v str> {
    match arguments.get(at) {
        None => Some(""),
        Some(Value::Null) if session.is_standard() => Some(""),
        Some(_) => text(session, arguments, at),
    }
}

pub(super) fn matches(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let (Some(source), Some(pattern), Some(flags)) =
        (text(session, arguments, 0), text(session, arguments, 1), flags(session, arguments, 2))
    else {
        return Ok(Value::Null);
    };
    let Some(pattern) = regex::tested(session, pattern, flags, source)? else {
        return Ok(Value::Null);
    };
    Ok(Value::Bool(pattern.regex().is_match(source)))
}

pub(super) fn replace(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let (Some(source), Some(pattern), Some(replacement), Some(flags)) = (
        text(session, arguments, 0),
        text(session, arguments, 1),
        text(session, arguments, 2),
        flags(session, arguments, 3),
    ) else {
        return Ok(Value::Null);
    };
    let Some(pattern) = regex::compiled(session, pattern, flags, source)? else {
        return Ok(Value::Null);
    };
    // DIFFERENCE: by the standard, which goes by XPath, a pattern that matches nothing is none.
    if session.is_standard() && pattern.regex().is_match("") {
        session.warn("the pattern matches the empty text");
        return Ok(Value::Null);
    }
    let literal = flags.contains('q') && session.is_standard();
    let parts = match literal {
        true => Some(vec![regex::Part::Text(replacement.to_owned())]),
        false => regex::replacement(replacement, &pattern, session.is_standard()),
    };
    let Some(parts) = parts else {
        session.warn("the replacement is none");
        return Ok(Value::Null);
    };
    let mut searches = Searches::new(&pattern, source);
    let mut out = String::new();
    let mut end = 0;
    loop {
        session.meter.steps(searches.steps(), session.at)?;
        let Some(captures) = searches.next_captures() else { break };
        let Some(found) = captures.get(0) else { continue };
        session.meter.bytes(found.start() - end, session.at)?;
        let steps = parts.len() + MATCH_STEPS + found.len() / GROUP_BYTES_PER_STEP;
        session.meter.steps(steps, session.at)?;
        out.push_str(&source[end..found.start()]);
        for part in &parts {
            let text = match part {
                regex::Part::Text(text) => text,
                regex::Part::Group(group) => captures.get(*group).map_or("", |g| g.as_str()),
            };
            session.meter.bytes(text.len(), session.at)?;
            out.push_str(text);
        }
        end = found.end();
    }
    out.push_str(&source[end..]);
    session.make_text(out)
}

pub(super) fn split(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let (Some(source), Some(delimiter)) =
        (text(session, arguments, 0), text(session, arguments, 1))
    else {
        return Ok(Value::Null);
    };
    let Some(pattern) = regex::compiled(session, delimiter, "", source)? else {
        return Ok(Value::Null);
    };
    let mut searches = Searches::new(&pattern, source);
    let mut parts = Vec::new();
    let mut end = 0;
    loop {
        session.meter.steps(searches.steps(), session.at)?;
        let Some(found) = searches.next_match() else { break };
        // A match of nothing at the start parts nothing.
        if found.end() > 0 {
            session.room_for(PART_SLOTS)?;
            parts.push(session.make_text(&source[end..found.start()])?);
            end = found.end();
        }
    }
    session.room_for(PART_SLOTS)?;
    parts.push(session.make_text(&source[end..])?);
    Ok(Value::list(parts))
}

/// Null items are left out.
pub(super) fn string_join(session: &mut Session<'_>, arguments: &[Value]) -> Outcome {
    let Some(items) = list(session, arguments, 0) else { return Ok(Value::Null) };
    let optional = |at: usize| match arguments.get(at) {
        None | Some(Value::Null) => Some(""),
        Some(_) => text(session, arguments, at),
    };
    let (Some(delimiter), Some(prefix), Some(suffix)) = (optional(1), optional(2), optional(3))
    else {
        return Ok(Value::Null);
    };
    let mut out = String::from(prefix);
    let mut first = true;
    for item in items.iter() {
        let text = match item {
            Value::Text(text) => text,
            Value::Null => continue,
            _ => return Ok(Value::Null),
        };
        session.meter.bytes(text.len() + delimiter.len(), session.at)?;
        session.read_items(1)?;
        let between = if first { "" } else { delimiter };
        let _ = write!(out, "{between}{text}");
        first = false;
    }
    out.push_str(suffix);
    outcome(Some(Value::text(out)))
}
