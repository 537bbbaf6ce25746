//! `/api/meters`: what nodes have counted, and written down.

use axum::Json;
use axum::extract::State;
use orloj::Orloj;
use orloj::store::{MeterQuery, MeterSum};
use serde::{Deserialize, Serialize};

use crate::extract::Params;
use crate::failure::Failure;
use crate::page::page;
use crate::wire::{GivenTime, Time};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListParams {
    name: Option<String>,
    reporter: Option<String>,
    from: Option<GivenTime>,
    until: Option<GivenTime>,
    interval_ms: Option<i64>,
    by_reporter: Option<bool>,
    limit: Option<u32>,
}

/// The newest interval first; what lies before the last row is asked for with `until`.
pub async fn list(
    State(orloj): State<Orloj>,
    Params(params): Params<ListParams>,
) -> Result<Json<Items>, Failure> {
    let query = MeterQuery {
        name: params.name.map(Into::into),
        reporter: params.reporter.map(Into::into),
        from: params.from.map(|at| at.0),
        until: params.until.map(|at| at.0),
        interval_ms: params.interval_ms,
        by_reporter: params.by_reporter.unwrap_or(false),
        limit: page(None, params.limit)?.limit,
    };
    let has_intervals = query.interval_ms.is_some();
    let sums = orloj.meters().query(query).await?;
    Ok(Json(Items { items: sums.iter().map(|sum| Meter::of(sum, has_intervals)).collect() }))
}

#[derive(Serialize)]
pub struct Items {
    items: Vec<Meter>,
}

#[derive(Serialize)]
struct Meter {
    /// The start of the interval; null where all is one.
    at: Option<Time>,
    name: String,
    reporter: Option<String>,
    value: i64,
}

impl Meter {
    fn of(sum: &MeterSum, has_intervals: bool) -> Self {
        Self {
            at: has_intervals.then_some(Time(sum.at)),
            name: sum.name.to_string(),
            reporter: sum.reporter.as_deref().map(str::to_owned),
            value: sum.value,
        }
    }
}
