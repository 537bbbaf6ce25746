//! What people do with jobs: `/api/jobs/{key}/{verb}` for one, `/api/jobs/{verb}` for many.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use orloj::types::JobKey;
use orloj::{JobAction, JobScope, JobSet, Jobs, Orloj, Reschedule};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bulk::{self, Choice, Many};
use crate::extract::{JsonBody, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::job_filter::JobParams;
use crate::job_words::set_named;
use crate::who::Who;
use crate::wire::{GivenTime, Key, given};

/// The body of a command, beside whom it is for.
pub trait JobCommand: DeserializeOwned + Send + 'static {
    fn action(self) -> Result<JobAction, RequestFault>;

    /// The word of the set that a job must be of, or the command is refused.
    fn only(&self) -> Option<&str> {
        None
    }
}

pub async fn one<C: JobCommand>(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(command): JsonBody<C>,
) -> Result<StatusCode, Failure> {
    let set = set_of(&command)?;
    jobs(&orloj, &who).act_in(set, JobKey::new(key), &command.action()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn reschedule(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(command): JsonBody<NewTimer>,
) -> Result<Json<Rescheduled>, Failure> {
    let new = jobs(&orloj, &who).act(JobKey::new(key), &command.action()?).await?;
    Ok(Json(Rescheduled { job: Key(key), rescheduled_as: Key(new.raw()) }))
}

pub async fn many<C: JobCommand>(
    State(orloj): State<Orloj>,
    who: Who,
    many: Many<JobParams, C>,
) -> Result<Response, Failure> {
    let set = set_of(&many.command)?;
    let action = many.command.action()?;
    action.check().map_err(orloj::Error::from)?;
    let is_by_filter = matches!(many.choice, Choice::Filter(_));
    let scope = match many.choice {
        Choice::Keys(keys) => JobScope::Keys(keys.into_iter().map(JobKey::new).collect()),
        Choice::Filter(params) => {
            let chosen = params.ordered(&orloj).await?;
            if let Some(batch) = chosen.filter.batch {
                orloj.batches().get(batch).await?;
            }
            match many.as_batch {
                true => JobScope::Filter(chosen.alone()?),
                false => chosen.scope(),
            }
        }
    };
    let set = match action {
        // Nothing else can be revived. One that is named by key is told so.
        JobAction::MoveToExecutable { .. } if many.as_batch || is_by_filter => JobSet::DeadLetters,
        _ => set,
    };
    let bulk = jobs(&orloj, &who).all_in(set, scope, action);
    if many.as_batch {
        let batch = bulk.as_batch().await?;
        return Ok(Json(Batched { batch: Key(batch.raw()) }).into_response());
    }
    Ok(Json(bulk::run(bulk, many.portion).await?).into_response())
}

/// What is asked for dead letters must not be done to a job that lives.
fn set_of(command: &impl JobCommand) -> Result<JobSet, RequestFault> {
    Ok(command.only().map(set_named).transpose()?.unwrap_or(JobSet::All))
}

pub fn jobs(orloj: &Orloj, who: &Who) -> Jobs {
    match &who.0 {
        Some(user) => orloj.jobs().by(user),
        None => orloj.jobs(),
    }
}

/// What has become work of the executor.
#[derive(Serialize)]
pub struct Batched {
    pub batch: Key,
}

/// The timer that was, and the one that has taken its place.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rescheduled {
    job: Key,
    rescheduled_as: Key,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetRetries {
    retries: i32,
    /// Null takes the due date away; absent leaves it.
    #[serde(default, deserialize_with = "given")]
    due_at: Option<Option<GivenTime>>,
}

impl JobCommand for SetRetries {
    fn action(self) -> Result<JobAction, RequestFault> {
        let due = self.due_at.map(|due| due.map(|at| at.0));
        Ok(JobAction::SetRetries { retries: self.retries, due })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SetDueDate {
    #[serde(default, deserialize_with = "given")]
    due_at: Option<Option<GivenTime>>,
    #[serde(default)]
    cascade: bool,
}

impl JobCommand for SetDueDate {
    fn action(self) -> Result<JobAction, RequestFault> {
        let due = self.due_at.ok_or_else(|| {
            RequestFault::Body("dueAt is needed: a moment, or null for none".to_owned())
        })?;
        Ok(JobAction::SetDueDate { due: due.map(|at| at.0), cascade: self.cascade })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recalculate {
    #[serde(default)]
    creation_based: bool,
}

impl JobCommand for Recalculate {
    fn action(self) -> Result<JobAction, RequestFault> {
        Ok(JobAction::RecalculateDueDate { from_creation: self.creation_based })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetPriority {
    priority: i64,
}

impl JobCommand for SetPriority {
    fn action(self) -> Result<JobAction, RequestFault> {
        Ok(JobAction::SetPriority(self.priority))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revive {
    retries: Option<i32>,
}

impl JobCommand for Revive {
    fn action(self) -> Result<JobAction, RequestFault> {
        Ok(JobAction::MoveToExecutable { retries: self.retries.unwrap_or(1) })
    }
}

/// Exactly one of them, as in a model.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTimer {
    date: Option<String>,
    duration: Option<String>,
    cycle: Option<String>,
    /// Of the cycle.
    end: Option<String>,
}

impl JobCommand for NewTimer {
    fn action(self) -> Result<JobAction, RequestFault> {
        let timer = match (self.date, self.duration, self.cycle, self.end) {
            (Some(date), None, None, None) => Reschedule::Date(date.into()),
            (None, Some(duration), None, None) => Reschedule::Duration(duration.into()),
            (None, None, Some(cycle), None) => Reschedule::Cycle(cycle.into()),
            (None, None, Some(cycle), Some(end)) => Reschedule::cycle_until(&cycle, &end)
                .map_err(|error| RequestFault::Body(format!("end: {error}")))?,
            _ => {
                let reason =
                    "exactly one of date, duration and cycle is needed; end goes with cycle";
                return Err(RequestFault::Body(reason.to_owned()));
            }
        };
        Ok(JobAction::Reschedule(timer))
    }
}

/// Commands that may be meant for jobs of one set alone.
macro_rules! of_a_set {
    ($($name:ident => $action:expr;)*) => {$(
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            only: Option<String>,
        }

        impl JobCommand for $name {
            fn action(self) -> Result<JobAction, RequestFault> {
                Ok($action)
            }

            fn only(&self) -> Option<&str> {
                self.only.as_deref()
            }
        }
    )*};
}

of_a_set! {
    Execute => JobAction::Execute;
    Delete => JobAction::Delete;
}

/// Commands that say nothing else.
macro_rules! plain {
    ($($name:ident => $action:expr;)*) => {$(
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {}

        impl JobCommand for $name {
            fn action(self) -> Result<JobAction, RequestFault> {
                Ok($action)
            }
        }
    )*};
}

plain! {
    Suspend => JobAction::Suspend;
    Resume => JobAction::Resume;
    Bury => JobAction::MoveToDeadLetters;
    Fire => JobAction::MoveTimerToExecutable;
    Unlock => JobAction::Unlock;
}
