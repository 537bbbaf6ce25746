//! `/api/definitions`

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use orloj::types::{DefinitionKey, DeploymentKey, TenantId};
use orloj::{
    DefinitionFilter, DefinitionView, Definitions, Orloj, SuspendDefinition, WhichDefinitions,
};
use serde::{Deserialize, Serialize};

use crate::extract::PathKey;
use crate::failure::{Failure, RequestFault};
use crate::filtered::Filtered;
use crate::instances::tenant;
use crate::page::{Listing, listing};
use crate::suspension::{self, Order};
use crate::who::Who;
use crate::wire::{GivenKey, GivenTime, Key, Time};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterParams {
    process: Option<String>,
    tenant: Option<String>,
    version: Option<i32>,
    deployment: Option<GivenKey>,
    suspended: Option<bool>,
    /// Only the latest version of each process and tenant.
    latest: Option<bool>,
}

pub async fn list(
    State(orloj): State<Orloj>,
    Filtered { filter, page }: Filtered<FilterParams>,
) -> Result<Json<Listing<Definition>>, Failure> {
    let filter = DefinitionFilter {
        process_id: filter.process.map(Into::into),
        tenant: filter.tenant.map(TenantId::new),
        version: filter.version,
        deployment: filter.deployment.map(|key| DeploymentKey::new(key.0)),
        suspended: filter.suspended,
        only_latest: filter.latest.unwrap_or(false),
    };
    let rows = orloj.definitions().list(filter, page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

pub async fn show(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<Definition>, Failure> {
    let view = orloj.definitions().get(DefinitionKey::new(key)).await?;
    Ok(Json(Definition::from(&view)))
}

/// The file a definition came from, byte for byte.
pub async fn xml(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<impl IntoResponse, Failure> {
    let content = orloj.definitions().xml(DefinitionKey::new(key)).await?;
    // A model may embed XHTML; a browser that opens it here must not run what is inside.
    let headers =
        [(header::CONTENT_TYPE, "application/xml"), (header::CONTENT_SECURITY_POLICY, "sandbox")];
    Ok((headers, content.to_vec()))
}

/// Without a key in the path, `process` says which, in every version.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SuspendBody {
    #[serde(default)]
    include_instances: bool,
    at: Option<GivenTime>,
    process: Option<String>,
    /// Absent: in every tenant.
    tenant: Option<String>,
    /// Of the process, only what has no tenant.
    #[serde(default)]
    without_tenant: bool,
}

impl suspension::SuspendBody for SuspendBody {
    fn order(self, key: Option<i64>) -> Result<Order, RequestFault> {
        let how = SuspendDefinition {
            include_instances: self.include_instances,
            at: self.at.map(|at| at.0),
        };
        let fault = |reason: &str| RequestFault::Body(reason.to_owned());
        let tenant = suspension::tenant(self.tenant, self.without_tenant)?;
        let which = match (key, self.process, tenant) {
            (Some(key), None, None) => WhichDefinitions::Key(DefinitionKey::new(key)),
            (Some(_), ..) => return Err(fault("process and tenant do not go with a key")),
            (None, Some(process), tenant) => WhichDefinitions::Process(process.into(), tenant),
            (None, None, _) => return Err(fault("process is needed")),
        };
        Ok(Order::Definitions(which, how))
    }
}

/// Instances that run go on.
pub async fn delete(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    of(&orloj, &who).delete(DefinitionKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub fn of(orloj: &Orloj, who: &Who) -> Definitions {
    match &who.0 {
        Some(user) => orloj.definitions().by(user),
        None => orloj.definitions(),
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
    suspended: bool,
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
            suspended: view.suspended,
            tenant: tenant(&view.tenant),
        }
    }
}
