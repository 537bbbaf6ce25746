//! Job definitions: what the jobs of one element have in common, and what is set for all of them.

use std::sync::Arc;

use orloj_types::{DefinitionKey, ElementId, EngineName, JobDefinitionKey, ProcessId, TenantId};

use crate::rows::{DefinitionRow, NewDeployment};

/// Written with its definition; one for each element, kind and configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJobDefinition {
    pub key: JobDefinitionKey,
    pub element: ElementId,
    /// A word for what handles its jobs, such as `async-continuation`.
    pub kind: Arc<str>,
    pub configuration: Arc<str>,
    /// With its definition. Of one that is not suspended, it is not either.
    pub suspended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobDefinitionRow {
    pub key: JobDefinitionKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub definition: DefinitionKey,
    pub process_id: ProcessId,
    pub element: ElementId,
    pub kind: Arc<str>,
    pub configuration: Arc<str>,
    pub suspended: bool,
    /// Takes the place of the one in the model.
    pub priority: Option<i64>,
}

/// Absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobDefinitionFilter {
    pub definition: Option<DefinitionKey>,
    pub process_id: Option<ProcessId>,
    pub tenant: Option<TenantId>,
    pub element: Option<ElementId>,
    pub kind: Option<Arc<str>>,
    pub configuration: Option<Arc<str>>,
    pub suspended: Option<bool>,
    /// Whether a priority is set.
    pub has_priority: Option<bool>,
}

impl JobDefinitionFilter {
    pub fn matches(&self, row: &JobDefinitionRow) -> bool {
        fn is<T: PartialEq>(wanted: Option<&T>, found: &T) -> bool {
            wanted.is_none_or(|wanted| wanted == found)
        }
        is(self.definition.as_ref(), &row.definition)
            && is(self.process_id.as_ref(), &row.process_id)
            && is(self.tenant.as_ref(), &row.tenant)
            && is(self.element.as_ref(), &row.element)
            && is(self.kind.as_ref(), &row.kind)
            && is(self.configuration.as_ref(), &row.configuration)
            && is(self.suspended.as_ref(), &row.suspended)
            && is(self.has_priority.as_ref(), &row.priority.is_some())
    }
}

/// `None` leaves a setting as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobDefinitionChange {
    pub suspended: Option<bool>,
    /// `Some(None)`: that of the model counts again.
    pub priority: Option<Option<i64>>,
}

/// The rows of a deployment that got these definitions.
pub fn job_definitions_of(
    new: &NewDeployment,
    definitions: &[DefinitionRow],
) -> Vec<JobDefinitionRow> {
    let given = new.resources.iter().flat_map(|resource| &resource.definitions);
    let rows = given.zip(definitions).flat_map(|(definition, row)| {
        definition.job_definitions.iter().map(|job| JobDefinitionRow {
            key: job.key,
            engine: row.engine.clone(),
            tenant: row.tenant.clone(),
            definition: row.key,
            process_id: row.process_id.clone(),
            element: job.element.clone(),
            kind: job.kind.clone(),
            configuration: job.configuration.clone(),
            suspended: job.suspended,
            priority: None,
        })
    });
    rows.collect()
}
