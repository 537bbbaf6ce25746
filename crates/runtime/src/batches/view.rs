//! How far a batch has come.

use std::sync::Arc;

use orloj_store::{BatchRow, EndedBatchRow, JobFilter, JobKind};
use orloj_types::{BatchKey, TenantId, Timestamp};

use super::Batches;
use crate::api::Error;
use crate::node::store_error;

/// A batch and how far it has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchView {
    pub key: BatchKey,
    pub kind: Arc<str>,
    pub tenant: TenantId,
    pub suspended: bool,
    pub created_at: Timestamp,
    pub created_by: Option<Arc<str>>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub removal_at: Option<Timestamp>,
    pub statistics: BatchStatistics,
}

impl BatchView {
    /// As of its parts, or `deleted` when it is over before all of them were done.
    pub fn status(&self) -> &'static str {
        match self.ended_at {
            Some(_) if self.statistics.left() > 0 => "deleted",
            _ => self.statistics.status(),
        }
    }
}

/// In parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchStatistics {
    pub total: u64,
    pub made: u64,
    pub done: u64,
    /// Without retries left.
    pub failed: u64,
}

impl BatchStatistics {
    /// Those that are not done, failed ones included.
    pub fn left(&self) -> u64 {
        self.total.saturating_sub(self.done)
    }

    /// The words of Flowable: `inProgress`, `waiting` for someone to retry what failed,
    /// `completed`.
    pub fn status(&self) -> &'static str {
        match self {
            Self { total, done, .. } if done == total => "completed",
            Self { failed, .. } if *failed > 0 && self.left() == *failed => "waiting",
            _ => "inProgress",
        }
    }
}

impl Batches {
    pub(super) async fn view(&self, row: &BatchRow) -> Result<BatchView, Error> {
        let store = &self.engine.inner.store;
        let parts = |has_retries: Option<bool>| JobFilter {
            batch: Some(row.key),
            kinds: vec![JobKind::BatchPart],
            has_retries,
            ..JobFilter::default()
        };
        let left = store.count_jobs(parts(None)).await.map_err(|e| store_error(&e))?;
        let failed = store.count_jobs(parts(Some(false))).await.map_err(|e| store_error(&e))?;
        let made = u64::try_from(row.parts_made).unwrap_or(0);
        let statistics = BatchStatistics {
            total: u64::try_from(row.total).unwrap_or(0),
            made,
            done: made.saturating_sub(left),
            failed,
        };
        Ok(BatchView {
            key: row.key,
            kind: row.kind.clone(),
            tenant: row.tenant.clone(),
            suspended: row.suspended,
            created_at: row.created_at,
            created_by: row.created_by.clone(),
            started_at: row.started_at,
            ended_at: None,
            removal_at: None,
            statistics,
        })
    }
}

pub(super) fn ended_view(row: &EndedBatchRow) -> BatchView {
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    let total = count(row.total);
    BatchView {
        key: row.key,
        kind: row.kind.clone(),
        tenant: row.tenant.clone(),
        suspended: false,
        created_at: row.created_at,
        created_by: row.created_by.clone(),
        started_at: row.started_at,
        ended_at: Some(row.ended_at),
        removal_at: row.removal_at,
        statistics: BatchStatistics {
            total,
            made: count(row.parts_made),
            done: count(row.parts_done),
            failed: count(row.parts_failed),
        },
    }
}
