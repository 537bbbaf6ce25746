//! Timer jobs: of catch events, of the boundary events of an element, and of the listeners of a
//! user task that wait for a moment.

use std::sync::Arc;

use orloj_model::{Element, ElementKind, Timeout, Timer, Trigger};
use orloj_types::{ElementId, ElementInstanceKey, Timestamp, Value, Variables};

use crate::agenda::Step;
use crate::events;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::jobs::{self, Draft};
use crate::record::{JobKind, Repeat};
use crate::schedule::{self, Planned};
use crate::stage::Stage;
use crate::turn::Turn;

/// A timer whose expressions have been evaluated.
pub(crate) struct Armed<'a> {
    event: &'a Element,
    /// The listener of a user task that it calls, by its id.
    listener: Arc<str>,
    exclusive: bool,
    priority: i64,
    planned: Planned,
}

impl<'a> Armed<'a> {
    pub(crate) fn event(&self) -> &'a ElementId {
        &self.event.id
    }
}

/// Evaluates the timer of `event` as seen from `scope`. Nothing changes yet.
pub(crate) fn prepare<'a>(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    event: &'a Element,
    timer: &Timer,
    repeats: bool,
) -> Ruled<Armed<'a>> {
    let value = turn.evaluate_temporal(&event.id, scope, &timer.value)?;
    let mut planned = match &value {
        Value::Text(text) => {
            schedule::plan(timer.kind, text, turn.now, turn.semantics()).map_err(|error| {
                Failure::new(&event.id, FailureKind::ExtractValue, error.to_string())
            })?
        }
        // A date of the model's host language comes as a number of milliseconds.
        Value::Int(ms) if extract::is_lenient(turn) => {
            Planned { due_at: Timestamp::from_ms(*ms), repeat: None }
        }
        Value::Temporal(value) => {
            let planned = schedule::plan_value(timer.kind, value, turn.now, turn.semantics());
            planned.map_err(|error| {
                Failure::new(&event.id, FailureKind::ExtractValue, error.to_string())
            })?
        }
        other => return Err(extract::wrong(event, "timer", "a string", other)),
    };
    if !repeats {
        planned.repeat = None;
    }
    let priority = jobs::priority_of(turn, scope, event)?;
    let listener = Arc::default();
    Ok(Armed { event, listener, exclusive: timer.exclusive, priority, planned })
}

/// Evaluates the timers of a user task's listeners. Nothing changes yet.
pub(crate) fn prepare_listeners<'a>(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    task: &'a Element,
) -> Ruled<Vec<Armed<'a>>> {
    let timeouts = task.listeners.iter().filter_map(|listener| listener.timeout.as_ref());
    let arm = |timeout: &Timeout| {
        let armed = prepare(turn, scope, task, &timeout.timer, true)?;
        Ok(Armed { listener: timeout.id.clone(), ..armed })
    };
    timeouts.map(arm).collect()
}

pub(crate) fn create(turn: &mut Turn<'_>, on: ElementInstanceKey, armed: Armed<'_>) {
    let draft = Draft {
        kind: JobKind::Timer { event: armed.event.id.clone(), repeat: armed.planned.repeat },
        job_type: armed.listener,
        retries: jobs::retries_of(turn, armed.event.jobs.retry_cycle.as_ref()),
        priority: armed.priority,
        exclusive: armed.exclusive,
        due_at: Some(armed.planned.due_at),
    };
    jobs::create(turn, on, draft);
}

/// The timer of `event`, whose job belonged to element instance `on`, fires.
pub(crate) fn fire(
    turn: &mut Turn<'_>,
    on: ElementInstanceKey,
    event: &ElementId,
    listener: &Arc<str>,
    repeat: Option<Repeat>,
) -> Ruled {
    let index = turn.index_of(event);
    let element = turn.model(index);
    if matches!(element.kind, ElementKind::UserTask(_)) {
        return time_out(turn, on, element, listener, repeat);
    }
    let (Some(repeat), Some(Trigger::Timer(timer))) = (repeat, element.trigger()) else {
        return events::occur(turn, on, index, Variables::new());
    };
    // What interrupts its scope takes all away that waits there.
    if matches!(&element.kind, ElementKind::StartEvent(start) if start.interrupting) {
        events::occur(turn, on, index, Variables::new())?;
        return schedule_next(turn, on, element, timer, listener, &repeat);
    }
    schedule_next(turn, on, element, timer, listener, &repeat)?;
    events::occur(turn, on, index, Variables::new())
}

/// A repeating timer has failed for the first time. Its next firing does not wait for it.
pub(crate) fn repeat_despite_failure(
    turn: &mut Turn<'_>,
    on: ElementInstanceKey,
    event: &ElementId,
    listener: &Arc<str>,
    repeat: &Repeat,
) {
    let element = turn.model(turn.index_of(event));
    let timer = match element.trigger() {
        Some(Trigger::Timer(timer)) => Some(timer),
        _ => timeout_of(element, listener).map(|(_, timeout)| &timeout.timer),
    };
    if let Some(timer) = timer {
        // What cannot be computed for it ends the repetition: there is nobody to tell.
        schedule_next(turn, on, element, timer, listener, repeat).ok();
    }
}

fn timeout_of<'e>(task: &'e Element, id: &Arc<str>) -> Option<(u32, &'e Timeout)> {
    let timeouts = task.listeners.iter().map(|listener| listener.timeout.as_ref());
    let mut places = (0..).zip(timeouts);
    places.find_map(|(place, timeout)| Some((place, timeout.filter(|t| t.id == *id)?)))
}

/// A listener of a user task has waited for this moment. The task goes on waiting.
fn time_out(
    turn: &mut Turn<'_>,
    on: ElementInstanceKey,
    task: &Element,
    id: &Arc<str>,
    repeat: Option<Repeat>,
) -> Ruled {
    let Some((place, timeout)) = timeout_of(task, id) else {
        let message = format!("the task has no listener '{id}'");
        return Err(Failure::new(&task.id, FailureKind::ExtractValue, message));
    };
    if let Some(repeat) = repeat {
        schedule_next(turn, on, task, &timeout.timer, id, &repeat)?;
    }
    turn.work.push_next(Step::Go { key: on, stage: Stage::TimedOut(place) });
    Ok(())
}

/// The moment after which a repetition ends.
fn end_of(
    turn: &Turn<'_>,
    host: ElementInstanceKey,
    event: &Element,
    timer: &Timer,
) -> Ruled<Option<Timestamp>> {
    let Some(expression) = &timer.end else { return Ok(None) };
    match turn.evaluate(&event.id, host, expression)? {
        Value::Null => Ok(None),
        Value::Int(ms) => Ok(Some(Timestamp::from_ms(ms))),
        Value::Text(text) => match schedule::moment(&text, turn.now) {
            Ok(end) => Ok(Some(end)),
            Err(error) => {
                Err(Failure::new(&event.id, FailureKind::ExtractValue, error.to_string()))
            }
        },
        other => Err(extract::wrong(event, "end of the timer", "a date", &other)),
    }
}

fn schedule_next(
    turn: &mut Turn<'_>,
    host: ElementInstanceKey,
    event: &Element,
    timer: &Timer,
    listener: &Arc<str>,
    repeat: &Repeat,
) -> Ruled {
    if let Some(planned) = schedule::next(repeat, turn.now, turn.semantics()) {
        if let Some(end) = end_of(turn, host, event, timer)?
            && planned.due_at > end
        {
            return Ok(());
        }
        let priority = jobs::priority_of(turn, host, event)?;
        let (listener, exclusive) = (listener.clone(), timer.exclusive);
        create(turn, host, Armed { event, listener, exclusive, priority, planned });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use orloj_model::{Code, Listener, ListenerEvent, Timeout, Timer, TimerKind};

    use crate::InvokeResult;
    use crate::testing::{Sketch, Story, delegate, on_timer, start, user};

    fn asking(sketch: Sketch) -> Sketch {
        sketch.node("start", start()).node("ask", user()).flows("start -> ask")
    }

    #[test]
    fn a_listener_of_a_user_task_has_a_timer_of_its_own() {
        let sketch = asking(Sketch::camunda());
        let (value, code) =
            (sketch.expression("'R2/PT1H'"), sketch.expression("execution.setVariable('n', 1)"));
        let timer = Timer { kind: TimerKind::Cycle, value, end: None, exclusive: true };
        let listener = Listener {
            event: ListenerEvent::TaskTimeout,
            code: Code::Expression(code),
            fields: Vec::new(),
            result_variable: None,
            timeout: Some(Timeout { id: "nudge".into(), timer }),
        };
        let sketch = sketch.with("ask", |element| element.listeners.push(listener));
        let mut story = Story::of(sketch.build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered ask
        job1 created nudge
        --
        insert job1 timer ask R2/PT1H fired 0, waiting, retries 3, exclusive, due +3600 s
        insert task1 ask priority 50
        at ask job1 task1
        ");
        story.pass(3_600_000);
        insta::assert_snapshot!(story.job_due("ask"), @r#"
        job1 completed
        job2 created nudge
        --
        delete job1
        insert job2 timer ask R2/PT1H fired 1, waiting, retries 3, exclusive, due +7200 s
        at ask job2 task1
        instance: {"n":1}
        "#);
        insta::assert_snapshot!(story.complete_user_task("ask", "{}"), @r#"
        job2 cancelled
        left ask
        ended Completed
        --
        delete job2
        delete task1
        end Completed {"n":1}
        "#);
    }

    #[test]
    fn in_camunda_a_repeating_timer_outlives_its_failure() {
        let process = |sketch: Sketch| {
            asking(sketch)
                .boundary("ask", "late", on_timer(false, TimerKind::Cycle, "R3/PT1H"))
                .node("warn", delegate("Warn"))
                .flows("late -> warn")
                .build()
        };
        let failed = InvokeResult::Failed { message: "no line".into() };
        let timers = |process| {
            let mut story = Story::of(process).delegate("Warn", std::slice::from_ref(&failed));
            story.start("{}");
            story.pass(3_600_000);
            let job = story.jobs.values().next().expect("a timer").job.key;
            story.play(crate::Command::JobDue { job });
            story.play(crate::Command::RunJob { job });
            story.jobs.len()
        };
        assert_eq!(timers(process(Sketch::camunda())), 2);
        assert_eq!(timers(process(Sketch::flowable())), 1);
    }
}
