//! `/api/executor`: what runs the engine's own jobs on the node that answers.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::{ExecutorReport, Orloj};
use serde::{Deserialize, Serialize};

use crate::extract::JsonBody;
use crate::failure::Failure;
use crate::wire::{Key, Time, time};

/// Jobs set aside that are told; of so many the first tell what is wrong.
const SET_ASIDE_MAX: usize = 1_000;

pub async fn show(State(orloj): State<Orloj>) -> Result<Json<Executor>, Failure> {
    Ok(Json(Executor::from(orloj.executor().report().await?)))
}

pub async fn start(State(orloj): State<Orloj>) -> Result<StatusCode, Failure> {
    orloj.executor().start().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Answers when nothing is begun any more.
pub async fn stop(State(orloj): State<Orloj>) -> Result<StatusCode, Failure> {
    orloj.executor().stop().await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CloseBody {
    topic: String,
}

/// Lets jobs of a topic through again that its circuit breaker keeps back.
pub async fn close_breaker(
    State(orloj): State<Orloj>,
    JsonBody(body): JsonBody<CloseBody>,
) -> Result<StatusCode, Failure> {
    orloj.executor().close_breaker(&body.topic).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Executor {
    active: bool,
    /// Locked here and waiting for their turn.
    queued: usize,
    /// Calls of foreign code, and how many there may be at this moment.
    calls: usize,
    calls_max: usize,
    /// Null: jobs are acquired as they come and as there is room.
    acquires_at: Option<Time>,
    running: Vec<Running>,
    /// Jobs that ran for too long.
    given_up: Vec<GivenUp>,
    /// Jobs that are left alone until the node starts anew, earliest first; some of them.
    set_aside: Vec<SetAside>,
    /// Circuit breakers that are not simply closed.
    breakers: Vec<Breaker>,
    /// Ready jobs that no live node takes.
    untaken: Vec<Untaken>,
}

#[derive(Serialize)]
struct Running {
    job: Key,
    instance: Key,
    since: Time,
}

#[derive(Serialize)]
struct GivenUp {
    job: Key,
    since: Time,
    at: Time,
}

#[derive(Serialize)]
struct SetAside {
    job: Key,
    at: Time,
    error: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Breaker {
    topic: String,
    /// Null: one job may try.
    open_until: Option<Time>,
}

#[derive(Serialize)]
struct Untaken {
    jobs: u32,
    example: Key,
    reason: String,
}

impl From<ExecutorReport> for Executor {
    fn from(report: ExecutorReport) -> Self {
        let running = report.running.iter().map(|one| Running {
            job: Key(one.job.raw()),
            instance: Key(one.instance.raw()),
            since: Time(one.since),
        });
        let given_up = report.given_up.iter().map(|one| GivenUp {
            job: Key(one.job.raw()),
            since: Time(one.since),
            at: Time(one.at),
        });
        let set_aside = report.set_aside.iter().take(SET_ASIDE_MAX).map(|one| SetAside {
            job: Key(one.job.raw()),
            at: Time(one.at),
            error: one.error.to_string(),
        });
        let breakers = report
            .breakers
            .iter()
            .map(|one| Breaker { topic: one.topic.to_string(), open_until: time(one.open_until) });
        let untaken = report.untaken.into_iter().map(|one| Untaken {
            jobs: one.jobs,
            example: Key(one.example.raw()),
            reason: one.reason,
        });
        Self {
            active: report.is_active,
            queued: report.queued,
            calls: report.calls,
            calls_max: report.calls_max,
            acquires_at: time(report.acquires_at),
            running: running.collect(),
            given_up: given_up.collect(),
            set_aside: set_aside.collect(),
            breakers: breakers.collect(),
            untaken: untaken.collect(),
        }
    }
}
