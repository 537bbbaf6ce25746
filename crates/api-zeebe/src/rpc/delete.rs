//! What was deployed and is not to be used any more.

use orloj_types::DefinitionKey;
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::Intent;

/// Of a process no instance is started any more; those that run go on to their end, and the version
/// before takes its start events back. History goes when its time comes, as it does without
/// `deleteHistory`, so no batch is named.
pub(crate) async fn delete_resource(
    gateway: &Gateway,
    request: DeleteResourceRequest,
) -> Result<DeleteResourceResponse, Status> {
    gateway.is_open()?;
    let definitions = gateway.orloj.definitions();
    let delete = definitions.delete(DefinitionKey::new(request.resource_key));
    gateway.command(Intent::Delete, delete).await?;
    Ok(DeleteResourceResponse {
        resource_key: request.resource_key.to_string(),
        batch_operation: None,
    })
}
