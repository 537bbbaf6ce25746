//! Calls, functions and loops.

use std::sync::Arc;

use orloj_types::Value;

use super::super::ast::{
    Access, Arguments, Call, Callee, Iterator, Kind, Lambda, Level, Loop, Node, Parameter, Source,
    Step,
};
use super::super::builtins::Builtin;
use super::super::lexer::TokenKind;
use super::grammar::{Parsed, Parser};
use crate::error::ParseError;
use crate::pattern;

impl<'a> Parser<'a> {
    /// DIFFERENCE: Camunda's engine calls names and members only, the standard any value.
    pub(super) fn can_be_called(&self, base: &Node, steps: &[Step]) -> bool {
        match steps.last() {
            Some(step) => self.mode.is_standard() || matches!(step.access, Access::Member(_)),
            None => match base.kind {
                Kind::Literal(_) => false,
                Kind::Name(_) => true,
                _ => self.mode.is_standard(),
            },
        }
    }

    pub(super) fn call(&mut self, callee: Callee, start: usize) -> Parsed {
        self.builds = true;
        self.depth += 1;
        self.check_depth()?;
        self.expect_symbol("(")?;
        let mut named = Vec::new();
        let mut positional = Vec::new();
        while !self.is_symbol(")") {
            if self.is_named_argument() {
                named.push(self.entry()?);
            } else {
                positional.push(self.nested(Level::Open)?);
            }
            if !named.is_empty() && !positional.is_empty() {
                return Err(ParseError::new("arguments are all named or none is", start));
            }
            if !self.more(")")? {
                break;
            }
        }
        self.expect_symbol(")")?;
        self.depth -= 1;
        let arguments = match named.is_empty() {
            true => Arguments::Positional(positional),
            false => Arguments::Named(named),
        };
        if let (Callee::Builtin(builtin), false) = (&callee, self.mode.is_standard()) {
            check_pattern(builtin, &arguments)?;
        }
        Ok(self.node(start, Kind::Call(Box::new(Call { callee, arguments }))))
    }

    /// A key and a colon come next.
    pub(super) fn is_named_argument(&self) -> bool {
        let mut lexer = self.lexer;
        let mut token = self.token;
        loop {
            match token.kind {
                TokenKind::Symbol(":") => return token.start > self.token.start,
                TokenKind::Name | TokenKind::QuotedName | TokenKind::Text | TokenKind::Number => {}
                TokenKind::Symbol("+" | "-" | "*" | "**" | "/" | "." | "'") => {}
                _ => return false,
            }
            match lexer.next() {
                Ok(next) => token = next,
                Err(_) => return false,
            }
        }
    }

    pub(super) fn iteration(&mut self, word: &str) -> Parsed {
        self.builds = true;
        let start = self.advance()?.start;
        let mut iterators = Vec::new();
        loop {
            iterators.push(self.iterator()?);
            if !self.is_symbol(",") {
                break;
            }
            self.advance()?;
        }
        self.expect_word(if word == "for" { "return" } else { "satisfies" })?;
        let outer = std::mem::replace(&mut self.uses_partial, false);
        let body = self.nested(Level::Open)?;
        let partial = std::mem::replace(&mut self.uses_partial, false);
        self.uses_partial = outer || partial;
        let parts = Box::new(Loop { iterators, body, partial });
        Ok(self.node(
            start,
            match word {
                "for" => Kind::For(parts),
                "some" => Kind::Some(parts),
                _ => Kind::Every(parts),
            },
        ))
    }

    pub(super) fn iterator(&mut self) -> Result<Iterator, ParseError> {
        let name = match self.token.kind {
            TokenKind::QuotedName => self.quoted_name()?,
            _ => self.name_up_to("in", &[])?,
        };
        self.learn(&name);
        self.expect_word("in")?;
        let low = self.nested(Level::Any)?;
        let source = if self.is_symbol("..") {
            self.advance()?;
            Source::Between(low, self.nested(Level::Sum)?)
        } else {
            Source::Values(low)
        };
        Ok(Iterator { name, source })
    }

    pub(super) fn function(&mut self) -> Parsed {
        self.builds = true;
        let start = self.advance()?.start;
        self.expect_symbol("(")?;
        let mut parameters = Vec::new();
        while !self.is_symbol(")") {
            parameters.push(self.parameter()?);
            if !self.more(")")? {
                break;
            }
        }
        self.expect_symbol(")")?;
        let mut result = None;
        if self.is_symbol(":") {
            self.advance()?;
            result = Some(self.type_()?);
        }
        let external = self.token.kind == TokenKind::Name
            && self.slice(self.token) == "external"
            && self.following()?.kind == TokenKind::Symbol("{");
        if external {
            self.advance()?;
        }
        let used = self.used.len();
        self.functions += 1;
        let body = self.nested(Level::Open)?;
        self.functions -= 1;
        let names: Box<[Arc<str>]> = parameters.iter().map(|p| p.name.clone()).collect();
        let mut free = Vec::new();
        for name in &self.used[used..] {
            if !names.contains(name) && !free.contains(name) {
                free.push(name.clone());
            }
        }
        let mode = self.mode;
        let lambda = Lambda { parameters, names, result, body, external, free, mode };
        Ok(self.node(start, Kind::Function(Arc::new(lambda))))
    }

    pub(super) fn parameter(&mut self) -> Result<Parameter, ParseError> {
        let name = match self.token.kind {
            TokenKind::QuotedName => self.quoted_name()?,
            _ => self.name_up_to("", &[":", ",", ")"])?,
        };
        self.learn(&name);
        let mut type_ = None;
        if self.is_symbol(":") {
            self.advance()?;
            type_ = Some(self.type_()?);
        }
        Ok(Parameter { name, type_ })
    }
}

/// A pattern that is written down and cannot run is known before it runs.
fn check_pattern(builtin: &Builtin, arguments: &Arguments) -> Result<(), ParseError> {
    const PATTERN_AT: usize = 1;
    if !matches!(builtin.name, "matches" | "replace" | "split" | "extract") {
        return Ok(());
    }
    let pattern = match arguments {
        Arguments::Positional(given) => given.get(PATTERN_AT),
        Arguments::Named(given) => given
            .iter()
            .find(|entry| matches!(&*entry.name, "pattern" | "delimiter"))
            .map(|entry| &entry.value),
    };
    let Some(Node { offset, kind: Kind::Literal(Value::Text(text)) }) = pattern else {
        return Ok(());
    };
    match pattern::unsupported(text) {
        Some(what) => {
            let what = format!("{what} in a regular expression");
            Err(ParseError::unsupported(what, *offset as usize))
        }
        None => Ok(()),
    }
}
