//! What happened to one instance, on the wire.

use std::sync::Arc;

use orloj::history::{
    ActivityView, IncidentHistory, JobLogEntry, KeptValue, TaskHistory, VariableUpdate,
    VariableView,
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::history::{incident_state, task_state};
use crate::wire::{Key, Time, time};

fn text(text: &Option<Arc<str>>) -> Option<String> {
    text.as_deref().map(str::to_owned)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    key: Key,
    instance: Key,
    element: String,
    kind: &'static str,
    name: Option<String>,
    scope: Key,
    entered_at: Time,
    left_at: Option<Time>,
    duration_ms: Option<i64>,
    cancelled: bool,
    called: Option<Key>,
    user_task: Option<Key>,
    assignee: Option<String>,
}

impl From<&ActivityView> for Activity {
    fn from(view: &ActivityView) -> Self {
        Self {
            key: Key(view.key.raw()),
            instance: Key(view.instance.raw()),
            element: view.element.to_string(),
            kind: view.kind,
            name: text(&view.name),
            scope: Key(view.scope.raw()),
            entered_at: Time(view.entered_at),
            left_at: time(view.left_at),
            duration_ms: view.duration_ms,
            cancelled: view.is_cancelled,
            called: view.called.map(|key| Key(key.raw())),
            user_task: view.user_task.map(|key| Key(key.raw())),
            assignee: text(&view.assignee),
        }
    }
}

/// A value, or as much as is kept of it.
struct Value {
    json: Option<Box<RawValue>>,
    cut_from: Option<usize>,
}

impl Value {
    fn of(kept: &KeptValue) -> Self {
        let json = kept.json.as_deref().and_then(|json| match kept.cut_from {
            // The beginning of a text is no JSON any more: it is told as a text.
            Some(_) => serde_json::to_string(json).ok(),
            None => Some(json.to_owned()),
        });
        let json = json.and_then(|json| RawValue::from_string(json).ok());
        Self { json, cut_from: kept.cut_from }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    instance: Key,
    scope: Key,
    name: String,
    /// Null as well where the level of history keeps none.
    value: Option<Box<RawValue>>,
    /// The length of the whole, where only the beginning is kept.
    cut_from: Option<usize>,
    created_at: Time,
    updated_at: Time,
    deleted_at: Option<Time>,
    revision: u32,
}

impl From<&VariableView> for Variable {
    fn from(view: &VariableView) -> Self {
        let value = Value::of(&view.value);
        Self {
            instance: Key(view.instance.raw()),
            scope: Key(view.scope.raw()),
            name: view.name.to_string(),
            value: value.json,
            cut_from: value.cut_from,
            created_at: Time(view.created_at),
            updated_at: Time(view.updated_at),
            deleted_at: time(view.deleted_at),
            revision: view.revision,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Update {
    instance: Key,
    scope: Key,
    name: String,
    value: Option<Box<RawValue>>,
    cut_from: Option<usize>,
    /// It was taken away.
    removed: bool,
    at: Time,
    revision: u32,
}

impl From<&VariableUpdate> for Update {
    fn from(view: &VariableUpdate) -> Self {
        let value = view.value.as_ref().map(Value::of);
        Self {
            instance: Key(view.instance.raw()),
            scope: Key(view.scope.raw()),
            name: view.name.to_string(),
            removed: value.is_none(),
            cut_from: value.as_ref().and_then(|value| value.cut_from),
            value: value.and_then(|value| value.json),
            at: Time(view.at),
            revision: view.revision,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryTask {
    key: Key,
    instance: Key,
    element: String,
    element_instance: Key,
    name: Option<String>,
    assignee: Option<String>,
    priority: i64,
    due_at: Option<Time>,
    created_at: Time,
    ended_at: Option<Time>,
    duration_ms: Option<i64>,
    state: &'static str,
}

impl From<&TaskHistory> for HistoryTask {
    fn from(view: &TaskHistory) -> Self {
        Self {
            key: Key(view.key.raw()),
            instance: Key(view.instance.raw()),
            element: view.element.to_string(),
            element_instance: Key(view.element_instance.raw()),
            name: text(&view.name),
            assignee: text(&view.assignee),
            priority: view.priority,
            due_at: time(view.due_at),
            created_at: Time(view.created_at),
            ended_at: time(view.ended_at),
            duration_ms: view.duration_ms,
            state: task_state(view.state),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JobEntry {
    job: Key,
    /// `null` of a job of no instance.
    instance: Option<Key>,
    process: String,
    element: String,
    sequence: i64,
    at: Time,
    state: &'static str,
    retries: i64,
    priority: i64,
    due_at: Option<Time>,
    r#type: String,
    kind: Option<String>,
    configuration: Option<String>,
    message: Option<String>,
    failed_element: Option<String>,
    /// Only where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<String>,
    run_by: Option<String>,
}

impl From<&JobLogEntry> for JobEntry {
    fn from(row: &JobLogEntry) -> Self {
        Self {
            job: Key(row.job.raw()),
            instance: Some(Key(row.instance.raw())).filter(|key| key.0 != 0),
            process: row.process_id.to_string(),
            element: row.element.to_string(),
            sequence: row.sequence,
            at: Time(row.at),
            state: row.state.word(),
            retries: row.retries,
            priority: row.priority,
            due_at: time(row.due_at),
            r#type: row.job_type.to_string(),
            kind: text(&row.definition_type),
            configuration: text(&row.definition_configuration),
            message: text(&row.message),
            failed_element: row.failed_element.as_ref().map(ToString::to_string),
            details: text(&row.details),
            run_by: text(&row.run_by),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryIncident {
    key: Key,
    /// `null` of a job of no instance.
    instance: Option<Key>,
    kind: String,
    message: String,
    element: String,
    element_instance: Key,
    job: Option<Key>,
    cause: Key,
    root_cause: Key,
    opened_at: Time,
    closed_at: Option<Time>,
    state: &'static str,
}

impl From<&IncidentHistory> for HistoryIncident {
    fn from(view: &IncidentHistory) -> Self {
        Self {
            key: Key(view.key.raw()),
            instance: Some(Key(view.instance.raw())).filter(|key| key.0 != 0),
            kind: view.kind.to_string(),
            message: view.message.to_string(),
            element: view.element.to_string(),
            element_instance: Key(view.element_instance.raw()),
            job: view.job.map(|job| Key(job.raw())),
            cause: Key(view.cause.raw()),
            root_cause: Key(view.root_cause.raw()),
            opened_at: Time(view.opened_at),
            closed_at: time(view.closed_at),
            state: incident_state(view.state),
        }
    }
}
