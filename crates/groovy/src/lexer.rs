//! Script text to tokens. One pass: texts with `$` hold the tokens of their expressions.

use std::sync::Arc;

use crate::budget::{NESTING_MAX, TOKENS_MAX};
use crate::decimal::Dec;
use crate::diagnostic::Fault;
use crate::token::{KEYWORDS, Kind, OPERATORS, Piece, Token};

pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, Fault> {
    let mut lexer = Lexer { source, at: 0, depth: 0, count: 0 };
    if source.starts_with("#!") {
        lexer.skip_line();
    }
    lexer.run(false)
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    /// Nesting of `${`.
    depth: usize,
    /// Tokens so far, those inside of texts included.
    count: usize,
}

impl Lexer<'_> {
    /// Up to the end, or inside a text up to the `}` that closes its expression.
    fn run(&mut self, inside_text: bool) -> Result<Vec<Token>, Fault> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut braces = 0usize;
        loop {
            let before = self.at;
            let newline_before = self.skip_blank()?;
            let space_before = self.at > before;
            let at = self.offset();
            let Some(c) = self.peek() else {
                if inside_text {
                    return Err(Fault::syntax("the expression after '${' does not end", at));
                }
                tokens.push(Token { kind: Kind::End, at, newline_before: true, space_before });
                return Ok(tokens);
            };
            if inside_text && c == '}' && braces == 0 {
                self.at += 1;
                tokens.push(Token { kind: Kind::End, at, newline_before: true, space_before });
                return Ok(tokens);
            }
            self.count += 1;
            if self.count > TOKENS_MAX {
                let message = format!("the script has more than {TOKENS_MAX} words and signs");
                return Err(Fault::unsupported(message, at));
            }
            let kind = self.token(c, tokens.last())?;
            match kind {
                Kind::Op("{") => braces += 1,
                Kind::Op("}") => braces = braces.saturating_sub(1),
                _ => {}
            }
            tokens.push(Token { kind, at, newline_before, space_before });
        }
    }

    fn token(&mut self, c: char, last: Option<&Token>) -> Result<Kind, Fault> {
        let rest = &self.source[self.at..];
        if c.is_ascii_digit() {
            return self.number();
        }
        if c.is_alphabetic() || c == '_' || (c == '$' && !rest.starts_with("$/")) {
            let after_point = matches!(last, Some(Token { kind: Kind::Op("." | "?." | "*."), .. }));
            return Ok(self.word(after_point));
        }
        if rest.starts_with("'''") {
            return self.plain("'''");
        }
        if rest.starts_with("\"\"\"") {
            return self.interpolated("\"\"\"");
        }
        if c == '\'' {
            return self.plain("'");
        }
        if c == '"' {
            return self.interpolated("\"");
        }
        if rest.starts_with("$/") {
            return self.dollar_slashy();
        }
        if c == '/' && !ends_operand(last) {
            return self.slashy();
        }
        // `!in` is an operator only as a word of its own.
        let found = OPERATORS.iter().find(|op| {
            rest.starts_with(**op)
                && (**op != "!in"
                    || !rest[3..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        });
        match found {
            Some(op) => {
                self.at += op.len();
                Ok(Kind::Op(op))
            }
            None => Err(Fault::syntax(format!("unexpected character '{c}'"), self.offset())),
        }
    }

    fn word(&mut self, after_point: bool) -> Kind {
        let rest = &self.source[self.at..];
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
            .unwrap_or(rest.len());
        self.at += end;
        let word = &rest[..end];
        match KEYWORDS.iter().find(|keyword| **keyword == word) {
            Some(keyword) if !after_point => Kind::Keyword(keyword),
            _ => Kind::Name(word.into()),
        }
    }

    fn number(&mut self) -> Result<Kind, Fault> {
        let start = self.at;
        let rest = &self.source[self.at..];
        let bytes = rest.as_bytes();
        let radix = match bytes {
            [b'0', b'x' | b'X', ..] => 16,
            [b'0', b'b' | b'B', ..] => 2,
            [b'0', b'0'..=b'7' | b'_', ..] => 8,
            _ => 10,
        };
        let mut end = if radix == 16 || radix == 2 { 2 } else { 0 };
        let digits_from = end;
        while end < bytes.len()
            && (bytes[end] == b'_' || char::from(bytes[end]).is_digit(radix.max(10)))
        {
            end += 1;
        }
        let mut is_whole = true;
        if radix == 10 || radix == 8 {
            let next = |at: usize| bytes.get(at).copied().unwrap_or_default();
            if next(end) == b'.' && next(end + 1).is_ascii_digit() {
                is_whole = false;
                end += 1;
                while next(end).is_ascii_digit() || next(end) == b'_' {
                    end += 1;
                }
            }
            if matches!(next(end), b'e' | b'E') {
                let sign = usize::from(matches!(next(end + 1), b'+' | b'-'));
                if next(end + 1 + sign).is_ascii_digit() {
                    is_whole = false;
                    end += 1 + sign;
                    while next(end).is_ascii_digit() {
                        end += 1;
                    }
                }
            }
        }
        let digits: String = rest[digits_from..end].chars().filter(|c| *c != '_').collect();
        let suffix = bytes.get(end).copied().unwrap_or_default().to_ascii_lowercase();
        let has_suffix = matches!(suffix, b'l' | b'i' | b'g' | b'd' | b'f')
            && !(radix == 16 && matches!(suffix, b'd' | b'f'));
        self.at += end + usize::from(has_suffix);
        let suffix = if has_suffix { suffix } else { 0 };
        let bad = || {
            Fault::unsupported("a number of more than 38 digits is not supported", offset(start))
        };
        if !is_whole || matches!(suffix, b'd' | b'f') {
            return Ok(match suffix {
                b'd' => Kind::Double(digits.parse().map_err(|_| bad())?),
                b'f' => Kind::Float(digits.parse().map_err(|_| bad())?),
                _ => Kind::Dec(Dec::parse(&digits).ok_or_else(bad)?),
            });
        }
        let radix = if is_whole { radix } else { 10 };
        let whole = i128::from_str_radix(&digits, radix).map_err(|_| bad())?;
        let too_large = || Fault::syntax("the number does not fit its type", offset(start));
        Ok(match suffix {
            b'l' => Kind::Long(i64::try_from(whole).map_err(|_| too_large())?),
            b'i' => Kind::Int(i32::try_from(whole).map_err(|_| too_large())?),
            b'g' => Kind::BigInt(whole),
            _ => match (i32::try_from(whole), i64::try_from(whole)) {
                (Ok(small), _) => Kind::Int(small),
                // The digits of the smallest integer are read before its sign.
                (_, Ok(long)) => Kind::Long(long),
                _ => Kind::BigInt(whole),
            },
        })
    }

    fn plain(&mut self, quote: &'static str) -> Result<Kind, Fault> {
        let start = self.offset();
        self.at += quote.len();
        let mut text = String::new();
        loop {
            if self.closes(quote) {
                return Ok(Kind::Text(text.into()));
            }
            match self.next() {
                Some('\\') => self.escape(&mut text)?,
                Some('\n') if quote.len() == 1 => break,
                Some(c) => text.push(c),
                None => break,
            }
        }
        Err(Fault::syntax("the text does not end", start))
    }

    fn interpolated(&mut self, quote: &'static str) -> Result<Kind, Fault> {
        let start = self.offset();
        self.at += quote.len();
        let mut pieces = Pieces::default();
        loop {
            if self.closes(quote) {
                return Ok(pieces.finish());
            }
            match self.peek() {
                Some('$') => self.interpolation(&mut pieces)?,
                Some('\\') => {
                    self.at += 1;
                    self.escape(&mut pieces.text)?;
                }
                Some('\n') if quote.len() == 1 => break,
                Some(c) => {
                    self.at += c.len_utf8();
                    pieces.text.push(c);
                }
                None => break,
            }
        }
        Err(Fault::syntax("the text does not end", start))
    }

    fn slashy(&mut self) -> Result<Kind, Fault> {
        let start = self.offset();
        self.at += 1;
        let mut pieces = Pieces::default();
        loop {
            let rest = &self.source[self.at..];
            match self.peek() {
                Some('/') => {
                    self.at += 1;
                    return Ok(pieces.finish());
                }
                Some('\\') if rest.starts_with("\\/") => {
                    self.at += 2;
                    pieces.text.push('/');
                }
                Some('$')
                    if rest[1..].starts_with(|c: char| c.is_alphabetic() || "{_".contains(c)) =>
                {
                    self.interpolation(&mut pieces)?;
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    pieces.text.push(c);
                }
                None => return Err(Fault::syntax("the text does not end", start)),
            }
        }
    }

    fn dollar_slashy(&mut self) -> Result<Kind, Fault> {
        let start = self.offset();
        self.at += 2;
        let mut pieces = Pieces::default();
        loop {
            let rest = &self.source[self.at..];
            if rest.starts_with("/$") {
                self.at += 2;
                return Ok(pieces.finish());
            }
            if rest.starts_with("$$") || rest.starts_with("$/") {
                pieces.text.push_str(&rest[1..2]);
                self.at += 2;
                continue;
            }
            match self.peek() {
                Some('$') => self.interpolation(&mut pieces)?,
                Some(c) => {
                    self.at += c.len_utf8();
                    pieces.text.push(c);
                }
                None => return Err(Fault::syntax("the text does not end", start)),
            }
        }
    }

    fn interpolation(&mut self, pieces: &mut Pieces) -> Result<(), Fault> {
        let at = self.offset();
        self.at += 1;
        let rest = &self.source[self.at..];
        if rest.starts_with('{') {
            self.at += 1;
            self.depth += 1;
            if self.depth > NESTING_MAX / 4 {
                return Err(Fault::unsupported("texts are nested too deeply", at));
            }
            let code = self.run(true)?;
            self.depth -= 1;
            pieces.push(Piece::Code(code));
            return Ok(());
        }
        let mut path = Vec::new();
        while let Some(name) = self.path_name(path.is_empty()) {
            path.push(name);
        }
        if path.is_empty() {
            return Err(Fault::syntax(
                "'$' must be followed by a name or '{', or written '\\$'",
                at,
            ));
        }
        pieces.push(Piece::Path(path, at));
        Ok(())
    }

    fn path_name(&mut self, is_first: bool) -> Option<Arc<str>> {
        let rest = &self.source[self.at..];
        let name = if is_first { rest } else { rest.strip_prefix('.')? };
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return None;
        }
        let end = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
        self.at += end + usize::from(!is_first);
        Some(name[..end].into())
    }

    fn escape(&mut self, text: &mut String) -> Result<(), Fault> {
        let at = self.offset();
        let bad = || Fault::syntax("unknown escape in a text", at);
        match self.next().ok_or_else(bad)? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            's' => text.push(' '),
            c @ ('\\' | '\'' | '"' | '$') => text.push(c),
            '\n' => {}
            'u' => {
                let digits = self.source.get(self.at..self.at + 4).ok_or_else(bad)?;
                let code = u32::from_str_radix(digits, 16).map_err(|_| bad())?;
                self.at += 4;
                // Halves of a pair come as two escapes; alone they are no character.
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            c @ '0'..='7' => {
                let mut code = c.to_digit(8).unwrap_or_default();
                while let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) {
                    if code >= 32 {
                        break;
                    }
                    code = code * 8 + digit;
                    self.at += 1;
                }
                text.push(char::from_u32(code).unwrap_or_default());
            }
            _ => return Err(bad()),
        }
        Ok(())
    }

    /// Whether a newline was among it.
    fn skip_blank(&mut self) -> Result<bool, Fault> {
        let mut newline = false;
        loop {
            let rest = &self.source[self.at..];
            if rest.starts_with("//") {
                self.skip_line();
            } else if rest.starts_with("/*") {
                let end = rest
                    .find("*/")
                    .ok_or_else(|| Fault::syntax("the comment does not end", self.offset()))?;
                newline |= rest[..end].contains('\n');
                self.at += end + 2;
            } else if rest.starts_with("\\\n") {
                self.at += 2;
            } else {
                match self.peek() {
                    Some(c) if c.is_whitespace() || c == '\u{feff}' => {
                        newline |= c == '\n' || c == '\r';
                        self.at += c.len_utf8();
                    }
                    _ => return Ok(newline),
                }
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.source[self.at..];
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn closes(&mut self, quote: &str) -> bool {
        let rest = &self.source[self.at..];
        // In `'''a'''' ` the text takes the first of four quotes.
        let is_end =
            rest.starts_with(quote) && !(quote.len() == 3 && rest[3..].starts_with(&quote[..1]));
        if is_end {
            self.at += quote.len();
        }
        is_end
    }

    fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn offset(&self) -> u32 {
        offset(self.at)
    }
}

#[derive(Default)]
struct Pieces {
    done: Vec<Piece>,
    text: String,
}

impl Pieces {
    fn push(&mut self, piece: Piece) {
        self.flush();
        self.done.push(piece);
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.done.push(Piece::Text(std::mem::take(&mut self.text).into()));
        }
    }

    fn finish(mut self) -> Kind {
        if self.done.is_empty() {
            return Kind::Text(self.text.into());
        }
        self.flush();
        Kind::GString(self.done)
    }
}

/// After these a `/` divides.
fn ends_operand(last: Option<&Token>) -> bool {
    match last.map(|token| &token.kind) {
        None => false,
        Some(Kind::Op(op)) => matches!(*op, ")" | "]" | "}" | "++" | "--"),
        Some(Kind::Keyword(word)) => matches!(*word, "this" | "true" | "false" | "null"),
        Some(_) => true,
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
