use crate::ast::{AssignOp, Binary, Expr, ExprKind, Type, Unary};
use crate::diagnostic::Fault;
use crate::token::Kind;

use super::parser::{Parser, Result, node};

/// How tightly an operator binds, and whether it may stand at the start of a line.
fn binding(kind: &Kind) -> Option<(u8, bool)> {
    Some(match kind {
        Kind::Op(op) => match *op {
            "||" => (1, true),
            "&&" => (2, true),
            "|" => (3, true),
            "^" => (4, true),
            "&" => (5, true),
            "==" | "!=" | "<=>" | "===" | "!==" | "=~" | "==~" => (6, true),
            "<" | "<=" | ">" | ">=" | "!in" => (7, true),
            "<<" | ">>" | ">>>" | ".." | "..<" | "<.." => (8, false),
            "+" | "-" => (9, false),
            "*" | "/" | "%" => (10, false),
            "**" => (12, false),
            _ => return None,
        },
        Kind::Keyword("in" | "instanceof" | "as") => (7, true),
        _ => return None,
    })
}

const UNARY_BINDING: u8 = 11;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expr> {
        self.nested(Self::assignment)
    }

    fn assignment(&mut self) -> Result<Expr> {
        let target = self.conditional()?;
        let Kind::Op(op) = self.kind() else { return Ok(target) };
        if self.at_newline() {
            return Ok(target);
        }
        let operator = match *op {
            "=" => AssignOp::Set,
            "?=" => AssignOp::Elvis,
            "+=" => AssignOp::Compute(Binary::Add),
            "-=" => AssignOp::Compute(Binary::Sub),
            "*=" => AssignOp::Compute(Binary::Mul),
            "/=" => AssignOp::Compute(Binary::Div),
            "%=" => AssignOp::Compute(Binary::Rem),
            "**=" => AssignOp::Compute(Binary::Power),
            "<<=" => AssignOp::Compute(Binary::ShiftLeft),
            ">>=" => AssignOp::Compute(Binary::ShiftRight),
            ">>>=" => AssignOp::Compute(Binary::ShiftRightUnsigned),
            "&=" => AssignOp::Compute(Binary::BitAnd),
            "|=" => AssignOp::Compute(Binary::BitOr),
            "^=" => AssignOp::Compute(Binary::BitXor),
            _ => return Ok(target),
        };
        let at = target.at;
        check_target(&target)?;
        self.at += 1;
        let value = Box::new(self.nested(Self::command_value)?);
        if let (ExprKind::List(_), AssignOp::Set) = (&target.kind, operator) {
            return Err(Fault::unsupported("assignment to a list of targets is not supported", at));
        }
        Ok(node(at, ExprKind::Assign { target: Box::new(target), operator, value }))
    }

    /// `x = f 1` and `x = a = b`.
    fn command_value(&mut self) -> Result<Expr> {
        self.command()
    }

    fn conditional(&mut self) -> Result<Expr> {
        let condition = self.binary(0)?;
        let at = condition.at;
        if self.take_op("?:") {
            let other = self.nested(Self::conditional)?;
            return Ok(node(at, ExprKind::Elvis(Box::new(condition), Box::new(other))));
        }
        if self.take_op("?") {
            let then = self.expression()?;
            self.expect_op(":")?;
            let other = self.nested(Self::conditional)?;
            let (a, b, c) = (Box::new(condition), Box::new(then), Box::new(other));
            return Ok(node(at, ExprKind::Ternary(a, b, c)));
        }
        Ok(condition)
    }

    fn binary(&mut self, least: u8) -> Result<Expr> {
        let mut left = self.unary()?;
        loop {
            let Some((power, may_lead)) = binding(self.kind()) else { return Ok(left) };
            if power <= least || (self.at_newline() && !may_lead) {
                return Ok(left);
            }
            let kind = self.advance().kind.clone();
            self.grow()?;
            left = self.operation(left, &kind, power)?;
        }
    }

    fn operation(&mut self, left: Expr, operator: &Kind, power: u8) -> Result<Expr> {
        let at = left.at;
        let left = Box::new(left);
        let op = match operator {
            Kind::Keyword("as") => return Ok(node(at, ExprKind::Coerce(self.parse_type()?, left))),
            Kind::Keyword("instanceof") => {
                let class = match self.parse_type()? {
                    Type::Class(class) | Type::Primitive(class) => class,
                    _ => crate::classes::Class::known("java.lang.Object"),
                };
                return Ok(node(at, ExprKind::InstanceOf { negated: false, value: left, class }));
            }
            Kind::Keyword(_) => "in",
            Kind::Op(op) => op,
            _ => return Err(self.unexpected("an operator")),
        };
        let right = Box::new(self.nested(|p| p.binary(power))?);
        if let ("=~" | "==~", ExprKind::Text(pattern)) = (op, &right.kind)
            && let Some(what) = orloj_expr::pattern::unsupported(pattern)
        {
            let message = format!("{what} in a regular expression");
            return Err(Fault::unsupported(message, right.at));
        }
        let range =
            |open_start, open_end, from, to| ExprKind::Range { from, to, open_start, open_end };
        let kind = match op {
            "||" => ExprKind::Or(left, right),
            "&&" => ExprKind::And(left, right),
            "in" => ExprKind::In { negated: false, item: left, holder: right },
            "!in" => ExprKind::In { negated: true, item: left, holder: right },
            ".." => range(false, false, left, right),
            "..<" => range(false, true, left, right),
            "<.." => range(true, false, left, right),
            _ => ExprKind::Binary(binary_operator(op), left, right),
        };
        Ok(node(at, kind))
    }

    fn unary(&mut self) -> Result<Expr> {
        let at = self.here();
        let Kind::Op(op) = self.kind() else { return self.cast_or_postfix() };
        let operator = match *op {
            "!" => Unary::Not,
            "-" => Unary::Minus,
            "+" => Unary::Plus,
            "~" => Unary::Invert,
            "++" | "--" => {
                let delta = if *op == "++" { 1 } else { -1 };
                self.at += 1;
                let target = Box::new(self.nested(Self::unary)?);
                check_target(&target)?;
                return Ok(node(at, ExprKind::Step { target, delta, returns_old: false }));
            }
            _ => return self.cast_or_postfix(),
        };
        self.at += 1;
        // The smallest integers have no positive twin.
        if operator == Unary::Minus {
            match self.kind() {
                Kind::Long(2_147_483_648) => {
                    self.at += 1;
                    return Ok(node(at, ExprKind::Int(i32::MIN)));
                }
                Kind::BigInt(9_223_372_036_854_775_808) => {
                    self.at += 1;
                    return Ok(node(at, ExprKind::Long(i64::MIN)));
                }
                _ => {}
            }
        }
        let inner = self.nested(|p| {
            if operator == Unary::Not || operator == Unary::Invert {
                p.unary()
            } else {
                p.binary(UNARY_BINDING)
            }
        })?;
        Ok(node(at, ExprKind::Unary(operator, Box::new(inner))))
    }

    fn cast_or_postfix(&mut self) -> Result<Expr> {
        if !self.is_op("(") || !self.looks_like_cast() {
            return self.postfix();
        }
        let at = self.here();
        self.at += 1;
        let ty = self.parse_type()?;
        self.expect_op(")")?;
        let value = self.nested(Self::unary)?;
        Ok(node(at, ExprKind::Cast(ty, Box::new(value))))
    }

    fn looks_like_cast(&self) -> bool {
        let Some(length) = self.type_length(1) else { return false };
        if !matches!(self.ahead(1 + length).kind, Kind::Op(")")) {
            return false;
        }
        let is_primitive = matches!(self.ahead(1).kind, Kind::Keyword(_));
        let is_local =
            matches!(&self.ahead(1).kind, Kind::Name(name) if self.declared.contains(name));
        let after = self.ahead(2 + length);
        !is_local
            && !after.newline_before
            && match &after.kind {
                Kind::Op(op) => {
                    matches!(*op, "(" | "[" | "!" | "~") || (is_primitive && *op == "-")
                }
                Kind::Keyword(word) => matches!(*word, "new" | "this" | "true" | "false" | "null"),
                Kind::End => false,
                _ => true,
            }
    }
}

fn check_target(target: &Expr) -> Result<()> {
    match &target.kind {
        ExprKind::Name(_) | ExprKind::Property { .. } | ExprKind::Index { .. } => Ok(()),
        _ => Err(Fault::syntax("this cannot be assigned to", target.at)),
    }
}

fn binary_operator(op: &str) -> Binary {
    match op {
        "+" => Binary::Add,
        "-" => Binary::Sub,
        "*" => Binary::Mul,
        "/" => Binary::Div,
        "%" => Binary::Rem,
        "**" => Binary::Power,
        "<<" => Binary::ShiftLeft,
        ">>" => Binary::ShiftRight,
        ">>>" => Binary::ShiftRightUnsigned,
        "&" => Binary::BitAnd,
        "|" => Binary::BitOr,
        "^" => Binary::BitXor,
        "==" => Binary::Equal,
        "!=" => Binary::NotEqual,
        "===" => Binary::Same,
        "!==" => Binary::NotSame,
        "<" => Binary::Less,
        "<=" => Binary::LessEqual,
        ">" => Binary::Greater,
        ">=" => Binary::GreaterEqual,
        "<=>" => Binary::Compare,
        "=~" => Binary::Find,
        _ => Binary::Match,
    }
}
