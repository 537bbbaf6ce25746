//! CompleteUserTask: a person is done, and the element with it.

use orloj_model::CompletionVariables;
use orloj_types::{Document, UserTaskKey};

use super::complete_job::take_over;
use crate::agenda::Step;
use crate::command::Rejection;
use crate::failure::Stop;
use crate::record::{ElementInstance, Job, JobKind};
use crate::stage::Stage;
use crate::turn::Turn;

pub(crate) fn complete_user_task(
    turn: &mut Turn<'_>,
    key: UserTaskKey,
    document: &Document,
) -> Result<(), Stop> {
    let mut elements = turn.work.record.elements.iter();
    let host = elements.find(|e| e.user_task == Some(key)).map(|e| e.key);
    let host = host.ok_or(Rejection::UserTaskNotFound(key))?;
    let is_listening = |job: &Job| matches!(job.kind, JobKind::Listener { .. });
    if let Some(job) = turn.element(host).jobs.iter().find(|job| is_listening(job)) {
        return Err(Rejection::JobState { job: job.key, state: job.state }.into());
    }
    if is_stopped(turn.element(host)) {
        let (element, reason) = (turn.element(host).element.clone(), "its completion has stopped");
        return Err(Rejection::NotPossible { element, reason }.into());
    }
    match turn.semantics().completion {
        // Whoever listens does not see them yet.
        CompletionVariables::Merge => turn.element_mut(host).held = document.0.clone(),
        how @ CompletionVariables::Assign => {
            let index = turn.index_of(&turn.element(host).element);
            take_over(turn, host, turn.model(index), how, document);
        }
    }
    turn.work.push_next(Step::Go { key: host, stage: Stage::Completing(0) });
    Ok(())
}

/// Whether the task is completed but for a listener that waits with an incident.
pub(super) fn is_stopped(instance: &ElementInstance) -> bool {
    let incident = instance.incident.as_ref();
    instance.user_task.is_some() && incident.is_some_and(|incident| incident.job.is_none())
}
