//! What operators watch: `/health`, `/ready`, `/metrics`.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use orloj::Orloj;
use serde::Serialize;

use crate::failure::RequestFault;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Serialize)]
pub struct Status {
    status: &'static str,
}

/// The process lives. Says nothing about the store: restarting a node does not mend a database.
pub async fn health() -> Json<Status> {
    Json(Status { status: "healthy" })
}

pub async fn ready(State(orloj): State<Orloj>) -> Result<Json<Status>, RequestFault> {
    if orloj.is_ready() {
        Ok(Json(Status { status: "ready" }))
    } else {
        Err(RequestFault::NotReady)
    }
}

pub async fn metrics(State(orloj): State<Orloj>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, OPEN_METRICS)], orloj.metrics_text())
}
