//! Names that an expression reads though nobody told it that they exist.

use std::sync::Arc;

use super::ast::{Arguments, Callee, Interval, Kind, Loop, Node, Program, Source, Test};
use super::builtins;
use super::mode::Mode;
use super::names::Names;

/// What a loop knows its results so far by.
const PARTIAL: &str = "partial";
/// Names that are told of one expression.
const TOLD_MAX: usize = 20;

/// Names that are neither `known` nor bound within, and where they stand. What a filter reads may
/// be a member of the items and is left out.
pub(crate) fn unknown_names(program: &Program, known: &Names) -> Vec<(Arc<str>, usize)> {
    let mut search = Search { known, mode: program.mode, bound: Vec::new(), found: Vec::new() };
    search.node(&program.root);
    search.found
}

struct Search<'a> {
    known: &'a Names,
    mode: Mode,
    bound: Vec<Arc<str>>,
    found: Vec<(Arc<str>, usize)>,
}

impl Search<'_> {
    fn name(&mut self, name: &Arc<str>, offset: usize) {
        let is_known = self.bound.contains(name)
            || self.known.contains(name)
            || builtins::named(name, self.mode).is_some();
        if !is_known && self.found.len() < TOLD_MAX {
            self.found.push((name.clone(), offset));
        }
    }

    fn nodes<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) {
        nodes.into_iter().for_each(|node| self.node(node));
    }

    /// The nesting is bounded by the parser.
    fn node(&mut self, node: &Node) {
        match &node.kind {
            Kind::Literal(_) | Kind::Input => {}
            Kind::Name(name) => self.name(name, node.at()),
            Kind::List(items) | Kind::All(items) | Kind::Any(items) => self.nodes(items),
            Kind::Context(entries) => self.within(|search| {
                for entry in entries {
                    // Functions may call themselves.
                    search.bound.push(entry.name.clone());
                    search.node(&entry.value);
                }
            }),
            Kind::Range(interval) => self.interval(interval),
            Kind::Negate(inner) | Kind::InstanceOf(inner, _) => self.node(inner),
            Kind::Arithmetic(first, operands) => {
                self.node(first);
                self.nodes(operands.iter().map(|operand| &operand.node));
            }
            Kind::Compare(_, both) => self.nodes([&both.0, &both.1]),
            Kind::Between(three) | Kind::If(three) => self.nodes([&three.0, &three.1, &three.2]),
            Kind::In(value, tests) => {
                self.node(value);
                tests.iter().for_each(|test| self.test(test));
            }
            Kind::Path(base, _) => self.node(base),
            Kind::For(parts) | Kind::Some(parts) | Kind::Every(parts) => self.iteration(parts),
            Kind::Function(lambda) if lambda.external => {}
            Kind::Function(lambda) => self.within(|search| {
                search.bound.extend(lambda.names.iter().cloned());
                search.node(&lambda.body);
            }),
            Kind::Call(call) => {
                if let Callee::Value(callee) = &call.callee {
                    self.node(callee);
                }
                match &call.arguments {
                    Arguments::Positional(given) => self.nodes(given),
                    Arguments::Named(given) => self.nodes(given.iter().map(|entry| &entry.value)),
                }
            }
            Kind::Tests(tests) => tests.tests.iter().for_each(|test| self.test(test)),
        }
    }

    fn iteration(&mut self, parts: &Loop) {
        self.within(|search| {
            for iterator in &parts.iterators {
                match &iterator.source {
                    Source::Values(values) => search.node(values),
                    Source::Between(low, high) => search.nodes([low, high]),
                }
                search.bound.push(iterator.name.clone());
            }
            search.bound.push(PARTIAL.into());
            search.node(&parts.body);
        });
    }

    fn test(&mut self, test: &Test) {
        match test {
            Test::Interval(interval) => self.interval(interval),
            Test::Compare(_, node) | Test::Equal(node) | Test::Fits(node) | Test::Holds(node) => {
                self.node(node);
            }
        }
    }

    fn interval(&mut self, interval: &Interval) {
        self.nodes(interval.low.iter().chain(&interval.high));
    }

    fn within(&mut self, work: impl FnOnce(&mut Self)) {
        let outside = self.bound.len();
        work(self);
        self.bound.truncate(outside);
    }
}
