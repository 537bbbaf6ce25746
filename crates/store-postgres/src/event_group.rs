//! The part of a group that is about waits, messages, broadcasts, calls and migrations, as rows.

use std::collections::{BTreeMap, BTreeSet};

use orloj_store::{
    BroadcastRow, BroadcastWrite, Change, Channel, Group, InstanceWrite, MessageRow, MessageTaken,
    SubscriptionRow,
};
use orloj_types::{ElementId, InstanceKey};
use tokio_postgres::types::{ToSql, Type};

use crate::one_by_one::parts;
use crate::row_array::RowArray;
use crate::sql::RowTypes;

/// Rows are locked as they are sent, so those that other groups may want too are in order.
#[derive(Clone)]
pub(crate) struct EventRows {
    /// What the group adds to, each once.
    channels: RowArray,
    called: RowArray,
    subscriptions_deleted: Vec<i64>,
    subscriptions_inserted: RowArray,
    messages_taken: RowArray,
    messages_deleted: Vec<i64>,
    pub messages_inserted: RowArray,
    broadcasts_inserted: RowArray,
    broadcasts_moved: RowArray,
    migrated: RowArray,
    now: i64,
}

impl EventRows {
    pub fn new(group: &Group, types: &RowTypes) -> Self {
        let mut rows = Self::empty(group.now.as_ms(), types);
        rows.put_channels(&group.changes);
        rows.put_called(&group.changes);
        rows.put_subscriptions(&group.changes);
        rows.put_migrations(&group.changes);
        rows.put_messages(&group.changes);
        rows.put_broadcasts(&group.changes);
        rows
    }

    fn empty(now: i64, types: &RowTypes) -> Self {
        Self {
            channels: RowArray::new(&types.channel),
            called: RowArray::new(&types.called_in),
            subscriptions_deleted: Vec::new(),
            subscriptions_inserted: RowArray::new(&types.subscription_in),
            messages_taken: RowArray::new(&types.message_take),
            messages_deleted: Vec::new(),
            messages_inserted: RowArray::new(&types.message_in),
            broadcasts_inserted: RowArray::new(&types.broadcast_in),
            broadcasts_moved: RowArray::new(&types.broadcast_step),
            migrated: RowArray::new(&types.migrated),
            now,
        }
    }

    /// Nothing to write; the moment stays.
    pub fn without_rows(&self, types: &RowTypes) -> Self {
        Self::empty(self.now, types)
    }

    /// Nothing to write: the channels, if there are any, are locked, and what fits is told.
    pub fn only_channels(&self, types: &RowTypes) -> Option<Self> {
        let channels = || Self { channels: self.channels.clone(), ..self.without_rows(types) };
        (!self.channels.is_empty()).then(channels)
    }

    /// One for each row, in the order in which the procedure writes them.
    pub fn one_by_one(&self, types: &RowTypes) -> Vec<Self> {
        parts!(self, self.without_rows(types);
            migrated called subscriptions_deleted subscriptions_inserted messages_inserted
            messages_taken messages_deleted broadcasts_inserted broadcasts_moved)
    }

    /// In the order of the procedure, behind those of every group.
    pub fn params(&self) -> [(&(dyn ToSql + Sync), Type); 11] {
        [
            self.channels.param(),
            self.called.param(),
            (&self.subscriptions_deleted, Type::INT8_ARRAY),
            self.subscriptions_inserted.param(),
            self.messages_taken.param(),
            (&self.messages_deleted, Type::INT8_ARRAY),
            self.messages_inserted.param(),
            self.broadcasts_inserted.param(),
            self.broadcasts_moved.param(),
            self.migrated.param(),
            (&self.now, Type::INT8),
        ]
    }

    pub fn arrays(&self) -> [&RowArray; 8] {
        [
            &self.channels,
            &self.called,
            &self.subscriptions_inserted,
            &self.messages_taken,
            &self.messages_inserted,
            &self.broadcasts_inserted,
            &self.broadcasts_moved,
            &self.migrated,
        ]
    }

    fn put_channels(&mut self, changes: &[Change]) {
        let channels: BTreeSet<Channel> = changes.iter().flat_map(Change::channels).collect();
        for channel in channels {
            self.channels.push(|r| {
                r.text(&channel.engine).text(&channel.tenant);
                r.text(&channel.name).text(&channel.correlation_key);
            });
        }
    }

    fn put_called(&mut self, changes: &[Change]) {
        let writes = changes.iter().flat_map(|change| &change.instances);
        let live = writes.filter_map(|write| match write {
            InstanceWrite::Insert(row) => Some((row.key, row.caller, row.root)),
            InstanceWrite::Update { .. } | InstanceWrite::Delete { .. } => None,
        });
        let ended = changes.iter().flat_map(|change| &change.ended);
        let ended = ended.map(|row| (row.key, row.caller, row.root));
        let mut called: Vec<_> = live
            .chain(ended)
            .filter(|(_, caller, root)| caller.is_some() || root.is_some())
            .collect();
        called.sort_unstable_by_key(|(key, ..)| *key);
        let raw = |key: Option<InstanceKey>| key.map(InstanceKey::raw);
        for (key, caller, root) in called {
            self.called.push(|r| {
                r.int8(key.raw()).int8_or_null(raw(caller)).int8_or_null(raw(root));
            });
        }
    }

    /// One that is opened and closed by the same group was never there.
    fn put_subscriptions(&mut self, changes: &[Change]) {
        let gone = changes.iter().flat_map(|change| &change.subscriptions_gone);
        self.subscriptions_deleted = gone.map(|key| key.raw()).collect();
        self.subscriptions_deleted.sort_unstable();
        for row in changes.iter().flat_map(|change| &change.subscriptions_added) {
            if self.subscriptions_deleted.binary_search(&row.key.raw()).is_err() {
                put_subscription(&mut self.subscriptions_inserted, row);
            }
        }
    }

    /// The last word on each row: a statement that meets a row twice takes any of them.
    fn put_migrations(&mut self, changes: &[Change]) {
        let mut last: BTreeMap<(i16, i64), (i64, Option<&ElementId>)> = BTreeMap::new();
        for migration in changes.iter().flat_map(|change| &change.migrations) {
            let definition = migration.definition.raw();
            last.insert((0, migration.instance.raw()), (definition, None));
            for (key, element) in &migration.jobs {
                last.insert((1, key.raw()), (definition, Some(element)));
            }
            for (key, element) in &migration.user_tasks {
                last.insert((2, key.raw()), (definition, Some(element)));
            }
            for (key, element) in &migration.incidents {
                last.insert((3, key.raw()), (definition, Some(element)));
            }
        }
        for ((table, key), (definition, element)) in last {
            self.migrated.push(|r| {
                r.int2(table).int8(key).int8(definition);
                r.text_or_null(element.map(|element| &**element));
            });
        }
    }

    fn put_messages(&mut self, changes: &[Change]) {
        let mut taken: Vec<&MessageTaken> =
            changes.iter().flat_map(|change| &change.messages_taken).collect();
        taken.sort_unstable();
        for taken in taken {
            self.messages_taken.push(|r| {
                r.int8(taken.message.raw()).text(&taken.process_id);
            });
        }
        let gone = changes.iter().flat_map(|change| &change.messages_gone);
        self.messages_deleted = gone.map(|key| key.raw()).collect();
        self.messages_deleted.sort_unstable();
        for row in changes.iter().flat_map(|change| &change.messages_added) {
            put_message(&mut self.messages_inserted, row);
        }
    }

    fn put_broadcasts(&mut self, changes: &[Change]) {
        for row in changes.iter().flat_map(|change| &change.broadcasts_added) {
            put_broadcast(&mut self.broadcasts_inserted, row);
        }
        let mut writes: Vec<&BroadcastWrite> =
            changes.iter().flat_map(|change| &change.broadcasts).collect();
        writes.sort_unstable_by_key(|write| write.expects());
        for write in writes {
            let (key, expected) = write.expects();
            let place = match write {
                BroadcastWrite::Progress { place, .. } => Some(&**place),
                BroadcastWrite::Done { .. } => None,
            };
            self.broadcasts_moved.push(|r| {
                r.int8(key.raw()).text(expected).text_or_null(place);
            });
        }
    }
}

pub(crate) fn put_message(rows: &mut RowArray, row: &MessageRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant);
        r.text(&row.name).text(&row.correlation_key).text_or_null(row.message_id.as_deref());
        r.bytes(&row.variables).int8(row.expires_at.as_ms());
    });
}

fn put_subscription(rows: &mut RowArray, row: &SubscriptionRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant);
        r.int8(row.instance.raw()).int8(row.definition.raw()).int8(row.element_instance.raw());
        r.text(&row.event).int2(row.kind as i16).text(&row.name);
        r.text_or_null(row.correlation_key.as_deref());
    });
}

fn put_broadcast(rows: &mut RowArray, row: &BroadcastRow) {
    rows.push(|r| {
        r.int8(row.key.raw()).text(&row.engine).text(&row.tenant).text(&row.name);
        r.bytes(&row.variables).text(&row.place);
    });
}
