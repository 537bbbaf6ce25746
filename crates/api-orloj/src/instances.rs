//! `/api/instances`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{InstanceKey, ProcessId, TenantId};
use orloj::{
    ElementView, EventView, InstanceDetail, InstanceState, InstanceView, Orloj, StartInstance,
    Started, Which,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::extract::{JsonBody, Params, PathKey};
use crate::failure::Failure;
use crate::incidents::Incident;
use crate::jobs::Job;
use crate::page::{Listing, listing, page};
use crate::wire::{Key, Time, document, time, variables};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    process: Option<String>,
    ended: Option<bool>,
    before: Option<i64>,
    limit: Option<u32>,
}

pub async fn list(
    State(orloj): State<Orloj>,
    Params(params): Params<ListParams>,
) -> Result<Json<Listing<Instance>>, Failure> {
    let page = page(params.before, params.limit)?;
    let process = params.process.map(ProcessId::from);
    let rows = orloj.instances(process, params.ended.unwrap_or(false), page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

pub async fn show(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<Detail>, Failure> {
    let detail = orloj.instance(InstanceKey::new(key)).await?;
    Ok(Json(Detail::from(&detail)))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartBody {
    process: String,
    version: Option<i32>,
    variables: Option<Box<RawValue>>,
    business_key: Option<String>,
}

pub async fn start(
    State(orloj): State<Orloj>,
    JsonBody(body): JsonBody<StartBody>,
) -> Result<(StatusCode, Json<StartedInstance>), Failure> {
    let process = ProcessId::from(body.process);
    let started = orloj
        .start(StartInstance {
            which: match body.version {
                Some(version) => Which::Version(process, version),
                None => Which::Latest(process),
            },
            tenant: TenantId::none(),
            business_key: body.business_key.map(Into::into),
            variables: document(body.variables.as_deref()).map_err(orloj::Error::Variables)?,
        })
        .await?;
    Ok((StatusCode::CREATED, Json(StartedInstance::from(&started))))
}

pub async fn cancel(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    orloj.cancel(InstanceKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Nothing of it is worked on until it is resumed.
pub async fn suspend(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    orloj.suspend(InstanceKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn resume(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    orloj.resume(InstanceKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// As `cancel`, but no listener is called.
pub async fn delete(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    orloj.delete(InstanceKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Instance {
    key: Key,
    process: String,
    version: i32,
    definition: Key,
    business_key: Option<String>,
    tenant: Option<String>,
    state: &'static str,
    started_at: Time,
    ended_at: Option<Time>,
}

#[derive(Serialize)]
pub struct Detail {
    #[serde(flatten)]
    instance: Instance,
    variables: Box<RawValue>,
    elements: Vec<Element>,
    jobs: Vec<Job>,
    incidents: Vec<Incident>,
    history: Vec<Event>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Element {
    key: Key,
    element: String,
    scope: Key,
    state: &'static str,
    entered_at: Time,
    variables: Box<RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    at: Time,
    what: String,
    key: Key,
    name: String,
    message: String,
    retries_left: Option<i64>,
}

#[derive(Serialize)]
pub struct StartedInstance {
    key: Key,
    process: String,
    version: i32,
    definition: Key,
    tenant: Option<String>,
}

impl From<&InstanceView> for Instance {
    fn from(view: &InstanceView) -> Self {
        Self {
            key: Key(view.key.raw()),
            process: view.process_id.to_string(),
            version: view.version,
            definition: Key(view.definition.raw()),
            business_key: view.business_key.as_deref().map(str::to_owned),
            tenant: tenant(&view.tenant),
            state: match view.state {
                InstanceState::Active => "active",
                InstanceState::Completed => "completed",
                InstanceState::Cancelled => "cancelled",
            },
            started_at: Time(view.started_at),
            ended_at: time(view.ended_at),
        }
    }
}

impl From<&InstanceDetail> for Detail {
    fn from(detail: &InstanceDetail) -> Self {
        Self {
            instance: Instance::from(&detail.view),
            variables: variables(&detail.variables),
            elements: detail.elements.iter().map(Element::from).collect(),
            jobs: detail.jobs.iter().map(Job::from).collect(),
            incidents: detail.incidents.iter().map(Incident::from).collect(),
            history: detail.history.iter().map(Event::from).collect(),
        }
    }
}

impl From<&ElementView> for Element {
    fn from(view: &ElementView) -> Self {
        Self {
            key: Key(view.key.raw()),
            element: view.element.to_string(),
            scope: Key(view.scope.raw()),
            state: view.state,
            entered_at: Time(view.entered_at),
            variables: variables(&view.variables),
        }
    }
}

impl From<&EventView> for Event {
    fn from(view: &EventView) -> Self {
        Self {
            at: Time(view.at),
            what: view.what.to_string(),
            key: Key(view.key),
            name: view.name.to_string(),
            message: view.message.to_string(),
            retries_left: view.retries_left,
        }
    }
}

impl From<&Started> for StartedInstance {
    fn from(started: &Started) -> Self {
        Self {
            key: Key(started.instance.raw()),
            process: started.process_id.to_string(),
            version: started.version,
            definition: Key(started.definition.raw()),
            tenant: tenant(&started.tenant),
        }
    }
}

/// The absent tenant is null here.
pub fn tenant(tenant: &TenantId) -> Option<String> {
    (!tenant.is_none()).then(|| tenant.to_string())
}
