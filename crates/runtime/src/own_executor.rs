//! Who decides when a job of the engine's own begins.

use std::sync::Arc;

use orloj_store::{JobKind, JobRow};
use orloj_types::{InstanceKey, JobKey, TenantId};
use tokio::sync::mpsc::UnboundedSender;

use crate::driver::Input;
use crate::node::{Event, OfferId};

/// An application's own executor of continuations, timers and chores, in place of the engine's
/// queue: see [`Builder::own_executor`](crate::Builder::own_executor).
///
/// The engine acquires and locks jobs as ever, in the configured order, and offers each. It is
/// called on the engine's thread and answers at once: it runs the job now, keeps the offer for
/// later, or rejects it. As many offers as calls may be under way
/// ([`Builder::calls_max`](crate::Builder::calls_max)) are open or running at a time.
///
/// What a job then calls runs where [`Spawn`](crate::Spawn) says; an executor decides when, not
/// where.
pub trait Executor: Send + Sync + 'static {
    /// A job that this node has locked. An offer that is dropped is rejected.
    fn execute(&self, offer: Offer);

    /// The node takes jobs from now on.
    fn start(&self) {}

    /// The node takes no more. Offers that are still open have been given back; it is too late to
    /// run them.
    fn stop(&self) {}
}

impl<F> Executor for F
where
    F: Fn(Offer) + Send + Sync + 'static,
{
    fn execute(&self, offer: Offer) {
        self(offer);
    }
}

/// Runs every job as soon as it is offered: what the engine does without an executor of its
/// application's.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtOnce;

impl Executor for AtOnce {
    fn execute(&self, offer: Offer) {
        offer.run();
    }
}

/// What is known of a job when it is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedJob {
    pub key: JobKey,
    /// Zero: a chore, which belongs to none.
    pub instance: InstanceKey,
    pub tenant: TenantId,
    pub kind: JobKind,
    /// The class, bean or expression that it calls first; empty: none.
    pub topic: Arc<str>,
    pub category: Option<Arc<str>>,
    pub priority: i64,
    /// No other exclusive job of its instance runs meanwhile.
    pub exclusive: bool,
    pub retries_left: i32,
}

impl From<&JobRow> for OfferedJob {
    fn from(row: &JobRow) -> Self {
        Self {
            key: row.key,
            instance: row.instance,
            tenant: row.tenant.clone(),
            kind: row.kind,
            topic: row.topic.clone(),
            category: row.category.clone(),
            priority: row.priority,
            exclusive: row.exclusive,
            retries_left: row.retries_left,
        }
    }
}

/// A locked job that waits for a decision.
#[derive(Debug)]
pub struct Offer {
    job: OfferedJob,
    answer: Answer,
}

impl Offer {
    pub(crate) fn new(id: OfferId, row: &JobRow, inputs: UnboundedSender<Input>) -> Self {
        Self { job: row.into(), answer: Answer { id, inputs: Some(inputs) } }
    }

    pub fn job(&self) -> &OfferedJob {
        &self.job
    }

    /// Begins it.
    pub fn run(mut self) {
        self.answer.give(true);
    }

    /// Gives it back, unlocked and at no cost, for any node to take. This node leaves jobs alone
    /// for a moment.
    pub fn reject(mut self) {
        self.answer.give(false);
    }
}

/// Given once, and in any case: a job that nobody speaks for would stay locked.
#[derive(Debug)]
struct Answer {
    id: OfferId,
    inputs: Option<UnboundedSender<Input>>,
}

impl Answer {
    fn give(&mut self, is_taken: bool) {
        if let Some(inputs) = self.inputs.take() {
            // An engine that has stopped has given its jobs back.
            let _ = inputs.send(Input::Event(Event::OfferAnswered { offer: self.id, is_taken }));
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.give(false);
    }
}
