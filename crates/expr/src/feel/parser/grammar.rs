//! Text to tree, by operator precedence. Every recursion passes [`Parser::nested`].

use std::sync::Arc;

use super::super::ast::{
    Access, Arithmetic, Callee, Comparison, Kind, Level, Node, Operand, Program, Step,
};
use super::super::lexer::{Lexer, Token, TokenKind};
use super::super::mode::Mode;
use super::super::names::Names;
use super::super::types::Type;
use crate::error::ParseError;
use crate::expression::NESTING_MAX;

/// Words that are no variables.
const RESERVED: [&str; 12] = [
    "null",
    "true",
    "false",
    "if",
    "then",
    "else",
    "in",
    "and",
    "or",
    "between",
    "return",
    "satisfies",
];

/// `base` is added to every offset.
pub(crate) fn parse(
    text: &str,
    base: usize,
    mode: Mode,
    names: &Names,
) -> Result<Program, ParseError> {
    program(text, base, mode, names, Parser::whole)
}

/// What stands in a cell of a decision table.
pub(crate) fn parse_unary_tests(
    text: &str,
    mode: Mode,
    names: &Names,
) -> Result<Program, ParseError> {
    program(text, 0, mode, names, Parser::whole_tests)
}

/// The name of a type, as models write it.
pub fn parse_type(text: &str, names: &Names) -> Result<Type, ParseError> {
    let mut parser = Parser::new(text, 0, Mode::Standard, names)?;
    let found = parser.type_()?;
    parser.expect_end("the end")?;
    Ok(found)
}

fn program<'a>(
    text: &'a str,
    base: usize,
    mode: Mode,
    names: &'a Names,
    whole: impl FnOnce(&mut Parser<'a>) -> Parsed,
) -> Result<Program, ParseError> {
    let shift = |error: ParseError| ParseError { offset: error.offset + base, ..error };
    let mut parser = Parser::new(text, base, mode, names).map_err(shift)?;
    let root = whole(&mut parser).map_err(shift)?;
    // Where a name is told is no matter for what is printed, so that it is printed the same again.
    let beginnings = parser.beginnings.into_iter().chain(parser.own_names.all_beginnings());
    // Null is printed where it was not written: for `@` with a text that is no date.
    let beginnings = beginnings.chain(names.beginnings("null")).collect();
    Ok(Program { root, mode, builds: parser.builds, beginnings })
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) lexer: Lexer<'a>,
    pub(super) token: Token,
    /// The token before, for messages.
    pub(super) previous: Token,
    pub(super) base: usize,
    pub(super) depth: usize,
    pub(super) builds: bool,
    pub(super) mode: Mode,
    pub(super) names: &'a Names,
    /// Names that the text itself gives: keys, parameters, variables of loops.
    pub(super) own_names: Names,
    /// Words that begin a longer given name, for the printer; with a parenthesis behind them where the
    /// name has one as well.
    pub(super) beginnings: Vec<Box<str>>,
    /// Names used inside of the functions that are being read.
    pub(super) used: Vec<Arc<str>>,
    pub(super) functions: usize,
    pub(super) uses_partial: bool,
    pub(super) uses_input: bool,
}

pub(super) type Parsed = Result<Node, ParseError>;

impl<'a> Parser<'a> {
    pub(super) fn new(
        text: &'a str,
        base: usize,
        mode: Mode,
        names: &'a Names,
    ) -> Result<Self, ParseError> {
        let mut lexer = Lexer::new(text, mode.is_standard());
        let token = lexer.next()?;
        Ok(Self {
            text,
            lexer,
            token,
            previous: token,
            base,
            depth: 0,
            builds: false,
            mode,
            names,
            own_names: Names::new(),
            beginnings: Vec::new(),
            used: Vec::new(),
            functions: 0,
            uses_partial: false,
            uses_input: false,
        })
    }

    pub(super) fn whole(&mut self) -> Parsed {
        let root = self.nested(Level::Open)?;
        self.expect_end("an operator or the end")?;
        Ok(root)
    }

    pub(super) fn expect_end(&self, expected: &str) -> Result<(), ParseError> {
        match self.token.kind {
            TokenKind::End => Ok(()),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// An expression whose operators bind at least as tightly as `level`.
    pub(super) fn nested(&mut self, level: Level) -> Parsed {
        self.depth += 1;
        self.check_depth()?;
        let first = if self.is_symbol("-") { self.negation() } else { self.path() }?;
        let node = self.operators(first, level);
        self.depth -= 1;
        node
    }

    pub(super) fn check_depth(&self) -> Result<(), ParseError> {
        if self.depth > NESTING_MAX {
            let message = format!("the expression is nested deeper than {NESTING_MAX} levels");
            return Err(ParseError::new(message, self.token.start));
        }
        Ok(())
    }

    pub(super) fn negation(&mut self) -> Parsed {
        let start = self.advance()?.start;
        let operand = self.nested(Level::Negation)?;
        Ok(self.node(start, Kind::Negate(Box::new(operand))))
    }

    pub(super) fn operators(&mut self, first: Node, level: Level) -> Parsed {
        let mut left = first;
        let mut compared = false;
        loop {
            let start = self.token.start;
            let Some(operator) = self.operator() else { return Ok(left) };
            let operator_level = operator.level();
            if operator_level < level {
                return Ok(left);
            }
            if compared && operator_level > Level::Comparison {
                return Err(self.unexpected("'and', 'or' or the end"));
            }
            if compared && operator_level == Level::Comparison {
                return Err(ParseError::new("comparisons cannot be chained", start));
            }
            // Looser operators take the comparison as their operand and may have one of their own.
            compared = operator_level == Level::Comparison;
            self.advance()?;
            left = match operator {
                Operator::Any => self.more_conditions(left, Level::All, Kind::Any),
                Operator::All => self.more_conditions(left, Level::Comparison, Kind::All),
                Operator::Compare(comparison) => self.comparison(left, comparison, start),
                Operator::Between => self.between(left, start),
                Operator::In => self.membership(left, start),
                Operator::InstanceOf => self.instance_of(left, start),
                Operator::Arithmetic(operator) => self.arithmetic(left, operator, start),
            }?;
        }
    }

    pub(super) fn operator(&self) -> Option<Operator> {
        Some(match self.token.kind {
            TokenKind::Symbol(symbol) => match symbol {
                "=" => Operator::Compare(Comparison::Equal),
                "!=" => Operator::Compare(Comparison::NotEqual),
                "<" => Operator::Compare(Comparison::Less),
                "<=" => Operator::Compare(Comparison::LessOrEqual),
                ">" => Operator::Compare(Comparison::Greater),
                ">=" => Operator::Compare(Comparison::GreaterOrEqual),
                "+" => Operator::Arithmetic(Arithmetic::Add),
                "-" => Operator::Arithmetic(Arithmetic::Subtract),
                "*" => Operator::Arithmetic(Arithmetic::Multiply),
                "/" => Operator::Arithmetic(Arithmetic::Divide),
                "**" => Operator::Arithmetic(Arithmetic::Power),
                _ => return None,
            },
            TokenKind::Name => match self.slice(self.token) {
                "and" => Operator::All,
                "or" => Operator::Any,
                "between" => Operator::Between,
                "in" => Operator::In,
                "instance" if self.is_instance_of() => Operator::InstanceOf,
                _ => return None,
            },
            _ => return None,
        })
    }

    pub(super) fn comparison(
        &mut self,
        left: Node,
        comparison: Comparison,
        start: usize,
    ) -> Parsed {
        let right = self.nested(Level::Sum)?;
        Ok(self.node(start, Kind::Compare(comparison, Box::new((left, right)))))
    }

    pub(super) fn between(&mut self, left: Node, start: usize) -> Parsed {
        let low = self.nested(Level::Sum)?;
        self.expect_word("and")?;
        let high = self.nested(Level::Sum)?;
        Ok(self.node(start, Kind::Between(Box::new((left, low, high)))))
    }

    pub(super) fn arithmetic(&mut self, left: Node, operator: Arithmetic, start: usize) -> Parsed {
        let node = self.nested(operator.level().tighter())?;
        let offset = (self.base + start) as u32;
        Ok(more_arithmetic(left, Operand { operator, offset, node }))
    }

    /// Adds an operand to a condition of the same kind, or begins one.
    pub(super) fn more_conditions(
        &mut self,
        left: Node,
        level: Level,
        kind: fn(Vec<Node>) -> Kind,
    ) -> Parsed {
        let right = self.nested(level)?;
        let offset = left.offset;
        let same = std::mem::discriminant(&kind(Vec::new())) == std::mem::discriminant(&left.kind);
        let kind = match left.kind {
            Kind::Any(mut nodes) | Kind::All(mut nodes) if same => {
                nodes.push(right);
                kind(nodes)
            }
            other => kind(vec![Node { offset, kind: other }, right]),
        };
        Ok(Node { offset, kind })
    }

    pub(super) fn path(&mut self) -> Parsed {
        let base = self.primary()?;
        self.steps(base)
    }

    /// Members, filters and calls behind their holder.
    pub(super) fn steps(&mut self, base: Node) -> Parsed {
        let mut base = base;
        let mut steps = Vec::new();
        loop {
            let start = self.token.start;
            let access = match self.token.kind {
                TokenKind::Symbol(".") => {
                    self.advance()?;
                    Access::Member(self.member()?)
                }
                TokenKind::Symbol("[") if self.starts_filter()? => self.filter()?,
                TokenKind::Symbol("(") if self.can_be_called(&base, &steps) => {
                    let callee = Callee::Value(with_steps(base, std::mem::take(&mut steps)));
                    base = self.call(callee, start)?;
                    continue;
                }
                _ => return Ok(with_steps(base, steps)),
            };
            steps.push(Step { offset: (self.base + start) as u32, access });
        }
    }

    pub(super) fn filter(&mut self) -> Result<Access, ParseError> {
        self.advance()?;
        let filter = self.nested(Level::Open)?;
        self.expect_symbol("]")?;
        Ok(Access::Filter(filter))
    }

    /// A bracket that no expression can follow closes a range: `[1..2[`.
    pub(super) fn starts_filter(&self) -> Result<bool, ParseError> {
        let next = self.following()?;
        Ok(match next.kind {
            TokenKind::End => false,
            TokenKind::Symbol(symbol) => matches!(symbol, "-" | "(" | "[" | "{" | "?" | "@" | "]"),
            TokenKind::Name => {
                let word = self.slice(next);
                let is_word = matches!(
                    word,
                    "and" | "or" | "then" | "else" | "in" | "between" | "return" | "satisfies"
                );
                !is_word || self.known_name_at(next).is_some_and(|(_, length)| length > word.len())
            }
            _ => true,
        })
    }

    pub(super) fn expect_symbol(&mut self, symbol: &str) -> Result<(), ParseError> {
        if !self.is_symbol(symbol) {
            return Err(self.unexpected(&format!("'{symbol}'")));
        }
        self.advance().map(|_| ())
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.token.kind != TokenKind::Name || self.slice(self.token) != word {
            return Err(self.unexpected(&format!("'{word}'")));
        }
        self.advance().map(|_| ())
    }

    pub(super) fn unexpected(&self, expected: &str) -> ParseError {
        match self.token.kind {
            TokenKind::End => {
                ParseError::new(format!("expected {expected}, found the end"), self.token.start)
            }
            _ => self.found(expected),
        }
    }

    pub(super) fn found(&self, expected: &str) -> ParseError {
        let found = self.slice(self.token);
        let mut message = format!("expected {expected}, found '{found}'");
        let is_word = expected.starts_with('\'') && expected[1..].starts_with(char::is_alphabetic);
        if !is_word && self.follows_a_name() {
            message.push_str("; a name with blanks stands between back-ticks");
        }
        ParseError::new(message, self.token.start)
    }

    /// DIFFERENCE: Camunda's engine has no names with blanks but between back-ticks.
    fn follows_a_name(&self) -> bool {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let before = self.text[..self.token.start].trim_end();
        let word = before.trim_end_matches(is_name);
        let word = &before[word.len()..];
        !self.mode.is_standard()
            && self.token.kind == TokenKind::Name
            && !is_reserved(self.slice(self.token))
            && word.chars().next().is_some_and(char::is_alphabetic)
            && !is_reserved(word)
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.token.kind, TokenKind::Symbol(found) if found == symbol)
    }

    pub(super) fn following(&self) -> Result<Token, ParseError> {
        let mut lexer = self.lexer;
        lexer.next()
    }

    pub(super) fn advance(&mut self) -> Result<Token, ParseError> {
        let next = self.lexer.next()?;
        self.previous = std::mem::replace(&mut self.token, next);
        if !self.names.is_empty() {
            self.note_beginning(self.previous);
        }
        Ok(self.previous)
    }

    pub(super) fn advance_slice(&mut self) -> Result<&'a str, ParseError> {
        let token = self.advance()?;
        Ok(self.slice(token))
    }

    pub(super) fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    pub(super) fn node(&self, start: usize, kind: Kind) -> Node {
        Node::new(self.base + start, kind)
    }
}

#[derive(Clone, Copy)]
pub(super) enum Operator {
    Any,
    All,
    Compare(Comparison),
    Between,
    In,
    InstanceOf,
    Arithmetic(Arithmetic),
}

impl Operator {
    fn level(self) -> Level {
        match self {
            Self::Any => Level::Any,
            Self::All => Level::All,
            Self::Compare(_) | Self::Between | Self::In | Self::InstanceOf => Level::Comparison,
            Self::Arithmetic(operator) => operator.level(),
        }
    }
}

pub(super) fn with_steps(base: Node, steps: Vec<Step>) -> Node {
    if steps.is_empty() {
        return base;
    }
    Node { offset: base.offset, kind: Kind::Path(Box::new(base), steps) }
}

pub(in super::super) fn is_reserved(word: &str) -> bool {
    // Most names are longer or shorter than the words, or start differently.
    (2..=9).contains(&word.len()) && RESERVED.contains(&word)
}

pub(super) fn more_arithmetic(left: Node, operand: Operand) -> Node {
    let offset = left.offset;
    let level = operand.operator.level();
    let kind = match left.kind {
        Kind::Arithmetic(first, mut operands)
            if operands.first().is_some_and(|other| other.operator.level() == level) =>
        {
            operands.push(operand);
            Kind::Arithmetic(first, operands)
        }
        other => Kind::Arithmetic(Box::new(Node { offset, kind: other }), vec![operand]),
    };
    Node { offset, kind }
}
