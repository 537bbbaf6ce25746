//! `/api/deployments`: one file as it is, or several as JSON.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use orloj::store::AssetKind;
use orloj::types::TenantId;
use orloj::{AssetView, DecisionView, Deploy, Dialect, Orloj, Resource};
use serde::{Deserialize, Serialize};

use crate::BODY_BYTES_MAX;
use crate::definitions::Definition;
use crate::extract::{Params, RawBody};
use crate::failure::{Detail, Failure, RequestFault, details};
use crate::instances::tenant;
use crate::who::Who;
use crate::wire::{GivenTime, Key, Time};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeployParams {
    /// Of the one file that is the body. Without it the body is JSON.
    name: Option<String>,
    engine: Option<Engine>,
    tenant: Option<String>,
    /// Processes are suspended until then.
    activate_at: Option<GivenTime>,
}

/// Whose files those are that do not tell it.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    Camunda7,
    Flowable,
    Zeebe,
}

impl From<Engine> for Dialect {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Camunda7 => Self::Camunda7,
            Engine::Flowable => Self::Flowable,
            Engine::Zeebe => Self::Zeebe,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeployBody {
    resources: Vec<File>,
}

/// Exactly one of `content` and `base64`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    content: Option<String>,
    /// For files in other encodings than UTF-8.
    base64: Option<String>,
}

/// All files or none of them.
pub async fn deploy(
    State(orloj): State<Orloj>,
    who: Who,
    Params(params): Params<DeployParams>,
    RawBody(body): RawBody,
) -> Result<(StatusCode, Json<Deployed>), Failure> {
    let resources = match params.name {
        Some(_) if body.len() > BODY_BYTES_MAX => return Err(RequestFault::BodyTooLarge.into()),
        Some(name) => vec![Resource { name: name.into(), content: Arc::from(&body[..]) }],
        None => files(&body)?,
    };
    let plain_dialect = params.engine.map(Dialect::from);
    let tenant = params.tenant.map(TenantId::new).unwrap_or_default();
    let activate_at = params.activate_at.map(|at| at.0);
    let deploy = Deploy { resources, plain_dialect, tenant, activate_at };
    let deployed = match &who.0 {
        Some(user) => orloj.as_user(user).deploy(deploy).await?,
        None => orloj.deploy(deploy).await?,
    };
    let status = if deployed.duplicate { StatusCode::OK } else { StatusCode::CREATED };
    let answer = Deployed {
        key: Key(deployed.found_in().raw()),
        duplicate: deployed.duplicate,
        definitions: deployed.definitions.iter().map(Definition::from).collect(),
        decisions: deployed.decisions.iter().map(Decision::from).collect(),
        assets: deployed.assets.iter().map(Asset::from).collect(),
        warnings: deployed.warnings.iter().flat_map(details).collect(),
    };
    Ok((status, Json(answer)))
}

fn files(body: &[u8]) -> Result<Vec<Resource>, RequestFault> {
    let body: DeployBody = serde_json::from_slice(body).map_err(|error| {
        RequestFault::Body(format!(
            "the body is not as expected: {error}; send one file with ?name=, or JSON with \
             \"resources\""
        ))
    })?;
    let read = |file: File| {
        let content: Vec<u8> = match (file.content, file.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => BASE64_STANDARD
                .decode(text)
                .map_err(|error| RequestFault::Body(format!("{}: base64: {error}", file.name)))?,
            _ => {
                let reason = format!("{}: one of content and base64 is needed", file.name);
                return Err(RequestFault::Body(reason));
            }
        };
        Ok(Resource { name: file.name.into(), content: content.into() })
    };
    body.resources.into_iter().map(read).collect()
}

#[derive(Serialize)]
pub struct Deployed {
    key: Key,
    duplicate: bool,
    definitions: Vec<Definition>,
    decisions: Vec<Decision>,
    assets: Vec<Asset>,
    /// What is taken otherwise than it is written.
    warnings: Vec<Detail>,
}

/// A form, or a file that jobs are linked to.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Asset {
    key: Key,
    /// `form` or `linked`.
    kind: &'static str,
    asset: String,
    version: i32,
    version_tag: Option<String>,
    resource: String,
    deployment: Key,
    deployed_at: Time,
    tenant: Option<String>,
}

impl From<&AssetView> for Asset {
    fn from(view: &AssetView) -> Self {
        Self {
            key: Key(view.key.0),
            kind: match view.kind {
                AssetKind::Form => "form",
                AssetKind::Linked => "linked",
            },
            asset: view.asset_id.to_string(),
            version: view.version,
            version_tag: view.version_tag.as_deref().map(str::to_owned),
            resource: view.resource_name.to_string(),
            deployment: Key(view.deployment.raw()),
            deployed_at: Time(view.deployed_at),
            tenant: tenant(&view.tenant),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    key: Key,
    decision: String,
    name: String,
    version: i32,
    version_tag: Option<String>,
    requirements: Requirements,
    resource: String,
    deployment: Key,
    deployed_at: Time,
    tenant: Option<String>,
}

/// The file a decision is part of.
#[derive(Serialize)]
struct Requirements {
    key: Key,
    id: String,
    name: String,
    version: i32,
}

impl From<&DecisionView> for Decision {
    fn from(view: &DecisionView) -> Self {
        Self {
            key: Key(view.key.0),
            decision: view.decision_id.to_string(),
            name: view.name.to_string(),
            version: view.version,
            version_tag: view.version_tag.as_deref().map(str::to_owned),
            requirements: Requirements {
                key: Key(view.requirements.key.0),
                id: view.requirements.id.to_string(),
                name: view.requirements.name.to_string(),
                version: view.requirements.version,
            },
            resource: view.resource_name.to_string(),
            deployment: Key(view.deployment.raw()),
            deployed_at: Time(view.deployed_at),
            tenant: tenant(&view.tenant),
        }
    }
}
