//! What stands behind `in` and in the cells of decision tables.

use super::super::ast::{Comparison, Kind, Level, Node, Test, UnaryTests};
use super::super::lexer::TokenKind;
use super::grammar::{Operator, Parsed, Parser};
use crate::error::ParseError;

impl Parser<'_> {
    pub(super) fn whole_tests(&mut self) -> Parsed {
        let start = self.token.start;
        let any = self.is_symbol("-") && self.following()?.kind == TokenKind::End;
        let (negated, tests) = if any {
            (false, Vec::new())
        } else if let Some(tests) = self.negated_tests() {
            (true, tests)
        } else {
            let mut tests = vec![self.cell_test()?];
            while self.more("")? {
                tests.push(self.cell_test()?);
            }
            self.expect_end("',' or the end")?;
            (false, tests)
        };
        Ok(self.node(start, Kind::Tests(Box::new(UnaryTests { negated, tests }))))
    }

    /// `not( … )` around all of it; otherwise nothing has been read.
    pub(super) fn negated_tests(&mut self) -> Option<Vec<Test>> {
        if self.token.kind != TokenKind::Name || self.slice(self.token) != "not" {
            return None;
        }
        let (lexer, token, previous, depth) = (self.lexer, self.token, self.previous, self.depth);
        let tests = self.negated_tests_to_end();
        if tests.is_err() {
            (self.lexer, self.token, self.previous, self.depth) = (lexer, token, previous, depth);
        }
        tests.ok()
    }

    pub(super) fn negated_tests_to_end(&mut self) -> Result<Vec<Test>, ParseError> {
        self.advance()?;
        self.expect_symbol("(")?;
        let mut tests = vec![self.cell_test()?];
        while self.more(")")? {
            tests.push(self.cell_test()?);
        }
        self.expect_symbol(")")?;
        self.expect_end("the end")?;
        Ok(tests)
    }

    pub(super) fn membership(&mut self, left: Node, start: usize) -> Parsed {
        // `?` inside is the value on the left.
        let outer = self.uses_input;
        let tests = self.tests()?;
        self.uses_input = outer;
        Ok(self.node(start, Kind::In(Box::new(left), tests)))
    }

    /// Behind `in`.
    pub(super) fn tests(&mut self) -> Result<Vec<Test>, ParseError> {
        if self.is_symbol("(") { self.listed_tests() } else { self.single_test() }
    }

    /// DIFFERENCE: by the standard `a in xs and b` is `(a in xs) and b`. Camunda's engine reads
    /// everything behind `in` as the test, so that models exist that depend on it.
    pub(super) fn single_test(&mut self) -> Result<Vec<Test>, ParseError> {
        if self.mode.is_standard() {
            return Ok(vec![self.test(Level::Sum)?]);
        }
        Ok(vec![self.cell_test()?])
    }

    /// DIFFERENCE: in Camunda's engine a literal without parentheses is only ever equal, also where
    /// it is a boolean.
    pub(super) fn cell_test(&mut self) -> Result<Test, ParseError> {
        let standard = self.mode.is_standard();
        Ok(match self.test(Level::Open)? {
            Test::Fits(node) if !standard && matches!(node.kind, Kind::Literal(_)) => {
                Test::Equal(node)
            }
            test => test,
        })
    }

    pub(super) fn listed_tests(&mut self) -> Result<Vec<Test>, ParseError> {
        let start = self.advance()?.start;
        let mut tests = vec![self.test(Level::Open)?];
        if self.is_symbol("..") {
            let low = match tests.pop() {
                Some(Test::Fits(low) | Test::Holds(low)) => low,
                Some(Test::Interval(interval)) => self.node(start, Kind::Range(interval)),
                _ => return Err(ParseError::new("a range begins with a value", start)),
            };
            return Ok(vec![Test::Interval(Box::new(self.interval(low, false)?))]);
        }
        while self.more(")")? {
            tests.push(self.test(Level::Open)?);
        }
        self.expect_symbol(")")?;
        Ok(tests)
    }

    pub(super) fn test(&mut self, level: Level) -> Result<Test, ParseError> {
        let outer = std::mem::replace(&mut self.uses_input, false);
        let test = self.plain_test(level)?;
        let test = match test {
            Test::Fits(node) if self.uses_input && node.kind.is_condition() => Test::Holds(node),
            test => test,
        };
        self.uses_input = outer;
        Ok(test)
    }

    pub(super) fn plain_test(&mut self, level: Level) -> Result<Test, ParseError> {
        match (self.token.kind, self.operator()) {
            (TokenKind::Symbol(_), Some(Operator::Compare(comparison))) => self.bound(comparison),
            // DIFFERENCE: in Camunda's engine a range is a test of its own, whatever follows it.
            (TokenKind::Symbol("[" | "]" | "("), _) => {
                self.depth += 1;
                self.check_depth()?;
                let first = self.primary()?;
                let test = match first.kind {
                    Kind::Range(interval) if !self.mode.is_standard() => Test::Interval(interval),
                    _ => {
                        let path = self.steps(first)?;
                        let node = self.operators(path, level)?;
                        match node.kind {
                            Kind::Range(interval) => Test::Interval(interval),
                            _ => Test::Fits(node),
                        }
                    }
                };
                self.depth -= 1;
                Ok(test)
            }
            _ => self.nested(level).map(Test::Fits),
        }
    }

    pub(super) fn bound(&mut self, comparison: Comparison) -> Result<Test, ParseError> {
        let start = self.advance()?.start;
        let by_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if by_equality && !self.mode.is_standard() {
            let what = format!("a test with '{}'", comparison.symbol());
            return Err(ParseError::unsupported(what, start));
        }
        Ok(Test::Compare(comparison, self.nested(Level::Sum)?))
    }
}
