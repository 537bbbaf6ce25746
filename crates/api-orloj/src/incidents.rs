//! `/api/incidents`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{IncidentKey, InstanceKey};
use orloj::{IncidentFilter, IncidentView, Orloj};
use serde::{Deserialize, Serialize};

use crate::extract::{Params, PathKey};
use crate::failure::Failure;
use crate::instances::tenant;
use crate::page::{Listing, listing, page};
use crate::wire::{Key, Time};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    instance: Option<i64>,
    before: Option<i64>,
    limit: Option<u32>,
}

pub async fn list(
    State(orloj): State<Orloj>,
    Params(params): Params<ListParams>,
) -> Result<Json<Listing<Incident>>, Failure> {
    let page = page(params.before, params.limit)?;
    let filter = IncidentFilter { instance: params.instance.map(InstanceKey::new) };
    let rows = orloj.incidents(filter, page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

pub async fn resolve(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    orloj.resolve_incident(IncidentKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    key: Key,
    instance: Key,
    process: String,
    definition: Key,
    element: String,
    element_instance: Key,
    job: Option<Key>,
    kind: String,
    message: String,
    created_at: Time,
    tenant: Option<String>,
}

impl From<&IncidentView> for Incident {
    fn from(view: &IncidentView) -> Self {
        Self {
            key: Key(view.key.raw()),
            instance: Key(view.instance.raw()),
            process: view.process_id.to_string(),
            definition: Key(view.definition.raw()),
            element: view.element.to_string(),
            element_instance: Key(view.element_instance.raw()),
            job: view.job.map(|job| Key(job.raw())),
            kind: view.kind.to_string(),
            message: view.message.to_string(),
            created_at: Time(view.created_at),
            tenant: tenant(&view.tenant),
        }
    }
}
