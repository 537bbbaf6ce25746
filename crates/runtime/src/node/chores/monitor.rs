//! Monitors: they look from time to time whether a batch has parts left, and end it when it has
//! none. Parts that failed for good count: someone has to retry or delete them.

use orloj_store::{
    BatchEnd, BatchWrite, ChoreWrite, FailureWrite, JobKind, JobRow, JobState, LockWrite,
};
use orloj_timer::{Dialect, Kind, Schedule};
use orloj_types::{JobKey, Timestamp};

use super::super::event::{Find, Found};
use super::{Afterwards, ChoreEnd, Doing, Node, batch_of, incidents_of, kept, standing};
use crate::history::batch_removal_at;

impl Node {
    pub(super) fn begin_monitor(&mut self, row: Box<JobRow>) {
        let (job, batch) = (row.key, batch_of(&row));
        self.run(row, Doing::Plain);
        self.ask_for_chore(job, Find::BatchProgress(batch));
    }

    pub(super) fn monitor_found(&mut self, job: JobKey, found: Found) {
        let Found::BatchProgress { batch, parts_left } = found else {
            return self.end_orphan(job);
        };
        let Some(row) = self.chore_row(job) else { return };
        let held = self.hold(row);
        let (end, afterwards) = if parts_left == 0 {
            let ended_at = self.now;
            let began_at = batch.started_at.unwrap_or(batch.created_at);
            let settings = &self.config.settings;
            let removal_at = batch_removal_at(settings, &batch.kind, began_at, ended_at);
            let end = BatchEnd {
                at: ended_at,
                removal_at,
                parts_done: batch.parts_made,
                parts_failed: 0,
            };
            let end = ChoreEnd {
                chores: vec![ChoreWrite::Delete { key: job, held }],
                batches: vec![BatchWrite::End { key: batch.key, end }],
                incidents_gone: incidents_of(row),
            };
            (end, Afterwards::default())
        } else {
            let due_at = self.next_look();
            let set = self.known.of_batch(batch.key, JobKind::BatchMonitor);
            let mut update = kept(row, held);
            // One that is run by hand stays suspended all the same.
            let state = if set.is_suspended { JobState::Suspended } else { row.state };
            update.retries_left = self.chore_retries();
            update.due_at = Some(due_at);
            update.state = standing(state, update.retries_left, update.due_at, self.now);
            update.failure = FailureWrite::Clear;
            update.lock = LockWrite::Clear;
            let end = ChoreEnd {
                chores: vec![ChoreWrite::Update(update)],
                incidents_gone: incidents_of(row),
                ..ChoreEnd::default()
            };
            let afterwards = Afterwards::of(&end.chores);
            (end, afterwards)
        };
        self.count_success();
        self.conclude(job, end.into_change(), afterwards);
    }

    /// By the cycle that is set, as in Flowable, or else after a while, as in Camunda.
    fn next_look(&self) -> Timestamp {
        let settings = &self.config.settings.batches;
        // One that cannot be read is refused with the other settings.
        let cycle = settings.poll_cycle.as_deref().and_then(|text| {
            let cycle = Schedule::parse(Dialect::Flowable, Kind::Cycle, text.trim()).ok()?;
            cycle.next_after(self.now, &self.config.zone)
        });
        let poll_ms = i64::try_from(settings.poll_ms).unwrap_or(i64::MAX);
        cycle.unwrap_or_else(|| self.now.plus_ms(poll_ms.max(1)))
    }
}
