//! Settings that fit by themselves but not together.

use orloj_expr::{Expression, Language};
use orloj_timer::{Dialect, Kind, RetryPlan, Schedule};

use crate::knobs::{INVOCATIONS_PER_JOB_MAX, range_of};
use crate::settings::{
    AcquisitionSettings, CleanupStrategy, DEFAULT_ACQUISITION, RemovalTime, Settings,
};
use crate::value::shortened;

/// Values that exclude each other, or cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// To be blamed in this order; one that somebody wrote before a default.
    pub knobs: Vec<String>,
    pub message: String,
}

fn conflict(knobs: &[&str], message: String) -> Conflict {
    Conflict { knobs: knobs.iter().map(|knob| (*knob).to_owned()).collect(), message }
}

pub fn check(settings: &Settings) -> Vec<Conflict> {
    let mut found = Vec::new();
    executor(settings, &mut found);
    acquisition("acquisition", &settings.acquisition, &mut found);
    for (name, named) in &settings.acquisitions {
        acquisition(&format!("acquisitions.{name}"), named, &mut found);
    }
    texts(settings, &mut found);
    batches(settings, &mut found);
    let history = &settings.history;
    if history.cleanup.enabled
        && history.cleanup.strategy == CleanupStrategy::RemovalTime
        && history.removal_time == RemovalTime::None
    {
        found.push(conflict(
            &["history.removal_time", "history.cleanup.strategy"],
            "history.removal_time 'none' leaves nothing to clean up by, unless \
             history.cleanup.strategy is 'end-time'"
                .to_owned(),
        ));
    }
    for (at, limit) in settings.limits.iter().enumerate() {
        let same =
            |other: &&crate::LimitSettings| other.scope == limit.scope && other.name == limit.name;
        if settings.limits[..at].iter().any(|other| same(&other)) {
            let (scope, name) = (limit.scope.as_str(), &limit.name);
            found.push(conflict(
                &[&format!("limits[{}]", at + 1)],
                format!("there is a limit of the {scope} '{name}' already"),
            ));
        }
    }
    for (at, breaker) in settings.breakers.iter().enumerate() {
        if settings.breakers[..at].iter().any(|other| other.topic == breaker.topic) {
            found.push(conflict(
                &[&format!("breakers[{}]", at + 1)],
                format!("there is a breaker of the topic '{}' already", breaker.topic),
            ));
        }
    }
    found
}

fn executor(settings: &Settings, found: &mut Vec<Conflict>) {
    let executor = &settings.executor;
    if executor.priority_min > executor.priority_max {
        found.push(conflict(
            &["executor.priority_min", "executor.priority_max"],
            format!(
                "executor.priority_min ({}) is above executor.priority_max ({}): no job could be \
                 taken",
                executor.priority_min, executor.priority_max
            ),
        ));
    }
    if executor.workers_core > executor.workers_max {
        found.push(conflict(
            &["executor.workers_core", "executor.workers_max"],
            format!(
                "executor.workers_core ({}) is above executor.workers_max ({})",
                executor.workers_core, executor.workers_max
            ),
        ));
    }
    if executor.aging_step_ms.is_some()
        && (executor.by_priority || executor.timers_first || executor.by_due)
    {
        found.push(conflict(
            &["executor.aging_step_ms"],
            "is an order of its own: leave out by_priority, timers_first and by_due".to_owned(),
        ));
    }
    if executor.categories.iter().flatten().any(String::is_empty) {
        found.push(conflict(
            &["executor.categories"],
            "a category is empty: no job is of it, and none without one is taken".to_owned(),
        ));
    }
    let joined = &executor.acquisition;
    if joined != DEFAULT_ACQUISITION && !settings.acquisitions.contains_key(joined) {
        let known = settings.acquisitions.keys().map(String::as_str);
        let known: Vec<&str> = std::iter::once(DEFAULT_ACQUISITION).chain(known).collect();
        found.push(conflict(
            &["executor.acquisition"],
            format!("there is no acquisition '{joined}'; there are {}", known.join(", ")),
        ));
    }
}

/// What is said for one kind is held to what holds for all.
fn batches(settings: &Settings, found: &mut Vec<Conflict>) {
    for (kind, items) in &settings.batches.invocations_per_job_by_kind {
        let range = 1..=INVOCATIONS_PER_JOB_MAX;
        if !range.contains(&i64::from(*items)) {
            let (kind, expected) = (shortened(kind), range_of(&range));
            let message = format!("'{kind}': found {items}, expected {expected}");
            found.push(conflict(&["batches.invocations_per_job_by_kind"], message));
        }
    }
}

/// Texts that something else reads later, when nobody looks any more.
fn texts(settings: &Settings, found: &mut Vec<Conflict>) {
    if let Some(cycle) = &settings.jobs.retry_cycle
        && let Err(problem) = retry_cycle(cycle)
    {
        found.push(conflict(&["jobs.retry_cycle"], problem));
    }
    let cycles = [
        ("history.cleanup.cycle", &settings.history.cleanup.cycle),
        ("batches.poll_cycle", &settings.batches.poll_cycle),
    ];
    for (knob, cycle) in cycles {
        if let Some(text) = cycle
            && let Err(problem) = Schedule::parse(Dialect::Flowable, Kind::Cycle, text)
        {
            let message = format!("'{}' is no cycle: {problem}", shortened(text));
            found.push(conflict(&[knob], message));
        }
    }
}

fn retry_cycle(text: &str) -> Result<(), String> {
    let text = text.trim();
    let wrong =
        |problem: String| format!("'{}' is no cycle of retries: {problem}", shortened(text));
    if text.starts_with("${") || text.starts_with("#{") {
        let parsed = Expression::parse(Language::Uel, text);
        return parsed.map(drop).map_err(|error| wrong(error.message));
    }
    let plan = RetryPlan::parse(text).map_err(|error| wrong(error.to_string()))?;
    match plan.unusable(text).as_slice() {
        [] => Ok(()),
        [first, ..] => Err(wrong(format!("'{}' is no duration", shortened(first)))),
    }
}

/// Waits that do not grow to their maximum mean asking the store without any rest.
fn acquisition(table: &str, acquisition: &AcquisitionSettings, found: &mut Vec<Conflict>) {
    let mut above = |key: &str, max: &str, values: (u64, u64)| {
        let (key, max) = (format!("{table}.{key}"), format!("{table}.{max}"));
        let message = format!("{key} ({}) is above {max} ({})", values.0, values.1);
        found.push(conflict(&[&key, &max], message));
    };
    let (wait, longest) = (acquisition.wait_ms, acquisition.wait_ms_max);
    if wait > longest {
        above("wait_ms", "wait_ms_max", (wait, longest));
    }
    let (pause, longest) = (acquisition.backoff_ms, acquisition.backoff_ms_max);
    if longest > 0 && pause > longest {
        above("backoff_ms", "backoff_ms_max", (pause, longest));
    }
    // Not-a-number cannot be read.
    if acquisition.wait_factor <= 1.0 {
        let key = format!("{table}.wait_factor");
        let message = format!("{} is not above 1: waits would not grow", acquisition.wait_factor);
        found.push(conflict(&[&key], message));
    }
}
