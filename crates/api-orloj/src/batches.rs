//! `/api/batches`: large work that the executor does in parts.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::store::BatchFilter;
use orloj::types::{BatchKey, TenantId};
use orloj::{BatchView, Batches, Orloj};
use serde::{Deserialize, Serialize};

use crate::extract::{Deletion, JsonBody, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::filtered::Filtered;
use crate::instances::tenant;
use crate::page::{Listing, listing};
use crate::who::Who;
use crate::wire::{Key, Time, time};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterParams {
    kind: Option<String>,
    tenant: Option<String>,
    suspended: Option<bool>,
    /// Those that are done.
    ended: Option<bool>,
}

pub async fn list(
    State(orloj): State<Orloj>,
    Filtered { filter, page }: Filtered<FilterParams>,
) -> Result<Json<Listing<Batch>>, Failure> {
    let is_ended = filter.ended.unwrap_or(false);
    if is_ended && filter.suspended.is_some() {
        let reason = "suspended: those that are done are not";
        return Err(RequestFault::Query(reason.to_owned()).into());
    }
    let asked = BatchFilter {
        kind: filter.kind.map(Into::into),
        tenant: filter.tenant.map(TenantId::new),
        suspended: filter.suspended,
    };
    let rows = match is_ended {
        true => orloj.batches().list_ended(asked, page).await?,
        false => orloj.batches().list(asked, page).await?,
    };
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

pub async fn show(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<Batch>, Failure> {
    Ok(Json(Batch::from(&orloj.batches().get(BatchKey::new(key)).await?)))
}

pub async fn suspend(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    batches(&orloj, who).suspend(BatchKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn resume(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    batches(&orloj, who).activate(BatchKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn batches(orloj: &Orloj, who: Who) -> Batches {
    match who.0 {
        Some(user) => orloj.batches().by(&user),
        None => orloj.batches(),
    }
}

pub async fn delete(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<Deletion>,
) -> Result<StatusCode, Failure> {
    batches(&orloj, who).delete(BatchKey::new(key), body.cascade).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    key: Key,
    kind: String,
    state: &'static str,
    /// In parts, as the following numbers.
    total: u64,
    made: u64,
    done: u64,
    /// Out of tries: they wait for a person.
    failed: u64,
    created_at: Time,
    created_by: Option<String>,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    removal_at: Option<Time>,
    tenant: Option<String>,
}

impl From<&BatchView> for Batch {
    fn from(view: &BatchView) -> Self {
        let state = match view {
            BatchView { ended_at: Some(_), .. } if view.status() == "deleted" => "deleted",
            BatchView { ended_at: Some(_), .. } => "ended",
            BatchView { suspended: true, .. } => "suspended",
            BatchView { started_at: Some(_), .. } => "running",
            _ => "created",
        };
        Self {
            key: Key(view.key.raw()),
            kind: view.kind.to_string(),
            state,
            total: view.statistics.total,
            made: view.statistics.made,
            done: view.statistics.done,
            failed: view.statistics.failed,
            created_at: Time(view.created_at),
            created_by: view.created_by.as_deref().map(str::to_owned),
            started_at: time(view.started_at),
            ended_at: time(view.ended_at),
            removal_at: time(view.removal_at),
            tenant: tenant(&view.tenant),
        }
    }
}
