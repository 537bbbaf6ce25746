//! `/api/history`: what has happened, and what people did.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::history::{
    Found, HistoryFilter, IncidentState, JobLogFilter, JobLogState, SPAN_ROWS_MAX, Span, TaskState,
};
use orloj::store::{OperationFilter, OperationRow};
use orloj::types::{DefinitionKey, InstanceKey, JobDefinitionKey, JobKey, OperationKey, TenantId};
use orloj::{InstanceState, JobFilter, Orloj};
use serde::{Deserialize, Serialize};

use crate::extract::{JsonBody, Params};
use crate::failure::{Failure, RequestFault};
use crate::filtered::Filtered;
use crate::history_rows::{Activity, HistoryIncident, HistoryTask, JobEntry, Update, Variable};
use crate::instances::{Instance, tenant};
use crate::job_words::named;
use crate::jobs::Job;
use crate::page::{Listing, listing, page};
use crate::who::Who;
use crate::wire::{GivenKey, GivenTime, Key, Time};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InstanceParams {
    process: Option<String>,
    definition: Option<GivenKey>,
    business_key: Option<String>,
    tenant: Option<String>,
    state: Option<String>,
    started_from: Option<GivenTime>,
    started_before: Option<GivenTime>,
    ended_from: Option<GivenTime>,
    ended_before: Option<GivenTime>,
}

const STATES: [(&str, InstanceState); 3] = [
    ("active", InstanceState::Active),
    ("completed", InstanceState::Completed),
    ("cancelled", InstanceState::Cancelled),
];

/// Those that run and those that have ended.
pub async fn instances(
    State(orloj): State<Orloj>,
    Filtered { filter, page }: Filtered<InstanceParams>,
) -> Result<Json<Listing<Instance>>, Failure> {
    let state = filter.state.as_deref().map(|word| named("state", word, &STATES, |(name, _)| name));
    let asked = HistoryFilter {
        definition: filter.definition.map(|key| DefinitionKey::new(key.0)),
        process_id: filter.process.map(Into::into),
        business_key: filter.business_key.map(Into::into),
        tenant: filter.tenant.map(TenantId::new),
        state: state.transpose()?.map(|(_, state)| state),
        started_from: filter.started_from.map(|at| at.0),
        started_before: filter.started_before.map(|at| at.0),
        ended_from: filter.ended_from.map(|at| at.0),
        ended_before: filter.ended_before.map(|at| at.0),
        not_ended_before: None,
    };
    let listed = orloj.history().instances(&asked, page).await?;
    let items = listed.rows.iter().map(Instance::from).collect();
    Ok(Json(Listing::new(items, listed.next)))
}

/// Of one instance, in the order in which it happened.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfInstance {
    instance: GivenKey,
    offset: Option<usize>,
    limit: Option<u32>,
}

impl OfInstance {
    fn read(&self) -> Result<(InstanceKey, Span), RequestFault> {
        Ok((InstanceKey::new(self.instance.0), span(self.offset, self.limit)?))
    }
}

fn span(offset: Option<usize>, limit: Option<u32>) -> Result<Span, RequestFault> {
    let limit = page(None, limit)?.limit as usize;
    Ok(Span { skip: offset.unwrap_or(0), limit: limit.min(SPAN_ROWS_MAX) })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Items<T> {
    items: Vec<T>,
    /// There are instances that were not looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// The level of history keeps no such rows; older ones may be there still.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_kept: bool,
}

impl<T> Items<T> {
    fn of<V>(rows: &[V]) -> Json<Self>
    where
        T: for<'a> From<&'a V>,
    {
        let items = rows.iter().map(T::from).collect();
        Json(Self { items, partial: false, not_kept: false })
    }

    fn found<V>(found: &Found<V>) -> Json<Self>
    where
        T: for<'a> From<&'a V>,
    {
        let items = found.rows.iter().map(T::from).collect();
        Json(Self { items, partial: found.is_partial, not_kept: false })
    }
}

pub async fn activities(
    State(orloj): State<Orloj>,
    Params(params): Params<OfInstance>,
) -> Result<Json<Items<Activity>>, Failure> {
    let (instance, span) = params.read()?;
    Ok(Items::of(&orloj.history().activities(instance, span).await?))
}

pub async fn variables(
    State(orloj): State<Orloj>,
    Params(params): Params<OfInstance>,
) -> Result<Json<Items<Variable>>, Failure> {
    let (instance, span) = params.read()?;
    Ok(Items::of(&orloj.history().variables(instance, span).await?))
}

pub async fn variable_updates(
    State(orloj): State<Orloj>,
    Params(params): Params<OfInstance>,
) -> Result<Json<Items<Update>>, Failure> {
    let (instance, span) = params.read()?;
    Ok(Items::of(&orloj.history().variable_updates(instance, span).await?))
}

pub async fn tasks(
    State(orloj): State<Orloj>,
    Params(params): Params<OfInstance>,
) -> Result<Json<Items<HistoryTask>>, Failure> {
    let (instance, span) = params.read()?;
    Ok(Items::of(&orloj.history().tasks(instance, span).await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncidentsParams {
    /// Absent: of jobs of no instance, newest first.
    instance: Option<GivenKey>,
    /// Only of this job, whatever it belongs to; where no instance is named.
    job: Option<GivenKey>,
    offset: Option<usize>,
    limit: Option<u32>,
}

pub async fn incidents(
    State(orloj): State<Orloj>,
    Params(params): Params<IncidentsParams>,
) -> Result<Json<Items<HistoryIncident>>, Failure> {
    let span = span(params.offset, params.limit)?;
    let job = params.job.map(|key| JobKey::new(key.0));
    let history = orloj.history();
    Ok(match (params.instance, job) {
        (Some(_), Some(_)) => return Err(refused("job goes without instance only")),
        (Some(key), None) => Items::of(&history.incidents(InstanceKey::new(key.0), span).await?),
        (None, _) if span.skip > 0 => return Err(refused("offset goes with instance only")),
        (None, Some(job)) => Items::found(&history.job_incidents(job, span.limit).await?),
        (None, None) => Items::of(&history.chore_incidents(span.limit).await?),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobsParams {
    /// Absent: of jobs of no instance and of the newest instances, newest first.
    instance: Option<GivenKey>,
    /// Only of this job, whatever it belongs to.
    job: Option<GivenKey>,
    /// Only what happened in this way, such as `failed`.
    state: Option<String>,
    /// Only failures with this message.
    message: Option<String>,
    element: Option<String>,
    /// Only tries of this node or worker.
    run_by: Option<String>,
    process: Option<String>,
    definition: Option<GivenKey>,
    /// Only what happened from then on.
    from: Option<GivenTime>,
    /// Only what happened before.
    until: Option<GivenTime>,
    /// With what failed tries say beyond their message.
    #[serde(default)]
    details: bool,
    offset: Option<usize>,
    limit: Option<u32>,
}

pub async fn jobs(
    State(orloj): State<Orloj>,
    Params(params): Params<JobsParams>,
) -> Result<Json<Items<JobEntry>>, Failure> {
    let span = span(params.offset, params.limit)?;
    let state = match params.state.as_deref() {
        None => None,
        Some(word) => match JobLogState::from_word(word) {
            Some(state) => Some(state),
            None => return Err(refused(&format!("state: nothing is called {word}"))),
        },
    };
    let filter = JobLogFilter {
        job: params.job.map(|key| JobKey::new(key.0)),
        states: state.into_iter().collect(),
        message: params.message.map(Into::into),
        element: params.element.map(Into::into),
        run_by: params.run_by.map(Into::into),
        definition: params.definition.map(|key| DefinitionKey::new(key.0)),
        process_id: params.process.map(Into::into),
        from: params.from.map(|at| at.0),
        until: params.until.map(|at| at.0),
    };
    let history = orloj.history();
    let mut found = match params.instance {
        Some(key) => {
            let rows = history.job_log(InstanceKey::new(key.0), &filter, span).await?;
            Found { rows, is_partial: false }
        }
        None if span.skip > 0 => return Err(refused("offset goes with instance only")),
        None => history.recent_job_log(&filter, span.limit).await?,
    };
    if !params.details {
        found.rows.iter_mut().for_each(|row| row.details = None);
    }
    let Json(items) = Items::found(&found);
    Ok(Json(Items { not_kept: !history.keeps_job_log(), ..items }))
}

fn refused(reason: &str) -> Failure {
    RequestFault::Query(reason.to_owned()).into()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperationParams {
    group: Option<GivenKey>,
    user: Option<String>,
    operation: Option<String>,
    entity: Option<String>,
    entity_key: Option<GivenKey>,
    instance: Option<GivenKey>,
    definition: Option<GivenKey>,
    job_definition: Option<GivenKey>,
    property: Option<String>,
    from: Option<GivenTime>,
    until: Option<GivenTime>,
}

pub async fn operations(
    State(orloj): State<Orloj>,
    Filtered { filter, page }: Filtered<OperationParams>,
) -> Result<Json<Listing<Operation>>, Failure> {
    let asked = OperationFilter {
        group: filter.group.map(|key| OperationKey::new(key.0)),
        user: filter.user.map(Into::into),
        operation: filter.operation.map(Into::into),
        entity: filter.entity.map(Into::into),
        entity_key: filter.entity_key.map(|key| key.0),
        instance: filter.instance.map(|key| InstanceKey::new(key.0)),
        definition: filter.definition.map(|key| DefinitionKey::new(key.0)),
        job_definition: filter.job_definition.map(|key| JobDefinitionKey::new(key.0)),
        property: filter.property.map(Into::into),
        from: filter.from.map(|at| at.0),
        until: filter.until.map(|at| at.0),
    };
    let rows = orloj.history().operations(asked, page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    key: Key,
    /// What was done at once has the same.
    group: Key,
    at: Time,
    user: Option<String>,
    operation: String,
    entity: String,
    entity_key: Option<Key>,
    instance: Option<Key>,
    definition: Option<Key>,
    job_definition: Option<Key>,
    property: Option<String>,
    old: Option<String>,
    new: Option<String>,
    tenant: Option<String>,
}

impl From<&OperationRow> for Operation {
    fn from(row: &OperationRow) -> Self {
        let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().map(str::to_owned);
        Self {
            key: Key(row.key.raw()),
            group: Key(row.group.raw()),
            at: Time(row.at),
            user: text(&row.user),
            operation: row.operation.to_string(),
            entity: row.entity.to_string(),
            entity_key: row.entity_key.map(Key),
            instance: row.instance.map(|key| Key(key.raw())),
            definition: row.definition.map(|key| Key(key.raw())),
            job_definition: row.job_definition.map(|key| Key(key.raw())),
            property: text(&row.property),
            old: text(&row.old),
            new: text(&row.new),
            tenant: tenant(&row.tenant),
        }
    }
}

/// The jobs that remove what is old.
pub async fn clean_up(State(orloj): State<Orloj>) -> Result<Json<Items<Job>>, Failure> {
    let keys: Vec<JobKey> = orloj.clean_up_jobs().await?.iter().map(|row| row.key).collect();
    if keys.is_empty() {
        // No keys would mean all jobs.
        return Ok(Items::of::<orloj::JobView>(&[]));
    }
    let filter = JobFilter { keys, ..JobFilter::default() };
    let jobs = orloj.jobs().list(filter, page(None, None)?).await?;
    Ok(Items::of(&jobs))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CleanUpBody {
    /// Now, whatever the windows say; false: as the settings want it.
    immediately: Option<bool>,
}

#[derive(Serialize)]
pub struct CleaningUp {
    jobs: Vec<Key>,
}

pub async fn begin_clean_up(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(body): JsonBody<CleanUpBody>,
) -> Result<(StatusCode, Json<CleaningUp>), Failure> {
    let orloj = who.0.as_deref().map_or_else(|| orloj.clone(), |user| orloj.as_user(user));
    let jobs = orloj.clean_up_history(body.immediately.unwrap_or(true)).await?;
    let jobs = jobs.iter().map(|key| Key(key.raw())).collect();
    Ok((StatusCode::ACCEPTED, Json(CleaningUp { jobs })))
}

pub fn task_state(state: TaskState) -> &'static str {
    match state {
        TaskState::Open => "open",
        TaskState::Completed => "completed",
        TaskState::Deleted => "deleted",
    }
}

pub fn incident_state(state: IncidentState) -> &'static str {
    match state {
        IncidentState::Open => "open",
        IncidentState::Resolved => "resolved",
        IncidentState::Deleted => "deleted",
    }
}
