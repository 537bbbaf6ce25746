use std::ops::RangeInclusive;
use std::sync::Arc;

use jiff::tz::TimeZone;
use orloj_executor::{Backoff, BackoffOptions, BreakerRules, Cadence, LongestRun, Waits};
use orloj_interpreter::JobSettings;
use orloj_settings::Settings;
use orloj_store::{NodeProfile, Order, Selection};
use orloj_types::{DeploymentKey, EngineName, TenantId};

use super::lane::Lane;
use crate::api::Error;

#[derive(Clone, Debug)]
pub struct Config {
    /// The node's name, as history tells who ran a job.
    pub node_name: Arc<str>,
    pub engine: EngineName,
    /// Committer lanes.
    pub lanes: u8,
    /// Most changes of one group. What a call of the server costs by itself is shared by them; their
    /// bytes are bounded as well.
    pub group_changes_max: usize,
    pub executor: ExecutorOptions,
    /// Calls of foreign code at the same time.
    pub calls_max: usize,
    /// Whether the application decides when each job of the engine's own begins.
    pub offers_jobs: bool,
    /// Requests under way before new ones are refused.
    pub requests_max: usize,
    pub heartbeat_timeout_ms: i64,
    /// Committed changes whose effects happen before the node looks up again: a lane that has
    /// become free must not wait for long. Not less than what a driver takes in at once.
    pub work_off_max: usize,
    /// Whether other nodes may change the store: then nothing cached is proof.
    pub is_shared: bool,
    /// Instances kept in memory though nothing is to be done with them.
    pub idle_instances_max: usize,
    /// Every knob, as it was given to the builder.
    pub settings: Arc<Settings>,
    /// Where the node is: of times of day that are written without an offset.
    pub zone: TimeZone,
    /// What they say about jobs.
    pub jobs: Arc<JobSettings>,
    /// A deliberate defect, to prove that the simulation finds it. Only tests set it.
    pub sabotage: Option<Sabotage>,
}

impl Config {
    /// Those of a node that has just joined.
    pub(super) fn new_lanes(&self) -> Vec<Lane> {
        let lane = |number| match self.settings.rows.in_bulk {
            true => Lane::new(number, self.group_changes_max),
            false => Lane::one_by_one(number),
        };
        (0..self.lanes).map(lane).collect()
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            node_name: "".into(),
            engine: EngineName::default(),
            lanes: 1,
            group_changes_max: 1_024,
            executor: ExecutorOptions::default(),
            calls_max: 256,
            offers_jobs: false,
            requests_max: 20_000,
            heartbeat_timeout_ms: 5_000,
            work_off_max: 128,
            is_shared: false,
            idle_instances_max: 10_000,
            settings: Arc::default(),
            zone: TimeZone::UTC,
            jobs: Arc::default(),
            sabotage: None,
        }
    }
}

/// How a node runs the engine's own jobs. Plain values: checked when an engine is built.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutorOptions {
    /// Whether it does so from the start.
    pub is_active: bool,
    /// In which order.
    pub order: Order,
    /// Jobs of other priorities are left to other nodes. Both ends are taken.
    pub priorities: RangeInclusive<i64>,
    /// `Some`: only jobs of these categories.
    pub categories: Option<Vec<Arc<str>>>,
    /// `Some`: only jobs of this tenant.
    pub tenant: Option<TenantId>,
    /// Only jobs of deployments that are registered with this node, and those of none.
    pub deployment_aware: bool,
    /// Whether the clean-up of history is left to other nodes.
    pub without_cleanup: bool,
    /// Whether jobs without a due date are left alone until they are given one.
    pub needs_due_date: bool,
    /// Exclusive jobs of a whole hierarchy exclude each other.
    pub over_hierarchies: bool,
    /// Whether ready jobs are taken. A node that does not may still fire timers.
    pub takes_jobs: bool,
    /// Whether timers that are due are made ready.
    pub fires_timers: bool,
    /// Whether a job that becomes ready is taken at once. Otherwise the next look finds it.
    pub hint: bool,
    /// Calls of foreign code at the same time while the queue has room; beyond it, up to
    /// [`Config::calls_max`].
    pub calls_usual: usize,
    /// How long more calls are allowed after the queue was full.
    pub calls_grown_ms: i64,
    /// A job that becomes ready here when the queue is full is queued beyond its bound, and
    /// nothing is acquired until there is room. Otherwise it is left to any node.
    pub caller_runs: bool,
    /// Jobs kept locked for their turn; beyond it they stay in the store.
    pub queue_jobs_max: usize,
    /// Timers and other waiting jobs that are made ready at a time.
    pub timers_max: usize,
    /// How often jobs are looked for that nobody told of, and how many at a time.
    pub looks: Looks,
    /// When code that fails is left alone for a while.
    pub breakers: BreakerRules,
    /// How long one job may run.
    pub longest_run: LongestRun,
    /// Hung jobs given up in one look.
    pub hung_jobs_max: usize,
    /// How long what runs may go on when the node is to stop.
    pub shutdown_wait_ms: i64,
}

/// The rule for looking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Looks {
    /// As Camunda's acquisition.
    Backoff(BackoffOptions),
    /// As Flowable's.
    Waits(Waits),
}

impl Default for ExecutorOptions {
    fn default() -> Self {
        Self {
            is_active: true,
            order: Order::NONE,
            priorities: i64::MIN..=i64::MAX,
            categories: None,
            tenant: None,
            deployment_aware: false,
            without_cleanup: false,
            needs_due_date: false,
            over_hierarchies: false,
            takes_jobs: true,
            fires_timers: true,
            hint: true,
            calls_usual: usize::MAX,
            calls_grown_ms: 5_000,
            caller_runs: false,
            queue_jobs_max: 8_192,
            timers_max: 256,
            // A page costs one statement; the other figures are Camunda's.
            looks: Looks::Backoff(BackoffOptions { jobs_max: 512, ..BackoffOptions::default() }),
            breakers: BreakerRules::default(),
            longest_run: LongestRun::default(),
            hung_jobs_max: 100,
            shutdown_wait_ms: 25_000,
        }
    }
}

impl ExecutorOptions {
    /// What is wrong with them, in words.
    pub fn check(&self) -> Result<(), Error> {
        let refuse = |problem: &str| Err(Error::Invalid(format!("executor: {problem}")));
        if !self.order.is_valid() {
            return refuse("the step of aging is negative or too long");
        }
        if self.priorities.is_empty() {
            let (low, high) = (self.priorities.start(), self.priorities.end());
            return refuse(&format!("no priority lies between {low} and {high}"));
        }
        if self.timers_max == 0 {
            return refuse("no timer could be made ready: timers_max is 0");
        }
        match &self.looks {
            Looks::Backoff(options) => options.problem().map_or(Ok(()), refuse),
            Looks::Waits(waits) if waits.jobs_max == 0 || waits.jobs_ms <= 0 => {
                refuse("the jobs of one acquisition and the wait time must be above 0")
            }
            Looks::Waits(_) => Ok(()),
        }
    }

    pub(super) fn cadence(&self) -> Cadence {
        match self.looks {
            Looks::Backoff(options) => Cadence::Backoff(Backoff::new(options)),
            Looks::Waits(waits) => Cadence::Waits(waits),
        }
    }

    /// For other nodes and for people to see.
    pub fn profile(&self, registered: &[DeploymentKey]) -> NodeProfile {
        NodeProfile {
            is_active: self.is_active && self.takes_jobs,
            fires_timers: self.is_active && self.fires_timers,
            order: self.order,
            priorities: self.priorities.clone(),
            deployments: self.deployment_aware.then(|| registered.to_vec()),
            categories: self.categories.clone(),
            tenant: self.tenant.clone(),
            without_cleanup: self.without_cleanup,
            needs_due_date: self.needs_due_date,
        }
    }

    pub(super) fn selection(&self) -> Selection {
        Selection {
            order: self.order,
            priorities: self.priorities.clone(),
            categories: self.categories.as_ref().map(|categories| categories.clone().into()),
            definitions: self.deployment_aware.then(|| Arc::new([]) as _),
            tenant: self.tenant.clone(),
            without_cleanup: self.without_cleanup,
            needs_due_date: self.needs_due_date,
            over_hierarchies: self.over_hierarchies,
            ..Selection::default()
        }
    }
}

/// Defects planted by tests of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Callers are answered before the disk has it (breaks I9).
    AnswerEarly,
    /// A lost answer counts as committed (breaks I9 and I1).
    AssumeLanded,
    /// A lost answer counts as not committed and is sent again without asking (breaks I2: whoever
    /// caused what has landed is told that it was refused).
    AssumeLost,
    /// Timers are taken for due before their time (breaks I8).
    FireEarly,
    /// Peers are fenced though they beat (breaks I3).
    FenceTheLiving,
    /// Exclusive jobs are locked as they come (breaks I5).
    IgnoreExclusive,
    /// Jobs are handed over though they, or exclusive ones beside them, are still held by whoever
    /// ran them when they were stopped (breaks I5).
    IgnoreHeld,
    /// Jobs that match a limit are handed over all the same (breaks I6).
    IgnoreLimits,
    /// A node says that it goes by a version while earlier decisions are under way (breaks I6,
    /// suspension and tenants).
    SeeTooEarly,
    /// Jobs are handed over past those that go before them (breaks I7).
    Overtake,
    /// Whoever goes on with a signal believes that all who waited have heard it.
    ForgetSignals,
    /// Instances get the tenant that their definition was deployed with (breaks tenants).
    KeepTenants,
}
