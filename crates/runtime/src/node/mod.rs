//! A node: everything the engine decides, as one state machine. Events and `now` go in, actions
//! come out; no task, no clock, no store is touched here. A driver performs the actions and feeds
//! the answers back: tokio in production, a seeded loop in the simulation.
//!
//! Who owns what:
//! - `slots`: the newest state of the instances at work ([`slot`]),
//! - `lanes`: changes on their way to the store ([`lane`]),
//! - `queue`, `held`: the engine's own jobs this node has locked ([`engine_jobs`]),
//! - `demands`, `polls`: workers that wait for jobs ([`workers`]),
//! - `heartbeat`, `phase`: whether this node may do anything at all ([`life`]).
//!
//! True at every moment: a caller is answered only after the change it caused is on disk; foreign
//! code runs only under a lock whose lease is trusted; a change is built from the newest state of
//! its instance and refused by the store if that was not so.

mod answer;
mod broadcasts;
mod bytes;
mod change;
pub mod chores;
mod claims;
mod command;
mod config;
mod engine_jobs;
mod errand;
mod event;
mod executing;
mod finding;
mod handed;
mod known;
mod lane;
mod life;
mod machine;
mod merge;
mod messages;
mod migration;
mod need;
mod offers;
mod overtaking;
mod registered;
mod report;
mod request;
mod settings;
mod slot;
mod slots;
mod start_events;
mod tenants;
mod timers;
mod untaken;
mod verdict;
mod workers;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use orloj_executor::{
    Breakers, Demand, DueWatch, Heartbeat, HungWatch, JobQueue, TakerId, Watermark,
};
use orloj_interpreter::Delegates;
use orloj_store::{Lease, Selection};
use orloj_types::{DefinitionKey, InstanceKey, JobKey, KeyGenerator, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};

use claims::Sole;
pub use config::{Config, ExecutorOptions, Looks, Sabotage};
pub use event::{
    Action, CallId, Event, Find, Found, JobCommand, Manage, OfferId, Reply, Request, RequestId,
    StartRequest, Ticket,
};
pub(crate) use finding::store_error;
pub use messages::{NEXT_MESSAGES_MAX, Receivers};
pub(crate) use settings::{due_when_made, job_settings, limit_of};

use crate::definition::Definition;
use crate::metrics::Metrics;
use answer::{KnownJobs, Notices, PollState, Question};
use lane::Lane;
pub use report::{BreakerReport, ExecutorReport, GivenUp, RunningJob, SetAside};
use slot::Slot;
pub use untaken::UntakenJobs;

/// Pause before the store is asked again after it did not answer.
const RETRY_MS: i64 = 200;

pub struct Node {
    config: Config,
    metrics: Metrics,
    delegates: Arc<dyn Delegates + Send + Sync>,
    now: Timestamp,
    phase: Phase,
    lease: Lease,
    heartbeat: Heartbeat,
    keys: KeyGenerator,
    actions: Vec<Action>,

    definitions: FxHashMap<DefinitionKey, Arc<Definition>>,
    /// Instances that wait for a definition.
    without_definition: FxHashMap<DefinitionKey, Vec<InstanceKey>>,
    slots: FxHashMap<InstanceKey, Box<Slot>>,
    idle_slots: slots::IdleSlots,
    to_load: Vec<InstanceKey>,
    /// Those that could not be read; asked for again when `retry_at` has come.
    to_load_later: Vec<InstanceKey>,
    /// Reads of instances so far.
    loads: u64,
    lanes: Vec<Lane>,
    /// Changes that are committed and whose effects are still to be worked off.
    on_disk: VecDeque<lane::OnDisk>,

    calls: FxHashMap<CallId, (InstanceKey, Box<slot::Attempt>)>,
    next_call: u64,
    questions: FxHashMap<Ticket, Question>,
    next_ticket: u64,

    queue: JobQueue,
    watermark: Watermark,
    /// Ranks of unlocked jobs that a change on its way inserts: no acquisition can find them yet.
    unlocked: BTreeSet<orloj_executor::Rank>,
    looking: engine_jobs::Looking,
    /// What acquisitions take at the moment.
    selection: Selection,
    /// Deployments, whether or not they decide what this node takes.
    registered: registered::Registered,
    known: known::Known,
    given_up: VecDeque<GivenUp>,
    untaken: untaken::Untaken,
    overtakings: overtaking::Overtakings,
    /// More jobs run than usual until then.
    grown_until: Timestamp,
    /// Whether they leave anything out, breakers aside.
    is_selective: bool,
    engine_acquiring: bool,
    /// The empty job type, which stands for the engine's own jobs.
    engine_type: Arc<str>,
    /// Engine jobs locked by this session, to know the oldest, and the number of the lock; 0 where
    /// it is not known.
    held: BTreeMap<JobKey, i32>,
    /// Engine jobs that were begun and wait for the state of their instance.
    beginning: FxHashSet<JobKey>,
    offers: offers::Offers,
    /// Engine jobs on their way back, with the number of the lock.
    giving_back: FxHashMap<JobKey, i32>,
    /// Those that could not be given back; tried again when `retry_at` has come.
    to_find_later: Vec<JobKey>,
    breakers: Breakers,
    /// When the next breaker lets a job through.
    breaker_at: Option<Timestamp>,
    /// What breakers count queued and running jobs by.
    job_topics: FxHashMap<JobKey, Arc<str>>,
    call_topics: FxHashMap<CallId, Arc<str>>,
    hung: HungWatch,
    /// Those that a change on its way locks for this node. Apart from `held`: when the change is
    /// lost, a job may have been acquired meanwhile, and is held all the same.
    reserved: BTreeSet<JobKey>,

    demands: BTreeMap<Arc<str>, Demand>,
    /// The type each stream and poll asked for.
    taker_types: FxHashMap<TakerId, Arc<str>>,
    polls: FxHashMap<TakerId, PollState>,
    next_taker: u64,
    /// Polls that got jobs in the commit at hand.
    served_polls: Vec<TakerId>,
    known_jobs: KnownJobs,

    due: DueWatch,
    /// The earliest known end of a worker's lock. Later ones are told by the heartbeat.
    lock_end: Option<Timestamp>,
    messages: messages::Messages,
    broadcasts: broadcasts::Broadcasts,
    start_events: start_events::StartEvents,
    chores: chores::Chores,
    /// Held jobs that are known to be listed in the store (see [`orloj_store::Beat`]).
    listed: BTreeSet<JobKey>,
    to_release: Vec<(JobKey, i32)>,
    /// The types of workers' jobs that are on their way back: one of them may have been let
    /// through by a breaker.
    releasing: FxHashMap<JobKey, Arc<str>>,
    /// Due jobs being worked on.
    due_jobs: FxHashMap<JobKey, timers::DueJob>,
    /// Ranks of those of them that this node takes and that have not been made ready yet.
    firing: BTreeSet<orloj_executor::Rank>,
    /// Looks for due jobs so far.
    due_looks: u64,
    /// The look whose jobs, and those of all before it, are ready or done with.
    due_looks_done: u64,
    /// An acquisition waits for some of them.
    held_up: Option<timers::HeldUp>,
    /// Jobs that are left alone until the node's next life.
    set_aside: FxHashMap<JobKey, report::SetAside>,
    /// The last look came back full.
    more_due: bool,
    /// The latest due date that it found.
    last_due: Option<Timestamp>,
    finding_due: bool,
    /// Of what the last look for due jobs found, something was lost to someone else.
    has_lost_due: bool,
    expiring: bool,
    /// No acquisition before this moment, nor reading what could not be read: the store failed.
    retry_at: Timestamp,

    awaiting: FxHashMap<InstanceKey, RequestId>,
    ends_probed_at: Timestamp,
    settling: Vec<RequestId>,
    notices: Notices,
    /// Sessions of all live nodes, this one included, in order.
    sessions: Vec<i64>,
    /// Those of them that make timers ready.
    firing_sessions: Vec<i64>,
    /// The last beat did not come through.
    is_store_away: bool,
    description: executing::Description,
    /// Whether other nodes are known to share the store.
    has_peers: bool,
    /// Whether a beat has come through since the last join: before, nothing is known.
    has_pulse: bool,
    /// The moment the last pulse named has come; the next one is not known yet.
    is_pulse_stale: bool,
    /// When a look for due jobs last found none.
    none_due_at: Option<Timestamp>,
    is_leaving: bool,
    /// When draining, what runs may take until then.
    drain_until: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Running,
    /// The lease was lost; a new one is being asked for.
    Joining,
    Draining,
    Stopped,
}
