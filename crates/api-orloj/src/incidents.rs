//! `/api/incidents`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{DefinitionKey, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, TenantId};
use orloj::{IncidentFilter, IncidentView, Incidents, NewIncident, Orloj, WhichIncidents};
use serde::{Deserialize, Serialize};

use crate::bulk::{self, Choice, Many, Portion};
use crate::extract::{JsonBody, Params, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::filtered::Filtered;
use crate::instances::tenant;
use crate::page::{Counted, Listing, listing};
use crate::who::Who;
use crate::wire::{GivenKey, Key, Time};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FilterParams {
    instance: Option<GivenKey>,
    process: Option<String>,
    definition: Option<GivenKey>,
    tenant: Option<String>,
    kind: Option<String>,
    element: Option<String>,
    job: Option<GivenKey>,
}

impl From<FilterParams> for IncidentFilter {
    fn from(params: FilterParams) -> Self {
        Self {
            instance: params.instance.map(|key| InstanceKey::new(key.0)),
            process_id: params.process.map(Into::into),
            definition: params.definition.map(|key| DefinitionKey::new(key.0)),
            tenant: params.tenant.map(TenantId::new),
            kind: params.kind.map(Into::into),
            element: params.element.map(Into::into),
            job: params.job.map(|key| JobKey::new(key.0)),
        }
    }
}

pub async fn list(
    State(orloj): State<Orloj>,
    Filtered { filter, page }: Filtered<FilterParams>,
) -> Result<Json<Listing<Incident>>, Failure> {
    let rows = orloj.incidents().list(filter.into(), page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

pub async fn count(
    State(orloj): State<Orloj>,
    Params(params): Params<FilterParams>,
) -> Result<Json<Counted>, Failure> {
    Ok(Json(Counted { count: orloj.incidents().count(params.into()).await? }))
}

pub async fn show(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<Incident>, Failure> {
    let view = orloj.incidents().get(IncidentKey::new(key)).await?;
    Ok(Json(Incident::from(&view)))
}

pub async fn resolve(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    of(&orloj, &who).resolve(IncidentKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The command says nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resolve {}

pub async fn resolve_many(
    State(orloj): State<Orloj>,
    who: Who,
    many: Many<FilterParams, Resolve>,
) -> Result<Json<Portion>, Failure> {
    if many.as_batch {
        let reason = "asBatch: incidents are not resolved in batches";
        return Err(RequestFault::Body(reason.to_owned()).into());
    }
    let which = match many.choice {
        Choice::Keys(keys) => {
            WhichIncidents::Keys(keys.into_iter().map(IncidentKey::new).collect())
        }
        Choice::Filter(filter) => WhichIncidents::Filter(filter.into()),
    };
    let bulk = of(&orloj, &who).resolve_all(which);
    Ok(Json(bulk::run(bulk, many.portion).await?))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewBody {
    instance: GivenKey,
    /// Absent: the instance as a whole.
    element_instance: Option<GivenKey>,
    kind: String,
    configuration: Option<String>,
    #[serde(default)]
    message: String,
}

pub async fn create(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(body): JsonBody<NewBody>,
) -> Result<StatusCode, Failure> {
    if body.kind.trim().is_empty() {
        return Err(RequestFault::Body("kind must not be empty".to_owned()).into());
    }
    let new = NewIncident {
        instance: InstanceKey::new(body.instance.0),
        element_instance: body.element_instance.map(|key| ElementInstanceKey::new(key.0)),
        kind: body.kind.into(),
        configuration: body.configuration.filter(|text| !text.is_empty()).map(Into::into),
        message: body.message.into(),
    };
    of(&orloj, &who).create(new).await?;
    Ok(StatusCode::CREATED)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnnotationBody {
    /// Null takes it away.
    annotation: Option<String>,
}

pub async fn annotate(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<AnnotationBody>,
) -> Result<StatusCode, Failure> {
    let note = body.annotation.filter(|text| !text.is_empty()).map(Into::into);
    of(&orloj, &who).annotate(IncidentKey::new(key), note).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn of(orloj: &Orloj, who: &Who) -> Incidents {
    match &who.0 {
        Some(user) => orloj.incidents().by(user),
        None => orloj.incidents(),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    key: Key,
    instance: Key,
    process: String,
    definition: Key,
    element: String,
    element_instance: Key,
    job: Option<Key>,
    kind: String,
    message: String,
    created_at: Time,
    /// Its own key where nothing else caused it.
    cause: Key,
    root_cause: Key,
    configuration: Option<String>,
    annotation: Option<String>,
    tenant: Option<String>,
}

impl From<&IncidentView> for Incident {
    fn from(view: &IncidentView) -> Self {
        Self {
            key: Key(view.key.raw()),
            instance: Key(view.instance.raw()),
            process: view.process_id.to_string(),
            definition: Key(view.definition.raw()),
            element: view.element.to_string(),
            element_instance: Key(view.element_instance.raw()),
            job: view.job.map(|job| Key(job.raw())),
            kind: view.kind.to_string(),
            message: view.message.to_string(),
            created_at: Time(view.created_at),
            cause: Key(view.cause.raw()),
            root_cause: Key(view.root_cause.raw()),
            configuration: view.configuration.as_deref().map(str::to_owned),
            annotation: view.annotation.as_deref().map(str::to_owned),
            tenant: tenant(&view.tenant),
        }
    }
}
