//! Back-references and look-around are refused.

use super::translated::Refused;

/// Classes of XML names, subtraction in classes, and blocks.
pub(super) fn translate(pattern: &str, dot_all: bool, ascii: bool) -> Result<String, Refused> {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut classes = 0;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let Some(escaped) = chars.next() else {
                    return Err(Refused::Syntax("it ends with a backslash".to_owned()));
                };
                match escaped {
                    'i' => class(&mut out, classes, false, NAME_START),
                    'I' => class(&mut out, classes, true, NAME_START),
                    'c' => class(&mut out, classes, false, NAME_PART),
                    'C' => class(&mut out, classes, true, NAME_PART),
                    'p' | 'P' => category(escaped, &mut chars, &mut out, classes),
                    'd' if ascii => class(&mut out, classes, false, "0-9"),
                    'D' if ascii => class(&mut out, classes, true, "0-9"),
                    'w' if ascii => class(&mut out, classes, false, "a-zA-Z0-9_"),
                    'W' if ascii => class(&mut out, classes, true, "a-zA-Z0-9_"),
                    's' if ascii => class(&mut out, classes, false, r" \t\n\x0B\f\r"),
                    'S' if ascii => class(&mut out, classes, true, r" \t\n\x0B\f\r"),
                    '1'..='9' => return Err(Refused::Unsupported("a back-reference")),
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
) {
    if chars.peek() != Some(&'{') {
        out.push('\\');
        out.push(sign);
        return;
    }
    let name: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
    let Some(block) = name.strip_prefix("Is") else {
        *out += &format!("\\{sign}{{{name}}}");
        return;
    };
    match self::block(block) {
        Some(members) => class(out, classes, sign == 'P', members),
        // Scripts have such names as well.
        None => *out += &format!("\\{sign}{{{block}}}"),
    }
}

/// What stands between the brackets of a class for a block of characters.
pub(super) fn block(name: &str) -> Option<&'static str> {
    BLOCKS.iter().find(|(known, _)| *known == name).map(|(_, members)| *members)
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

/// Flag `x` drops blanks everywhere but in classes, in escapes as well.
pub(super) fn without_blanks(pattern: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::super::translated::{Flags, Translated};
    use super::*;

    fn build(pattern: &str, flags: &str, ascii: bool) -> Result<regex::Regex, Refused> {
        let translated = Translated::xpath(pattern, Flags::of_letters(flags), ascii)?;
        Ok(translated.compile()?.regex().clone())
    }

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
            (r"^\w$", "", "é", true),
            (r"^[\w-[0-9]]\d\S\s\D\W$", "", "a1b c!", true),
            ("é", "i", "É", true),
        ];
        for (pattern, flags, text, expected) in rows {
            for ascii in [false, true] {
                if ascii && !(pattern.is_ascii() && text.is_ascii()) {
                    continue;
                }
                let regex = build(pattern, flags, ascii);
                let regex = regex.unwrap_or_else(|e| panic!("{pattern}: {e}"));
                assert_eq!(regex.is_match(text), expected, "{pattern} {flags} {text}");
            }
        }
        for (pattern, flags) in [("(a)\\1", ""), ("[b-a]", ""), ("(?=a)", ""), ("a\\", "")] {
            assert!(build(pattern, flags, false).is_err(), "{pattern}");
        }
        let bomb = format!("({}){{500}}", "\\w{500}");
        assert!(build(&bomb, "", false).is_err());
    }
}
