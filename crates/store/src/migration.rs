//! An instance that goes on as one of another definition.

use orloj_types::{DefinitionKey, ElementId, IncidentKey, InstanceKey, JobKey, UserTaskKey};

/// What the rows of an instance name from now on. Rare, and therefore a write of its own: an
/// ordinary step neither sends nor rewrites these columns.
///
/// It is written after everything else of its change, which also has the write of the instance that
/// guards it. Rows that are gone by then stay gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    pub instance: InstanceKey,
    pub definition: DefinitionKey,
    pub jobs: Vec<(JobKey, ElementId)>,
    pub user_tasks: Vec<(UserTaskKey, ElementId)>,
    pub incidents: Vec<(IncidentKey, ElementId)>,
}
