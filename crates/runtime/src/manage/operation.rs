//! Entries of the log of operations, by the names that Camunda 7 gives them.

use std::sync::Arc;

use orloj_store::{JobDefinitionRow, JobRow, OperationRow};
use orloj_types::{
    DefinitionKey, EngineName, InstanceKey, JobDefinitionKey, OperationKey, TenantId, Timestamp,
};

/// One property that an operation changes; the keys are given when it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub operation: &'static str,
    pub entity: &'static str,
    pub entity_key: Option<i64>,
    pub tenant: TenantId,
    pub instance: Option<InstanceKey>,
    pub definition: Option<DefinitionKey>,
    pub job_definition: Option<JobDefinitionKey>,
    pub property: Option<&'static str>,
    pub old: Option<String>,
    pub new: Option<String>,
}

impl Entry {
    pub fn new(operation: &'static str, entity: &'static str, key: Option<i64>) -> Self {
        Self { operation, entity, entity_key: key, ..Self::default() }
    }

    pub fn of_job(operation: &'static str, row: &JobRow) -> Self {
        Self {
            tenant: row.tenant.clone(),
            instance: Some(row.instance).filter(|key| key.raw() != 0),
            definition: Some(row.definition).filter(|key| key.raw() != 0),
            ..Self::new(operation, "Job", Some(row.key.raw()))
        }
    }

    pub fn of_job_definition(operation: &'static str, row: &JobDefinitionRow) -> Self {
        Self {
            tenant: row.tenant.clone(),
            definition: Some(row.definition),
            job_definition: Some(row.key),
            ..Self::new(operation, "JobDefinition", Some(row.key.raw()))
        }
    }

    pub fn of_instance(operation: &'static str, key: InstanceKey) -> Self {
        Self { instance: Some(key), ..Self::new(operation, "ProcessInstance", Some(key.raw())) }
    }

    pub fn changing(
        self,
        property: &'static str,
        old: Option<impl ToString>,
        new: Option<impl ToString>,
    ) -> Self {
        Self {
            property: Some(property),
            old: old.map(|text| text.to_string()),
            new: new.map(|text| text.to_string()),
            ..self
        }
    }

    /// Of a suspension.
    pub fn suspending(self, is_suspended: bool) -> Self {
        let word = if is_suspended { "suspended" } else { "active" };
        self.changing("suspensionState", None::<&str>, Some(word))
    }

    pub fn row(self, written: Written<'_>) -> OperationRow {
        OperationRow {
            key: written.key,
            group: written.group,
            engine: written.engine.clone(),
            tenant: self.tenant,
            at: written.at,
            user: written.user.cloned(),
            operation: self.operation.into(),
            entity: self.entity.into(),
            entity_key: self.entity_key,
            instance: self.instance,
            definition: self.definition,
            job_definition: self.job_definition,
            property: self.property.map(Into::into),
            old: self.old.map(Into::into),
            new: self.new.map(Into::into),
        }
    }
}

/// What entries have in common.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    pub key: OperationKey,
    pub group: OperationKey,
    pub engine: &'a EngineName,
    pub user: Option<&'a Arc<str>>,
    pub at: Timestamp,
}
