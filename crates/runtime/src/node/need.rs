//! What a command needs besides its own instance: the process it calls, its caller, or an instance
//! it has called. The state of another instance is lent as it is, committed or not; should it move
//! on before the command is done, only the pure part of the command is repeated.

use std::sync::Arc;

use orloj_interpreter::{Need, Supply};
use orloj_types::InstanceKey;

use super::Node;
use super::event::{Action, CallId};
use super::slot::{Attempt, SlotState, Task};
use crate::api::Error;
use crate::definition::Definition;

/// How long a state that was lent is kept, though nothing is to be done with it: until the other
/// states that the command needs have been read.
const LOAN_MS: i64 = 1_000;

impl Node {
    /// The attempt with what it needs; `None`: it goes on when that has been found.
    pub(super) fn meet(
        &mut self,
        leader: InstanceKey,
        mut attempt: Box<Attempt>,
        need: Need,
    ) -> Option<Box<Attempt>> {
        match need {
            Need::Instance(wanted) => {
                if self.lend(wanted, &mut attempt) {
                    return Some(attempt);
                }
                // The leader's state must not be forgotten meanwhile, or the two would be read in
                // turn for ever.
                if let Some(slot) = self.slots.get_mut(&leader) {
                    slot.calls += 1;
                }
                self.submit(wanted, Task::Lend { leader, attempt });
            }
            Need::Definition(called) => {
                let call = self.await_answer(leader, attempt);
                self.actions.push(Action::FindDefinition { call, called });
            }
            Need::Asset(wanted) => {
                let call = self.await_answer(leader, attempt);
                self.actions.push(Action::FindAsset { call, wanted });
            }
        }
        None
    }

    /// Gives the state of an instance to a command of another one, if it is there.
    pub(super) fn lend(&mut self, wanted: InstanceKey, attempt: &mut Attempt) -> bool {
        let Some(slot) = self.slots.get_mut(&wanted) else { return false };
        if slot.state != SlotState::Ready {
            return false;
        }
        let supply = match &slot.record {
            None => None,
            Some(record) => {
                if slot.definition.is_none() {
                    slot.definition = self.definitions.get(&record.definition).cloned();
                }
                let Some(definition) = &slot.definition else { return false };
                Some((definition.process.clone(), record.clone()))
            }
        };
        slot.lent_until = self.now.plus_ms(LOAN_MS);
        attempt.lent.push((wanted, slot.basis()));
        attempt.run.supply(Supply::Instance(supply));
        true
    }

    /// Whether everything lent to a command is still as it was then.
    pub(super) fn is_lent_current(&self, attempt: &Attempt) -> bool {
        attempt.lent.iter().all(|(instance, basis)| {
            let slot = self.slots.get(instance);
            slot.is_some_and(|slot| slot.state == SlotState::Ready && slot.basis() == *basis)
        })
    }

    /// A definition that a request or an answer has brought along.
    pub(super) fn learn(&mut self, definition: Arc<Definition>) {
        self.known.heed(definition.key, definition.suspended_under);
        self.definitions.entry(definition.key).or_insert(definition);
    }

    fn await_answer(&mut self, leader: InstanceKey, attempt: Box<Attempt>) -> CallId {
        let call = self.next_call();
        if let Some(slot) = self.slots.get_mut(&leader) {
            slot.calls += 1;
        }
        self.calls.insert(call, (leader, attempt));
        call
    }

    pub(super) fn next_call(&mut self) -> CallId {
        let call = CallId(self.next_call);
        self.next_call += 1;
        call
    }

    pub(super) fn definition_found(
        &mut self,
        call: CallId,
        result: Result<Option<Arc<Definition>>, Error>,
    ) {
        let supply = result.map(|found| {
            Supply::Definition(found.map(|definition| {
                self.learn(definition.clone());
                (definition.key, definition.process.clone())
            }))
        });
        self.supply_found(call, supply);
    }

    /// What a command waited for has been found, or could not be looked for.
    pub(super) fn supply_found(&mut self, call: CallId, result: Result<Supply, Error>) {
        let Some((leader, mut attempt)) = self.calls.remove(&call) else { return };
        let supply = match result {
            Ok(supply) => supply,
            Err(error) => {
                self.call_over(leader);
                if !self.put_back(leader, &attempt.work) {
                    self.refuse(&attempt.work, error);
                }
                return self.rest(leader);
            }
        };
        attempt.run.supply(supply);
        self.call_over(leader);
        self.go_on(leader, attempt);
    }

    pub(super) fn call_over(&mut self, leader: InstanceKey) {
        if let Some(slot) = self.slots.get_mut(&leader) {
            slot.calls = slot.calls.saturating_sub(1);
        }
    }

    /// A command has what it waited for. If its instance moved on meanwhile, only the pure part
    /// is done again.
    pub(super) fn go_on(&mut self, leader: InstanceKey, attempt: Box<Attempt>) {
        let Some(slot) = self.slots.get_mut(&leader) else {
            // Its state could not be read again meanwhile; results must not be lost with it.
            return self.submit(leader, Task::Again(attempt));
        };
        let is_start = matches!(attempt.work.command, orloj_interpreter::Command::Start(_));
        let is_current = slot.state == SlotState::Ready && slot.basis() == attempt.basis;
        if is_current && (slot.record.is_some() || is_start) {
            self.drive(leader, attempt);
        } else {
            slot.waiting.push_front(Task::Again(attempt));
        }
        self.run_slot(leader);
    }
}
