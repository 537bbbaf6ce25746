//! `/api/deployments`: those that are there, and which of them this node runs.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{DeploymentKey, TenantId};
use orloj::{DeploymentView, Deployments, Orloj};
use serde::{Deserialize, Serialize};

use crate::definitions::Definition;
use crate::deployments::{Asset, Decision};
use crate::extract::{Deletion, JsonBody, PathKey};
use crate::failure::Failure;
use crate::filtered::Filtered;
use crate::instances::tenant;
use crate::page::{Listing, listing, page_of};
use crate::who::Who;
use crate::wire::{Key, Time};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoFilter {}

/// Those of which something is left.
pub async fn list(
    State(orloj): State<Orloj>,
    Filtered { page, filter: NoFilter {} }: Filtered<NoFilter>,
) -> Result<Json<Listing<Deployment>>, Failure> {
    let rows = orloj.deployments().list().await?;
    let rows = page_of(rows, page, |row| row.key.raw());
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

pub async fn show(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<Deployment>, Failure> {
    let view = orloj.deployments().get(DeploymentKey::new(key)).await?;
    Ok(Json(Deployment::from(&view)))
}

pub async fn delete(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<Deletion>,
) -> Result<StatusCode, Failure> {
    of(&orloj, &who).delete(DeploymentKey::new(key), body.cascade).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetTenant {
    /// Null takes it away; it must be said.
    #[serde(deserialize_with = "Option::deserialize")]
    tenant: Option<String>,
}

pub async fn set_tenant(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<SetTenant>,
) -> Result<StatusCode, Failure> {
    let tenant = body.tenant.map_or_else(TenantId::none, TenantId::new);
    of(&orloj, &who).set_tenant(DeploymentKey::new(key), tenant).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn register(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    of(&orloj, &who).register(DeploymentKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn unregister(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    of(&orloj, &who).unregister(DeploymentKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
pub struct Registered {
    /// Null: the node does not go by deployments and runs the jobs of all.
    items: Option<Vec<Key>>,
}

/// With the node that answers. Not paged: it is one list in its memory.
pub async fn registered(State(orloj): State<Orloj>) -> Result<Json<Registered>, Failure> {
    let nodes = orloj.nodes().list().await?;
    let own = nodes.iter().find(|node| node.is_self);
    let is_aware = own.is_some_and(|node| node.profile.is_deployment_aware());
    if !is_aware {
        return Ok(Json(Registered { items: None }));
    }
    let keys = orloj.deployments().registered().await?;
    Ok(Json(Registered { items: Some(keys.iter().map(|key| Key(key.raw())).collect()) }))
}

fn of(orloj: &Orloj, who: &Who) -> Deployments {
    match &who.0 {
        Some(user) => orloj.deployments().by(user),
        None => orloj.deployments(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    key: Key,
    deployed_at: Time,
    tenant: Option<String>,
    resources: BTreeSet<String>,
    definitions: Vec<Definition>,
    decisions: Vec<Decision>,
    assets: Vec<Asset>,
}

impl From<&DeploymentView> for Deployment {
    fn from(view: &DeploymentView) -> Self {
        Self {
            key: Key(view.key.raw()),
            deployed_at: Time(view.deployed_at),
            tenant: tenant(&view.tenant),
            resources: view.resources().iter().map(ToString::to_string).collect(),
            definitions: view.definitions.iter().map(Definition::from).collect(),
            decisions: view.decisions.iter().map(Decision::from).collect(),
            assets: view.assets.iter().map(Asset::from).collect(),
        }
    }
}
