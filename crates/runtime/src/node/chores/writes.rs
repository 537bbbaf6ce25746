//! What is written about chores.

use orloj_store::{
    BatchWrite, Change, ChoreUpdate, ChoreWrite, FailureWrite, Held, JobRow, JobState, LockWrite,
};
use orloj_types::{BatchKey, IncidentKey, Timestamp};

/// What a chore leaves behind when its last change is on disk.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Afterwards {
    pub is_ready: bool,
    pub due_at: Option<Timestamp>,
}

impl Afterwards {
    pub fn of(chores: &[ChoreWrite]) -> Self {
        let mut afterwards = Self::default();
        for write in chores {
            let (state, due_at) = match write {
                ChoreWrite::Insert(row) => (row.state, row.due_at),
                ChoreWrite::Update(update) => (update.state, update.due_at),
                ChoreWrite::Delete { .. } => continue,
            };
            afterwards.is_ready |= state == JobState::Ready;
            let due_at = due_at.filter(|_| state == JobState::Waiting);
            afterwards.due_at = afterwards.due_at.into_iter().chain(due_at).min();
        }
        afterwards
    }
}

/// What ends a chore, to be written together with what it did.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChoreEnd {
    pub chores: Vec<ChoreWrite>,
    pub batches: Vec<BatchWrite>,
    pub incidents_gone: Vec<IncidentKey>,
}

impl ChoreEnd {
    pub(super) fn into_change(self) -> Change {
        let Self { chores, batches, incidents_gone } = self;
        Change {
            chores: chores.into(),
            batches: batches.into(),
            incidents_gone: incidents_gone.into(),
            ..Change::default()
        }
    }
}

/// A write that leaves the chore as it is.
pub(crate) fn kept(row: &JobRow, held: Held) -> ChoreUpdate {
    ChoreUpdate {
        key: row.key,
        held,
        state: row.state,
        retries_left: row.retries_left,
        priority: row.priority,
        due_at: row.due_at,
        failure: FailureWrite::Keep,
        payload: None,
        lock: LockWrite::Keep,
    }
}

/// The batch that a chore belongs to.
pub(super) fn batch_of(row: &JobRow) -> BatchKey {
    row.batch.unwrap_or_default()
}

/// A damaged payload fails the chore like anything else.
pub(super) fn read<T: serde::de::DeserializeOwned>(row: &JobRow) -> Result<T, String> {
    let bytes = row.payload.as_deref().unwrap_or(b"null");
    serde_json::from_slice(bytes).map_err(|error| format!("the payload cannot be read: {error}"))
}

pub(crate) fn written(payload: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(payload).expect("keys are texts and numbers are whole")
}
