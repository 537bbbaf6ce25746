//! `/api/jobs`: finding them.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use orloj::types::JobKey;
use orloj::{Explanation, JobView, Orloj};
use serde::{Deserialize, Serialize};

use crate::extract::{Params, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::filtered::Filtered;
use crate::instances::tenant;
use crate::job_filter::JobParams;
use crate::job_words::{kind_name, state_name};
use crate::page::{Counted, Listing, next_of};
use crate::wire::{Key, Time, time};

pub async fn list(
    State(orloj): State<Orloj>,
    Filtered { filter, page }: Filtered<JobParams>,
) -> Result<Json<Listing<Job>>, Failure> {
    let chosen = filter.chosen(&orloj).await?;
    let is_by_key = chosen.filter.order == orloj::store::JobOrder::default();
    if !is_by_key && page.before.is_some() {
        let reason = "before goes by keys; with another order use offset";
        return Err(RequestFault::Query(reason.to_owned()).into());
    }
    let mut rows = orloj.jobs().list(chosen.filter.clone(), page).await?;
    let next = next_of(&rows, page, |row| row.key.raw()).filter(|_| is_by_key);
    chosen.keep(&orloj, &mut rows).await?;
    Ok(Json(Listing::new(rows.iter().map(Job::from).collect(), next)))
}

pub async fn count(
    State(orloj): State<Orloj>,
    Params(params): Params<JobParams>,
) -> Result<Json<Counted>, Failure> {
    let count = orloj.jobs().count(params.chosen(&orloj).await?.alone()?).await?;
    Ok(Json(Counted { count }))
}

pub async fn show(State(orloj): State<Orloj>, PathKey(key): PathKey) -> Result<Json<Job>, Failure> {
    Ok(Json(Job::from(&orloj.jobs().get(JobKey::new(key)).await?)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrelationParams {
    id: String,
}

pub async fn by_correlation_id(
    State(orloj): State<Orloj>,
    Params(CorrelationParams { id }): Params<CorrelationParams>,
) -> Result<Json<Job>, Failure> {
    let found = orloj.jobs().find_by_correlation_id(&id).await?;
    Ok(Json(Job::from(&found.ok_or(RequestFault::NoSuchJob(id))?)))
}

pub async fn explain(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<Explained>, Failure> {
    let explanation = orloj.jobs().explain(JobKey::new(key)).await?;
    Ok(Json(Explained::from(explanation)))
}

/// Where the last failure came from, as text; empty when it did not say.
pub async fn stack_trace(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<impl IntoResponse, Failure> {
    let text = orloj.jobs().stack_trace(JobKey::new(key)).await?;
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((headers, text.as_deref().unwrap_or_default().to_owned()))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    key: Key,
    /// Null: a chore, which belongs to no instance.
    instance: Option<Key>,
    process: Option<String>,
    definition: Option<Key>,
    element: String,
    element_instance: Option<Key>,
    kind: &'static str,
    r#type: String,
    topic: String,
    category: Option<String>,
    limit_key: Option<String>,
    batch: Option<Key>,
    state: &'static str,
    retries_left: i32,
    priority: i64,
    exclusive: bool,
    due_at: Option<Time>,
    created_at: Time,
    locked_by: Option<String>,
    locked_until: Option<Time>,
    attempt: i32,
    failure: Option<String>,
    failed_element: Option<String>,
    tenant: Option<String>,
}

#[derive(Serialize)]
pub struct Explained {
    job: Job,
    /// Empty: nothing stands in its way.
    reasons: Vec<Reason>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reason {
    code: &'static str,
    text: String,
    remedy: Option<String>,
    /// The node to ask for it; null: any.
    on_node: Option<String>,
}

impl From<&JobView> for Job {
    fn from(view: &JobView) -> Self {
        fn key(raw: i64) -> Option<Key> {
            (raw != 0).then_some(Key(raw))
        }
        fn text(text: &str) -> Option<String> {
            (!text.is_empty()).then(|| text.to_owned())
        }
        Self {
            key: Key(view.key.raw()),
            instance: key(view.instance.raw()),
            process: text(&view.process_id),
            definition: key(view.definition.raw()),
            element: view.element.to_string(),
            element_instance: key(view.element_instance.raw()),
            kind: kind_name(view.kind),
            r#type: view.job_type.to_string(),
            topic: view.topic.to_string(),
            category: view.category.as_deref().map(str::to_owned),
            limit_key: view.limit_key.as_deref().map(str::to_owned),
            batch: view.batch.map(|batch| Key(batch.raw())),
            state: state_name(view.state),
            retries_left: view.retries_left,
            priority: view.priority,
            exclusive: view.exclusive,
            due_at: time(view.due_at),
            created_at: Time(view.created_at),
            locked_by: view.locked_by.as_deref().map(str::to_owned),
            locked_until: time(view.locked_until),
            attempt: view.attempt,
            failure: view.failure.as_deref().map(str::to_owned),
            failed_element: view.failed_element.as_ref().map(ToString::to_string),
            tenant: tenant(&view.tenant),
        }
    }
}

impl From<Explanation> for Explained {
    fn from(explanation: Explanation) -> Self {
        let reason = |reason: orloj::Reason| Reason {
            code: reason.code,
            text: reason.text,
            remedy: reason.remedy.map(|remedy| remedy.to_string()),
            on_node: reason.on_node.map(|name| name.to_string()),
        };
        Self {
            job: Job::from(&explanation.job),
            reasons: explanation.reasons.into_iter().map(reason).collect(),
        }
    }
}
