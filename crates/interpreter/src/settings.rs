//! What an operator has set about jobs, as far as it decides what a command does.
//!
//! The settings come with every command, so that the interpreter stays a function: equal input,
//! settings included, gives equal outcomes. They are not part of a record; what they did to a job
//! when it was made is.

use std::collections::BTreeMap;

use orloj_model::{JobDefinition, RetryCycle};
use orloj_types::{DefinitionKey, Order};

use crate::flow::VISITS_MAX;

/// Of an engine. [`Default`] changes nothing about what the models say.
#[derive(Clone, Debug, Default)]
pub struct JobSettings {
    /// Tries of a job that has no retry cycle; `None`: the dialect's.
    pub retries: Option<i32>,
    /// For elements that have none of their own.
    pub retry_cycle: Option<RetryCycle>,
    /// Wait before the next try of a job without a retry cycle; `None`: the dialect's.
    pub retry_wait_ms: Option<i64>,
    /// The same for timers, counted from the old due date; `None`: the dialect's.
    pub timer_retry_wait_ms: Option<i64>,
    /// Jobs that are ready at once are due from the moment they are made, and no due date is
    /// taken away.
    pub due_dates_always: bool,
    /// All jobs of the engine's own have priority 0.
    pub ignores_priorities: bool,
    /// All jobs for workers have priority 0.
    pub ignores_worker_priorities: bool,
    /// A priority that cannot be computed is a failure in every dialect.
    pub strict_priorities: bool,
    /// Exclusive jobs of all instances of a hierarchy share the queue of the outermost. Jobs that
    /// were queued before this was set stay in the queue they are in.
    pub exclusive_over_hierarchies: bool,
    /// The order in which ready jobs are taken: of exclusive jobs that wait for their turn the first
    /// in it is next, the oldest among equals. Without one it is the oldest.
    pub exclusive_order: Option<Order>,
    /// The tries of a retry cycle are set at the first failure and not when the job is made.
    pub tries_at_first_failure: bool,
    /// Jobs that fail for good open no incident.
    pub without_incidents: bool,
    /// Computed cycles of timers are computed again whenever they fire.
    pub reevaluates_cycles: bool,
    /// An error that no event catches is a failure where the dialect would end the token.
    pub uncaught_errors_fail: bool,
    /// Parallel loops are left by the command that ends the last instance in every dialect; no job
    /// looks after them.
    pub loops_without_checks: bool,
    /// An inclusive join whose last token went elsewhere goes on, where the dialect would wait for
    /// ever.
    pub joins_never_hang: bool,
    /// Elements entered in one command; `None`: [`VISITS_MAX`].
    pub visits_max: Option<u32>,
    /// Only of definitions about which something is set.
    pub definitions: BTreeMap<DefinitionKey, DefinitionSettings>,
}

/// Of one definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinitionSettings {
    /// No instance of it is started or called.
    pub is_suspended: bool,
    pub jobs: BTreeMap<JobDefinition, JobOverride>,
}

/// Of one job definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobOverride {
    /// New jobs of it are suspended.
    pub is_suspended: bool,
    /// Instead of what the model says.
    pub priority: Option<i64>,
}

impl JobSettings {
    pub(crate) fn visits_max(&self) -> u32 {
        self.visits_max.unwrap_or(VISITS_MAX)
    }

    pub fn is_suspended(&self, definition: DefinitionKey) -> bool {
        self.definitions.get(&definition).is_some_and(|settings| settings.is_suspended)
    }

    /// The name of the job definition is only made where something could be set about it.
    pub(crate) fn of_job(
        &self,
        definition: DefinitionKey,
        job: impl FnOnce() -> Option<JobDefinition>,
    ) -> JobOverride {
        let Some(settings) = self.definitions.get(&definition).filter(|d| !d.jobs.is_empty())
        else {
            return JobOverride::default();
        };
        job().and_then(|job| settings.jobs.get(&job).copied()).unwrap_or_default()
    }
}
