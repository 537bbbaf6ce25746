//! Text to tree, by operator precedence. Every recursion passes [`Parser::nested`].

use std::sync::Arc;

use orloj_types::Value;

use super::ast::{
    Access, FunctionCall, Kind, Level, Node, Operand, Operator, Part, Program, Sign, Step,
};
use super::functions::Function;
use super::host::Profile;
use super::lexer::{Lexer, Token, TokenKind};
use crate::error::ParseError;
use crate::expression::NESTING_MAX;

/// Words that are neither variables nor members.
const RESERVED: [&str; 16] = [
    "null",
    "true",
    "false",
    "empty",
    "div",
    "mod",
    "not",
    "and",
    "or",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
    "instanceof",
];

pub(crate) enum Parsed {
    /// Text without any expression in it.
    Text(Arc<str>),
    Program(Program),
}

/// `only`: functions of other profiles are unknown.
pub(crate) fn parse(text: &str, only: Option<Profile>) -> Result<Parsed, ParseError> {
    let mut lexer = Lexer::new(text);
    let (literal, sign) = lexer.literal_text();
    let Some(sign) = sign else { return Ok(Parsed::Text(literal.into())) };
    let mut parts = Vec::new();
    if !literal.is_empty() {
        parts.push(Part::Text(literal.into()));
    }
    loop {
        let mut parser = Parser::new(text, lexer, only)?;
        parts.push(Part::Expression(parser.whole()?));
        lexer = parser.lexer;
        let (literal, next) = lexer.literal_text();
        if !literal.is_empty() {
            parts.push(Part::Text(literal.into()));
        }
        match next {
            None => return Ok(Parsed::Program(Program { parts, sign })),
            Some(next) if next != sign => {
                let (found, wanted) = (next.opening(), sign.opening());
                let message = format!("'{found}' cannot follow '{wanted}' in one text");
                return Err(ParseError::new(message, lexer.at() - found.len()));
            }
            Some(Sign::Dollar | Sign::Hash) => {}
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token,
    depth: usize,
    only: Option<Profile>,
}

type Outcome = Result<Node, ParseError>;

impl<'a> Parser<'a> {
    /// Behind the opening sign.
    fn new(text: &'a str, mut lexer: Lexer<'a>, only: Option<Profile>) -> Result<Self, ParseError> {
        let token = lexer.next()?;
        Ok(Self { text, lexer, token, depth: 0, only })
    }

    /// Up to the closing brace, which is the last token taken.
    fn whole(&mut self) -> Outcome {
        let node = self.nested(Level::Choice)?;
        if self.is_symbol("}") { Ok(node) } else { Err(self.unexpected("an operator or '}'")) }
    }

    /// An expression whose operators bind at least as tightly as `level`.
    fn nested(&mut self, level: Level) -> Outcome {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            let message = format!("the expression is nested deeper than {NESTING_MAX} levels");
            return Err(ParseError::new(message, self.token.start));
        }
        let first = self.unary()?;
        let node = self.operators(first, level);
        self.depth -= 1;
        node
    }

    fn unary(&mut self) -> Outcome {
        let kind: fn(Box<Node>) -> Kind = match self.token.kind {
            TokenKind::Symbol("-") => Kind::Negate,
            TokenKind::Symbol("!") => Kind::Not,
            TokenKind::Name => match self.slice(self.token) {
                "not" => Kind::Not,
                "empty" => Kind::Empty,
                _ => return self.path(),
            },
            _ => return self.path(),
        };
        let start = self.advance()?.start;
        let operand = self.nested(Level::Unary)?;
        Ok(Node::new(start, kind(Box::new(operand))))
    }

    fn operators(&mut self, first: Node, level: Level) -> Outcome {
        let mut left = first;
        loop {
            let start = self.token.start;
            let Some(infix) = self.infix() else { return Ok(left) };
            let infix_level = infix.level();
            if infix_level < level {
                return Ok(left);
            }
            self.advance()?;
            left = match infix {
                Infix::Choice => self.choice(left, start),
                Infix::Any => self.more_conditions(left, Level::All, Kind::Any),
                Infix::All => self.more_conditions(left, Level::Equality, Kind::All),
                Infix::Operator(operator) => self.operand(left, operator, start),
            }?;
        }
    }

    fn choice(&mut self, condition: Node, start: usize) -> Outcome {
        let yes = self.nested(Level::Choice)?;
        self.expect_symbol(":")?;
        let no = self.nested(Level::Choice)?;
        Ok(Node::new(start, Kind::Choice(Box::new((condition, yes, no)))))
    }

    fn operand(&mut self, left: Node, operator: Operator, start: usize) -> Outcome {
        let node = self.nested(operator.level().tighter())?;
        Ok(more_operands(left, Operand { operator, offset: start as u32, node }))
    }

    fn infix(&self) -> Option<Infix> {
        let word = match self.token.kind {
            TokenKind::Symbol(symbol) => symbol,
            TokenKind::Name => self.slice(self.token),
            _ => return None,
        };
        Some(Infix::Operator(match word {
            "?" => return Some(Infix::Choice),
            "||" | "or" => return Some(Infix::Any),
            "&&" | "and" => return Some(Infix::All),
            "==" | "eq" => Operator::Equal,
            "!=" | "ne" => Operator::NotEqual,
            "<" | "lt" => Operator::Less,
            "<=" | "le" => Operator::LessOrEqual,
            ">" | "gt" => Operator::Greater,
            ">=" | "ge" => Operator::GreaterOrEqual,
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" | "div" => Operator::Divide,
            "%" | "mod" => Operator::Remainder,
            _ => return None,
        }))
    }

    /// Adds an operand to a condition of the same kind, or begins one.
    fn more_conditions(
        &mut self,
        left: Node,
        level: Level,
        kind: fn(Vec<Node>) -> Kind,
    ) -> Outcome {
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

    fn path(&mut self) -> Outcome {
        let base = self.primary()?;
        let mut steps = Vec::new();
        loop {
            let offset = self.token.start as u32;
            let access = match self.token.kind {
                TokenKind::Symbol(".") => {
                    self.advance()?;
                    let name = self.member()?;
                    match self.is_symbol("(") {
                        true => {
                            let arguments = self.arguments()?;
                            check_pattern(&name, &arguments)?;
                            Access::Call(name, arguments)
                        }
                        false => Access::Member(name),
                    }
                }
                TokenKind::Symbol("[") => self.index()?,
                TokenKind::Symbol("(") => {
                    return Err(ParseError::unsupported("calling a value", self.token.start));
                }
                _ if steps.is_empty() => return Ok(base),
                _ => {
                    let offset = base.offset;
                    return Ok(Node { offset, kind: Kind::Path(Box::new(base), steps) });
                }
            };
            steps.push(Step { offset, access });
        }
    }

    fn index(&mut self) -> Result<Access, ParseError> {
        self.advance()?;
        let index = self.nested(Level::Choice)?;
        self.expect_symbol("]")?;
        Ok(match self.is_symbol("(") {
            true => Access::CallIndex(index, self.arguments()?),
            false => Access::Index(index),
        })
    }

    /// From the opening parenthesis on.
    fn arguments(&mut self) -> Result<Vec<Node>, ParseError> {
        self.expect_symbol("(")?;
        let mut arguments = Vec::new();
        if !self.is_symbol(")") {
            arguments.push(self.nested(Level::Choice)?);
            while self.is_symbol(",") {
                self.advance()?;
                arguments.push(self.nested(Level::Choice)?);
            }
        }
        self.expect_symbol(")")?;
        Ok(arguments)
    }

    fn member(&mut self) -> Result<Arc<str>, ParseError> {
        let name = self.slice(self.token);
        match self.token.kind {
            TokenKind::Name if !RESERVED.contains(&name) => {}
            _ => return Err(self.unexpected("the name of a member")),
        }
        self.advance()?;
        Ok(name.into())
    }

    fn primary(&mut self) -> Outcome {
        match self.token.kind {
            TokenKind::Symbol("(") => self.parenthesised(),
            TokenKind::Symbol("[") => {
                Err(ParseError::unsupported("a literal of a list", self.token.start))
            }
            TokenKind::Name => match self.slice(self.token) {
                "null" => self.literal(Value::Null),
                "true" => self.literal(Value::Bool(true)),
                "false" => self.literal(Value::Bool(false)),
                word if RESERVED.contains(&word) => Err(self.unexpected("a value")),
                _ => self.name(),
            },
            TokenKind::Integer => self.integer(),
            TokenKind::Float => self.float(),
            TokenKind::Text => self.text(),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn parenthesised(&mut self) -> Outcome {
        self.advance()?;
        let inner = self.nested(Level::Choice)?;
        self.expect_symbol(")")?;
        Ok(inner)
    }

    fn integer(&mut self) -> Outcome {
        match self.slice(self.token).parse() {
            Ok(number) => self.literal(Value::Int(number)),
            Err(_) => Err(ParseError::new("the number is too large", self.token.start)),
        }
    }

    fn float(&mut self) -> Outcome {
        match self.slice(self.token).parse() {
            Ok(number) => self.literal(Value::Double(number)),
            Err(_) => Err(self.unexpected("a number")),
        }
    }

    fn text(&mut self) -> Outcome {
        let text = unescape(self.slice(self.token), self.token.start)?;
        self.literal(Value::text(text))
    }

    fn literal(&mut self, value: Value) -> Outcome {
        let start = self.advance()?.start;
        Ok(Node::new(start, Kind::Literal(value)))
    }

    fn name(&mut self) -> Outcome {
        let start = self.token.start;
        let name = self.slice(self.token);
        match self.following(1)?.kind {
            TokenKind::Symbol("(") => return self.function(None),
            // A prefix, unless the colon belongs to a choice.
            TokenKind::Symbol(":") => {
                let second = self.following(2)?;
                let is_function = second.kind == TokenKind::Name
                    && (Function::is_prefix(name) || !RESERVED.contains(&self.slice(second)))
                    && self.following(3)?.kind == TokenKind::Symbol("(");
                if is_function {
                    return self.function(Some(name));
                }
            }
            _ => {}
        }
        self.advance()?;
        Ok(Node::new(start, Kind::Name(name.into())))
    }

    fn function(&mut self, prefix: Option<&str>) -> Outcome {
        let start = self.token.start;
        if prefix.is_some() {
            self.advance()?;
            self.advance()?;
        }
        let name = self.slice(self.token);
        let written = match prefix {
            Some(prefix) => format!("{prefix}:{name}"),
            None => name.to_owned(),
        };
        let Some(function) = Function::find(self.only, prefix, name) else {
            return Err(ParseError::unsupported(format!("the function '{written}'"), start));
        };
        self.advance()?;
        let mut arguments = self.arguments()?;
        let (fewest, most) = function.arguments();
        if !(fewest..=most).contains(&arguments.len()) {
            let found = arguments.len();
            let message = format!("the function '{written}' cannot take {found} arguments");
            return Err(ParseError::new(message, start));
        }
        // The variable of such a function is meant by its name, not by its value.
        if let (Function::Variable(_), Some(first)) = (function, arguments.first_mut())
            && let Kind::Name(name) = &first.kind
        {
            first.kind = Kind::Literal(Value::Text(name.clone()));
        }
        let call = FunctionCall { function, name: written.into(), arguments };
        Ok(Node::new(start, Kind::Function(Box::new(call))))
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<(), ParseError> {
        if !self.is_symbol(symbol) {
            return Err(self.unexpected(&format!("'{symbol}'")));
        }
        self.advance().map(|_| ())
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        let start = self.token.start;
        match self.token.kind {
            TokenKind::End => ParseError::new(format!("expected {expected}, found the end"), start),
            TokenKind::Name if self.slice(self.token) == "instanceof" => {
                ParseError::unsupported("'instanceof'", start)
            }
            TokenKind::Symbol(":") if self.calls_behind_colon() => {
                ParseError::unsupported("a function with a prefix", start)
            }
            TokenKind::Symbol(">") if self.text[..start].ends_with('-') => {
                ParseError::unsupported("'->', a lambda,", start - 1)
            }
            _ => {
                let found = self.slice(self.token);
                ParseError::new(format!("expected {expected}, found '{found}'"), start)
            }
        }
    }

    /// Functions of Flowable may be named like an operator: `var:lt(…)`.
    fn calls_behind_colon(&self) -> bool {
        let kind_at = |count| self.following(count).map(|token| token.kind);
        kind_at(1) == Ok(TokenKind::Name) && kind_at(2) == Ok(TokenKind::Symbol("("))
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.token.kind, TokenKind::Symbol(found) if found == symbol)
    }

    /// The token `count` places on, or the end where the text is no token.
    fn following(&self, count: usize) -> Result<Token, ParseError> {
        let mut lexer = self.lexer;
        let mut token = self.token;
        for _ in 0..count {
            // Behind a closing brace is literal text.
            if token.kind == TokenKind::Symbol("}") {
                return Ok(Token { kind: TokenKind::End, ..token });
            }
            token = lexer.next()?;
        }
        Ok(token)
    }

    fn advance(&mut self) -> Result<Token, ParseError> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }
}

#[derive(Clone, Copy)]
enum Infix {
    Choice,
    Any,
    All,
    Operator(Operator),
}

impl Infix {
    fn level(self) -> Level {
        match self {
            Self::Choice => Level::Choice,
            Self::Any => Level::Any,
            Self::All => Level::All,
            Self::Operator(operator) => operator.level(),
        }
    }
}

fn more_operands(left: Node, operand: Operand) -> Node {
    let offset = left.offset;
    let level = operand.operator.level();
    let kind = match left.kind {
        Kind::Chain(first, mut operands)
            if operands.first().is_some_and(|other| other.operator.level() == level) =>
        {
            operands.push(operand);
            Kind::Chain(first, operands)
        }
        other => Kind::Chain(Box::new(Node { offset, kind: other }), vec![operand]),
    };
    Node { offset, kind }
}

/// A quoted text without its quotes; only the quote and the backslash can be escaped.
fn unescape(quoted: &str, start: usize) -> Result<String, ParseError> {
    let quote = quoted.chars().next().unwrap_or('"');
    let inner = &quoted[1..quoted.len() - 1];
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some((_, c)) if c == quote || c == '\\' => out.push(c),
            Some((_, c)) => {
                let message = format!("unknown escape '\\{c}' in a text");
                return Err(ParseError::new(message, start + 1 + at));
            }
            None => return Err(ParseError::new("the text has no closing quote", start)),
        }
    }
    Ok(out)
}

/// A pattern that is written down and cannot run is known before it runs.
fn check_pattern(method: &str, arguments: &[Node]) -> Result<(), ParseError> {
    if !matches!(method, "matches" | "replaceAll" | "replaceFirst" | "split") {
        return Ok(());
    }
    let Some(Node { offset, kind: Kind::Literal(Value::Text(text)) }) = arguments.first() else {
        return Ok(());
    };
    match crate::pattern::unsupported(text) {
        Some(what) => {
            let what = format!("{what} in a regular expression");
            Err(ParseError::unsupported(what, *offset as usize))
        }
        None => Ok(()),
    }
}
