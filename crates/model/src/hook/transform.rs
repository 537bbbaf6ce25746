//! Changes to models as a configuration file describes them.
//!
//! ```toml
//! [[transforms]]
//! match = { kinds = ["serviceTask"], attributes = { "camunda:class" = "org.example.*" } }
//! set = { async_before = true, exclusive = false, retry_cycle = "R3/PT10S" }
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::options::Dialect;

/// What to change where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transform {
    /// Without it every element is meant.
    #[serde(rename = "match", default)]
    pub matching: Matching,
    #[serde(default)]
    pub set: Setting,
}

/// Everything that is given has to hold. In all texts `*` stands for any characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Matching {
    pub dialect: Option<Dialect>,
    /// Ids of processes; one of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub processes: Vec<String>,
    /// Words of the BPMN schema such as `serviceTask`, `process`, `sequenceFlow`; one of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// One of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// By name, those of vendors as in `camunda:class`; all of them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// Texts that begin with `=` are FEEL, those with `${…}` are UEL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setting {
    /// Attributes as they would stand in the file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    pub async_before: Option<bool>,
    pub async_after: Option<bool>,
    pub exclusive: Option<bool>,
    pub retry_cycle: Option<String>,
    pub priority: Option<PriorityValue>,
    /// Makes a service-like task a job for clients.
    pub job_type: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listeners: Vec<AddedListener>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PriorityValue {
    Number(i32),
    Expression(String),
}

/// Exactly one of the last three says what is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedListener {
    pub event: AddedListenerEvent,
    /// A class, or a bean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegate: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// A job for clients, which the element waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_type: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddedListenerEvent {
    Start,
    End,
    /// Of flows.
    Take,
    TaskCreate,
    TaskAssign,
    TaskUpdate,
    TaskComplete,
    TaskDelete,
}

/// A transform that cannot be used. They are counted from one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("transform {number}: {key}: {reason}")]
pub struct TransformError {
    pub number: usize,
    /// Inside of the transform, as `set.retry_cycle`.
    pub key: &'static str,
    pub reason: String,
}
