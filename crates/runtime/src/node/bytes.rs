//! What changes weigh: groups are closed by it.
//!
//! Counted is what a store is given, column by column, numbers with eight bytes. What it makes of
//! that (pages, indexes, its log) is its own affair.

use orloj_store::{
    Change, ChoreWrite, EndedRow, HistoryRow, IncidentRow, InstanceWrite, JobRow, JobUpdate,
    JobWrite, LockWrite, RecordPage, RecordPageWrite, SubscriptionRow, UserTaskRow, VariableWrite,
};

/// Of a column, or of a row that is only named.
const NUMBER: usize = 8;
/// Of a row that few changes have, roughly.
const ROW_BYTES: usize = 256;

pub(super) fn change_bytes(change: &Change) -> usize {
    let instances: usize = change.instances.iter().map(instance_bytes).sum();
    let jobs: usize = change.jobs.iter().map(job_bytes).sum();
    let pages: usize = change.pages.iter().map(page_bytes).sum();
    let variables = change.variables.iter().map(|write| match write {
        VariableWrite::Put(row) => {
            3 * NUMBER + row.name.len() + row.value.bytes.len() + row.engine.len()
        }
        VariableWrite::Delete { name, .. } => 2 * NUMBER + name.len(),
        VariableWrite::DeleteAll { .. } => NUMBER,
    });
    let tasks: usize = change.user_tasks_added.iter().map(task_bytes).sum();
    let incidents: usize = change.incidents_added.iter().map(incident_bytes).sum();
    let waits: usize = change.subscriptions_added.iter().map(wait_bytes).sum();
    let history: usize = change.history.iter().map(history_bytes).sum();
    let ended: usize = change.ended.iter().map(ended_bytes).sum();
    let messages = change
        .messages_added
        .iter()
        .map(|row| 6 * NUMBER + row.name.len() + row.correlation_key.len() + row.variables.len());
    let broadcasts =
        change.broadcasts_added.iter().map(|row| 6 * NUMBER + row.name.len() + row.variables.len());
    let named = change.user_tasks_gone.len()
        + change.incidents_gone.len()
        + change.subscriptions_gone.len()
        + change.messages_gone.len()
        + change.messages_taken.len()
        + change.broadcasts.len()
        + change.migrations.len();
    let chores = change.chores.iter().map(|write| match write {
        ChoreWrite::Insert(row) => job_row_bytes(row),
        ChoreWrite::Update(_) | ChoreWrite::Delete { .. } => 8 * NUMBER,
    });
    let few = change.batches.len()
        + change.operations.len()
        + change.incidents_annotated.len()
        + change.incidents_opened.len()
        + change.chore_log.len();
    let statements = change.statements.iter().map(|statement| statement.sql.len());
    let chores = chores.chain(statements).sum::<usize>() + ROW_BYTES * few;
    let rows = instances + jobs + pages + tasks + incidents + waits + history + ended;
    let values = variables.chain(messages).chain(broadcasts).sum::<usize>();
    rows + values + chores + named * NUMBER
}

pub(super) fn instance_bytes(write: &InstanceWrite) -> usize {
    match write {
        InstanceWrite::Insert(row) => {
            let texts = row.engine.len() + row.tenant.len() + optional(row.business_key.as_ref());
            5 * NUMBER + texts + row.record.len() + row.events.len()
        }
        InstanceWrite::Update { record, events, .. } => 3 * NUMBER + record.len() + events.len(),
        InstanceWrite::Delete { .. } => 2 * NUMBER,
    }
}

pub(super) fn job_bytes(write: &JobWrite) -> usize {
    match write {
        JobWrite::Insert(row) => job_row_bytes(row),
        JobWrite::Update(update) => job_update_bytes(update),
        JobWrite::Delete(_) => NUMBER,
    }
}

fn job_row_bytes(row: &JobRow) -> usize {
    let names = row.engine.len() + row.tenant.len() + row.element.len() + row.job_type.len();
    let lock = optional(row.lock_worker.as_ref()) + row.activations.len();
    13 * NUMBER + names + lock + optional(row.failure.as_ref())
}

fn job_update_bytes(update: &JobUpdate) -> usize {
    let lock = match &update.lock {
        LockWrite::Keep | LockWrite::Clear => 0,
        LockWrite::Session(_) => NUMBER,
        LockWrite::Worker { worker, activations, .. } => NUMBER + worker.len() + activations.len(),
    };
    6 * NUMBER + lock + optional(update.failure.as_ref())
}

pub(super) fn page_bytes(write: &RecordPageWrite) -> usize {
    match write {
        RecordPageWrite::Put(RecordPage { engine, tenant, bytes, .. }) => {
            3 * NUMBER + engine.len() + tenant.len() + bytes.len()
        }
        RecordPageWrite::Delete { .. } => 3 * NUMBER,
        RecordPageWrite::DeleteAll { .. } => NUMBER,
    }
}

fn task_bytes(row: &UserTaskRow) -> usize {
    let candidates = row.candidate_groups.iter().chain(&row.candidate_users);
    let names = row.engine.len() + row.tenant.len() + row.element.len();
    let texts = optional(row.name.as_ref())
        + optional(row.assignee.as_ref())
        + optional(row.form_key.as_ref())
        + candidates.map(|name| name.len()).sum::<usize>();
    7 * NUMBER + names + texts
}

fn incident_bytes(row: &IncidentRow) -> usize {
    let names = row.engine.len() + row.tenant.len() + row.element.len();
    6 * NUMBER + names + row.kind.len() + row.message.len()
}

fn wait_bytes(row: &SubscriptionRow) -> usize {
    let names = row.engine.len() + row.tenant.len() + row.name.len();
    6 * NUMBER + names + optional(row.correlation_key.as_ref())
}

fn history_bytes(row: &HistoryRow) -> usize {
    3 * NUMBER + row.engine.len() + row.tenant.len() + row.events.len()
}

fn ended_bytes(row: &EndedRow) -> usize {
    let texts = row.engine.len() + row.tenant.len() + optional(row.business_key.as_ref());
    7 * NUMBER + texts + row.variables.len()
}

fn optional(text: Option<&std::sync::Arc<str>>) -> usize {
    text.map_or(0, |text| text.len())
}
