//! A chore has failed: it is tried again later, or becomes a dead letter.

use std::sync::Arc;

use orloj_executor::Meter;
use orloj_interpreter::JobSettings;
use orloj_store::{
    Change, ChoreWrite, FAILURE_CHARS_MAX, FailureWrite, IncidentRow, JobRow, JobState, LockWrite,
};
use orloj_types::{ElementId, JobKey, Timestamp};

use super::{Afterwards, Node, incident_of, kept};

/// Why, and what follows from it.
#[derive(Debug, Default)]
pub(super) struct Failed {
    pub message: Arc<str>,
    pub details: Option<Arc<str>>,
    pub element: Option<ElementId>,
    /// `None`: at once.
    pub retry_at: Option<Timestamp>,
    /// The word for a chore that fails for good; `None`: Camunda's, which has batches.
    pub incident: Option<Arc<str>>,
    /// Instead of the payload it has.
    pub payload: Option<Vec<u8>>,
    /// Written with it.
    pub also: Vec<ChoreWrite>,
}

impl Failed {
    pub fn of(message: &str) -> Self {
        Self { message: message.into(), ..Self::default() }
    }
}

impl Node {
    pub(super) fn fail_chore(&mut self, job: JobKey, failed: Failed) {
        let Some(row) = self.chore_row(job) else { return };
        let retries_left = row.retries_left.saturating_sub(1).max(0);
        let message: Arc<str> =
            failed.message.chars().take(FAILURE_CHARS_MAX).collect::<String>().into();
        let mut update = kept(row, self.hold(row));
        update.retries_left = retries_left;
        update.lock = LockWrite::Clear;
        update.payload = failed.payload;
        update.state = match failed.retry_at {
            _ if retries_left == 0 => JobState::Failed,
            Some(at) if at > self.now => JobState::Waiting,
            _ => JobState::Ready,
        };
        update.due_at = failed.retry_at.or(row.due_at);
        let afterwards = Afterwards {
            is_ready: update.state == JobState::Ready || !failed.also.is_empty(),
            due_at: update.due_at.filter(|_| update.state == JobState::Waiting),
        };
        update.failure = FailureWrite::Set {
            message: message.clone(),
            details: failed.details,
            element: failed.element,
        };
        let opens = retries_left == 0 && self.config.settings.jobs.incidents;
        let incident = opens.then(|| {
            let kind = failed.incident.unwrap_or_else(|| "failedJob".into());
            incident_row(row, kind, message.clone(), self.now)
        });
        let has_incident = row.retries_left <= 0;
        let (kind, element) = (row.kind, row.element.clone());
        let mut chores = vec![ChoreWrite::Update(update)];
        chores.extend(failed.also);
        let incidents_added = incident.filter(|_| !has_incident).into_iter().collect();
        let change = Change { chores, incidents_added, ..Change::default() };
        tracing::warn!(%message, %job, ?kind, %element, retries_left, "a chore failed");
        self.metrics.meters.add(Meter::JobFailed, 1);
        self.conclude(job, change, afterwards);
    }

    /// When a chore of no process that has failed is tried again.
    pub(super) fn retry_at(&self) -> Option<Timestamp> {
        let wait_ms = self.config.settings.jobs.async_failed_wait_ms.filter(|ms| *ms > 0)?;
        Some(self.now.plus_ms(i64::try_from(wait_ms).unwrap_or(i64::MAX)))
    }

    /// How often a chore of no process is tried.
    pub(super) fn chore_retries(&self) -> i32 {
        i32::try_from(self.config.settings.jobs.retries).unwrap_or(i32::MAX).max(1)
    }

    pub(super) fn job_settings(&self) -> Arc<JobSettings> {
        self.known.jobs().clone()
    }
}

fn incident_row(row: &JobRow, kind: Arc<str>, message: Arc<str>, now: Timestamp) -> IncidentRow {
    IncidentRow {
        key: incident_of(row),
        engine: row.engine.clone(),
        tenant: row.tenant.clone(),
        instance: row.instance,
        definition: row.definition,
        element_instance: row.element_instance,
        element: row.element.clone(),
        job: Some(row.key),
        kind,
        message,
        created_at: now,
        cause: incident_of(row),
        root_cause: incident_of(row),
        configuration: None,
        annotation: None,
    }
}
