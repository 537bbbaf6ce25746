use std::sync::Arc;

use orloj_interpreter as interpreter;
use orloj_interpreter::{Activation, Record};
use orloj_store::format::decode_activations;
use orloj_store::{IncidentRow, JobRow, JobUpdate, LockWrite, SubscriptionRow, UserTaskRow};
use orloj_types::{EngineName, Timestamp};

pub(crate) fn job_kind(kind: &interpreter::JobKind) -> orloj_store::JobKind {
    match kind {
        interpreter::JobKind::AsyncBefore => orloj_store::JobKind::AsyncBefore,
        interpreter::JobKind::AsyncAfter => orloj_store::JobKind::AsyncAfter,
        interpreter::JobKind::AsyncComplete => orloj_store::JobKind::AsyncComplete,
        interpreter::JobKind::Worker => orloj_store::JobKind::Worker,
        interpreter::JobKind::Listener { .. } => orloj_store::JobKind::Listener,
        interpreter::JobKind::Timer { .. } => orloj_store::JobKind::Timer,
        interpreter::JobKind::Signal { .. } => orloj_store::JobKind::Signal,
    }
}

pub(crate) fn job_state(state: interpreter::JobState) -> orloj_store::JobState {
    match state {
        interpreter::JobState::Ready => orloj_store::JobState::Ready,
        interpreter::JobState::Waiting => orloj_store::JobState::Waiting,
        interpreter::JobState::Parked => orloj_store::JobState::Parked,
        interpreter::JobState::Failed => orloj_store::JobState::Failed,
        interpreter::JobState::ErrorThrown => orloj_store::JobState::ErrorThrown,
        interpreter::JobState::Suspended => orloj_store::JobState::Suspended,
    }
}

/// The row of a new job, not locked yet.
pub(crate) fn job_insert(
    engine: &EngineName,
    record: &Record,
    row: interpreter::JobRow,
    now: Timestamp,
) -> JobRow {
    JobRow {
        topic: row.topic,
        key: row.job.key,
        engine: engine.clone(),
        tenant: record.tenant.clone(),
        instance: record.instance,
        definition: record.definition,
        element_instance: row.element_instance,
        element: row.element,
        kind: job_kind(&row.job.kind),
        // The engine acquires its own jobs by one type; what they remember is in the record.
        job_type: if row.job.kind.is_for_clients() { row.job.job_type } else { Arc::default() },
        state: job_state(row.job.state),
        retries_left: row.job.retries_left,
        priority: row.job.priority,
        exclusive: row.job.exclusive,
        due_at: row.job.due_at,
        lock_session: None,
        lock_worker: None,
        lock_until: None,
        attempt: 0,
        activations: Vec::new(),
        created_at: now,
        category: row.job.category,
        limit_key: row.job.limit_key,
        batch: None,
        payload: None,
        failure: row.failure.as_ref().map(|failed| failed.message.clone()),
        failure_details: row.failure.as_ref().and_then(|failed| failed.details.clone()),
        failed_element: row.failure.map(|failed| failed.element),
    }
}

pub(crate) fn job_update(row: &interpreter::JobRow, lock: LockWrite) -> JobUpdate {
    JobUpdate {
        key: row.job.key,
        state: job_state(row.job.state),
        retries_left: row.job.retries_left,
        priority: row.job.priority,
        due_at: row.job.due_at,
        failure: row.failure.as_ref().map(|failed| failed.message.clone()),
        failure_details: row.failure.as_ref().and_then(|failed| failed.details.clone()),
        failed_element: row.failure.as_ref().map(|failed| failed.element.clone()),
        lock,
    }
}

pub(crate) fn user_task_row(
    engine: &EngineName,
    record: &Record,
    row: interpreter::UserTaskRow,
    now: Timestamp,
) -> UserTaskRow {
    UserTaskRow {
        key: row.key,
        engine: engine.clone(),
        tenant: record.tenant.clone(),
        instance: record.instance,
        definition: record.definition,
        element_instance: row.element_instance,
        element: row.element,
        name: row.name,
        assignee: row.assignee,
        candidate_groups: row.candidate_groups,
        candidate_users: row.candidate_users,
        due_at: row.due_at,
        priority: row.priority,
        form_key: row.form_key,
        created_at: now,
    }
}

pub(crate) fn incident_row(
    engine: &EngineName,
    record: &Record,
    row: interpreter::IncidentRow,
    now: Timestamp,
) -> IncidentRow {
    IncidentRow {
        key: row.key,
        engine: engine.clone(),
        tenant: record.tenant.clone(),
        instance: record.instance,
        definition: record.definition,
        element_instance: row.element_instance,
        element: row.element,
        job: row.job,
        kind: row.kind,
        message: row.message,
        created_at: now,
        cause: row.cause,
        root_cause: row.root_cause,
        configuration: row.configuration,
        annotation: None,
    }
}

/// Who had the job, as its row tells. Damaged bytes tell nothing; the job goes on.
pub(crate) fn activations(row: &JobRow) -> Vec<Activation> {
    let entries = decode_activations(&row.activations).unwrap_or_default();
    let activation = |entry: orloj_store::format::ActivationEntry| Activation {
        worker: entry.worker.into(),
        at: Timestamp::from_ms(entry.at_ms),
    };
    entries.into_iter().map(activation).collect()
}

pub(crate) fn subscription_row(
    engine: &EngineName,
    record: &Record,
    row: interpreter::SubscriptionRow,
) -> SubscriptionRow {
    let (kind, name, correlation_key) = super::scope::parts(&row.subscription.kind);
    SubscriptionRow {
        key: row.subscription.key,
        engine: engine.clone(),
        tenant: record.tenant.clone(),
        instance: record.instance,
        definition: record.definition,
        element_instance: row.element_instance,
        kind,
        name: name.unwrap_or_default().into(),
        correlation_key: correlation_key.map(Into::into),
        event: row.subscription.event,
    }
}
