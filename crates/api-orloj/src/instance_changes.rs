//! Instances changed by hand: `/api/instances/{key}/modify`, `…/migrate`, and triggers.

use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{ElementInstanceKey, InstanceKey, ProcessId, TenantId};
use orloj::{Activate, MigrateInstance, Modify, Orloj, Which};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::extract::{JsonBody, PathKey};
use crate::failure::Failure;
use crate::wire::{GivenKey, document};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModifyBody {
    #[serde(default)]
    activate: Vec<ActivateBody>,
    /// Keys of element instances.
    #[serde(default)]
    terminate: Vec<GivenKey>,
    /// Ids of elements, all of whose instances are meant.
    #[serde(default)]
    terminate_all: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ActivateBody {
    element: String,
    ancestor: Option<GivenKey>,
    variables: Option<Box<RawValue>>,
    local_variables: Option<Box<RawValue>>,
}

pub async fn modify(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<ModifyBody>,
) -> Result<StatusCode, Failure> {
    let mut modify = Modify::default();
    for activate in body.activate {
        let read =
            |variables: Option<&RawValue>| document(variables).map_err(orloj::Error::Variables);
        modify.activate.push(Activate {
            element: activate.element.into(),
            ancestor: activate.ancestor.map(|GivenKey(key)| ElementInstanceKey::new(key)),
            variables: read(activate.variables.as_deref())?,
            locals: read(activate.local_variables.as_deref())?,
            scoped: Vec::new(),
        });
    }
    modify.terminate = body.terminate.iter().map(|key| ElementInstanceKey::new(key.0)).collect();
    modify.terminate_all = body.terminate_all.into_iter().map(Into::into).collect();
    orloj.modify(InstanceKey::new(key), modify).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MigrateBody {
    process: String,
    version: Option<i32>,
    /// Which element becomes which, by id.
    #[serde(default)]
    plan: std::collections::BTreeMap<String, String>,
}

pub async fn migrate(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<MigrateBody>,
) -> Result<StatusCode, Failure> {
    let process = ProcessId::from(body.process);
    let plan = body.plan.into_iter().map(|(from, to)| (from.into(), to.into()));
    let migrate = MigrateInstance {
        which: match body.version {
            Some(version) => Which::Version(process, version),
            None => Which::Latest(process),
        },
        tenant: TenantId::none(),
        plan: plan.collect(),
    };
    orloj.migrate(InstanceKey::new(key), migrate).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariablesBody {
    variables: Option<Box<RawValue>>,
    /// In the scope itself; else where each name is found, going outward.
    #[serde(default)]
    local: bool,
}

/// Of an instance or of one of its element instances, whose keys differ.
pub async fn set_variables(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<VariablesBody>,
) -> Result<StatusCode, Failure> {
    let variables = document(body.variables.as_deref()).map_err(orloj::Error::Variables)?;
    orloj.set_variables(ElementInstanceKey::new(key), variables, body.local).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriggerBody {
    variables: Option<Box<RawValue>>,
}

/// As Flowable evaluates the conditional events of an instance.
pub async fn ask_conditions(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<TriggerBody>,
) -> Result<StatusCode, Failure> {
    let variables = document(body.variables.as_deref()).map_err(orloj::Error::Variables)?;
    orloj.ask_conditions(InstanceKey::new(key), variables).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Continues an element instance that waits for nothing but this.
pub async fn trigger(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<TriggerBody>,
) -> Result<StatusCode, Failure> {
    let variables = document(body.variables.as_deref()).map_err(orloj::Error::Variables)?;
    orloj.trigger_element(ElementInstanceKey::new(key), variables).await?;
    Ok(StatusCode::NO_CONTENT)
}
