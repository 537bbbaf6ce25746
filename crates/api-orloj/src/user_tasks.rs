//! `/api/user-tasks`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::types::{InstanceKey, UserTaskKey};
use orloj::{Orloj, UserTaskFilter, UserTaskView};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::extract::{JsonBody, Params, PathKey};
use crate::failure::Failure;
use crate::instances::tenant;
use crate::page::{Listing, listing, page};
use crate::wire::{Key, Time, document, time};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    instance: Option<i64>,
    before: Option<i64>,
    limit: Option<u32>,
}

pub async fn list(
    State(orloj): State<Orloj>,
    Params(params): Params<ListParams>,
) -> Result<Json<Listing<UserTask>>, Failure> {
    let page = page(params.before, params.limit)?;
    let filter = UserTaskFilter { instance: params.instance.map(InstanceKey::new) };
    let rows = orloj.user_tasks(filter, page).await?;
    Ok(Json(listing(&rows, page, |row| row.key.raw())))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompleteBody {
    variables: Option<Box<RawValue>>,
}

pub async fn complete(
    State(orloj): State<Orloj>,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<CompleteBody>,
) -> Result<StatusCode, Failure> {
    let variables = document(body.variables.as_deref()).map_err(orloj::Error::Variables)?;
    orloj.complete_user_task(UserTaskKey::new(key), variables).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserTask {
    key: Key,
    instance: Key,
    process: String,
    definition: Key,
    element: String,
    name: Option<String>,
    assignee: Option<String>,
    candidate_groups: Vec<String>,
    candidate_users: Vec<String>,
    due_at: Option<Time>,
    priority: i64,
    created_at: Time,
    tenant: Option<String>,
}

impl From<&UserTaskView> for UserTask {
    fn from(view: &UserTaskView) -> Self {
        let names = |names: &[Arc<str>]| names.iter().map(ToString::to_string).collect();
        Self {
            key: Key(view.key.raw()),
            instance: Key(view.instance.raw()),
            process: view.process_id.to_string(),
            definition: Key(view.definition.raw()),
            element: view.element.to_string(),
            name: view.name.as_deref().map(str::to_owned),
            assignee: view.assignee.as_deref().map(str::to_owned),
            candidate_groups: names(&view.candidate_groups),
            candidate_users: names(&view.candidate_users),
            due_at: time(view.due_at),
            priority: view.priority,
            created_at: Time(view.created_at),
            tenant: tenant(&view.tenant),
        }
    }
}
