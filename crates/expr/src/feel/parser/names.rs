//! Names: known ones, and those of one word or several.

use std::sync::Arc;

use super::super::ast::{Kind, Node};
use super::super::builtins;
use super::super::lexer::{Token, TokenKind, is_blank};
use super::super::names::match_pieces;
use super::grammar::{Parsed, Parser, is_reserved};
use crate::error::ParseError;

/// Properties of two words.
const MEMBERS_OF_WORDS: [[&str; 2]; 3] =
    [["time", "offset"], ["start", "included"], ["end", "included"]];
const PARTIAL: &str = "partial";

impl<'a> Parser<'a> {
    pub(super) fn member(&mut self) -> Result<Arc<str>, ParseError> {
        match self.token.kind {
            TokenKind::Name => {
                let text = &self.text[self.token.start..];
                let words = MEMBERS_OF_WORDS.iter().find_map(|words| {
                    let length = match_pieces(text, words.iter().copied())?;
                    Some((words.join(" "), length))
                });
                match (self.known_name(), words) {
                    (Some((name, length)), _) => self.skip(name, length),
                    (None, Some((name, length))) => self.skip(name.into(), length),
                    (None, None) => self.unknown_name(),
                }
            }
            TokenKind::QuotedName => self.quoted_name(),
            _ => Err(self.unexpected("the name of a member")),
        }
    }

    pub(super) fn quoted_name(&mut self) -> Result<Arc<str>, ParseError> {
        let start = self.token.start;
        let slice = self.advance_slice()?;
        match &slice[1..slice.len() - 1] {
            "" => Err(ParseError::new("the name is empty", start)),
            name => Ok(name.into()),
        }
    }

    pub(super) fn quoted_variable(&mut self) -> Parsed {
        let start = self.token.start;
        let name = self.quoted_name()?;
        Ok(self.variable(start, name))
    }

    pub(super) fn variable(&mut self, start: usize, name: Arc<str>) -> Node {
        if self.functions > 0 {
            self.used.push(name.clone());
        }
        self.uses_partial |= &*name == PARTIAL;
        self.node(start, Kind::Name(name))
    }

    /// The longest known name from here on, and its bytes.
    pub(super) fn known_name(&self) -> Option<(Arc<str>, usize)> {
        self.known_name_at(self.token)
    }

    pub(super) fn known_name_at(&self, token: Token) -> Option<(Arc<str>, usize)> {
        let (text, first) = (&self.text[token.start..], self.slice(token));
        let given = self.names.longest(text, first);
        let own = self.own_names.longest(text, first);
        let (name, _, length) = match (given, own) {
            (Some(given), Some(own)) => {
                if own.1 > given.1 {
                    own
                } else {
                    given
                }
            }
            (given, own) => given.or(own)?,
        };
        Some((name.clone(), length))
    }

    pub(super) fn note_beginning(&mut self, token: Token) {
        let word = match token.kind {
            TokenKind::Name => self.slice(token),
            TokenKind::QuotedName => self.slice(token).trim_matches('`'),
            _ => return,
        };
        for beginning in self.names.beginnings(word) {
            if !self.beginnings.contains(&beginning) {
                self.beginnings.push(beginning);
            }
        }
    }

    /// Takes a name of so many bytes.
    pub(super) fn skip(&mut self, name: Arc<str>, length: usize) -> Result<Arc<str>, ParseError> {
        let end = self.token.start + length;
        self.lexer.jump(end);
        self.token.end = end;
        self.advance()?;
        Ok(name)
    }

    /// A name that nobody told us: one word, and by the standard all words that follow it.
    pub(super) fn unknown_name(&mut self) -> Result<Arc<str>, ParseError> {
        let first = self.advance()?;
        let word = &self.text[first.start..first.end];
        let goes_on = self.mode.is_standard() || self.calls_words();
        if !goes_on || !self.continues_name() {
            return Ok(name_of(word));
        }
        // Word by word: what stands between them may be a comment.
        let (mut name, mut end) = (word.to_owned(), first.end);
        while self.continues_name() {
            let token = self.advance()?;
            if token.start > end {
                name.push(' ');
            }
            name.push_str(&self.text[token.start..token.end]);
            end = token.end;
        }
        Ok(name_of(&name))
    }

    /// DIFFERENCE: in Camunda's engine only functions that nobody knows have several words.
    pub(super) fn calls_words(&self) -> bool {
        let mut lexer = self.lexer;
        let mut token = self.token;
        while token.kind == TokenKind::Name && !is_reserved(self.slice(token)) {
            match lexer.next() {
                Ok(next) => token = next,
                Err(_) => return false,
            }
        }
        token.start > self.token.start && token.kind == TokenKind::Symbol("(")
    }

    pub(super) fn continues_name(&self) -> bool {
        match self.token.kind {
            TokenKind::Name => {
                let word = self.slice(self.token);
                !(is_reserved(word) || word == "instance" && self.is_instance_of())
            }
            TokenKind::Number => self.slice(self.token).bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        }
    }

    /// A new name: everything before a word or a sign.
    pub(super) fn name_up_to(
        &mut self,
        word: &str,
        signs: &[&str],
    ) -> Result<Arc<str>, ParseError> {
        let start = self.token.start;
        let mut end = start;
        if !self.mode.is_standard() && self.token.kind == TokenKind::Name {
            return Ok(self.advance_slice()?.into());
        }
        loop {
            match self.token.kind {
                TokenKind::Name if self.slice(self.token) == word => break,
                TokenKind::Symbol(symbol) if signs.contains(&symbol) => break,
                TokenKind::Name => {}
                TokenKind::Number | TokenKind::Symbol("+" | "-" | "*" | "/" | "." | "'")
                    if end > start => {}
                _ => return Err(self.unexpected("a name")),
            }
            end = self.advance()?.end;
        }
        if end == start {
            return Err(self.unexpected("a name"));
        }
        Ok(name_of(&self.text[start..end]))
    }

    /// DIFFERENCE: Camunda's engine has no names with blanks or operators but between back-ticks.
    pub(super) fn learn(&mut self, name: &str) {
        let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if self.mode.is_standard() && (!is_word || builtins::named(name, self.mode).is_some()) {
            self.own_names.add(name);
        }
    }
}

/// With single blanks between its words.
pub(super) fn name_of(text: &str) -> Arc<str> {
    if !text.contains(is_blank) {
        return text.into();
    }
    let words: Vec<&str> = text.split(is_blank).filter(|word| !word.is_empty()).collect();
    words.join(" ").into()
}
