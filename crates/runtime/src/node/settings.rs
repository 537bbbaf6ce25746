//! From the knobs that a configuration knows to the executor's options.

use orloj_executor::{BackoffOptions, BreakerOptions, BreakerRules, LongestRun, Waits};
use orloj_interpreter::JobSettings;
use orloj_model::RetryCycle;
use orloj_settings::{BreakerSettings, LimitSettings, Profile, RejectedJobs, Settings};
use orloj_store::{Error as StoreError, LimitScope, NewLimit, Order, Rate};
use orloj_types::{TenantId, Timestamp};

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
                jobs_ms: signed(acquisition.wait_ms),
                queue_full_ms: signed(executor.queue_full_wait_ms),
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
                .filter(|categories| !categories.is_empty())
                .map(|categories| categories.iter().map(|name| name.as_str().into()).collect()),
            tenant: executor.tenant.as_deref().map(TenantId::new),
            deployment_aware: executor.deployment_aware,
            without_cleanup: !settings.history.cleanup.enabled,
            needs_due_date: settings.jobs.due_never_null,
            over_hierarchies: settings.executor.exclusive_over_hierarchies,
            takes_jobs: executor.take_async,
            fires_timers: executor.take_timers,
            hint: executor.hint,
            // A core of none begins the first job all the same.
            calls_usual: size(executor.workers_core).max(1),
            calls_grown_ms: signed(executor.worker_keep_alive_ms),
            caller_runs: executor.rejected_jobs == RejectedJobs::CallerRuns,
            queue_jobs_max: size(executor.queue_jobs_max),
            timers_max: size(acquisition.timers_max),
            looks,
            breakers: breaker_rules(&settings.breakers),
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
    let cycle = jobs.retry_cycle.as_deref().map(RetryCycle::parse).transpose();
    let cycle = cycle.map_err(|error| Error::Invalid(format!("jobs.retry_cycle: {error}")))?;
    // The count that all three systems have in common is no wish to change another one's.
    let usual = orloj_settings::JobSettings::default().retries;
    let retries = (jobs.retries != usual).then(|| i32::try_from(jobs.retries).unwrap_or(i32::MAX));
    Ok(JobSettings {
        retries,
        retry_cycle: cycle,
        retry_wait_ms: jobs.async_failed_wait_ms.map(signed),
        timer_retry_wait_ms: jobs.failed_wait_ms.map(signed),
        due_dates_always: has_due_dates(settings),
        ignores_priorities: !jobs.prioritized,
        ignores_worker_priorities: !jobs.worker_jobs_prioritized,
        strict_priorities: !jobs.priority_failure_is_zero,
        exclusive_over_hierarchies: settings.executor.exclusive_over_hierarchies,
        tries_at_first_failure: jobs.retries_at_first_failure,
        without_incidents: !jobs.incidents,
        reevaluates_cycles: jobs.reevaluate_time_cycle,
        uncaught_errors_fail: settings.model.unhandled_error_fails,
        loops_without_checks: !settings.model.parallel_multi_instance_async_leave,
        joins_never_hang: true,
        visits_max: Some(settings.model.visits_max),
        ..JobSettings::default()
    })
}

/// Whether a job that is ready at once is due when it is made. Without that nobody can put it into
/// an order by due date, or no one takes it.
fn has_due_dates(settings: &Settings) -> bool {
    settings.jobs.due_never_null || settings.executor.by_due
}

/// The due date of a chore that is ready at once.
pub(crate) fn due_when_made(settings: &Settings, now: Timestamp) -> Option<Timestamp> {
    has_due_dates(settings).then_some(now)
}

/// A limit of the configuration as the store takes it.
pub(crate) fn limit_of(settings: &LimitSettings) -> Result<NewLimit, StoreError> {
    let rate = settings.per_second.map(|per_second| {
        let (jobs, interval_ms) = whole_rate(per_second).ok_or_else(|| {
            let name = &settings.name;
            StoreError::Refused(format!("{per_second} jobs per second for {name:?} cannot be kept"))
        })?;
        let burst = settings.burst.unwrap_or((per_second.ceil() as u32).max(1));
        Ok(Rate { jobs, interval_ms, burst })
    });
    let scope = match settings.scope {
        orloj_settings::LimitScope::Topic => LimitScope::Topic,
        orloj_settings::LimitScope::Tenant => LimitScope::Tenant,
        orloj_settings::LimitScope::Key => LimitScope::Key,
    };
    let (name, max_concurrent) = (settings.name.as_str().into(), settings.max_concurrent);
    Ok(NewLimit { scope, name, max_concurrent, rate: rate.transpose()? })
}

/// So many jobs in so many milliseconds; `None`: the rate is too small, or too large.
fn whole_rate(per_second: f64) -> Option<(u32, u32)> {
    /// Fractions of a job per second are kept as jobs in so many seconds.
    const INTERVAL_MS: u32 = 1_000_000;
    /// Below, the interval tells more of the rate than the jobs in it do.
    const JOBS_MIN: f64 = 1_000.0;
    let whole =
        |number: f64| (number >= 1.0 && number <= f64::from(u32::MAX)).then_some(number as u32);
    if per_second.fract() == 0.0 {
        return Some((whole(per_second)?, 1_000));
    }
    let jobs = (per_second * f64::from(INTERVAL_MS / 1_000)).round();
    match jobs >= JOBS_MIN {
        true => Some((whole(jobs)?, INTERVAL_MS)),
        false => Some((1, whole((1_000.0 / per_second).round())?)),
    }
}

/// Stands for every topic that has no breaker of its own.
const ALL_TOPICS: &str = "*";

fn breaker_rules(settings: &[BreakerSettings]) -> BreakerRules {
    let mut rules = BreakerRules::default();
    for breaker in settings {
        let options = BreakerOptions {
            failures_in_a_row: breaker.failures,
            window_ms: Some(signed(breaker.window_ms)),
            open_ms: signed(breaker.open_ms),
            ..BreakerOptions::default()
        };
        match &*breaker.topic {
            ALL_TOPICS => rules.all = Some(options),
            topic => {
                rules.topics.insert(topic.into(), options);
            }
        }
    }
    rules
}

fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn size(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use orloj_settings::{Reader, Value};

    use super::*;

    fn options(profile: Profile, said: &[(&str, Value)]) -> ExecutorOptions {
        let mut reader = Reader::new(profile);
        for (name, value) in said {
            let path = name.split('.').map(str::to_owned).collect();
            reader.put(path, value.clone(), (*name).to_owned());
        }
        let read = reader.finish().expect("settings that fit");
        ExecutorOptions::default().with_settings(&read.settings)
    }

    #[test]
    fn pool_and_queue_are_those_of_the_settings() {
        let number = Value::Number;
        let said = [
            ("executor.workers_core", number(2)),
            ("executor.workers_max", number(7)),
            ("executor.worker_keep_alive_ms", number(1_234)),
            ("executor.queue_full_wait_ms", number(321)),
            ("executor.reset_expired_page", number(5)),
            ("executor.reset_expired_interval_ms", number(99)),
            ("executor.queue_jobs_max", number(11)),
            ("acquisition.timers_max", number(13)),
            ("acquisition.lock_ms_max", number(17)),
        ];
        let flowable = options(Profile::Flowable, &said);
        assert_eq!(flowable.calls_usual, 2);
        assert_eq!(flowable.calls_grown_ms, 1_234);
        assert_eq!(flowable.hung_jobs_max, 5);
        assert_eq!(flowable.longest_run.look_every_ms, 99);
        assert_eq!(flowable.longest_run.job_ms, Some(17));
        assert_eq!((flowable.queue_jobs_max, flowable.timers_max), (11, 13));
        assert!(matches!(flowable.looks, Looks::Waits(Waits { queue_full_ms: 321, .. })));
        assert_eq!(flowable.cadence().queue_full_ms(), 321);
        // The count of all workers is one of the node as a whole.
        let read = Settings { profile: Profile::Flowable, ..Settings::of(Profile::Flowable) };
        let builder = crate::Orloj::builder().settings(Settings {
            executor: orloj_settings::ExecutorSettings { workers_max: 7, ..read.executor.clone() },
            ..read
        });
        assert_eq!(builder.config.calls_max, 7);
    }

    #[test]
    fn the_camunda_profile_does_not_rest_for_a_full_queue() {
        let camunda = options(Profile::Camunda7, &[("camunda.queueSize", Value::Number(4))]);
        assert_eq!(camunda.cadence().queue_full_ms(), 0);
        assert_eq!(camunda.queue_jobs_max, 12, "four batches of three");
        assert_eq!(camunda.calls_usual, 3);
    }

    /// What the reader lets pass must not be refused when an engine is built: nobody would know
    /// where it was written.
    #[test]
    fn what_was_read_can_be_built() {
        for profile in [Profile::Orloj, Profile::Camunda7, Profile::Flowable, Profile::Chapter] {
            for knob in orloj_settings::KNOBS {
                for number in [-1, 0, 1, 1_000_000_000, 2_000_000_000, 31_622_400_000, i64::MAX] {
                    let mut reader = Reader::new(profile);
                    let path = knob.name.split('.').map(str::to_owned).collect();
                    reader.put(path, Value::Number(number), knob.name.to_owned());
                    let Ok(read) = reader.finish() else { continue };
                    let built = crate::Orloj::builder().settings(read.settings).check();
                    assert!(built.is_ok(), "{} = {number}: {built:?}", knob.name);
                }
            }
        }
    }

    #[test]
    fn rates_are_kept_as_they_are_or_refused() {
        assert_eq!(whole_rate(50.0), Some((50, 1_000)));
        assert_eq!(whole_rate(1.5), Some((1_500, 1_000_000)));
        assert_eq!(whole_rate(0.5), Some((1, 2_000)));
        assert_eq!(whole_rate(0.000_1), Some((1, 10_000_000)));
        assert_eq!(whole_rate(1e-9), None, "once in thirty years");
        assert_eq!(whole_rate(1e10), None);
        assert_eq!(whole_rate(4_294_968.5), None);
    }

    #[test]
    fn a_star_is_the_breaker_of_all_other_topics() {
        let breaker = |topic: &str, failures| BreakerSettings {
            topic: topic.to_owned(),
            failures,
            window_ms: 1_000,
            open_ms: 1_000,
        };
        let rules = breaker_rules(&[breaker("mail", 2), breaker("*", 9)]);
        assert_eq!(rules.all.map(|options| options.failures_in_a_row), Some(9));
        assert_eq!(rules.topics["mail"].failures_in_a_row, 2);
        assert_eq!(rules.topics.len(), 1);
    }
}
