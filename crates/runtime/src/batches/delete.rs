//! The end of a batch before its time.

#![expect(clippy::disallowed_methods, reason = "whoever deletes a batch waits for its chores")]

use std::time::Duration;

use orloj_store::{
    BatchEnd, BatchRow, BatchWrite, Change, ChoreWrite, Held, JobFilter, PRUNE_ROWS_MAX, Prune,
    PruneQuery,
};
use orloj_types::BatchKey;
use thin_vec::thin_vec;

use super::Batches;
use super::log::of_batch;
use crate::api::{Error, Missing};
use crate::history::batch_removal_at;
use crate::manage::Entry;
use crate::node::{Request, store_error};

/// Between two looks for what is at work: about the time of its run.
const CHORE_POLL: Duration = Duration::from_millis(5);
/// How often whoever deletes a batch looks for what is still at work: some ten seconds.
const DELETE_PASSES_MAX: usize = 2_000;

impl Batches {
    /// Its parts go with it; what they have done stays. With `cascade` nothing is left of it in
    /// history; otherwise it counts as ended. One that has ended is deleted with `cascade` only.
    ///
    /// Waits for what is at work at this moment; [`Error::Overtaken`] when that takes too long. The
    /// batch is gone then all the same, and what is left of it ends with its next run.
    pub async fn delete(&self, key: BatchKey, cascade: bool) -> Result<(), Error> {
        if self.row(key).await?.is_none() {
            return self.delete_ended(key, cascade).await;
        }
        // What its seed still makes from here on waits to be deleted too.
        self.set_jobs_suspended(key, true).await?;
        let Some(row) = self.row(key).await? else {
            return self.delete_ended(key, cascade).await;
        };
        let write = match cascade {
            true => BatchWrite::Delete(key),
            false => BatchWrite::End { key, end: self.end(&row).await? },
        };
        let entry =
            of_batch("Delete", &row).changing("cascadeToHistory", None::<&str>, Some(cascade));
        let change = Change {
            batches: thin_vec![write],
            operations: self.desk.log(vec![entry]).await?.into(),
            ..Change::default()
        };
        self.engine.done(Request::Write(Box::new(change))).await?;
        let of_it = JobFilter { batch: Some(key), ..JobFilter::default() };
        for _ in 0..DELETE_PASSES_MAX {
            self.change_chores(key, |row| {
                (!row.is_locked()).then_some(ChoreWrite::Delete { key: row.key, held: Held::Free })
            })
            .await?;
            // Chores of a batch are made by others of it alone: where none is left, none will be.
            let left = self.engine.inner.store.count_jobs(of_it.clone()).await;
            if left.map_err(|e| store_error(&e))? == 0 {
                return if cascade { self.delete_log(key).await } else { Ok(()) };
            }
            // Someone is at work at this moment, and what follows will not be.
            tokio::time::sleep(CHORE_POLL).await;
        }
        Err(Error::Overtaken)
    }

    async fn delete_ended(&self, key: BatchKey, cascade: bool) -> Result<(), Error> {
        let view = self.get(key).await?;
        if !cascade {
            let reason = format!("batch {key} has ended; cascade to delete it from history");
            return Err(Error::Invalid(reason));
        }
        let query = PruneQuery { what: Prune::BatchKeys(vec![key]), limit: 1 };
        let pruned = self.engine.inner.store.prune(query).await;
        if pruned.map_err(|e| store_error(&e))?.rows == 0 {
            return Err(Error::Missing(Missing::Batch(key.raw())));
        }
        let entry =
            Entry { tenant: view.tenant, ..Entry::new("DeleteHistory", "Batch", Some(key.raw())) };
        self.desk.note(vec![entry]).await?;
        self.delete_log(key).await
    }

    /// A chunk at a time: a batch of a million elements has a log of as many lines.
    async fn delete_log(&self, key: BatchKey) -> Result<(), Error> {
        loop {
            let query = PruneQuery { what: Prune::BatchLog(key), limit: PRUNE_ROWS_MAX };
            let pruned = self.engine.inner.store.prune(query).await;
            if pruned.map_err(|e| store_error(&e))?.rows < PRUNE_ROWS_MAX {
                return Ok(());
            }
        }
    }

    /// How a batch stands that is over before its time.
    async fn end(&self, row: &BatchRow) -> Result<BatchEnd, Error> {
        let at = self.engine.now();
        let began_at = row.started_at.unwrap_or(row.created_at);
        let settings = &self.engine.inner.settings;
        let statistics = self.view(row).await?.statistics;
        Ok(BatchEnd {
            at,
            removal_at: batch_removal_at(settings, &row.kind, began_at, at),
            parts_done: i64::try_from(statistics.done).unwrap_or(i64::MAX),
            parts_failed: i64::try_from(statistics.failed).unwrap_or(i64::MAX),
        })
    }
}
