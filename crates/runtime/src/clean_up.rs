//! Scheduling the clean-up of history.
//!
//! The clean-ups of an engine are few rows that live for ever; whoever schedules them makes those
//! that are missing, sets the others anew and removes those that are too many. Their keys follow
//! from the engine's name: nodes that do so at the same moment make each of them once.

use orloj_store::{Change, ChoreWrite, Held, JobFilter, JobKind, JobRow, Page};
use orloj_types::JobKey;

use crate::api::Error;
use crate::handle::Orloj;
use crate::history::cleanup::{CleanupState, NextRun, first_run, slices};
use crate::manage::{Desk, Entry};
use crate::node::chores::{
    CleanupPayload, INCIDENT_WORD, cleanup_chore, cleanup_key, ordered, resting, standing,
    windows_of, written,
};
use crate::node::{Request, store_error};

/// How often it is tried while others do the same.
const TRIES_MAX: usize = 20;
/// Camunda's bound; more clean-ups side by side get in each other's way.
const CLEANUPS_MAX: u32 = 8;

impl Orloj {
    /// Schedules the clean-up of history, now or for the next window; gives the jobs that do it.
    /// Without a window they wait until someone wants it at once.
    pub async fn clean_up_history(&self, immediately: bool) -> Result<Vec<JobKey>, Error> {
        if !self.inner.settings.history.cleanup.enabled {
            return Err(Error::Invalid("the clean-up of history is switched off".into()));
        }
        let desk = Desk::new(self);
        let entry = Entry::new("CreateHistoryCleanupJobs", "Job", None).changing(
            "immediatelyDue",
            None::<&str>,
            Some(immediately),
        );
        for _ in 0..TRIES_MAX {
            let rows = self.clean_up_jobs().await?;
            let (chores, keys) = self.planned_clean_ups(&rows, immediately);
            if chores.is_empty() {
                return Ok(keys);
            }
            let operations = desk.log(vec![entry.clone()]).await?;
            let mut change = Change { operations: operations.into(), ..Change::default() };
            for write in chores {
                if let Some(row) = rows.iter().find(|row| row.key == write.key()) {
                    self.following(INCIDENT_WORD).add(&mut change, row, &write);
                }
                change.chores.push(write);
            }
            match self.done(Request::Write(Box::new(change))).await {
                Ok(()) => return Ok(keys),
                // One of them has ended its run, or another node does the same.
                Err(Error::Overtaken) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::Overtaken)
    }

    /// The jobs that clean up.
    pub async fn clean_up_jobs(&self) -> Result<Vec<JobRow>, Error> {
        let keys = (0..CLEANUPS_MAX as usize).map(|slice| cleanup_key(&self.inner.engine, slice));
        let filter = JobFilter {
            keys: keys.collect(),
            kinds: vec![JobKind::HistoryCleanup],
            ..JobFilter::default()
        };
        let page = Page { before: None, limit: CLEANUPS_MAX };
        self.inner.store.jobs(filter, page).await.map_err(|e| store_error(&e))
    }

    /// What an engine does when it starts: windows that were configured count.
    pub(crate) async fn schedule_clean_ups(&self) -> Result<(), Error> {
        let cleanup = &self.inner.settings.history.cleanup;
        if cleanup.enabled && !windows_of(cleanup, &self.inner.zone).is_empty() {
            self.clean_up_history(false).await?;
        }
        Ok(())
    }

    fn planned_clean_ups(
        &self,
        rows: &[JobRow],
        immediately: bool,
    ) -> (Vec<ChoreWrite>, Vec<JobKey>) {
        let (now, engine) = (self.now(), &self.inner.engine);
        let cleanup = &self.inner.settings.history.cleanup;
        let at = match first_run(&windows_of(cleanup, &self.inner.zone), immediately, now) {
            NextRun::At(at) => Some(at),
            NextRun::Never => None,
        };
        let retries = cleanup.retries.unwrap_or(self.inner.settings.jobs.retries);
        let retries = i32::try_from(retries).unwrap_or(i32::MAX).max(1);
        let (mut chores, mut keys) = (Vec::new(), Vec::new());
        for (slice, minutes) in
            slices(cleanup.parallelism.min(CLEANUPS_MAX)).into_iter().enumerate()
        {
            let state = CleanupState { minutes, empty_runs: 0, is_immediate: immediately };
            let payload = CleanupPayload::of(&state);
            let key = cleanup_key(engine, slice);
            keys.push(key);
            match rows.iter().find(|row| row.key == key) {
                // It is cleaning already, and sees to what comes next by itself.
                Some(row) if row.is_locked() && !immediately => {}
                Some(row) => {
                    let mut update = ordered(row);
                    update.state = standing(resting(at), retries, at, now);
                    update.due_at = at;
                    update.priority = Some(cleanup.priority);
                    update.retries_left = retries;
                    update.payload = Some(written(&payload));
                    chores.push(ChoreWrite::Update(update));
                }
                None if at.is_none() => {}
                None => {
                    let row = cleanup_chore(engine, slice, &payload, cleanup, retries, now);
                    let state = standing(resting(at), retries, at, now);
                    let row = JobRow { state, due_at: at, ..row };
                    chores.push(ChoreWrite::Insert(row));
                }
            }
        }
        let surplus = rows.iter().filter(|row| !keys.contains(&row.key));
        chores.extend(surplus.map(|row| ChoreWrite::Delete { key: row.key, held: Held::Free }));
        (chores, keys)
    }
}
