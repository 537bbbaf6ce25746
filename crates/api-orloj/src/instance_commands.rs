//! What people do with instances: `/api/instances/{key}/{verb}` for one, `/api/instances/{verb}`
//! for many.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use orloj::types::{Document, InstanceKey};
use orloj::{InstanceAction, InstanceScope, Instances, Orloj, Restart};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::bulk::{self, Choice, Many, Portion};
use crate::extract::{JsonBody, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::instances::{FilterParams, StartedInstance};
use crate::job_commands::Batched;
use crate::who::Who;
use crate::wire::{Key, document};

/// The body of a command, beside whom it is for.
pub trait InstanceCommand: DeserializeOwned + Send + 'static {
    fn action(self) -> Result<InstanceAction, Failure>;
}

pub async fn one<C: InstanceCommand>(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(command): JsonBody<C>,
) -> Result<StatusCode, Failure> {
    of(&orloj, &who).act(InstanceKey::new(key), &command.action()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Among those that run.
pub async fn many<C: InstanceCommand>(
    State(orloj): State<Orloj>,
    who: Who,
    many: Many<FilterParams, C>,
) -> Result<Response, Failure> {
    let action = many.command.action()?;
    let scope = match many.choice {
        Choice::Keys(keys) => named(keys),
        Choice::Filter(filter) => InstanceScope::Query(filter.running()?),
    };
    let bulk = of(&orloj, &who).all(scope, action);
    if many.as_batch {
        let batch = bulk.as_batch().await?;
        return Ok(Json(Batched { batch: Key(batch.raw()) }).into_response());
    }
    Ok(Json(bulk::run(bulk, many.portion).await?).into_response())
}

fn named(keys: Vec<i64>) -> InstanceScope {
    InstanceScope::Keys(keys.into_iter().map(InstanceKey::new).collect())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suspend {}

impl InstanceCommand for Suspend {
    fn action(self) -> Result<InstanceAction, Failure> {
        Ok(InstanceAction::Suspend)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resume {}

impl InstanceCommand for Resume {
    fn action(self) -> Result<InstanceAction, Failure> {
        Ok(InstanceAction::Activate)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {}

impl InstanceCommand for Cancel {
    fn action(self) -> Result<InstanceAction, Failure> {
        Ok(InstanceAction::Cancel)
    }
}

/// As [`Cancel`], but no listener is called.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delete {}

impl InstanceCommand for Delete {
    fn action(self) -> Result<InstanceAction, Failure> {
        Ok(InstanceAction::Delete)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RestartBody {
    /// Ids of elements before which tokens begin; empty: at the start event.
    #[serde(default)]
    before: Vec<String>,
    /// Begin with nothing, instead of with what it had at its end.
    #[serde(default)]
    without_variables: bool,
    #[serde(default)]
    without_business_key: bool,
    /// Set besides.
    variables: Option<Box<RawValue>>,
}

impl RestartBody {
    fn restart(self) -> Result<Restart, Failure> {
        let variables: Document =
            document(self.variables.as_deref()).map_err(orloj::Error::Variables)?;
        Ok(Restart {
            before: self.before.into_iter().map(Into::into).collect(),
            without_variables: self.without_variables,
            without_business_key: self.without_business_key,
            variables,
        })
    }
}

/// Another one like one that has ended.
pub async fn restart(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<RestartBody>,
) -> Result<(StatusCode, Json<StartedInstance>), Failure> {
    let started = of(&orloj, &who).restart(InstanceKey::new(key), body.restart()?).await?;
    Ok((StatusCode::CREATED, Json(StartedInstance::from(&started))))
}

pub async fn restart_many(
    State(orloj): State<Orloj>,
    who: Who,
    many: Many<FilterParams, RestartBody>,
) -> Result<Json<Portion>, Failure> {
    let restart = many.command.restart()?;
    if many.as_batch {
        let reason = "asBatch: use POST /api/batches with kind instance-restart";
        return Err(RequestFault::Body(reason.to_owned()).into());
    }
    let scope = match many.choice {
        Choice::Keys(keys) => named(keys),
        Choice::Filter(filter) => InstanceScope::Query(filter.query()?),
    };
    let bulk = of(&orloj, &who).restart_all(scope, restart);
    Ok(Json(bulk::run(bulk, many.portion).await?))
}

pub fn of(orloj: &Orloj, who: &Who) -> Instances {
    match &who.0 {
        Some(user) => orloj.instances().by(user),
        None => orloj.instances(),
    }
}
