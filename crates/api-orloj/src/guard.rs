//! The API has no log-in, and it listens where a browser of the same machine can reach it. A page
//! of another site must not be able to give commands through that browser.

use axum::extract::Request;
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::failure::RequestFault;

/// Browsers say where a command comes from; other clients send no such headers.
pub async fn refuse_cross_site(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if !reads && (is_from_elsewhere(request.headers()) || has_other_origin(&request)) {
        return RequestFault::CrossSite.into_response();
    }
    next.run(request).await
}

/// Sent to servers that the browser trusts: over TLS, or on the same machine.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
    matches!(site, Some(b"cross-site" | b"same-site"))
}

/// Sent with every command to any server.
fn has_other_origin(request: &Request) -> bool {
    let Some(origin) = request.headers().get("origin") else { return false };
    let own = request.headers().get("host").and_then(|host| host.to_str().ok());
    let own = own.or_else(|| request.uri().authority().map(|authority| authority.as_str()));
    let from = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    from.is_none_or(|(_, from)| Some(from) != own)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn post(origin: &str) -> Request {
        let request = Request::post("/api/instances").header("host", "orloj.example:8080");
        request.header("origin", origin).body(Body::empty()).unwrap()
    }

    #[test]
    fn only_its_own_pages_give_commands() {
        assert!(!has_other_origin(&post("http://orloj.example:8080")));
        for other in ["http://evil.example", "http://orloj.example", "null", ""] {
            assert!(has_other_origin(&post(other)), "{other}");
        }
        let plain = Request::post("/").header("host", "a").body(Body::empty()).unwrap();
        assert!(!has_other_origin(&plain));
    }
}
