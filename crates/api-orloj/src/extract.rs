//! Takes requests apart, so that every fault is answered in the one shape of this API.

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::failure::RequestFault;

/// The key in a path.
pub struct PathKey(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for PathKey {
    type Rejection = RequestFault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|rejection| RequestFault::Key(rejection.body_text()))?;
        match text.parse() {
            Ok(key) if key > 0 => Ok(Self(key)),
            _ => Err(RequestFault::Key(text)),
        }
    }
}

/// The parameters after the question mark; unknown names are refused.
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = RequestFault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(params)) => Ok(Self(params)),
            Err(rejection) => Err(RequestFault::Query(rejection.body_text())),
        }
    }
}

/// The body as it came.
pub struct RawBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = RequestFault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        match Bytes::from_request(request, state).await {
            Ok(bytes) => Ok(Self(bytes)),
            Err(BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_))) => {
                Err(RequestFault::BodyTooLarge)
            }
            Err(rejection) => Err(RequestFault::Body(rejection.body_text())),
        }
    }
}

/// What a deletion may be told: what belongs to the thing goes as well, the history of a batch or
/// the instances of a deployment. Without it a deployment with instances stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deletion {
    #[serde(default)]
    pub cascade: bool,
}

/// A JSON body. An absent one reads as the empty object.
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = RequestFault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let RawBody(bytes) = RawBody::from_request(request, state).await?;
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        match serde_json::from_slice(text) {
            Ok(value) => Ok(Self(value)),
            Err(error) => Err(RequestFault::Body(format!("the body is not as expected: {error}"))),
        }
    }
}
