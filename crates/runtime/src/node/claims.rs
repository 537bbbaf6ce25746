//! What a command wants to be the first to write, besides its instances: a message, a firing of a
//! start event, a step of a broadcast. Whoever comes second drops the command instead of repeating
//! it; what is left to do is looked up again.

use std::sync::Arc;

use orloj_store::{
    BroadcastKey, BroadcastWrite, Change, MessageKey, MessageRow, MessageTaken, StartWrite,
};
use orloj_types::{EngineName, InstanceKey, ProcessId, TenantId, Timestamp};

use super::Node;
use super::event::WorkOrigin;
use super::lane::Entry;
use super::slot::Attempt;
use crate::api::Error;
use crate::node::RequestId;

#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    /// The message that the command's process gets.
    pub takes: Option<MessageKey>,
    pub fires: Option<StartWrite>,
    pub broadcast: Option<BroadcastWrite>,
}

/// A change without an instance, and who waits for it.
#[derive(Debug)]
pub(crate) enum Sole {
    Published {
        id: RequestId,
        key: MessageKey,
        starts: bool,
    },
    Signalled {
        id: RequestId,
        key: BroadcastKey,
    },
    /// A broadcast is over.
    Told {
        key: BroadcastKey,
    },
    /// A start event has fired in vain.
    Fired,
}

/// How work that nobody outside of the node has asked for came to its end.
#[derive(Debug)]
pub(crate) enum Ended<'e> {
    Done,
    /// Someone else was faster.
    Lost,
    Refused(&'e Error),
}

/// A holder stays until it is removed; any moment that no clock will reach.
const NEVER: Timestamp = Timestamp::from_ms(253_402_300_799_000);

/// The row that keeps others from starting an instance of the process with the same key: its id
/// is unique in its channel. No message has such a name, for XML knows no such character.
pub(super) fn holder(
    engine: &EngineName,
    tenant: &TenantId,
    process: &ProcessId,
    instance: InstanceKey,
    key: &Arc<str>,
) -> MessageRow {
    MessageRow {
        key: holder_key(instance),
        engine: engine.clone(),
        tenant: tenant.clone(),
        name: format!("\u{1}{process}").into(),
        correlation_key: key.clone(),
        message_id: Some("holder".into()),
        variables: Vec::new(),
        expires_at: NEVER,
    }
}

pub(super) fn holder_key(instance: InstanceKey) -> MessageKey {
    MessageKey::new(instance.raw())
}

impl Node {
    pub(super) fn claim(&self, instance: InstanceKey, attempt: &Attempt, change: &mut Change) {
        let Some(claims) = attempt.work.claims.as_deref() else { return };
        let definition = self.slots.get(&instance).and_then(|slot| slot.definition.as_ref());
        if let (Some(message), Some(definition)) = (claims.takes, definition) {
            let process_id = definition.process.id.clone();
            change.messages_taken.push(MessageTaken { message, process_id });
        }
        change.starts.extend(claims.fires.clone());
        change.broadcasts.extend(claims.broadcast.clone());
    }

    /// A change of its own, that no other is merged with.
    pub(super) fn commit_sole(&mut self, key: i64, change: Change, sole: Sole) {
        let family = InstanceKey::new(key);
        let lane = self.lane_of(family);
        let bytes = change.messages_added.iter().map(|row| row.variables.len()).sum();
        self.lanes[lane].push(Entry { family, change, bytes, done: Vec::new(), sole: Some(sole) });
    }

    pub(super) fn sole_ended(&mut self, sole: Sole, ended: &Ended<'_>) {
        match sole {
            Sole::Published { id, key, starts } => self.published(id, key, starts, ended),
            Sole::Signalled { id, key } => self.signalled(id, key, ended),
            Sole::Told { key } => self.broadcast_over(key, ended),
            Sole::Fired => {}
        }
    }

    /// Work of the node's own about messages, signals and start events.
    pub(super) fn event_ended(&mut self, origin: WorkOrigin, ended: &Ended<'_>) {
        match origin {
            WorkOrigin::Correlation { message } => self.correlated(message, ended),
            WorkOrigin::Told { publication } => self.told(publication, ended),
            WorkOrigin::Broadcast { key } => self.heard(key, ended),
            WorkOrigin::Firing { firing } => self.fired(firing, ended),
            WorkOrigin::Client { .. } | WorkOrigin::Engine { .. } | WorkOrigin::Due { .. } => {}
        }
    }
}
