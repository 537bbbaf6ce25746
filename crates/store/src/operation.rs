//! The log of what people and programs did to the engine by hand. Append-only.

use std::sync::Arc;

use orloj_types::{
    DefinitionKey, EngineName, InstanceKey, JobDefinitionKey, OperationKey, TenantId, Timestamp,
};

/// One property that one operation changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationRow {
    pub key: OperationKey,
    /// The key of the operation's first entry: what was done at once is told by it.
    pub group: OperationKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub at: Timestamp,
    pub user: Option<Arc<str>>,
    pub operation: Arc<str>,
    /// What kind of thing it was done to, and which.
    pub entity: Arc<str>,
    pub entity_key: Option<i64>,
    pub instance: Option<InstanceKey>,
    pub definition: Option<DefinitionKey>,
    pub job_definition: Option<JobDefinitionKey>,
    pub property: Option<Arc<str>>,
    pub old: Option<Arc<str>>,
    pub new: Option<Arc<str>>,
}

/// Absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationFilter {
    pub group: Option<OperationKey>,
    pub user: Option<Arc<str>>,
    pub operation: Option<Arc<str>>,
    pub entity: Option<Arc<str>>,
    pub entity_key: Option<i64>,
    pub instance: Option<InstanceKey>,
    pub definition: Option<DefinitionKey>,
    pub job_definition: Option<JobDefinitionKey>,
    pub property: Option<Arc<str>>,
    /// Moments at which it lies, the last one excluded.
    pub from: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

impl OperationFilter {
    pub fn matches(&self, row: &OperationRow) -> bool {
        fn is<T: PartialEq>(wanted: Option<&T>, found: Option<&T>) -> bool {
            wanted.is_none_or(|wanted| found == Some(wanted))
        }
        is(self.group.as_ref(), Some(&row.group))
            && is(self.user.as_ref(), row.user.as_ref())
            && is(self.operation.as_ref(), Some(&row.operation))
            && is(self.entity.as_ref(), Some(&row.entity))
            && is(self.entity_key.as_ref(), row.entity_key.as_ref())
            && is(self.instance.as_ref(), row.instance.as_ref())
            && is(self.definition.as_ref(), row.definition.as_ref())
            && is(self.job_definition.as_ref(), row.job_definition.as_ref())
            && is(self.property.as_ref(), row.property.as_ref())
            && self.from.is_none_or(|from| row.at >= from)
            && self.until.is_none_or(|until| row.at < until)
    }
}
