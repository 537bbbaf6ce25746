/// What holds for jobs whose model says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSettings {
    /// Attempts in all.
    pub retries: u32,
    /// `R5/PT5M`, `PT10M,PT17M` and the like. `None`: `retries` without a pause of its own.
    pub retry_cycle: Option<String>,
    /// The configured count is only applied at the first failure, as Camunda did before 7.21.
    pub retries_at_first_failure: bool,
    /// Pause before a failed timer is tried again, where no cycle says so. `None`: as in the system
    /// whose model it is.
    pub failed_wait_ms: Option<u64>,
    /// The same for asynchronous continuations.
    pub async_failed_wait_ms: Option<u64>,
    /// Off: every job has priority 0.
    pub prioritized: bool,
    /// Off: every worker job has priority 0.
    pub worker_jobs_prioritized: bool,
    /// A priority that cannot be evaluated counts as 0 instead of failing the creation.
    pub priority_failure_is_zero: bool,
    /// Jobs that are ready at once get their creation as due date.
    pub due_never_null: bool,
    /// A job without retries left opens an incident.
    pub incidents: bool,
    /// An expression of a time cycle is evaluated anew at each firing.
    pub reevaluate_time_cycle: bool,
    /// A failure is only logged when no retry is left.
    pub reduced_logging: bool,
}

impl Default for JobSettings {
    fn default() -> Self {
        Self {
            retries: 3,
            retry_cycle: None,
            retries_at_first_failure: false,
            failed_wait_ms: None,
            async_failed_wait_ms: None,
            prioritized: true,
            worker_jobs_prioritized: true,
            priority_failure_is_zero: true,
            due_never_null: false,
            incidents: true,
            reevaluate_time_cycle: false,
            reduced_logging: false,
        }
    }
}
