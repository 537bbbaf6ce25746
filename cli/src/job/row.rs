//! Jobs as they are shown.

use serde::Deserialize;

use crate::call::View;
use crate::table::{self, Row, or_dash};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    key: String,
    /// Chores have none.
    instance: Option<String>,
    process: Option<String>,
    element: String,
    kind: String,
    r#type: String,
    state: String,
    retries_left: i32,
    priority: i64,
    due_at: Option<String>,
    locked_by: Option<String>,
    failure: Option<String>,
}

impl Row for Job {
    const COLUMNS: &'static [&'static str] = &[
        "KEY",
        "INSTANCE",
        "PROCESS",
        "ELEMENT",
        "KIND",
        "TYPE",
        "STATE",
        "RETRIES",
        "PRIORITY",
        "DUE",
        "LOCKED BY",
        "FAILURE",
    ];

    fn cells(&self) -> Vec<String> {
        fn text(text: &str) -> Option<&str> {
            Some(text).filter(|text| !text.is_empty())
        }
        vec![
            self.key.clone(),
            or_dash(self.instance.as_deref()),
            or_dash(self.process.as_deref()),
            or_dash(text(&self.element)),
            self.kind.clone(),
            or_dash(text(&self.r#type)),
            self.state.clone(),
            self.retries_left.to_string(),
            self.priority.to_string(),
            or_dash(self.due_at.as_deref()),
            or_dash(self.locked_by.as_deref()),
            or_dash(self.failure.as_deref()),
        ]
    }
}

/// One job with all that is known of it.
pub fn show(json: &str) -> serde_json::Result<View> {
    table::fields(json)
}
