//! Which path leads where.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use orloj::Orloj;

use crate::failure::RequestFault;
use crate::request_metrics::RequestMetrics;
use crate::{
    definitions, guard, incidents, instance_changes, instances, jobs, messages, nodes, user_tasks,
    watch,
};

/// Largest body taken. The largest thing sent is a model, and the parser takes 4 MiB.
pub const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// All paths of the API, answered by `orloj`.
pub fn router(orloj: Orloj) -> Router {
    let metrics = RequestMetrics::register(&orloj);
    Router::new()
        .route("/api/instances", get(instances::list).post(instances::start))
        .route("/api/instances/{key}", get(instances::show))
        .route("/api/instances/{key}/cancel", post(instances::cancel))
        .route("/api/instances/{key}/suspend", post(instances::suspend))
        .route("/api/instances/{key}/resume", post(instances::resume))
        .route("/api/instances/{key}/delete", post(instances::delete))
        .route("/api/instances/{key}/modify", post(instance_changes::modify))
        .route("/api/instances/{key}/migrate", post(instance_changes::migrate))
        .route("/api/element-instances/{key}/trigger", post(instance_changes::trigger))
        .route("/api/messages", post(messages::publish))
        .route("/api/messages/correlate", post(messages::correlate))
        .route("/api/signals", post(messages::broadcast))
        .route("/api/jobs", get(jobs::list))
        .route("/api/jobs/{key}/explain", get(jobs::explain))
        .route("/api/jobs/{key}/retries", post(jobs::retries))
        .route("/api/incidents", get(incidents::list))
        .route("/api/incidents/{key}/resolve", post(incidents::resolve))
        .route("/api/user-tasks", get(user_tasks::list))
        .route("/api/user-tasks/{key}/complete", post(user_tasks::complete))
        .route("/api/definitions", get(definitions::list))
        .route("/api/definitions/{key}/xml", get(definitions::xml))
        .route("/api/deployments", post(definitions::deploy))
        .route("/api/nodes", get(nodes::list))
        .route("/health", get(watch::health))
        .route("/ready", get(watch::ready))
        .route("/metrics", get(watch::metrics))
        .fallback(async || RequestFault::NoSuchPath)
        .method_not_allowed_fallback(async || RequestFault::NoSuchMethod)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn(guard::refuse_cross_site))
        .layer(middleware::from_fn_with_state(metrics, RequestMetrics::count))
        .with_state(orloj)
}
