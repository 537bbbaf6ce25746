//! Decision tables: which rules match.

use std::sync::Arc;

use orloj_expr::Scope as _;
use orloj_types::Value;

use crate::boxed::{HitPolicy, Input, Output, Rule, Table};
use crate::eval::evaluator::Evaluator;
use crate::eval::frame::{Frame, Locals};
use crate::eval::hits::output_name;
use crate::evaluation::{
    EntryRecord, InputRecord, OutputRecord, RULES_RECORDED_MAX, RuleRecord, TableRecord,
};
use crate::options::Mode;
use crate::types::Type;

/// What a table gives: its value, and the outputs of the rules that count, by name.
#[derive(Default)]
pub(crate) struct Outcome {
    pub value: Value,
    pub rows: Vec<Locals>,
}

impl Evaluator<'_, '_> {
    pub(super) fn table(&self, table: &Table, frame: &Frame<'_>) -> Value {
        self.outcome(table, frame).value
    }

    pub(super) fn outcome(&self, table: &Table, frame: &Frame<'_>) -> Outcome {
        let Some(values) = self.inputs(table, frame) else { return Outcome::default() };
        let defaults = self.defaults(table, &values, frame);
        let frame = &match &defaults {
            Some(defaults) => Frame::within(defaults, frame),
            None => *frame,
        };
        let explain = self.session.explain;
        let mut record = self.session.wants_table().then(|| self.record(table, &values));
        let cells = self.cell_scopes(table, &values);
        let mut matched = Vec::new();
        for (at, rule) in table.rules.iter().enumerate() {
            if !self.spend(1) {
                return Outcome::default();
            }
            let is_hit = rule.tests.iter().enumerate().all(|(column, tests)| {
                tests.as_ref().is_none_or(|tests| {
                    let (Some(value), Some(cell)) = (values.get(column), cells.get(column)) else {
                        return false;
                    };
                    match cell {
                        Some(locals) => tests.passes(self, value, &Frame::within(locals, frame)),
                        None => tests.passes(self, value, frame),
                    }
                })
            });
            if is_hit {
                matched.push(at);
            }
            if let Some(record) = &mut record
                && (is_hit || explain)
                && record.rules.len() < RULES_RECORDED_MAX
            {
                record.rules.push(self.explained(at, rule, is_hit, &values, &cells, frame));
            }
            if is_hit && table.hit_policy == HitPolicy::First && !explain {
                break;
            }
        }
        if table.hit_policy == HitPolicy::First {
            matched.truncate(1);
        }
        let outcome = self.decide(table, &matched, frame, record.as_mut());
        if let Some(record) = record {
            self.session.record(record);
        }
        outcome
    }

    /// The values of the inputs; nothing when one is not allowed, which makes the table null.
    fn inputs(&self, table: &Table, frame: &Frame<'_>) -> Option<Vec<Value>> {
        let mut values = Vec::with_capacity(table.inputs.len());
        for input in &table.inputs {
            if let Some(missing) = self.missing(input, frame) {
                values.push(missing);
                continue;
            }
            let value = self.formula(&input.value, frame);
            let position = input.value.position();
            let value = match &input.ty {
                Some(ty) if self.graph().mode != Mode::Flowable => {
                    let what = format!("the input \"{}\"", input.label);
                    self.checked(value, Some(ty), position, &what)
                }
                _ => value,
            };
            if !self.is_allowed(input, &value) {
                let message =
                    format!("the input \"{}\" has a value that is not allowed", input.label);
                self.error(position, "input-not-allowed", message);
                return None;
            }
            values.push(value);
        }
        Some(values)
    }

    /// Flowable takes an input that nobody gave for null, or for false if it is a boolean.
    fn missing(&self, input: &Input, frame: &Frame<'_>) -> Option<Value> {
        let name = input.name.as_ref().filter(|_| self.graph().mode == Mode::Flowable)?;
        match (frame.get(name), &input.ty) {
            (Some(_), _) => None,
            (None, Some(Type::Bool)) => Some(Value::Bool(false)),
            (None, _) => Some(Value::Null),
        }
    }

    /// What the entries of Flowable's rules see although nobody gave it: inputs, and outputs
    /// before there are any.
    fn defaults(&self, table: &Table, values: &[Value], frame: &Frame<'_>) -> Option<Locals> {
        if self.graph().mode != Mode::Flowable {
            return None;
        }
        let inputs = table.inputs.iter().zip(values);
        let inputs = inputs.filter_map(|(input, value)| Some((input.name.clone()?, value.clone())));
        let outputs = table.outputs.iter().map(|output| {
            let value = match &output.ty {
                Some(Type::Number) => Value::Double(0.0),
                Some(Type::Date) => Value::text(self.session.now.to_string()),
                _ => Value::text(""),
            };
            (output_name(output), value)
        });
        let is_missing = |name: &Arc<str>| frame.get(name).is_none_or(|value| value.is_null());
        Some(outputs.chain(inputs).filter(|(name, _)| is_missing(name)).collect())
    }

    /// Camunda's engines keep allowed values for tools alone.
    fn is_allowed(&self, input: &Input, value: &Value) -> bool {
        self.graph().mode != Mode::Standard
            || value.is_null()
            || input.allowed.as_ref().is_none_or(|tests| self.passes(tests, value))
    }

    /// What Camunda's engines let the entries of each column see besides.
    fn cell_scopes(&self, table: &Table, values: &[Value]) -> Vec<Option<Locals>> {
        let scope = |(input, value): (&Input, &Value)| {
            self.graph()
                .mode
                .sees_callers_variables()
                .then(|| Locals::from([(input.variable.clone(), value.clone())]))
        };
        table.inputs.iter().zip(values).map(scope).collect()
    }

    fn record(&self, table: &Table, values: &[Value]) -> TableRecord {
        let name = |(at, output): (usize, &Output)| OutputRecord {
            id: output.id.clone(),
            name: match output_name(output) {
                empty if empty.is_empty() => (at + 1).to_string().into(),
                name => name,
            },
        };
        TableRecord {
            element: self.node().name.clone(),
            element_id: self.node().id.clone(),
            id: table.id.clone(),
            hit_policy: table.hit_policy,
            inputs: table
                .inputs
                .iter()
                .zip(values)
                .map(|(input, value)| InputRecord {
                    id: input.id.clone(),
                    label: input.label.clone(),
                    value: value.clone(),
                })
                .collect(),
            outputs: table.outputs.iter().enumerate().map(name).collect(),
            rules: Vec::new(),
            rules_total: table.rules.len(),
        }
    }

    fn explained(
        &self,
        at: usize,
        rule: &Rule,
        matched: bool,
        values: &[Value],
        cells: &[Option<Locals>],
        frame: &Frame<'_>,
    ) -> RuleRecord {
        let entry = |(column, tests): (usize, &Option<crate::feel::Tests>)| {
            let anything: Arc<str> = "-".into();
            let Some(tests) = tests else { return EntryRecord { text: anything, passes: true } };
            let passes = matched
                || match (values.get(column), cells.get(column)) {
                    (Some(value), Some(Some(locals))) => {
                        tests.passes(self, value, &Frame::within(locals, frame))
                    }
                    (Some(value), _) => tests.passes(self, value, frame),
                    (None, _) => false,
                };
            EntryRecord { text: tests.text(), passes }
        };
        RuleRecord {
            number: at + 1,
            id: rule.id.clone(),
            annotations: rule.annotations.clone(),
            matched,
            entries: rule.tests.iter().enumerate().map(entry).collect(),
            outputs: Vec::new(),
        }
    }
}
