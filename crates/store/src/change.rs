//! Changes: what one command writes, all or nothing.

use std::sync::Arc;

use orloj_types::{ElementInstanceKey, IncidentKey, InstanceKey, JobKey, Timestamp, UserTaskKey};

use crate::node::Lease;
use crate::rows::{
    EndedRow, HistoryRow, IncidentRow, InstanceRow, JobRow, JobState, UserTaskRow, VariableRow,
};

/// Applied only if every instance in it still has the revision it was computed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub instances: Vec<InstanceWrite>,
    pub jobs: Vec<JobWrite>,
    pub variables: Vec<VariableWrite>,
    pub user_tasks_added: Vec<UserTaskRow>,
    pub user_tasks_gone: Vec<UserTaskKey>,
    pub incidents_added: Vec<IncidentRow>,
    pub incidents_gone: Vec<IncidentKey>,
    pub history: Vec<HistoryRow>,
    pub ended: Vec<EndedRow>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceWrite {
    /// Conflicts when the key exists.
    Insert(InstanceRow),
    /// The row's `rev` becomes `expected_rev + 1` or more; it is given as `rev`.
    Update {
        key: InstanceKey,
        expected_rev: i32,
        rev: i32,
        record: Vec<u8>,
        events: Vec<u8>,
    },
    Delete {
        key: InstanceKey,
        expected_rev: i32,
    },
}

impl InstanceWrite {
    pub fn key(&self) -> InstanceKey {
        match self {
            Self::Insert(row) => row.key,
            Self::Update { key, .. } | Self::Delete { key, .. } => *key,
        }
    }
}

/// Each job appears at most once in a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobWrite {
    Insert(JobRow),
    Update(JobUpdate),
    /// Also when it is locked: the instance's revision has decided.
    Delete(JobKey),
}

/// The columns an instance decides about; the others stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobUpdate {
    pub key: JobKey,
    pub state: JobState,
    pub retries_left: i32,
    pub priority: i64,
    pub due_at: Option<Timestamp>,
    /// `None` keeps the text of the last failure.
    pub failure: Option<Arc<str>>,
    pub lock: LockWrite,
}

/// What becomes of a job's lock when its row is updated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockWrite {
    Keep,
    /// Lock and activations are cleared.
    Clear,
    /// A node's lock; `attempt` counts one more.
    Session(i64),
    /// A worker's lock; `attempt` counts one more and `activations` replaces the column.
    Worker {
        worker: Arc<str>,
        until: Timestamp,
        activations: Vec<u8>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableWrite {
    /// Insert or replace.
    Put(VariableRow),
    Delete {
        instance: InstanceKey,
        scope: ElementInstanceKey,
        name: Arc<str>,
    },
    DeleteAll {
        instance: InstanceKey,
    },
}

/// Changes committed in one transaction. No instance appears in two of them.
#[derive(Clone, Debug)]
pub struct Group {
    pub lease: Lease,
    /// Which of the node's committer lanes sends it; a lane has one group under way at a time.
    pub lane: u8,
    /// Grows by one with every group of the lane. It is written with the group, so that a lost
    /// answer can be found out.
    pub id: i64,
    pub changes: Vec<Change>,
    pub now: Timestamp,
}
