//! What the dialects mean about jobs of the engine's own.

/// Failed jobs, suspended ones, and the incidents about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRules {
    /// A job has the tries of its retry cycle from the beginning. Otherwise it begins with the
    /// default and gets them with its first failure.
    pub tries_at_creation: bool,
    /// An incident is shown on every call activity above it.
    pub incidents_climb: bool,
    /// A job that waits for another try and was suspended meanwhile runs as soon as it is resumed.
    pub resumed_tries_at_once: bool,
    /// To suspend an instance that is suspended, or to resume one that is not, is a mistake.
    pub suspended_once: bool,
    /// New retries resolve the incident of a job that had none; otherwise that is a second step.
    pub retries_resolve: bool,
    /// Jobs for workers have the retries that are set for the engine's own, unless the model says.
    pub workers_by_setting: bool,
    /// Variables of a suspended instance cannot be set.
    pub suspended_keeps_variables: bool,
    /// An instance that was called cannot end, nor throw an error, while its caller is suspended.
    pub suspended_waits_for_called: bool,
    /// How often a job is tried whose retry cycle is a wait alone.
    pub tries_of_wait: u32,
}

impl JobRules {
    pub const ZEEBE: Self = Self {
        tries_at_creation: true,
        incidents_climb: false,
        resumed_tries_at_once: false,
        suspended_once: false,
        retries_resolve: false,
        workers_by_setting: false,
        suspended_keeps_variables: false,
        suspended_waits_for_called: false,
        tries_of_wait: 2,
    };
    pub const CAMUNDA: Self = Self {
        tries_at_creation: true,
        incidents_climb: true,
        resumed_tries_at_once: false,
        suspended_once: false,
        retries_resolve: true,
        workers_by_setting: false,
        suspended_keeps_variables: false,
        suspended_waits_for_called: true,
        tries_of_wait: 2,
    };
    pub const FLOWABLE: Self = Self {
        tries_at_creation: false,
        incidents_climb: false,
        resumed_tries_at_once: true,
        suspended_once: true,
        retries_resolve: true,
        workers_by_setting: true,
        suspended_keeps_variables: true,
        suspended_waits_for_called: false,
        tries_of_wait: 1,
    };
}
