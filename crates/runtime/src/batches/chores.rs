//! The chores of a batch, changed together.

use orloj_store::{
    Change, ChoreWrite, JobDefinitionChange, JobDefinitionFilter, JobFilter, JobRow, PAGE_ROWS_MAX,
    Page,
};
use orloj_types::{BatchKey, DefinitionKey};

use super::Batches;
use crate::api::Error;
use crate::node::chores::INCIDENT_WORD;
use crate::node::{Request, store_error};

/// How often a write about chores is tried that others work on at the same moment.
const TRIES_MAX: usize = 20;
/// Chores changed by one transaction.
const CHORES_AT_ONCE: usize = 100;

impl Batches {
    /// Whatever any node makes for the batch from now on is suspended, or is not.
    pub(super) async fn set_jobs_suspended(
        &self,
        key: BatchKey,
        suspended: bool,
    ) -> Result<(), Error> {
        let store = &self.engine.inner.store;
        let filter = JobDefinitionFilter {
            definition: Some(DefinitionKey::new(0)),
            configuration: Some(key.to_string().into()),
            ..JobDefinitionFilter::default()
        };
        let page = Page { before: None, limit: PAGE_ROWS_MAX };
        let rows = store.job_definitions(filter, page).await.map_err(|e| store_error(&e))?;
        let mut version = None;
        for row in rows.iter().filter(|row| row.suspended != suspended) {
            let change = JobDefinitionChange { suspended: Some(suspended), priority: None };
            let set = store.set_job_definition(row.key, change).await;
            version = version.max(set.map_err(|e| store_error(&e))?);
        }
        match version {
            Some(version) => self.desk.settled(version).await,
            None => Ok(()),
        }
    }

    /// Changes what nobody holds, until there is nothing left to change.
    pub(super) async fn change_chores(
        &self,
        batch: BatchKey,
        change: impl Fn(&JobRow) -> Option<ChoreWrite>,
    ) -> Result<(), Error> {
        let store = &self.engine.inner.store;
        let filter = JobFilter { batch: Some(batch), ..JobFilter::default() };
        for _ in 0..TRIES_MAX {
            let mut page = Page { before: None, limit: PAGE_ROWS_MAX };
            let mut was_overtaken = false;
            loop {
                let rows = store.jobs(filter.clone(), page).await.map_err(|e| store_error(&e))?;
                page.before = rows.last().map(|row| row.key.raw());
                let free = rows.iter().filter(|row| !row.is_locked());
                let writes: Vec<_> = free.filter_map(|row| Some((row, change(row)?))).collect();
                for some in writes.chunks(CHORES_AT_ONCE) {
                    was_overtaken |= !self.write_chores(some).await?;
                }
                if rows.len() < PAGE_ROWS_MAX as usize {
                    break;
                }
            }
            if !was_overtaken {
                return Ok(());
            }
        }
        Err(Error::Overtaken)
    }

    /// False: one of them has changed meanwhile.
    async fn write_chores(&self, writes: &[(&JobRow, ChoreWrite)]) -> Result<bool, Error> {
        let following = self.engine.following(INCIDENT_WORD);
        let mut change = Change::default();
        for (row, write) in writes {
            following.add(&mut change, row, write);
            change.chores.push(write.clone());
        }
        match self.engine.done(Request::Write(Box::new(change))).await {
            Ok(()) => Ok(true),
            Err(Error::Overtaken) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
