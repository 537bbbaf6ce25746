use std::sync::Arc;

use crate::ast::{
    Case, Catch, Expr, ExprKind, Function, Name, Parameter, Stmt, StmtKind, Switch, Type,
};
use crate::classes::{self, Class};
use crate::diagnostic::Fault;
use crate::token::Kind;

use super::parser::{Parser, Result, node};

const MODIFIERS: &[&str] =
    &["def", "var", "final", "static", "private", "public", "protected", "synchronized"];

impl Parser<'_> {
    /// Statements up to `}`, `case`, `default` or the end.
    pub(super) fn statements(&mut self) -> Result<Vec<Stmt>> {
        let mut statements = Vec::new();
        loop {
            while self.take_op(";") {}
            match self.kind() {
                Kind::End | Kind::Op("}") => return Ok(statements),
                Kind::Keyword("case") => return Ok(statements),
                Kind::Keyword("default") if matches!(self.ahead(1).kind, Kind::Op(":" | "->")) => {
                    return Ok(statements);
                }
                _ => {}
            }
            if let Some(statement) = self.nested(Self::statement)? {
                statements.push(statement);
            }
            self.end_of_statement()?;
        }
    }

    fn end_of_statement(&self) -> Result<()> {
        match self.kind() {
            Kind::Op(";" | "}") | Kind::End => Ok(()),
            Kind::Keyword("case" | "default") => Ok(()),
            _ if self.token().newline_before => Ok(()),
            // A block needs nothing after it.
            _ if self.at > 0 && matches!(self.tokens[self.at - 1].kind, Kind::Op("}")) => Ok(()),
            _ => Err(self.unexpected("the end of the statement")),
        }
    }

    /// `None` for what leaves nothing to run: imports and functions.
    fn statement(&mut self) -> Result<Option<Stmt>> {
        let at = self.here();
        if let (Kind::Name(label), Kind::Op(":")) = (self.kind(), &self.ahead(1).kind) {
            let label = label.clone();
            self.at += 2;
            let mut inner = self.nested(Self::statement)?;
            if let Some(statement) = &mut inner {
                set_label(statement, label);
            }
            return Ok(inner);
        }
        let kind = match self.kind() {
            Kind::Keyword("import") => return self.import().map(|()| None),
            Kind::Keyword("package") => {
                self.at += 1;
                self.dotted_name()?;
                return Ok(None);
            }
            Kind::Keyword(word @ ("class" | "interface" | "enum" | "trait")) => {
                return Err(Fault::unsupported(
                    format!("a {word} in a script is not supported"),
                    at,
                ));
            }
            Kind::Op("@") => {
                return Err(Fault::unsupported("annotations are not supported", at));
            }
            Kind::Op("{") => StmtKind::Block(self.block()?),
            Kind::Keyword("if") => self.if_statement()?,
            Kind::Keyword("while") => {
                self.at += 1;
                let condition = self.parenthesised()?;
                StmtKind::While { label: None, condition, body: self.body()? }
            }
            Kind::Keyword("do") => {
                self.at += 1;
                let body = self.body()?;
                if !self.take_word("while") {
                    return Err(self.unexpected("'while'"));
                }
                StmtKind::DoWhile { label: None, condition: self.parenthesised()?, body }
            }
            Kind::Keyword("for") => self.for_statement()?,
            Kind::Keyword("switch") => StmtKind::Switch(self.switch()?),
            Kind::Keyword("try") => self.try_statement()?,
            Kind::Keyword("throw") => {
                self.at += 1;
                StmtKind::Throw(self.expression()?)
            }
            Kind::Keyword("return") => {
                self.at += 1;
                StmtKind::Return(if self.ends_here() { None } else { Some(self.command()?) })
            }
            Kind::Keyword("break") => {
                self.at += 1;
                StmtKind::Break(self.jump_label())
            }
            Kind::Keyword("continue") => {
                self.at += 1;
                StmtKind::Continue(self.jump_label())
            }
            Kind::Keyword("assert") => {
                self.at += 1;
                let condition = self.expression()?;
                let message = if self.take_op(":") || self.take_op(",") {
                    Some(self.expression()?)
                } else {
                    None
                };
                StmtKind::Assert(condition, message)
            }
            _ => match self.declaration()? {
                Declared::Nothing => StmtKind::Expr(self.command()?),
                Declared::Function => return Ok(None),
                Declared::Variables(kind) => kind,
            },
        };
        Ok(Some(Stmt { at, kind }))
    }

    fn import(&mut self) -> Result<()> {
        let at = self.here();
        self.at += 1;
        if self.is_word("static") {
            return Err(Fault::unsupported("static imports are not supported", at));
        }
        let path = self.dotted_name()?;
        if self.take_op(".") {
            self.expect_op("*")?;
            return if classes::is_known_package(&path) {
                self.import_package(&path);
                Ok(())
            } else {
                Err(Fault::unsupported(classes::refusal(&format!("{path}.*")), at))
            };
        }
        let class = self.resolve(&path, at)?;
        let name = if self.take_word("as") { self.name()? } else { class.simple_name().into() };
        self.imports.insert(name, class);
        Ok(())
    }

    fn import_package(&mut self, package: &str) {
        for class in classes::of_package(package) {
            self.imports.insert(class.simple_name().into(), class);
        }
    }

    pub(super) fn block(&mut self) -> Result<Vec<Stmt>> {
        self.expect_op("{")?;
        let statements = self.bracketed(false, Self::statements)?;
        self.expect_op("}")?;
        Ok(statements)
    }

    fn body(&mut self) -> Result<Box<Stmt>> {
        let at = self.here();
        if self.take_op(";") {
            return Ok(Box::new(Stmt { at, kind: StmtKind::Block(Vec::new()) }));
        }
        let outer = std::mem::take(&mut self.parentheses);
        let statement = self.nested(Self::statement);
        self.parentheses = outer;
        let empty = || Stmt { at, kind: StmtKind::Block(Vec::new()) };
        Ok(Box::new(statement?.unwrap_or_else(empty)))
    }

    pub(super) fn parenthesised(&mut self) -> Result<Expr> {
        self.expect_op("(")?;
        let inner = self.bracketed(true, Self::expression)?;
        self.expect_op(")")?;
        Ok(inner)
    }

    fn if_statement(&mut self) -> Result<StmtKind> {
        self.at += 1;
        let condition = self.parenthesised()?;
        let then = self.body()?;
        let before = self.at;
        while self.take_op(";") {}
        if !self.take_word("else") {
            self.at = before;
            return Ok(StmtKind::If(condition, then, None));
        }
        Ok(StmtKind::If(condition, then, Some(self.body()?)))
    }

    fn for_statement(&mut self) -> Result<StmtKind> {
        self.at += 1;
        self.expect_op("(")?;
        let start = self.at;
        while matches!(self.kind(), Kind::Keyword("def" | "var" | "final")) {
            self.at += 1;
        }
        let has_type =
            self.type_length(0).is_some_and(|n| matches!(self.ahead(n).kind, Kind::Name(_)));
        let ty = if has_type { self.parse_type()? } else { Type::Any };
        if let (Kind::Name(name), Kind::Op(":") | Kind::Keyword("in")) =
            (self.kind(), &self.ahead(1).kind)
        {
            let name = name.clone();
            self.at += 2;
            self.declared.insert(name.clone());
            let items = self.bracketed(true, Self::expression)?;
            self.expect_op(")")?;
            return Ok(StmtKind::ForIn { label: None, name, ty, items, body: self.body()? });
        }
        self.at = start;
        let (init, condition, update) = self.bracketed(true, |p| {
            let mut init = Vec::new();
            while !p.is_op(";") {
                let at = p.here();
                let kind = match p.declaration()? {
                    Declared::Variables(kind) => kind,
                    _ => StmtKind::Expr(p.expression()?),
                };
                init.push(Stmt { at, kind });
                if !p.take_op(",") {
                    break;
                }
            }
            p.expect_op(";")?;
            let condition = if p.is_op(";") { None } else { Some(p.expression()?) };
            p.expect_op(";")?;
            let mut update = Vec::new();
            while !p.is_op(")") {
                update.push(p.expression()?);
                if !p.take_op(",") {
                    break;
                }
            }
            Ok((init, condition, update))
        })?;
        self.expect_op(")")?;
        Ok(StmtKind::For { label: None, init, condition, update, body: self.body()? })
    }

    pub(super) fn switch(&mut self) -> Result<Switch> {
        self.at += 1;
        let subject = self.parenthesised()?;
        self.expect_op("{")?;
        let cases = self.bracketed(false, |p| {
            let mut cases = Vec::new();
            while !p.is_op("}") {
                cases.push(p.case()?);
            }
            Ok(cases)
        })?;
        self.expect_op("}")?;
        Ok(Switch { subject, cases })
    }

    fn case(&mut self) -> Result<Case> {
        let mut tests = Vec::new();
        if !self.take_word("default") {
            if !self.take_word("case") {
                return Err(self.unexpected("'case' or 'default'"));
            }
            tests.push(self.expression()?);
            while self.take_op(",") {
                tests.push(self.expression()?);
            }
        }
        if self.take_op("->") {
            let body = if self.is_op("{") {
                self.block()?
            } else {
                let mut one = Vec::new();
                one.extend(self.nested(Self::statement)?);
                one
            };
            while self.take_op(";") {}
            return Ok(Case { tests, body, arrow: true });
        }
        self.expect_op(":")?;
        Ok(Case { tests, body: self.statements()?, arrow: false })
    }

    fn try_statement(&mut self) -> Result<StmtKind> {
        self.at += 1;
        if self.is_op("(") {
            return Err(Fault::unsupported("'try' with resources is not supported", self.here()));
        }
        let body = self.block()?;
        let mut catches = Vec::new();
        while self.take_word("catch") {
            self.expect_op("(")?;
            self.take_word("final");
            let mut classes = Vec::new();
            while let Some(length) = self.type_length(0) {
                if matches!(self.ahead(length).kind, Kind::Op(")")) {
                    break;
                }
                let at = self.here();
                match self.parse_type()? {
                    Type::Class(class) if class.is_throwable() => classes.push(class),
                    _ => return Err(Fault::syntax("only exceptions can be caught", at)),
                }
                if !self.take_op("|") {
                    break;
                }
            }
            let name = self.name()?;
            self.declared.insert(name.clone());
            self.expect_op(")")?;
            if classes.is_empty() {
                classes.push(Class::known("java.lang.Exception"));
            }
            catches.push(Catch { classes, name, body: self.block()? });
        }
        let finally = if self.take_word("finally") { Some(self.block()?) } else { None };
        if catches.is_empty() && finally.is_none() {
            return Err(self.unexpected("'catch' or 'finally'"));
        }
        Ok(StmtKind::Try { body, catches, finally })
    }

    fn jump_label(&mut self) -> Option<Name> {
        match self.kind() {
            Kind::Name(name) if !self.token().newline_before => {
                self.at += 1;
                Some(name.clone())
            }
            _ => None,
        }
    }

    fn ends_here(&self) -> bool {
        matches!(self.kind(), Kind::Op(";" | "}") | Kind::End) || self.token().newline_before
    }

    fn declaration(&mut self) -> Result<Declared> {
        let start = self.at;
        let mut is_marked = false;
        while let Kind::Keyword(word) = self.kind() {
            if !MODIFIERS.contains(word) {
                break;
            }
            is_marked = true;
            self.at += 1;
        }
        if is_marked && self.is_op("(") {
            return self.declare_many().map(Declared::Variables);
        }
        let typed = self.type_length(0).filter(|length| {
            let after = self.ahead(*length);
            matches!(after.kind, Kind::Name(_)) && !after.newline_before
        });
        let ty = match typed {
            Some(_) => self.parse_type()?,
            None if is_marked => Type::Any,
            None => {
                self.at = start;
                return Ok(Declared::Nothing);
            }
        };
        if matches!(self.ahead(1).kind, Kind::Op("(")) {
            self.function(ty)?;
            return Ok(Declared::Function);
        }
        let mut names = Vec::new();
        loop {
            let name = self.name()?;
            self.declared.insert(name.clone());
            let value = if self.take_op("=") { Some(self.command()?) } else { None };
            names.push((name, value));
            if !self.take_op(",") {
                return Ok(Declared::Variables(StmtKind::Declare { ty, names }));
            }
        }
    }

    /// `def (a, b) = …`
    fn declare_many(&mut self) -> Result<StmtKind> {
        self.expect_op("(")?;
        let mut names = Vec::new();
        loop {
            let is_typed =
                self.type_length(0).is_some_and(|n| matches!(self.ahead(n).kind, Kind::Name(_)));
            let ty = if is_typed { self.parse_type()? } else { Type::Any };
            let name = self.name()?;
            self.declared.insert(name.clone());
            names.push((name, ty));
            if !self.take_op(",") {
                break;
            }
        }
        self.expect_op(")")?;
        self.expect_op("=")?;
        Ok(StmtKind::DeclareMany { names, value: self.expression()? })
    }

    fn function(&mut self, returns: Type) -> Result<()> {
        let name = self.name()?;
        self.expect_op("(")?;
        let (parameters, varargs) = self.bracketed(true, |p| p.parameters(")"))?;
        self.expect_op(")")?;
        if self.take_word("throws") {
            loop {
                self.dotted_name()?;
                if !self.take_op(",") {
                    break;
                }
            }
        }
        let body = self.block()?;
        let function = Function { parameters, implicit_it: false, varargs, body, returns };
        self.functions.entry(name).or_default().push(Arc::new(function));
        Ok(())
    }

    pub(super) fn parameters(&mut self, end: &str) -> Result<(Vec<Parameter>, bool)> {
        let (mut parameters, mut varargs) = (Vec::new(), false);
        while !self.is_op(end) {
            while matches!(self.kind(), Kind::Keyword("def" | "var" | "final")) {
                self.at += 1;
            }
            let after = self.type_length(0).map(|n| &self.ahead(n).kind);
            let mut ty = Type::Any;
            if matches!(after, Some(Kind::Name(_) | Kind::Op("..."))) {
                ty = self.parse_type()?;
                varargs = self.take_op("...");
            }
            let name = self.name()?;
            self.declared.insert(name.clone());
            let default = if self.take_op("=") { Some(self.expression()?) } else { None };
            if varargs {
                ty = Type::Any;
            }
            parameters.push(Parameter { name, ty, default });
            if !self.take_op(",") {
                break;
            }
        }
        Ok((parameters, varargs))
    }

    /// An expression, or a call without parentheses: `println "done"`.
    pub(super) fn command(&mut self) -> Result<Expr> {
        let expr = self.expression()?;
        if !self.starts_command_argument(&expr) {
            return Ok(expr);
        }
        let mut arguments = Vec::new();
        let mut named = Vec::new();
        loop {
            self.argument(&mut arguments, &mut named)?;
            if !self.take_op(",") {
                break;
            }
        }
        let arguments = super::literal::with_named(arguments, named, expr.at);
        let at = expr.at;
        Ok(match expr.kind {
            ExprKind::Name(name) => node(at, ExprKind::Call { name, arguments }),
            ExprKind::Property { target, name, access } => {
                node(at, ExprKind::Method { target, name, arguments, access })
            }
            other => node(at, other),
        })
    }

    fn starts_command_argument(&self, callee: &Expr) -> bool {
        let is_callee = matches!(callee.kind, ExprKind::Name(_) | ExprKind::Property { .. });
        let token = self.token();
        is_callee
            && !token.newline_before
            && token.space_before
            && match &token.kind {
                Kind::Name(_) | Kind::Text(_) | Kind::GString(_) => true,
                Kind::Int(_) | Kind::Long(_) | Kind::Dec(_) | Kind::Double(_) => true,
                Kind::Keyword(word) => matches!(*word, "new" | "true" | "false" | "null" | "this"),
                Kind::Op(op) => *op == "[",
                _ => false,
            }
    }
}

enum Declared {
    Nothing,
    Function,
    Variables(StmtKind),
}

fn set_label(statement: &mut Stmt, name: Name) {
    match &mut statement.kind {
        StmtKind::While { label, .. }
        | StmtKind::DoWhile { label, .. }
        | StmtKind::ForIn { label, .. }
        | StmtKind::For { label, .. } => *label = Some(name),
        _ => {}
    }
}
