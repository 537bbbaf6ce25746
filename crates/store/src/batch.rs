//! Batches: large work that chores cut into parts and watch until the last is done.

use std::sync::Arc;

use orloj_types::{BatchKey, EngineName, TenantId, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchRow {
    pub key: BatchKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    /// What is done to each element.
    pub kind: Arc<str>,
    /// Parts it is cut into.
    pub total: i64,
    pub parts_made: i64,
    /// What is left to be cut, and what to do: bytes of the runtime.
    pub config: Vec<u8>,
    pub suspended: bool,
    pub created_at: Timestamp,
    /// When the first part began.
    pub started_at: Option<Timestamp>,
    pub created_by: Option<Arc<str>>,
}

/// How a batch ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchEnd {
    pub at: Timestamp,
    pub removal_at: Option<Timestamp>,
    pub parts_done: i64,
    /// Without retries left.
    pub parts_failed: i64,
}

/// Chores guard themselves, and all work on a batch is done by its chores; so these need no guard:
/// what concerns a batch that is gone is left out. The job definitions of a batch go with it: those
/// of no definition whose configuration is its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchWrite {
    Insert(BatchRow),
    Update(BatchUpdate),
    /// It is gone without a trace.
    Delete(BatchKey),
    /// It goes on as a row of history. Its configuration does not.
    End {
        key: BatchKey,
        end: BatchEnd,
    },
}

/// `None` leaves a column as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchUpdate {
    pub key: BatchKey,
    pub parts_made: Option<i64>,
    pub config: Option<Vec<u8>>,
    pub suspended: Option<bool>,
    /// Counts only for a batch that has not started yet.
    pub started_at: Option<Timestamp>,
}

/// A batch that is over, with all its parts done or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedBatchRow {
    pub key: BatchKey,
    pub engine: EngineName,
    pub tenant: TenantId,
    pub kind: Arc<str>,
    pub total: i64,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub created_by: Option<Arc<str>>,
    pub ended_at: Timestamp,
    pub removal_at: Option<Timestamp>,
    /// How far it had come.
    pub parts_made: i64,
    pub parts_done: i64,
    pub parts_failed: i64,
}

impl EndedBatchRow {
    pub fn of(row: BatchRow, end: BatchEnd) -> Self {
        Self {
            key: row.key,
            engine: row.engine,
            tenant: row.tenant,
            kind: row.kind,
            total: row.total,
            created_at: row.created_at,
            started_at: row.started_at,
            created_by: row.created_by,
            ended_at: end.at,
            removal_at: end.removal_at,
            parts_made: row.parts_made,
            parts_done: end.parts_done,
            parts_failed: end.parts_failed,
        }
    }
}

/// Absent fields match all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchFilter {
    pub kind: Option<Arc<str>>,
    pub tenant: Option<TenantId>,
    /// Of those under way.
    pub suspended: Option<bool>,
}
