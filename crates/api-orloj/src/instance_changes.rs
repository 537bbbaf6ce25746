//! Instances changed by hand: `/api/instances/{key}/modify`, `…/migrate`, and triggers.

use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{DefinitionKey, ElementInstanceKey, InstanceKey, ProcessId, TenantId};
use orloj::{
    Activate, InstanceAction, MigrateInstance, Modify, Move, MoveFrom, MoveInside, Orloj, Which,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::extract::{JsonBody, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::instance_commands::{InstanceCommand, of};
use crate::who::Who;
use crate::wire::{GivenKey, document};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModifyBody {
    #[serde(default)]
    activate: Vec<ActivateBody>,
    #[serde(default)]
    activate_after: Vec<ActivateBody>,
    /// Their elements are flows.
    #[serde(default)]
    activate_flow: Vec<ActivateBody>,
    #[serde(default)]
    moves: Vec<MoveBody>,
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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MoveBody {
    /// The id of an element, all of whose instances are meant.
    from: Option<String>,
    /// Or one of its instances.
    from_instance: Option<GivenKey>,
    to: ActivateBody,
}

impl InstanceCommand for ModifyBody {
    fn action(self) -> Result<InstanceAction, Failure> {
        let all = |bodies: Vec<ActivateBody>| -> Result<Vec<_>, Failure> {
            bodies.into_iter().map(ActivateBody::read).collect()
        };
        Ok(InstanceAction::Modify(Modify {
            activate: all(self.activate)?,
            activate_after: all(self.activate_after)?,
            activate_flow: all(self.activate_flow)?,
            moves: self.moves.into_iter().map(MoveBody::read).collect::<Result<_, _>>()?,
            terminate: self.terminate.iter().map(|key| ElementInstanceKey::new(key.0)).collect(),
            terminate_all: self.terminate_all.into_iter().map(Into::into).collect(),
        }))
    }
}

impl ActivateBody {
    fn read(self) -> Result<Activate, Failure> {
        let read =
            |variables: Option<&RawValue>| document(variables).map_err(orloj::Error::Variables);
        Ok(Activate {
            element: self.element.into(),
            ancestor: self.ancestor.map(|GivenKey(key)| ElementInstanceKey::new(key)),
            variables: read(self.variables.as_deref())?,
            locals: read(self.local_variables.as_deref())?,
            scoped: Vec::new(),
        })
    }
}

impl MoveBody {
    fn read(self) -> Result<Move, Failure> {
        let from = match (self.from, self.from_instance) {
            (Some(element), None) => MoveFrom::All(element.into()),
            (None, Some(GivenKey(key))) => MoveFrom::One(ElementInstanceKey::new(key)),
            (Some(_), Some(_)) | (None, None) => {
                let reason = "moves: each has either from or fromInstance";
                return Err(RequestFault::Body(reason.to_owned()).into());
            }
        };
        // Unless told otherwise a token stays in the scopes that it is in.
        let inside = match self.to.ancestor {
            Some(_) => MoveInside::Named,
            None => MoveInside::Hierarchy,
        };
        Ok(Move { from, to: self.to.read()?, inside })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MigrateBody {
    process: Option<String>,
    version: Option<i32>,
    /// Whose process; absent: the instance's own tenant's.
    tenant: Option<String>,
    /// Instead of the three.
    definition: Option<GivenKey>,
    /// Which element becomes which, by id.
    #[serde(default)]
    plan: std::collections::BTreeMap<String, String>,
}

pub async fn migrate(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<MigrateBody>,
) -> Result<StatusCode, Failure> {
    if body.definition.is_some() && body.tenant.is_some() {
        let reason = "tenant does not go with definition";
        return Err(RequestFault::Body(reason.to_owned()).into());
    }
    let (instances, key) = (of(&orloj, &who), InstanceKey::new(key));
    let which = target(body.process, body.version, body.definition)?;
    let tenant = match (body.tenant, &which) {
        (Some(tenant), _) => TenantId::new(tenant),
        // A key says all.
        (None, Which::Definition(_)) => TenantId::none(),
        (None, Which::Latest(_) | Which::Version(..)) => instances.get(key).await?.view.tenant,
    };
    let plan = body.plan.into_iter().map(|(from, to)| (from.into(), to.into())).collect();
    instances.migrate(key, MigrateInstance { which, tenant, plan }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a migration leads to, as its body says it.
pub fn target(
    process: Option<String>,
    version: Option<i32>,
    definition: Option<GivenKey>,
) -> Result<Which, RequestFault> {
    match (process.map(ProcessId::from), version, definition) {
        (Some(process), Some(version), None) => Ok(Which::Version(process, version)),
        (Some(process), None, None) => Ok(Which::Latest(process)),
        (None, None, Some(GivenKey(key))) => Ok(Which::Definition(DefinitionKey::new(key))),
        (_, _, Some(_)) => {
            Err(RequestFault::Body("process and version do not go with definition".to_owned()))
        }
        (None, _, None) => Err(RequestFault::Body("process or definition is needed".to_owned())),
    }
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
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<VariablesBody>,
) -> Result<StatusCode, Failure> {
    let variables = document(body.variables.as_deref()).map_err(orloj::Error::Variables)?;
    let scope = ElementInstanceKey::new(key);
    of(&orloj, &who).set_variables_of(scope, variables, body.local).await?;
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
