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

/// Chores guard themselves, and all work on a batch is done by its chores; so these need no guard:
/// what concerns a batch that is gone is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchWrite {
    Insert(BatchRow),
    Update(BatchUpdate),
    /// It is gone without a trace.
    Delete(BatchKey),
    /// It goes on as a row of history. Its configuration does not.
    End {
        key: BatchKey,
        ended_at: Timestamp,
        removal_at: Option<Timestamp>,
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

/// A batch whose parts are all done.
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
}

impl EndedBatchRow {
    pub fn of(row: BatchRow, ended_at: Timestamp, removal_at: Option<Timestamp>) -> Self {
        Self {
            key: row.key,
            engine: row.engine,
            tenant: row.tenant,
            kind: row.kind,
            total: row.total,
            created_at: row.created_at,
            started_at: row.started_at,
            created_by: row.created_by,
            ended_at,
            removal_at,
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
