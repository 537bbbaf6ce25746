//! A chore has failed: it is tried again later, or becomes a dead letter.

use std::sync::Arc;

use orloj_executor::Meter;
use orloj_interpreter::JobSettings;
use orloj_store::{Change, ChoreWrite, FAILURE_CHARS_MAX, FailureWrite, LockWrite};
use orloj_types::{ElementId, JobKey, Timestamp};

use super::{Afterwards, Node, by_hand, kept, standing};

/// Why, and what follows from it.
#[derive(Debug, Default)]
pub(super) struct Failed {
    pub message: Arc<str>,
    pub details: Option<Arc<str>>,
    pub element: Option<ElementId>,
    /// `None`: at once.
    pub retry_at: Option<Timestamp>,
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
        // One that is run by hand stays suspended all the same.
        update.state = standing(row.state, retries_left, failed.retry_at, self.now);
        update.due_at = failed.retry_at.or(row.due_at);
        let failed_at = failed.element.clone();
        update.failure = FailureWrite::Set {
            message: message.clone(),
            details: failed.details,
            element: failed.element,
        };
        let (kind, element) = (row.kind, row.element.clone());
        let mut chores = vec![ChoreWrite::Update(update)];
        chores.extend(failed.also);
        let afterwards = Afterwards::of(&chores);
        let change = Change { chores: chores.into(), ..Change::default() };
        let failed_at = failed_at.unwrap_or_else(|| element.clone());
        if let Some(running) = self.chores.running.get_mut(&job) {
            running.outcome = Err(by_hand::failed(job, failed_at, &message, retries_left));
        }
        if self.logs_failure(retries_left) {
            tracing::warn!(%message, %job, ?kind, %element, retries_left, "a chore failed");
        }
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
