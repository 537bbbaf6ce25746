//! Values: literals, lists, contexts, ranges and words.

use std::sync::Arc;

use orloj_types::{RangeForm, Value};

use super::super::ast::{Callee, Comparison, Entry, Interval, Kind, Level, Node};
use super::super::builtins;
use super::super::escape::unescape;
use super::super::lexer::TokenKind;
use super::super::zone;
use super::grammar::{Operator, Parsed, Parser, is_reserved};
use super::names::name_of;
use crate::error::ParseError;
use crate::number::Number;

impl<'a> Parser<'a> {
    pub(super) fn primary(&mut self) -> Parsed {
        let start = self.token.start;
        match self.token.kind {
            TokenKind::Number => self.number(),
            TokenKind::Text => self.text(),
            TokenKind::QuotedName => self.quoted_variable(),
            TokenKind::Name => self.word(),
            TokenKind::Symbol("(") => self.parenthesised(),
            TokenKind::Symbol("[") => self.list(),
            TokenKind::Symbol("{") => self.context(),
            TokenKind::Symbol("]") => self.open_range(),
            TokenKind::Symbol("?") => {
                self.advance()?;
                self.uses_input = true;
                Ok(self.node(start, Kind::Input))
            }
            TokenKind::Symbol("@") => self.at_literal(),
            _ => Err(self.unexpected("a value")),
        }
    }

    pub(super) fn text(&mut self) -> Parsed {
        let start = self.token.start;
        let text = unescape(self.advance_slice()?, self.mode);
        Ok(self.node(start, Kind::Literal(Value::text(text))))
    }

    pub(super) fn at_literal(&mut self) -> Parsed {
        let start = self.advance()?.start;
        if self.token.kind != TokenKind::Text {
            return Err(self.unexpected("a text"));
        }
        let text = unescape(self.advance_slice()?, self.mode);
        // DIFFERENCE: by the standard a text that is no date, time or duration makes the whole
        // expression an error; the kit expects null.
        let value = zone::parse_temporal(&text, self.mode).map_or(Value::Null, Value::temporal);
        Ok(self.node(start, Kind::Literal(value)))
    }

    pub(super) fn parenthesised(&mut self) -> Parsed {
        let start = self.advance()?.start;
        if let Some(Operator::Compare(comparison)) = self.operator() {
            let range = self.one_sided(comparison)?;
            self.expect_symbol(")")?;
            return Ok(self.node(start, range));
        }
        let inner = self.nested(Level::Open)?;
        if self.is_symbol("..") {
            let interval = self.interval(inner, false)?;
            return Ok(self.node(start, Kind::Range(Box::new(interval))));
        }
        self.expect_symbol(")")?;
        Ok(inner)
    }

    /// `(< 5)` as a value.
    pub(super) fn one_sided(&mut self, comparison: Comparison) -> Result<Kind, ParseError> {
        let start = self.advance()?.start;
        let bound = self.nested(Level::Sum)?;
        let included = matches!(comparison, Comparison::LessOrEqual | Comparison::GreaterOrEqual);
        Ok(match comparison {
            Comparison::Less | Comparison::LessOrEqual => Kind::Range(Box::new(Interval {
                low: None,
                low_included: false,
                high: Some(bound),
                high_included: included,
                form: RangeForm::Interval,
            })),
            Comparison::Greater | Comparison::GreaterOrEqual => Kind::Range(Box::new(Interval {
                low: Some(bound),
                low_included: included,
                high: None,
                high_included: false,
                form: RangeForm::Interval,
            })),
            Comparison::Equal | Comparison::NotEqual if !self.mode.is_standard() => {
                let what = format!("a range with '{}'", comparison.symbol());
                return Err(ParseError::unsupported(what, start));
            }
            Comparison::Equal | Comparison::NotEqual => {
                let is_equal = comparison == Comparison::Equal;
                let form = if is_equal { RangeForm::Equal } else { RangeForm::NotEqual };
                Kind::Range(Box::new(Interval {
                    low: Some(bound),
                    low_included: is_equal,
                    high: None,
                    high_included: is_equal,
                    form,
                }))
            }
        })
    }

    pub(super) fn open_range(&mut self) -> Parsed {
        let start = self.advance()?.start;
        let low = self.nested(Level::Sum)?;
        let interval = self.interval(low, false)?;
        Ok(self.node(start, Kind::Range(Box::new(interval))))
    }

    pub(super) fn list(&mut self) -> Parsed {
        let start = self.token.start;
        match self.list_or_low()? {
            ListOrLow::List(list) => Ok(list),
            ListOrLow::Low(low) => {
                let interval = self.interval(low, true)?;
                Ok(self.node(start, Kind::Range(Box::new(interval))))
            }
        }
    }

    pub(super) fn number(&mut self) -> Parsed {
        let start = self.token.start;
        let end = self.token.end;
        let slice = self.advance_slice()?;
        let exponent = self.token.start == end
            && self.token.kind == TokenKind::Name
            && matches!(self.text.as_bytes().get(end), Some(b'e' | b'E'))
            && self.text[end + 1..self.token.end].bytes().all(|b| b.is_ascii_digit());
        if exponent {
            return Err(ParseError::unsupported("a number with an exponent", start));
        }
        let number = Number::from_text(slice)
            .ok_or_else(|| ParseError::new("the number is too large", start))?;
        Ok(self.node(start, Kind::Literal(number.into_value())))
    }

    pub(super) fn word(&mut self) -> Parsed {
        let start = self.token.start;
        let word = self.slice(self.token);
        let text = &self.text[start..];
        let known = self.known_name();
        // A function of the standard with several words, unless a longer name is known here.
        if let Some((builtin, length)) = builtins::of_words(text, word, self.mode)
            && known.as_ref().is_none_or(|(_, other)| *other < length)
        {
            self.skip("".into(), length)?;
            return self.call(Callee::Builtin(builtin), start);
        }
        if let Some((name, length)) = known {
            let is_word = length == word.len() && (is_reserved(word) || word == "not");
            if !is_word {
                let name = self.skip(name, length)?;
                return Ok(self.variable(start, name));
            }
        }
        let next = self.following()?;
        match (word, next.kind) {
            ("null", _) => self.literal(Value::Null),
            ("true", _) => self.literal(Value::Bool(true)),
            ("false", _) => self.literal(Value::Bool(false)),
            ("if", _) => self.condition(),
            ("for" | "some" | "every", TokenKind::Name | TokenKind::QuotedName) => {
                self.iteration(word)
            }
            ("function", TokenKind::Symbol("(")) => self.function(),
            ("and" | "or", TokenKind::Symbol("(")) => {
                self.advance()?;
                match builtins::named(word, self.mode) {
                    Some(builtin) => self.call(Callee::Builtin(builtin), start),
                    None => Err(self.unexpected("a value")),
                }
            }
            (word, _) if is_reserved(word) || word == "function" => Err(self.unexpected("a value")),
            (word, TokenKind::Symbol("(")) => {
                self.advance()?;
                match builtins::named(word, self.mode) {
                    Some(builtin) => self.call(Callee::Builtin(builtin), start),
                    None => Ok(self.variable(start, word.into())),
                }
            }
            _ => {
                let name = self.unknown_name()?;
                Ok(self.variable(start, name))
            }
        }
    }

    pub(super) fn literal(&mut self, value: Value) -> Parsed {
        let start = self.advance()?.start;
        Ok(self.node(start, Kind::Literal(value)))
    }

    pub(super) fn condition(&mut self) -> Parsed {
        let start = self.advance()?.start;
        let condition = self.nested(Level::Open)?;
        self.expect_word("then")?;
        let yes = self.nested(Level::Open)?;
        self.expect_word("else")?;
        let no = self.nested(Level::Open)?;
        Ok(self.node(start, Kind::If(Box::new((condition, yes, no)))))
    }

    /// A list, or a bracket and the low end of a range.
    pub(super) fn list_or_low(&mut self) -> Result<ListOrLow, ParseError> {
        self.builds = true;
        let start = self.advance()?.start;
        let mut items = Vec::new();
        while !self.is_symbol("]") {
            items.push(self.nested(Level::Open)?);
            if items.len() == 1 && self.is_symbol("..") {
                return Ok(ListOrLow::Low(items.remove(0)));
            }
            if !self.more("]")? {
                break;
            }
        }
        self.expect_symbol("]")?;
        Ok(ListOrLow::List(self.node(start, Kind::List(items))))
    }

    /// Takes the comma between items, which no closing bracket may follow.
    pub(super) fn more(&mut self, closing: &str) -> Result<bool, ParseError> {
        if !self.is_symbol(",") {
            return Ok(false);
        }
        self.advance()?;
        if self.is_symbol(closing) {
            return Err(self.unexpected("a value"));
        }
        Ok(true)
    }

    pub(super) fn context(&mut self) -> Parsed {
        self.builds = true;
        let start = self.advance()?.start;
        let mut entries = Vec::new();
        while !self.is_symbol("}") {
            entries.push(self.entry()?);
            if !self.more("}")? {
                break;
            }
        }
        self.expect_symbol("}")?;
        Ok(self.node(start, Kind::Context(entries)))
    }

    pub(super) fn entry(&mut self) -> Result<Entry, ParseError> {
        let name = match self.token.kind {
            TokenKind::Text => unescape(self.advance_slice()?, self.mode).into(),
            TokenKind::QuotedName => self.quoted_name()?,
            _ => self.key()?,
        };
        self.expect_symbol(":")?;
        let value = self.nested(Level::Open)?;
        self.learn(&name);
        Ok(Entry { name, value })
    }

    /// A key without quotes may be several words, with digits, points and operators in it.
    pub(super) fn key(&mut self) -> Result<Arc<str>, ParseError> {
        let start = self.token.start;
        let mut end = start;
        while let TokenKind::Name
        | TokenKind::Number
        | TokenKind::Symbol("+" | "-" | "*" | "**" | "/" | "." | "'") = self.token.kind
        {
            end = self.advance()?.end;
        }
        if end == start {
            return Err(self.unexpected("a key"));
        }
        let key = &self.text[start..end];
        Ok(if self.mode.is_standard() { name_of(key) } else { key.into() })
    }

    /// From the two points on.
    pub(super) fn interval(
        &mut self,
        low: Node,
        low_included: bool,
    ) -> Result<Interval, ParseError> {
        self.builds = true;
        self.expect_symbol("..")?;
        let high = self.nested(Level::Sum)?;
        let high_included = match self.token.kind {
            TokenKind::Symbol("]") => true,
            TokenKind::Symbol(")" | "[") => false,
            _ => return Err(self.unexpected("the end of the range")),
        };
        self.advance()?;
        let form = RangeForm::Interval;
        Ok(Interval { low: Some(low), low_included, high: Some(high), high_included, form })
    }
}

pub(super) enum ListOrLow {
    List(Node),
    Low(Node),
}
