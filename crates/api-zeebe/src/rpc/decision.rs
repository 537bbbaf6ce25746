//! Decisions asked by clients.

use std::sync::Arc;

use orloj::store::DecisionKey;
use orloj::{DecisionMade, DecisionStep, EvaluateDecision, LogicKind, TableRecord, WhichDecision};
use orloj_types::Value;
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::{self, Intent, Refusal};
use crate::wire::{read_tenant, read_variables, tenant_shown};

pub(crate) async fn evaluate_decision(
    gateway: &Gateway,
    request: EvaluateDecisionRequest,
) -> Result<EvaluateDecisionResponse, Status> {
    gateway.is_open()?;
    let which = match (request.decision_key, request.decision_id) {
        (key, id) if key <= 0 && id.is_empty() => {
            let reason = "either a decision id or a decision key must be given";
            return Err(status::rejected(Intent::Evaluate, Refusal::InvalidArgument, reason));
        }
        (key, _) if key > 0 => WhichDecision::Key(DecisionKey(key)),
        (_, id) => WhichDecision::Latest(id.into()),
    };
    let ask = EvaluateDecision {
        which,
        tenant: read_tenant("EvaluateDecision", &request.tenant_id)?,
        variables: read_variables(&request.variables)?,
    };
    let evaluate = gateway.orloj.evaluate_decision(ask);
    gateway.command(Intent::Evaluate, evaluate).await.map(answer)
}

#[expect(deprecated, reason = "older clients read the key from its older field")]
fn answer(made: DecisionMade) -> EvaluateDecisionResponse {
    let decision = &made.decision;
    let evaluated_decisions = evaluated(&made);
    let (output, failed_id, failure) = match made.result {
        Ok(value) => (value.to_json(), String::new(), String::new()),
        Err(failure) => (String::new(), failure.decision_id.as_ref().to_owned(), failure.message),
    };
    EvaluateDecisionResponse {
        decision_key: decision.key.0,
        decision_id: decision.decision_id.as_ref().to_owned(),
        decision_name: decision.name.as_ref().to_owned(),
        decision_version: decision.version,
        decision_requirements_id: decision.requirements.id.as_ref().to_owned(),
        decision_requirements_key: decision.requirements.key.0,
        decision_output: output,
        evaluated_decisions,
        failed_decision_id: failed_id,
        failure_message: failure,
        tenant_id: tenant_shown(&decision.tenant),
        decision_instance_key: made.key,
        decision_evaluation_key: made.key,
    }
}

fn evaluated(made: &DecisionMade) -> Vec<EvaluatedDecision> {
    let shown = |(number, step): (usize, &DecisionStep)| EvaluatedDecision {
        decision_key: step.decision.key.0,
        decision_id: step.decision.decision_id.as_ref().to_owned(),
        decision_name: step.decision.name.as_ref().to_owned(),
        decision_version: step.decision.version,
        decision_type: logic_name(step.logic).to_owned(),
        decision_output: step.value.to_json(),
        matched_rules: step.table.as_ref().map(matched_rules).unwrap_or_default(),
        evaluated_inputs: step.table.as_ref().map(inputs).unwrap_or_default(),
        tenant_id: tenant_shown(&step.decision.tenant),
        decision_evaluation_instance_key: format!("{}-{number}", made.key),
    };
    (1..).zip(&made.steps).map(shown).collect()
}

fn matched_rules(table: &TableRecord) -> Vec<MatchedDecisionRule> {
    let outputs = |values: &[Value]| {
        let pairs = values.iter().zip(&table.outputs);
        let shown = pairs.map(|(value, output)| EvaluatedDecisionOutput {
            output_id: text(output.id.as_ref()),
            output_name: output.name.as_ref().to_owned(),
            output_value: value.to_json(),
        });
        shown.collect()
    };
    let matched = table.rules.iter().filter(|rule| rule.matched);
    let shown = matched.map(|rule| MatchedDecisionRule {
        rule_id: text(rule.id.as_ref()),
        rule_index: i32::try_from(rule.number).unwrap_or(i32::MAX),
        evaluated_outputs: outputs(&rule.outputs),
    });
    shown.collect()
}

fn inputs(table: &TableRecord) -> Vec<EvaluatedDecisionInput> {
    let shown = table.inputs.iter().map(|input| EvaluatedDecisionInput {
        input_id: text(input.id.as_ref()),
        input_name: input.label.as_ref().to_owned(),
        input_value: input.value.to_json(),
    });
    shown.collect()
}

fn text(text: Option<&Arc<str>>) -> String {
    text.map(|text| text.as_ref().to_owned()).unwrap_or_default()
}

/// The protocol's word for what a decision is made of.
fn logic_name(logic: LogicKind) -> &'static str {
    match logic {
        LogicKind::Table => "DECISION_TABLE",
        LogicKind::Literal => "LITERAL_EXPRESSION",
        LogicKind::Context => "CONTEXT",
        LogicKind::Relation => "RELATION",
        LogicKind::List => "LIST",
        LogicKind::Invocation => "INVOCATION",
        _ => "UNKNOWN",
    }
}
