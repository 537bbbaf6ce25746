use crate::error::ParseError;
use crate::expression::TOKENS_MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Identifiers and key words; the parser tells them apart.
    Name,
    /// Between back-ticks.
    QuotedName,
    Number,
    /// Between double quotes, escapes as written.
    Text,
    Symbol(&'static str),
    End,
}

/// Longest first.
const SYMBOLS: [&str; 24] = [
    "**", "..", "!=", "<=", ">=", "+", "-", "*", "/", "(", ")", "[", "]", "{", "}", ",", ":", ".",
    "=", "<", ">", "?", "@", "'",
];

/// Cuts FEEL text into tokens. Cheap to copy, which is how the parser looks ahead.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    count: usize,
    /// Numbers may have an exponent.
    exponents: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, exponents: bool) -> Self {
        Self { text, at: 0, count: 0, exponents }
    }

    /// Goes on at another place.
    pub fn jump(&mut self, at: usize) {
        self.at = at;
    }

    pub fn next(&mut self) -> Result<Token, ParseError> {
        self.skip_blanks()?;
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok(Token { kind: TokenKind::End, start, end: start });
        };
        let second = rest.as_bytes().get(1);
        let kind = if is_name_start(first) {
            self.at += rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
            TokenKind::Name
        } else if first.is_ascii_digit() || (first == '.' && second.is_some_and(u8::is_ascii_digit))
        {
            self.at += number_length(rest.as_bytes(), self.exponents);
            TokenKind::Number
        } else if first == '"' {
            self.at += text_length(rest)
                .ok_or_else(|| ParseError::new("the text has no closing quote", start))?;
            TokenKind::Text
        } else if first == '`' {
            self.at += 2 + rest[1..]
                .find('`')
                .ok_or_else(|| ParseError::new("the name has no closing back-tick", start))?;
            TokenKind::QuotedName
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            self.at += symbol.len();
            TokenKind::Symbol(symbol)
        } else {
            return Err(ParseError::new(format!("unexpected character '{first}'"), start));
        };
        self.count += 1;
        if self.count > TOKENS_MAX {
            return Err(ParseError::too_many_tokens(start));
        }
        Ok(Token { kind, start, end: self.at })
    }

    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(is_blank);
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                let end = comment
                    .find("*/")
                    .ok_or_else(|| ParseError::new("the comment has no end", self.at))?;
                self.at += end + 4;
            } else {
                return Ok(());
            }
        }
    }
}

/// The standard counts some more characters among the blanks than Unicode does.
#[inline]
pub(super) fn is_blank(c: char) -> bool {
    c == ' ' || c.is_whitespace() || matches!(c, '\u{180e}' | '\u{200b}' | '\u{feff}')
}

#[inline]
pub(super) fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$' || (!c.is_ascii() && is_wide_name_start(c))
}

#[inline]
pub(super) fn is_name_part(c: char) -> bool {
    is_name_start(c)
        || c.is_ascii_digit()
        || !c.is_ascii()
            && (c.is_numeric()
                || matches!(c, '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}'))
}

/// Letters, and the ranges of the standard, among them everything beyond the basic plane.
fn is_wide_name_start(c: char) -> bool {
    c.is_alphabetic()
        || matches!(
            c,
            '\u{200c}'..='\u{200d}'
                | '\u{2070}'..='\u{218f}'
                | '\u{2c00}'..='\u{2fef}'
                | '\u{3001}'..='\u{d7ff}'
                | '\u{f900}'..='\u{fdcf}'
                | '\u{fdf0}'..='\u{fefe}'
                | '\u{ff00}'..='\u{fffd}'
                | '\u{10000}'..='\u{effff}'
        )
}

/// Digits, then a point only if digits follow: `1.x` is a path and `1..2` a range.
fn number_length(bytes: &[u8], exponents: bool) -> usize {
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if exponents && matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        if digits((length + 1 + sign).min(bytes.len())) > 0 {
            length += 1 + sign + digits(length + 1 + sign);
        }
    }
    length
}

fn text_length(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}
