//! The contract.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use orloj_types::{
    DefinitionKey, DeploymentKey, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, ProcessId,
    SubscriptionKey, TenantId, Timestamp, UserTaskKey,
};

use crate::broadcast::BroadcastRow;
use crate::change::Group;
use crate::decision::{DecisionKey, DecisionRow, DecisionVersion};
use crate::error::{CommitError, Error};
use crate::message::{Channel, Committed, Fit, MessageKey, MessageQuery, MessageRow};
use crate::node::{Beat, Claim, Lease, NodeRow, Pulse};
use crate::notice::Notice;
use crate::query::{
    CalledBy, EndedFilter, IncidentFilter, InstanceFilter, JobFilter, Page, UserTaskFilter,
};
use crate::rows::{
    DefinitionRow, EndedRow, HistoryRow, IncidentRow, InstanceRow, JobRow, LoadedInstance,
    NewDeployment, StoredDeployment, UserTaskRow,
};
use crate::start::{StartFit, StartQuery, StartRow};
use crate::subscription::{SubscriptionQuery, SubscriptionRow};

pub type Fut<'a, T, E = Error> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// Which unlocked, ready jobs an acquisition takes, by priority (highest first), then key.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// The engine's own: continuations and timers. Locked for the node's session.
    Engine,
    /// Jobs for workers of one type. Locked for `worker` until `until`; the activation is appended.
    Worker { job_type: Arc<str>, worker: Arc<str>, until: Timestamp },
}

#[derive(Clone, Debug)]
pub struct Acquire {
    pub lease: Lease,
    pub wanted: Wanted,
    pub limit: u32,
    pub now: Timestamp,
}

/// Moves the end of a worker's lock.
#[derive(Clone, Copy, Debug)]
pub struct ExtendLock {
    pub job: JobKey,
    pub until: Timestamp,
    pub now: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extended {
    Done,
    /// The job exists but no worker holds it, or the lock has already run out.
    NotLocked,
    NotFound,
}

/// What every store does. Time is always a parameter. Everything that writes is durable when the
/// future resolves.
///
/// Futures are polled on more than one runtime: those of a node on its thread's own, which ends
/// with the node. What must live longer, such as a pool's connections, belongs to a runtime of the
/// store's choosing.
pub trait Store: Send + Sync + 'static {
    // ---- nodes

    /// Registers a node: picks a free number, opens its lanes, fences the predecessor of the same
    /// name (an embedded store, which has one owner, fences every other node).
    fn join(&self, claim: Claim) -> Fut<'_, Lease>;

    /// `Error::Fenced` when the lease is gone.
    fn beat(&self, beat: Beat) -> Fut<'_, Pulse>;

    /// Takes the lease of a node that looks dead: only if its counter is still `beat`. Removes its
    /// row and lanes and clears its job locks in one transaction. False: it lives, or is gone.
    fn fence(&self, session: i64, beat: i64) -> Fut<'_, bool>;

    /// Gives the lease back: like being fenced, by own will. Idempotent.
    fn leave(&self, lease: Lease) -> Fut<'_, ()>;

    fn nodes(&self) -> Fut<'_, Vec<NodeRow>>;

    // ---- changes

    /// Applies a group in one transaction. See [`CommitError`] for what else may happen.
    fn commit(&self, group: Arc<Group>) -> Fut<'_, Committed, CommitError>;

    /// Told of the group that a lane will most likely be asked to commit next, so that a store may
    /// translate it while the lane is busy. It may never be committed.
    fn prepare(&self, _group: &Arc<Group>) {}

    /// Whether the lane's group `id` was committed. Waits for a transaction still under way.
    /// `Error::Fenced` when the lease is gone: then it may have landed before the fencing, and the
    /// instance's revisions tell.
    fn landed(&self, lease: Lease, lane: u8, id: i64) -> Fut<'_, bool>;

    /// Those that exist, in any order.
    fn load(&self, instances: Vec<InstanceKey>) -> Fut<'_, Vec<LoadedInstance>>;

    // ---- jobs

    fn acquire(&self, acquire: Acquire) -> Fut<'_, Vec<JobRow>>;

    /// Waiting jobs due at `now` or before, earliest first. Locks nothing.
    fn due(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<JobRow>>;

    /// Clears worker locks whose end lies before `now`; gives the types of those jobs.
    fn expire(&self, now: Timestamp) -> Fut<'_, Vec<Arc<str>>>;

    /// Clears the locks of these jobs: engine jobs this session holds and does not get to, worker
    /// jobs that could not be delivered. Each only if its `attempt` is still the given one. Costs
    /// no retry.
    fn release(&self, lease: Lease, jobs: Vec<(JobKey, i32)>) -> Fut<'_, ()>;

    fn extend_lock(&self, extend: ExtendLock) -> Fut<'_, Extended>;

    fn job(&self, key: JobKey) -> Fut<'_, Option<JobRow>>;
    fn incident(&self, key: IncidentKey) -> Fut<'_, Option<IncidentRow>>;
    fn user_task(&self, key: UserTaskKey) -> Fut<'_, Option<UserTaskRow>>;

    /// The live instance that an element instance belongs to, found by the rows it waits with.
    fn instance_of(&self, scope: ElementInstanceKey) -> Fut<'_, Option<InstanceKey>>;

    // ---- waits and messages

    fn subscription(&self, key: SubscriptionKey) -> Fut<'_, Option<SubscriptionRow>>;

    fn subscriptions(&self, query: SubscriptionQuery) -> Fut<'_, Vec<SubscriptionRow>>;

    fn message(&self, key: MessageKey) -> Fut<'_, Option<MessageRow>>;

    fn messages(&self, query: MessageQuery) -> Fut<'_, Vec<MessageRow>>;

    /// The fit of a channel, if there is one.
    fn fit(&self, channel: Channel, now: Timestamp) -> Fut<'_, Option<Fit>>;

    /// Every buffered message after this one that fits something, oldest first, each with the
    /// oldest subscription it fits. For what was reported to a node that did not live to see it.
    fn fits(&self, now: Timestamp, after: Option<MessageKey>, limit: u32) -> Fut<'_, Vec<Fit>>;

    /// What a channel's messages could start.
    fn start_fits(&self, channel: Channel, now: Timestamp) -> Fut<'_, Vec<StartFit>>;

    /// The instance that keeps messages with this correlation key from starting the process.
    fn start_holder(
        &self,
        process_id: ProcessId,
        tenant: TenantId,
        correlation_key: Arc<str>,
    ) -> Fut<'_, Option<InstanceKey>>;

    /// Removes expired messages, at most `limit`; gives their number.
    fn expire_messages(&self, now: Timestamp, limit: u32) -> Fut<'_, u32>;

    /// Oldest first.
    fn broadcasts(&self, limit: u32) -> Fut<'_, Vec<BroadcastRow>>;

    // ---- definitions

    /// Assigns versions, or finds that nothing is new: a resource is a duplicate when the latest
    /// version of each of its processes and decisions has the same resource name and checksum; if any resource
    /// is new, all get new versions. Serialised per engine.
    fn deploy(&self, deployment: NewDeployment) -> Fut<'_, StoredDeployment>;

    fn definition(&self, key: DefinitionKey) -> Fut<'_, Option<DefinitionRow>>;

    /// `version` `None`: the latest.
    fn find_definition(
        &self,
        process_id: ProcessId,
        tenant: TenantId,
        version: Option<i32>,
    ) -> Fut<'_, Option<DefinitionRow>>;

    fn decision(&self, key: DecisionKey) -> Fut<'_, Option<DecisionRow>>;

    fn find_decision(
        &self,
        decision_id: Arc<str>,
        tenant: TenantId,
        version: DecisionVersion,
    ) -> Fut<'_, Option<DecisionRow>>;

    fn resource(&self, deployment: DeploymentKey, name: Arc<str>) -> Fut<'_, Option<Arc<[u8]>>>;

    fn definitions(&self, page: Page) -> Fut<'_, Vec<DefinitionRow>>;

    /// Start events of the latest versions.
    fn starts(&self, query: StartQuery) -> Fut<'_, Vec<StartRow>>;

    /// Timers among them that are due at `now` or before, earliest first.
    fn due_starts(&self, now: Timestamp, limit: u32) -> Fut<'_, Vec<StartRow>>;

    // ---- queries

    fn instances(&self, filter: InstanceFilter, page: Page) -> Fut<'_, Vec<InstanceRow>>;
    fn ended(&self, filter: EndedFilter, page: Page) -> Fut<'_, Vec<EndedRow>>;
    fn ended_instance(&self, key: InstanceKey) -> Fut<'_, Option<EndedRow>>;
    /// Live ones.
    fn called_instances(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<InstanceRow>>;
    fn called_ended(&self, by: CalledBy, page: Page) -> Fut<'_, Vec<EndedRow>>;
    /// Oldest first. The newest events of a live instance are in its row.
    fn history(&self, instance: InstanceKey) -> Fut<'_, Vec<HistoryRow>>;
    fn jobs(&self, filter: JobFilter, page: Page) -> Fut<'_, Vec<JobRow>>;
    fn incidents(&self, filter: IncidentFilter, page: Page) -> Fut<'_, Vec<IncidentRow>>;
    fn user_tasks(&self, filter: UserTaskFilter, page: Page) -> Fut<'_, Vec<UserTaskRow>>;

    // ---- hints

    /// Tells the other nodes; may be lost.
    fn notify(&self, notices: Vec<Notice>) -> Fut<'_, ()>;

    /// Calls `sink` for every notice of another node, from now on.
    fn listen(&self, sink: Box<dyn Fn(Notice) + Send + Sync>);

    /// Closes connections and threads; flushes what an embedded store keeps in its log.
    fn close(&self) -> Fut<'_, ()>;
}
