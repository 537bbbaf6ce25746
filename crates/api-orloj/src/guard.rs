//! The API has no log-in, and it listens where a browser of the same machine can reach it. A page
//! of another site must not be able to give commands through that browser.

use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::failure::RequestFault;

/// Every current browser says where a request comes from; other clients send no such header.
pub async fn refuse_cross_site(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let origin = request.headers().get("sec-fetch-site").map(|value| value.as_bytes());
    match origin {
        Some(b"cross-site" | b"same-site") if !reads => RequestFault::CrossSite.into_response(),
        _ => next.run(request).await,
    }
}
