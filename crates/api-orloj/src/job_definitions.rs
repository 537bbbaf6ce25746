//! `/api/job-definitions`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::store::JobDefinitionFilter;
use orloj::types::{DefinitionKey, JobDefinitionKey, TenantId};
use orloj::{
    BulkReport, JobDefinitionScope, JobDefinitionView, JobDefinitions, Orloj, SuspendJobs,
};
use serde::{Deserialize, Serialize};

use crate::extract::{JsonBody, Params, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::filtered::Filtered;
use crate::instances::tenant;
use crate::page::{Counted, Listing, listing};
use crate::suspension::Suspension;
use crate::who::Who;
use crate::wire::{GivenKey, GivenTime, Key, given};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FilterParams {
    definition: Option<GivenKey>,
    process: Option<String>,
    tenant: Option<String>,
    element: Option<String>,
    kind: Option<String>,
    configuration: Option<String>,
    suspended: Option<bool>,
    with_priority: Option<bool>,
}

impl From<FilterParams> for JobDefinitionFilter {
    fn from(params: FilterParams) -> Self {
        Self {
            definition: params.definition.map(|key| DefinitionKey::new(key.0)),
            process_id: params.process.map(Into::into),
            tenant: params.tenant.map(TenantId::new),
            element: params.element.map(Into::into),
            kind: params.kind.map(Into::into),
            configuration: params.configuration.map(Into::into),
            suspended: params.suspended,
            has_priority: params.with_priority,
        }
    }
}

pub async fn list(
    State(orloj): State<Orloj>,
    Filtered { filter, page }: Filtered<FilterParams>,
) -> Result<Json<Listing<JobDefinition>>, Failure> {
    let rows = orloj.job_definitions().list(filter.into(), page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

pub async fn count(
    State(orloj): State<Orloj>,
    Params(params): Params<FilterParams>,
) -> Result<Json<Counted>, Failure> {
    Ok(Json(Counted { count: orloj.job_definitions().count(params.into()).await? }))
}

pub async fn show(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<JobDefinition>, Failure> {
    let view = orloj.job_definitions().get(JobDefinitionKey::new(key)).await?;
    Ok(Json(JobDefinition::from(&view)))
}

/// Without a key in the path, exactly one of `definition` and `process`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SuspendBody {
    #[serde(default)]
    include_jobs: bool,
    at: Option<GivenTime>,
    definition: Option<GivenKey>,
    process: Option<String>,
    /// Of the process; absent: in every tenant.
    tenant: Option<String>,
}

impl SuspendBody {
    fn how(&self) -> SuspendJobs {
        SuspendJobs { include_jobs: self.include_jobs, at: self.at.map(|at| at.0) }
    }

    fn scope(self) -> Result<JobDefinitionScope, RequestFault> {
        match (self.definition, self.process, self.tenant) {
            (Some(key), None, None) => {
                Ok(JobDefinitionScope::Definition(DefinitionKey::new(key.0)))
            }
            (None, Some(process), tenant) => {
                let tenant = tenant.map(TenantId::new);
                Ok(JobDefinitionScope::Process(process.into(), tenant))
            }
            _ => Err(RequestFault::Body(
                "one of definition and process is needed; tenant goes with process".to_owned(),
            )),
        }
    }

    /// The path has said which.
    fn of_key(self, key: i64) -> Result<(JobDefinitionScope, SuspendJobs), RequestFault> {
        if self.definition.is_some() || self.process.is_some() || self.tenant.is_some() {
            let reason = "definition, process and tenant do not go with a key";
            return Err(RequestFault::Body(reason.to_owned()));
        }
        Ok((JobDefinitionScope::Key(JobDefinitionKey::new(key)), self.how()))
    }
}

pub async fn suspend(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<SuspendBody>,
) -> Result<Json<Suspension>, Failure> {
    let (scope, how) = body.of_key(key)?;
    Ok(Json(of(&orloj, &who).suspend(&scope, how).await?.into()))
}

pub async fn resume(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<SuspendBody>,
) -> Result<Json<Suspension>, Failure> {
    let (scope, how) = body.of_key(key)?;
    Ok(Json(of(&orloj, &who).activate(&scope, how).await?.into()))
}

pub async fn suspend_many(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(body): JsonBody<SuspendBody>,
) -> Result<Json<Suspension>, Failure> {
    let how = body.how();
    Ok(Json(of(&orloj, &who).suspend(&body.scope()?, how).await?.into()))
}

pub async fn resume_many(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(body): JsonBody<SuspendBody>,
) -> Result<Json<Suspension>, Failure> {
    let how = body.how();
    Ok(Json(of(&orloj, &who).activate(&body.scope()?, how).await?.into()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorityBody {
    priority: i64,
    /// The jobs that exist as well.
    #[serde(default)]
    cascade: bool,
}

pub async fn priority(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<PriorityBody>,
) -> Result<Json<Report>, Failure> {
    let key = JobDefinitionKey::new(key);
    let report = of(&orloj, &who).set_priority(key, body.priority, body.cascade).await?;
    Ok(Json(report.into()))
}

pub async fn clear_priority(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
) -> Result<StatusCode, Failure> {
    of(&orloj, &who).clear_priority(JobDefinitionKey::new(key)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetriesBody {
    retries: i32,
    /// Null takes the due date away; absent leaves it.
    #[serde(default, deserialize_with = "given")]
    due_at: Option<Option<GivenTime>>,
}

/// For the jobs that have none left.
pub async fn retries(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<RetriesBody>,
) -> Result<Json<Report>, Failure> {
    let due = body.due_at.map(|due| due.map(|at| at.0));
    let key = JobDefinitionKey::new(key);
    Ok(Json(of(&orloj, &who).set_retries(key, body.retries, due).await?.into()))
}

fn of(orloj: &Orloj, who: &Who) -> JobDefinitions {
    match &who.0 {
        Some(user) => orloj.job_definitions().by(user),
        None => orloj.job_definitions(),
    }
}

/// What became of the jobs that a command reached.
#[derive(Serialize)]
pub struct Report {
    done: u64,
    failed: u64,
}

impl From<BulkReport> for Report {
    fn from(report: BulkReport) -> Self {
        Self { done: report.done, failed: report.failed }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JobDefinition {
    key: Key,
    definition: Key,
    process: String,
    element: String,
    kind: String,
    configuration: String,
    suspended: bool,
    priority: Option<i64>,
    tenant: Option<String>,
}

impl From<&JobDefinitionView> for JobDefinition {
    fn from(view: &JobDefinitionView) -> Self {
        Self {
            key: Key(view.key.raw()),
            definition: Key(view.definition.raw()),
            process: view.process_id.to_string(),
            element: view.element.to_string(),
            kind: view.kind.to_string(),
            configuration: view.configuration.to_string(),
            suspended: view.suspended,
            priority: view.priority,
            tenant: tenant(&view.tenant),
        }
    }
}
