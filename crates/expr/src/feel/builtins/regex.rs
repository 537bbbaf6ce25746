//! Regular expressions of XPath and XML Schema, in those of the `regex` crate, which takes time
//! linear in the text. Back-references and look-around do not exist there.

use regex::{Regex, RegexBuilder};

use super::super::session::Session;
use crate::error::EvalError;

/// Longest pattern.
const PATTERN_BYTES_MAX: usize = 4 << 10;
/// Of a compiled pattern; counted repetitions are written out.
const COMPILED_BYTES_MAX: usize = 1 << 20;
/// Matching may look at every instruction for every byte; most patterns need far fewer.
const BYTES_PER_STEP: usize = 16;
/// Of a pattern with its repetitions written out; compiling takes a microsecond for each.
const ATOMS_MAX: usize = 8_000;
/// What a class such as `\w` counts: it has hundreds of ranges.
const CLASS_ATOMS: usize = 60;
const STEPS_PER_ATOM: usize = 20;
const STEPS_PER_PATTERN: usize = 500;
/// Compiled patterns that a session keeps.
const KEPT_MAX: usize = 16;
const NESTING_MAX: u32 = 50;

/// `None` with a warning when the pattern is none.
pub(super) fn compiled(
    session: &mut Session<'_>,
    pattern: &str,
    flags: &str,
    source: &str,
) -> Result<Option<Regex>, EvalError> {
    let weight = pattern.len().max(BYTES_PER_STEP) / BYTES_PER_STEP;
    session.meter.steps(source.len().saturating_mul(weight) / BYTES_PER_STEP, session.at)?;
    // DIFFERENCE: Camunda's engine passes over flags that it does not know.
    let known: String = match session.is_standard() {
        true => flags.to_owned(),
        false => flags.chars().filter(|flag| "smix".contains(*flag)).collect(),
    };
    let kept = session.patterns.iter().find(|(text, flags, _)| text == pattern && *flags == known);
    if let Some((_, _, regex)) = kept {
        return Ok(Some(regex.clone()));
    }
    let atoms = atoms(pattern);
    session.meter.steps(STEPS_PER_PATTERN, session.at)?;
    session.meter.steps(atoms.min(ATOMS_MAX) * STEPS_PER_ATOM, session.at)?;
    let regex = match atoms {
        0..=ATOMS_MAX => build(pattern, &known),
        _ => Err("it is too large".to_owned()),
    };
    match regex {
        Ok(regex) => {
            if session.patterns.len() == KEPT_MAX {
                session.patterns.remove(0);
            }
            session.patterns.push((pattern.to_owned(), known, regex.clone()));
            Ok(Some(regex))
        }
        Err(message) => {
            session.warn(format!("the pattern is no regular expression: {message}"));
            Ok(None)
        }
    }
}

/// How large the pattern is with its repetitions written out, roughly and rather too large.
fn atoms(pattern: &str) -> usize {
    // The sum so far and the last atom, for each group that is open.
    let mut groups = vec![(0_usize, 0_usize)];
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let last = groups.len() - 1;
        let atom = match c {
            '(' => {
                groups.push((0, 0));
                continue;
            }
            ')' if groups.len() > 1 => {
                let (sum, atom) = groups.pop().unwrap_or_default();
                sum.saturating_add(atom)
            }
            '{' => {
                let counts: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let most = counts.split(',').filter_map(|n| n.trim().parse::<usize>().ok()).max();
                let (_, atom) = &mut groups[last];
                *atom = atom.saturating_mul(most.unwrap_or(1).max(1));
                continue;
            }
            '*' | '+' | '?' | '|' | '^' | '$' => 1,
            '\\' => {
                let escaped = chars.next();
                // The braces of a category are no repetition.
                if matches!(escaped, Some('p' | 'P')) && chars.next_if_eq(&'{').is_some() {
                    chars.by_ref().take_while(|c| *c != '}').for_each(drop);
                }
                if escaped.is_some_and(char::is_alphabetic) { CLASS_ATOMS } else { 1 }
            }
            '.' | '[' => CLASS_ATOMS / 4,
            _ => 1,
        };
        let last = groups.len() - 1;
        let (sum, before) = &mut groups[last];
        *sum = sum.saturating_add(*before);
        *before = atom;
    }
    groups.iter().fold(0, |total, (sum, atom)| total.saturating_add(*sum).saturating_add(*atom))
}

fn build(pattern: &str, flags: &str) -> Result<Regex, String> {
    if pattern.len() > PATTERN_BYTES_MAX {
        return Err(format!("it is longer than {PATTERN_BYTES_MAX} bytes"));
    }
    if let Some(flag) = flags.chars().find(|flag| !"smixqc".contains(*flag)) {
        return Err(format!("there is no flag '{flag}'"));
    }
    let has = |flag| flags.contains(flag);
    let translated = match has('q') {
        true => regex::escape(pattern),
        false if has('x') => translate(&without_blanks(pattern), has('s'))?,
        false => translate(pattern, has('s'))?,
    };
    RegexBuilder::new(&translated)
        .case_insensitive(has('i'))
        .multi_line(has('m'))
        .dot_matches_new_line(has('s'))
        .size_limit(COMPILED_BYTES_MAX)
        .dfa_size_limit(COMPILED_BYTES_MAX)
        .nest_limit(NESTING_MAX)
        .build()
        .map_err(|error| error.to_string().lines().last().unwrap_or_default().to_owned())
}

/// Flag `x` drops blanks everywhere but in classes, in escapes as well.
fn without_blanks(pattern: &str) -> String {
    let mut classes = 0_usize;
    let mut escaped = false;
    let mut out = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        if c.is_ascii_whitespace() && classes == 0 {
            continue;
        }
        match c {
            '[' if !escaped => classes += 1,
            ']' if !escaped => classes = classes.saturating_sub(1),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out
}

/// Classes of XML names, subtraction in classes, and blocks.
fn translate(pattern: &str, dot_all: bool) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut classes = 0;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let Some(escaped) = chars.next() else {
                    return Err("it ends with a backslash".to_owned());
                };
                match escaped {
                    'i' => class(&mut out, classes, false, NAME_START),
                    'I' => class(&mut out, classes, true, NAME_START),
                    'c' => class(&mut out, classes, false, NAME_PART),
                    'C' => class(&mut out, classes, true, NAME_PART),
                    'p' | 'P' => category(escaped, &mut chars, &mut out, classes)?,
                    other => {
                        out.push('\\');
                        out.push(other);
                    }
                }
            }
            '[' => {
                classes += 1;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
            }
            ']' if classes > 0 => {
                classes -= 1;
                out.push(']');
            }
            '-' if classes > 0 && chars.peek() == Some(&'[') => out.push_str("--"),
            '.' if classes == 0 && !dot_all => out.push_str("[^\\n\\r]"),
            '&' | '~' if classes > 0 => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    Ok(out)
}

const NAME_START: &str = r"\p{L}_:";
const NAME_PART: &str = r"\p{L}\p{Nd}\p{M}_:.\-\u{b7}";

fn class(out: &mut String, classes: usize, negated: bool, members: &str) {
    match (classes, negated) {
        (0, false) => *out += &format!("[{members}]"),
        (_, true) => *out += &format!("[^{members}]"),
        _ => out.push_str(members),
    }
}

/// `\p{L}`, or a block: `\p{IsGreek}`.
fn category(
    sign: char,
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    out: &mut String,
    classes: usize,
) -> Result<(), String> {
    if chars.peek() != Some(&'{') {
        out.push('\\');
        out.push(sign);
        return Ok(());
    }
    let name: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
    let Some(block) = name.strip_prefix("Is") else {
        *out += &format!("\\{sign}{{{name}}}");
        return Ok(());
    };
    match BLOCKS.iter().find(|(known, _)| *known == block) {
        Some((_, members)) => class(out, classes, sign == 'P', members),
        // Scripts have such names as well.
        None => *out += &format!("\\{sign}{{{block}}}"),
    }
    Ok(())
}

const BLOCKS: [(&str, &str); 10] = [
    ("BasicLatin", r"\x00-\x7f"),
    ("Latin-1Supplement", r"\u{80}-\u{ff}"),
    ("LatinExtended-A", r"\u{100}-\u{17f}"),
    ("LatinExtended-B", r"\u{180}-\u{24f}"),
    ("Greek", r"\u{370}-\u{3ff}"),
    ("Cyrillic", r"\u{400}-\u{4ff}"),
    ("Hebrew", r"\u{590}-\u{5ff}"),
    ("Arabic", r"\u{600}-\u{6ff}"),
    ("GeneralPunctuation", r"\u{2000}-\u{206f}"),
    ("CJKUnifiedIdeographs", r"\u{4e00}-\u{9fff}"),
];

pub(super) enum Part {
    Text(String),
    Group(usize),
}

/// `$1` is a group, a backslash makes the next character plain. `None` for anything else.
///
/// DIFFERENCE: in Camunda's engine a group that is not there is a mistake, and any character can
/// stand behind a backslash.
pub(super) fn replacement(text: &str, groups: usize, standard: bool) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.push(chars.next().filter(|c| !standard || matches!(c, '\\' | '$'))?),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_xpath_match() {
        let rows = [
            ("[a-z-[aeiou]]+", "", "xyz", true),
            ("^[a-z-[aeiou]]+$", "", "xaz", false),
            (r"^\i\c*$", "", "a-b.c:1", true),
            (r"^\i\c*$", "", "1a", false),
            ("hello world", "x", "helloworld", true),
            ("hello[ ]world", "x", "hello world", true),
            ("a.b", "q", "a.b", true),
            ("a.b", "q", "axb", false),
            (r"^\p{IsGreek}+$", "", "αβγ", true),
            ("A", "i", "a", true),
            ("a.c", "s", "a\nc", true),
            ("a.c", "", "a\nc", false),
            ("^b$", "m", "a\nb\nc", true),
            ("[&~]", "", "&", true),
        ];
        for (pattern, flags, text, expected) in rows {
            let regex = build(pattern, flags).unwrap_or_else(|e| panic!("{pattern}: {e}"));
            assert_eq!(regex.is_match(text), expected, "{pattern} {flags} {text}");
        }
        for (pattern, flags) in
            [("(a)\\1", ""), ("a", "p"), ("[b-a]", ""), ("(?=a)", ""), ("a\\", "")]
        {
            assert!(build(pattern, flags).is_err(), "{pattern}");
        }
        let bomb = format!("({}){{500}}", "\\w{500}");
        assert!(build(&bomb, "").is_err());
    }
}
