use super::ast::Sign;
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
    Integer,
    Float,
    /// Between single or double quotes, escapes as written.
    Text,
    Symbol(&'static str),
    End,
}

/// Longest first.
const SYMBOLS: [&str; 23] = [
    "==", "!=", "<=", ">=", "&&", "||", "!", "<", ">", "+", "-", "*", "/", "%", "?", ":", "(", ")",
    "[", "]", ".", ",", "}",
];

/// Cuts UEL text: first the literal text around expressions, then the tokens inside of one. Cheap
/// to copy, which is how the parser looks ahead.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    count: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, count: 0 }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// Literal text up to the next expression or the end, and what opens the expression. A
    /// backslash keeps `${` and `#{` from doing so; elsewhere it is an ordinary character.
    pub fn literal_text(&mut self) -> (String, Option<Sign>) {
        let rest = &self.text[self.at..];
        let mut out = String::new();
        let mut copied = 0;
        let bytes = rest.as_bytes();
        for at in 0..bytes.len().saturating_sub(1) {
            let sign = match (bytes[at], bytes[at + 1]) {
                (b'$', b'{') => Sign::Dollar,
                (b'#', b'{') => Sign::Hash,
                _ => continue,
            };
            if at > 0 && bytes[at - 1] == b'\\' {
                out.push_str(&rest[copied..at - 1]);
                copied = at;
                continue;
            }
            out.push_str(&rest[copied..at]);
            self.at += at + 2;
            return (out, Some(sign));
        }
        out.push_str(&rest[copied..]);
        self.at = self.text.len();
        (out, None)
    }

    /// The next token inside of an expression.
    pub fn next(&mut self) -> Result<Token, ParseError> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
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
            let (length, kind) = number(rest.as_bytes());
            self.at += length;
            kind
        } else if first == '"' || first == '\'' {
            self.at += text_length(rest, first as u8)
                .ok_or_else(|| ParseError::new("the text has no closing quote", start))?;
            TokenKind::Text
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            self.at += symbol.len();
            TokenKind::Symbol(symbol)
        } else {
            return Err(match first {
                '=' => ParseError::unsupported("an assignment", start),
                '{' => ParseError::unsupported("a literal of a map or set", start),
                ';' => ParseError::unsupported("a sequence of expressions", start),
                _ => ParseError::new(format!("unexpected character '{first}'"), start),
            });
        };
        self.count += 1;
        if self.count > TOKENS_MAX {
            return Err(ParseError::too_many_tokens(start));
        }
        Ok(Token { kind, start, end: self.at })
    }
}

pub(super) fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

pub(super) fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_numeric()
}

/// A point or an exponent makes a double; an exponent without digits is none.
fn number(bytes: &[u8]) -> (usize, TokenKind) {
    let digits =
        |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut length = digits(0);
    let mut kind = TokenKind::Integer;
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
        kind = TokenKind::Float;
    }
    if let Some(b'e' | b'E') = bytes.get(length) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits((length + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            length += 1 + sign + exponent;
            kind = TokenKind::Float;
        }
    }
    (length, kind)
}

fn text_length(rest: &str, quote: u8) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
