//! `/api/jobs`

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{InstanceKey, JobKey};
use orloj::{Explanation, JobFilter, JobKind, JobState, JobView, Orloj};
use serde::{Deserialize, Serialize};

use crate::extract::{JsonBody, Params, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::instances::tenant;
use crate::page::{Listing, listing, page};
use crate::wire::{Key, Time, time};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    instance: Option<i64>,
    r#type: Option<String>,
    state: Option<String>,
    before: Option<i64>,
    limit: Option<u32>,
}

pub async fn list(
    State(orloj): State<Orloj>,
    Params(params): Params<ListParams>,
) -> Result<Json<Listing<Job>>, Failure> {
    let page = page(params.before, params.limit)?;
    let filter = JobFilter {
        instance: params.instance.map(InstanceKey::new),
        job_type: params.r#type.map(Into::into),
        state: params.state.as_deref().map(state_named).transpose()?,
    };
    let rows = orloj.jobs(filter, page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

pub async fn explain(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
) -> Result<Json<Explained>, Failure> {
    let explanation = orloj.explain(JobKey::new(key)).await?;
    Ok(Json(Explained::from(explanation)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetriesBody {
    retries: i32,
}

pub async fn retries(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<RetriesBody>,
) -> Result<StatusCode, Failure> {
    orloj.update_retries(JobKey::new(key), body.retries).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    key: Key,
    instance: Key,
    process: String,
    definition: Key,
    element: String,
    element_instance: Key,
    kind: &'static str,
    r#type: String,
    state: &'static str,
    retries_left: i32,
    priority: i64,
    exclusive: bool,
    due_at: Option<Time>,
    locked_by: Option<String>,
    locked_until: Option<Time>,
    attempt: i32,
    failure: Option<String>,
    tenant: Option<String>,
}

#[derive(Serialize)]
pub struct Explained {
    job: Job,
    /// Empty: nothing stands in its way.
    reasons: Vec<Reason>,
}

#[derive(Serialize)]
struct Reason {
    code: &'static str,
    text: String,
    remedy: Option<String>,
}

impl From<&JobView> for Job {
    fn from(view: &JobView) -> Self {
        Self {
            key: Key(view.key.raw()),
            instance: Key(view.instance.raw()),
            process: view.process_id.to_string(),
            definition: Key(view.definition.raw()),
            element: view.element.to_string(),
            element_instance: Key(view.element_instance.raw()),
            kind: kind_name(view.kind),
            r#type: view.job_type.to_string(),
            state: state_name(view.state),
            retries_left: view.retries_left,
            priority: view.priority,
            exclusive: view.exclusive,
            due_at: time(view.due_at),
            locked_by: view.locked_by.as_deref().map(str::to_owned),
            locked_until: time(view.locked_until),
            attempt: view.attempt,
            failure: view.failure.as_deref().map(str::to_owned),
            tenant: tenant(&view.tenant),
        }
    }
}

impl From<Explanation> for Explained {
    fn from(explanation: Explanation) -> Self {
        let reason = |reason: orloj::Reason| Reason {
            code: reason.code,
            text: reason.text,
            remedy: reason.remedy,
        };
        Self {
            job: Job::from(&explanation.job),
            reasons: explanation.reasons.into_iter().map(reason).collect(),
        }
    }
}

const STATES: [JobState; 6] = [
    JobState::Ready,
    JobState::Waiting,
    JobState::Parked,
    JobState::Failed,
    JobState::ErrorThrown,
    JobState::Suspended,
];

fn state_name(state: JobState) -> &'static str {
    match state {
        JobState::Ready => "ready",
        JobState::Waiting => "waiting",
        JobState::Parked => "parked",
        JobState::Failed => "failed",
        JobState::ErrorThrown => "error-thrown",
        JobState::Suspended => "suspended",
    }
}

fn state_named(name: &str) -> Result<JobState, RequestFault> {
    STATES.into_iter().find(|state| state_name(*state) == name).ok_or_else(|| {
        let names = STATES.map(state_name).join(", ");
        RequestFault::Query(format!("state must be one of {names}, not '{name}'"))
    })
}

fn kind_name(kind: JobKind) -> &'static str {
    match kind {
        JobKind::AsyncBefore => "async-before",
        JobKind::AsyncAfter => "async-after",
        JobKind::Worker => "worker",
        JobKind::Timer => "timer",
        JobKind::AsyncComplete => "async-complete",
        JobKind::Listener => "listener",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_can_be_asked_for_by_the_name_it_is_shown_with() {
        for state in (0..=u8::MAX).map_while(JobState::from_number) {
            assert_eq!(state_named(state_name(state)), Ok(state));
        }
        assert_eq!(
            state_named("READY"),
            Err(RequestFault::Query(
                "state must be one of ready, waiting, parked, failed, error-thrown, suspended, \
                 not 'READY'"
                    .to_owned()
            ))
        );
    }
}
