//! Text to tree, by operator precedence. Every recursion passes [`Parser::nested`].

use std::sync::Arc;

use orloj_types::Value;

use super::ast::{
    Access, Arithmetic, Comparison, Entry, Interval, Kind, Level, Node, Operand, Program, Step,
    Test,
};
use super::lexer::{Lexer, Token, TokenKind};
use crate::error::ParseError;
use crate::expression::NESTING_MAX;
use crate::number::Number;

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
/// Functions with a key word in their name, which would otherwise be read as an operator.
const FUNCTIONS_OF_WORDS: [&[&str]; 3] =
    [&["get", "or", "else"], &["date", "and", "time"], &["years", "and", "months", "duration"]];
/// Words in the longest name of a function.
const FUNCTION_WORDS_MAX: usize = 5;

/// `base` is added to every offset.
pub(crate) fn parse(text: &str, base: usize) -> Result<Program, ParseError> {
    let shift = |error: ParseError| ParseError { offset: error.offset + base, ..error };
    let mut parser = Parser::new(text, base).map_err(shift)?;
    let root = parser.whole().map_err(shift)?;
    Ok(Program { root, builds: parser.builds })
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    token: Token,
    /// The token before, for messages.
    previous: Token,
    base: usize,
    depth: usize,
    builds: bool,
}

type Parsed = Result<Node, ParseError>;

impl<'a> Parser<'a> {
    fn new(text: &'a str, base: usize) -> Result<Self, ParseError> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        Ok(Self { text, lexer, token, previous: token, base, depth: 0, builds: false })
    }

    fn whole(&mut self) -> Parsed {
        let root = self.nested(Level::Open)?;
        match self.token.kind {
            TokenKind::End => Ok(root),
            _ => Err(self.unexpected("an operator or the end")),
        }
    }

    /// An expression whose operators bind at least as tightly as `level`.
    fn nested(&mut self, level: Level) -> Parsed {
        self.depth += 1;
        if self.depth > NESTING_MAX {
            let message = format!("the expression is nested deeper than {NESTING_MAX} levels");
            return Err(ParseError::new(message, self.token.start));
        }
        let first = if self.is_symbol("-") { self.negation() } else { self.path() }?;
        let node = self.operators(first, level);
        self.depth -= 1;
        node
    }

    fn negation(&mut self) -> Parsed {
        let start = self.advance()?.start;
        let operand = self.nested(Level::Negation)?;
        Ok(self.node(start, Kind::Negate(Box::new(operand))))
    }

    fn operators(&mut self, first: Node, level: Level) -> Parsed {
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
                Operator::Arithmetic(operator) => self.arithmetic(left, operator, start),
            }?;
        }
    }

    fn operator(&self) -> Option<Operator> {
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
                _ => return None,
            },
            _ => return None,
        })
    }

    fn comparison(&mut self, left: Node, comparison: Comparison, start: usize) -> Parsed {
        let right = self.nested(Level::Sum)?;
        Ok(self.node(start, Kind::Compare(comparison, Box::new((left, right)))))
    }

    fn between(&mut self, left: Node, start: usize) -> Parsed {
        let low = self.nested(Level::Sum)?;
        self.expect_word("and")?;
        let high = self.nested(Level::Sum)?;
        Ok(self.node(start, Kind::Between(Box::new((left, low, high)))))
    }

    fn membership(&mut self, left: Node, start: usize) -> Parsed {
        let tests = self.tests()?;
        Ok(self.node(start, Kind::In(Box::new(left), tests)))
    }

    fn arithmetic(&mut self, left: Node, operator: Arithmetic, start: usize) -> Parsed {
        let node = self.nested(operator.level().tighter())?;
        let offset = (self.base + start) as u32;
        Ok(more_arithmetic(left, Operand { operator, offset, node }))
    }

    /// Adds an operand to a condition of the same kind, or begins one.
    fn more_conditions(&mut self, left: Node, level: Level, kind: fn(Vec<Node>) -> Kind) -> Parsed {
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

    fn path(&mut self) -> Parsed {
        let base = self.primary()?;
        self.steps(base)
    }

    /// Members and filters behind their holder.
    fn steps(&mut self, base: Node) -> Parsed {
        let mut steps = Vec::new();
        loop {
            let offset = (self.base + self.token.start) as u32;
            let access = match self.token.kind {
                TokenKind::Symbol(".") => {
                    self.advance()?;
                    Access::Member(self.member()?)
                }
                TokenKind::Symbol("[") if self.starts_filter()? => self.filter()?,
                TokenKind::Symbol("(") => {
                    return Err(ParseError::unsupported("calling a function", self.token.start));
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

    fn filter(&mut self) -> Result<Access, ParseError> {
        self.advance()?;
        let filter = self.nested(Level::Open)?;
        self.expect_symbol("]")?;
        Ok(Access::Filter(filter))
    }

    /// A bracket that no expression can follow closes a range: `[1..2[`.
    fn starts_filter(&self) -> Result<bool, ParseError> {
        let next = self.following()?;
        Ok(match next.kind {
            TokenKind::End => false,
            TokenKind::Symbol(symbol) => matches!(symbol, "-" | "(" | "[" | "{" | "?" | "@"),
            TokenKind::Name => !matches!(
                self.slice(next),
                "and" | "or" | "then" | "else" | "in" | "between" | "return" | "satisfies"
            ),
            _ => true,
        })
    }

    fn member(&mut self) -> Result<Arc<str>, ParseError> {
        match self.token.kind {
            TokenKind::Name => Ok(self.advance_slice()?.into()),
            TokenKind::QuotedName => self.quoted_name(),
            _ => Err(self.unexpected("the name of a member")),
        }
    }

    fn quoted_name(&mut self) -> Result<Arc<str>, ParseError> {
        let start = self.token.start;
        let slice = self.advance_slice()?;
        match &slice[1..slice.len() - 1] {
            "" => Err(ParseError::new("the name is empty", start)),
            name => Ok(name.into()),
        }
    }

    fn primary(&mut self) -> Parsed {
        let start = self.token.start;
        match self.token.kind {
            TokenKind::Number => self.number(),
            TokenKind::Text => self.text(),
            TokenKind::QuotedName => self.quoted_variable(),
            TokenKind::Name => self.word(),
            TokenKind::Symbol("(") => self.parenthesised(),
            TokenKind::Symbol("[") => self.list(),
            TokenKind::Symbol("{") => self.context(),
            TokenKind::Symbol("?") => {
                Err(ParseError::unsupported("'?', the input of a unary test,", start))
            }
            TokenKind::Symbol("@") => {
                Err(ParseError::unsupported("'@', a literal of a date, time or duration,", start))
            }
            _ => Err(self.unexpected("a value")),
        }
    }

    fn text(&mut self) -> Parsed {
        let start = self.token.start;
        let text = unescape(self.advance_slice()?);
        Ok(self.node(start, Kind::Literal(Value::text(text))))
    }

    fn quoted_variable(&mut self) -> Parsed {
        let start = self.token.start;
        let name = self.quoted_name()?;
        Ok(self.node(start, Kind::Name(name)))
    }

    fn parenthesised(&mut self) -> Parsed {
        self.advance()?;
        let inner = self.nested(Level::Open)?;
        self.expect_symbol(")")?;
        Ok(inner)
    }

    fn list(&mut self) -> Parsed {
        match self.list_or_low()? {
            ListOrLow::List(list) => Ok(list),
            ListOrLow::Low(_) => Err(self.range_unsupported()),
        }
    }

    fn number(&mut self) -> Parsed {
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
        let number = Number::from_literal(slice)
            .ok_or_else(|| ParseError::new("the number is too large", start))?;
        Ok(self.node(start, Kind::Literal(number.into_value())))
    }

    fn word(&mut self) -> Parsed {
        let start = self.token.start;
        let word = self.slice(self.token);
        if let Some(name) = self.function_of_words() {
            return Err(ParseError::unsupported(format!("the function '{name}'"), start));
        }
        let next = self.following()?;
        match (word, next.kind) {
            ("null", _) => self.literal(Value::Null),
            ("true", _) => self.literal(Value::Bool(true)),
            ("false", _) => self.literal(Value::Bool(false)),
            ("if", _) => self.condition(),
            ("not", TokenKind::Symbol("(")) => self.not(),
            ("for" | "some" | "every", TokenKind::Name | TokenKind::QuotedName)
            | ("function", _) => Err(ParseError::unsupported(format!("'{word}'"), start)),
            (word, _) if RESERVED.contains(&word) => Err(self.unexpected("a value")),
            (word, TokenKind::Symbol("(")) => {
                Err(ParseError::unsupported(format!("the function '{word}'"), start))
            }
            (word, _) => {
                self.advance()?;
                Ok(self.node(start, Kind::Name(word.into())))
            }
        }
    }

    fn not(&mut self) -> Parsed {
        let start = self.advance()?.start;
        self.advance()?;
        let operand = self.nested(Level::Open)?;
        if self.is_symbol(",") {
            return Err(ParseError::new("'not' takes one argument", self.token.start));
        }
        self.expect_symbol(")")?;
        Ok(self.node(start, Kind::Not(Box::new(operand))))
    }

    fn literal(&mut self, value: Value) -> Parsed {
        let start = self.advance()?.start;
        Ok(self.node(start, Kind::Literal(value)))
    }

    fn condition(&mut self) -> Parsed {
        let start = self.advance()?.start;
        let condition = self.nested(Level::Open)?;
        self.expect_word("then")?;
        let yes = self.nested(Level::Open)?;
        self.expect_word("else")?;
        let no = self.nested(Level::Open)?;
        Ok(self.node(start, Kind::If(Box::new((condition, yes, no)))))
    }

    /// A list, or a bracket and the low end of a range.
    fn list_or_low(&mut self) -> Result<ListOrLow, ParseError> {
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
    fn more(&mut self, closing: &str) -> Result<bool, ParseError> {
        if !self.is_symbol(",") {
            return Ok(false);
        }
        self.advance()?;
        if self.is_symbol(closing) {
            return Err(self.unexpected("a value"));
        }
        Ok(true)
    }

    fn context(&mut self) -> Parsed {
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

    fn entry(&mut self) -> Result<Entry, ParseError> {
        let name = match self.token.kind {
            TokenKind::Text => unescape(self.advance_slice()?).into(),
            TokenKind::QuotedName => self.quoted_name()?,
            _ => self.key()?,
        };
        self.expect_symbol(":")?;
        let value = self.nested(Level::Open)?;
        Ok(Entry { name, value })
    }

    /// A key without quotes may be several words, with digits, points and operators in it.
    fn key(&mut self) -> Result<Arc<str>, ParseError> {
        let start = self.token.start;
        let mut end = start;
        while let TokenKind::Name
        | TokenKind::Number
        | TokenKind::Symbol("+" | "-" | "*" | "**" | "/" | ".") = self.token.kind
        {
            end = self.advance()?.end;
        }
        if end == start {
            return Err(self.unexpected("a key"));
        }
        Ok(self.text[start..end].into())
    }

    /// Behind `in`.
    fn tests(&mut self) -> Result<Vec<Test>, ParseError> {
        if self.is_symbol("(") { self.listed_tests() } else { self.single_test() }
    }

    /// DIFFERENCE: by the standard `a in xs and b` is `(a in xs) and b`. Camunda's engine reads
    /// everything behind `in` as the test, so that models exist that depend on it.
    fn single_test(&mut self) -> Result<Vec<Test>, ParseError> {
        Ok(vec![match self.test()? {
            Test::Fits(node) if matches!(node.kind, Kind::Literal(_)) => Test::Equal(node),
            test => test,
        }])
    }

    fn listed_tests(&mut self) -> Result<Vec<Test>, ParseError> {
        let start = self.advance()?.start;
        let mut tests = vec![self.test()?];
        if self.is_symbol("..") {
            return match tests.pop() {
                Some(Test::Fits(low)) => Ok(vec![self.interval(low, false)?]),
                _ => Err(ParseError::new("a range begins with a value", start)),
            };
        }
        while self.more(")")? {
            tests.push(self.test()?);
        }
        self.expect_symbol(")")?;
        Ok(tests)
    }

    fn test(&mut self) -> Result<Test, ParseError> {
        match (self.token.kind, self.operator()) {
            (TokenKind::Symbol(_), Some(Operator::Compare(comparison))) => self.bound(comparison),
            (TokenKind::Symbol("["), _) => self.list_or_closed_interval(),
            (TokenKind::Symbol("]"), _) => self.open_interval(),
            (TokenKind::Symbol("("), _) => self.value_or_open_interval(),
            _ => self.nested(Level::Open).map(Test::Fits),
        }
    }

    fn bound(&mut self, comparison: Comparison) -> Result<Test, ParseError> {
        let start = self.advance()?.start;
        if let Comparison::Equal | Comparison::NotEqual = comparison {
            let what = format!("a test with '{}'", comparison.symbol());
            return Err(ParseError::unsupported(what, start));
        }
        Ok(Test::Compare(comparison, self.nested(Level::Sum)?))
    }

    fn list_or_closed_interval(&mut self) -> Result<Test, ParseError> {
        match self.list_or_low()? {
            ListOrLow::Low(low) => self.interval(low, true),
            ListOrLow::List(list) => self.fits_from(list),
        }
    }

    fn open_interval(&mut self) -> Result<Test, ParseError> {
        self.advance()?;
        let low = self.nested(Level::Sum)?;
        self.interval(low, false)
    }

    fn value_or_open_interval(&mut self) -> Result<Test, ParseError> {
        self.advance()?;
        let inner = self.nested(Level::Open)?;
        if self.is_symbol("..") {
            return self.interval(inner, false);
        }
        self.expect_symbol(")")?;
        self.fits_from(inner)
    }

    /// An expression of which the first operand has been read.
    fn fits_from(&mut self, first: Node) -> Result<Test, ParseError> {
        let path = self.steps(first)?;
        self.operators(path, Level::Open).map(Test::Fits)
    }

    /// From the two points on.
    fn interval(&mut self, low: Node, low_included: bool) -> Result<Test, ParseError> {
        self.expect_symbol("..")?;
        let high = self.nested(Level::Sum)?;
        let high_included = match self.token.kind {
            TokenKind::Symbol("]") => true,
            TokenKind::Symbol(")" | "[") => false,
            _ => return Err(self.unexpected("the end of the range")),
        };
        self.advance()?;
        Ok(Test::Interval(Box::new(Interval { low, low_included, high, high_included })))
    }

    /// Whether the words from here on are the name of a function with a key word in it.
    fn function_of_words(&self) -> Option<String> {
        let first = self.slice(self.token);
        let words = FUNCTIONS_OF_WORDS.iter().find(|words| words[0] == first)?;
        let mut lexer = self.lexer;
        for word in &words[1..] {
            let token = lexer.next().ok()?;
            if self.slice(token) != *word {
                return None;
            }
        }
        let open = lexer.next().ok()?.kind == TokenKind::Symbol("(");
        open.then(|| words.join(" "))
    }

    fn range_unsupported(&self) -> ParseError {
        ParseError::unsupported("a range outside of 'in'", self.token.start)
    }

    fn expect_symbol(&mut self, symbol: &str) -> Result<(), ParseError> {
        if !self.is_symbol(symbol) {
            return Err(self.unexpected(&format!("'{symbol}'")));
        }
        self.advance().map(|_| ())
    }

    fn expect_word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.token.kind != TokenKind::Name || self.slice(self.token) != word {
            return Err(self.unexpected(&format!("'{word}'")));
        }
        self.advance().map(|_| ())
    }

    /// Where the text goes on in a way that has a name, the message says it.
    fn unexpected(&self, expected: &str) -> ParseError {
        let start = self.token.start;
        match self.token.kind {
            TokenKind::End => ParseError::new(format!("expected {expected}, found the end"), start),
            TokenKind::Name if self.slice(self.token) == "instance" => {
                ParseError::unsupported("'instance of'", start)
            }
            TokenKind::Name if self.previous.kind == TokenKind::Name => {
                match self.call_of_words() {
                    Some(name) => ParseError::unsupported(
                        format!("the function '{name}'"),
                        self.previous.start,
                    ),
                    None => self.found(expected),
                }
            }
            TokenKind::Symbol("..") => self.range_unsupported(),
            _ => self.found(expected),
        }
    }

    fn found(&self, expected: &str) -> ParseError {
        let found = self.slice(self.token);
        ParseError::new(format!("expected {expected}, found '{found}'"), self.token.start)
    }

    /// The words before and after this place, if a parenthesis makes them the name of a function.
    fn call_of_words(&self) -> Option<&'a str> {
        let mut lexer = self.lexer;
        let mut last = self.token;
        for _ in 0..FUNCTION_WORDS_MAX {
            match lexer.next().ok()? {
                token if token.kind == TokenKind::Name => last = token,
                token if token.kind == TokenKind::Symbol("(") => {
                    return Some(&self.text[self.previous.start..last.end]);
                }
                _ => return None,
            }
        }
        None
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.token.kind, TokenKind::Symbol(found) if found == symbol)
    }

    fn following(&self) -> Result<Token, ParseError> {
        let mut lexer = self.lexer;
        lexer.next()
    }

    fn advance(&mut self) -> Result<Token, ParseError> {
        let next = self.lexer.next()?;
        self.previous = std::mem::replace(&mut self.token, next);
        Ok(self.previous)
    }

    fn advance_slice(&mut self) -> Result<&'a str, ParseError> {
        let token = self.advance()?;
        Ok(self.slice(token))
    }

    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    fn node(&self, start: usize, kind: Kind) -> Node {
        Node::new(self.base + start, kind)
    }
}

enum ListOrLow {
    List(Node),
    Low(Node),
}

#[derive(Clone, Copy)]
enum Operator {
    Any,
    All,
    Compare(Comparison),
    Between,
    In,
    Arithmetic(Arithmetic),
}

impl Operator {
    fn level(self) -> Level {
        match self {
            Self::Any => Level::Any,
            Self::All => Level::All,
            Self::Compare(_) | Self::Between | Self::In => Level::Comparison,
            Self::Arithmetic(operator) => operator.level(),
        }
    }
}

fn more_arithmetic(left: Node, operand: Operand) -> Node {
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

/// A quoted text without its quotes. Unknown escapes stay as they are, so that regular expressions
/// can be written plainly.
///
/// DIFFERENCE: the standard also knows `\u` and `\U`; Camunda's engine keeps them as written.
fn unescape(quoted: &str) -> String {
    let inner = &quoted[1..quoted.len() - 1];
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some(c @ ('"' | '\'' | '\\')) => out.push(c),
            Some(c) => {
                out.push('\\');
                out.push(c);
            }
            None => out.push('\\'),
        }
    }
    out
}
