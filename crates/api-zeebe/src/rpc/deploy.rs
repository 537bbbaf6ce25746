//! Resources, by the present call and by its older form.

use orloj::{DefinitionView, Deploy, Deployed, Dialect, Resource as EngineResource};
use orloj_types::TenantId;
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::deployment::Metadata;
use crate::proto::*;
use crate::status::{self, Intent, Refusal};
use crate::wire::{read_tenant, tenant_shown};

pub(crate) async fn deploy_resource(
    gateway: &Gateway,
    request: DeployResourceRequest,
) -> Result<DeployResourceResponse, Status> {
    let tenant = read_tenant("DeployResource", &request.tenant_id)?;
    let files = request.resources.into_iter().map(|file| (file.name, file.content));
    let deployed = deploy(gateway, tenant.clone(), files).await?;
    let deployments = deployed.definitions.iter().map(|definition| Deployment {
        metadata: Some(Metadata::Process(process_metadata(definition))),
    });
    Ok(DeployResourceResponse {
        key: deployed.key.raw(),
        deployments: deployments.collect(),
        tenant_id: tenant_shown(&tenant),
    })
}

pub(crate) async fn deploy_process(
    gateway: &Gateway,
    request: DeployProcessRequest,
) -> Result<DeployProcessResponse, Status> {
    let files = request.processes.into_iter().map(|file| (file.name, file.definition));
    let deployed = deploy(gateway, TenantId::none(), files).await?;
    Ok(DeployProcessResponse {
        key: deployed.key.raw(),
        processes: deployed.definitions.iter().map(process_metadata).collect(),
    })
}

async fn deploy(
    gateway: &Gateway,
    tenant: TenantId,
    files: impl Iterator<Item = (String, Vec<u8>)>,
) -> Result<Deployed, Status> {
    gateway.is_open()?;
    let resources: Vec<EngineResource> = files
        .map(|(name, content)| EngineResource { name: name.into(), content: content.into() })
        .collect();
    if resources.is_empty() {
        let reason = "at least one resource must be given";
        return Err(status::rejected(Intent::Create, Refusal::InvalidArgument, reason));
    }
    let deploy = Deploy { tenant, resources, plain_dialect: Dialect::Zeebe };
    gateway.command(Intent::Create, gateway.orloj.deploy(deploy)).await
}

fn process_metadata(definition: &DefinitionView) -> ProcessMetadata {
    ProcessMetadata {
        bpmn_process_id: definition.process_id.as_str().to_owned(),
        version: definition.version,
        process_definition_key: definition.key.raw(),
        resource_name: definition.resource_name.as_ref().to_owned(),
        tenant_id: tenant_shown(&definition.tenant),
    }
}
