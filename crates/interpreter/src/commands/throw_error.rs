//! ThrowError: a worker throws a BPMN error instead of completing its job.

use std::sync::Arc;

use orloj_model::{ElementIndex, UncaughtError};
use orloj_types::ElementInstanceKey;

use super::fail_job::MESSAGE_CHARS_MAX;
use super::worker_job;
use crate::command::ThrowError;
use crate::errors::{self, Thrown};
use crate::failure::{Failure, FailureKind, Stop};
use crate::incidents::{self, Reason};
use crate::outcome::Event;
use crate::record::JobState;
use crate::turn::Turn;
use crate::{flow, jobs, variables};

pub(crate) fn throw_error(turn: &mut Turn<'_>, throw: &ThrowError) -> Result<(), Stop> {
    let key = throw.job;
    let host = worker_job::find_ready(turn, key)?;
    let index = turn.index_of(&turn.element(host).element);
    worker_job::note_activations(turn, key, &throw.activations);
    turn.event(Event::JobThrew { key, code: throw.code.clone() });
    if let Some((event, catches)) = errors::catcher(turn.process, index, &throw.code) {
        jobs::take(turn, host, key);
        let thrown =
            Thrown { code: &throw.code, message: &throw.message, variables: &throw.variables };
        errors::caught(turn, host, event, catches, &thrown)?;
        return Ok(());
    }
    match turn.semantics().uncaught_error {
        UncaughtError::Incident => {
            wait_with_incident(turn, host, index, throw);
            Ok(())
        }
        UncaughtError::EndToken => {
            jobs::take(turn, host, key);
            variables::assign(&mut turn.work.record, host, &throw.variables.0);
            flow::end_token(turn, host);
            Ok(())
        }
        UncaughtError::Fail => {
            let element = &turn.model(index).id;
            let message = uncaught(turn, index, throw);
            Err(Failure::new(element, FailureKind::Foreign, message).into())
        }
    }
}

fn wait_with_incident(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    index: ElementIndex,
    throw: &ThrowError,
) {
    let message = jobs::cut(&uncaught(turn, index, throw), MESSAGE_CHARS_MAX);
    turn.job_mut(throw.job).expect("found above").state = JobState::ErrorThrown;
    turn.work.changes.job_failed(throw.job, message.clone());
    incidents::open(turn, host, Reason::UncaughtError, message, Some(throw.job));
}

fn uncaught(turn: &Turn<'_>, index: ElementIndex, throw: &ThrowError) -> Arc<str> {
    let mut text = format!("no event catches the error '{}'", throw.code);
    if !throw.message.is_empty() {
        text.push_str(": ");
        text.push_str(&throw.message);
    }
    let known = errors::known_codes(turn.process, index);
    text.push_str(match known.is_empty() {
        true => " (the element has no error events)",
        false => " (its events catch: ",
    });
    if !known.is_empty() {
        text.push_str(&known.join(", "));
        text.push(')');
    }
    text.into()
}
