//! CompleteUserTask: a person is done, and the element with it.

use orloj_types::{Document, UserTaskKey};

use super::complete_job::take_over;
use crate::command::Rejection;
use crate::failure::Stop;
use crate::flow;
use crate::turn::Turn;

pub(crate) fn complete_user_task(
    turn: &mut Turn<'_>,
    key: UserTaskKey,
    document: &Document,
) -> Result<(), Stop> {
    let mut elements = turn.work.record.elements.iter();
    let host = elements.find(|e| e.user_task == Some(key)).map(|e| e.key);
    let host = host.ok_or(Rejection::UserTaskNotFound(key))?;
    turn.element_mut(host).user_task = None;
    turn.work.changes.user_task_gone(key);
    let index = turn.index_of(&turn.element(host).element);
    take_over(turn, host, turn.model(index), turn.semantics().completion, document);
    flow::complete(turn, host, index)?;
    Ok(())
}
