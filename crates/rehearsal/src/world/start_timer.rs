//! Timers of definitions: each firing starts an instance.

use std::sync::Arc;

use jiff::tz::TimeZone;
use orloj_expr::Environment;
use orloj_model::{
    Element, ElementKind, Process, RetryCycle, RetryPlan, Timer, TimerKind, Trigger, Wait,
};
use orloj_timer::{Dialect, Firing, Kind, Schedule};
use orloj_types::{DefinitionKey, Document, ElementId, JobKey, Temporal, Timestamp, Value, Zone};

use super::World;
use super::engine::{Failed, NewInstance};
use super::signals::text_of;
use crate::run::Engine;

/// Flowable's wait after a failure.
const FLOWABLE_DELAY_MS: i64 = 10_000;

#[derive(Clone)]
pub(super) struct StartTimer {
    pub definition: DefinitionKey,
    pub event: ElementId,
    pub due_at: Timestamp,
    pub exclusive: bool,
    /// At zero nobody tries again.
    pub retries_left: i32,
    failed_before: bool,
    /// After this moment a firing does nothing.
    ends_at: Option<Timestamp>,
    cycle: Option<Cycle>,
}

#[derive(Clone)]
struct Cycle {
    schedule: Arc<Schedule>,
    last: Firing,
}

impl World {
    /// Makes the timers of a definition that was just deployed; those of its older versions go.
    pub(super) fn arm(&mut self, definition: DefinitionKey) -> Result<(), Failed> {
        let process = self.definitions.get(definition).process.clone();
        let definitions = &self.definitions;
        self.state
            .facts
            .start_timers
            .retain(|_, timer| definitions.get(timer.definition).process.id != process.id);
        for &index in &process.root.starts {
            let element = process.element(index);
            let ElementKind::StartEvent(start) = &element.kind else { continue };
            let Some(Trigger::Timer(timer)) = &start.trigger else { continue };
            let planned = plan(self.engine, timer, self.now)
                .map_err(|message| Failed(format!("{}: {message}", element.id)))?;
            let Some(Planned { due_at, ends_at, cycle }) = planned else {
                if self.engine == Engine::Camunda7 {
                    return Err(Failed(format!("{}: the timer never fires", element.id)));
                }
                continue;
            };
            let key = JobKey::new(self.keys.next(self.now));
            let timer = StartTimer {
                definition,
                event: element.id.clone(),
                due_at,
                exclusive: timer.exclusive,
                retries_left: retries_of(element, &process),
                failed_before: false,
                ends_at,
                cycle,
            };
            self.state.facts.start_timers.insert(key, timer);
        }
        Ok(())
    }

    pub(super) fn run_start_timer(&mut self, key: JobKey) -> Result<(), Failed> {
        let Some(timer) = self.state.facts.start_timers.get(&key).cloned() else {
            return Err(Failed(format!("no timer {key}")));
        };
        let done = self.transact(|world| {
            world.state.facts.start_timers.remove(&key);
            if timer.ends_at.is_some_and(|end| world.now > end) {
                return Ok(());
            }
            world.follow(&timer);
            world.begin(NewInstance {
                definition: timer.definition,
                at: Some(&timer.event),
                variables: Document::new(),
                message_key: None,
            })
        });
        if done.is_err() {
            self.fail_start_timer(key);
        }
        done
    }

    /// The next firing of a repeating timer is a job of its own.
    fn follow(&mut self, timer: &StartTimer) {
        let Some(cycle) = &timer.cycle else { return };
        let Some(firing) = cycle.schedule.next(&cycle.last, self.now, &TimeZone::UTC) else {
            return;
        };
        if timer.ends_at.is_some_and(|end| firing.at > end) {
            return;
        }
        let key = JobKey::new(self.keys.next(self.now));
        let cycle = Some(Cycle { last: firing, ..cycle.clone() });
        let process = &self.definitions.get(timer.definition).process;
        let element = process.find(&timer.event).map(|index| process.element(index));
        let retries_left = element.map_or(0, |element| retries_of(element, process));
        let (due_at, failed_before) = (firing.at, false);
        let next = StartTimer { due_at, retries_left, failed_before, cycle, ..timer.clone() };
        self.state.facts.start_timers.insert(key, next);
    }

    fn fail_start_timer(&mut self, key: JobKey) {
        let Some(timer) = self.state.facts.start_timers.get(&key) else { return };
        if self.engine == Engine::Zeebe {
            return;
        }
        let mut failed = timer.clone();
        let plan = self.retry_plan(timer);
        let tries = plan.as_ref().filter(|_| !timer.failed_before).map(|plan| plan.tries);
        let retries =
            tries.and_then(|tries| i32::try_from(tries).ok()).unwrap_or(timer.retries_left);
        failed.failed_before = true;
        failed.retries_left = (retries - 1).max(0);
        failed.due_at = match &plan {
            Some(plan) => {
                let retries = u32::try_from(retries).unwrap_or_default();
                later(self.now, plan.wait_after(retries))
            }
            None if self.engine == Engine::Flowable => timer.due_at.plus_ms(FLOWABLE_DELAY_MS),
            None => timer.due_at,
        };
        if self.engine == Engine::Camunda7 {
            // Its next repetition is there once, however often this one fails.
            let repeating = timer.clone();
            failed.cycle = None;
            self.follow(&repeating);
        }
        self.state.facts.start_timers.insert(key, failed);
    }

    fn retry_plan(&self, timer: &StartTimer) -> Option<RetryPlan> {
        let process = &self.definitions.get(timer.definition).process;
        let element = process.element(process.find(&timer.event)?);
        match element.jobs.retry_cycle.as_ref()? {
            RetryCycle::Fixed(plan) => Some(plan.clone()),
            RetryCycle::Computed(expression) => {
                RetryPlan::parse(&text_of(expression, self.now)?).ok()
            }
        }
    }
}

/// Later by a calendar duration; "never" where the calendar ends.
fn later(from: Timestamp, wait: &Wait) -> Timestamp {
    let moment = jiff::Timestamp::from_millisecond(from.as_ms()).ok();
    let moment = moment.map(|moment| moment.to_zoned(TimeZone::UTC));
    let later = moment.and_then(|moment| moment.checked_add(wait.0).ok());
    later.map_or(Timestamp::MAX, |at| Timestamp::from_ms(at.timestamp().as_millisecond()))
}

fn retries_of(element: &Element, process: &Process) -> i32 {
    let tries = match &element.jobs.retry_cycle {
        Some(RetryCycle::Fixed(plan)) => plan.tries,
        _ => process.semantics.retries_default,
    };
    i32::try_from(tries).unwrap_or(i32::MAX)
}

struct Planned {
    due_at: Timestamp,
    ends_at: Option<Timestamp>,
    cycle: Option<Cycle>,
}

/// When the timer fires first; `None`: never.
fn plan(engine: Engine, timer: &Timer, now: Timestamp) -> Result<Option<Planned>, String> {
    let kind = match timer.kind {
        TimerKind::Date => Kind::Date,
        TimerKind::Duration => Kind::Duration,
        TimerKind::Cycle => Kind::Cycle,
    };
    let text = match evaluate(&timer.value, now)? {
        Value::Text(text) => with_zone(timer, text, now),
        Value::Temporal(value) => value.to_string().into(),
        Value::Int(ms) if engine != Engine::Zeebe => {
            let due_at = Timestamp::from_ms(ms);
            return Ok(Some(Planned { due_at, ends_at: None, cycle: None }));
        }
        other => return Err(format!("{} is no time", other.to_json())),
    };
    let text = text.trim();
    let schedule = Schedule::parse(dialect_of(engine), kind, text)
        .map_err(|error| format!("'{text}': {error}"))?;
    let ends_at = end(engine, timer, text, now)?;
    let Some(firing) = schedule.first(now, &TimeZone::UTC) else {
        // A repetition that is wholly past still fires once, at once, but not in Camunda.
        let fires_once = text.starts_with('R') && engine != Engine::Camunda7;
        let once = Planned { due_at: now, ends_at, cycle: None };
        return Ok(fires_once.then_some(once));
    };
    let is_cycle = schedule.repeats() && kind == Kind::Cycle;
    let cycle = is_cycle.then(|| Cycle { schedule: Arc::new(schedule), last: firing });
    Ok(Some(Planned { due_at: firing.at, ends_at, cycle }))
}

/// When a cycle of Flowable ends: named beside it, or at its own end as in `R3/PT1H/2030-01-01`.
fn end(
    engine: Engine,
    timer: &Timer,
    text: &str,
    now: Timestamp,
) -> Result<Option<Timestamp>, String> {
    if engine != Engine::Flowable {
        return Ok(None);
    }
    let parts: Vec<&str> = text.split('/').collect();
    let end: Arc<str> = match (&timer.end, &parts[..]) {
        (Some(end), _) => match evaluate(end, now)? {
            Value::Text(text) => text,
            _ => return Ok(None),
        },
        (None, [_, period, end]) if period.starts_with('P') => (*end).into(),
        _ => return Ok(None),
    };
    let schedule = Schedule::parse(Dialect::Flowable, Kind::Date, end.trim())
        .map_err(|error| format!("'{end}': {error}"))?;
    Ok(schedule.first(now, &TimeZone::UTC).map(|firing| firing.at))
}

fn evaluate(expression: &orloj_expr::Expression, now: Timestamp) -> Result<Value, String> {
    let evaluated = expression.evaluate(&Environment::new(&(), now));
    evaluated.map(|evaluated| evaluated.value).map_err(|error| error.message())
}

/// A date that FEEL has made without a zone is one of the engine's own.
fn with_zone(timer: &Timer, text: Arc<str>, now: Timestamp) -> Arc<str> {
    let environment = Environment::new(&(), now).keeping_temporals();
    match timer.value.evaluate(&environment).map(|evaluated| evaluated.value) {
        Ok(Value::Temporal(made)) => match &*made {
            Temporal::DateTime(local) if local.time.zone == Zone::Local => {
                format!("{text}Z").into()
            }
            _ => text,
        },
        _ => text,
    }
}

fn dialect_of(engine: Engine) -> Dialect {
    match engine {
        Engine::Camunda7 => Dialect::Camunda7,
        Engine::Flowable => Dialect::Flowable,
        Engine::Zeebe => Dialect::Zeebe,
    }
}
