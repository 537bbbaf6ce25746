//! CompleteJob: a worker is done, and the element with it.

use orloj_model::{CompletionVariables, Element};
use orloj_types::{Document, ElementInstanceKey, JobKey};

use super::worker_job;
use crate::command::Activation;
use crate::failure::Stop;
use crate::outcome::Event;
use crate::turn::Turn;
use crate::{flow, jobs, variables};

pub(crate) fn complete_job(
    turn: &mut Turn<'_>,
    key: JobKey,
    document: &Document,
    activations: &[Activation],
) -> Result<(), Stop> {
    let host = worker_job::find_ready(turn, key)?;
    let how = worker_job::completion_of(turn, host);
    worker_job::note_activations(turn, key, activations);
    jobs::take(turn, host, key);
    turn.event(Event::JobCompleted { key });
    let index = turn.index_of(&turn.element(host).element);
    take_over(turn, host, turn.model(index), how, document);
    flow::complete(turn, host, index)?;
    Ok(())
}

/// Puts the variables that end an element's work where they belong.
///
/// With output mappings merged variables stay local: the mappings choose among them, the rest
/// vanishes with the element. Should a mapping fail they are still there when it is repeated.
pub(crate) fn take_over(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    element: &Element,
    how: CompletionVariables,
    document: &Document,
) {
    let record = &mut turn.work.record;
    match how {
        CompletionVariables::Merge if !element.outputs.is_empty() => {
            variables::set_local(record, host, &document.0);
        }
        _ => variables::give(record, how, host, &document.0),
    }
}
