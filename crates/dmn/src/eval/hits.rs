//! Hit policies: what the matching rules give.

use std::sync::Arc;

use orloj_types::Value;
use orloj_xml::Position;

use crate::boxed::{Aggregation, HitPolicy, Output, Table};
use crate::eval::conform::double_of;
use crate::eval::evaluator::Evaluator;
use crate::eval::frame::{Frame, Locals};
use crate::eval::table::Outcome;
use crate::evaluation::TableRecord;
use crate::feel::Formula;
use crate::graph::Shape;
use crate::options::Mode;
use crate::types::Type;

/// The outputs of a rule; an entry that is empty gives none.
type Row = Vec<Option<Value>>;

impl Evaluator<'_, '_> {
    pub(super) fn decide(
        &self,
        table: &Table,
        matched: &[usize],
        frame: &Frame<'_>,
        mut record: Option<&mut TableRecord>,
    ) -> Outcome {
        if matched.is_empty() {
            return self.nothing_matched(table, frame);
        }
        let policy = table.hit_policy;
        if policy == HitPolicy::Unique && matched.len() > 1 {
            let rules = numbers(matched);
            let message = format!("rules {rules} match, but the hit policy is UNIQUE");
            self.error(table.position, "hit-policy-violated", message);
            return Outcome::default();
        }
        let mut rows = Vec::with_capacity(matched.len());
        let mut made = Locals::new();
        for &at in matched {
            let row = self.outputs(table, at, frame, &mut made);
            if let Some(record) = &mut record
                && let Ok(place) = record.rules.binary_search_by_key(&(at + 1), |rule| rule.number)
            {
                record.rules[place].outputs = values(row.clone());
            }
            rows.push(row);
        }
        match policy {
            HitPolicy::Unique | HitPolicy::First => self.single(table, rows.swap_remove(0)),
            HitPolicy::Any => {
                let is_same = |row: &Row| self.are_equal(&rows[0], row, table.position);
                if !rows.iter().skip(1).all(is_same) {
                    let rules = numbers(matched);
                    let message = format!(
                        "rules {rules} match with different outputs, but the hit policy is ANY"
                    );
                    self.error(table.position, "hit-policy-violated", message);
                    return Outcome::default();
                }
                self.single(table, rows.swap_remove(0))
            }
            HitPolicy::Priority => {
                self.sort_by_priority(table, &mut rows, frame);
                self.single(table, rows.swap_remove(0))
            }
            HitPolicy::OutputOrder => {
                self.sort_by_priority(table, &mut rows, frame);
                self.several(table, rows)
            }
            HitPolicy::RuleOrder | HitPolicy::Collect(None) => self.several(table, rows),
            HitPolicy::Collect(Some(aggregation)) => self.aggregated(table, aggregation, &rows),
        }
    }

    /// In Flowable each sees those that were `made` before it.
    fn outputs(&self, table: &Table, at: usize, frame: &Frame<'_>, made: &mut Locals) -> Row {
        let keeps = self.graph().mode == Mode::Flowable;
        let entries = table.outputs.iter().zip(&table.rules[at].outputs);
        let mut row = Row::with_capacity(table.outputs.len());
        for (output, formula) in entries {
            let value = formula.as_ref().map(|formula| match keeps {
                true => self.output(output, formula, &Frame::within(made, frame)),
                false => self.output(output, formula, frame),
            });
            if let (true, Some(value)) = (keeps, &value) {
                made.insert(output_name(output), value.clone());
            }
            row.push(value);
        }
        row
    }

    fn output(&self, output: &Output, formula: &Formula, frame: &Frame<'_>) -> Value {
        let value = self.formula(formula, frame);
        let position = formula.position();
        let value = self.checked(value, output.ty.as_ref(), position, "the output");
        let is_allowed = value.is_null()
            || self.graph().mode != Mode::Standard
            || output.allowed.as_ref().is_none_or(|tests| self.passes(tests, &value));
        if is_allowed {
            return value;
        }
        self.error(position, "output-not-allowed", "the output is not one of the allowed".into());
        Value::Null
    }

    fn nothing_matched(&self, table: &Table, frame: &Frame<'_>) -> Outcome {
        if table.outputs.iter().any(|output| output.default.is_some()) {
            let row = table.outputs.iter().map(|output| {
                let default = output.default.as_ref()?;
                Some(self.output(output, default, frame))
            });
            let row: Row = row.collect();
            return match table.hit_policy {
                HitPolicy::RuleOrder | HitPolicy::OutputOrder | HitPolicy::Collect(None) => {
                    self.several(table, vec![row])
                }
                _ => self.single(table, row),
            };
        }
        let value = match (self.graph().mode, table.hit_policy) {
            (Mode::Standard, HitPolicy::Collect(None)) => Value::list(Vec::new()),
            (Mode::Camunda8, _) => Value::Null,
            (_, HitPolicy::Collect(Some(Aggregation::Count))) => {
                return self.counted(table, 0);
            }
            (Mode::Standard, _) => {
                let message = "no rule matches and there is no default output".into();
                self.warn(table.position, "no-rule-matches", message);
                Value::Null
            }
            _ => Value::Null,
        };
        Outcome { value, rows: Vec::new() }
    }

    fn single(&self, table: &Table, row: Row) -> Outcome {
        let rows = vec![self.named(table, &row)];
        Outcome { value: composed(table, row), rows }
    }

    fn several(&self, table: &Table, rows: Vec<Row>) -> Outcome {
        let named = rows.iter().map(|row| self.named(table, row)).collect();
        let values = rows.into_iter().map(|row| composed(table, row)).collect();
        Outcome { value: Value::list(values), rows: named }
    }

    fn aggregated(&self, table: &Table, how: Aggregation, rows: &[Row]) -> Outcome {
        if how == Aggregation::Count {
            return self.counted(table, rows.len());
        }
        if table.outputs.len() > 1 && self.graph().mode.offers_outputs() {
            let message = "outputs of several columns cannot be aggregated".into();
            self.error(table.position, "aggregation-of-several-outputs", message);
            return Outcome::default();
        }
        let column = |at: usize| {
            let values = rows.iter().map(|row| row[at].clone().unwrap_or_default()).collect();
            Some(self.aggregate_of_mode(self.aggregate(how, values, table.position)))
        };
        self.single(table, (0..table.outputs.len()).map(column).collect())
    }

    /// The number of outputs, of which each rule gives one.
    fn counted(&self, table: &Table, rules: usize) -> Outcome {
        let count = self.aggregate_of_mode(Value::Int(i64::try_from(rules).unwrap_or(i64::MAX)));
        let name = table.outputs.first().map(output_name).unwrap_or_default();
        Outcome { rows: vec![Locals::from([(name, count.clone())])], value: count }
    }

    /// Camunda 7 leaves out what a rule does not give.
    fn named(&self, table: &Table, row: &Row) -> Locals {
        let leaves_out = self.graph().mode.offers_outputs();
        let entries = table.outputs.iter().zip(row);
        let given = entries.filter(|(_, value)| value.is_some() || !leaves_out);
        given
            .map(|(output, value)| (output_name(output), value.clone().unwrap_or_default()))
            .collect()
    }

    /// Flowable counts and adds up in doubles.
    fn aggregate_of_mode(&self, value: Value) -> Value {
        match self.graph().mode {
            Mode::Flowable => double_of(&value).map_or(value, Value::Double),
            _ => value,
        }
    }

    fn aggregate(&self, how: Aggregation, values: Vec<Value>, position: Position) -> Value {
        let operations = &self.graph().operations;
        let formula = match how {
            Aggregation::Sum => &operations.sum,
            Aggregation::Min => &operations.min,
            Aggregation::Max => &operations.max,
            Aggregation::Count => unreachable!("counted without a look at the values"),
        };
        let locals = Locals::from([("list".into(), Value::list(values))]);
        formula.evaluate_at(self, &Frame::root(&locals, None), position)
    }

    fn are_equal(&self, a: &Row, b: &Row, position: Position) -> bool {
        let value = |value: &Option<Value>| value.clone().unwrap_or_default();
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| self.is_equal(&value(a), &value(b), position))
    }

    fn is_equal(&self, a: &Value, b: &Value, position: Position) -> bool {
        if a.is_null() && b.is_null() {
            return true;
        }
        let locals = Locals::from([("a".into(), a.clone()), ("b".into(), b.clone())]);
        let equal = &self.graph().operations.equal;
        let frame = Frame::root(&locals, None);
        matches!(equal.evaluate_at(self, &frame, position), Value::Bool(true))
    }

    /// The first output decides, then the second. What is not among the values of an output comes
    /// last.
    fn sort_by_priority(&self, table: &Table, rows: &mut [Row], frame: &Frame<'_>) {
        let orders: Vec<Option<Arc<Vec<Value>>>> = table
            .outputs
            .iter()
            .map(|output| {
                let order = output.order.as_ref().or_else(|| self.order_of_type(output))?;
                match self.formula(order, frame) {
                    Value::List(values) => Some(values),
                    _ => None,
                }
            })
            .collect();
        let rank = |row: &Row| -> Vec<usize> {
            row.iter()
                .zip(&orders)
                .map(|(value, order)| match order {
                    Some(order) => {
                        let is_it = |one: &Value| {
                            value.as_ref().is_some_and(|v| self.is_equal(one, v, table.position))
                        };
                        order.iter().position(is_it).unwrap_or(usize::MAX)
                    }
                    None => 0,
                })
                .collect()
        };
        rows.sort_by_cached_key(rank);
    }

    /// Where the table lists no values, those of the type count.
    fn order_of_type(&self, output: &Output) -> Option<&Formula> {
        let mut ty = output.ty.as_ref()?;
        for _ in 0..self.graph().items.len() {
            let Type::Item(index) = ty else { return None };
            let item = self.graph().item(*index);
            match (&item.order, &item.shape) {
                (Some(order), _) => return Some(order),
                (None, Shape::Of(next)) => ty = next,
                (None, _) => return None,
            }
        }
        None
    }
}

/// A table with one output gives its value, one with several a context.
fn composed(table: &Table, mut row: Row) -> Value {
    match &table.outputs[..] {
        [_] => row.pop().flatten().unwrap_or_default(),
        outputs => {
            let names = outputs.iter().map(output_name);
            Value::Map(Arc::new(names.zip(values(row)).collect()))
        }
    }
}

fn values(row: Row) -> Vec<Value> {
    row.into_iter().map(Option::unwrap_or_default).collect()
}

pub(super) fn output_name(output: &Output) -> Arc<str> {
    let name = output.name.clone().or_else(|| output.label.clone());
    name.or_else(|| output.id.clone()).unwrap_or_default()
}

fn numbers(matched: &[usize]) -> String {
    const SHOWN_MAX: usize = 10;
    let shown: Vec<String> =
        matched.iter().take(SHOWN_MAX).map(|at| (at + 1).to_string()).collect();
    let more = if matched.len() > SHOWN_MAX { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
