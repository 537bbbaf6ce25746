//! Tree to canonical text: parentheses only where they matter, one space around operators.

use std::fmt::{self, Write as _};

use orloj_types::{RangeForm, Value};

use super::ast::{
    Access, Arguments, Call, Callee, Entry, Interval, Kind, Lambda, Level, Loop, Node, Program,
    Source, Step, Test,
};
use super::builtins;
use super::lexer::{is_name_part, is_name_start};
use super::parser::is_reserved;
use crate::value_text::write_plain_decimal;

/// Words that mean something in their place only. As names they are written between back-ticks too.
const CONTEXTUAL: [&str; 8] = ["not", "for", "some", "every", "function", "instance", "of", "get"];

/// Between a word and what follows, where both together would be read as a name.
const APART: &str = "/**/";

pub(crate) fn print(program: &Program) -> String {
    let mut out = Out { text: String::new(), beginnings: &program.beginnings };
    write_node(&program.root, Level::Open, &mut out);
    out.text
}

/// The text so far, and the words that begin a longer name where the expression was read.
struct Out<'p> {
    text: String,
    beginnings: &'p [Box<str>],
}

impl Out<'_> {
    fn push(&mut self, c: char) {
        self.text.push(c);
    }

    fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A word of the grammar, kept apart from what follows if a name begins with it.
    fn push_word(&mut self, word: &str) {
        self.push_str(word);
        if self.is_beginning(word) {
            self.push_str(APART);
        }
    }

    fn is_beginning(&self, word: &str) -> bool {
        self.beginnings.iter().any(|beginning| **beginning == *word)
    }
}

impl fmt::Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.write_str(text)
    }
}

/// The literal that evaluates to `value`. Numbers that are none are null.
pub(crate) fn literal(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

/// With parentheses if the node binds less tightly than `level`.
fn write_node(node: &Node, level: Level, out: &mut Out<'_>) {
    let open = node.kind.level() < level;
    if open {
        out.push('(');
    }
    write_kind(&node.kind, out);
    if open {
        out.push(')');
    }
}

fn write_kind(kind: &Kind, out: &mut Out<'_>) {
    match kind {
        Kind::Literal(Value::Null) => out.push_word("null"),
        Kind::Literal(Value::Bool(flag)) => out.push_word(if *flag { "true" } else { "false" }),
        Kind::Literal(value) => write_value(value, &mut out.text),
        Kind::Name(name) => write_name(name, out),
        Kind::List(items) => {
            out.push('[');
            write_joined(items, ", ", Level::Open, out);
            out.push(']');
        }
        Kind::Context(entries) => write_context(entries, out),
        Kind::Input => out.push('?'),
        Kind::Range(interval) => write_interval(interval, out),
        Kind::Negate(operand) => {
            out.push('-');
            write_node(operand, Level::Negation, out);
        }
        Kind::Arithmetic(first, operands) => {
            let level = kind.level();
            write_node(first, level, out);
            for operand in operands {
                let _ = write!(out, " {} ", operand.operator.symbol());
                write_node(&operand.node, level.tighter(), out);
            }
        }
        Kind::Compare(comparison, sides) => {
            write_node(&sides.0, Level::Sum, out);
            let _ = write!(out, " {} ", comparison.symbol());
            write_node(&sides.1, Level::Sum, out);
        }
        Kind::Between(parts) => {
            write_node(&parts.0, Level::Sum, out);
            out.push_str(" between ");
            write_node(&parts.1, Level::Sum, out);
            out.push_str(" and ");
            write_node(&parts.2, Level::Sum, out);
        }
        Kind::In(value, tests) => {
            write_node(value, Level::Sum, out);
            out.push_str(" in ");
            write_tests(tests, out);
        }
        Kind::All(nodes) => write_joined(nodes, " and ", Level::Comparison, out),
        Kind::Any(nodes) => write_joined(nodes, " or ", Level::All, out),
        Kind::If(parts) => {
            out.push_word("if");
            out.push(' ');
            write_node(&parts.0, Level::Open, out);
            out.push_str(" then ");
            write_node(&parts.1, Level::Open, out);
            out.push_str(" else ");
            write_node(&parts.2, Level::Open, out);
        }
        Kind::Path(base, steps) => write_path(base, steps, out),
        Kind::For(parts) => write_loop("for", "return", parts, out),
        Kind::Some(parts) => write_loop("some", "satisfies", parts, out),
        Kind::Every(parts) => write_loop("every", "satisfies", parts, out),
        Kind::InstanceOf(operand, of) => {
            write_node(operand, Level::Sum, out);
            let _ = write!(out, " instance of {of}");
            if out.beginnings.iter().any(|word| out.text.ends_with(&**word)) {
                out.push_str(APART);
            }
        }
        Kind::Function(lambda) => write_function(lambda, out),
        Kind::Call(call) => write_call(call, out),
        Kind::Tests(parts) => {
            if parts.tests.is_empty() {
                out.push('-');
            } else if parts.negated {
                out.push_str("not(");
                write_test_list(&parts.tests, out);
                out.push(')');
            } else if let [Test::Fits(node) | Test::Holds(node)] = &parts.tests[..]
                && is_not(node)
            {
                // Without parentheses it would negate the tests inside.
                out.push('(');
                write_node(node, Level::Open, out);
                out.push(')');
            } else {
                write_test_list(&parts.tests, out);
            }
        }
    }
}

fn write_joined(nodes: &[Node], between: &str, level: Level, out: &mut Out<'_>) {
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        write_node(node, level, out);
    }
}

fn write_context(entries: &[Entry], out: &mut Out<'_>) {
    out.push('{');
    write_entries(entries, out);
    out.push('}');
}

fn write_entries(entries: &[Entry], out: &mut Out<'_>) {
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_key(&entry.name, &mut out.text);
        out.push_str(": ");
        write_node(&entry.value, Level::Open, out);
    }
}

fn write_loop(word: &str, last: &str, parts: &Loop, out: &mut Out<'_>) {
    out.push_word(word);
    out.push(' ');
    for (at, iterator) in parts.iterators.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        write_name(&iterator.name, out);
        out.push_str(" in ");
        match &iterator.source {
            Source::Values(node) => write_node(node, Level::Sum, out),
            Source::Between(low, high) => {
                write_node(low, Level::Sum, out);
                out.push_str("..");
                write_node(high, Level::Sum, out);
            }
        }
    }
    let _ = write!(out, " {last} ");
    write_node(&parts.body, Level::Open, out);
}

fn write_function(lambda: &Lambda, out: &mut Out<'_>) {
    out.push_word("function");
    out.push('(');
    for (at, parameter) in lambda.parameters.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        write_name(&parameter.name, out);
        if let Some(of) = &parameter.type_ {
            let _ = write!(out, ": {of}");
        }
    }
    out.push(')');
    if let Some(of) = &lambda.result {
        let _ = write!(out, ": {of}");
    }
    out.push_str(if lambda.external { " external " } else { " " });
    write_node(&lambda.body, Level::Open, out);
}

fn write_call(call: &Call, out: &mut Out<'_>) {
    match &call.callee {
        Callee::Builtin(builtin) => {
            out.push_str(builtin.name);
            if out.is_beginning(&format!("{}(", builtin.name)) {
                out.push_str(APART);
            }
        }
        Callee::Value(node) => write_node(node, Level::Path, out),
    }
    out.push('(');
    match &call.arguments {
        Arguments::Positional(nodes) => write_joined(nodes, ", ", Level::Open, out),
        Arguments::Named(entries) => write_entries(entries, out),
    }
    out.push(')');
}

fn write_test_list(tests: &[Test], out: &mut Out<'_>) {
    for (at, test) in tests.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_test(test, out);
    }
}

fn write_path(base: &Node, steps: &[Step], out: &mut Out<'_>) {
    write_node(base, Level::Primary, out);
    for step in steps {
        match &step.access {
            Access::Member(name) => {
                out.push('.');
                write_name(name, out);
            }
            Access::Filter(filter) => {
                out.push('[');
                let start = out.text.len();
                write_node(filter, Level::Open, out);
                if starts_with_junction(&out.text[start..]) {
                    out.text.insert(start, '(');
                    out.push(')');
                }
                out.push(']');
            }
        }
    }
}

/// A bracket before `and(…)` is read as the end of a range that a condition follows.
fn starts_with_junction(text: &str) -> bool {
    let rest = text.strip_prefix("and").or_else(|| text.strip_prefix("or"));
    rest.is_some_and(|rest| rest.starts_with('(') || rest.starts_with(APART))
}

fn write_tests(tests: &[Test], out: &mut Out<'_>) {
    // Without parentheses a test would swallow what follows, or be taken for a literal.
    if let [test @ (Test::Equal(_) | Test::Interval(_))] = tests {
        write_test(test, out);
        return;
    }
    out.push('(');
    write_test_list(tests, out);
    out.push(')');
}

fn write_test(test: &Test, out: &mut Out<'_>) {
    match test {
        Test::Compare(comparison, bound) => {
            let _ = write!(out, "{} ", comparison.symbol());
            write_node(bound, Level::Sum, out);
        }
        Test::Interval(interval) => write_interval(interval, out),
        // A range at the start would end the test.
        Test::Fits(node) | Test::Holds(node) if starts_with_range(node) => {
            out.push('(');
            write_node(node, Level::Open, out);
            out.push(')');
        }
        Test::Equal(node) | Test::Fits(node) | Test::Holds(node) => {
            write_node(node, Level::Open, out);
        }
    }
}

fn is_not(node: &Node) -> bool {
    match &node.kind {
        Kind::Call(call) => matches!(&call.callee, Callee::Builtin(f) if f.name == "not"),
        _ => false,
    }
}

fn starts_with_range(node: &Node) -> bool {
    match &node.kind {
        Kind::Range(_) => true,
        Kind::Arithmetic(first, _)
        | Kind::Path(first, _)
        | Kind::In(first, _)
        | Kind::InstanceOf(first, _) => starts_with_range(first),
        Kind::Compare(_, sides) => starts_with_range(&sides.0),
        Kind::Between(parts) => starts_with_range(&parts.0),
        Kind::All(nodes) | Kind::Any(nodes) => nodes.first().is_some_and(starts_with_range),
        Kind::Call(call) => match &call.callee {
            Callee::Value(node) => starts_with_range(node),
            Callee::Builtin(_) => false,
        },
        _ => false,
    }
}

fn write_interval(interval: &Interval, out: &mut Out<'_>) {
    match (&interval.low, &interval.high) {
        (Some(value), _) if interval.form != RangeForm::Interval => {
            let is_equal = interval.form == RangeForm::Equal;
            out.push_str(if is_equal { "(= " } else { "(!= " });
            write_node(value, Level::Sum, out);
            out.push(')');
        }
        (Some(low), Some(high)) => {
            out.push(if interval.low_included { '[' } else { '(' });
            // A bare range at the start could be taken for the whole test.
            let open = starts_with_range(low);
            out.push_str(if open { "(" } else { "" });
            write_node(low, Level::Sum, out);
            out.push_str(if open { ")" } else { "" });
            out.push_str("..");
            write_node(high, Level::Sum, out);
            out.push(if interval.high_included { ']' } else { ')' });
        }
        (None, Some(high)) => {
            out.push_str(if interval.high_included { "(<= " } else { "(< " });
            write_node(high, Level::Sum, out);
            out.push(')');
        }
        (Some(low), None) => {
            out.push_str(if interval.low_included { "(>= " } else { "(> " });
            write_node(low, Level::Sum, out);
            out.push(')');
        }
        (None, None) => out.push_str("null"),
    }
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => {
            let _ = write!(out, "{number}");
        }
        // The plain form, never with an exponent.
        Value::Double(number) if number.is_finite() => {
            let _ = write!(out, "{number}");
        }
        Value::Double(_) => out.push_str("null"),
        Value::Decimal(number) => write_plain_decimal(number, out),
        Value::Text(text) => write_text(text, out),
        Value::Temporal(temporal) => {
            let _ = write!(out, "@\"{temporal}\"");
        }
        Value::Range(range) => {
            out.push(if range.low_included { '[' } else { '(' });
            write_value(&range.low, out);
            out.push_str("..");
            write_value(&range.high, out);
            out.push(if range.high_included { ']' } else { ')' });
        }
        Value::Function(_) => out.push_str("null"),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_value(item, out);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (at, (name, entry)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_key(name, out);
                out.push_str(": ");
                write_value(entry, out);
            }
            out.push('}');
        }
    }
}

pub(super) fn key_text(name: &str) -> String {
    let mut out = String::new();
    write_key(name, &mut out);
    out
}

pub(super) fn name_text(name: &str) -> String {
    let mut out = String::new();
    write_lone_name(name, &mut out);
    out
}

pub(super) fn write_key(name: &str, out: &mut String) {
    if is_plain(name) { out.push_str(name) } else { write_text(name, out) }
}

fn write_name(name: &str, out: &mut Out<'_>) {
    if out.is_beginning(name) {
        let _ = write!(out, "`{name}`");
    } else {
        write_lone_name(name, &mut out.text);
    }
}

/// A name that begins no other.
fn write_lone_name(name: &str, out: &mut String) {
    let is_word = is_reserved(name) || CONTEXTUAL.contains(&name);
    if is_plain(name) && !is_word && builtins::first_words(name).is_none() {
        out.push_str(name);
    } else {
        let _ = write!(out, "`{name}`");
    }
}

fn is_plain(name: &str) -> bool {
    name.starts_with(is_name_start) && name.chars().all(is_name_part)
}

pub(super) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::mode::Mode;
    use super::super::names::Names;
    use super::super::parser::parse;
    use super::*;

    #[test]
    fn operands_do_not_become_a_name() {
        let names: Names =
            ["a-b", "c.d", "if x", "null and void", "count(f)", "number and a", "for sale"]
                .into_iter()
                .collect();
        let cases = [
            ("a-b", "`a-b`"),
            ("@\"x\"", "null/**/"),
            ("(a)-b", "`a` - b"),
            ("b-a", "b - `a`"),
            ("x.a", "x.`a`"),
            ("(x.a) - b", "x.`a` - b"),
            ("(c).d", "`c`.d"),
            ("if (x) then (null) else count((f))", "if/**/ x then null/**/ else count/**/(f)"),
            ("(x instance of number) and a", "x instance of number/**/ and `a`"),
            ("for i in sale return i", "for/**/ i in sale return i"),
            (
                "for i in 1..2, for i in 1..2 return i",
                "for/**/ i in 1..2, `for i` in 1..2 return i",
            ),
            ("{n: 1, m: 2, \"n*m\": 5, o: (n)*m}", "{n: 1, m: 2, \"n*m\": 5, o: `n` * m}"),
        ];
        for (text, expected) in cases {
            let printed = print(&parse(text, 0, Mode::Standard, &names).expect(text));
            assert_eq!(printed, expected, "{text}");
            let again = print(&parse(&printed, 0, Mode::Standard, &names).expect(&printed));
            assert_eq!(again, printed, "{text}");
        }
    }
}
