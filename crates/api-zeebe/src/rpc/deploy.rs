//! Resources, by the present call and by its older form.

use orloj::store::AssetKind;
use orloj::{
    AssetView, DecisionView, DefinitionView, Deploy, Deployed, Dialect, Resource as EngineResource,
};
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
    Ok(DeployResourceResponse {
        key: deployed.key.raw(),
        deployments: deployments(&deployed),
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
    let plain_dialect = Some(Dialect::Zeebe);
    let deploy = Deploy { tenant, resources, plain_dialect, ..Deploy::default() };
    gateway.command(Intent::Create, gateway.orloj.deploy(deploy)).await
}

/// Processes, then decisions, then the files these came with, then forms.
fn deployments(deployed: &Deployed) -> Vec<Deployment> {
    let processes = deployed.definitions.iter().map(process_metadata).map(Metadata::Process);
    let decisions = deployed.decisions.iter().map(decision_metadata).map(Metadata::Decision);
    let mut files: Vec<&DecisionView> = Vec::new();
    for decision in &deployed.decisions {
        if files.iter().all(|known| known.requirements.key != decision.requirements.key) {
            files.push(decision);
        }
    }
    let files = files.into_iter().map(requirements_metadata).map(Metadata::DecisionRequirements);
    // Only forms of what elements refer to have a place in the answer.
    let forms = deployed.assets.iter().filter(|asset| asset.kind == AssetKind::Form);
    let forms = forms.map(form_metadata).map(Metadata::Form);
    let all = processes.chain(decisions).chain(files).chain(forms);
    all.map(|metadata| Deployment { metadata: Some(metadata) }).collect()
}

fn decision_metadata(decision: &DecisionView) -> DecisionMetadata {
    DecisionMetadata {
        dmn_decision_id: decision.decision_id.as_ref().to_owned(),
        dmn_decision_name: decision.name.as_ref().to_owned(),
        version: decision.version,
        decision_key: decision.key.0,
        dmn_decision_requirements_id: decision.requirements.id.as_ref().to_owned(),
        decision_requirements_key: decision.requirements.key.0,
        tenant_id: tenant_shown(&decision.tenant),
    }
}

fn requirements_metadata(decision: &DecisionView) -> DecisionRequirementsMetadata {
    let requirements = &decision.requirements;
    DecisionRequirementsMetadata {
        dmn_decision_requirements_id: requirements.id.as_ref().to_owned(),
        dmn_decision_requirements_name: requirements.name.as_ref().to_owned(),
        version: requirements.version,
        decision_requirements_key: requirements.key.0,
        resource_name: decision.resource_name.as_ref().to_owned(),
        tenant_id: tenant_shown(&decision.tenant),
    }
}

fn form_metadata(form: &AssetView) -> FormMetadata {
    FormMetadata {
        form_id: form.asset_id.as_ref().to_owned(),
        version: form.version,
        form_key: form.key.0,
        resource_name: form.resource_name.as_ref().to_owned(),
        tenant_id: tenant_shown(&form.tenant),
    }
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
