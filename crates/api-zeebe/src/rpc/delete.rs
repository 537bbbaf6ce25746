//! What was deployed and is not to be used any more.

use orloj::Error;
use orloj_types::DefinitionKey;
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::Intent;

/// Decisions, forms and what jobs are linked to are found no more, and versions before them take
/// their place. Of a process no instance is started any more; those that run go on to their end, and the version
/// before takes its start events back. History goes when its time comes, as it does without
/// `deleteHistory`, so no batch is named.
pub(crate) async fn delete_resource(
    gateway: &Gateway,
    request: DeleteResourceRequest,
) -> Result<DeleteResourceResponse, Status> {
    gateway.is_open()?;
    let key = request.resource_key;
    let definitions = gateway.orloj.definitions();
    let delete = async {
        match definitions.delete(DefinitionKey::new(key)).await {
            Err(Error::Missing(_)) => gateway.orloj.delete_file(key).await,
            deleted => deleted,
        }
    };
    gateway.command(Intent::Delete, delete).await?;
    Ok(DeleteResourceResponse {
        resource_key: request.resource_key.to_string(),
        batch_operation: None,
    })
}
