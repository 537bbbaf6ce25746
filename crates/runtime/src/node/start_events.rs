//! Instances that start events start.

use std::sync::Arc;

use orloj_interpreter::{Command, Start};
use orloj_types::{DefinitionKey, Document, ElementId, InstanceKey};
use rustc_hash::FxHashMap;

use super::Node;
use super::claims::{Claims, Ended};
use super::event::{Action, Work, WorkOrigin};
use super::slot::{Identity, Slot, SlotState, Task};
use crate::api::Error;
use crate::definition::Definition;

#[derive(Debug, Default)]
pub(crate) struct StartEvents {
    /// Instances to start when their definition has been read.
    waiting: FxHashMap<DefinitionKey, Vec<EventStart>>,
}

impl StartEvents {
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// An instance that a start event is to start.
#[derive(Debug)]
pub(crate) struct EventStart {
    pub definition: DefinitionKey,
    pub event: ElementId,
    pub variables: Document,
    /// No other instance of the process may have been started with this key and live.
    pub started_with: Option<Arc<str>>,
    pub claims: Claims,
    pub origin: WorkOrigin,
}

impl Node {
    pub(super) fn start_by_event(&mut self, start: EventStart) {
        if let Some(definition) = self.definitions.get(&start.definition).cloned() {
            return self.start_with(definition, start);
        }
        let key = start.definition;
        let waiting = self.start_events.waiting.entry(key).or_default();
        waiting.push(start);
        if waiting.len() == 1 && !self.without_definition.contains_key(&key) {
            self.actions.push(Action::LoadDefinition { key });
        }
    }

    /// A definition has been read, or could not be.
    pub(super) fn start_waiting(&mut self, key: DefinitionKey, error: Option<&Error>) {
        for start in self.start_events.waiting.remove(&key).unwrap_or_default() {
            match (self.definitions.get(&key).cloned(), error) {
                (Some(definition), _) => self.start_with(definition, start),
                (None, Some(error)) => self.event_ended(start.origin, &Ended::Refused(error)),
                (None, None) => self.start_by_event(start),
            }
        }
    }

    fn start_with(&mut self, definition: Arc<Definition>, start: EventStart) {
        if let WorkOrigin::Chore { job } = start.origin
            && !self.starts_instance(job, &definition)
        {
            return;
        }
        let instance = InstanceKey::new(self.keys.next(self.now));
        let tenant = self.tenant_of(&definition);
        let mut claims = start.claims;
        if let WorkOrigin::Chore { job } = start.origin {
            claims.chore = self.start_timer_end(job, &definition);
        }
        let command = Command::Start(Start {
            instance,
            definition: definition.key,
            tenant: tenant.clone(),
            business_key: None,
            variables: start.variables,
            awaited_by: None,
            started_with: start.started_with.clone(),
            at: Some(start.event),
            before: Vec::new(),
            tags: Arc::default(),
            stops_after: Vec::new(),
        });
        let slot = Slot {
            state: SlotState::Ready,
            definition: Some(definition),
            start: Some(Identity { tenant, awaited_by: None, started_with: start.started_with }),
            fresh: true,
            ..Slot::default()
        };
        self.slots.insert(instance, Box::new(slot));
        let work = Work::new(command, start.origin).with_claims(claims);
        self.submit(instance, Task::Work(Box::new(work)));
    }
}
