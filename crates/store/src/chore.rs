//! Chores: jobs of no instance, such as start timers, parts of batches and clean-ups.
//!
//! They are rows of the job table, acquired and locked like all others; but no instance's revision
//! guards them, and so their writes say themselves what they expect of the row. A change that does
//! a chore's work and ends it is applied wholly or not at all: the work is done once.

use std::sync::Arc;

use orloj_types::{ElementId, JobKey, Timestamp};

use crate::change::LockWrite;
use crate::rows::{JobRow, JobState};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoreWrite {
    /// A conflict of the whole change when the key exists.
    Insert(JobRow),
    Update(ChoreUpdate),
    Delete {
        key: JobKey,
        held: Held,
    },
}

impl ChoreWrite {
    pub fn key(&self) -> JobKey {
        match self {
            Self::Insert(row) => row.key,
            Self::Update(update) => update.key,
            Self::Delete { key, .. } => *key,
        }
    }

    /// Whether the row is as expected; `None`: there is none.
    pub fn agrees_with(&self, row: Option<&ChoreLock>) -> bool {
        match self {
            Self::Insert(_) => row.is_none(),
            Self::Update(ChoreUpdate { held, .. }) | Self::Delete { held, .. } => {
                row.is_some_and(|row| held.agrees_with(row))
            }
        }
    }
}

/// Who must hold a chore for a write to apply. Otherwise the whole change is in conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// This session, by the lock of this attempt.
    By { session: i64, attempt: i32 },
    /// Nobody.
    Free,
}

impl Held {
    pub fn agrees_with(self, row: &ChoreLock) -> bool {
        match self {
            Self::By { session, attempt } => row.session == Some(session) && row.attempt == attempt,
            Self::Free => row.session.is_none() && !row.is_locked_by_worker,
        }
    }
}

/// What [`Held`] asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoreLock {
    pub session: Option<i64>,
    pub is_locked_by_worker: bool,
    pub attempt: i32,
}

impl From<&JobRow> for ChoreLock {
    fn from(row: &JobRow) -> Self {
        Self {
            session: row.lock_session,
            is_locked_by_worker: row.lock_until.is_some(),
            attempt: row.attempt,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoreUpdate {
    pub key: JobKey,
    pub held: Held,
    pub state: JobState,
    pub retries_left: i32,
    /// `None` keeps it: whoever runs a chore may not have heard of another one.
    pub priority: Option<i64>,
    pub due_at: Option<Timestamp>,
    pub failure: FailureWrite,
    /// `None` keeps it.
    pub payload: Option<Vec<u8>>,
    pub lock: LockWrite,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureWrite {
    Keep,
    Clear,
    Set { message: Arc<str>, details: Option<Arc<str>>, element: Option<ElementId> },
}
