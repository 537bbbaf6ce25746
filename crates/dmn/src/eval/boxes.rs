//! One boxed expression of each kind.

use std::sync::Arc;

use orloj_types::Value;

use crate::boxed::{Boxed, Column, Entry, IteratorKind, Kind};
use crate::eval::conform::list_of;
use crate::eval::evaluator::Evaluator;
use crate::eval::frame::{Frame, Locals};
use crate::eval::function::ModelFunction;

impl Evaluator<'_, '_> {
    pub(super) fn kind(&self, boxed: &Boxed, frame: &Frame<'_>) -> Value {
        match &boxed.kind {
            Kind::Literal(formula) => self.formula(formula, frame),
            Kind::Table(table) => self.table(table, frame),
            Kind::Context { entries, result } => self.context(entries, result.as_deref(), frame),
            Kind::Relation { columns, rows } => self.relation(columns, rows, frame),
            Kind::List(items) => {
                Value::list(items.iter().map(|item| self.boxed(item, frame)).collect())
            }
            Kind::Function(function) => {
                if !self.spend(frame.size()) {
                    return Value::Null;
                }
                ModelFunction::closure(self, function, frame.captured())
            }
            Kind::Invocation { callee, bindings } => {
                self.invocation(boxed, callee, bindings, frame)
            }
            Kind::Conditional { condition, then, otherwise } => {
                match self.boxed(condition, frame) {
                    Value::Bool(true) => self.boxed(then, frame),
                    Value::Bool(false) | Value::Null => self.boxed(otherwise, frame),
                    other => {
                        let message =
                            format!("the condition is a {}, not a boolean", other.type_name());
                        self.error(condition.position, "condition-not-boolean", message);
                        Value::Null
                    }
                }
            }
            Kind::Filter { list, matches } => self.filter(list, matches, frame),
            Kind::Iterator { kind, variable, has_partial, list, body } => {
                let copies = has_partial.then_some("partial");
                self.iterate(*kind, (variable, copies), list, body, frame)
            }
            Kind::Missing => Value::Null,
        }
    }

    fn context(&self, entries: &[Entry], result: Option<&Boxed>, frame: &Frame<'_>) -> Value {
        let mut locals = Locals::new();
        for entry in entries {
            let value = self.boxed(&entry.value, &Frame::within(&locals, frame));
            let what = || format!("the entry \"{}\"", entry.name);
            let value = match &entry.ty {
                Some(ty) => self.checked(value, Some(ty), entry.value.position, &what()),
                None => value,
            };
            locals.insert(entry.name.clone(), value);
        }
        match result {
            Some(result) => self.boxed(result, &Frame::within(&locals, frame)),
            None => Value::Map(Arc::new(locals)),
        }
    }

    fn relation(&self, columns: &[Column], rows: &[Vec<Boxed>], frame: &Frame<'_>) -> Value {
        let row = |cells: &Vec<Boxed>| {
            let cells = columns.iter().zip(cells).map(|(column, cell)| {
                let value = self.boxed(cell, frame);
                let value = self.checked(value, column.ty.as_ref(), cell.position, "the cell");
                (column.name.clone(), value)
            });
            Value::Map(Arc::new(cells.collect()))
        };
        Value::list(rows.iter().map(row).collect())
    }

    fn invocation(
        &self,
        boxed: &Boxed,
        callee: &Boxed,
        bindings: &[Entry],
        frame: &Frame<'_>,
    ) -> Value {
        let function = self.boxed(callee, frame);
        let Value::Function(function) = function else {
            let message = format!("a {} cannot be invoked", function.type_name());
            self.error(boxed.position, "not-a-function", message);
            return Value::Null;
        };
        let mut arguments = Vec::with_capacity(bindings.len());
        for binding in bindings {
            let value = self.boxed(&binding.value, frame);
            let position = binding.value.position;
            let value = self.checked(value, binding.ty.as_ref(), position, "the argument");
            arguments.push((binding.name.clone(), value));
        }
        self.call_named(&function, arguments, boxed.position)
    }

    fn filter(&self, list: &Boxed, matches: &Boxed, frame: &Frame<'_>) -> Value {
        let items = match self.boxed(list, frame) {
            Value::Null => return Value::Null,
            value => list_of(value),
        };
        let mut kept = Vec::new();
        for item in items.iter() {
            let mut locals = Locals::new();
            if let Value::Map(entries) = item {
                locals.extend(entries.iter().map(|(name, value)| (name.clone(), value.clone())));
            }
            // An entry that is itself named so hides the whole, as in FEEL.
            locals.entry("item".into()).or_insert_with(|| item.clone());
            match self.boxed(matches, &Frame::within(&locals, frame)) {
                Value::Bool(true) => kept.push(item.clone()),
                Value::Bool(false) | Value::Null => {}
                Value::Int(index) => return at(&items, index),
                other => {
                    let message = format!("the match is a {}, not a boolean", other.type_name());
                    self.error(matches.position, "match-not-boolean", message);
                    return Value::Null;
                }
            }
        }
        Value::list(kept)
    }

    fn iterate(
        &self,
        kind: IteratorKind,
        (variable, partial): (&Arc<str>, Option<&str>),
        list: &Boxed,
        body: &Boxed,
        frame: &Frame<'_>,
    ) -> Value {
        let items = match self.boxed(list, frame) {
            Value::Null => return Value::Null,
            range @ Value::Range(_) => {
                let locals = Locals::from([("list".into(), range)]);
                match self.formula(&self.graph().operations.items, &Frame::root(&locals, None)) {
                    Value::List(items) => items,
                    _ => return Value::Null,
                }
            }
            value => list_of(value),
        };
        let mut results = Vec::new();
        let mut is_unknown = false;
        for item in items.iter() {
            let mut locals = Locals::from([(variable.clone(), item.clone())]);
            if let Some(partial) = partial {
                if !self.spend(results.len()) {
                    return Value::Null;
                }
                locals.insert(partial.into(), Value::list(results.clone()));
            }
            let value = self.boxed(body, &Frame::within(&locals, frame));
            match (kind, &value) {
                (IteratorKind::For, _) => results.push(value),
                (IteratorKind::Some, Value::Bool(true)) => return Value::Bool(true),
                (IteratorKind::Every, Value::Bool(false)) => return Value::Bool(false),
                (_, Value::Bool(_)) => {}
                (_, Value::Null) => is_unknown = true,
                (_, other) => {
                    let message = format!("the body is a {}, not a boolean", other.type_name());
                    self.error(body.position, "satisfies-not-boolean", message);
                    return Value::Null;
                }
            }
        }
        match kind {
            IteratorKind::For => Value::list(results),
            _ if is_unknown => Value::Null,
            IteratorKind::Some => Value::Bool(false),
            IteratorKind::Every => Value::Bool(true),
        }
    }
}

/// From 1, or from the end when negative.
fn at(items: &[Value], index: i64) -> Value {
    let position = match index {
        0 => None,
        1.. => usize::try_from(index - 1).ok(),
        _ => usize::try_from(index.unsigned_abs()).ok().and_then(|n| items.len().checked_sub(n)),
    };
    position.and_then(|position| items.get(position)).cloned().unwrap_or_default()
}
