use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_store::{
    AssetKey, AssetRow, BatchRow, BroadcastKey, BroadcastRow, ChoreLogRow, DecisionKey,
    DecisionRow, DefinitionRow, EndedBatchRow, EndedRow, Error, HistoryRow, IncidentRow,
    InstanceRow, JobDefinitionRow, JobRow, LimitRow, LimitScope, MessageKey, MessageRow,
    MessageTaken, MeterRow, OperationRow, RecordPage, RecordPageKind, StartRow, SubscriptionRow,
    UserTaskRow, VariableRow,
};
use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, ElementId, ElementInstanceKey, EngineName, IncidentKey,
    InstanceKey, JobDefinitionKey, JobKey, OperationKey, SubscriptionKey, TenantId, Timestamp,
    UserTaskKey,
};

use super::nodes::NodeState;

/// How many nodes may share the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One owner at a time: joining fences everyone else.
    Embedded,
    Cluster,
}

/// All tables. A call is one transaction: it happens wholly or not at all.
#[derive(Debug)]
pub struct Core {
    pub engine: EngineName,
    pub kind: Kind,
    pub instances: BTreeMap<InstanceKey, InstanceRow>,
    pub jobs: BTreeMap<JobKey, JobRow>,
    /// Jobs whose locks are found though they are older than a session's floor.
    pub listed: BTreeSet<JobKey>,
    pub variables: BTreeMap<(InstanceKey, ElementInstanceKey, Arc<str>), VariableRow>,
    pub pages: BTreeMap<(InstanceKey, RecordPageKind, ElementInstanceKey), RecordPage>,
    pub user_tasks: BTreeMap<UserTaskKey, UserTaskRow>,
    pub incidents: BTreeMap<IncidentKey, IncidentRow>,
    pub history: BTreeMap<(InstanceKey, i32), HistoryRow>,
    pub ended: BTreeMap<InstanceKey, EndedRow>,
    pub subscriptions: BTreeMap<SubscriptionKey, SubscriptionRow>,
    pub messages: BTreeMap<MessageKey, MessageRow>,
    pub messages_taken: BTreeSet<MessageTaken>,
    pub starts: BTreeMap<(DefinitionKey, ElementId), StartRow>,
    pub broadcasts: BTreeMap<BroadcastKey, BroadcastRow>,
    pub definitions: BTreeMap<DefinitionKey, DefinitionRow>,
    pub decisions: BTreeMap<DecisionKey, DecisionRow>,
    pub assets: BTreeMap<AssetKey, AssetRow>,
    pub job_definitions: BTreeMap<JobDefinitionKey, JobDefinitionRow>,
    pub limits: BTreeMap<(LimitScope, Arc<str>), LimitRow>,
    pub batches: BTreeMap<BatchKey, BatchRow>,
    pub ended_batches: BTreeMap<BatchKey, EndedBatchRow>,
    pub operations: BTreeMap<OperationKey, OperationRow>,
    /// By number.
    pub chore_log: BTreeMap<i64, ChoreLogRow>,
    pub(super) next_chore_log: i64,
    /// By name, moment and reporter.
    pub meters: BTreeMap<(Arc<str>, Timestamp, Arc<str>), MeterRow>,
    pub settings_version: i64,
    /// Definitions that have another tenant than they were deployed with; the tenant of before
    /// until that is settled.
    pub(super) moved: BTreeMap<DefinitionKey, Option<TenantId>>,
    pub(super) resources: BTreeMap<(DeploymentKey, Arc<str>), Arc<[u8]>>,
    /// By session.
    pub(super) nodes: BTreeMap<i64, NodeState>,
    /// The last group of each lane, by session and lane.
    pub(super) lanes: BTreeMap<(i64, u8), i64>,
    /// The highest key known of each node number, when its owner was removed.
    pub(super) number_keys: BTreeMap<u16, i64>,
    pub(super) next_session: i64,
    pub(super) is_closed: bool,
}

impl Core {
    pub fn new(engine: EngineName, kind: Kind) -> Self {
        Self {
            engine,
            kind,
            instances: BTreeMap::new(),
            jobs: BTreeMap::new(),
            listed: BTreeSet::new(),
            variables: BTreeMap::new(),
            pages: BTreeMap::new(),
            user_tasks: BTreeMap::new(),
            incidents: BTreeMap::new(),
            history: BTreeMap::new(),
            ended: BTreeMap::new(),
            subscriptions: BTreeMap::new(),
            messages: BTreeMap::new(),
            messages_taken: BTreeSet::new(),
            starts: BTreeMap::new(),
            broadcasts: BTreeMap::new(),
            definitions: BTreeMap::new(),
            decisions: BTreeMap::new(),
            assets: BTreeMap::new(),
            job_definitions: BTreeMap::new(),
            limits: BTreeMap::new(),
            batches: BTreeMap::new(),
            ended_batches: BTreeMap::new(),
            operations: BTreeMap::new(),
            chore_log: BTreeMap::new(),
            next_chore_log: 1,
            meters: BTreeMap::new(),
            settings_version: 0,
            moved: BTreeMap::new(),
            resources: BTreeMap::new(),
            nodes: BTreeMap::new(),
            lanes: BTreeMap::new(),
            number_keys: BTreeMap::new(),
            next_session: 1,
            is_closed: false,
        }
    }

    pub fn close(&mut self) {
        self.is_closed = true;
    }

    pub(super) fn open(&self) -> Result<(), Error> {
        match self.is_closed {
            true => Err(Error::Unavailable("the store is closed".into())),
            false => Ok(()),
        }
    }
}
