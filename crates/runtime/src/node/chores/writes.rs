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

/// Where a chore stands: one that is suspended stays so, any other goes by its retries and its due
/// date.
pub(crate) fn standing(
    state: JobState,
    retries_left: i32,
    due_at: Option<Timestamp>,
    now: Timestamp,
) -> JobState {
    match due_at {
        _ if state == JobState::Suspended => JobState::Suspended,
        _ if retries_left <= 0 => JobState::Failed,
        Some(at) if at > now => JobState::Waiting,
        _ => JobState::Ready,
    }
}

/// Who holds the chore, if anyone does.
pub(crate) fn held_by(row: &JobRow) -> Held {
    match row.lock_session {
        Some(session) => Held::By { session, attempt: row.attempt },
        None => Held::Free,
    }
}

/// A write of someone who does not run the chore. If somebody else does at this moment, it stays
/// with them until that run is over, under a lock of another number: what the run still writes is
/// in conflict.
pub(crate) fn ordered(row: &JobRow) -> ChoreUpdate {
    let lock = row.lock_session.map_or(LockWrite::Keep, LockWrite::Session);
    ChoreUpdate { lock, ..kept(row, held_by(row)) }
}

/// A write that leaves the chore as it is.
pub(crate) fn kept(row: &JobRow, held: Held) -> ChoreUpdate {
    ChoreUpdate {
        key: row.key,
        held,
        state: row.state,
        retries_left: row.retries_left,
        priority: None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chore_stands_where_its_retries_and_its_due_date_put_it_unless_it_is_suspended() {
        let (now, later) = (Timestamp::from_ms(10), Some(Timestamp::from_ms(11)));
        let stands = |state, retries, due_at| standing(state, retries, due_at, now);
        for state in [JobState::Ready, JobState::Waiting, JobState::Failed] {
            assert_eq!(stands(state, 1, None), JobState::Ready);
            assert_eq!(stands(state, 1, Some(now)), JobState::Ready);
            assert_eq!(stands(state, 1, later), JobState::Waiting);
            assert_eq!(stands(state, 0, later), JobState::Failed);
        }
        for (retries, due_at) in [(1, None), (1, later), (0, None)] {
            assert_eq!(stands(JobState::Suspended, retries, due_at), JobState::Suspended);
        }
    }
}
