//! Commands: interpreted on the newest state of their instance, and what becomes of those that
//! cannot be.

use std::panic::{AssertUnwindSafe, catch_unwind};

use orloj_interpreter::{
    Command, Input, InvokeResult, InvokeResults, Progress, Record, Rejection, Run,
};
use orloj_store::{Error as StoreError, Statement};
use orloj_types::{InstanceKey, KeyBlock, Timestamp};

use super::claims::Ended;
use super::event::{Action, CallId, Work, WorkOrigin};
use super::finding::store_error;
use super::slot::{Attempt, SlotState, Task};
use super::{Node, Sabotage};
use crate::api::Error;

impl Node {
    /// Does one thing with an instance whose state is there.
    pub(super) fn execute(&mut self, instance: InstanceKey, task: Task) {
        let Some(slot) = self.slots.get_mut(&instance) else { return };
        let is_asked = matches!(task, Task::Work(_) | Task::Again(_));
        if slot.record.is_none() && slot.pending > 0 && is_asked {
            // It has ended, but the disk does not have that yet: whoever is told that it is gone
            // must not find it after a crash.
            return slot.verify_before(task);
        }
        let job = match &task {
            Task::Work(work) => match work.origin {
                WorkOrigin::Engine { job, .. } => Some(job),
                _ => None,
            },
            _ => None,
        };
        if job.is_some()
            && self.config.is_shared
            && !slot.fresh
            && slot.record.is_some()
            && slot.is_doubtful(self.now, self.has_peers)
        {
            return slot.verify_before(task);
        }
        if let Some(job) = job {
            self.beginning.remove(&job);
        }
        let Some(slot) = self.slots.get(&instance) else { return };
        let attempt = match task {
            Task::Lend { leader, mut attempt } => {
                let is_lent = self.lend(instance, &mut attempt);
                debug_assert!(is_lent, "a task is executed on a state that is there");
                self.call_over(leader);
                return self.go_on(leader, attempt);
            }
            Task::Deliver { taker, row } => return self.deliver(instance, taker, row),
            Task::Work(work) if is_orphaning(&work, slot.record.as_deref()) => {
                let root = slot.record.as_ref().map_or(instance, |record| record.hierarchy());
                return self.refuse(&work, Error::IsCalled { instance, root });
            }
            Task::Work(work) => {
                let Some(definition) = &slot.definition else {
                    return self.missing(instance, &work);
                };
                let run = Run::begin(Input {
                    process: definition.process.clone(),
                    record: slot.record.clone(),
                    command: work.command.clone(),
                    now: self.time_for(&work),
                    keys: KeyBlock::default(),
                    results: InvokeResults::default(),
                    settings: self.known.jobs().clone(),
                });
                let basis = slot.basis();
                let (lent, attached) = (Vec::new(), Vec::new());
                let is_lent_verified = false;
                Box::new(Attempt { work: *work, run, basis, lent, is_lent_verified, attached })
            }
            Task::Again(attempt) => {
                let is_start = matches!(attempt.work.command, Command::Start(_));
                if slot.record.is_none() && !is_start {
                    return self.missing(instance, &attempt.work);
                }
                let Attempt { work, run, attached, is_lent_verified, .. } = *attempt;
                let run = run.again(slot.record.clone(), self.now);
                let basis = slot.basis();
                let lent = Vec::new();
                Box::new(Attempt { run, basis, work, lent, is_lent_verified, attached })
            }
        };
        let is_start = matches!(attempt.work.command, Command::Start(_));
        if slot.record.is_none() && !is_start {
            return self.missing(instance, &attempt.work);
        }
        self.drive(instance, attempt);
    }

    pub(super) fn drive(&mut self, instance: InstanceKey, mut attempt: Box<Attempt>) {
        let progress = loop {
            attempt.run.under(self.known.jobs());
            let (keys, delegates) = (&mut self.keys, &*self.delegates);
            // A defect of the interpreter is contained to the instance it shows in.
            let advanced = catch_unwind(AssertUnwindSafe(|| attempt.run.advance(keys, delegates)));
            let Ok(progress) = advanced else {
                let error = Error::Internal("the interpreter panicked".into());
                return self.set_aside(&attempt.work, error);
            };
            let Progress::Need(need) = progress else { break progress };
            match self.meet(instance, attempt, need) {
                Some(served) => attempt = served,
                None => return,
            }
        };
        match progress {
            Progress::Need(_) => {}
            Progress::Done(_) if !self.is_lent_current(&attempt) => {
                if let Some(slot) = self.slots.get_mut(&instance) {
                    slot.waiting.push_front(Task::Again(attempt));
                }
            }
            Progress::Done(outcome) => {
                if self.sabotaged(Sabotage::AnswerEarly) {
                    self.answer(instance, &attempt.work);
                }
                self.apply(instance, attempt, outcome);
            }
            Progress::Rejected(rejection) => self.rejected(instance, attempt, rejection),
            Progress::Invoke(invoke) => {
                if !self.heartbeat.is_trusted(self.now) && self.put_back(instance, &attempt.work) {
                    return;
                }
                let call = self.next_call();
                if let Some(slot) = self.slots.get_mut(&instance) {
                    slot.calls += 1;
                }
                self.calling(call, instance, &invoke.activity);
                self.calls.insert(call, (instance, attempt));
                self.actions.push(Action::Invoke { call, invoke: Box::new(invoke) });
            }
        }
    }

    pub(super) fn invoked(
        &mut self,
        call: CallId,
        result: InvokeResult,
        statements: Vec<Statement>,
    ) {
        self.called(call, &result);
        let Some((instance, mut attempt)) = self.calls.remove(&call) else { return };
        attempt.attach(statements);
        attempt.run.resume(result);
        if let Some(slot) = self.slots.get_mut(&instance) {
            slot.calls = slot.calls.saturating_sub(1);
        }
        self.go_on(instance, attempt);
    }

    fn rejected(&mut self, instance: InstanceKey, mut attempt: Box<Attempt>, rejection: Rejection) {
        let is_start = matches!(attempt.work.command, Command::Start(_));
        // A refusal must not rest on what another node may have changed, nor on what is not on
        // disk yet.
        if !is_start
            && let Some(slot) = self.slots.get_mut(&instance)
            && (slot.pending > 0 || (self.config.is_shared && !slot.fresh))
        {
            return slot.verify_before(Task::Again(attempt));
        }
        if !attempt.is_lent_verified && self.verify_lent(&attempt) {
            attempt.is_lent_verified = true;
            if let Some(slot) = self.slots.get_mut(&instance) {
                return slot.waiting.push_front(Task::Again(attempt));
            }
        }
        self.refuse(&attempt.work, rejection.into());
    }

    /// What was lent is read again before it is lent once more. False: there is no need to.
    fn verify_lent(&mut self, attempt: &Attempt) -> bool {
        let mut is_doubtful = false;
        for (instance, _) in &attempt.lent {
            let Some(slot) = self.slots.get_mut(instance) else { continue };
            if slot.state == SlotState::Ready && (slot.pending > 0 || self.config.is_shared) {
                slot.state = SlotState::Verifying;
                is_doubtful = true;
                self.rest(*instance);
            }
        }
        is_doubtful
    }

    /// There is no such instance, as far as the store knows.
    fn missing(&mut self, instance: InstanceKey, work: &Work) {
        let rejection = Rejection::gone(&work.command, instance);
        self.refuse(work, rejection.into());
    }

    /// Work that can never be done as it is. A job is kept locked and out of the way, so that it
    /// neither spins nor gets lost: the node's next life tries it again.
    pub(super) fn set_aside(&mut self, work: &Work, error: Error) {
        tracing::error!(%error, origin = ?work.origin, "work set aside");
        match work.origin {
            WorkOrigin::Client { .. } => self.refuse(work, error),
            WorkOrigin::Engine { job, .. } => {
                self.job_over(job);
                self.remember_set_aside(job, &error);
            }
            WorkOrigin::Due { job } => {
                self.remember_set_aside(job, &error);
                self.due_done(job);
            }
            origin => self.event_ended(origin, &Ended::Refused(&error)),
        }
    }

    /// Whoever caused the work learns that it was not done.
    pub(super) fn refuse(&mut self, work: &Work, error: Error) {
        match work.origin {
            WorkOrigin::Client { id, .. } => self.reply(id, Err(error)),
            WorkOrigin::Engine { job, .. } => {
                self.beginning.remove(&job);
                match error {
                    // Its lock is still ours.
                    Error::Rejected(Rejection::Suspended(_) | Rejection::JobState { .. }) => {
                        self.give_back(job);
                    }
                    // The job is gone, or no longer ours.
                    _ => {
                        self.held.remove(&job);
                        self.job_over(job);
                    }
                }
            }
            WorkOrigin::Due { job } if matches!(error, Error::Rejected(_)) => self.due_lost(job),
            WorkOrigin::Due { job } => self.due_done(job),
            origin => self.event_ended(origin, &Ended::Refused(&error)),
        }
    }

    pub(super) fn give_up(&mut self, task: Task, error: &StoreError) {
        match task {
            Task::Work(work) => self.refuse(&work, store_error(error)),
            Task::Again(attempt) => self.refuse(&attempt.work, store_error(error)),
            Task::Lend { leader, attempt } => {
                self.call_over(leader);
                self.refuse(&attempt.work, store_error(error));
                self.rest(leader);
            }
            Task::Deliver { taker, row } => self.undeliverable(taker, &row),
        }
    }

    fn time_for(&self, work: &Work) -> Timestamp {
        let is_due = matches!(work.command, Command::JobDue { .. });
        if is_due && self.sabotaged(Sabotage::FireEarly) {
            return Timestamp::MAX.plus_ms(-1);
        }
        self.now
    }
}

/// A called instance that ended by itself would leave its caller waiting for ever.
fn is_orphaning(work: &Work, record: Option<&Record>) -> bool {
    let is_called = record.is_some_and(|record| record.caller.is_some());
    is_called && matches!(work.command, Command::Cancel | Command::Delete)
}
