//! What the node's thread hands to a thread of its own: waking callers, and translating a group
//! ahead. Both take time that a free lane should not wait for, and neither may depend on whether
//! the application drives its runtime.

use std::sync::Arc;
use std::sync::mpsc;

use orloj_store::{Group, Store};
use tokio::sync::oneshot;

use super::{Answer, Input};
use crate::node::{Event, Reply};

pub(crate) type Replies = Vec<(oneshot::Sender<Answer>, Answer)>;

pub(crate) enum Chore {
    Answer(Replies),
    Prepare(Arc<Group>),
}

/// Ends when the driver is gone.
pub(crate) fn run(
    chores: &mpsc::Receiver<Chore>,
    store: &dyn Store,
    inputs: &tokio::sync::mpsc::UnboundedSender<Input>,
) {
    for chore in chores {
        match chore {
            Chore::Answer(replies) => answer(replies, inputs),
            Chore::Prepare(group) => store.prepare(&group),
        }
    }
}

pub(super) fn answer(replies: Replies, inputs: &tokio::sync::mpsc::UnboundedSender<Input>) {
    for (answer, result) in replies {
        // Jobs for a caller that is gone go back.
        if let Err(Ok(Reply::Jobs(jobs))) = answer.send(result) {
            let jobs = jobs.iter().map(|job| (job.key, job.attempt)).collect();
            // The thread is gone when the engine has stopped.
            let _ = inputs.send(Input::Event(Event::Undelivered { jobs }));
        }
    }
}
