//! What happens to an instance from outside of its process.

use orloj_types::{ElementInstanceKey, IncidentKey, InstanceKey};
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::Intent;
use crate::wire::read_variables;

pub(crate) async fn cancel_process_instance(
    gateway: &Gateway,
    request: CancelProcessInstanceRequest,
) -> Result<CancelProcessInstanceResponse, Status> {
    gateway.is_open()?;
    let cancel = gateway.orloj.cancel(InstanceKey::new(request.process_instance_key));
    gateway.command(Intent::Cancel, cancel).await?;
    Ok(CancelProcessInstanceResponse {})
}

pub(crate) async fn set_variables(
    gateway: &Gateway,
    request: SetVariablesRequest,
) -> Result<SetVariablesResponse, Status> {
    gateway.is_open()?;
    let variables = read_variables(&request.variables)?;
    let scope = ElementInstanceKey::new(request.element_instance_key);
    let set = gateway.orloj.set_variables(scope, variables, request.local);
    let key = gateway.command(Intent::Update, set).await?;
    Ok(SetVariablesResponse { key })
}

pub(crate) async fn resolve_incident(
    gateway: &Gateway,
    request: ResolveIncidentRequest,
) -> Result<ResolveIncidentResponse, Status> {
    gateway.is_open()?;
    let resolve = gateway.orloj.resolve_incident(IncidentKey::new(request.incident_key));
    gateway.command(Intent::Resolve, resolve).await?;
    Ok(ResolveIncidentResponse {})
}
