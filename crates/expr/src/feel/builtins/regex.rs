//! Patterns of functions: XPath's by the standard, Java's in Camunda's engine.

use super::super::session::Session;
use crate::error::EvalError;
use crate::pattern::{Flags, Pattern, Refused, Translated};

/// Matching may look at every instruction for every byte; most patterns need far fewer.
const BYTES_PER_STEP: usize = 16;
/// Compiled patterns that a session keeps.
const KEPT_MAX: usize = 16;

/// A compiled pattern, and what it was made of.
pub(in crate::feel) struct Kept {
    source: String,
    flags: Flags,
    flavor: Flavor,
    pattern: Pattern,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flavor {
    Java,
    XPath,
    /// For texts of ASCII, where its classes are those of ASCII: they are much smaller.
    XPathAscii,
}

/// `None` with a warning when the pattern is none.
pub(super) fn compiled(
    session: &mut Session<'_>,
    source: &str,
    flags: &str,
    text: &str,
) -> Result<Option<Pattern>, EvalError> {
    compiled_for(session, source, flags, text, false)
}

/// For the question whether there is a match, and no other.
pub(super) fn tested(
    session: &mut Session<'_>,
    source: &str,
    flags: &str,
    text: &str,
) -> Result<Option<Pattern>, EvalError> {
    compiled_for(session, source, flags, text, true)
}

fn compiled_for(
    session: &mut Session<'_>,
    source: &str,
    flags: &str,
    text: &str,
    test: bool,
) -> Result<Option<Pattern>, EvalError> {
    let weight = source.len().max(BYTES_PER_STEP) / BYTES_PER_STEP;
    session.meter.steps(text.len().saturating_mul(weight) / BYTES_PER_STEP, session.at)?;
    let flavor = match session.is_standard() {
        true if source.is_ascii() && text.is_ascii() => Flavor::XPathAscii,
        true => Flavor::XPath,
        false => Flavor::Java,
    };
    // DIFFERENCE: Camunda's engine passes over flags that it does not know.
    let unknown = flags.chars().find(|flag| !"smixqc".contains(*flag));
    if let (Some(flag), true) = (unknown, session.is_standard()) {
        session.warn(format!("the pattern is no regular expression: there is no flag '{flag}'"));
        return Ok(None);
    }
    let flags = Flags { test, ..Flags::of_letters(flags) };
    let kept = session
        .patterns
        .iter()
        .find(|kept| kept.source == source && kept.flags == flags && kept.flavor == flavor);
    if let Some(kept) = kept {
        return Ok(Some(kept.pattern.clone()));
    }
    match made(session, source, flags, flavor)? {
        Ok(pattern) => {
            if session.patterns.len() == KEPT_MAX {
                session.patterns.remove(0);
            }
            let kept = Kept { source: source.to_owned(), flags, flavor, pattern: pattern.clone() };
            session.patterns.push(kept);
            Ok(Some(pattern))
        }
        Err(refused) => {
            session.warn(format!("the pattern is no regular expression: {refused}"));
            Ok(None)
        }
    }
}

fn made(
    session: &mut Session<'_>,
    source: &str,
    flags: Flags,
    flavor: Flavor,
) -> Result<Result<Pattern, Refused>, EvalError> {
    let translated = match flavor {
        Flavor::Java => Translated::java(source, flags),
        Flavor::XPath => Translated::xpath(source, flags, false),
        Flavor::XPathAscii => Translated::xpath(source, flags, true),
    };
    match translated {
        Ok(translated) => {
            session.meter.steps(translated.steps(), session.at)?;
            Ok(translated.compile())
        }
        Err(refused) => {
            session.meter.steps(REFUSED_STEPS, session.at)?;
            Ok(Err(refused))
        }
    }
}

/// A pattern is read before it is refused.
const REFUSED_STEPS: usize = 500;

pub(super) enum Part {
    Text(String),
    Group(usize),
}

/// `$1` is a group, a backslash makes the next character plain. `None` for anything else.
///
/// DIFFERENCE: in Camunda's engine `${name}` is a group too, one that is not there is a mistake,
/// and any character can stand behind a backslash.
pub(super) fn replacement(text: &str, pattern: &Pattern, standard: bool) -> Option<Vec<Part>> {
    let groups = pattern.regex().captures_len() - 1;
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.push(chars.next().filter(|c| !standard || matches!(c, '\\' | '$'))?),
            '$' if !standard && chars.next_if_eq(&'{').is_some() => {
                let name: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let group = pattern.regex().capture_names().position(|found| found == Some(&name));
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Group(group?));
            }
            '$' => {
                let mut group = chars.next()?.to_digit(10)? as usize;
                // As many digits as there are groups for.
                while let Some(digit) = chars.peek().and_then(|c| c.to_digit(10)) {
                    let longer = group * 10 + digit as usize;
                    if longer > groups {
                        break;
                    }
                    group = longer;
                    chars.next();
                }
                parts.push(Part::Text(std::mem::take(&mut plain)));
                match group <= groups {
                    true => parts.push(Part::Group(group)),
                    false if standard => {}
                    false => return None,
                }
            }
            c => plain.push(c),
        }
    }
    parts.push(Part::Text(plain));
    Some(parts)
}
