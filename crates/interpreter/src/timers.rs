//! Timer jobs: of catch events, of the boundary events of an element, and of the listeners of a
//! user task that wait for a moment.

use std::sync::Arc;

use orloj_model::{Element, ElementKind, JobDefinition, Timeout, Timer, TimerKind, Trigger};
use orloj_types::{ElementId, ElementInstanceKey, Timestamp, Value, Variables};

use crate::agenda::Step;
use crate::events;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::jobs::{self, Draft};
use crate::record::{Job, JobKind, JobState, Repeat};
use crate::retries;
use crate::schedule::{self, Planned};
use crate::stage::Stage;
use crate::turn::Turn;

/// A timer whose expressions have been evaluated.
pub(crate) struct Armed<'a> {
    event: &'a Element,
    draft: Draft,
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
    prepare_for(turn, scope, event, timer, repeats, Arc::default())
}

/// As [`prepare`], for a listener of a user task by its id.
fn prepare_for<'a>(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    event: &'a Element,
    timer: &Timer,
    repeats: bool,
    listener: Arc<str>,
) -> Ruled<Armed<'a>> {
    let mut planned = plan(turn, scope, event, timer, turn.now)?;
    if !repeats {
        planned.repeat = None;
    }
    let set = turn.settings.of_job(turn.work.record.definition, || match listener.is_empty() {
        true => JobDefinition::timer(event),
        false => JobDefinition::timeout(event, &listener),
    });
    let cycle = retries::timer_cycle_of(turn, event, &listener);
    let retries = jobs::retries_of(turn, scope, event, cycle)?;
    let kind = JobKind::Timer { event: event.id.clone(), repeat: planned.repeat };
    let draft = Draft {
        job_type: listener,
        priority: jobs::priority_of(turn, scope, event, set)?,
        exclusive: timer.exclusive,
        due_at: Some(planned.due_at),
        category: jobs::category_of(turn, scope, event)?,
        limit_key: jobs::limit_key_of(turn, scope, event)?,
        is_suspended: set.is_suspended,
        ..Draft::new(kind, retries)
    };
    Ok(Armed { event, draft })
}

/// When a timer that begins to run at `base` fires.
pub(crate) fn plan(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    event: &Element,
    timer: &Timer,
    base: Timestamp,
) -> Ruled<Planned> {
    let wrong =
        |text: String| Failure::new(&event.id, FailureKind::ExtractValue, Arc::<str>::from(text));
    match &turn.evaluate_temporal(&event.id, scope, &timer.value)? {
        Value::Text(text) => schedule::plan(timer.kind, text, base, turn.semantics())
            .map_err(|error| wrong(error.to_string())),
        Value::Temporal(value) => schedule::plan_value(timer.kind, value, base, turn.semantics())
            .map_err(|error| wrong(error.to_string())),
        other => Err(extract::wrong(event, "timer", "a string", other)),
    }
}

/// Evaluates the timers of a user task's listeners. Nothing changes yet.
pub(crate) fn prepare_listeners<'a>(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    task: &'a Element,
) -> Ruled<Vec<Armed<'a>>> {
    let timeouts = task.listeners.iter().filter_map(|listener| listener.timeout.as_ref());
    let arm = |timeout: &Timeout| {
        prepare_for(turn, scope, task, &timeout.timer, true, timeout.id.clone())
    };
    timeouts.map(arm).collect()
}

pub(crate) fn create(turn: &mut Turn<'_>, on: ElementInstanceKey, armed: Armed<'_>) {
    jobs::create(turn, on, armed.draft);
}

/// The timer that a job fires: of its event, or of the listener of its user task.
pub(crate) fn timer_of<'a>(turn: &Turn<'a>, job: &Job) -> Option<(&'a Element, &'a Timer)> {
    let JobKind::Timer { event, .. } = &job.kind else { return None };
    let element = turn.model(turn.index_of(event));
    let timer = match element.trigger() {
        Some(Trigger::Timer(timer)) => Some(timer),
        _ => timeout_of(element, &job.job_type).map(|(_, timeout)| &timeout.timer),
    };
    timer.map(|timer| (element, timer))
}

/// The timer of a job, which was taken from element instance `on`, fires.
pub(crate) fn fire(turn: &mut Turn<'_>, on: ElementInstanceKey, job: &Job) -> Ruled {
    let JobKind::Timer { event, repeat } = &job.kind else { return Ok(()) };
    let index = turn.index_of(event);
    let element = turn.model(index);
    if is_past_end(turn, on, job)? {
        return Ok(());
    }
    if matches!(element.kind, ElementKind::UserTask(_)) {
        return time_out(turn, on, element, job);
    }
    // What interrupts its scope takes all away that waits there.
    let is_interrupting =
        matches!(&element.kind, ElementKind::StartEvent(start) if start.interrupting);
    if repeat.is_some() && !is_interrupting {
        schedule_next(turn, on, job)?;
    }
    events::occur(turn, on, index, Variables::new())?;
    if repeat.is_some() && is_interrupting {
        schedule_next(turn, on, job)?;
    }
    Ok(())
}

/// DIFFERENCE: only Flowable's timers have an end. A firing that is due after it does not happen.
fn is_past_end(turn: &Turn<'_>, on: ElementInstanceKey, job: &Job) -> Ruled<bool> {
    let Some((element, timer)) = timer_of(turn, job) else { return Ok(false) };
    // An intermediate event fires once and does not ask.
    let repeats =
        timer.kind == TimerKind::Cycle && !matches!(element.kind, ElementKind::CatchEvent(_));
    if timer.end.is_none() || !repeats {
        return Ok(false);
    }
    let end = end_of(turn, on, element, timer)?;
    Ok(matches!((job.due_at, end), (Some(due_at), Some(end)) if due_at > end))
}

/// A repeating timer has failed for the first time. Its next firing does not wait for it.
pub(crate) fn repeat_despite_failure(turn: &mut Turn<'_>, on: ElementInstanceKey, job: &Job) {
    // What cannot be computed for it ends the repetition: there is nobody to tell.
    schedule_next(turn, on, job).ok();
}

fn timeout_of<'e>(task: &'e Element, id: &Arc<str>) -> Option<(u32, &'e Timeout)> {
    let timeouts = task.listeners.iter().map(|listener| listener.timeout.as_ref());
    let mut places = (0..).zip(timeouts);
    places.find_map(|(place, timeout)| Some((place, timeout.filter(|t| t.id == *id)?)))
}

/// A listener of a user task has waited for this moment. The task goes on waiting.
fn time_out(turn: &mut Turn<'_>, on: ElementInstanceKey, task: &Element, job: &Job) -> Ruled {
    let id = &job.job_type;
    let Some((place, _)) = timeout_of(task, id) else {
        let message = format!("the task has no listener '{id}'");
        return Err(Failure::new(&task.id, FailureKind::ExtractValue, message));
    };
    schedule_next(turn, on, job)?;
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

/// The job of the firing after this one, which takes over what was set about this one.
fn schedule_next(turn: &mut Turn<'_>, host: ElementInstanceKey, job: &Job) -> Ruled {
    let JobKind::Timer { event: id, repeat: Some(repeat) } = &job.kind else { return Ok(()) };
    let Some((event, timer)) = timer_of(turn, job) else { return Ok(()) };
    let again = repetition_now(turn, host, event, timer, repeat)?;
    let planned = match &again {
        Some(again) => Some(again.clone()),
        None => schedule::next(repeat, turn.now, turn.semantics()),
    };
    let Some(planned) = planned else { return Ok(()) };
    if let Some(end) = end_of(turn, host, event, timer)?
        && planned.due_at > end
    {
        return Ok(());
    }
    let kind = JobKind::Timer { event: id.clone(), repeat: planned.repeat };
    let retries = match job.retries_left > 0 {
        true => job.retries_left,
        // One that was run by hand without any. Its follower has not failed: as a job without
        // retries and without an incident nobody could tell why it never fires.
        false => {
            let cycle = retries::timer_cycle_of(turn, event, &job.job_type);
            jobs::retries_of(turn, host, event, cycle)?.max(1)
        }
    };
    let draft = Draft {
        job_type: job.job_type.clone(),
        priority: job.priority,
        exclusive: job.exclusive,
        due_at: Some(planned.due_at),
        category: job.category.clone(),
        limit_key: job.limit_key.clone(),
        is_suspended: job.state == JobState::Suspended,
        ..Draft::new(kind, retries)
    };
    jobs::create(turn, host, draft);
    Ok(())
}

/// A computed cycle that has become another one begins anew. `None`: it is the same, or nobody
/// wants it computed again.
fn repetition_now(
    turn: &Turn<'_>,
    host: ElementInstanceKey,
    event: &Element,
    timer: &Timer,
    repeat: &Repeat,
) -> Ruled<Option<Planned>> {
    if !turn.settings.reevaluates_cycles || timer.value.as_constant().is_some() {
        return Ok(None);
    }
    match turn.evaluate(&event.id, host, &timer.value) {
        Ok(Value::Text(text)) if text.trim() != &*repeat.text => {
            Ok(schedule::plan(timer.kind, &text, turn.now, turn.semantics()).ok())
        }
        Err(failure) if failure.needs.is_some() => Err(failure),
        Ok(_) | Err(_) => Ok(None),
    }
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
            moment: orloj_model::ListenerMoment::AtOnce,
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
            story.play(crate::Command::JobDue { job, at_once: true });
            story.play(crate::Command::RunJob { job });
            story.jobs.len()
        };
        assert_eq!(timers(process(Sketch::camunda())), 2);
        assert_eq!(timers(process(Sketch::flowable())), 1);
    }
}
