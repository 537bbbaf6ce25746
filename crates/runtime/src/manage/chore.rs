//! Orders about chores: jobs of no instance, whose row is all there is of them.

use orloj_interpreter::Rejection;
use orloj_store::{
    Change, ChoreUpdate, ChoreWrite, FailureWrite, Held, JobRow, JobState, LockWrite,
};
use orloj_types::Timestamp;

use super::job_action::JobAction;
use super::jobs::Jobs;
use super::operation::Entry;
use crate::api::Error;

impl Jobs {
    pub(super) async fn act_on_chore(
        &self,
        row: &JobRow,
        action: &JobAction,
        entries: Vec<Entry>,
    ) -> Result<(), Error> {
        if row.is_locked() {
            return Err(Error::Locked(row.key));
        }
        let write = chore_write(row, action, self.desk.engine.now())?;
        let change = Change { chores: vec![write], ..Change::default() };
        self.desk.write(change, entries).await
    }
}

fn chore_write(row: &JobRow, action: &JobAction, now: Timestamp) -> Result<ChoreWrite, Error> {
    let mut update = ChoreUpdate {
        key: row.key,
        held: Held::Free,
        state: row.state,
        retries_left: row.retries_left,
        priority: row.priority,
        due_at: row.due_at,
        failure: FailureWrite::Keep,
        payload: None,
        lock: LockWrite::Keep,
    };
    let in_wrong_state = || {
        let reason = format!("chore {} is in state {:?}", row.key, row.state);
        Err(Error::Invalid(reason))
    };
    match action {
        JobAction::SetRetries { retries, due } => {
            if *retries < 0 {
                return Err(Rejection::RetriesNegative(*retries).into());
            }
            update.retries_left = *retries;
            update.due_at = due.unwrap_or(update.due_at);
            if row.state != JobState::Suspended {
                update.state = settled(*retries, update.due_at, now);
            }
        }
        JobAction::SetDueDate { due, .. } => {
            update.due_at = *due;
            if matches!(row.state, JobState::Ready | JobState::Waiting) {
                update.state = settled(row.retries_left, *due, now);
            }
        }
        JobAction::SetPriority(priority) => update.priority = *priority,
        JobAction::Suspend => update.state = JobState::Suspended,
        JobAction::Resume => update.state = settled(row.retries_left, row.due_at, now),
        JobAction::MoveToDeadLetters => {
            if !matches!(row.state, JobState::Ready | JobState::Waiting) {
                return in_wrong_state();
            }
            update.retries_left = 0;
            update.state = JobState::Failed;
        }
        JobAction::MoveToExecutable { retries } => {
            if row.state != JobState::Failed {
                return in_wrong_state();
            }
            if *retries < 1 {
                return Err(Rejection::RetriesTooFew(*retries).into());
            }
            update.retries_left = *retries;
            update.state = JobState::Ready;
        }
        JobAction::MoveTimerToExecutable => {
            if row.state != JobState::Waiting {
                return in_wrong_state();
            }
            update.state = JobState::Ready;
        }
        JobAction::Delete => {
            return Ok(ChoreWrite::Delete { key: row.key, held: Held::Free });
        }
        // By whichever node takes it first: what comes before it in the queue is at most a page.
        JobAction::Execute => {
            update.retries_left = row.retries_left.max(1);
            update.state = JobState::Ready;
        }
        JobAction::RecalculateDueDate { .. } | JobAction::Reschedule(_) => {
            return Err(Rejection::NotATimer(row.key).into());
        }
        JobAction::Unlock => return Err(Error::NotLocked(row.key)),
    }
    Ok(ChoreWrite::Update(update))
}

/// Where a chore that nothing stops stands.
fn settled(retries: i32, due_at: Option<Timestamp>, now: Timestamp) -> JobState {
    match due_at {
        _ if retries == 0 => JobState::Failed,
        Some(due_at) if due_at > now => JobState::Waiting,
        _ => JobState::Ready,
    }
}
