use std::sync::Arc;

use crate::ast::{
    Access, Argument, Entry, Expr, ExprKind, Function, Member, Stmt, StmtKind, TextPiece, Type,
};
use crate::classes::Class;
use crate::diagnostic::Fault;
use crate::token::{Kind, Piece, Token};

use super::parser::{Parser, Result, node};

impl<'t> Parser<'t> {
    pub(super) fn primary(&mut self) -> Result<Expr> {
        let at = self.here();
        if let Some(class) = self.class_expression()? {
            return Ok(node(at, ExprKind::Class(class)));
        }
        let kind = match self.kind() {
            Kind::Name(name) => ExprKind::Name(name.clone()),
            Kind::Int(number) => ExprKind::Int(*number),
            Kind::Long(number) => ExprKind::Long(*number),
            Kind::BigInt(number) => ExprKind::BigInt(*number),
            Kind::Dec(number) => ExprKind::Dec(*number),
            Kind::Double(number) => ExprKind::Double(*number),
            Kind::Float(number) => ExprKind::Float(*number),
            Kind::Text(text) => ExprKind::Text(text.clone()),
            Kind::Keyword("null") => ExprKind::Null,
            Kind::Keyword("true") => ExprKind::Bool(true),
            Kind::Keyword("false") => ExprKind::Bool(false),
            Kind::Keyword("this") => ExprKind::This,
            Kind::GString(pieces) => {
                self.at += 1;
                return self.gstring(pieces, at);
            }
            Kind::Keyword("new") => return self.new_object(),
            Kind::Keyword("switch") => {
                let switch = self.nested(Self::switch)?;
                return Ok(node(at, ExprKind::Switch(Box::new(switch))));
            }
            Kind::Op("(") => {
                self.at += 1;
                let inner = self.bracketed(true, Self::expression)?;
                self.expect_op(")")?;
                return Ok(inner);
            }
            Kind::Op("[") => return self.nested(Self::list_or_map),
            Kind::Op("{") => return self.closure(),
            _ => return Err(self.unexpected("an expression")),
        };
        self.at += 1;
        Ok(node(at, kind))
    }

    fn gstring(&mut self, pieces: &'t [Piece], at: u32) -> Result<Expr> {
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            parts.push(match piece {
                Piece::Text(text) => TextPiece::Text(text.clone()),
                Piece::Path(path, at) => {
                    let mut names = path.iter();
                    let first = names.next().cloned().unwrap_or_default();
                    let mut expr = node(*at, ExprKind::Name(first));
                    for name in names {
                        self.grow()?;
                        expr = node(
                            *at,
                            ExprKind::Property {
                                target: Box::new(expr),
                                name: Member::Name(name.clone()),
                                access: Access::Plain,
                            },
                        );
                    }
                    TextPiece::Expr(expr)
                }
                Piece::Code(tokens) => TextPiece::Expr(self.gstring_code(tokens, at)?),
            });
        }
        Ok(node(at, ExprKind::GString(parts)))
    }

    fn gstring_code(&mut self, tokens: &'t [Token], at: u32) -> Result<Expr> {
        // `${-> x}` is read when the text is made; nothing here changes between the two.
        let tokens = match tokens.first().map(|token| &token.kind) {
            Some(Kind::Op("->")) => &tokens[1..],
            _ => tokens,
        };
        let mut inner = self.parse_inner(tokens)?;
        match (inner.pop(), inner.is_empty()) {
            (None, _) => Ok(node(at, ExprKind::Null)),
            (Some(Stmt { kind: StmtKind::Expr(expr), .. }), true) => Ok(expr),
            _ => Err(Fault::unsupported("a text may hold expressions only", at)),
        }
    }

    fn new_object(&mut self) -> Result<Expr> {
        let at = self.here();
        self.at += 1;
        let ty = self.parse_type()?;
        if self.is_op("[") {
            self.at += 1;
            let size = Box::new(self.bracketed(true, Self::expression)?);
            self.expect_op("]")?;
            return Ok(node(at, ExprKind::NewArray { ty, size }));
        }
        let class = match ty {
            Type::Class(class) => class,
            Type::Any => Class::known("java.lang.Object"),
            _ => return Err(Fault::syntax("this type has no constructor", at)),
        };
        if !crate::methods::has_constructor(class) {
            let message = format!("'new {}' is not supported in scripts", class.name());
            return Err(Fault::unsupported(message, at));
        }
        let arguments = if self.is_op("(") { self.call_arguments()? } else { Vec::new() };
        Ok(node(at, ExprKind::New { class, arguments }))
    }

    fn list_or_map(&mut self) -> Result<Expr> {
        let at = self.here();
        self.expect_op("[")?;
        let (mut items, mut entries) = (Vec::new(), Vec::new());
        let is_empty_map = self.is_op(":") && matches!(self.ahead(1).kind, Kind::Op("]"));
        if is_empty_map {
            self.at += 2;
            return Ok(node(at, ExprKind::Map(Vec::new())));
        }
        self.bracketed(true, |p| {
            while !p.is_op("]") {
                p.argument(&mut items, &mut entries)?;
                if !p.take_op(",") {
                    break;
                }
            }
            Ok(())
        })?;
        self.expect_op("]")?;
        match (items.is_empty(), entries.is_empty()) {
            (_, true) => Ok(node(at, ExprKind::List(items))),
            (true, false) => Ok(node(at, ExprKind::Map(entries))),
            _ => Err(Fault::syntax("a list and a map are mixed", at)),
        }
    }

    /// One of a list or call: a value, `*values`, `key: value` or `*: map`.
    pub(super) fn argument(
        &mut self,
        items: &mut Vec<Argument>,
        entries: &mut Vec<Entry>,
    ) -> Result<()> {
        if self.is_op("*") && matches!(self.ahead(1).kind, Kind::Op(":")) {
            self.at += 2;
            entries.push(Entry::Spread(self.expression()?));
            return Ok(());
        }
        if self.take_op("*") {
            items.push(Argument { value: self.expression()?, spread: true });
            return Ok(());
        }
        let at = self.here();
        let key = match self.kind() {
            Kind::Name(name) => Some(name.clone()),
            Kind::Keyword(word) => Some((*word).into()),
            _ => None,
        };
        if let (Some(key), Kind::Op(":")) = (key, &self.ahead(1).kind) {
            self.at += 2;
            entries.push(Entry::Pair(node(at, ExprKind::Text(key)), self.expression()?));
            return Ok(());
        }
        let value = self.expression()?;
        if self.take_op(":") {
            entries.push(Entry::Pair(value, self.expression()?));
        } else {
            items.push(Argument { value, spread: false });
        }
        Ok(())
    }

    pub(super) fn closure(&mut self) -> Result<Expr> {
        self.nested(|p| {
            let at = p.here();
            p.expect_op("{")?;
            let function = p.bracketed(false, |p| {
                let has_parameters = p.has_closure_parameters();
                let (parameters, varargs) =
                    if has_parameters { p.parameters("->")? } else { (Vec::new(), false) };
                if has_parameters {
                    p.expect_op("->")?;
                }
                let body = p.statements()?;
                let returns = Type::Any;
                Ok(Function { parameters, implicit_it: !has_parameters, varargs, body, returns })
            })?;
            p.expect_op("}")?;
            Ok(node(at, ExprKind::Closure(Arc::new(function))))
        })
    }

    /// Whether an arrow comes before anything that no parameter list holds.
    fn has_closure_parameters(&self) -> bool {
        let mut at = 0;
        loop {
            match &self.ahead(at).kind {
                Kind::Op("->") => return true,
                Kind::Op("," | "=" | "<" | ">" | "[" | "]" | "." | "?" | "..." | "-") => {}
                Kind::Op(_) | Kind::End => return false,
                Kind::Keyword(word)
                    if !matches!(*word, "def" | "final" | "var" | "null" | "true" | "false")
                        && !super::types::is_primitive(word) =>
                {
                    return false;
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// Named arguments come first, as one map.
pub(super) fn with_named(
    mut arguments: Vec<Argument>,
    named: Vec<Entry>,
    at: u32,
) -> Vec<Argument> {
    if !named.is_empty() {
        let value = node(at, ExprKind::Map(named));
        arguments.insert(0, Argument { value, spread: false });
    }
    arguments
}
