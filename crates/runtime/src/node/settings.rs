//! From the knobs that a configuration knows to the executor's options.

use orloj_executor::{BackoffOptions, BreakerOptions, BreakerRules, LongestRun, Waits};
use orloj_interpreter::JobSettings;
use orloj_model::{RetryCycle, RetryPlan};
use orloj_settings::{BreakerSettings, LimitSettings, Profile, RejectedJobs, Settings};
use orloj_store::{LimitScope, NewLimit, Order, Rate};
use orloj_types::TenantId;

use super::config::{ExecutorOptions, Looks};
use crate::api::Error;

impl ExecutorOptions {
    /// Whether the executor is active stays as it is where the settings do not say.
    pub fn with_settings(self, settings: &Settings) -> Self {
        let (executor, acquisition) = (&settings.executor, settings.joined());
        let order = match executor.aging_step_ms {
            Some(step_ms) => Order::Aging { step_ms: signed(step_ms) },
            None => Order::Flags {
                priority: executor.by_priority,
                timers_first: executor.timers_first,
                due: executor.by_due,
            },
        };
        let looks = match settings.profile {
            Profile::Flowable | Profile::Chapter => Looks::Waits(Waits {
                jobs_max: size(acquisition.jobs_max),
                timers_max: size(acquisition.timers_max),
                jobs_ms: signed(acquisition.wait_ms),
                timers_ms: signed(acquisition.timer_wait_ms),
                queue_full_ms: signed(executor.queue_full_wait_ms),
                turn_ms: executor.global_lock.then(|| signed(executor.global_lock_poll_ms)),
            }),
            Profile::Orloj | Profile::Camunda7 => Looks::Backoff(BackoffOptions {
                jobs_max: size(acquisition.jobs_max),
                wait_ms: signed(acquisition.wait_ms),
                factor: acquisition.wait_factor,
                wait_ms_max: signed(acquisition.wait_ms_max),
                backoff_ms: signed(acquisition.backoff_ms),
                backoff_ms_max: signed(acquisition.backoff_ms_max),
                decrease_threshold: acquisition.backoff_threshold,
            }),
        };
        Self {
            is_active: executor.active.unwrap_or(self.is_active),
            order,
            priorities: executor.priority_min..=executor.priority_max,
            categories: executor
                .categories
                .as_ref()
                .map(|categories| categories.iter().map(|name| name.as_str().into()).collect()),
            tenant: executor.tenant.as_deref().map(TenantId::new),
            deployment_aware: executor.deployment_aware,
            without_cleanup: !settings.history.cleanup.enabled,
            takes_jobs: executor.take_async,
            fires_timers: executor.take_timers,
            hint: executor.hint,
            // A core of none begins the first job all the same.
            calls_usual: size(executor.workers_core).max(1),
            calls_grown_ms: signed(executor.worker_keep_alive_ms),
            caller_runs: executor.rejected_jobs == RejectedJobs::CallerRuns,
            queue_jobs_max: size(executor.queue_jobs_max),
            looks,
            breakers: BreakerRules {
                all: None,
                topics: settings.breakers.iter().map(breaker).collect(),
            },
            longest_run: LongestRun {
                job_ms: acquisition.lock_ms_max.filter(|_| executor.reset_expired).map(signed),
                timer_ms: acquisition
                    .timer_lock_ms_max
                    .filter(|_| executor.reset_expired)
                    .map(signed),
                look_every_ms: signed(executor.reset_expired_interval_ms),
            },
            hung_jobs_max: size(executor.reset_expired_page),
            shutdown_wait_ms: signed(executor.shutdown_wait_ms),
        }
    }
}

/// What the settings say about jobs, for the interpreter.
pub(crate) fn job_settings(settings: &Settings) -> Result<JobSettings, Error> {
    let jobs = &settings.jobs;
    let cycle = jobs.retry_cycle.as_deref().map(RetryPlan::parse).transpose();
    let cycle = cycle.map_err(|error| Error::Invalid(format!("jobs.retry_cycle: {error}")))?;
    // The count that all three systems have in common is no wish to change another one's.
    let usual = orloj_settings::JobSettings::default().retries;
    let retries = (jobs.retries != usual).then(|| i32::try_from(jobs.retries).unwrap_or(i32::MAX));
    Ok(JobSettings {
        retries,
        retry_cycle: cycle.map(RetryCycle::Fixed),
        retry_wait_ms: jobs.async_failed_wait_ms.map(signed),
        timer_retry_wait_ms: jobs.failed_wait_ms.map(signed),
        due_dates_always: jobs.due_never_null,
        ignores_priorities: !jobs.prioritized,
        ignores_worker_priorities: !jobs.worker_jobs_prioritized,
        strict_priorities: !jobs.priority_failure_is_zero,
        exclusive_over_hierarchies: settings.executor.exclusive_over_hierarchies,
        tries_at_first_failure: jobs.retries_at_first_failure,
        without_incidents: !jobs.incidents,
        reevaluates_cycles: jobs.reevaluate_time_cycle,
        ..JobSettings::default()
    })
}

/// A limit of the configuration as the store takes it.
pub(crate) fn limit_of(settings: &LimitSettings) -> NewLimit {
    /// Fractions of a job per second are kept as jobs in so many seconds.
    const INTERVAL_MS: u32 = 1_000_000;
    let rate = settings.per_second.map(|per_second| {
        let whole = per_second.fract() == 0.0 && per_second <= f64::from(u32::MAX);
        let (jobs, interval_ms) = match whole {
            true => (per_second as u32, 1_000),
            false => ((per_second * f64::from(INTERVAL_MS / 1_000)) as u32, INTERVAL_MS),
        };
        let burst = settings.burst.unwrap_or((per_second.ceil() as u32).max(1));
        Rate { jobs: jobs.max(1), interval_ms, burst }
    });
    let scope = match settings.scope {
        orloj_settings::LimitScope::Topic => LimitScope::Topic,
        orloj_settings::LimitScope::Tenant => LimitScope::Tenant,
        orloj_settings::LimitScope::Key => LimitScope::Key,
    };
    let (name, max_concurrent) = (settings.name.as_str().into(), settings.max_concurrent);
    NewLimit { scope, name, max_concurrent, rate }
}

fn breaker(settings: &BreakerSettings) -> (std::sync::Arc<str>, BreakerOptions) {
    let options = BreakerOptions {
        failures_in_a_row: settings.failures,
        window_ms: Some(signed(settings.window_ms)),
        open_ms: signed(settings.open_ms),
        ..BreakerOptions::default()
    };
    (settings.topic.as_str().into(), options)
}

fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn size(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
