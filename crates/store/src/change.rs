//! Changes: what one command writes, all or nothing.

use std::sync::Arc;

use orloj_types::{
    ElementId, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, SubscriptionKey, Timestamp,
    UserTaskKey,
};
use thin_vec::ThinVec;

use crate::batch::BatchWrite;
use crate::broadcast::{BroadcastRow, BroadcastWrite};
use crate::chore::ChoreWrite;
use crate::chore_log::ChoreLogRow;
use crate::job_definition::JobDefinitionRow;
use crate::message::{Channel, MessageKey, MessageRow, MessageTaken};
use crate::migration::Migration;
use crate::node::Lease;
use crate::operation::OperationRow;
use crate::rows::{
    EndedRow, HistoryRow, IncidentRow, InstanceRow, JobRow, JobState, RecordPage, RecordPageKind,
    UserTaskRow, VariableRow,
};
use crate::statement::Statement;
use crate::subscription::{SubscriptionKind, SubscriptionRow};

/// Applied only if every instance in it still has the revision it was computed from, and if the
/// messages, broadcasts and chores in it are what they were.
///
/// Most of its lists are empty, and changes are moved a few times before they are written: a list
/// is one word, and an empty one has no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    pub instances: ThinVec<InstanceWrite>,
    pub jobs: ThinVec<JobWrite>,
    pub variables: ThinVec<VariableWrite>,
    pub pages: ThinVec<RecordPageWrite>,
    pub user_tasks_added: ThinVec<UserTaskRow>,
    pub user_tasks_gone: ThinVec<UserTaskKey>,
    pub incidents_added: ThinVec<IncidentRow>,
    pub incidents_gone: ThinVec<IncidentKey>,
    pub incidents_annotated: ThinVec<IncidentNote>,
    pub history: ThinVec<HistoryRow>,
    pub ended: ThinVec<EndedRow>,
    pub subscriptions_added: ThinVec<SubscriptionRow>,
    /// Also when they are gone already: the instance's revision has decided.
    pub subscriptions_gone: ThinVec<SubscriptionKey>,
    /// Added first, so that a change may take what it adds.
    pub messages_added: ThinVec<MessageRow>,
    /// Who takes a message for good. A conflict of the whole change when it is gone already.
    pub messages_gone: ThinVec<MessageKey>,
    pub messages_taken: ThinVec<MessageTaken>,
    pub broadcasts_added: ThinVec<BroadcastRow>,
    pub broadcasts: ThinVec<BroadcastWrite>,
    /// Of an instance that appears twice the last one counts.
    pub migrations: ThinVec<Migration>,
    /// Each chore appears at most once.
    pub chores: ThinVec<ChoreWrite>,
    /// About chores, after those that go. One that exists stays as it is: a chore has one at most.
    pub incidents_opened: ThinVec<IncidentRow>,
    pub chore_log: ThinVec<ChoreLogRow>,
    pub batches: ThinVec<BatchWrite>,
    /// Of batches; others come with their definition.
    pub job_definitions_added: ThinVec<JobDefinitionRow>,
    pub operations: ThinVec<OperationRow>,
    /// Of the application, run last, in order. A change that has some is the only one of its group.
    pub statements: ThinVec<Statement>,
}

impl Change {
    /// Whether it writes anything about waits, messages, broadcasts or calls, or migrates an
    /// instance. A step from one task to the next does not, and a store need not look for more.
    pub fn has_events(&self) -> bool {
        let is_called = |write: &InstanceWrite| match write {
            InstanceWrite::Insert(row) => row.is_called(),
            InstanceWrite::Update { .. } | InstanceWrite::Delete { .. } => false,
        };
        !self.subscriptions_added.is_empty()
            || !self.subscriptions_gone.is_empty()
            || !self.messages_added.is_empty()
            || !self.messages_gone.is_empty()
            || !self.messages_taken.is_empty()
            || !self.broadcasts_added.is_empty()
            || !self.broadcasts.is_empty()
            || !self.migrations.is_empty()
            || self.instances.iter().any(is_called)
            || self.ended.iter().any(EndedRow::is_called)
    }

    /// Whether it writes anything about chores, batches, the logs of both and of operations, or
    /// notes on incidents. A step of an instance does not.
    pub fn has_chores(&self) -> bool {
        !self.chores.is_empty()
            || !self.incidents_opened.is_empty()
            || !self.chore_log.is_empty()
            || !self.batches.is_empty()
            || !self.job_definitions_added.is_empty()
            || !self.operations.is_empty()
            || !self.incidents_annotated.is_empty()
    }

    /// The channels it adds a message or a subscription to.
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
        messages.chain(waits)
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

/// Nothing happens when the incident is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentNote {
    pub key: IncidentKey,
    /// Instead of the one it has; `None` takes it away.
    pub annotation: Option<Arc<str>>,
}

/// Each job appears at most once in a change. One that was inserted with its instance is updated and
/// deleted with it: the instance's revision guards it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobWrite {
    Insert(Box<JobRow>),
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
    /// These two are written with a failure, and kept without one.
    pub failure_details: Option<Arc<str>>,
    pub failed_element: Option<ElementId>,
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordPageWrite {
    /// Insert or replace.
    Put(RecordPage),
    Delete {
        instance: InstanceKey,
        kind: RecordPageKind,
        first: ElementInstanceKey,
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
