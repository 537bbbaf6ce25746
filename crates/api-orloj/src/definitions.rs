//! `/api/definitions` and `/api/deployments`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use orloj::types::DefinitionKey;
use orloj::{DecisionView, DefinitionView, Deploy, Orloj, Resource};
use serde::{Deserialize, Serialize};

use crate::extract::{Params, PathKey, RawBody};
use crate::failure::Failure;
use crate::instances::tenant;
use crate::page::{Listing, listing, page};
use crate::wire::{Key, Time};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    before: Option<i64>,
    limit: Option<u32>,
}

pub async fn list(
    State(orloj): State<Orloj>,
    Params(params): Params<ListParams>,
) -> Result<Json<Listing<Definition>>, Failure> {
    let page = page(params.before, params.limit)?;
    let rows = orloj.definitions(page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

/// The file a definition came from, byte for byte.
pub async fn xml(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<impl IntoResponse, Failure> {
    let content = orloj.resource(DefinitionKey::new(key)).await?;
    // A model may embed XHTML; a browser that opens it here must not run what is inside.
    let headers =
        [(header::CONTENT_TYPE, "application/xml"), (header::CONTENT_SECURITY_POLICY, "sandbox")];
    Ok((headers, content.to_vec()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeployParams {
    name: String,
}

pub async fn deploy(
    State(orloj): State<Orloj>,
    Params(params): Params<DeployParams>,
    RawBody(content): RawBody,
) -> Result<(StatusCode, Json<Deployed>), Failure> {
    let resource = Resource { name: params.name.into(), content: Arc::from(&content[..]) };
    let deployed = orloj.deploy(Deploy { resources: vec![resource], ..Deploy::default() }).await?;
    let status = if deployed.duplicate { StatusCode::OK } else { StatusCode::CREATED };
    let answer = Deployed {
        key: Key(deployed.key.raw()),
        duplicate: deployed.duplicate,
        definitions: deployed.definitions.iter().map(Definition::from).collect(),
        decisions: deployed.decisions.iter().map(Decision::from).collect(),
    };
    Ok((status, Json(answer)))
}

#[derive(Serialize)]
pub struct Deployed {
    key: Key,
    duplicate: bool,
    definitions: Vec<Definition>,
    decisions: Vec<Decision>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    key: Key,
    decision: String,
    name: String,
    version: i32,
    version_tag: Option<String>,
    requirements: Requirements,
    resource: String,
    deployment: Key,
    deployed_at: Time,
    tenant: Option<String>,
}

/// The file a decision is part of.
#[derive(Serialize)]
struct Requirements {
    key: Key,
    id: String,
    name: String,
    version: i32,
}

impl From<&DecisionView> for Decision {
    fn from(view: &DecisionView) -> Self {
        Self {
            key: Key(view.key.0),
            decision: view.decision_id.to_string(),
            name: view.name.to_string(),
            version: view.version,
            version_tag: view.version_tag.as_deref().map(str::to_owned),
            requirements: Requirements {
                key: Key(view.requirements.key.0),
                id: view.requirements.id.to_string(),
                name: view.requirements.name.to_string(),
                version: view.requirements.version,
            },
            resource: view.resource_name.to_string(),
            deployment: Key(view.deployment.raw()),
            deployed_at: Time(view.deployed_at),
            tenant: tenant(&view.tenant),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    key: Key,
    process: String,
    version: i32,
    resource: String,
    deployment: Key,
    deployed_at: Time,
    tenant: Option<String>,
}

impl From<&DefinitionView> for Definition {
    fn from(view: &DefinitionView) -> Self {
        Self {
            key: Key(view.key.raw()),
            process: view.process_id.to_string(),
            version: view.version,
            resource: view.resource_name.to_string(),
            deployment: Key(view.deployment.raw()),
            deployed_at: Time(view.deployed_at),
            tenant: tenant(&view.tenant),
        }
    }
}
