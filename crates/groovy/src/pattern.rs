//! Java's regular expressions, in linear time.

use regex::Regex;

/// A compiled program larger than this is refused.
const PROGRAM_BYTES_MAX: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    search: Regex,
    whole: Regex,
}

/// Groups of one match, as byte offsets.
pub(crate) type Groups = Vec<Option<(usize, usize)>>;

impl Pattern {
    /// Look-around and back references have no linear-time form and are refused.
    pub(crate) fn new(source: &str) -> Result<Self, String> {
        let translated = translate(source);
        let compile = |text: &str| {
            regex::RegexBuilder::new(text)
                .size_limit(PROGRAM_BYTES_MAX)
                .dfa_size_limit(PROGRAM_BYTES_MAX)
                .unicode(true)
                .build()
                .map_err(|error| first_line(&error))
        };
        Ok(Self {
            source: source.to_owned(),
            search: compile(&translated)?,
            whole: compile(&format!(r"\A(?:{translated})\z"))?,
        })
    }

    pub(crate) fn find_at(&self, text: &str, from: usize) -> Option<Groups> {
        if from > text.len() || !text.is_char_boundary(from) {
            return None;
        }
        self.search.captures_at(text, from).map(|found| groups(&found))
    }

    pub(crate) fn match_whole(&self, text: &str) -> Option<Groups> {
        self.whole.captures(text).map(|found| groups(&found))
    }

    pub(crate) fn is_whole_match(&self, text: &str) -> bool {
        self.whole.is_match(text)
    }

    /// Group by name, as its number.
    pub(crate) fn group_number(&self, name: &str) -> Option<usize> {
        self.search.capture_names().position(|found| found == Some(name))
    }
}

fn groups(found: &regex::Captures<'_>) -> Groups {
    (0..found.len()).map(|at| found.get(at).map(|group| (group.start(), group.end()))).collect()
}

/// Java's classes are of ASCII; Rust's are of Unicode unless written out. Java reads a `[` inside
/// a class as a nested one, as Rust does.
fn translate(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let (mut chars, mut in_class) = (source.chars().peekable(), 0usize);
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('d') => out.push_str(if in_class > 0 { "0-9" } else { "[0-9]" }),
                Some('w') => out.push_str(if in_class > 0 { "a-zA-Z0-9_" } else { "[a-zA-Z0-9_]" }),
                Some('s') => {
                    out.push_str(if in_class > 0 { r" \t\n\x0B\f\r" } else { r"[ \t\n\x0B\f\r]" })
                }
                Some('D') => out.push_str("[^0-9]"),
                Some('W') => out.push_str("[^a-zA-Z0-9_]"),
                Some('S') => out.push_str(r"[^ \t\n\x0B\f\r]"),
                Some('Z') => out.push_str(r"\z"),
                Some('Q') => quote(&mut chars, &mut out),
                // An escaped character that means itself in Java, and is no escape in Rust.
                Some(other) if other.is_ascii_punctuation() => {
                    out.push('\\');
                    out.push(other);
                }
                Some(' ') => out.push_str(r"\x20"),
                Some(other) => {
                    out.push('\\');
                    out.push(other);
                }
                None => out.push('\\'),
            },
            '[' => {
                in_class += 1;
                out.push('[');
            }
            ']' => {
                in_class = in_class.saturating_sub(1);
                out.push(']');
            }
            c => out.push(c),
        }
    }
    out
}

fn quote(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    let mut literal = String::new();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.peek() == Some(&'E') {
            chars.next();
            break;
        }
        literal.push(c);
    }
    out.push_str(&regex::escape(&literal));
}

fn first_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}
