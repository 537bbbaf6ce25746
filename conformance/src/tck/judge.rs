//! One case against one model.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_dmn::{Environment, Evaluation, Model};
use orloj_types::{Timestamp, Value};

use super::case::{Case, Expectation, Invocable};
use super::compare::is_same;

#[derive(Clone, Debug)]
pub enum Verdict {
    Passed,
    Failed(Vec<String>),
}

pub fn judge(model: &Model, case: &Case, now: Timestamp) -> Verdict {
    if let Some(flaw) = &case.flaw {
        return Verdict::Failed(vec![flaw.clone()]);
    }
    let variables: BTreeMap<Arc<str>, Value> =
        case.inputs.iter().map(|(name, value)| (name.as_str().into(), value.clone())).collect();
    let environment = Environment::new(now);
    let mut failures = Vec::new();
    for expected in &case.results {
        let (evaluation, value) = match &case.invocable {
            Invocable::Decisions => {
                let evaluation = model.evaluate(&expected.name, &variables, &environment);
                let value = evaluation.value.clone();
                (evaluation, value)
            }
            Invocable::Named(name) => {
                let evaluation = model.evaluate(name, &variables, &environment);
                let value = output(&evaluation.value, &expected.name);
                (evaluation, value)
            }
        };
        let wanted = if expected.is_error { &Value::Null } else { &expected.value };
        if !is_same(wanted, &value) {
            failures.push(describe(expected, &value, &evaluation));
        }
    }
    if failures.is_empty() { Verdict::Passed } else { Verdict::Failed(failures) }
}

/// A service with several outputs gives a context of them.
fn output(value: &Value, name: &str) -> Value {
    match value {
        Value::Map(entries) => entries.get(name).unwrap_or(value).clone(),
        _ => value.clone(),
    }
}

fn describe(expected: &Expectation, value: &Value, evaluation: &Evaluation) -> String {
    let wanted = match expected.is_error {
        true => "an error".to_owned(),
        false => show(&expected.value),
    };
    let mut line = format!("{}: expected {wanted}, got {}", expected.name, show(value));
    for problem in evaluation.problems.iter().take(3) {
        line.push_str(&format!("\n      {problem}"));
    }
    line
}

fn show(value: &Value) -> String {
    const SHOWN_CHARS_MAX: usize = 300;
    let mut text = match value {
        Value::Temporal(temporal) => format!("{} {temporal}", temporal.type_name()),
        Value::Function(_) => "a function".to_owned(),
        Value::Range(_) => "a range".to_owned(),
        other => other.to_json(),
    };
    if let Some((cut, _)) = text.char_indices().nth(SHOWN_CHARS_MAX) {
        text.truncate(cut);
        text.push('…');
    }
    text
}
