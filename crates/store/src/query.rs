//! Queries for people and faces. Paged by key, newest first; read transactions stay short.

use std::sync::Arc;

use orloj_types::{
    DefinitionKey, DeploymentKey, ElementId, InstanceKey, JobKey, ProcessId, TenantId, Timestamp,
};

/// Most rows of one page.
pub const PAGE_ROWS_MAX: u32 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Only keys below this one; `None` starts with the newest.
    pub before: Option<i64>,
    /// Clamped to [`PAGE_ROWS_MAX`].
    pub limit: u32,
}

/// Absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinitionFilter {
    pub process_id: Option<ProcessId>,
    pub tenant: Option<TenantId>,
    pub version: Option<i32>,
    pub deployment: Option<DeploymentKey>,
    pub suspended: Option<bool>,
    /// Of every process and tenant the last version that is not deleted.
    pub only_latest: bool,
}

/// Absent fields match all.
#[derive(Clone, Debug, Default)]
pub struct InstanceFilter {
    pub definition: Option<DefinitionKey>,
    /// Of any version.
    pub process_id: Option<ProcessId>,
    pub tenant: Option<TenantId>,
    pub business_key: Option<Arc<str>>,
    pub has_incidents: Option<bool>,
}

/// Which called instances are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalledBy {
    /// Those that a call activity of this instance started.
    Caller(InstanceKey),
    /// Those below it, however deep.
    Root(InstanceKey),
}

impl CalledBy {
    pub fn caller(self) -> Option<InstanceKey> {
        match self {
            Self::Caller(key) => Some(key),
            Self::Root(_) => None,
        }
    }

    pub fn root(self) -> Option<InstanceKey> {
        match self {
            Self::Caller(_) => None,
            Self::Root(key) => Some(key),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct EndedFilter {
    pub definition: Option<DefinitionKey>,
    pub process_id: Option<ProcessId>,
    pub tenant: Option<TenantId>,
    pub business_key: Option<Arc<str>>,
    pub completed: Option<bool>,
    /// Strictly.
    pub ended_before: Option<Timestamp>,
    pub ended_after: Option<Timestamp>,
}

#[derive(Clone, Debug, Default)]
pub struct IncidentFilter {
    pub instance: Option<InstanceKey>,
    /// Of any version.
    pub process_id: Option<ProcessId>,
    pub definition: Option<DefinitionKey>,
    pub tenant: Option<TenantId>,
    pub kind: Option<Arc<str>>,
    pub element: Option<ElementId>,
    pub job: Option<JobKey>,
}

#[derive(Clone, Debug, Default)]
pub struct UserTaskFilter {
    pub instance: Option<InstanceKey>,
}
