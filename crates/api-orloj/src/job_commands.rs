//! What people do with jobs: `/api/jobs/{key}/{verb}` for one, `/api/jobs/{verb}` for many.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use orloj::store::JobOrder;
use orloj::types::JobKey;
use orloj::{Error, JobAction, JobFilter, JobSet, Jobs, Orloj, Reschedule};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bulk::{self, Choice, Many};
use crate::extract::{JsonBody, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::job_filter::JobParams;
use crate::job_words::set_named;
use crate::page::next_of;
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
    let only = command.only().map(set_named).transpose()?;
    let (jobs, key) = (jobs(&orloj, &who), JobKey::new(key));
    must_be_of(only, &jobs, key).await?;
    jobs.act(key, &command.action()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn many<C: JobCommand>(
    State(orloj): State<Orloj>,
    who: Who,
    many: Many<JobParams, C>,
) -> Result<Response, Failure> {
    let only = many.command.only().map(set_named).transpose()?;
    let action = many.command.action()?;
    let jobs = jobs(&orloj, &who);
    if many.as_batch {
        let keys = |keys: Vec<i64>| keys.into_iter().map(JobKey::new).collect::<Vec<_>>();
        let bulk = match many.choice {
            Choice::Keys(chosen) => jobs.all(keys(chosen), action),
            Choice::Filter(params, _) => jobs.all(params.chosen(&orloj).await?.alone()?, action),
        };
        let batch = bulk.as_batch().await?;
        return Ok(Json(Batched { batch: Key(batch.raw()) }).into_response());
    }
    let (keys, next) = match many.choice {
        Choice::Keys(keys) => (keys, None),
        Choice::Filter(params, page) => {
            let mut chosen = params.chosen(&orloj).await?;
            // Portions go by key.
            (chosen.filter.order, chosen.filter.offset) = (JobOrder::default(), 0);
            if let Some(batch) = chosen.filter.batch {
                orloj.batches().get(batch).await?;
            }
            let mut rows = jobs.list(chosen.filter.clone(), page).await?;
            let next = next_of(&rows, page, |row| row.key.raw());
            chosen.keep(&orloj, &mut rows).await?;
            (rows.iter().map(|row| row.key.raw()).collect(), next)
        }
    };
    let act = async |key| {
        let key = JobKey::new(key);
        must_be_of(only, &jobs, key).await?;
        jobs.act(key, &action).await
    };
    Ok(Json(bulk::each_of(keys, next, act).await?).into_response())
}

/// What is asked for dead letters must not be done to a job that lives.
async fn must_be_of(set: Option<JobSet>, jobs: &Jobs, key: JobKey) -> Result<(), Error> {
    let Some(set) = set else { return Ok(()) };
    let filter = JobFilter { keys: vec![key], ..JobFilter::default() };
    if jobs.count_of(set, filter).await? > 0 {
        return Ok(());
    }
    jobs.get(key).await?;
    Err(Error::Invalid(format!("job {key} is not among the {}", set.word())))
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
