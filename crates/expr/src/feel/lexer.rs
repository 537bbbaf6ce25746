use crate::error::ParseError;

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
const SYMBOLS: [&str; 23] = [
    "**", "..", "!=", "<=", ">=", "+", "-", "*", "/", "(", ")", "[", "]", "{", "}", ",", ":", ".",
    "=", "<", ">", "?", "@",
];

/// Cuts FEEL text into tokens. Cheap to copy, which is how the parser looks ahead.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
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
            self.at += number_length(rest.as_bytes());
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
        Ok(Token { kind, start, end: self.at })
    }

    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
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

pub(super) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

pub(super) fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_numeric()
}

/// Digits, then a point only if digits follow: `1.x` is a path and `1..2` a range.
fn number_length(bytes: &[u8]) -> usize {
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    if bytes.get(whole) != Some(&b'.') {
        return whole;
    }
    match digits(whole + 1) {
        0 => whole,
        fraction => whole + 1 + fraction,
    }
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
