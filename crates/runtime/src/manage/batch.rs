//! Work for many, handed to the executor as a batch.

use orloj_types::BatchKey;

use super::instances::{InstanceAction, InstanceScope, Instances};
use super::job_action::JobAction;
use super::job_set::{JobScope, JobSet};
use super::jobs::{Jobs, wants_failed};
use crate::api::{Error, MigrateInstance, Modify};
use crate::batches::{BatchElements, NewBatch};
use crate::node::chores::{BatchWork, Modification};

impl Jobs {
    pub(super) async fn batch(
        &self,
        set: JobSet,
        scope: &JobScope,
        action: &JobAction,
    ) -> Result<BatchKey, Error> {
        let work = match action {
            JobAction::SetRetries { retries, due } => BatchWork::SetJobRetries {
                retries: *retries,
                due_ms: due.map(|due| due.map(|due| due.as_ms())),
            },
            JobAction::MoveToExecutable { retries } if set == JobSet::DeadLetters => {
                BatchWork::MoveDeadLetters { retries: *retries }
            }
            _ => return Err(Error::Invalid("of jobs, only retries are set in batches".into())),
        };
        let keys = self.keys(set, scope, wants_failed(action)).await?;
        let elements = BatchElements::jobs(keys);
        let new = NewBatch { created_by: self.desk.user.clone(), ..NewBatch::new(work, elements) };
        Ok(self.desk.engine.batches().create(new).await?.key)
    }
}

impl Instances {
    pub(super) async fn batch(
        &self,
        scope: InstanceScope,
        action: &InstanceAction,
    ) -> Result<BatchKey, Error> {
        let work = match action {
            InstanceAction::Suspend => BatchWork::InstanceUpdateSuspensionState { suspended: true },
            InstanceAction::Activate => {
                BatchWork::InstanceUpdateSuspensionState { suspended: false }
            }
            InstanceAction::Cancel => BatchWork::InstanceDeletion { without_listeners: false },
            InstanceAction::Delete => BatchWork::InstanceDeletion { without_listeners: true },
            InstanceAction::SetVariables(variables) => {
                BatchWork::SetVariables { variables: variables.to_json() }
            }
            InstanceAction::Migrate(MigrateInstance { which, tenant, plan }) => {
                let target = self.desk.engine.inner.definitions.find(which, tenant).await?;
                let plan = plan.iter().map(|(from, to)| (from.to_string(), to.to_string()));
                let definition = target.key.raw();
                BatchWork::InstanceMigration { definition, plan: plan.collect() }
            }
            InstanceAction::Modify(modify) => {
                BatchWork::InstanceModification { instructions: modifications(modify)? }
            }
        };
        let elements = BatchElements::instances(self.keys(&scope).await?);
        let new = NewBatch { created_by: self.desk.user.clone(), ..NewBatch::new(work, elements) };
        Ok(self.desk.engine.batches().create(new).await?.key)
    }
}

/// A batch is for instances that differ in their element instances, so it names elements only.
fn modifications(modify: &Modify) -> Result<Vec<Modification>, Error> {
    let names_instances = !modify.terminate.is_empty()
        || modify.activate.iter().any(|activate| activate.ancestor.is_some());
    if names_instances {
        let reason = "a batch modifies many instances and cannot name element instances of one";
        return Err(Error::Invalid(reason.into()));
    }
    let starts = modify.activate.iter().map(|activate| Modification::StartBefore {
        element: activate.element.to_string(),
        variables: activate.variables.to_json(),
        locals: activate.locals.to_json(),
    });
    let ends = modify
        .terminate_all
        .iter()
        .map(|element| Modification::CancelAll { element: element.to_string() });
    Ok(starts.chain(ends).collect())
}
