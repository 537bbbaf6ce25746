//! `/api/job-definitions`

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use orloj::store::JobDefinitionFilter;
use orloj::types::{DefinitionKey, JobDefinitionKey, TenantId};
use orloj::{
    BulkReport, JobDefinitionAction, JobDefinitionScope, JobDefinitionView, JobDefinitions, Orloj,
    PAGE_ROWS_MAX, SuspendJobs, WhichJobDefinitions,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bulk::{self, Choice, Many, Portion};
use crate::extract::{JsonBody, Params, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::filtered::Filtered;
use crate::instances::tenant;
use crate::page::{Counted, Listing, listing};
use crate::suspension::{self, Order};
use crate::who::Who;
use crate::wire::{GivenKey, GivenTime, Key, given};

#[derive(Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FilterParams {
    /// With commas between them; other fields do not go with it.
    keys: Option<String>,
    definition: Option<GivenKey>,
    process: Option<String>,
    tenant: Option<String>,
    element: Option<String>,
    kind: Option<String>,
    configuration: Option<String>,
    suspended: Option<bool>,
    with_priority: Option<bool>,
}

/// Which job definitions a request is about.
enum Chosen {
    Keys(BTreeSet<JobDefinitionKey>),
    Filter(JobDefinitionFilter),
}

impl FilterParams {
    fn chosen(mut self) -> Result<Chosen, RequestFault> {
        if let Some(keys) = self.keys.take() {
            return match self == Self::default() {
                true => Ok(Chosen::Keys(named(&keys)?)),
                false => Err(RequestFault::Query("keys: no other field goes with it".to_owned())),
            };
        }
        Ok(Chosen::Filter(JobDefinitionFilter {
            definition: self.definition.map(|key| DefinitionKey::new(key.0)),
            process_id: self.process.map(Into::into),
            tenant: self.tenant.map(TenantId::new),
            element: self.element.map(Into::into),
            kind: self.kind.map(Into::into),
            configuration: self.configuration.map(Into::into),
            suspended: self.suspended,
            has_priority: self.with_priority,
        }))
    }
}

fn named(keys: &str) -> Result<BTreeSet<JobDefinitionKey>, RequestFault> {
    let key = |text: &str| match text.trim().parse() {
        Ok(key) if key > 0 => Ok(JobDefinitionKey::new(key)),
        _ => Err(RequestFault::Query(format!("keys: '{text}' is not a key"))),
    };
    let keys: BTreeSet<_> = keys.split(',').map(key).collect::<Result<_, _>>()?;
    if keys.len() > PAGE_ROWS_MAX as usize {
        let reason = format!("keys: at most {PAGE_ROWS_MAX} at once, not {}", keys.len());
        return Err(RequestFault::Query(reason));
    }
    Ok(keys)
}

pub async fn list(
    State(orloj): State<Orloj>,
    Filtered { filter, page }: Filtered<FilterParams>,
) -> Result<Json<Listing<JobDefinition>>, Failure> {
    match filter.chosen()? {
        Chosen::Keys(keys) => {
            let rows = existing(&orloj, keys).await?;
            Ok(Json(Listing::new(rows.iter().map(JobDefinition::from).collect(), None)))
        }
        Chosen::Filter(filter) => {
            let rows = orloj.job_definitions().list(filter, page).await?;
            Ok(Json(listing(&rows, page, |row| row.key.raw())))
        }
    }
}

/// The newest first, as in every listing.
async fn existing(
    orloj: &Orloj,
    keys: BTreeSet<JobDefinitionKey>,
) -> Result<Vec<JobDefinitionView>, Failure> {
    let mut rows = Vec::new();
    for key in keys.into_iter().rev() {
        match orloj.job_definitions().get(key).await {
            Ok(row) => rows.push(row),
            Err(orloj::Error::Missing(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(rows)
}

pub async fn count(
    State(orloj): State<Orloj>,
    Params(params): Params<FilterParams>,
) -> Result<Json<Counted>, Failure> {
    let count = match params.chosen()? {
        Chosen::Keys(keys) => existing(&orloj, keys).await?.len() as u64,
        Chosen::Filter(filter) => orloj.job_definitions().count(filter).await?,
    };
    Ok(Json(Counted { count }))
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
    /// Of the process, only what has no tenant.
    #[serde(default)]
    without_tenant: bool,
}

impl suspension::SuspendBody for SuspendBody {
    fn order(self, key: Option<i64>) -> Result<Order, RequestFault> {
        let how = SuspendJobs { include_jobs: self.include_jobs, at: self.at.map(|at| at.0) };
        let tenant = suspension::tenant(self.tenant, self.without_tenant)?;
        let scope = match (key, self.definition, self.process, tenant) {
            (Some(key), None, None, None) => JobDefinitionScope::Key(JobDefinitionKey::new(key)),
            (None, Some(key), None, None) => {
                JobDefinitionScope::Definition(DefinitionKey::new(key.0))
            }
            (None, None, Some(process), tenant) => {
                JobDefinitionScope::Process(process.into(), tenant)
            }
            (Some(_), ..) => {
                let reason = "definition, process and tenant do not go with a key";
                return Err(RequestFault::Body(reason.to_owned()));
            }
            _ => {
                let reason = "one of definition and process is needed; tenant goes with process";
                return Err(RequestFault::Body(reason.to_owned()));
            }
        };
        Ok(Order::JobDefinitions(scope, how))
    }
}

/// The body of a command, beside whom it is for.
pub trait DefinitionCommand: DeserializeOwned + Send + 'static {
    fn action(self) -> JobDefinitionAction;
}

pub async fn one<C: DefinitionCommand>(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(command): JsonBody<C>,
) -> Result<Response, Failure> {
    let action = command.action();
    let BulkReport { done, failed, .. } =
        of(&orloj, &who).act(JobDefinitionKey::new(key), &action).await?;
    Ok(match action {
        // It reaches no job.
        JobDefinitionAction::ClearPriority => StatusCode::NO_CONTENT.into_response(),
        _ => Json(Report { done, failed }).into_response(),
    })
}

/// What became of the jobs that a command reached.
#[derive(Serialize)]
struct Report {
    done: u64,
    failed: u64,
}

pub async fn many<C: DefinitionCommand>(
    State(orloj): State<Orloj>,
    who: Who,
    many: Many<FilterParams, C>,
) -> Result<Json<Portion>, Failure> {
    if many.as_batch {
        let reason = "asBatch: job definitions are not changed in batches";
        return Err(RequestFault::Body(reason.to_owned()).into());
    }
    let named = |keys: Vec<i64>| keys.into_iter().map(JobDefinitionKey::new).collect();
    let which = match many.choice {
        Choice::Keys(keys) => WhichJobDefinitions::Keys(named(keys)),
        Choice::Filter(params) => match params.chosen()? {
            Chosen::Keys(keys) => WhichJobDefinitions::Keys(keys.into_iter().collect()),
            Chosen::Filter(filter) => WhichJobDefinitions::Filter(filter),
        },
    };
    let action = many.command.action();
    if let JobDefinitionAction::SetRetries { retries, .. } = &action
        && *retries < 0
    {
        return Err(orloj::Error::from(orloj::Rejection::RetriesNegative(*retries)).into());
    }
    let bulk = of(&orloj, &who).all(which, action);
    Ok(Json(bulk::run(bulk, many.portion).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetPriority {
    priority: i64,
    /// The jobs that exist as well.
    #[serde(default)]
    cascade: bool,
}

impl DefinitionCommand for SetPriority {
    fn action(self) -> JobDefinitionAction {
        JobDefinitionAction::SetPriority { priority: self.priority, cascade: self.cascade }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClearPriority {}

impl DefinitionCommand for ClearPriority {
    fn action(self) -> JobDefinitionAction {
        JobDefinitionAction::ClearPriority
    }
}

/// For the jobs that have none left.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetRetries {
    retries: i32,
    /// Null takes the due date away; absent leaves it.
    #[serde(default, deserialize_with = "given")]
    due_at: Option<Option<GivenTime>>,
}

impl DefinitionCommand for SetRetries {
    fn action(self) -> JobDefinitionAction {
        let due = self.due_at.map(|due| due.map(|at| at.0));
        JobDefinitionAction::SetRetries { retries: self.retries, due }
    }
}

pub fn of(orloj: &Orloj, who: &Who) -> JobDefinitions {
    match &who.0 {
        Some(user) => orloj.job_definitions().by(user),
        None => orloj.job_definitions(),
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
