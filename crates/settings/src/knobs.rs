//! The knobs by name: once, for reading, writing, messages and the docs.

use crate::setting::Setting;
use crate::settings::{AcquisitionSettings, Settings};
use crate::value::Value;

/// One thing that can be set, by its dotted name in the configuration file.
pub struct Knob<S: 'static = Settings> {
    pub name: &'static str,
    pub doc: &'static str,
    pub expected: fn() -> String,
    pub get: fn(&S) -> Value,
    /// The error says what was expected.
    pub set: fn(&mut S, &Value) -> Result<(), String>,
}

impl Knob {
    pub fn find(name: &str) -> Option<&'static Self> {
        KNOBS.iter().find(|knob| knob.name == name)
    }

    /// The name of the environment variable, without the prefix.
    pub fn variable(&self) -> String {
        self.name.replace('.', "_").to_uppercase()
    }
}

macro_rules! knob {
    ($settings:ty, $name:expr, $($field:ident).+, $range:expr, $doc:literal) => {
        Knob {
            name: $name,
            doc: $doc,
            expected: || expected_of(|settings: &$settings| &settings.$($field).+, $range),
            get: |settings| settings.$($field).+.to_value(),
            set: |settings, value| put(&mut settings.$($field).+, unset($name, value), $range),
        }
    };
}

/// `name = field: doc` or `name = field (range): doc`.
macro_rules! knobs {
    ($settings:ty; $($name:literal = $($field:ident).+ $(($range:expr))? : $doc:literal;)*) => {
        &[$(knob!($settings, $name, $($field).+, None::<std::ops::RangeInclusive<i64>>
            $(.or(Some($range)))?, $doc)),*]
    };
}

/// Longer than a year is no wait but a mistake in the unit.
const WAIT_MS_MAX: i64 = 366 * 24 * 3_600_000;
/// The longest that stores sort by without running out of numbers.
const AGING_STEP_MS_MAX: i64 = 1_000_000_000;
/// More workers than any machine runs.
const WORKERS_MAX: i64 = 100_000;
/// More items than one transaction should change.
pub(crate) const INVOCATIONS_PER_JOB_MAX: i64 = 100_000;
const QUEUE_MAX: i64 = 10_000_000;
/// What one acquisition locks in one statement.
const PAGE_MAX: i64 = 10_000;

pub const KNOBS: &[Knob] = knobs! { Settings;
    "executor.active" = executor.active:
        "whether this node runs the engine's own jobs; left out: off when embedded, on in the server";
    "executor.deployment_aware" = executor.deployment_aware:
        "take only jobs of deployments registered here, and those of none";
    "executor.by_priority" = executor.by_priority: "higher priorities first";
    "executor.timers_first" = executor.timers_first: "timers before other jobs";
    "executor.by_due" = executor.by_due: "earlier due dates first";
    "executor.aging_step_ms" = executor.aging_step_ms (1..=AGING_STEP_MS_MAX):
        "order by due date minus priority times this, instead of the three flags";
    "executor.priority_min" = executor.priority_min: "lowest priority that is taken";
    "executor.priority_max" = executor.priority_max: "highest priority that is taken";
    "executor.categories" = executor.categories: "take only jobs of these categories";
    "executor.take_async" = executor.take_async: "take asynchronous continuations";
    "executor.take_timers" = executor.take_timers: "take timers";
    "executor.tenant" = executor.tenant: "take only jobs of this tenant";
    "executor.exclusive_over_hierarchies" = executor.exclusive_over_hierarchies:
        "exclusive jobs exclude each other over called instances too";
    "executor.queue_jobs_max" = executor.queue_jobs_max (1..=QUEUE_MAX):
        "jobs in memory between acquisition and execution";
    "executor.workers_core" = executor.workers_core (0..=WORKERS_MAX):
        "jobs that run at the same time before the queue fills";
    "executor.workers_max" = executor.workers_max (1..=WORKERS_MAX):
        "jobs that run at the same time once the queue is full";
    "executor.worker_keep_alive_ms" = executor.worker_keep_alive_ms (0..=WAIT_MS_MAX):
        "how long a worker above the core number is kept without work";
    "executor.rejected_jobs" = executor.rejected_jobs:
        "what happens to acquired jobs that fit neither workers nor queue";
    "executor.queue_full_wait_ms" = executor.queue_full_wait_ms (0..=WAIT_MS_MAX):
        "rest of acquisition when the queue is full; profiles of Flowable only";
    "executor.hint" = executor.hint: "new jobs wake the executor at once";
    "executor.shutdown_wait_ms" = executor.shutdown_wait_ms (0..=WAIT_MS_MAX):
        "how long running jobs may finish after a stop was asked for";
    "executor.reset_expired" = executor.reset_expired: "look for jobs that hang";
    "executor.reset_expired_interval_ms" = executor.reset_expired_interval_ms (1..=WAIT_MS_MAX):
        "how often";
    "executor.reset_expired_page" = executor.reset_expired_page (1..=PAGE_MAX): "how many at once";
    "executor.heartbeat_timeout_ms" = executor.heartbeat_timeout_ms (100..=600_000):
        "how long a silent node counts as alive";
    "executor.lock_owner" = executor.lock_owner:
        "the node's name, which owns its locks; left out: host name and process id";
    "executor.acquisition" = executor.acquisition: "the acquisition that this engine joins";

    "acquisition.jobs_max" = acquisition.jobs_max (1..=PAGE_MAX): "jobs of one acquisition";
    "acquisition.timers_max" = acquisition.timers_max (1..=PAGE_MAX):
        "timers that are made ready at a time";
    "acquisition.wait_ms" = acquisition.wait_ms (1..=WAIT_MS_MAX):
        "rest after an acquisition that found less than it asked for";
    "acquisition.wait_ms_max" = acquisition.wait_ms_max (0..=WAIT_MS_MAX):
        "what the rest grows to; not in profiles of Flowable, whose rests do not grow";
    "acquisition.wait_factor" = acquisition.wait_factor:
        "by which factor rest and back-off grow; not in profiles of Flowable";
    "acquisition.backoff_ms" = acquisition.backoff_ms (0..=WAIT_MS_MAX):
        "pause after another node was faster with a due job; 0: none; not in profiles of Flowable";
    "acquisition.backoff_ms_max" = acquisition.backoff_ms_max (0..=WAIT_MS_MAX):
        "what the pause grows to; 0: no back-off; not in profiles of Flowable";
    "acquisition.backoff_threshold" = acquisition.backoff_threshold:
        "looks for jobs without such a loss before the pause shrinks; not in profiles of Flowable";
    "acquisition.lock_ms_max" = acquisition.lock_ms_max (1..=WAIT_MS_MAX):
        "longest run of a job before it counts as hung; left out: as long as its node lives";
    "acquisition.timer_lock_ms_max" = acquisition.timer_lock_ms_max (1..=WAIT_MS_MAX):
        "the same for timers";

    "jobs.retries" = jobs.retries (1..=1_000_000): "attempts in all where the model says nothing";
    "jobs.retry_cycle" = jobs.retry_cycle:
        "the cycle of retries where the model says nothing, or an expression that gives one";
    "jobs.retries_at_first_failure" = jobs.retries_at_first_failure:
        "the configured count of attempts is only applied at the first failure";
    "jobs.failed_wait_ms" = jobs.failed_wait_ms (0..=WAIT_MS_MAX):
        "pause before a failed timer is tried again; left out: as in the model's system";
    "jobs.async_failed_wait_ms" = jobs.async_failed_wait_ms (0..=WAIT_MS_MAX):
        "the same for asynchronous continuations";
    "jobs.prioritized" = jobs.prioritized: "off: every job has priority 0";
    "jobs.worker_jobs_prioritized" = jobs.worker_jobs_prioritized:
        "off: every worker job has priority 0";
    "jobs.priority_failure_is_zero" = jobs.priority_failure_is_zero:
        "a priority that cannot be evaluated counts as 0";
    "jobs.due_never_null" = jobs.due_never_null:
        "jobs ready at once are due at their creation, and none without a due date are taken";
    "jobs.incidents" = jobs.incidents: "a job without retries left opens an incident";
    "jobs.reevaluate_time_cycle" = jobs.reevaluate_time_cycle:
        "an expression of a time cycle is evaluated anew at each firing";
    "jobs.reduced_logging" = jobs.reduced_logging:
        "a failure is only logged when no retry is left";

    "history.level" = history.level: "what is kept of ended and running instances";
    "history.ttl" = history.ttl: "how long ended instances are kept; left out: for ever";
    "history.ttl_required" = history.ttl_required:
        "refuse definitions without a time to live, their own or `history.ttl`";
    "history.batch_ttl" = history.batch_ttl: "how long ended batches are kept";
    "history.removal_time" = history.removal_time: "from when the time to live counts";
    "history.level_per_definition" = history.level_per_definition:
        "a definition may have a level of its own";
    "history.cleanup.enabled" = history.cleanup.enabled: "whether clean-up runs at all";
    "history.cleanup.start" = history.cleanup.window.start: "start of the daily window";
    "history.cleanup.end" = history.cleanup.window.end: "end of the daily window";
    "history.cleanup.monday_start" = history.cleanup.monday.start: "start on Mondays";
    "history.cleanup.monday_end" = history.cleanup.monday.end: "end on Mondays";
    "history.cleanup.tuesday_start" = history.cleanup.tuesday.start: "start on Tuesdays";
    "history.cleanup.tuesday_end" = history.cleanup.tuesday.end: "end on Tuesdays";
    "history.cleanup.wednesday_start" = history.cleanup.wednesday.start: "start on Wednesdays";
    "history.cleanup.wednesday_end" = history.cleanup.wednesday.end: "end on Wednesdays";
    "history.cleanup.thursday_start" = history.cleanup.thursday.start: "start on Thursdays";
    "history.cleanup.thursday_end" = history.cleanup.thursday.end: "end on Thursdays";
    "history.cleanup.friday_start" = history.cleanup.friday.start: "start on Fridays";
    "history.cleanup.friday_end" = history.cleanup.friday.end: "end on Fridays";
    "history.cleanup.saturday_start" = history.cleanup.saturday.start: "start on Saturdays";
    "history.cleanup.saturday_end" = history.cleanup.saturday.end: "end on Saturdays";
    "history.cleanup.sunday_start" = history.cleanup.sunday.start: "start on Sundays";
    "history.cleanup.sunday_end" = history.cleanup.sunday.end: "end on Sundays";
    "history.cleanup.cycle" = history.cleanup.cycle: "a Quartz cron expression instead of windows";
    "history.cleanup.parallelism" = history.cleanup.parallelism (1..=8): "clean-up jobs";
    "history.cleanup.batch_size" = history.cleanup.batch_size (1..=500):
        "instances removed by one transaction";
    "history.cleanup.threshold" = history.cleanup.threshold:
        "fewer removable instances are left for later; by end time only";
    "history.cleanup.strategy" = history.cleanup.strategy: "how removable instances are found";
    "history.cleanup.priority" = history.cleanup.priority: "priority of clean-up jobs";
    "history.cleanup.retries" = history.cleanup.retries (1..=1_000_000):
        "attempts of clean-up jobs; left out: as all jobs";
    "history.cleanup.job_log_ttl" = history.cleanup.job_log_ttl:
        "how long the log of jobs without an instance is kept; left out: as instances";
    "history.cleanup.metrics" = history.cleanup.metrics: "whether removed rows are counted";

    "batches.jobs_per_seed" = batches.jobs_per_seed (1..=5_000):
        "jobs made by one run of a batch's seed";
    "batches.invocations_per_job" = batches.invocations_per_job (1..=INVOCATIONS_PER_JOB_MAX):
        "items handled by one job";
    "batches.invocations_per_job_by_kind" = batches.invocations_per_job_by_kind:
        "the same by kind of batch";
    "batches.poll_ms" = batches.poll_ms (1..=WAIT_MS_MAX):
        "how often the progress of a batch is looked at";
    "batches.poll_cycle" = batches.poll_cycle: "the same as a Quartz cron expression";
    "batches.priority" = batches.priority: "priority of seed, monitor and parts";
    "batches.ttl_by_kind" = batches.ttl_by_kind: "how long ended batches are kept, by kind";

    "metrics.enabled" = metrics.enabled: "whether counters are kept";
    "metrics.stored" = metrics.stored: "whether they are written to the store";
    "metrics.interval_ms" = metrics.interval_ms (1_000..=WAIT_MS_MAX): "how often";
    "metrics.reporter" = metrics.reporter: "whose counters they are; left out: the node's name";
    "metrics.ttl" = metrics.ttl: "how long counters are kept in the store; left out: for ever";

    "operations.authenticated_only" = operations.authenticated_only:
        "log only what a person known by name did";
    "operations.entries_max" = operations.entries_max (-1..=i64::MAX):
        "entries of one operation on many things; 1: a summary, -1: one for each";
    "operations.ttl" = operations.ttl: "how long the log is kept; left out: for ever";
    "ids.generator" = ids.generator:
        "how new things are named; uuid: a warning, see docs/adr/0016-uuids.md";
    "model.unhandled_error_fails" = model.unhandled_error_fails:
        "a BPMN error that nobody catches fails the job instead of ending the path";
    "model.parallel_multi_instance_async_leave" = model.parallel_multi_instance_async_leave:
        "parallel multi-instances of Flowable models are left by an exclusive job";
    "model.definition_cache_max" = model.definition_cache_max (1..=10_000_000):
        "definitions kept parsed in memory";
    "model.visits_max" = model.visits_max (100..=1_000_000):
        "elements that one command may enter; loops without a wait end there";
    "rows.query_max" = rows.query_max (1..=i64::MAX):
        "rows that one query may ask for; one that asks for more is refused";
    "rows.in_bulk" = rows.in_bulk:
        "off: every change is a commit and every row a statement of its own, for diagnosis";
};

/// Those of a named acquisition, by the last part of the name.
pub const ACQUISITION_KNOBS: &[Knob<AcquisitionSettings>] = knobs! { AcquisitionSettings;
    "jobs_max" = jobs_max (1..=PAGE_MAX): "";
    "timers_max" = timers_max (1..=PAGE_MAX): "";
    "wait_ms" = wait_ms (1..=WAIT_MS_MAX): "";
    "wait_ms_max" = wait_ms_max (0..=WAIT_MS_MAX): "";
    "wait_factor" = wait_factor: "";
    "backoff_ms" = backoff_ms (0..=WAIT_MS_MAX): "";
    "backoff_ms_max" = backoff_ms_max (0..=WAIT_MS_MAX): "";
    "backoff_threshold" = backoff_threshold: "";
    "lock_ms_max" = lock_ms_max (1..=WAIT_MS_MAX): "";
    "timer_lock_ms_max" = timer_lock_ms_max (1..=WAIT_MS_MAX): "";
};

/// TOML has no word for nothing: an empty text stands for it. That of the tenant is a tenant.
fn unset<'v>(name: &str, value: &'v Value) -> &'v Value {
    match value {
        Value::Text(text) if text.trim().is_empty() && name != "executor.tenant" => &Value::Nothing,
        value => value,
    }
}

fn put<T: Setting>(
    field: &mut T,
    value: &Value,
    range: Option<std::ops::RangeInclusive<i64>>,
) -> Result<(), String> {
    let Some(new) = T::from_value(value) else {
        // The range of the knob, not that of the type.
        let expected = range.map_or_else(T::expected, |range| range_of(&range));
        return Err(format!("found {}, expected {expected}", value.describe()));
    };
    if let (Some(range), Value::Number(number)) = (range, new.to_value())
        && !range.contains(&number)
    {
        return Err(format!("found {number}, expected {}", range_of(&range)));
    }
    *field = new;
    Ok(())
}

pub(crate) fn range_of(range: &std::ops::RangeInclusive<i64>) -> String {
    match *range.end() {
        i64::MAX => format!("{} or more", range.start()),
        end => format!("{} to {end}", range.start()),
    }
}

fn expected_of<S, T: Setting>(
    _field: fn(&S) -> &T,
    range: Option<std::ops::RangeInclusive<i64>>,
) -> String {
    range.map_or_else(T::expected, |range| range_of(&range))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_sorted_into_tables() {
        let mut names: Vec<_> = KNOBS.iter().map(|knob| knob.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        let mut variables: Vec<_> = KNOBS.iter().map(Knob::variable).collect();
        variables.sort_unstable();
        assert!(variables.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn every_knob_takes_back_what_it_shows() {
        for knob in KNOBS {
            let mut settings = Settings::default();
            let shown = (knob.get)(&settings);
            if shown != Value::Nothing {
                assert_eq!((knob.set)(&mut settings, &shown), Ok(()), "{}", knob.name);
                assert_eq!(settings, Settings::default(), "{}", knob.name);
            }
            assert!(
                (knob.set)(&mut settings, &Value::Table(Default::default())).is_err()
                    || knob.name.ends_with("_by_kind"),
                "{}",
                knob.name
            );
        }
    }

    #[test]
    fn a_named_acquisition_has_every_knob_of_the_default_one() {
        let of_default: Vec<_> =
            KNOBS.iter().filter_map(|knob| knob.name.strip_prefix("acquisition.")).collect();
        let named: Vec<_> = ACQUISITION_KNOBS.iter().map(|knob| knob.name).collect();
        assert_eq!(of_default, named);
    }
}
