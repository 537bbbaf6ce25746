//! Tree to canonical text: parentheses only where they matter, one space around operators.

use std::fmt::Write as _;

use orloj_types::Value;

use super::ast::{Access, Entry, Interval, Kind, Level, Node, Program, Step, Test};
use super::lexer::{is_name_part, is_name_start};
use crate::value_text::write_plain_decimal;

/// Words with a meaning somewhere; as names they are written between back-ticks.
const WORDS: [&str; 20] = [
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
    "not",
    "for",
    "some",
    "every",
    "function",
    "instance",
    "of",
    "get",
];

pub(crate) fn print(program: &Program) -> String {
    let mut out = String::new();
    write_node(&program.root, Level::Open, &mut out);
    out
}

/// The literal that evaluates to `value`. Numbers that are none are null.
pub(crate) fn literal(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

/// With parentheses if the node binds less tightly than `level`.
fn write_node(node: &Node, level: Level, out: &mut String) {
    let open = node.kind.level() < level;
    if open {
        out.push('(');
    }
    write_kind(&node.kind, out);
    if open {
        out.push(')');
    }
}

fn write_kind(kind: &Kind, out: &mut String) {
    match kind {
        Kind::Literal(value) => write_value(value, out),
        Kind::Name(name) => write_name(name, out),
        Kind::List(items) => {
            out.push('[');
            write_joined(items, ", ", Level::Open, out);
            out.push(']');
        }
        Kind::Context(entries) => write_context(entries, out),
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
        Kind::Not(operand) => {
            out.push_str("not(");
            write_node(operand, Level::Open, out);
            out.push(')');
        }
        Kind::If(parts) => {
            out.push_str("if ");
            write_node(&parts.0, Level::Open, out);
            out.push_str(" then ");
            write_node(&parts.1, Level::Open, out);
            out.push_str(" else ");
            write_node(&parts.2, Level::Open, out);
        }
        Kind::Path(base, steps) => write_path(base, steps, out),
    }
}

fn write_joined(nodes: &[Node], between: &str, level: Level, out: &mut String) {
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        write_node(node, level, out);
    }
}

fn write_context(entries: &[Entry], out: &mut String) {
    out.push('{');
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_key(&entry.name, out);
        out.push_str(": ");
        write_node(&entry.value, Level::Open, out);
    }
    out.push('}');
}

fn write_path(base: &Node, steps: &[Step], out: &mut String) {
    write_node(base, Level::Primary, out);
    for step in steps {
        match &step.access {
            Access::Member(name) => {
                out.push('.');
                write_name(name, out);
            }
            Access::Filter(filter) => {
                out.push('[');
                write_node(filter, Level::Open, out);
                out.push(']');
            }
        }
    }
}

fn write_tests(tests: &[Test], out: &mut String) {
    // Without parentheses a test would swallow what follows, or be taken for a literal.
    if let [test @ (Test::Equal(_) | Test::Interval(_))] = tests {
        write_test(test, out);
        return;
    }
    out.push('(');
    for (at, test) in tests.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write_test(test, out);
    }
    out.push(')');
}

fn write_test(test: &Test, out: &mut String) {
    match test {
        Test::Compare(comparison, bound) => {
            let _ = write!(out, "{} ", comparison.symbol());
            write_node(bound, Level::Sum, out);
        }
        Test::Interval(interval) => write_interval(interval, out),
        Test::Equal(node) | Test::Fits(node) => write_node(node, Level::Open, out),
    }
}

fn write_interval(interval: &Interval, out: &mut String) {
    out.push(if interval.low_included { '[' } else { '(' });
    write_node(&interval.low, Level::Sum, out);
    out.push_str("..");
    write_node(&interval.high, Level::Sum, out);
    out.push(if interval.high_included { ']' } else { ')' });
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

fn write_key(name: &str, out: &mut String) {
    if is_plain(name) { out.push_str(name) } else { write_text(name, out) }
}

fn write_name(name: &str, out: &mut String) {
    if is_plain(name) && !WORDS.contains(&name) {
        out.push_str(name);
    } else {
        let _ = write!(out, "`{name}`");
    }
}

fn is_plain(name: &str) -> bool {
    name.starts_with(is_name_start) && name.chars().all(is_name_part)
}

fn write_text(text: &str, out: &mut String) {
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
