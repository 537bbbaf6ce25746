use super::DEFAULT_ACQUISITION;
use crate::setting::words;

/// What a node takes, in which order, and how much of it at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutorSettings {
    /// `None`: off when embedded, on in the server.
    pub active: Option<bool>,
    /// Only jobs of deployments registered with this engine, and those of none.
    pub deployment_aware: bool,
    /// Higher priorities first.
    pub by_priority: bool,
    pub timers_first: bool,
    /// Earlier due dates first.
    pub by_due: bool,
    /// What a point of priority is worth in waiting time: order by due date minus priority times
    /// this. Takes the place of the three flags.
    pub aging_step_ms: Option<u64>,
    /// Inclusive.
    pub priority_min: i64,
    /// Inclusive.
    pub priority_max: i64,
    /// `None` or none: all. Otherwise only jobs of these categories; those without one are left.
    pub categories: Option<Vec<String>>,
    /// Whether asynchronous continuations are taken.
    pub take_async: bool,
    /// Whether timers are taken.
    pub take_timers: bool,
    /// Only jobs of this tenant (empty: of none).
    pub tenant: Option<String>,
    /// At most one exclusive job runs per tree of called instances, not per instance.
    pub exclusive_over_hierarchies: bool,
    /// Jobs kept in memory between acquisition and execution.
    pub queue_jobs_max: u32,
    /// Jobs that run at the same time before the queue fills.
    pub workers_core: u32,
    /// Jobs that run at the same time once the queue is full.
    pub workers_max: u32,
    /// How long a worker above the core number is kept without work.
    pub worker_keep_alive_ms: u64,
    /// What happens to acquired jobs that fit neither workers nor queue.
    pub rejected_jobs: RejectedJobs,
    /// How long acquisition rests when the queue is full.
    pub queue_full_wait_ms: u64,
    /// Whether new jobs wake the executor at once.
    pub hint: bool,
    /// How long running jobs may finish after a stop was asked for.
    pub shutdown_wait_ms: u64,
    /// Whether locks of hung jobs are looked for.
    pub reset_expired: bool,
    pub reset_expired_interval_ms: u64,
    /// Locks reset at once.
    pub reset_expired_page: u32,
    /// How long a silent node counts as alive.
    pub heartbeat_timeout_ms: u64,
    /// The node's name, which is the owner of its locks. `None`: host name and process id.
    pub lock_owner: Option<String>,
    /// The acquisition that this engine joins.
    pub acquisition: String,
}

impl Default for ExecutorSettings {
    fn default() -> Self {
        Self {
            active: None,
            deployment_aware: false,
            by_priority: false,
            timers_first: false,
            by_due: false,
            aging_step_ms: None,
            priority_min: i64::MIN,
            priority_max: i64::MAX,
            categories: None,
            take_async: true,
            take_timers: true,
            tenant: None,
            exclusive_over_hierarchies: false,
            queue_jobs_max: 8_192,
            workers_core: 256,
            workers_max: 256,
            worker_keep_alive_ms: 5_000,
            rejected_jobs: RejectedJobs::Notify,
            queue_full_wait_ms: 0,
            hint: true,
            shutdown_wait_ms: 25_000,
            reset_expired: true,
            reset_expired_interval_ms: 60_000,
            reset_expired_page: 100,
            heartbeat_timeout_ms: 5_000,
            lock_owner: None,
            acquisition: DEFAULT_ACQUISITION.to_owned(),
        }
    }
}

/// What happens to acquired jobs that fit neither workers nor queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RejectedJobs {
    /// They are given back and acquired again.
    #[default]
    Notify,
    /// Acquisition pauses until it has run them itself.
    CallerRuns,
}

words!(RejectedJobs { Notify = "notify", CallerRuns = "caller-runs" });

/// How jobs are fetched and how long they may run.
#[derive(Clone, Debug, PartialEq)]
pub struct AcquisitionSettings {
    /// Jobs of one acquisition.
    pub jobs_max: u32,
    /// Timers that are made ready at a time.
    pub timers_max: u32,
    /// Rest after an acquisition that found less than it asked for.
    pub wait_ms: u64,
    /// What the rest grows to.
    pub wait_ms_max: u64,
    /// By which factor the rest and the back-off grow.
    pub wait_factor: f64,
    /// Pause after a lock was lost to another node; 0: none.
    pub backoff_ms: u64,
    /// What the pause grows to; 0: no back-off.
    pub backoff_ms_max: u64,
    /// Acquisitions without a lost lock before the pause shrinks.
    pub backoff_threshold: u32,
    /// The longest run of a job before it counts as hung. `None`: as long as its node lives.
    pub lock_ms_max: Option<u64>,
    /// The same for timers.
    pub timer_lock_ms_max: Option<u64>,
}

impl Default for AcquisitionSettings {
    fn default() -> Self {
        Self {
            jobs_max: 512,
            timers_max: 256,
            wait_ms: 5_000,
            wait_ms_max: 60_000,
            wait_factor: 2.0,
            backoff_ms: 0,
            backoff_ms_max: 0,
            backoff_threshold: 100,
            lock_ms_max: None,
            timer_lock_ms_max: None,
        }
    }
}
