use crate::ast::{Access, Argument, Expr, ExprKind, Member};
use crate::diagnostic::Fault;
use crate::token::Kind;

use super::literal::with_named;
use super::parser::{Parser, Result, node};

impl Parser<'_> {
    /// A primary expression and what follows it: members, calls, indexes.
    pub(super) fn postfix(&mut self) -> Result<Expr> {
        let mut expr = self.primary()?;
        loop {
            let at = expr.at;
            let Kind::Op(op) = self.kind() else { return Ok(expr) };
            expr = match *op {
                "." | "?." | "*." => {
                    self.at += 1;
                    let access = match *op {
                        "." => Access::Plain,
                        "?." => Access::Safe,
                        _ => Access::Spread,
                    };
                    self.member(expr, access)?
                }
                ".&" | "::" => {
                    self.at += 1;
                    let name = match self.kind() {
                        Kind::Keyword("new") => {
                            self.at += 1;
                            "new".into()
                        }
                        _ => self.name()?,
                    };
                    node(at, ExprKind::MethodPointer { target: Box::new(expr), name })
                }
                "(" if !self.at_newline() => {
                    let arguments = self.call_arguments()?;
                    match expr.kind {
                        ExprKind::Name(name) => node(at, ExprKind::Call { name, arguments }),
                        kind => {
                            let callee = Box::new(node(at, kind));
                            node(at, ExprKind::CallValue { callee, arguments })
                        }
                    }
                }
                "{" if !self.at_newline() && matches!(expr.kind, ExprKind::Name(_)) => {
                    let arguments = self.trailing_closures(Vec::new())?;
                    match expr.kind {
                        ExprKind::Name(name) => node(at, ExprKind::Call { name, arguments }),
                        kind => node(at, kind),
                    }
                }
                "[" | "?[" if !self.at_newline() && !self.is_list_argument(&expr) => {
                    let safe = *op == "?[";
                    self.at += 1;
                    let index = self.bracketed(true, Self::index)?;
                    self.expect_op("]")?;
                    let (target, index) = (Box::new(expr), Box::new(index));
                    node(at, ExprKind::Index { target, index, safe })
                }
                "++" | "--" if !self.at_newline() => {
                    let delta = if *op == "++" { 1 } else { -1 };
                    self.at += 1;
                    match expr.kind {
                        ExprKind::Name(_) | ExprKind::Property { .. } | ExprKind::Index { .. } => {}
                        _ => return Err(Fault::syntax("this cannot be counted up or down", at)),
                    }
                    let target = Box::new(expr);
                    node(at, ExprKind::Step { target, delta, returns_old: true })
                }
                _ => return Ok(expr),
            };
            self.grow()?;
        }
    }

    /// `println [1, 2]` passes a list.
    fn is_list_argument(&self, callee: &Expr) -> bool {
        matches!(&callee.kind, ExprKind::Name(name) if matches!(&**name, "println" | "print"))
            && self.token().space_before
    }

    /// `a[1]`, or several at once: `a[0, 2]`.
    fn index(&mut self) -> Result<Expr> {
        let first = self.expression()?;
        if !self.is_op(",") {
            return Ok(first);
        }
        let at = first.at;
        let mut items = vec![Argument { value: first, spread: false }];
        while self.take_op(",") {
            items.push(Argument { value: self.expression()?, spread: false });
        }
        Ok(node(at, ExprKind::List(items)))
    }

    fn member(&mut self, target: Expr, access: Access) -> Result<Expr> {
        let at = self.here();
        let name = match self.kind() {
            Kind::Name(name) | Kind::Text(name) => {
                self.at += 1;
                Member::Name(name.clone())
            }
            Kind::Keyword(word) => {
                self.at += 1;
                Member::Name((*word).into())
            }
            Kind::GString(_) | Kind::Op("(") => Member::Computed(Box::new(self.primary()?)),
            Kind::Op("@") => {
                return Err(Fault::unsupported("direct field access is not supported", at));
            }
            _ => return Err(self.unexpected("the name of a property or method")),
        };
        let target = Box::new(target);
        let arguments = if self.is_op("(") && !self.at_newline() {
            self.call_arguments()?
        } else if self.is_op("{") && !self.at_newline() {
            self.trailing_closures(Vec::new())?
        } else {
            if let (ExprKind::Class(class), Member::Name(name)) = (&target.kind, &name) {
                crate::methods::check_static_property(*class, name)
                    .map_err(|message| Fault::unsupported(message, at))?;
            }
            return Ok(node(at, ExprKind::Property { target, name, access }));
        };
        if let (ExprKind::Class(class), Member::Name(name)) = (&target.kind, &name) {
            crate::methods::check_static_method(*class, name)
                .map_err(|message| Fault::unsupported(message, at))?;
        }
        Ok(node(at, ExprKind::Method { target, name, arguments, access }))
    }

    /// `(a, b)` and closures after it.
    pub(super) fn call_arguments(&mut self) -> Result<Vec<Argument>> {
        let at = self.here();
        self.expect_op("(")?;
        let (mut arguments, mut named) = (Vec::new(), Vec::new());
        self.bracketed(true, |p| {
            while !p.is_op(")") {
                p.argument(&mut arguments, &mut named)?;
                if !p.take_op(",") {
                    break;
                }
            }
            Ok(())
        })?;
        self.expect_op(")")?;
        self.trailing_closures(with_named(arguments, named, at))
    }

    fn trailing_closures(&mut self, mut arguments: Vec<Argument>) -> Result<Vec<Argument>> {
        while self.is_op("{") && !self.at_newline() {
            let value = self.closure()?;
            arguments.push(Argument { value, spread: false });
        }
        Ok(arguments)
    }
}
