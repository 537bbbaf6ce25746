//! Timers of definitions: each firing starts an instance.

use jiff::tz::TimeZone;
use orloj_interpreter::{Repeat, StartTrigger, StartWait, next_start, start_is_over, starts};
use orloj_model::{Element, Process, RetryCycle, RetryPlan, Trigger, Wait};
use orloj_types::{DefinitionKey, Document, ElementId, JobKey, Timestamp};

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
    repeat: Option<Repeat>,
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
        let mut waits = starts(&process, self.now);
        for &index in &process.root.starts {
            let element = process.element(index);
            let Some(Trigger::Timer(timer)) = element.trigger() else { continue };
            let planned = waits.iter().position(|wait| wait.event == element.id);
            let planned = planned.map(|at| waits.swap_remove(at));
            let Some(StartWait { trigger: StartTrigger::Timer { due_at, repeat }, .. }) = planned
            else {
                return Err(Failed(format!("{}: the timer never fires", element.id)));
            };
            let key = JobKey::new(self.keys.next(self.now));
            let timer = StartTimer {
                definition,
                event: element.id.clone(),
                due_at,
                exclusive: timer.exclusive,
                retries_left: retries_of(element, &process),
                failed_before: false,
                repeat,
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
            let process = &world.definitions.get(timer.definition).process;
            if start_is_over(process, &timer.event, timer.due_at, world.now).map_err(Failed)? {
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
        let Some(repeat) = &timer.repeat else { return };
        let process = &self.definitions.get(timer.definition).process;
        let next = next_start(process, &timer.event, repeat, self.now);
        let Some((due_at, repeat)) = next else { return };
        let element = process.find(&timer.event).map(|index| process.element(index));
        let retries_left = element.map_or(0, |element| retries_of(element, process));
        let key = JobKey::new(self.keys.next(self.now));
        let (failed_before, repeat) = (false, Some(repeat));
        let next = StartTimer { due_at, retries_left, failed_before, repeat, ..timer.clone() };
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
            failed.repeat = None;
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
                let tries_of_wait = process.semantics.jobs.tries_of_wait;
                RetryPlan::parse_for(&text_of(expression, self.now)?, tries_of_wait).ok()
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
