//! `/api/limits`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::store::{LimitScope, NewLimit, Rate};
use orloj::{LimitView, Limits, Orloj};
use serde::{Deserialize, Serialize};

use crate::extract::JsonBody;
use crate::failure::Failure;
use crate::who::Who;
use crate::wire::{Time, time};

/// What a limit goes by.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Scope {
    Topic,
    Tenant,
    Key,
}

impl From<Scope> for LimitScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Topic => Self::Topic,
            Scope::Tenant => Self::Tenant,
            Scope::Key => Self::Key,
        }
    }
}

impl From<LimitScope> for Scope {
    fn from(scope: LimitScope) -> Self {
        match scope {
            LimitScope::Topic => Self::Topic,
            LimitScope::Tenant => Self::Tenant,
            LimitScope::Key => Self::Key,
        }
    }
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RateBody {
    jobs: u32,
    interval_ms: u32,
    burst: u32,
}

/// Not paged: limits are set by hand, and every node keeps all of them in memory.
pub async fn list(State(orloj): State<Orloj>) -> Result<Json<Items>, Failure> {
    let views = orloj.limits().list().await?;
    Ok(Json(Items { items: views.iter().map(Limit::from).collect() }))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetBody {
    scope: Scope,
    name: String,
    max_concurrent: Option<u32>,
    rate: Option<RateBody>,
}

/// Answers when every live node keeps it.
pub async fn set(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(body): JsonBody<SetBody>,
) -> Result<StatusCode, Failure> {
    let limit = NewLimit {
        scope: body.scope.into(),
        name: body.name.into(),
        max_concurrent: body.max_concurrent,
        rate: body.rate.map(|rate| Rate {
            jobs: rate.jobs,
            interval_ms: rate.interval_ms,
            burst: rate.burst,
        }),
    };
    of(&orloj, &who).set(limit).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeleteBody {
    scope: Scope,
    name: String,
}

pub async fn delete(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(body): JsonBody<DeleteBody>,
) -> Result<StatusCode, Failure> {
    of(&orloj, &who).delete(body.scope.into(), &body.name).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn of(orloj: &Orloj, who: &Who) -> Limits {
    match &who.0 {
        Some(user) => orloj.limits().by(user),
        None => orloj.limits(),
    }
}

#[derive(Serialize)]
pub struct Items {
    items: Vec<Limit>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Limit {
    scope: Scope,
    name: String,
    max_concurrent: Option<u32>,
    rate: Option<RateBody>,
    /// Jobs that count at this moment; null: not known.
    running: u64,
    /// When the rate lets the next one begin; null: at once.
    next_at: Option<Time>,
}

impl From<&LimitView> for Limit {
    fn from(view: &LimitView) -> Self {
        Self {
            scope: view.scope.into(),
            name: view.name.to_string(),
            max_concurrent: view.max_concurrent,
            rate: view.rate.map(|rate| RateBody {
                jobs: rate.jobs,
                interval_ms: rate.interval_ms,
                burst: rate.burst,
            }),
            running: view.running,
            next_at: time(view.next_at),
        }
    }
}
