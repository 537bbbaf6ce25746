//! What happened, as it is shown.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::call::View;
use crate::table::{Listing, Row, or_dash, plain};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    key: String,
    element: String,
    kind: String,
    entered_at: String,
    left_at: Option<String>,
    duration_ms: Option<i64>,
    cancelled: bool,
    called: Option<String>,
}

impl Row for Activity {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "ELEMENT", "KIND", "ENTERED", "LEFT", "TOOK", "CANCELLED", "CALLED"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.element.clone(),
            self.kind.clone(),
            self.entered_at.clone(),
            or_dash(self.left_at.as_deref()),
            took(self.duration_ms),
            if self.cancelled { "yes" } else { "no" }.to_owned(),
            or_dash(self.called.as_deref()),
        ]
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    scope: String,
    name: String,
    value: Option<Box<RawValue>>,
    created_at: String,
    updated_at: String,
    deleted_at: Option<String>,
    revision: u32,
}

impl Row for Variable {
    const COLUMNS: &'static [&'static str] =
        &["SCOPE", "NAME", "VALUE", "REVISION", "CREATED", "UPDATED", "DELETED"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.scope.clone(),
            self.name.clone(),
            or_dash(self.value.as_deref().map(RawValue::get)),
            self.revision.to_string(),
            self.created_at.clone(),
            self.updated_at.clone(),
            or_dash(self.deleted_at.as_deref()),
        ]
    }
}

#[derive(Deserialize)]
pub struct Update {
    at: String,
    scope: String,
    name: String,
    value: Option<Box<RawValue>>,
    revision: u32,
}

impl Row for Update {
    const COLUMNS: &'static [&'static str] = &["AT", "SCOPE", "NAME", "VALUE", "REVISION"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.at.clone(),
            self.scope.clone(),
            self.name.clone(),
            or_dash(self.value.as_deref().map(RawValue::get)),
            self.revision.to_string(),
        ]
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    key: String,
    element: String,
    name: Option<String>,
    assignee: Option<String>,
    state: String,
    created_at: String,
    ended_at: Option<String>,
    duration_ms: Option<i64>,
}

impl Row for Task {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "ELEMENT", "NAME", "ASSIGNEE", "STATE", "CREATED", "ENDED", "TOOK"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.element.clone(),
            or_dash(self.name.as_deref()),
            or_dash(self.assignee.as_deref()),
            self.state.clone(),
            self.created_at.clone(),
            or_dash(self.ended_at.as_deref()),
            took(self.duration_ms),
        ]
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JobEntry {
    at: String,
    job: String,
    element: String,
    r#type: String,
    kind: Option<String>,
    state: String,
    retries: i64,
    run_by: Option<String>,
    message: Option<String>,
    details: Option<String>,
}

/// Each failed try with all that is kept of its failure.
pub fn job_details(json: &str) -> serde_json::Result<View> {
    let page: Listing<JobEntry> = serde_json::from_str(json)?;
    let mut data = String::new();
    for row in page.items.iter().filter(|row| row.state == "failed") {
        let message = row.message.as_deref().unwrap_or_default();
        let head = format!("{}  job {}  {}  {message}", row.at, row.job, row.element);
        data.push_str(&plain(&head));
        data.push('\n');
        for line in row.details.as_deref().unwrap_or_default().lines() {
            data.push_str(&format!("    {}\n", plain(line)));
        }
    }
    let note = match (data.is_empty(), page.caution()) {
        (true, None) => Some("no job has failed".to_owned()),
        (true, Some(told)) => Some(format!("no job has failed; {told}")),
        (false, told) => told.map(str::to_owned),
    };
    Ok(View { data: data.trim_end().to_owned(), note })
}

impl Row for JobEntry {
    const COLUMNS: &'static [&'static str] =
        &["AT", "JOB", "ELEMENT", "TYPE", "STATE", "RETRIES", "RUN BY", "MESSAGE"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.at.clone(),
            self.job.clone(),
            self.element.clone(),
            // Jobs of the engine itself have a kind instead.
            or_dash(Some(&*self.r#type).filter(|text| !text.is_empty()).or(self.kind.as_deref())),
            self.state.clone(),
            self.retries.to_string(),
            or_dash(self.run_by.as_deref()),
            or_dash(self.message.as_deref()),
        ]
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Incident {
    key: String,
    element: String,
    kind: String,
    state: String,
    job: Option<String>,
    opened_at: String,
    closed_at: Option<String>,
    message: String,
}

impl Row for Incident {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "ELEMENT", "KIND", "STATE", "JOB", "OPENED", "CLOSED", "MESSAGE"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.element.clone(),
            self.kind.clone(),
            self.state.clone(),
            or_dash(self.job.as_deref()),
            self.opened_at.clone(),
            or_dash(self.closed_at.as_deref()),
            self.message.clone(),
        ]
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    key: String,
    at: String,
    user: Option<String>,
    operation: String,
    entity: String,
    entity_key: Option<String>,
    property: Option<String>,
    old: Option<String>,
    new: Option<String>,
}

impl Row for Operation {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "AT", "USER", "OPERATION", "ENTITY", "OF", "PROPERTY", "OLD", "NEW"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.at.clone(),
            or_dash(self.user.as_deref()),
            self.operation.clone(),
            self.entity.clone(),
            or_dash(self.entity_key.as_deref()),
            or_dash(self.property.as_deref()),
            or_dash(self.old.as_deref()),
            or_dash(self.new.as_deref()),
        ]
    }
}

fn took(duration_ms: Option<i64>) -> String {
    or_dash(duration_ms.map(|ms| format!("{ms} ms")).as_deref())
}
