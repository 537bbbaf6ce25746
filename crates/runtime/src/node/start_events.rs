//! Instances that start events start, and the timers among them.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_interpreter::{Command, Repeat, Start};
use orloj_store::{Change, StartRepeat, StartRow, StartWrite};
use orloj_types::{DefinitionKey, Document, ElementId, InstanceKey};
use rustc_hash::FxHashMap;

use super::answer::Question;
use super::claims::{Claims, Ended, Sole};
use super::event::{Action, Find, Work, WorkOrigin};
use super::slot::{Identity, Slot, SlotState, Task};
use super::{Node, RETRY_MS};
use crate::api::Error;
use crate::definition::Definition;

/// Due start events taken in one look.
const DUE_STARTS_MAX: u32 = 64;

#[derive(Debug, Default)]
pub(crate) struct StartEvents {
    is_looking: bool,
    more_due: bool,
    next: u64,
    /// Timers that are being fired.
    firing: FxHashMap<u64, StartRow>,
    /// Timers whose change the store refuses.
    set_aside: BTreeSet<(DefinitionKey, ElementId)>,
    /// Instances to start when their definition has been read.
    waiting: FxHashMap<DefinitionKey, Vec<EventStart>>,
}

impl StartEvents {
    pub fn is_idle(&self) -> bool {
        !self.is_looking && self.firing.is_empty() && self.waiting.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self { next: self.next, ..Self::default() };
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
        let instance = InstanceKey::new(self.keys.next(self.now));
        let tenant = definition.tenant.clone();
        let mut claims = start.claims;
        if let WorkOrigin::Firing { firing } = start.origin {
            claims.fires = self.firing_of(firing, &definition);
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
        });
        let slot = Slot {
            state: SlotState::Ready,
            definition: Some(definition),
            start: Some(Identity { tenant, awaited_by: None, started_with: start.started_with }),
            fresh: true,
            ..Slot::default()
        };
        self.slots.insert(instance, Box::new(slot));
        let work = Work { command, origin: start.origin, claims: Some(Box::new(claims)) };
        self.submit(instance, Task::Work(Box::new(work)));
    }

    // ---- timers

    pub(super) fn look_for_due_starts(&mut self) {
        if !self.config.executor || !self.start_events.is_idle() {
            return;
        }
        self.start_events.is_looking = true;
        let ticket = self.ask(Question::DueStarts);
        let find = Find::DueStarts { now: self.now, limit: DUE_STARTS_MAX };
        self.actions.push(Action::Find { ticket, find });
    }

    pub(super) fn due_starts_unknown(&mut self) {
        self.start_events.is_looking = false;
        self.due.add(self.now.plus_ms(RETRY_MS));
    }

    pub(super) fn due_starts_found(&mut self, rows: Vec<StartRow>) {
        self.start_events.is_looking = false;
        self.start_events.more_due = rows.len() >= DUE_STARTS_MAX as usize;
        let mut left_to_peers = false;
        for row in rows {
            let place = (row.definition, row.event.clone());
            if self.start_events.set_aside.contains(&place) {
                continue;
            }
            if !self.is_share(row.definition.raw(), row.due_at) {
                left_to_peers = true;
                continue;
            }
            let firing = self.start_events.next;
            self.start_events.next += 1;
            self.start_events.firing.insert(firing, row.clone());
            self.start_by_event(EventStart {
                definition: row.definition,
                event: row.event,
                variables: Document::new(),
                started_with: None,
                claims: Claims::default(),
                origin: WorkOrigin::Firing { firing },
            });
        }
        if left_to_peers {
            self.due.add(self.now.plus_ms(super::timers::SHARE_MS));
        }
    }

    fn firing_of(&self, firing: u64, definition: &Definition) -> Option<StartWrite> {
        let row = self.start_events.firing.get(&firing)?;
        let repeat = row.repeat.as_ref().map(|repeat| Repeat {
            text: repeat.text.clone(),
            anchor: repeat.anchor,
            fired: repeat.fired,
        });
        let next = repeat.and_then(|repeat| {
            orloj_interpreter::next_start(&definition.process, &repeat, self.now)
        });
        Some(StartWrite::Fired {
            definition: row.definition,
            event: row.event.clone(),
            expected_fired: row.fired(),
            next: next.map(|(due_at, repeat)| {
                let Repeat { text, anchor, fired } = repeat;
                (due_at, StartRepeat { text, anchor, fired })
            }),
        })
    }

    pub(super) fn fired(&mut self, firing: u64, ended: &Ended<'_>) {
        let definition = self.start_events.firing.get(&firing).map(|row| row.definition);
        let definition = definition.and_then(|key| self.definitions.get(&key).cloned());
        let write = definition.and_then(|definition| self.firing_of(firing, &definition));
        let Some(row) = self.start_events.firing.remove(&firing) else { return };
        if let Some(StartWrite::Fired { next: Some((at, _)), .. }) = &write {
            self.watch_due(*at);
        }
        match ended {
            Ended::Done => {}
            Ended::Lost => self.due.add(self.now.plus_ms(RETRY_MS)),
            Ended::Refused(error @ Error::Rejected(_)) => {
                // The process cannot be started like this; the next firing may fare better.
                let (process, event) = (&row.process_id, &row.event);
                tracing::warn!(%error, %process, %event, "a timer started nothing");
                let change = Change { starts: write.into_iter().collect(), ..Change::default() };
                let key = self.keys.next(self.now);
                self.commit_sole(key, change, Sole::Fired);
            }
            Ended::Refused(Error::Internal(_)) => {
                self.start_events.set_aside.insert((row.definition, row.event));
            }
            Ended::Refused(_) => self.due.add(self.now.plus_ms(RETRY_MS)),
        }
        let is_last = self.start_events.firing.is_empty();
        if is_last && std::mem::take(&mut self.start_events.more_due) {
            self.due.add(self.now);
        }
    }
}
