//! Values as texts, as Groovy prints them.

use crate::decimal::{java_double, java_float};
use crate::methods::date::java_date;
use crate::value::{Range, Val};

use super::machine::{Machine, Thrown};

impl Machine<'_> {
    pub(crate) fn show(&mut self, value: &Val, at: u32) -> Thrown<String> {
        let mut out = String::new();
        self.show_into(value, &mut out, at)?;
        Ok(out)
    }

    pub(crate) fn show_into(&mut self, value: &Val, out: &mut String, at: u32) -> Thrown<()> {
        let before = out.len();
        self.write(value, out, at)?;
        self.steps(1 + (out.len() - before) / 64, at)
    }

    fn write(&mut self, value: &Val, out: &mut String, at: u32) -> Thrown<()> {
        // Shared parts can be written out far longer than they are in memory.
        if out.len() > self.options.budget.bytes_max {
            return self.bytes(usize::MAX, at);
        }
        match value {
            Val::Null => out.push_str("null"),
            Val::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Val::Int(number) => out.push_str(&number.to_string()),
            Val::Long(number) => out.push_str(&number.to_string()),
            Val::BigInt(number) => out.push_str(&number.to_string()),
            Val::Dec(number) => out.push_str(&number.to_string()),
            Val::Double(number) => out.push_str(&java_double(*number)),
            Val::Float(number) => out.push_str(&java_float(*number)),
            Val::Char(c) => out.push(*c),
            Val::Text(text) | Val::GString(text) => out.push_str(text),
            Val::List(_) | Val::Array(..) | Val::Set(_) => self.write_list(value, out, at)?,
            Val::Map(id) => self.write_map(*id, out, at)?,
            Val::Pair(id) => {
                let (key, value) = self.heap.pairs[*id as usize].clone();
                self.deeper(at, |m| {
                    m.write(&key, out, at)?;
                    out.push('=');
                    m.write(&value, out, at)
                })?;
            }
            Val::Range(range) => write_range(range, out),
            Val::Class(class) => {
                out.push_str("class ");
                out.push_str(class.name());
            }
            Val::Date(ms) => out.push_str(&java_date(*ms)),
            Val::Builder(id) => out.push_str(&self.heap.builders[*id as usize]),
            Val::Pattern(pattern) => out.push_str(&pattern.source),
            Val::Error(id) => {
                let error = &self.heap.errors[*id as usize];
                out.push_str(error.class.name());
                if let Some(message) = &error.message {
                    out.push_str(": ");
                    out.push_str(message);
                }
            }
            Val::Rounding(mode) => out.push_str(crate::methods::rounding_name(*mode)),
            other => {
                let name = self.class_name(other);
                out.push_str(&name);
            }
        }
        Ok(())
    }

    fn write_list(&mut self, value: &Val, out: &mut String, at: u32) -> Thrown<()> {
        let items = self.items(value, at)?.unwrap_or_default();
        out.push('[');
        self.deeper(at, |m| {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                m.step(at)?;
                m.write(item, out, at)?;
            }
            Ok(())
        })?;
        out.push(']');
        Ok(())
    }

    fn write_map(&mut self, id: u32, out: &mut String, at: u32) -> Thrown<()> {
        let entries = self.heap.maps[id as usize].entries.clone();
        self.steps(entries.len(), at)?;
        if entries.is_empty() {
            out.push_str("[:]");
            return Ok(());
        }
        out.push('[');
        self.deeper(at, |m| {
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                m.step(at)?;
                m.write(key, out, at)?;
                out.push(':');
                m.write(value, out, at)?;
            }
            Ok(())
        })?;
        out.push(']');
        Ok(())
    }
}

fn write_range(range: &Range, out: &mut String) {
    let operator = |open_start: bool, open_end: bool| match (open_start, open_end) {
        (false, false) => "..",
        (false, true) => "..<",
        (true, false) => "<..",
        (true, true) => "<..<",
    };
    match range {
        Range::Int { from, to, open_start, open_end } => {
            out.push_str(&format!("{from}{}{to}", operator(*open_start, *open_end)));
        }
        Range::Chars { from, to, open_start, open_end } => {
            out.push_str(&format!("{from}{}{to}", operator(*open_start, *open_end)));
        }
    }
}
