//! Jobs of start timers: what the model says about them. They belong to no instance, so that there
//! is no variable which their expressions could see.

use std::borrow::Cow;
use std::sync::Arc;

use orloj_expr::{Environment, Expression};
use orloj_model::{Element, Process, RetryCycle, RetryPlan};
use orloj_types::{DefinitionKey, Timestamp, Value};

use crate::schedule;
use crate::settings::{JobOverride, JobSettings};

/// What the job of a start timer begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartJob {
    pub retries: i32,
    pub priority: i64,
    pub category: Option<Arc<str>>,
    pub is_suspended: bool,
}

/// Of a start event that waits for a timer.
pub fn start_job(
    process: &Process,
    event: &str,
    definition: DefinitionKey,
    settings: &JobSettings,
    now: Timestamp,
) -> StartJob {
    let element = process.find(event).map(|index| process.element(index));
    let semantics = &process.semantics;
    let default = settings
        .retries
        .unwrap_or_else(|| i32::try_from(semantics.retries_default).unwrap_or(i32::MAX));
    let at_creation = semantics.jobs.tries_at_creation && !settings.tries_at_first_failure;
    let plan = element
        .filter(|_| at_creation)
        .and_then(|element| plan_of(process, element, settings, now));
    let tries = plan.map(|plan| i32::try_from(plan.tries).unwrap_or(i32::MAX));
    let set = element.map_or(JobOverride::default(), |element| {
        settings.of_job(definition, || orloj_model::JobDefinition::timer(element))
    });
    let priority = || number(element?.jobs.priority.as_ref()?, now);
    StartJob {
        retries: tries.unwrap_or(default).max(1),
        priority: match settings.ignores_priorities {
            true => 0,
            false => set.priority.or_else(priority).unwrap_or(0),
        },
        category: element.and_then(|element| text(element.jobs.category.as_ref()?, now)),
        is_suspended: set.is_suspended || settings.is_suspended(definition),
    }
}

/// When a start that failed with this many retries left is tried again; `None`: at once.
pub fn start_retry(
    process: &Process,
    event: &str,
    settings: &JobSettings,
    retries_before: i32,
    due_at: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    let element = process.find(event).map(|index| process.element(index));
    if let Some(plan) = element.and_then(|element| plan_of(process, element, settings, now)) {
        let wait = plan.wait_after(u32::try_from(retries_before).unwrap_or(0));
        return Some(schedule::later(now, &wait.0));
    }
    let wait_ms = settings.timer_retry_wait_ms.unwrap_or(process.semantics.retry_delay_ms);
    (wait_ms > 0).then(|| due_at.unwrap_or(now).plus_ms(wait_ms))
}

/// The word for a start that failed for good.
pub fn start_incident(process: &Process) -> &'static str {
    process.semantics.incident_names.job
}

/// A cycle that cannot be computed counts as none.
fn plan_of<'e>(
    process: &Process,
    element: &'e Element,
    settings: &'e JobSettings,
    now: Timestamp,
) -> Option<Cow<'e, RetryPlan>> {
    match element.jobs.retry_cycle.as_ref().or(settings.retry_cycle.as_ref())? {
        RetryCycle::Fixed(plan) => Some(Cow::Borrowed(plan)),
        RetryCycle::Computed(expression) => match value(expression, now)? {
            Value::Text(text) => {
                let tries_of_wait = process.semantics.jobs.tries_of_wait;
                RetryPlan::parse_for(&text, tries_of_wait).ok().map(Cow::Owned)
            }
            _ => None,
        },
    }
}

fn number(expression: &Expression, now: Timestamp) -> Option<i64> {
    match value(expression, now)? {
        Value::Int(number) => Some(number),
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn text(expression: &Expression, now: Timestamp) -> Option<Arc<str>> {
    match value(expression, now)? {
        Value::Text(text) => Some(text),
        _ => None,
    }
}

fn value(expression: &Expression, now: Timestamp) -> Option<Value> {
    expression.evaluate(&Environment::new(&(), now)).ok().map(|evaluated| evaluated.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Sketch, start};

    #[test]
    fn a_wait_alone_means_as_many_tries_as_the_dialect_says() {
        let tries = |sketch: Sketch| {
            let cycle = RetryCycle::Computed(sketch.expression("'PT5M'"));
            let process =
                sketch.node("go", start()).with("go", |e| e.jobs.retry_cycle = Some(cycle)).build();
            let element = process.element(process.find("go").expect("it is there"));
            let settings = JobSettings::default();
            let plan = plan_of(&process, element, &settings, Timestamp::ZERO);
            plan.expect("a plan").tries
        };
        assert_eq!(tries(Sketch::camunda()), 2);
        assert_eq!(tries(Sketch::flowable()), 1);
    }
}
