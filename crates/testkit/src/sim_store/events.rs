//! Waits, messages, start events, broadcasts and called instances.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_store::{
    BroadcastRow, BroadcastWrite, CalledBy, Change, Channel, Committed, EndedRow, Error, Fit,
    Group, InstanceRow, MessageKey, MessageQuery, MessageRow, MessageTaken, PAGE_ROWS_MAX, Page,
    StartFit, StartHold, StartKind, StartQuery, StartRow, StartWrite, SubscriptionKind,
    SubscriptionQuery, SubscriptionRow,
};
use orloj_types::{EngineName, InstanceKey, ProcessId, TenantId, Timestamp};

use super::Core;
use super::queries::newest_first;

/// Engine, tenant, process id and correlation key.
pub type HoldPlace = (EngineName, TenantId, ProcessId, Arc<str>);

impl Core {
    /// Whether a change expects something else than what is there.
    pub(super) fn refuses_events(&self, change: &Change, now: Timestamp) -> bool {
        let is_there = |key: &MessageKey| {
            self.messages.contains_key(key)
                || change.messages_added.iter().any(|row| row.key == *key)
        };
        let has_fired = change.starts.iter().any(|write| {
            let (definition, event, expected) = write.expects();
            let found = self.starts.get(&(definition, event.clone()));
            found.map(StartRow::fired) != Some(expected)
        });
        let is_taken = change
            .messages_taken
            .iter()
            .any(|taken| !is_there(&taken.message) || self.messages_taken.contains(taken));
        let is_gone = change.messages_gone.iter().any(|key| !is_there(key));
        let is_moved = change.broadcasts.iter().any(|write| {
            let (key, expected) = write.expects();
            self.broadcasts.get(&key).map(|row| row.after) != Some(expected)
        });
        let is_id_in_use = change.messages_added.iter().any(|row| {
            let Some(id) = &row.message_id else { return false };
            let is_it = |other: &MessageRow| {
                other.message_id.as_ref() == Some(id)
                    && other.channel() == row.channel()
                    && other.expires_at > now
            };
            self.messages.values().any(is_it)
        });
        let mut added = change.holds_added.iter();
        let is_held =
            added.any(|hold| !change.releases(hold) && self.holds.contains_key(&hold_place(hold)));
        is_held || has_fired || is_taken || is_gone || is_moved || is_id_in_use
    }

    /// What the tables' keys would refuse.
    pub(super) fn check_events(&self, change: &Change) -> Result<(), String> {
        for row in &change.subscriptions_added {
            if self.subscriptions.contains_key(&row.key) {
                return Err(format!("subscription {} exists", row.key));
            }
        }
        for row in &change.messages_added {
            if self.messages.contains_key(&row.key) {
                return Err(format!("message {} exists", row.key));
            }
        }
        for row in &change.broadcasts_added {
            if self.broadcasts.contains_key(&row.key) {
                return Err(format!("broadcast {} exists", row.key));
            }
        }
        Ok(())
    }

    pub(super) fn apply_events(&mut self, change: &Change, now: Timestamp) {
        for row in &change.subscriptions_added {
            self.subscriptions.insert(row.key, row.clone());
        }
        for key in &change.subscriptions_gone {
            self.subscriptions.remove(key);
        }
        for StartWrite::Fired { definition, event, next, .. } in &change.starts {
            let place = (*definition, event.clone());
            match (next, self.starts.get_mut(&place)) {
                (Some((due_at, repeat)), Some(row)) => {
                    row.due_at = Some(*due_at);
                    row.repeat = Some(repeat.clone());
                }
                _ => drop(self.starts.remove(&place)),
            }
        }
        for hold in &change.holds_gone {
            let place = hold_place(hold);
            if self.holds.get(&place) == Some(&hold.instance) {
                self.holds.remove(&place);
            }
        }
        for hold in &change.holds_added {
            self.holds.insert(hold_place(hold), hold.instance);
        }
        for row in &change.messages_added {
            let has_its_id = |other: &&MessageRow| {
                other.message_id.is_some()
                    && other.message_id == row.message_id
                    && other.channel() == row.channel()
                    && other.expires_at <= now
            };
            let expired = self.messages.values().filter(has_its_id).map(|other| other.key);
            for key in expired.collect::<Vec<_>>() {
                self.remove_message(key);
            }
            self.messages.insert(row.key, row.clone());
        }
        self.messages_taken.extend(change.messages_taken.iter().cloned());
        for key in &change.messages_gone {
            self.remove_message(*key);
        }
        for row in &change.broadcasts_added {
            self.broadcasts.insert(row.key, row.clone());
        }
        for write in &change.broadcasts {
            match write {
                BroadcastWrite::Progress { key, after, .. } => {
                    let row = self.broadcasts.get_mut(key).expect("its place was checked");
                    row.after = Some(*after);
                }
                BroadcastWrite::Done { key, .. } => drop(self.broadcasts.remove(key)),
            }
        }
    }

    pub(super) fn committed(&self, group: &Group) -> Committed {
        let channels: BTreeSet<Channel> = group.changes.iter().flat_map(Change::channels).collect();
        Committed {
            fits: channels.iter().filter_map(|channel| self.fit(channel, group.now)).collect(),
            start_fits: channels
                .iter()
                .flat_map(|channel| self.start_fits(channel, group.now))
                .collect(),
        }
    }

    pub fn fit(&self, channel: &Channel, now: Timestamp) -> Option<Fit> {
        let messages = self.messages.values();
        let mut messages = messages.filter(|row| row.channel() == *channel && row.expires_at > now);
        messages.find_map(|message| self.fit_of(message))
    }

    pub fn start_fits(&self, channel: &Channel, now: Timestamp) -> Vec<StartFit> {
        let Channel { engine, tenant, name, correlation_key } = channel;
        let is_of_channel = |row: &&StartRow| {
            let place =
                (engine.clone(), tenant.clone(), row.process_id.clone(), correlation_key.clone());
            row.kind == StartKind::Message
                && (&row.engine, &row.tenant, &row.name) == (engine, tenant, name)
                && !correlation_key.is_empty()
                && !self.holds.contains_key(&place)
        };
        let starts = self.starts.values().filter(is_of_channel);
        let fit = |start: &StartRow| {
            let message = self.messages.values().find(|message| {
                let (message_key, process_id) = (message.key, start.process_id.clone());
                let taken = MessageTaken { message: message_key, process_id };
                message.channel() == *channel
                    && message.expires_at > now
                    && !self.messages_taken.contains(&taken)
            })?;
            let (definition, event) = (start.definition, start.event.clone());
            Some(StartFit { message: message.key, definition, event })
        };
        starts.filter_map(fit).collect()
    }

    pub fn start_holder(&self, place: &HoldPlace) -> Option<InstanceKey> {
        self.holds.get(place).copied()
    }

    pub fn list_fits(&self, now: Timestamp, after: Option<MessageKey>, limit: u32) -> Vec<Fit> {
        let messages = self.messages.values().filter(|row| row.engine == self.engine);
        let messages = messages
            .filter(|row| row.expires_at > now && after.is_none_or(|after| row.key > after));
        messages.filter_map(|message| self.fit_of(message)).take(limit as usize).collect()
    }

    fn fit_of(&self, message: &MessageRow) -> Option<Fit> {
        let is_fit = |row: &&SubscriptionRow| {
            let process = self.definitions.get(&row.definition).map(|row| &row.process_id);
            row.kind == SubscriptionKind::Message
                && row.engine == message.engine
                && row.tenant == message.tenant
                && row.name == message.name
                && row.correlation_key.as_ref() == Some(&message.correlation_key)
                && !process.is_some_and(|process| {
                    let process_id = process.clone();
                    self.messages_taken.contains(&MessageTaken { message: message.key, process_id })
                })
        };
        let wait = self.subscriptions.values().find(is_fit)?;
        Some(Fit { message: message.key, subscription: wait.key, instance: wait.instance })
    }

    pub fn expire_messages(&mut self, now: Timestamp, limit: u32) -> Result<u32, Error> {
        self.open()?;
        let own = self.messages.values().filter(|row| row.engine == self.engine);
        let expired = own.filter(|row| row.expires_at <= now);
        let mut expired: Vec<_> = expired.map(|row| (row.expires_at, row.key)).collect();
        expired.sort_unstable();
        expired.truncate(limit as usize);
        for (_, key) in &expired {
            self.remove_message(*key);
        }
        Ok(u32::try_from(expired.len()).unwrap_or(u32::MAX))
    }

    fn remove_message(&mut self, key: MessageKey) {
        self.messages.remove(&key);
        self.messages_taken.retain(|taken| taken.message != key);
    }

    pub fn list_subscriptions(&self, query: &SubscriptionQuery) -> Vec<SubscriptionRow> {
        let is_wanted = |row: &&SubscriptionRow| {
            row.engine == query.engine
                && row.kind == query.kind
                && query.tenant.as_ref().is_none_or(|tenant| row.tenant == *tenant)
                && query.name.as_ref().is_none_or(|name| row.name == *name)
                && (query.correlation_key.is_none() || row.correlation_key == query.correlation_key)
                && query.instance.is_none_or(|instance| row.instance == instance)
                && query.after.is_none_or(|after| row.key > after)
        };
        let rows = self.subscriptions.values().filter(is_wanted);
        rows.take(query.limit.min(PAGE_ROWS_MAX) as usize).cloned().collect()
    }

    pub fn list_messages(&self, query: &MessageQuery) -> Vec<MessageRow> {
        let is_wanted = |row: &&MessageRow| {
            row.channel() == query.channel
                && (query.message_id.is_none() || row.message_id == query.message_id)
                && row.expires_at > query.now
                && query.after.is_none_or(|after| row.key > after)
        };
        let rows = self.messages.values().filter(is_wanted);
        rows.take(query.limit.min(PAGE_ROWS_MAX) as usize).cloned().collect()
    }

    pub fn list_starts(&self, query: &StartQuery) -> Vec<StartRow> {
        let is_wanted = |row: &&StartRow| {
            let place = (row.definition, row.event.clone());
            row.engine == query.engine
                && row.kind == query.kind
                && query.tenant.as_ref().is_none_or(|tenant| row.tenant == *tenant)
                && query.name.as_ref().is_none_or(|name| row.name == *name)
                && query.after.as_ref().is_none_or(|after| place > *after)
        };
        let rows = self.starts.values().filter(is_wanted);
        rows.take(query.limit.min(PAGE_ROWS_MAX) as usize).cloned().collect()
    }

    pub fn due_starts(&self, now: Timestamp, limit: u32) -> Vec<StartRow> {
        let own = self.starts.values().filter(|row| row.engine == self.engine);
        let due = own.filter(|row| row.due_at.is_some_and(|at| at <= now));
        let mut due: Vec<StartRow> = due.cloned().collect();
        // Stable: those of one moment stay in the order of their places.
        due.sort_by_key(|row| row.due_at);
        due.truncate(limit as usize);
        due
    }

    pub fn list_broadcasts(&self, limit: u32) -> Vec<BroadcastRow> {
        let own = self.broadcasts.values().filter(|row| row.engine == self.engine);
        own.take(limit as usize).cloned().collect()
    }

    pub fn list_called(&self, by: CalledBy, page: Page) -> Vec<InstanceRow> {
        newest_first(&self.instances, page, InstanceKey::raw, |row| {
            row.engine == self.engine && is_called(by, row.caller, row.root)
        })
    }

    pub fn list_called_ended(&self, by: CalledBy, page: Page) -> Vec<EndedRow> {
        newest_first(&self.ended, page, InstanceKey::raw, |row| {
            row.engine == self.engine && is_called(by, row.caller, row.root)
        })
    }
}

fn hold_place(hold: &StartHold) -> HoldPlace {
    let StartHold { engine, tenant, process_id, correlation_key, .. } = hold.clone();
    (engine, tenant, process_id, correlation_key)
}

fn is_called(by: CalledBy, caller: Option<InstanceKey>, root: Option<InstanceKey>) -> bool {
    match by {
        CalledBy::Caller(key) => caller == Some(key),
        CalledBy::Root(key) => root == Some(key),
    }
}
