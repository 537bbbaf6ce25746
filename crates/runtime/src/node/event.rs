//! Everything that can happen to a node, and everything a node can ask for.

use std::sync::Arc;

use orloj_executor::TakerId;
use orloj_interpreter::{CalledProcess, Command, Invoke, InvokeResult, JobResult, WantedAsset};
use orloj_model::TimeToLive;
use orloj_store::{
    Acquire, BatchRow, Beat, BroadcastKey, BroadcastRow, Change, Channel, CommitError, Committed,
    EndedRow, Error as StoreError, Fit, Group, JobFilter, JobRow, Lease, LoadedInstance,
    MessageKey, MessageRow, NodeProfile, Notice, OperationRow, Page, Prune, PruneQuery, Pruned,
    Pulse, StartQuery, StartRow, Statement, StoredSettings, SubscriptionQuery, SubscriptionRow,
};
use orloj_types::{
    BatchKey, DefinitionKey, DeploymentKey, Document, ElementId, ElementInstanceKey, EngineName,
    IncidentKey, InstanceKey, JobKey, ProcessId, SubscriptionKey, TenantId, Timestamp, UserTaskKey,
};

use super::chores::{Suspension, SuspensionScope};
use super::claims::Claims;
use crate::api::{ActivateJobs, ActivatedJob, BroadcastSignal, Error, PublishMessage, StreamJobs};
use crate::definition::Definition;

/// Names a caller that waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// Names one call of foreign code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// Names a question to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// A locked job that the application's executor decides about; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OfferId(pub(super) u64);

#[derive(Debug)]
pub enum Event {
    Request {
        id: RequestId,
        request: Request,
    },
    /// The caller went away. Only polls and awaited results care.
    RequestDropped {
        id: RequestId,
    },
    StreamOpened {
        id: TakerId,
        stream: StreamJobs,
    },
    /// The worker took `jobs` jobs from its stream.
    StreamCredit {
        id: TakerId,
        jobs: u32,
    },
    StreamClosed {
        id: TakerId,
    },
    /// Jobs handed out that did not reach their worker.
    Undelivered {
        jobs: Vec<(JobKey, i32)>,
    },
    Invoked {
        call: CallId,
        result: InvokeResult,
        /// Of the application, to commit with the step.
        statements: Vec<Statement>,
    },

    /// The application's executor has decided.
    OfferAnswered {
        offer: OfferId,
        is_taken: bool,
    },

    Loaded {
        instances: Vec<InstanceKey>,
        result: Result<Vec<LoadedInstance>, StoreError>,
    },
    DefinitionLoaded {
        key: DefinitionKey,
        result: Result<Arc<Definition>, Error>,
    },
    DefinitionFound {
        call: CallId,
        result: Result<Option<Arc<Definition>>, Error>,
    },
    AssetFound {
        call: CallId,
        result: Result<Option<i64>, Error>,
    },
    /// Groups are numbered anew with every lease, so answers name theirs.
    Committed {
        session: i64,
        lane: u8,
        group: i64,
        result: Result<Committed, CommitError>,
    },
    Landed {
        session: i64,
        lane: u8,
        group: i64,
        result: Result<bool, StoreError>,
    },
    Acquired {
        ticket: Ticket,
        result: Result<Vec<JobRow>, StoreError>,
    },
    Found {
        ticket: Ticket,
        result: Result<Found, StoreError>,
    },
    Due {
        result: Result<Vec<JobRow>, StoreError>,
    },
    Expired {
        result: Result<Vec<Arc<str>>, StoreError>,
    },
    Released {
        jobs: Vec<(JobKey, i32)>,
        result: Result<(), StoreError>,
    },
    Beaten {
        session: i64,
        result: Result<Pulse, StoreError>,
    },
    Fenced {
        result: Result<bool, StoreError>,
    },
    Joined {
        result: Result<Lease, StoreError>,
    },
    Left,
    /// Others know, or do not, what the node of this session takes.
    Described {
        session: i64,
        is_told: bool,
    },
    Noticed(Notice),
    /// A worker's lock ends at another moment now.
    LockExtended {
        until: Timestamp,
    },
    /// Time has passed.
    Tick,
    /// Finish what runs, give back the rest, leave.
    Drain,
}

/// What callers ask for.
#[derive(Debug)]
pub enum Request {
    Start(StartRequest),
    /// A command about a job whose instance the node finds out.
    Job {
        job: JobKey,
        command: JobCommand,
    },
    Incident {
        incident: IncidentKey,
    },
    UserTask {
        task: UserTaskKey,
        variables: Document,
    },
    Variables {
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    },
    Cancel {
        instance: InstanceKey,
    },
    /// A command about an instance, with the definition it will be one of afterwards.
    Instance {
        instance: InstanceKey,
        command: Box<Command>,
        target: Option<Arc<Definition>>,
    },
    /// A command that an operator gives an instance.
    Manage(Box<Manage>),
    /// What concerns no instance, such as a change of a chore. In conflict, nothing of it is
    /// written, and [`Error::Overtaken`] says so.
    Write(Box<Change>),
    /// A chore is done here and now; answered with its end.
    RunChore {
        job: JobKey,
    },
    Publish(PublishMessage),
    Broadcast(BroadcastSignal),
    /// What a subscription waits for has come.
    Trigger {
        subscription: SubscriptionKey,
        variables: Document,
    },
    Activate(ActivateJobs),
    /// Switches the executor on or off.
    Executor {
        is_active: bool,
    },
    /// Deployments whose jobs this node takes, with their definitions.
    Register {
        deployments: Vec<(DeploymentKey, Vec<DefinitionKey>)>,
    },
    Unregister {
        deployments: Vec<DeploymentKey>,
    },
    /// The deployments that are registered.
    Registered,
    /// What the executor is doing.
    Report,
    /// Lets jobs of a topic through again.
    CloseBreaker {
        topic: Arc<str>,
    },
    /// Definitions or job definitions are suspended or activated now.
    Suspend(Suspension),
    /// Keys for a deployment.
    Keys {
        count: usize,
    },
    /// Answered when nothing is queued, running or due.
    Settle,
}

#[derive(Debug)]
pub struct StartRequest {
    pub definition: Arc<Definition>,
    pub business_key: Option<Arc<str>>,
    pub variables: Document,
    /// The start event whose trigger came; `None`: the one without a trigger.
    pub at: Option<ElementId>,
    /// Tokens begin before these elements instead.
    pub before: Vec<ElementId>,
    pub tags: Arc<[Arc<str>]>,
    pub stops_after: Vec<ElementId>,
    /// Answer with the result when it has ended.
    pub await_end: bool,
}

#[derive(Debug)]
pub struct Manage {
    pub instance: InstanceKey,
    pub command: Command,
    /// The definition that the instance will be one of afterwards.
    pub target: Option<Arc<Definition>>,
    pub log: Vec<OperationRow>,
    /// A job that the command removes and that nobody may hold at that moment; if someone does,
    /// nothing is written and the answer is [`Error::Overtaken`].
    pub free: Option<JobKey>,
}

#[derive(Debug)]
pub enum JobCommand {
    Complete {
        variables: Document,
        result: Box<JobResult>,
    },
    Fail {
        retries: i32,
        message: Arc<str>,
        details: Option<Arc<str>>,
        back_off_ms: i64,
        variables: Document,
    },
    Throw {
        code: Arc<str>,
        message: Arc<str>,
        variables: Document,
    },
    HoldBack {
        message: Arc<str>,
    },
    UpdateRetries {
        retries: i32,
    },
}

#[derive(Debug)]
pub enum Reply {
    Done,
    Started {
        instance: InstanceKey,
    },
    Finished {
        instance: InstanceKey,
        completed: bool,
        variables: Document,
    },
    Jobs(Vec<ActivatedJob>),
    Keys(Vec<i64>),
    Deployments(Vec<DeploymentKey>),
    Report(Box<super::ExecutorReport>),
    /// How many things were changed.
    Affected(u64),
}

/// What to find in the store.
#[derive(Clone, Debug)]
pub enum Find {
    Job(JobKey),
    Incident(IncidentKey),
    UserTask(UserTaskKey),
    Scope(ElementInstanceKey),
    Ended(InstanceKey),
    Subscription(SubscriptionKey),
    Message(MessageKey),
    Fit(Channel, Timestamp),
    Fits {
        now: Timestamp,
        after: Option<MessageKey>,
        limit: u32,
    },
    /// Who could get a message of this channel. Subscriptions only if they are asked for.
    Receivers {
        channel: Channel,
        message_id: Option<Arc<str>>,
        with_subscriptions: bool,
        now: Timestamp,
    },
    Subscriptions(SubscriptionQuery),
    /// The last of those that wait for a signal of this name.
    LastSignal(Arc<str>),
    Starts(StartQuery),
    /// The start events that wait for the name of a buffered message.
    StartsBy(MessageKey, Timestamp),
    /// Buffered messages that could start an instance of the process, and its start events.
    StartsNext {
        engine: EngineName,
        tenant: TenantId,
        process: ProcessId,
        key: Arc<str>,
        now: Timestamp,
    },
    Broadcasts {
        limit: u32,
    },
    /// What is set in the store.
    Settings,
    /// Ready jobs of the engine's own that nobody has locked.
    Untaken {
        offset: u32,
        limit: u32,
    },
    /// Exclusive jobs that wait for the one whose turn it is in this instance, or in its hierarchy.
    Parked {
        instance: InstanceKey,
        over_hierarchies: bool,
    },
    Batch(BatchKey),
    /// With the number of parts that are left.
    BatchProgress(BatchKey),
    Jobs(Box<JobFilter>, Page),
    /// Live ones of a definition.
    Instances(DefinitionKey, Page),
    /// Removes something.
    Prune(PruneQuery),
    /// Definitions that say how long their ended instances are kept.
    TimesToLive,
    /// Sets when ended batches may be removed.
    SetBatchRemoval {
        batches: Vec<BatchKey>,
        at: Option<Timestamp>,
    },
    /// Sets when ended instances may be removed.
    SetRemoval {
        instances: Vec<InstanceKey>,
        at: Option<Timestamp>,
    },
    /// Writes the settings of it.
    Suspend(Suspension),
    /// Waits a while until every node goes by settings of this version.
    SettingsSeen(i64),
    /// Settles the changes of deployments' tenants when every node goes by settings of this
    /// version.
    SettleTenants {
        version: i64,
        deployments: Vec<DeploymentKey>,
        now: Timestamp,
        logs_chores: bool,
    },
    /// Removes them.
    ExpireMessages {
        now: Timestamp,
        limit: u32,
    },
}

#[derive(Clone, Debug)]
pub enum Found {
    Nothing,
    /// Others have to do something before.
    NotYet,
    Job(Box<JobRow>),
    Instance(InstanceKey),
    Ended(Box<EndedRow>),
    Message(Box<MessageRow>),
    Fit(Fit),
    Fits(Vec<Fit>),
    Receivers(Box<super::Receivers>),
    Subscriptions(Vec<SubscriptionRow>),
    /// None waits.
    LastSignal(Option<SubscriptionKey>),
    Starts(Vec<StartRow>),
    /// Start events with messages that set them off, oldest message first.
    Candidates(Vec<(StartRow, MessageRow)>),
    Broadcasts(Vec<BroadcastRow>),
    Settings(Box<StoredSettings>),
    /// Each with its deployment.
    Untaken(Vec<(JobRow, Option<DeploymentKey>)>),
    Parked {
        /// The instance that has the queue.
        queue: InstanceKey,
        jobs: Vec<JobRow>,
    },
    Count(u32),
    Batch(Box<BatchRow>),
    BatchProgress {
        batch: Box<BatchRow>,
        parts_left: u64,
    },
    Jobs(Vec<JobRow>),
    Instances(Vec<InstanceKey>),
    Pruned((Prune, Pruned)),
    TimesToLive(Vec<(DefinitionKey, TimeToLive)>),
    Suspending(Box<SuspensionScope>),
}

#[derive(Debug)]
pub enum Action {
    Reply {
        id: RequestId,
        result: Result<Reply, Error>,
    },
    Push {
        stream: TakerId,
        job: Box<ActivatedJob>,
    },
    CloseStream {
        stream: TakerId,
    },
    Invoke {
        call: CallId,
        invoke: Box<Invoke>,
    },
    /// Ask the application's executor whether a locked job may begin.
    Offer {
        offer: OfferId,
        job: JobKey,
    },
    /// Stop one call of foreign code: it takes too long.
    AbortInvoke {
        call: CallId,
    },
    /// Stop all foreign code: the lease is in doubt.
    AbortInvokes,

    Load {
        instances: Vec<InstanceKey>,
    },
    LoadDefinition {
        key: DefinitionKey,
    },
    /// The process that a call activity names; answered like a call of foreign code.
    FindDefinition {
        call: CallId,
        called: CalledProcess,
    },
    /// A deployed file that an element refers to; answered likewise.
    FindAsset {
        call: CallId,
        wanted: WantedAsset,
    },
    Commit(Arc<Group>),
    /// A hint: this group is to be committed next.
    Prepare(Arc<Group>),
    AskLanded {
        lease: Lease,
        lane: u8,
        group: i64,
    },
    Acquire {
        ticket: Ticket,
        acquire: Acquire,
    },
    Find {
        ticket: Ticket,
        find: Find,
    },
    FindDue {
        now: Timestamp,
        limit: u32,
        /// Those that workers take, and no others.
        is_for_workers: bool,
    },
    Expire {
        now: Timestamp,
    },
    Release {
        lease: Lease,
        jobs: Vec<(JobKey, i32)>,
    },
    Beat(Beat),
    Fence {
        session: i64,
        beat: i64,
    },
    Join,
    /// What the node takes has changed.
    Describe {
        lease: Lease,
        profile: NodeProfile,
    },
    Leave {
        lease: Lease,
    },
    Notify(Vec<Notice>),
    /// The node has left; nothing more will come.
    Stopped,
}

/// A command with what happens after it.
#[derive(Debug)]
pub(crate) struct Work {
    pub command: Command,
    pub origin: WorkOrigin,
    /// With claims, the work is dropped when it loses a race, and not repeated.
    pub claims: Option<Box<Claims>>,
    /// What the log of operations tells of it.
    pub log: Vec<OperationRow>,
}

impl Work {
    pub fn new(command: Command, origin: WorkOrigin) -> Self {
        Self { command, origin, claims: None, log: Vec::new() }
    }

    pub fn with_claims(self, claims: Claims) -> Self {
        Self { claims: Some(Box::new(claims)), ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkOrigin {
    Client {
        id: RequestId,
        awaits_end: bool,
    },
    /// A job of the engine that this node has locked, and began to run at `since`.
    Engine {
        job: JobKey,
        since: Timestamp,
    },
    /// A waiting job that is due.
    Due {
        job: JobKey,
    },
    /// A buffered message for a subscription.
    Correlation {
        message: MessageKey,
    },
    /// A message that is not buffered.
    Told {
        publication: u64,
    },
    /// A step of an errand.
    Broadcast {
        key: BroadcastKey,
    },
    /// A chore of this node.
    Chore {
        job: JobKey,
    },
    Suspension {
        number: u64,
    },
    /// An exclusive job that nobody has locked is overtaken by another one of its queue.
    Overtaking {
        holder: JobKey,
    },
}
