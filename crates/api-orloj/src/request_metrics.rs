//! Counts requests by path template, so that the number of series is bounded by the router.

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use orloj::Orloj;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

#[derive(Clone, Default)]
pub struct RequestMetrics {
    requests: Family<Labels, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    /// Paths that do not exist share one value.
    path: String,
    method: &'static str,
    status: u16,
}

impl RequestMetrics {
    pub fn register(orloj: &Orloj) -> Self {
        let metrics = Self::default();
        orloj.with_metrics(|registry| {
            registry.register(
                "orloj_http_requests",
                "Requests answered by the HTTP API",
                metrics.requests.clone(),
            );
        });
        metrics
    }

    pub async fn count(State(metrics): State<Self>, request: Request, next: Next) -> Response {
        let path = match request.extensions().get::<MatchedPath>() {
            Some(path) => path.as_str().to_owned(),
            None => "other".to_owned(),
        };
        let method = method_name(request.method().as_str());
        let response = next.run(request).await;
        let labels = Labels { path, method, status: response.status().as_u16() };
        metrics.requests.get_or_create(&labels).inc();
        response
    }
}

/// A client may send any word as a method; only those that mean something here are told apart.
fn method_name(method: &str) -> &'static str {
    match method {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        _ => "other",
    }
}
