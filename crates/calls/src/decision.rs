//! Decisions: evaluated, and their results put into variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_dmn::{Environment, Evaluation, HitPolicy, MapDecisionResult, Model};
use orloj_interpreter::{DecisionCall, Invoke, InvokeResult};
use orloj_model::{DecisionResult, RulesShape};
use orloj_types::{Document, Value};

/// How much an answer took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionEffort {
    /// The decision and those that it needed.
    pub decisions: u64,
    /// See [`Evaluation::elements`].
    pub elements: u64,
}

impl DecisionEffort {
    pub fn of(evaluation: &Evaluation) -> Self {
        Self { decisions: evaluation.decisions.len() as u64, elements: evaluation.elements() }
    }
}

pub fn answer(model: &Model, call: &DecisionCall, invoke: &Invoke) -> InvokeResult {
    answer_with_effort(model, call, invoke).0
}

pub fn answer_with_effort(
    model: &Model,
    call: &DecisionCall,
    invoke: &Invoke,
) -> (InvokeResult, DecisionEffort) {
    let environment = Environment::new(invoke.now);
    let evaluation = model.evaluate(&call.decision, &invoke.variables, &environment);
    let result = match variables_of(&evaluation, call) {
        Ok(variables) => InvokeResult::Done { variables },
        Err(message) => InvokeResult::Failed { message: message.into() },
    };
    (result, DecisionEffort::of(&evaluation))
}

fn variables_of(evaluation: &Evaluation, call: &DecisionCall) -> Result<Document, String> {
    let decision = &call.decision;
    if let Some(problem) = evaluation.failure() {
        return Err(format!("decision '{decision}' failed: {problem}"));
    }
    let mut variables = Document::new();
    match &call.result {
        DecisionResult::Value { variable } => {
            variables.insert(variable.clone(), evaluation.value.to_stored());
        }
        DecisionResult::Rules { shape, variable } => {
            let mapped = evaluation.mapped(mapping_of(*shape));
            let mapped = mapped.map_err(|error| format!("decision '{decision}': {error}"))?;
            if let Some(variable) = variable {
                variables.insert(variable.clone(), mapped.to_stored());
            }
        }
        DecisionResult::Outputs { needs_hit } => {
            let rules = evaluation.rules();
            if rules.is_empty() && *needs_hit {
                return Err(format!("no rule of decision '{decision}' matches"));
            }
            variables = outputs(evaluation, &rules, decision);
        }
    }
    Ok(variables)
}

fn outputs(
    evaluation: &Evaluation,
    rules: &[BTreeMap<Arc<str>, Value>],
    decision: &Arc<str>,
) -> Document {
    let mut variables = Document::new();
    if rules.len() > 1 || gives_many(evaluation, decision) {
        let rules = rules.iter().map(|rule| Value::Map(Arc::new(rule.clone())));
        variables.insert(decision.clone(), Value::list(rules.collect()).to_stored());
    } else if let [rule] = rules {
        for (name, value) in rule {
            variables.insert(name.clone(), value.to_stored());
        }
    }
    variables
}

/// Whether the decision itself is a table of which several rules may count.
fn gives_many(evaluation: &Evaluation, decision: &str) -> bool {
    let mut tables = evaluation.tables.iter();
    let own = tables.find(|table| *table.element_id == *decision);
    let policy = own.map(|table| table.hit_policy);
    matches!(policy, Some(HitPolicy::RuleOrder | HitPolicy::OutputOrder | HitPolicy::Collect(None)))
}

fn mapping_of(shape: RulesShape) -> MapDecisionResult {
    match shape {
        RulesShape::SingleEntry => MapDecisionResult::SingleEntry,
        RulesShape::SingleResult => MapDecisionResult::SingleResult,
        RulesShape::CollectEntries => MapDecisionResult::CollectEntries,
        RulesShape::ResultList => MapDecisionResult::ResultList,
    }
}
