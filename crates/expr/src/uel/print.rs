//! Tree to canonical text: operators as symbols, parentheses only where they matter.

use std::fmt::Write as _;

use orloj_types::Value;

use super::ast::{Access, Kind, Level, Node, Part, Program, Step};
use super::lexer::is_name_part;

pub(crate) fn print(program: &Program) -> String {
    let mut out = String::new();
    for part in &program.parts {
        match part {
            Part::Text(text) => out.push_str(&literal_text(text)),
            Part::Expression(node) => {
                out.push_str(program.sign.opening());
                write_node(node, Level::Choice, &mut out);
                out.push('}');
            }
        }
    }
    out
}

/// Text that stands for itself outside of expressions.
pub(crate) fn literal_text(text: &str) -> String {
    text.replace("${", "\\${").replace("#{", "\\#{")
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
        Kind::Literal(value) => write_literal(value, out),
        Kind::Name(name) => out.push_str(name),
        Kind::Negate(operand) => write_unary("-", operand, out),
        Kind::Not(operand) => write_unary("!", operand, out),
        Kind::Empty(operand) => write_unary("empty ", operand, out),
        Kind::Chain(first, operands) => {
            let level = kind.level();
            write_node(first, level, out);
            for operand in operands {
                let _ = write!(out, " {} ", operand.operator.symbol());
                write_node(&operand.node, level.tighter(), out);
            }
        }
        Kind::All(nodes) => write_joined(nodes, " && ", Level::Equality, out),
        Kind::Any(nodes) => write_joined(nodes, " || ", Level::All, out),
        Kind::Choice(parts) => {
            write_node(&parts.0, Level::Any, out);
            out.push_str(" ? ");
            write_node(&parts.1, Level::Choice, out);
            out.push_str(" : ");
            let mut otherwise = String::new();
            write_node(&parts.2, Level::Choice, &mut otherwise);
            // A name, a colon and a call would be a function with a prefix.
            let is_call = begins_with_call(&otherwise);
            write_in_parentheses(is_call, &otherwise, out);
        }
        Kind::Path(base, steps) => write_path(base, steps, out),
        Kind::Function(call) => {
            out.push_str(&call.name);
            write_arguments(&call.arguments, out);
        }
    }
}

fn begins_with_call(text: &str) -> bool {
    let rest = text.trim_start_matches(is_name_part);
    rest.len() < text.len() && rest.trim_start().starts_with('(')
}

fn write_in_parentheses(needed: bool, text: &str, out: &mut String) {
    if needed {
        out.push('(');
    }
    out.push_str(text);
    if needed {
        out.push(')');
    }
}

fn write_unary(operator: &str, operand: &Node, out: &mut String) {
    out.push_str(operator);
    write_node(operand, Level::Unary, out);
}

fn write_joined(nodes: &[Node], between: &str, level: Level, out: &mut String) {
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        write_node(node, level, out);
    }
}

fn write_path(base: &Node, steps: &[Step], out: &mut String) {
    write_node(base, Level::Primary, out);
    // A point right behind a whole number would make it a double.
    if matches!(base.kind, Kind::Literal(Value::Int(_))) {
        out.push(' ');
    }
    for step in steps {
        match &step.access {
            Access::Member(name) => {
                out.push('.');
                out.push_str(name);
            }
            Access::Index(index) => {
                out.push('[');
                write_node(index, Level::Choice, out);
                out.push(']');
            }
            Access::Call(name, arguments) => {
                out.push('.');
                out.push_str(name);
                write_arguments(arguments, out);
            }
            Access::CallIndex(index, arguments) => {
                out.push('[');
                write_node(index, Level::Choice, out);
                out.push(']');
                write_arguments(arguments, out);
            }
        }
    }
}

fn write_arguments(arguments: &[Node], out: &mut String) {
    out.push('(');
    write_joined(arguments, ", ", Level::Choice, out);
    out.push(')');
}

fn write_literal(value: &Value, out: &mut String) {
    match value {
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => {
            let _ = write!(out, "{number}");
        }
        Value::Double(number) if number.is_infinite() => out.push_str("1e999"),
        Value::Double(number) => {
            let _ = write!(out, "{number:?}");
        }
        Value::Text(text) => {
            out.push('\'');
            out.push_str(&text.replace('\\', "\\\\").replace('\'', "\\'"));
            out.push('\'');
        }
        // The parser makes no other literals.
        _ => out.push_str("null"),
    }
}
