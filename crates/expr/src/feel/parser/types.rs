//! Types.

use std::sync::Arc;

use super::super::ast::{Kind, Node};
use super::super::escape::unescape;
use super::super::lexer::TokenKind;
use super::super::names::match_pieces;
use super::super::types::{TYPE_NAMES, Type};
use super::grammar::{Parsed, Parser};
use crate::error::ParseError;

impl Parser<'_> {
    pub(super) fn is_instance_of(&self) -> bool {
        self.following().is_ok_and(|next| self.slice(next) == "of")
    }

    pub(super) fn instance_of(&mut self, left: Node, start: usize) -> Parsed {
        self.expect_word("of")?;
        let word = self.slice(self.token);
        let of = match self.type_()? {
            // DIFFERENCE: to Camunda these two words are names of no type.
            Type::Any | Type::Null
                if !self.mode.is_standard() && ["any", "Null"].contains(&word) =>
            {
                Type::Named(word.into())
            }
            of => of,
        };
        Ok(self.node(start, Kind::InstanceOf(Box::new(left), Box::new(of))))
    }

    pub(super) fn type_(&mut self) -> Result<Type, ParseError> {
        self.depth += 1;
        self.check_depth()?;
        let found = self.type_name()?;
        let found = match found {
            Type::AnyList if self.is_symbol("<") => Type::List(Box::new(self.type_argument()?)),
            Type::AnyRange if self.is_symbol("<") => Type::Range(Box::new(self.type_argument()?)),
            Type::AnyContext if self.is_symbol("<") => self.context_type()?,
            Type::AnyFunction if self.is_symbol("<") => self.function_type()?,
            other => other,
        };
        self.depth -= 1;
        Ok(found)
    }

    pub(super) fn type_name(&mut self) -> Result<Type, ParseError> {
        if self.token.kind == TokenKind::QuotedName {
            return self.quoted_name().map(Type::Named);
        }
        if self.token.kind != TokenKind::Name {
            return Err(self.unexpected("a type"));
        }
        let text = &self.text[self.token.start..];
        let known = self.known_name();
        let built_in = TYPE_NAMES.iter().find_map(|(name, of)| {
            let pieces = name.split_inclusive('-').flat_map(|part| match part.strip_suffix('-') {
                Some(word) => [word, "-"],
                None => [part, ""],
            });
            let pieces = pieces.flat_map(|part| part.split(' ')).filter(|part| !part.is_empty());
            let length = match_pieces(text, pieces)?;
            // More words make it another name: `number list`.
            Some((of, length))
        });
        match (built_in, known) {
            (Some((of, length)), known) if known.as_ref().is_none_or(|(_, l)| *l <= length) => {
                self.skip("".into(), length)?;
                Ok(of.clone())
            }
            (_, Some((name, length))) => {
                let name = self.skip(name, length)?;
                self.qualified_type(name)
            }
            _ => {
                let name = self.unknown_name()?;
                self.qualified_type(name)
            }
        }
    }

    /// Types of an imported model have its name before them.
    pub(super) fn qualified_type(&mut self, name: Arc<str>) -> Result<Type, ParseError> {
        let mut name = name;
        while self.is_symbol(".") {
            self.advance()?;
            name = format!("{name}.{}", self.member()?).into();
        }
        Ok(Type::Named(name))
    }

    pub(super) fn type_argument(&mut self) -> Result<Type, ParseError> {
        self.expect_symbol("<")?;
        let of = self.type_()?;
        self.expect_symbol(">")?;
        Ok(of)
    }

    pub(super) fn context_type(&mut self) -> Result<Type, ParseError> {
        self.expect_symbol("<")?;
        let mut members = Vec::new();
        while !self.is_symbol(">") {
            let name = match self.token.kind {
                TokenKind::Text => unescape(self.advance_slice()?, self.mode).into(),
                TokenKind::QuotedName => self.quoted_name()?,
                _ => self.key()?,
            };
            self.expect_symbol(":")?;
            members.push((name, self.type_()?));
            if !self.more(">")? {
                break;
            }
        }
        self.expect_symbol(">")?;
        Ok(Type::Context(members))
    }

    pub(super) fn function_type(&mut self) -> Result<Type, ParseError> {
        self.expect_symbol("<")?;
        let mut parameters = Vec::new();
        while !self.is_symbol(">") {
            parameters.push(self.type_()?);
            if !self.more(">")? {
                break;
            }
        }
        self.expect_symbol(">")?;
        self.expect_symbol("-")?;
        self.expect_symbol(">")?;
        Ok(Type::Function(parameters, Box::new(self.type_()?)))
    }
}
