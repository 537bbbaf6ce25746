//! Changes: what one command writes, all or nothing.

use std::sync::Arc;

use orloj_types::{
    ElementInstanceKey, IncidentKey, InstanceKey, JobKey, SubscriptionKey, Timestamp, UserTaskKey,
};

use crate::broadcast::{BroadcastRow, BroadcastWrite};
use crate::message::{Channel, MessageKey, MessageRow, MessageTaken};
use crate::node::Lease;
use crate::rows::{
    EndedRow, HistoryRow, IncidentRow, InstanceRow, JobRow, JobState, UserTaskRow, VariableRow,
};
use crate::start::{StartHold, StartWrite};
use crate::subscription::{SubscriptionKind, SubscriptionRow};

/// Applied only if every instance in it still has the revision it was computed from, and if the
/// start events, messages and broadcasts in it are what they were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub instances: Vec<InstanceWrite>,
    pub jobs: Vec<JobWrite>,
    pub variables: Vec<VariableWrite>,
    pub user_tasks_added: Vec<UserTaskRow>,
    pub user_tasks_gone: Vec<UserTaskKey>,
    pub incidents_added: Vec<IncidentRow>,
    pub incidents_gone: Vec<IncidentKey>,
    pub history: Vec<HistoryRow>,
    pub ended: Vec<EndedRow>,
    pub subscriptions_added: Vec<SubscriptionRow>,
    /// Also when they are gone already: the instance's revision has decided.
    pub subscriptions_gone: Vec<SubscriptionKey>,
    pub starts: Vec<StartWrite>,
    pub holds_added: Vec<StartHold>,
    /// Also when they are gone already: the instance's revision has decided.
    pub holds_gone: Vec<StartHold>,
    /// Channels to look at although nothing is added to them: those of the messages that may start
    /// a process when a hold goes.
    pub looks: Vec<Channel>,
    /// Added first, so that a change may take what it adds.
    pub messages_added: Vec<MessageRow>,
    /// Who takes a message for good. A conflict of the whole change when it is gone already.
    pub messages_gone: Vec<MessageKey>,
    pub messages_taken: Vec<MessageTaken>,
    pub broadcasts_added: Vec<BroadcastRow>,
    pub broadcasts: Vec<BroadcastWrite>,
}

impl Change {
    /// Whether it writes anything about waits, messages, start events, broadcasts or calls. A step
    /// from one task to the next does not, and a store need not look for more.
    pub fn has_events(&self) -> bool {
        let is_called = |write: &InstanceWrite| match write {
            InstanceWrite::Insert(row) => row.is_called(),
            InstanceWrite::Update { .. } | InstanceWrite::Delete { .. } => false,
        };
        !self.subscriptions_added.is_empty()
            || !self.subscriptions_gone.is_empty()
            || !self.starts.is_empty()
            || !self.holds_added.is_empty()
            || !self.holds_gone.is_empty()
            || !self.looks.is_empty()
            || !self.messages_added.is_empty()
            || !self.messages_gone.is_empty()
            || !self.messages_taken.is_empty()
            || !self.broadcasts_added.is_empty()
            || !self.broadcasts.is_empty()
            || self.instances.iter().any(is_called)
            || self.ended.iter().any(EndedRow::is_called)
    }

    /// Whether it gives up what `hold` wants, so that it may be had again.
    pub fn releases(&self, hold: &StartHold) -> bool {
        self.holds_gone.iter().any(|gone| {
            gone.engine == hold.engine
                && gone.tenant == hold.tenant
                && gone.process_id == hold.process_id
                && gone.correlation_key == hold.correlation_key
        })
    }

    /// The channels it adds a message or a subscription to, or looks at.
    pub fn channels(&self) -> impl Iterator<Item = Channel> {
        let messages = self.messages_added.iter().map(MessageRow::channel);
        let waits = self.subscriptions_added.iter().filter_map(|row| {
            let key = row.correlation_key.as_ref()?;
            (row.kind == SubscriptionKind::Message).then(|| Channel {
                engine: row.engine.clone(),
                tenant: row.tenant.clone(),
                name: row.name.clone(),
                correlation_key: key.clone(),
            })
        });
        messages.chain(waits).chain(self.looks.iter().cloned())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstanceWrite {
    /// Conflicts when the key exists.
    Insert(InstanceRow),
    /// The row's `rev` becomes `expected_rev + 1` or more; it is given as `rev`.
    Update {
        key: InstanceKey,
        expected_rev: i32,
        rev: i32,
        record: Vec<u8>,
        events: Vec<u8>,
    },
    Delete {
        key: InstanceKey,
        expected_rev: i32,
    },
}

impl InstanceWrite {
    pub fn key(&self) -> InstanceKey {
        match self {
            Self::Insert(row) => row.key,
            Self::Update { key, .. } | Self::Delete { key, .. } => *key,
        }
    }
}

/// Each job appears at most once in a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobWrite {
    Insert(JobRow),
    Update(JobUpdate),
    /// Also when it is locked: the instance's revision has decided.
    Delete(JobKey),
}

/// The columns an instance decides about; the others stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobUpdate {
    pub key: JobKey,
    pub state: JobState,
    pub retries_left: i32,
    pub priority: i64,
    pub due_at: Option<Timestamp>,
    /// `None` keeps the text of the last failure.
    pub failure: Option<Arc<str>>,
    pub lock: LockWrite,
}

/// What becomes of a job's lock when its row is updated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockWrite {
    Keep,
    /// Lock and activations are cleared.
    Clear,
    /// A node's lock; `attempt` counts one more.
    Session(i64),
    /// A worker's lock; `attempt` counts one more and `activations` replaces the column.
    Worker {
        worker: Arc<str>,
        until: Timestamp,
        activations: Vec<u8>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableWrite {
    /// Insert or replace.
    Put(VariableRow),
    Delete {
        instance: InstanceKey,
        scope: ElementInstanceKey,
        name: Arc<str>,
    },
    DeleteAll {
        instance: InstanceKey,
    },
}

/// Changes committed in one transaction. No instance appears in two of them.
#[derive(Clone, Debug)]
pub struct Group {
    pub lease: Lease,
    /// Which of the node's committer lanes sends it; a lane has one group under way at a time.
    pub lane: u8,
    /// Grows by one with every group of the lane. It is written with the group, so that a lost
    /// answer can be found out.
    pub id: i64,
    pub changes: Vec<Change>,
    pub now: Timestamp,
}
