//! Who gives a command, for the log of operations.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::failure::RequestFault;

/// The header that says it. It proves nothing: who may speak to a node may say anything.
const HEADER: &str = "orloj-user";

pub struct Who(pub Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for Who {
    type Rejection = RequestFault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let Some(value) = parts.headers.get(HEADER) else { return Ok(Self(None)) };
        match std::str::from_utf8(value.as_bytes()) {
            Ok(name) => Ok(Self(Some(name.trim().to_owned()).filter(|name| !name.is_empty()))),
            Err(_) => Err(RequestFault::Query(format!("the header {HEADER} is not UTF-8"))),
        }
    }
}
