//! Decisions asked by processes: found as the model binds them, evaluated, put into variables.

use std::sync::Arc;

use orloj_calls::DecisionEffort;
use orloj_dmn::Model;
use orloj_executor::{Meter, Meters};
use orloj_interpreter::{Bound, DecisionCall, Invoke, InvokeResult};
use orloj_store::{DecisionRow, DecisionVersion};
use orloj_types::DeploymentKey;

use super::delegate::storable_result;
use crate::api::Error;
use crate::decisions::Decisions;
use crate::definitions::Definitions;

/// Finds and evaluates the decision that an element asks for.
pub(crate) async fn ask(
    decisions: &Decisions,
    definitions: &Definitions,
    meters: &Meters,
    call: &DecisionCall,
    invoke: &Invoke,
) -> InvokeResult {
    match model_of(decisions, definitions, call, invoke).await {
        Ok(Some(model)) => {
            let (result, effort) = orloj_calls::answer_decision_with_effort(&model, call, invoke);
            count(meters, effort);
            storable_result(result)
        }
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
        Bound::Latest | Bound::Definition => find(DecisionVersion::Latest).await?,
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
        Bound::Latest | Bound::Definition | Bound::DeploymentOrLatest => {
            format!("no decision '{decision}' is deployed")
        }
        Bound::Deployment => format!("no decision '{decision}' was deployed with the process"),
        Bound::Version(number) => format!("decision '{decision}' has no version {number}"),
        Bound::VersionTag(tag) => format!("decision '{decision}' has no version tagged '{tag}'"),
    }
}

pub(crate) fn count(meters: &Meters, effort: DecisionEffort) {
    meters.add(Meter::ExecutedDecisionInstances, effort.decisions);
    meters.add(Meter::ExecutedDecisionElements, effort.elements);
}

/// Evaluates a decision of the model as an element asks for it.
pub fn answer(model: &Model, call: &DecisionCall, invoke: &Invoke) -> InvokeResult {
    storable_result(orloj_calls::answer_decision(model, call, invoke))
}
