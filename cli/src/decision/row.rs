//! A deployed decision.

use serde::Deserialize;

use crate::table::Row;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    key: String,
    decision: String,
    version: i32,
    resource: String,
    deployed_at: String,
}

impl Row for Decision {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "DECISION", "VERSION", "RESOURCE", "DEPLOYED"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.decision.clone(),
            self.version.to_string(),
            self.resource.clone(),
            self.deployed_at.clone(),
        ]
    }
}
