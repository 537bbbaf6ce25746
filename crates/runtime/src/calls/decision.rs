//! Decisions asked by processes: found as the model binds them, evaluated, put into variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_dmn::{Environment, Evaluation, HitPolicy, MapDecisionResult, Model};
use orloj_interpreter::{Bound, DecisionCall, Invoke, InvokeResult};
use orloj_model::{DecisionResult, RulesShape};
use orloj_store::{DecisionRow, DecisionVersion};
use orloj_types::{DeploymentKey, Document, Value};

use super::delegate::invoke_result;
use crate::api::{DelegateResult, Error, Fault};
use crate::decisions::Decisions;
use crate::definitions::Definitions;

/// Finds and evaluates the decision that an element asks for.
pub(crate) async fn ask(
    decisions: &Decisions,
    definitions: &Definitions,
    call: &DecisionCall,
    invoke: &Invoke,
) -> InvokeResult {
    match model_of(decisions, definitions, call, invoke).await {
        Ok(Some(model)) => answer(&model, call, invoke),
        Ok(None) => InvokeResult::NotFound { message: missing(call).into() },
        Err(error) => InvokeResult::Failed { message: error.to_string().into() },
    }
}

async fn model_of(
    decisions: &Decisions,
    definitions: &Definitions,
    call: &DecisionCall,
    invoke: &Invoke,
) -> Result<Option<Model>, Error> {
    let find = |version| decisions.find(&call.decision, &invoke.tenant, version);
    let deployed_with = async || -> Result<DeploymentKey, Error> {
        Ok(definitions.get(invoke.definition).await?.deployment)
    };
    let row: Option<Arc<DecisionRow>> = match &call.binding {
        Bound::Latest => find(DecisionVersion::Latest).await?,
        Bound::Deployment => find(DecisionVersion::Deployment(deployed_with().await?)).await?,
        Bound::DeploymentOrLatest => {
            match find(DecisionVersion::Deployment(deployed_with().await?)).await? {
                Some(row) => Some(row),
                None => find(DecisionVersion::Latest).await?,
            }
        }
        Bound::Version(number) => find(DecisionVersion::Number(*number)).await?,
        Bound::VersionTag(tag) => find(DecisionVersion::Tag(tag.clone())).await?,
    };
    match row {
        Some(row) => decisions.model(&row).await.map(Some),
        None => Ok(None),
    }
}

fn missing(call: &DecisionCall) -> String {
    let decision = &call.decision;
    match &call.binding {
        Bound::Latest | Bound::DeploymentOrLatest => {
            format!("no decision '{decision}' is deployed")
        }
        Bound::Deployment => format!("no decision '{decision}' was deployed with the process"),
        Bound::Version(number) => format!("decision '{decision}' has no version {number}"),
        Bound::VersionTag(tag) => format!("decision '{decision}' has no version tagged '{tag}'"),
    }
}

/// Evaluates a decision of the model as an element asks for it.
pub fn answer(model: &Model, call: &DecisionCall, invoke: &Invoke) -> InvokeResult {
    let environment = Environment::new(invoke.now);
    let evaluation = model.evaluate(&call.decision, &invoke.variables, &environment);
    invoke_result(variables_of(&evaluation, call))
}

fn variables_of(evaluation: &Evaluation, call: &DecisionCall) -> DelegateResult {
    if let Some(problem) = evaluation.failure() {
        let message = format!("decision '{}' failed: {problem}", call.decision);
        return Err(Fault::Failed(message));
    }
    let mut variables = Document::new();
    match &call.result {
        DecisionResult::Value { variable } => {
            variables.insert(variable.clone(), evaluation.value.to_stored());
        }
        DecisionResult::Rules { shape, variable } => {
            let mapped = evaluation
                .mapped(mapping_of(*shape))
                .map_err(|error| Fault::Failed(format!("decision '{}': {error}", call.decision)))?;
            if let Some(variable) = variable {
                variables.insert(variable.clone(), mapped.to_stored());
            }
        }
        DecisionResult::Outputs { needs_hit } => {
            let rules = evaluation.rules();
            if rules.is_empty() && *needs_hit {
                let message = format!("no rule of decision '{}' matches", call.decision);
                return Err(Fault::Failed(message));
            }
            variables = outputs(evaluation, &rules, &call.decision);
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

/// Whether the decision itself, not one that it requires, is a table of which several rules may
/// count.
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
