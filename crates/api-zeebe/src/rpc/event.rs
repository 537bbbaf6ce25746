//! What is told to all instances: messages and signals.

use orloj::{BroadcastSignal, PublishMessage};
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::{self, Intent};
use crate::wire::{read_tenant, read_variables, tenant_shown};

pub(crate) async fn publish_message(
    gateway: &Gateway,
    request: PublishMessageRequest,
) -> Result<PublishMessageResponse, Status> {
    gateway.is_open()?;
    if request.business_id.is_some_and(|id| !id.is_empty()) {
        return Err(status::not_yet("a message for a business id"));
    }
    let tenant = read_tenant("PublishMessage", &request.tenant_id)?;
    let message = PublishMessage {
        name: request.name.into(),
        correlation_key: request.correlation_key.into(),
        // Zeebe takes a message that has expired already for one that does not wait.
        time_to_live_ms: request.time_to_live.max(0),
        message_id: Some(request.message_id).filter(|id| !id.is_empty()).map(Into::into),
        variables: read_variables(&request.variables)?,
        tenant: tenant.clone(),
    };
    let key = gateway.command(Intent::Publish, gateway.orloj.publish_message(message)).await?;
    Ok(PublishMessageResponse { key, tenant_id: tenant_shown(&tenant) })
}

pub(crate) async fn broadcast_signal(
    gateway: &Gateway,
    request: BroadcastSignalRequest,
) -> Result<BroadcastSignalResponse, Status> {
    gateway.is_open()?;
    let tenant = read_tenant("BroadcastSignal", &request.tenant_id)?;
    let signal = BroadcastSignal {
        name: request.signal_name.into(),
        variables: read_variables(&request.variables)?,
        tenant: tenant.clone(),
    };
    let key = gateway.command(Intent::Broadcast, gateway.orloj.broadcast_signal(signal)).await?;
    Ok(BroadcastSignalResponse { key, tenant_id: tenant_shown(&tenant) })
}
