//! CompleteJob: a worker is done, and the element with it.

use std::sync::Arc;

use orloj_model::{CompletionVariables, Element, ListenerEvent};
use orloj_types::{Document, ElementInstanceKey, JobKey};

use super::worker_job;
use crate::agenda::Step;
use crate::command::{Activation, Rejection};
use crate::element::{ad_hoc, user_task};
use crate::failure::Stop;
use crate::host::Worked;
use crate::job_result::{AdHocResult, JobResult, UserTaskResult};
use crate::outcome::Event;
use crate::record::JobKind;
use crate::stage::Stage;
use crate::turn::Turn;
use crate::{instance, jobs, variables};

pub(crate) fn complete_job(
    turn: &mut Turn<'_>,
    key: JobKey,
    document: &Document,
    result: &JobResult,
    activations: &[Activation],
) -> Result<(), Stop> {
    let host = worker_job::find_ready(turn, key)?;
    let listener = match turn.work.record.job(key) {
        Some((_, job)) => match job.kind {
            JobKind::Listener { index } => Some(index),
            _ => None,
        },
        None => None,
    };
    if let Some(place) = listener {
        return complete_listener(turn, host, key, place, document, result, activations);
    }
    if ad_hoc::of(turn, host).is_some() {
        let none = AdHocResult::default();
        let result = match result {
            JobResult::AdHoc(result) => result,
            JobResult::None | JobResult::UserTask(_) => &none,
        };
        ad_hoc::check(turn, host, key, result)?;
        worker_job::note_activations(turn, key, activations);
        jobs::take(turn, host, key);
        turn.event(Event::JobCompleted { key });
        ad_hoc::decided(turn, host, document, result);
        return Ok(());
    }
    worker_job::note_activations(turn, key, activations);
    let failed_before = turn.work.record.job(key).is_some_and(|(_, job)| job.failed_before);
    let message = failed_before.then(Arc::default);
    turn.work.worker = Some(Worked { message, ..Worked::new(turn, host, key, activations) });
    let by_job = worker_job::task_of(turn, host).and_then(|task| task.completes_by_job);
    let job = jobs::take(turn, host, key);
    turn.event(Event::JobCompleted { key });
    turn.element_mut(host).held = document.0.clone();
    match by_job {
        Some(save_point) => jobs::create_completing(turn, host, job, save_point)?,
        None => turn.work.push_next(Step::Go { key: host, stage: Stage::Worked }),
    }
    Ok(())
}

/// DIFFERENCE: only Zeebe's listeners are jobs. What they give stays where they listened: at the
/// start in the element, at the end around it.
fn complete_listener(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    key: JobKey,
    place: u32,
    document: &Document,
    result: &JobResult,
    activations: &[Activation],
) -> Result<(), Stop> {
    let is_root = host == turn.work.record.root.key;
    let listeners = match is_root {
        true => &turn.process.listeners,
        false => &turn.model(turn.index_of(&turn.element(host).element)).listeners,
    };
    let event = listeners[place as usize].event.clone();
    let of_task = match result {
        JobResult::UserTask(result) => task_result(turn, host, key, &event, result)?,
        JobResult::None | JobResult::AdHoc(_) => None,
    };
    let (scope, stage) = match event {
        ListenerEvent::Start => (Some(host), Stage::Start(place + 1)),
        ListenerEvent::End => (Some(turn.element(host).scope), Stage::End(place + 1)),
        ListenerEvent::TaskCreate => (None, Stage::Created(place + 1)),
        ListenerEvent::TaskAssign => (None, Stage::Assigned(place + 1)),
        ListenerEvent::TaskComplete => (None, Stage::Completing(place + 1)),
        ListenerEvent::TaskCancel => (None, Stage::Cancelling(place + 1)),
        _ => (None, Stage::Deleted(place + 1)),
    };
    if scope.is_none() && !document.is_empty() {
        return Err(Rejection::VariablesRefused { job: key }.into());
    }
    worker_job::note_activations(turn, key, activations);
    jobs::take(turn, host, key);
    turn.event(Event::JobCompleted { key });
    if let Some(scope) = scope
        && !document.is_empty()
    {
        variables::set_local(&mut turn.work.record, scope, &document.0);
        turn.note_variables();
    }
    if let Some(result) = of_task {
        if result.is_denied {
            user_task::deny(turn, host, &event, result.reason.clone());
            return Ok(());
        }
        user_task::correct(turn, host, &result.corrections);
    }
    match (is_root, event) {
        (true, ListenerEvent::End) => {
            turn.work.push_next(Step::EndInstance { listener: place + 1 });
        }
        (true, _) => instance::go_on_beginning(turn, place + 1),
        (false, _) => turn.work.push_next(Step::Go { key: host, stage }),
    }
    Ok(())
}

/// The result of a listener of a user task, unless it is one that its event does not allow;
/// listeners of an element have none.
fn task_result<'r>(
    turn: &Turn<'_>,
    host: ElementInstanceKey,
    job: JobKey,
    event: &ListenerEvent,
    result: &'r UserTaskResult,
) -> Result<Option<&'r UserTaskResult>, Rejection> {
    let refused = |reason| Rejection::ResultRefused { job, reason };
    let is_deniable = matches!(
        event,
        ListenerEvent::TaskAssign | ListenerEvent::TaskUpdate | ListenerEvent::TaskComplete
    );
    match event {
        ListenerEvent::Start | ListenerEvent::End | ListenerEvent::Take => return Ok(None),
        _ if result.is_denied && !result.corrections.is_empty() => {
            return Err(refused("what is denied cannot be corrected"));
        }
        _ if result.is_denied && !is_deniable => {
            return Err(refused("this event of a user task cannot be denied"));
        }
        _ => {}
    }
    user_task::check_corrections(turn, host, event, &result.corrections).map_err(refused)?;
    Ok(Some(result))
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
    if !document.is_empty() {
        turn.note_variables();
    }
}
