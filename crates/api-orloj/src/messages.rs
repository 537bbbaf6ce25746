//! `/api/messages` and `/api/signals`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{Document, InstanceKey, TenantId};
use orloj::{BroadcastSignal, Correlate, Correlated, Orloj, PublishMessage};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::extract::JsonBody;
use crate::failure::Failure;
use crate::wire::{GivenKey, Key, document};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PublishBody {
    name: String,
    #[serde(default)]
    correlation_key: String,
    /// In milliseconds; without one only those that wait now get the message.
    #[serde(default)]
    time_to_live: i64,
    message_id: Option<String>,
    tenant: Option<String>,
    variables: Option<Box<RawValue>>,
}

#[derive(Serialize)]
pub struct Accepted {
    key: Key,
}

pub async fn publish(
    State(orloj): State<Orloj>,
    JsonBody(body): JsonBody<PublishBody>,
) -> Result<(StatusCode, Json<Accepted>), Failure> {
    let message = PublishMessage {
        name: body.name.into(),
        correlation_key: body.correlation_key.into(),
        time_to_live_ms: body.time_to_live,
        message_id: body.message_id.map(Into::into),
        variables: read(body.variables.as_deref())?,
        tenant: tenant(body.tenant),
    };
    let key = Key(orloj.publish_message(message).await?);
    Ok((StatusCode::CREATED, Json(Accepted { key })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CorrelateBody {
    name: String,
    business_key: Option<String>,
    instance: Option<GivenKey>,
    tenant: Option<String>,
    variables: Option<Box<RawValue>>,
}

#[derive(Serialize)]
pub struct Receiver {
    instance: Key,
    /// False: it waited for the message.
    started: bool,
}

pub async fn correlate(
    State(orloj): State<Orloj>,
    JsonBody(body): JsonBody<CorrelateBody>,
) -> Result<Json<Receiver>, Failure> {
    let correlate = Correlate {
        name: body.name.into(),
        business_key: body.business_key.map(Into::into),
        instance: body.instance.map(|GivenKey(key)| InstanceKey::new(key)),
        tenant: tenant(body.tenant),
        variables: read(body.variables.as_deref())?,
    };
    let (instance, started) = match orloj.correlate(correlate).await? {
        Correlated::Waiting(instance) => (instance, false),
        Correlated::Started(instance) => (instance, true),
    };
    Ok(Json(Receiver { instance: Key(instance.raw()), started }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignalBody {
    name: String,
    tenant: Option<String>,
    variables: Option<Box<RawValue>>,
}

pub async fn broadcast(
    State(orloj): State<Orloj>,
    JsonBody(body): JsonBody<SignalBody>,
) -> Result<(StatusCode, Json<Accepted>), Failure> {
    let signal = BroadcastSignal {
        name: body.name.into(),
        variables: read(body.variables.as_deref())?,
        tenant: tenant(body.tenant),
    };
    let key = Key(orloj.broadcast_signal(signal).await?);
    Ok((StatusCode::CREATED, Json(Accepted { key })))
}

/// Absent: who belongs to no tenant is meant.
fn tenant(given: Option<String>) -> TenantId {
    given.map(TenantId::new).unwrap_or_default()
}

fn read(variables: Option<&RawValue>) -> Result<Document, Failure> {
    Ok(document(variables).map_err(orloj::Error::Variables)?)
}
