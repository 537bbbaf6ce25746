//! What the commands of workers have in common.

use orloj_model::{CompletionVariables, ElementKind, SubProcessKind, Throw, WorkerTask};
use orloj_types::{ElementInstanceKey, JobKey};

use crate::command::{Activation, Rejection};
use crate::outcome::Event;
use crate::record::{Job, JobState};
use crate::turn::Turn;

/// A worker's job and the element instance it belongs to. The engine's own jobs do not exist to a
/// worker.
pub(crate) fn find<'t>(
    turn: &'t Turn<'_>,
    key: JobKey,
) -> Result<(ElementInstanceKey, &'t Job), Rejection> {
    match turn.work.record.job(key) {
        Some((host, job)) if job.kind.is_for_clients() => Ok((host.key, job)),
        _ => Err(Rejection::JobNotFound(key)),
    }
}

/// As [`find`], for a job that may be worked now. Whether it is locked, and by whom, is for the
/// faces to judge.
pub(crate) fn find_ready(turn: &Turn<'_>, key: JobKey) -> Result<ElementInstanceKey, Rejection> {
    let (host, job) = find(turn, key)?;
    match job.state {
        JobState::Ready => Ok(host),
        state => Err(Rejection::JobState { job: key, state }),
    }
}

pub(crate) fn note_activations(turn: &mut Turn<'_>, key: JobKey, activations: &[Activation]) {
    for activation in activations {
        turn.event(Event::JobActivated { key, activation: activation.clone() });
    }
}

/// Where the variables of the element's worker job go.
pub(crate) fn completion_of(turn: &Turn<'_>, host: ElementInstanceKey) -> CompletionVariables {
    task_of(turn, host).map_or(turn.semantics().completion, |task| task.completion)
}

/// The settings of the element's worker job.
pub(crate) fn task_of<'a>(turn: &Turn<'a>, host: ElementInstanceKey) -> Option<&'a WorkerTask> {
    let element = turn.model(turn.model_of(host)?);
    match &element.kind {
        ElementKind::ServiceTask(task) => task.worker(),
        ElementKind::EndEvent(Throw::Message(task))
        | ElementKind::ThrowEvent(Throw::Message(task)) => task.worker(),
        ElementKind::SubProcess(inner) => match &inner.kind {
            SubProcessKind::AdHoc(ad_hoc) => ad_hoc.worker.as_ref(),
            _ => None,
        },
        _ => None,
    }
}
