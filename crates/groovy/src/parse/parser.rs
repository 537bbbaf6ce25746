use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ast::{Expr, ExprKind, Function, Name, Stmt};
use crate::budget::NESTING_MAX;
use crate::classes::Class;
use crate::diagnostic::Fault;
use crate::lexer;
use crate::token::{Kind, Token};

/// Longest chain of operators, calls or indexes in one expression, nesting included: the tree of
/// `a + b + c` grows with its length, and walking it takes stack.
const HEIGHT_MAX: usize = 200;

pub(crate) struct Parsed {
    pub(crate) body: Vec<Stmt>,
    pub(crate) functions: BTreeMap<Name, Vec<Arc<Function>>>,
}

pub(crate) fn parse(source: &str) -> Result<Parsed> {
    let tokens = lexer::tokens(source)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        depth: 0,
        height: 0,
        parentheses: 0,
        imports: BTreeMap::new(),
        declared: BTreeSet::new(),
        functions: BTreeMap::new(),
    };
    let body = parser.statements_to_end()?;
    Ok(Parsed { body, functions: parser.functions })
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

pub(super) struct Parser<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) at: usize,
    depth: usize,
    /// Of the highest tree made in the frame that is open.
    pub(super) height: usize,
    /// Inside `(` and `[` a newline ends nothing.
    pub(super) parentheses: usize,
    pub(super) imports: BTreeMap<Name, Class>,
    /// Names of locals, wherever they are: they hide classes.
    pub(super) declared: BTreeSet<Name>,
    pub(super) functions: BTreeMap<Name, Vec<Arc<Function>>>,
}

impl<'t> Parser<'t> {
    /// Runs `parse` one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            return Err(self.too_deep());
        }
        let outer = std::mem::take(&mut self.height);
        let parsed = parse(self);
        self.depth -= 1;
        self.grow()?;
        // Siblings stand beside each other: the highest of them counts, not their number.
        self.height = outer.max(self.height);
        parsed
    }

    /// The tree of the open frame became one node higher.
    pub(super) fn grow(&mut self) -> Result<()> {
        self.height += 1;
        if self.height > HEIGHT_MAX {
            return Err(self.too_deep());
        }
        Ok(())
    }

    /// The tokens of an expression inside a text.
    pub(super) fn parse_inner(&mut self, tokens: &'t [Token]) -> Result<Vec<Stmt>> {
        self.nested(|parser| {
            let outer = (parser.tokens, parser.at, parser.parentheses);
            (parser.tokens, parser.at, parser.parentheses) = (tokens, 0, 0);
            let statements = parser.statements_to_end();
            (parser.tokens, parser.at, parser.parentheses) = outer;
            statements
        })
    }

    fn statements_to_end(&mut self) -> Result<Vec<Stmt>> {
        let statements = self.statements()?;
        match self.kind() {
            Kind::End => Ok(statements),
            _ => Err(self.unexpected("a statement")),
        }
    }

    pub(super) fn kind(&self) -> &'t Kind {
        &self.token().kind
    }

    pub(super) fn token(&self) -> &'t Token {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, count: usize) -> &'t Token {
        // The last token is the end, and stays it.
        self.tokens.get(self.at + count).unwrap_or(&self.tokens[self.tokens.len() - 1])
    }

    pub(super) fn advance(&mut self) -> &'t Token {
        let token = self.token();
        self.at += 1;
        token
    }

    pub(super) fn here(&self) -> u32 {
        self.token().at
    }

    pub(super) fn is_op(&self, op: &str) -> bool {
        matches!(self.kind(), Kind::Op(found) if *found == op)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Keyword(found) if *found == word)
    }

    pub(super) fn take_op(&mut self, op: &str) -> bool {
        let is = self.is_op(op);
        self.at += usize::from(is);
        is
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    pub(super) fn expect_op(&mut self, op: &str) -> Result<()> {
        if self.take_op(op) { Ok(()) } else { Err(self.unexpected(&format!("'{op}'"))) }
    }

    pub(super) fn name(&mut self) -> Result<Name> {
        match self.kind() {
            Kind::Name(name) => {
                self.at += 1;
                Ok(name.clone())
            }
            _ => Err(self.unexpected("a name")),
        }
    }

    /// The next token is on a new line, where that matters.
    pub(super) fn at_newline(&self) -> bool {
        self.parentheses == 0 && self.token().newline_before
    }

    /// Runs `parse` where newlines do not matter (`true`) or matter again.
    pub(super) fn bracketed<T>(
        &mut self,
        inside: bool,
        parse: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = self.parentheses;
        self.parentheses = if inside { outer + 1 } else { 0 };
        let parsed = parse(self);
        self.parentheses = outer;
        parsed
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Fault {
        let found = match self.kind() {
            Kind::End => "the end".to_owned(),
            Kind::Op(op) => format!("'{op}'"),
            Kind::Keyword(word) => format!("'{word}'"),
            Kind::Name(name) => format!("'{name}'"),
            Kind::Text(_) | Kind::GString(_) => "a text".to_owned(),
            _ => "a number".to_owned(),
        };
        Fault::syntax(format!("expected {wanted}, found {found}"), self.here())
    }

    fn too_deep(&self) -> Fault {
        Fault::unsupported("the script is nested too deeply", self.here())
    }
}

pub(super) fn node(at: u32, kind: ExprKind) -> Expr {
    Expr { at, kind }
}
