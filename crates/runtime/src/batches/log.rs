//! What the log of operations tells of batches.

use orloj_store::BatchRow;
use orloj_types::{TenantId, Timestamp};

use crate::manage::Entry;
use crate::node::chores::BatchWork;

pub(super) fn of_batch(operation: &'static str, row: &BatchRow) -> Entry {
    Entry { tenant: row.tenant.clone(), ..Entry::new(operation, "Batch", Some(row.key.raw())) }
}

/// What the log tells of a batch that begins: by the names of what is done to each element.
pub(super) fn created(work: &BatchWork, count: usize, tenant: &TenantId) -> Vec<Entry> {
    let instance = "ProcessInstance";
    let (operation, entity) = match work {
        BatchWork::InstanceMigration { .. } => ("Migrate", instance),
        BatchWork::InstanceModification { .. } => ("ModifyProcessInstance", instance),
        BatchWork::InstanceRestart { .. } => ("RestartProcessInstance", instance),
        BatchWork::InstanceDeletion { .. } => ("Delete", instance),
        BatchWork::InstanceUpdateSuspensionState { suspended: true } => ("Suspend", instance),
        BatchWork::InstanceUpdateSuspensionState { suspended: false } => ("Activate", instance),
        BatchWork::SetJobRetries { .. } | BatchWork::MoveDeadLetters { .. } => {
            ("SetJobRetries", "Job")
        }
        BatchWork::SetExternalTaskRetries { .. } => ("SetExternalTaskRetries", "ExternalTask"),
        BatchWork::SetVariables { .. } => ("SetVariables", instance),
        BatchWork::CorrelateMessage { .. } => ("CorrelateMessage", instance),
        BatchWork::HistoricInstanceDeletion => ("DeleteHistory", instance),
        BatchWork::ProcessSetRemovalTime { .. } => ("SetRemovalTime", instance),
        BatchWork::BatchSetRemovalTime { .. } => ("SetRemovalTime", "Batch"),
    };
    let entry = || Entry { tenant: tenant.clone(), ..Entry::new(operation, entity, None) };
    let none = None::<&str>;
    let mut entries = vec![
        entry().changing("nrOfInstances", none, Some(count)),
        entry().changing("async", none, Some(true)),
    ];
    match work {
        BatchWork::SetJobRetries { retries, .. }
        | BatchWork::MoveDeadLetters { retries }
        | BatchWork::SetExternalTaskRetries { retries } => {
            entries.push(entry().changing("retries", none, Some(retries)));
        }
        BatchWork::InstanceUpdateSuspensionState { suspended } => {
            entries.push(entry().suspending(*suspended));
        }
        BatchWork::ProcessSetRemovalTime { at_ms } | BatchWork::BatchSetRemovalTime { at_ms } => {
            let at = at_ms.map(Timestamp::from_ms);
            entries.push(entry().changing("removalTime", none, at));
        }
        _ => {}
    }
    entries
}
