//! DIFFERENCE: where the place of a match counts, `$` and `\Z` match at the very end only, not
//! before a last line break as well.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use super::translated::{Flags, Refused};

/// Written out for the engine: nothing in the result depends on flags of its own.
pub(super) fn translate(source: &str, flags: Flags) -> Result<String, Refused> {
    let mode = Mode {
        case_insensitive: flags.case_insensitive,
        multi_line: flags.multi_line,
        dot_matches_all: flags.dot_matches_all,
        comments: flags.comments,
        ..Mode::default()
    };
    let out = String::with_capacity(source.len() * 2);
    let test = flags.test;
    let chars = source.chars().peekable();
    let mut translator = Translator { chars, mode, outer: Vec::new(), test, out };
    translator.all()?;
    Ok(translator.out)
}

/// The flags that hold at a place.
#[derive(Clone, Copy, Default)]
struct Mode {
    case_insensitive: bool,
    multi_line: bool,
    dot_matches_all: bool,
    comments: bool,
    unicode_case: bool,
    unicode_classes: bool,
}

struct Translator<'s> {
    chars: Peekable<Chars<'s>>,
    mode: Mode,
    /// Of the groups that are open.
    outer: Vec<Mode>,
    test: bool,
    out: String,
}

const DIGITS: &str = "0-9";
const WORDS: &str = "a-zA-Z0-9_";
const BLANKS: &str = r" \t\n\x0B\f\r";
const LINE_ENDS: &str = r"\n\r\x{85}\x{2028}\x{2029}";
const HORIZONTAL: &str = r" \t\x{A0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}";
const VERTICAL: &str = r"\n\x0B\f\r\x{85}\x{2028}\x{2029}";

impl Translator<'_> {
    fn all(&mut self) -> Result<(), Refused> {
        while let Some(c) = self.chars.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                ')' => {
                    self.mode = self.outer.pop().ok_or_else(|| syntax("unopened group"))?;
                    self.out.push(')');
                }
                '.' if self.mode.dot_matches_all => self.out.push_str("(?s:.)"),
                '.' => self.out.push_str(&format!("[^{LINE_ENDS}]")),
                '^' if self.mode.multi_line => self.out.push_str("(?mR:^)"),
                '$' if self.mode.multi_line => self.out.push_str("(?mR:$)"),
                // It takes the line break with it, which nobody sees.
                '$' if self.test => self.out.push_str(&format!(r"(?:\r\n|[{LINE_ENDS}])?\z")),
                '*' | '+' | '?' | '}' => self.repetition(c)?,
                ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' if self.mode.comments => {}
                '#' if self.mode.comments => {
                    self.chars.by_ref().take_while(|c| *c != '\n').for_each(drop);
                }
                '{' | '|' | '^' | '$' => self.out.push(c),
                // Digits and commas of repetitions pass here too.
                c => self.literal(c),
            }
        }
        if self.outer.is_empty() { Ok(()) } else { Err(syntax("unclosed group")) }
    }

    fn literal(&mut self, c: char) {
        let unicode = self.mode.unicode_case || self.mode.unicode_classes;
        let escaped = regex::escape(c.encode_utf8(&mut [0; 4]));
        match self.mode.case_insensitive && c.is_alphabetic() {
            true if unicode => {
                let _ = write!(self.out, "(?i:{c})");
            }
            true if c.is_ascii_alphabetic() => {
                let _ = write!(self.out, "[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase());
            }
            _ => self.out.push_str(&escaped),
        }
    }

    /// A possessive one never gives back what it took, which automata cannot do.
    fn repetition(&mut self, c: char) -> Result<(), Refused> {
        self.out.push(c);
        match self.chars.peek() {
            Some('+') => Err(Refused::Unsupported("a possessive repetition")),
            Some('?') => {
                self.out.extend(self.chars.next());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn group(&mut self) -> Result<(), Refused> {
        let outside = self.mode;
        if self.chars.next_if_eq(&'?').is_none() {
            self.outer.push(outside);
            self.out.push('(');
            return Ok(());
        }
        match self.chars.next() {
            Some('=' | '!') => Err(Refused::Unsupported("look-around")),
            Some('>') => Err(Refused::Unsupported("a group that is not tried again")),
            Some('<') if matches!(self.chars.peek(), Some('=' | '!')) => {
                Err(Refused::Unsupported("look-around"))
            }
            Some('<') => {
                let name: String = self.chars.by_ref().take_while(|c| *c != '>').collect();
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
                    return Err(syntax("the name of a group has letters and digits only"));
                }
                self.outer.push(outside);
                let _ = write!(self.out, "(?P<{name}>");
                Ok(())
            }
            Some(first) => self.flags(first, outside),
            None => Err(syntax("unclosed group")),
        }
    }

    /// `(?i)`, `(?i-s:` and `(?:`.
    fn flags(&mut self, first: char, outside: Mode) -> Result<(), Refused> {
        let mut next = Some(first);
        let mut on = true;
        loop {
            let flag = match next {
                Some('i') => &mut self.mode.case_insensitive,
                Some('m') => &mut self.mode.multi_line,
                Some('s') => &mut self.mode.dot_matches_all,
                Some('x') => &mut self.mode.comments,
                Some('u') => &mut self.mode.unicode_case,
                Some('U') => &mut self.mode.unicode_classes,
                Some('d') => return Err(Refused::Unsupported("flag 'd'")),
                Some('-') => {
                    on = false;
                    next = self.chars.next();
                    continue;
                }
                // For the rest of the group around it.
                Some(')') => return Ok(()),
                Some(':') => {
                    self.outer.push(outside);
                    self.out.push_str("(?:");
                    return Ok(());
                }
                _ => return Err(syntax("unknown flag of a group")),
            };
            *flag = on;
            next = self.chars.next();
        }
    }

    fn escape(&mut self) -> Result<(), Refused> {
        let Some(escaped) = self.chars.next() else {
            return Err(syntax("it ends with a backslash"));
        };
        match escaped {
            'b' if self.mode.unicode_classes => self.out.push_str(r"\b"),
            'b' => self.out.push_str(r"(?-u:\b)"),
            'B' => self.out.push_str(r"\B"),
            'A' => self.out.push_str(r"\A"),
            'z' | 'Z' => self.out.push_str(r"\z"),
            'R' => self.out.push_str(&format!(r"(?:\r\n|[{VERTICAL}])")),
            'Q' => {
                while let Some(c) = self.chars.next() {
                    if c == '\\' && self.chars.next_if_eq(&'E').is_some() {
                        break;
                    }
                    self.literal(c);
                }
            }
            'E' => return Err(syntax(r"\E without \Q")),
            'G' => return Err(Refused::Unsupported(r"\G")),
            'X' => return Err(Refused::Unsupported(r"\X")),
            'k' | '1'..='9' => return Err(Refused::Unsupported("a back-reference")),
            other => match self.member(other)? {
                Member::Char(c) => self.literal(c),
                Member::Set(set) => self.out.push_str(&format!("[{set}]")),
            },
        }
        Ok(())
    }

    /// What can stand behind a backslash in a class as well.
    fn member(&mut self, escaped: char) -> Result<Member, Refused> {
        let ascii = !self.mode.unicode_classes;
        let set = |members: &str| Ok(Member::Set(members.to_owned()));
        let char = |c: char| Ok(Member::Char(c));
        match escaped {
            'd' if ascii => set(DIGITS),
            'D' if ascii => set(&format!("[^{DIGITS}]")),
            'w' if ascii => set(WORDS),
            'W' if ascii => set(&format!("[^{WORDS}]")),
            's' if ascii => set(BLANKS),
            'S' if ascii => set(&format!("[^{BLANKS}]")),
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => set(&format!("\\{escaped}")),
            'h' => set(HORIZONTAL),
            'H' => set(&format!("[^{HORIZONTAL}]")),
            'v' => set(VERTICAL),
            'V' => set(&format!("[^{VERTICAL}]")),
            'p' | 'P' => self.category(escaped == 'P').map(Member::Set),
            't' => char('\t'),
            'n' => char('\n'),
            'r' => char('\r'),
            'f' => char('\x0c'),
            'a' => char('\x07'),
            'e' => char('\x1b'),
            'x' if self.chars.next_if_eq(&'{').is_some() => {
                let digits: String = self.chars.by_ref().take_while(|c| *c != '}').collect();
                code_point(&digits, 16).map(Member::Char)
            }
            'x' => self.digits(2, 16).map(Member::Char),
            'u' => self.digits(4, 16).map(Member::Char),
            '0' => {
                let mut digits = String::new();
                while digits.len() < 3 {
                    let Some(digit) = self.chars.next_if(|c| ('0'..='7').contains(c)) else {
                        break;
                    };
                    digits.push(digit);
                }
                code_point(&digits, 8).map(Member::Char)
            }
            'c' => match self.chars.next() {
                Some(c) if c.is_ascii() => char(char::from(c as u8 ^ 64)),
                _ => Err(syntax(r"\c without a character")),
            },
            c if c.is_ascii_alphabetic() => Err(syntax(&format!(r"there is no escape '\{c}'"))),
            c => char(c),
        }
    }

    fn digits(&mut self, count: usize, radix: u32) -> Result<char, Refused> {
        let digits: String = self.chars.by_ref().take(count).collect();
        if digits.len() == count { code_point(&digits, radix) } else { Err(no_character()) }
    }

    /// `\pL`, `\p{Lu}`, `\p{IsLatin}`, `\p{InGreek}` and `\p{Alpha}`, as the members of a class.
    fn category(&mut self, negated: bool) -> Result<String, Refused> {
        let name: String = match self.chars.next() {
            Some('{') => self.chars.by_ref().take_while(|c| *c != '}').collect(),
            Some(c) => c.into(),
            None => return Err(syntax(r"\p without a name")),
        };
        let known = CATEGORIES.iter().find(|(known, _)| *known == name);
        let sign = if negated { 'P' } else { 'p' };
        Ok(match (known, name.strip_prefix("In")) {
            (Some((_, members)), _) if negated => format!("[^{members}]"),
            (Some((_, members)), _) => format!("[{members}]"),
            (None, Some(block)) => match super::xpath::block(block) {
                Some(members) if negated => format!("[^{members}]"),
                Some(members) => format!("[{members}]"),
                None => return Err(Refused::Unsupported("this block of characters")),
            },
            (None, None) => format!(r"\{sign}{{{}}}", name.strip_prefix("Is").unwrap_or(&name)),
        })
    }

    /// Behind the bracket that opens it.
    fn class(&mut self) -> Result<(), Refused> {
        self.out.push('[');
        if self.chars.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        let mut is_first = true;
        loop {
            let Some(c) = self.chars.next() else { return Err(syntax("unclosed class")) };
            match c {
                ']' if !is_first => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' => self.class_inside()?,
                '&' if self.chars.next_if_eq(&'&').is_some() => self.out.push_str("&&"),
                ' ' | '\t' | '\n' if self.mode.comments => continue,
                '\\' if self.chars.next_if_eq(&'Q').is_some() => {
                    while let Some(c) = self.chars.next() {
                        if c == '\\' && self.chars.next_if_eq(&'E').is_some() {
                            break;
                        }
                        self.range(c, c);
                    }
                }
                '\\' => {
                    let escaped = self.chars.next().ok_or_else(|| syntax("unclosed class"))?;
                    match self.member(escaped)? {
                        Member::Set(set) => self.out.push_str(&set),
                        Member::Char(low) => self.range_from(low)?,
                    }
                }
                c => self.range_from(c)?,
            }
            is_first = false;
        }
    }

    /// The nesting of classes is bounded by the engine's parser; this one is by the length.
    fn class_inside(&mut self) -> Result<(), Refused> {
        let depth = self.out.bytes().rev().take_while(|b| *b == b'[').count();
        if depth > CLASSES_MAX { Err(Refused::TooLarge) } else { self.class() }
    }

    fn range_from(&mut self, low: char) -> Result<(), Refused> {
        let mut ahead = self.chars.clone();
        let is_range =
            ahead.next() == Some('-') && ahead.peek().is_some_and(|c| !matches!(c, ']' | '['));
        if !is_range {
            self.range(low, low);
            return Ok(());
        }
        self.chars.next();
        let high = match self.chars.next() {
            Some('\\') => {
                let escaped = self.chars.next().ok_or_else(|| syntax("unclosed class"))?;
                match self.member(escaped)? {
                    Member::Char(high) => high,
                    Member::Set(set) => {
                        self.range(low, low);
                        self.range('-', '-');
                        self.out.push_str(&set);
                        return Ok(());
                    }
                }
            }
            Some(high) => high,
            None => return Err(syntax("unclosed class")),
        };
        if low > high {
            return Err(syntax("a range of characters that ends before it begins"));
        }
        self.range(low, high);
        Ok(())
    }

    fn range(&mut self, low: char, high: char) {
        let _ = write!(self.out, r"\x{{{:x}}}-\x{{{:x}}}", u32::from(low), u32::from(high));
        if !self.mode.case_insensitive {
            return;
        }
        if self.mode.unicode_case && low == high {
            for other in low.to_lowercase().chain(low.to_uppercase()) {
                let _ = write!(self.out, r"\x{{{:x}}}", u32::from(other));
            }
            return;
        }
        for (from, to, turn) in [('a', 'z', 'A'), ('A', 'Z', 'a')] {
            let (low, high) = (low.max(from), high.min(to));
            if low <= high {
                let turned = |c: char| u32::from(c) - u32::from(from) + u32::from(turn);
                let _ = write!(self.out, r"\x{{{:x}}}-\x{{{:x}}}", turned(low), turned(high));
            }
        }
    }
}

const CLASSES_MAX: usize = 20;

enum Member {
    Char(char),
    /// What stands between the brackets of a class.
    Set(String),
}

/// POSIX's names are of ASCII in Java, and so are some of its own.
const CATEGORIES: [(&str, &str); 20] = [
    ("Lower", "a-z"),
    ("Upper", "A-Z"),
    ("ASCII", r"\x00-\x7f"),
    ("Alpha", "a-zA-Z"),
    ("Digit", "0-9"),
    ("Alnum", "a-zA-Z0-9"),
    ("Punct", r"!-/:-@\[-`{-~"),
    ("Graph", "!-~"),
    ("Print", " -~"),
    ("Blank", r" \t"),
    ("Cntrl", r"\x00-\x1f\x7f"),
    ("XDigit", "0-9a-fA-F"),
    ("Space", BLANKS),
    ("javaLowerCase", r"\p{Lowercase}"),
    ("javaUpperCase", r"\p{Uppercase}"),
    ("javaWhitespace", r"\s"),
    ("javaLetter", r"\p{L}"),
    ("javaDigit", r"\p{Nd}"),
    ("javaLetterOrDigit", r"\p{L}\p{Nd}"),
    ("IsPunctuation", r"\p{P}"),
];

fn code_point(digits: &str, radix: u32) -> Result<char, Refused> {
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).ok_or_else(no_character)
}

fn no_character() -> Refused {
    syntax("an escape that is no character")
}

fn syntax(message: &str) -> Refused {
    Refused::Syntax(message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::translated::Translated;
    use super::*;

    fn compiled(pattern: &str, flags: &str) -> Result<super::super::Pattern, Refused> {
        Translated::java(pattern, Flags::of_letters(flags))?.compile()
    }

    /// As Zeebe 8.8 and Camunda 7.24 find them.
    #[test]
    fn patterns_match_as_in_java() {
        let rows = [
            (r"^\w$", "", "é", false),
            (r"^\w{1,200}$", "", "abc", true),
            (r"^\d{1,200}$", "", "٣", false),
            ("é", "i", "É", false),
            ("a", "i", "A", true),
            ("[a-c]", "i", "B", true),
            ("[^A]", "i", "a", false),
            ("[à-ü]", "i", "É", false),
            ("(?i)A", "", "a", true),
            ("^a(?i)b$", "", "aB", true),
            ("^(?i:a)b$", "", "AB", false),
            ("(?iu)é", "", "É", true),
            (r"(?U)^\w$", "", "é", true),
            (r"\p{L}", "", "é", true),
            (r"\p{Alpha}", "", "é", false),
            (r"\p{IsGreek}", "", "α", true),
            (r"\p{InGreek}", "", "α", true),
            (r"^[\p{Alpha}\d-]+$", "", "a-1", true),
            (r"\Qa.b\E", "", "a.b", true),
            (r"\Qa.b\E", "", "axb", false),
            ("^[a-z-[aeiou]]$", "", "e", true),
            ("^[a-z-[aeiou]]$", "", "-", true),
            ("[a-z&&[^aeiou]]", "", "e", false),
            ("a.b", "", "a\nb", false),
            ("a.b", "s", "a\nb", true),
            ("a b # more", "x", "ab", true),
            ("[]]", "", "]", true),
            ("^b$", "m", "a\r\nb\r\nc", true),
            (r"é\b", "", "é b", false),
            (r"^\x41\u0042\t$", "", "AB\t", true),
            (r"^[^\s,;]+$", "", "abc", true),
            (r"^[\w.+-]+@[\w-]+\.[\w.]+$", "", "a.b+c@d-e.org", true),
        ];
        for (pattern, flags, text, expected) in rows {
            let found = compiled(pattern, flags).unwrap_or_else(|e| panic!("{pattern}: {e}"));
            assert_eq!(found.regex().is_match(text), expected, "{pattern} {flags} {text}");
        }
    }

    #[test]
    fn what_automata_cannot_do_is_named() {
        for (pattern, what) in [
            ("a(?=b)", "look-around is not supported"),
            ("a(?!b)", "look-around is not supported"),
            ("(?<=a)b", "look-around is not supported"),
            ("(?<!a)b", "look-around is not supported"),
            (r"(a)\1", "a back-reference is not supported"),
            (r"(?<x>a)\k<x>", "a back-reference is not supported"),
            ("a++", "a possessive repetition is not supported"),
            ("a{2}+", "a possessive repetition is not supported"),
            ("(?>a)", "a group that is not tried again is not supported"),
            (r"\i", r"there is no escape '\i'"),
            ("(a", "unclosed group"),
            ("a)", "unopened group"),
            ("[a", "unclosed class"),
            ("[b-a]", "a range of characters that ends before it begins"),
            ("a\\", "it ends with a backslash"),
            ("((a{99}){99}){99}", "it is too large"),
        ] {
            assert_eq!(compiled(pattern, "").expect_err(pattern).to_string(), what, "{pattern}");
        }
        let nested = "[".repeat(2_000);
        assert!(compiled(&nested, "").is_err());
        assert!(compiled(&"a[".repeat(2_000), "").is_err());
    }
}
