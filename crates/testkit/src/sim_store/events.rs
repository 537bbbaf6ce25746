//! Waits, messages, start events, broadcasts and called instances.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_store::{
    BroadcastRow, BroadcastWrite, CalledBy, Change, Channel, Committed, EndedRow, Error, Fit,
    Group, InstanceRow, MessageKey, MessageQuery, MessageRow, MessageTaken, Migration,
    PAGE_ROWS_MAX, Page, StartQuery, StartRow, SubscriptionKind, SubscriptionQuery,
    SubscriptionRow,
};
use orloj_types::{InstanceKey, SubscriptionKey, Timestamp};

use super::Core;
use super::queries::newest_first;

impl Core {
    /// Whether a change expects something else than what is there.
    pub(super) fn refuses_events(&self, change: &Change, now: Timestamp) -> bool {
        let is_there = |key: &MessageKey| {
            self.messages.contains_key(key)
                || change.messages_added.iter().any(|row| row.key == *key)
        };
        let is_taken = change
            .messages_taken
            .iter()
            .any(|taken| !is_there(&taken.message) || self.messages_taken.contains(taken));
        let is_gone = change.messages_gone.iter().any(|key| !is_there(key));
        let is_moved = change.broadcasts.iter().any(|write| {
            let (key, expected) = write.expects();
            self.broadcasts.get(&key).map(|row| &*row.place) != Some(expected)
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
        is_taken || is_gone || is_moved || is_id_in_use
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
                BroadcastWrite::Progress { key, place, .. } => {
                    let row = self.broadcasts.get_mut(key).expect("its place was checked");
                    row.place.clone_from(place);
                }
                BroadcastWrite::Done { key, .. } => drop(self.broadcasts.remove(key)),
            }
        }
        for migration in &change.migrations {
            self.migrate(migration);
        }
    }

    fn migrate(&mut self, migration: &Migration) {
        let definition = migration.definition;
        if let Some(row) = self.instances.get_mut(&migration.instance) {
            row.definition = definition;
        }
        for (key, element) in &migration.jobs {
            if let Some(row) = self.jobs.get_mut(key) {
                (row.definition, row.element) = (definition, element.clone());
            }
        }
        for (key, element) in &migration.user_tasks {
            if let Some(row) = self.user_tasks.get_mut(key) {
                (row.definition, row.element) = (definition, element.clone());
            }
        }
        for (key, element) in &migration.incidents {
            if let Some(row) = self.incidents.get_mut(key) {
                (row.definition, row.element) = (definition, element.clone());
            }
        }
    }

    pub(super) fn committed(&self, group: &Group) -> Committed {
        let channels: BTreeSet<Channel> = group.changes.iter().flat_map(Change::channels).collect();
        let fits = channels.iter().filter_map(|channel| self.fit(channel, group.now));
        Committed { fits: fits.collect() }
    }

    pub fn fit(&self, channel: &Channel, now: Timestamp) -> Option<Fit> {
        let messages = self.messages.values();
        let mut messages = messages.filter(|row| row.channel() == *channel && row.expires_at > now);
        messages.find_map(|message| self.fit_of(message))
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
        let has_business_key = |row: &SubscriptionRow, key: &Arc<str>| {
            let instance = self.instances.get(&row.instance);
            instance.is_some_and(|instance| instance.business_key.as_ref() == Some(key))
        };
        let is_wanted = |row: &&SubscriptionRow| {
            row.engine == query.engine
                && row.kind == query.kind
                && query.tenant.as_ref().is_none_or(|tenant| row.tenant == *tenant)
                && query.name.as_ref().is_none_or(|name| row.name == *name)
                && (query.correlation_key.is_none() || row.correlation_key == query.correlation_key)
                && query.instance.is_none_or(|instance| row.instance == instance)
                && query.business_key.as_ref().is_none_or(|key| has_business_key(row, key))
                && query.after.is_none_or(|after| row.key > after)
        };
        let rows = self.subscriptions.values().filter(is_wanted);
        rows.take(query.limit.min(PAGE_ROWS_MAX) as usize).cloned().collect()
    }

    pub fn last_subscription(&self, kind: SubscriptionKind, name: &str) -> Option<SubscriptionKey> {
        let own = self.subscriptions.values().filter(|row| row.engine == self.engine);
        own.filter(|row| row.kind == kind && &*row.name == name).map(|row| row.key).max()
    }

    pub fn list_messages(&self, query: &MessageQuery) -> Vec<MessageRow> {
        let is_wanted = |row: &&MessageRow| {
            row.channel() == query.channel
                && (query.message_id.is_none() || row.message_id == query.message_id)
                && row.expires_at > query.now
                && query.after.is_none_or(|after| row.key > after)
                && !query.not_taken_by.as_ref().is_some_and(|process| {
                    let process_id = process.clone();
                    self.messages_taken.contains(&MessageTaken { message: row.key, process_id })
                })
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

fn is_called(by: CalledBy, caller: Option<InstanceKey>, root: Option<InstanceKey>) -> bool {
    match by {
        CalledBy::Caller(key) => caller == Some(key),
        CalledBy::Root(key) => root == Some(key),
    }
}
