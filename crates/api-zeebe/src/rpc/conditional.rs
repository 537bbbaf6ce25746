//! Start events that wait for a condition.

use orloj::{EvaluateStartConditions, Started};
use orloj_types::DefinitionKey;
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::Intent;
use crate::wire::{read_tenant, read_variables, tenant_shown};

pub(crate) async fn evaluate_conditional(
    gateway: &Gateway,
    request: EvaluateConditionalRequest,
) -> Result<EvaluateConditionalResponse, Status> {
    gateway.is_open()?;
    let tenant = read_tenant("EvaluateConditional", &request.tenant_id)?;
    let ask = EvaluateStartConditions {
        tenant: tenant.clone(),
        definition: request.process_definition_key.filter(|key| *key > 0).map(DefinitionKey::new),
        business_key: None,
        variables: read_variables(&request.variables)?,
    };
    let evaluate = gateway.orloj.evaluate_start_conditions(ask);
    let evaluated = gateway.command(Intent::Evaluate, evaluate).await?;
    Ok(EvaluateConditionalResponse {
        process_instances: evaluated.instances.iter().map(reference).collect(),
        conditional_evaluation_key: evaluated.key,
        tenant_id: tenant_shown(&tenant),
    })
}

fn reference(started: &Started) -> ProcessInstanceReference {
    ProcessInstanceReference {
        process_definition_key: started.definition.raw(),
        process_instance_key: started.instance.raw(),
    }
}
