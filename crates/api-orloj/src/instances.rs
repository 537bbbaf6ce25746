//! `/api/instances`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{DefinitionKey, InstanceKey, ProcessId, TenantId};
use orloj::{
    ElementView, EventView, InstanceDetail, InstanceQuery, InstanceState, InstanceView, Orloj,
    StartInstance, Started, Which,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::extract::{JsonBody, Params, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::filtered::Filtered;
use crate::incidents::Incident;
use crate::jobs::Job;
use crate::page::{Counted, Listing, listing};
use crate::wire::{GivenKey, Key, Time, document, time, variables};

#[derive(Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FilterParams {
    /// Of listings, with commas between them; other fields do not go with it.
    keys: Option<String>,
    process: Option<String>,
    definition: Option<GivenKey>,
    tenant: Option<String>,
    business_key: Option<String>,
    with_incidents: Option<bool>,
    suspended: Option<bool>,
    /// Of listings: those that have ended.
    ended: Option<bool>,
}

impl FilterParams {
    /// Of those that run.
    pub fn running(self) -> Result<InstanceQuery, RequestFault> {
        if self.ended == Some(true) {
            let reason = "ended: only those that run are meant";
            return Err(RequestFault::Query(reason.to_owned()));
        }
        self.query()
    }

    pub fn query(self) -> Result<InstanceQuery, RequestFault> {
        if self.keys.is_some() {
            let reason = "keys: only listings are filtered by it; commands take keys on their own";
            return Err(RequestFault::Query(reason.to_owned()));
        }
        if self.ended == Some(true) && self.with_incidents.is_some() {
            let reason = "withIncidents: those that have ended have none";
            return Err(RequestFault::Query(reason.to_owned()));
        }
        if self.ended == Some(true) && self.suspended.is_some() {
            let reason = "suspended: those that have ended are not";
            return Err(RequestFault::Query(reason.to_owned()));
        }
        Ok(InstanceQuery {
            definition: self.definition.map(|key| DefinitionKey::new(key.0)),
            process_id: self.process.map(ProcessId::from),
            tenant: self.tenant.map(TenantId::new),
            business_key: self.business_key.map(Into::into),
            has_incidents: self.with_incidents,
            suspended: self.suspended,
        })
    }
}

pub async fn list(
    State(orloj): State<Orloj>,
    Filtered { mut filter, page }: Filtered<FilterParams>,
) -> Result<Json<Listing<Instance>>, Failure> {
    if let Some(keys) = filter.keys.take() {
        if filter != FilterParams::default() {
            return Err(RequestFault::Query("keys: no other field goes with it".to_owned()).into());
        }
        return named(&orloj, &keys).await;
    }
    let is_ended = filter.ended.unwrap_or(false);
    let query = filter.query()?;
    let instances = orloj.instances();
    let rows = match is_ended {
        true => instances.list_ended(&query, page).await?,
        false => instances.list(&query, page).await?,
    };
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

/// Those of them that exist, whether they run or have ended.
async fn named(orloj: &Orloj, keys: &str) -> Result<Json<Listing<Instance>>, Failure> {
    let mut items = Vec::new();
    for text in keys.split(',').take(orloj::PAGE_ROWS_MAX as usize) {
        let key = text.trim().parse().ok().filter(|key: &i64| *key > 0);
        let key = key.ok_or_else(|| RequestFault::Query(format!("keys: '{text}' is not a key")))?;
        match orloj.instances().get(InstanceKey::new(key)).await {
            Ok(detail) => items.push(Instance::from(&detail.view)),
            Err(orloj::Error::Missing(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Json(Listing::new(items, None)))
}

/// Those that run.
pub async fn count(
    State(orloj): State<Orloj>,
    Params(params): Params<FilterParams>,
) -> Result<Json<Counted>, Failure> {
    Ok(Json(Counted { count: orloj.instances().count(&params.running()?).await? }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableParams {
    /// Only this one.
    name: Option<String>,
}

/// Those of the instance itself, not those of element instances.
pub async fn show_variables(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
    Params(VariableParams { name }): Params<VariableParams>,
) -> Result<Json<Box<RawValue>>, Failure> {
    let mut found = orloj.instances().get(InstanceKey::new(key)).await?.variables;
    if let Some(name) = name {
        found.0.retain(|known, _| **known == *name);
        if found.0.is_empty() {
            return Err(RequestFault::NoSuchVariable(name).into());
        }
    }
    Ok(Json(variables(&found)))
}

pub async fn show(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<Detail>, Failure> {
    let detail = orloj.instances().get(InstanceKey::new(key)).await?;
    Ok(Json(Detail::from(&detail)))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartBody {
    process: String,
    version: Option<i32>,
    variables: Option<Box<RawValue>>,
    business_key: Option<String>,
    tenant: Option<String>,
    /// Ids of elements before which tokens begin, instead of at the start event.
    #[serde(default)]
    before: Vec<String>,
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
            tenant: body.tenant.map(TenantId::new).unwrap_or_default(),
            business_key: body.business_key.map(Into::into),
            variables: document(body.variables.as_deref()).map_err(orloj::Error::Variables)?,
            before: body.before.into_iter().map(Into::into).collect(),
            tags: Vec::new(),
            stops_after: Vec::new(),
        })
        .await?;
    Ok((StatusCode::CREATED, Json(StartedInstance::from(&started))))
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
    suspended: bool,
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
            suspended: view.is_suspended,
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
