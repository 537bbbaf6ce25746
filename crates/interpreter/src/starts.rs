//! Start events of a definition that something other than a command sets off, and when its timers
//! fire. There is no variable yet that their expressions could see, but for the conditions: they
//! are asked when someone brings variables.

use std::sync::Arc;

use orloj_expr::{Environment, Expression, Language};
use orloj_model::{ElementKind, Process, Program, Script, Timer, TimerKind, Trigger};
use orloj_types::{Document, ElementId, Temporal, Timestamp, Value};

use crate::command::NewTimer;
use crate::record::Repeat;
use crate::schedule::{self, Planned};

#[derive(Clone, Debug, PartialEq)]
pub struct StartWait {
    /// The start event.
    pub event: ElementId,
    pub trigger: StartTrigger,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StartTrigger {
    Message { name: Arc<str> },
    Signal { name: Arc<str> },
    Timer { due_at: Timestamp, repeat: Option<Repeat> },
    Condition,
}

/// What the start events of the process itself wait for. One whose expression gives no name or no
/// moment waits for nothing.
pub fn starts(process: &Process, now: Timestamp) -> Vec<StartWait> {
    let waits = process.root.starts.iter().filter_map(|&index| {
        let element = process.element(index);
        let ElementKind::StartEvent(start) = &element.kind else { return None };
        let trigger = match start.trigger.as_ref()? {
            Trigger::Message(message) => StartTrigger::Message { name: text(&message.name, now)? },
            Trigger::Signal(signal) => StartTrigger::Signal { name: text(&signal.name, now)? },
            Trigger::Condition(_) => StartTrigger::Condition,
            Trigger::Timer(timer) => {
                let Planned { due_at, repeat } = first_firing(process, timer, now)?;
                StartTrigger::Timer { due_at, repeat }
            }
            _ => return None,
        };
        Some(StartWait { event: element.id.clone(), trigger })
    });
    waits.collect()
}

/// A start event that waits for a condition, asked about these variables.
#[derive(Clone, Debug)]
pub enum StartCondition<'p> {
    Holds(&'p ElementId),
    /// It holds if the program gives true.
    Asks(&'p ElementId, &'p Arc<Program>),
}

/// The start events of the process itself that variables which someone has just made may start.
/// One that names a variable is only asked when that is among them; one that cannot be evaluated
/// does not hold.
pub fn start_conditions<'p>(
    process: &'p Process,
    variables: &Document,
    now: Timestamp,
) -> Vec<StartCondition<'p>> {
    let asked = process.root.starts.iter().filter_map(|&index| {
        let element = process.element(index);
        let Some(Trigger::Condition(condition)) = element.trigger() else { return None };
        let is_about = |name: &Arc<str>| variables.get(name).is_some();
        if !condition.variable.as_ref().is_none_or(is_about) {
            return None;
        }
        match &condition.expression {
            Script::Expression(expression) => {
                let environment = Environment::new(variables, now);
                let value = expression.evaluate(&environment).ok()?.value;
                matches!(value, Value::Bool(true)).then_some(StartCondition::Holds(&element.id))
            }
            Script::Program(program) => Some(StartCondition::Asks(&element.id, program)),
            Script::Resource(_) | Script::Unusable(_) => None,
        }
    });
    asked.collect()
}

/// Whether a start timer that is due starts nothing any more: this firing was due after its end.
/// The error says why that cannot be told; the start has failed then.
pub fn start_is_over(
    process: &Process,
    event: &str,
    due_at: Timestamp,
    now: Timestamp,
) -> Result<bool, String> {
    let Some(timer) = timer_of(process, event) else { return Ok(false) };
    let end = end_of(process, timer, now)?;
    Ok(end.is_some_and(|end| due_at > end))
}

/// The firing of `event` after the one that has just happened; `None` when that was the last.
pub fn next_start(
    process: &Process,
    event: &str,
    repeat: &Repeat,
    now: Timestamp,
) -> Option<(Timestamp, Repeat)> {
    let end = match timer_of(process, event) {
        Some(timer) => end_of(process, timer, now).ok()?,
        None => None,
    };
    next_until(process, repeat, end, now)
}

/// When a timer that an operator gives to a start event, in the place of the model's, fires first;
/// and the rest of it, if it repeats. The error says why it cannot be told.
pub fn given_start(
    process: &Process,
    timer: &NewTimer,
    now: Timestamp,
) -> Result<(Timestamp, Option<Repeat>), String> {
    let planned = schedule::plan(timer.kind, &timer.text, now, &process.semantics);
    planned.map(|planned| (planned.due_at, planned.repeat)).map_err(|error| error.to_string())
}

/// As [`start_is_over`], for a timer that an operator gave: the end of the model's is none of its
/// business.
pub fn given_start_is_over(process: &Process, repeat: Option<&Repeat>, due_at: Timestamp) -> bool {
    let end = repeat.and_then(|repeat| schedule::end_in(&repeat.text, &process.semantics));
    end.is_some_and(|end| due_at > end)
}

/// As [`next_start`], for a timer that an operator gave.
pub fn next_given_start(
    process: &Process,
    repeat: &Repeat,
    now: Timestamp,
) -> Option<(Timestamp, Repeat)> {
    next_until(process, repeat, schedule::end_in(&repeat.text, &process.semantics), now)
}

fn next_until(
    process: &Process,
    repeat: &Repeat,
    end: Option<Timestamp>,
    now: Timestamp,
) -> Option<(Timestamp, Repeat)> {
    let planned = schedule::next(repeat, now, &process.semantics)?;
    if end.is_some_and(|end| planned.due_at > end) {
        return None;
    }
    planned.repeat.map(|repeat| (planned.due_at, repeat))
}

fn timer_of<'p>(process: &'p Process, event: &str) -> Option<&'p Timer> {
    match process.element(process.find(event)?).trigger()? {
        Trigger::Timer(timer) => Some(timer),
        _ => None,
    }
}

/// DIFFERENCE: only Flowable's cycles have an end, beside them or in their text.
fn end_of(process: &Process, timer: &Timer, now: Timestamp) -> Result<Option<Timestamp>, String> {
    if timer.kind != TimerKind::Cycle {
        return Ok(None);
    }
    let Some(end) = &timer.end else {
        let Some(Value::Text(text)) = value(&timer.value, now) else { return Ok(None) };
        return Ok(schedule::end_in(&text, &process.semantics));
    };
    let evaluated = end.evaluate(&Environment::new(&(), now)).map_err(|error| error.message())?;
    match evaluated.value {
        Value::Text(text) => schedule::date(&text, now).map(Some).map_err(|e| e.to_string()),
        Value::Temporal(date) if schedule::at(&date).is_some() => Ok(schedule::at(&date)),
        other => Err(format!("the end of the timer is {}, which is no date", other.to_json())),
    }
}

fn first_firing(process: &Process, timer: &Timer, now: Timestamp) -> Option<Planned> {
    let semantics = &process.semantics;
    let mut environment = Environment::new(&(), now);
    if semantics.language == Language::Feel {
        environment = environment.keeping_temporals();
    }
    match timer.value.evaluate(&environment).ok()?.value {
        Value::Text(text) => schedule::plan(timer.kind, &text, now, semantics).ok(),
        Value::Temporal(moment) => {
            let moment: &Temporal = &moment;
            schedule::plan_value(timer.kind, moment, now, semantics).ok()
        }
        _ => None,
    }
}

fn text(expression: &Expression, now: Timestamp) -> Option<Arc<str>> {
    match value(expression, now)? {
        Value::Text(text) => Some(text),
        Value::Null => None,
        other => Some(other.to_json().into()),
    }
}

fn value(expression: &Expression, now: Timestamp) -> Option<Value> {
    expression.evaluate(&Environment::new(&(), now)).ok().map(|evaluated| evaluated.value)
}

#[cfg(test)]
mod tests {
    use orloj_model::{Timer, TimerKind, Trigger, VariableEvent};
    use orloj_types::Timestamp;

    use super::{
        StartCondition, StartTrigger, given_start, given_start_is_over, next_given_start,
        next_start, start_conditions, start_is_over, starts,
    };
    use crate::command::NewTimer;
    use crate::testing::{Sketch, condition, document, start, start_on, user};

    fn started(variable: Option<&str>, json: &str) -> Vec<String> {
        let Trigger::Condition(mut named) = condition("n > 3") else { panic!("it is one") };
        named.variable = variable.map(Into::into);
        // What makes the variable is the start itself.
        named.events = vec![VariableEvent::Update];
        let process = Sketch::camunda()
            .node("by hand", start())
            .node("many", start_on(true, Trigger::Condition(named)))
            .node("few", start_on(true, condition("n < 9")))
            .node("ask", user())
            .flows("by hand -> ask")
            .flows("many -> ask")
            .flows("few -> ask")
            .build();
        let now = Timestamp::from_ms(0);
        let event = |condition: StartCondition<'_>| match condition {
            StartCondition::Holds(event) => event.to_string(),
            StartCondition::Asks(event, _) => panic!("{event} is no program"),
        };
        start_conditions(&process, &document(json), now).into_iter().map(event).collect()
    }

    #[test]
    fn every_condition_that_holds_starts_something() {
        assert_eq!(started(None, r#"{"n":5}"#), ["many", "few"]);
        assert_eq!(started(None, r#"{"n":10}"#), ["many"]);
        assert_eq!(started(None, r#"{"n":1}"#), ["few"]);
    }

    #[test]
    fn what_cannot_be_evaluated_does_not_hold() {
        assert!(started(None, "{}").is_empty());
    }

    #[test]
    fn a_condition_about_a_variable_wants_it_to_be_given() {
        assert_eq!(started(Some("n"), r#"{"n":5}"#), ["many", "few"]);
        assert_eq!(started(Some("other"), r#"{"n":5}"#), ["few"]);
    }

    /// When a Flowable start timer that is made at the epoch starts something, or why it cannot.
    fn hours(kind: TimerKind, text: &str, end: Option<&str>) -> Result<Vec<i64>, String> {
        let sketch = Sketch::flowable();
        let quoted = |text: &str| sketch.expression(&format!("'{text}'"));
        let timer = Timer { kind, value: quoted(text), end: end.map(quoted), exclusive: true };
        let process = Sketch::flowable()
            .node("at", start_on(true, Trigger::Timer(timer)))
            .node("ask", user())
            .flows("at -> ask")
            .build();
        let wait = starts(&process, Timestamp::ZERO).pop().expect("it waits");
        let StartTrigger::Timer { mut due_at, mut repeat } = wait.trigger else {
            panic!("for a timer")
        };
        let mut found = Vec::new();
        while !start_is_over(&process, "at", due_at, due_at)? {
            found.push(due_at.as_ms() / 3_600_000);
            let next = repeat.and_then(|repeat| next_start(&process, "at", &repeat, due_at));
            let Some(next) = next else { break };
            (due_at, repeat) = (next.0, Some(next.1));
        }
        Ok(found)
    }

    #[test]
    fn in_flowable_a_cycle_starts_nothing_after_its_end() {
        let cycle = |text, end| hours(TimerKind::Cycle, text, end).expect("an end");
        assert_eq!(cycle("R5/PT1H", None), [1, 2, 3, 4, 5]);
        assert_eq!(cycle("R5/PT1H", Some("1970-01-01T02:30:00Z")), [1, 2]);
        assert_eq!(cycle("R5/PT1H", Some("1970-01-01T02:00:00Z")), [1, 2]);
        assert_eq!(cycle("0 0 * * * ?", Some("1970-01-01T02:30:00Z")), [1, 2]);
        assert_eq!(cycle("R5/PT1H/1970-01-01T02:30:00Z", None), [1, 2]);
        // The first firing is there and comes to nothing.
        assert!(cycle("R5/PT1H", Some("1969-01-01")).is_empty());
        assert!(cycle("R5/PT1H/1969-01-01T00:00:00Z", None).is_empty());
    }

    #[test]
    fn a_timer_that_is_given_has_its_own_end_and_not_that_of_the_model() {
        let sketch = Sketch::flowable();
        let quoted = |text: &str| sketch.expression(&format!("'{text}'"));
        let end = Some(quoted("1970-01-01T01:30:00Z"));
        let value = quoted("R5/PT1H");
        let timer = Timer { kind: TimerKind::Cycle, value, end, exclusive: true };
        let process = Sketch::flowable()
            .node("at", start_on(true, Trigger::Timer(timer)))
            .node("ask", user())
            .flows("at -> ask")
            .build();
        let hours = |kind, text: &str| {
            let timer = NewTimer { kind, text: text.into() };
            let (mut due_at, mut repeat) = given_start(&process, &timer, Timestamp::ZERO)?;
            let mut found = Vec::new();
            while !given_start_is_over(&process, repeat.as_ref(), due_at) {
                found.push(due_at.as_ms() / 3_600_000);
                let next = repeat.and_then(|repeat| next_given_start(&process, &repeat, due_at));
                let Some(next) = next else { break };
                (due_at, repeat) = (next.0, Some(next.1));
            }
            Ok::<_, String>(found)
        };
        assert_eq!(hours(TimerKind::Duration, "PT4H"), Ok(vec![4]));
        assert_eq!(hours(TimerKind::Cycle, "R3/PT1H"), Ok(vec![1, 2, 3]));
        assert_eq!(hours(TimerKind::Cycle, "R/PT2H/1970-01-01T05:00:00Z"), Ok(vec![2, 4]));
        assert_eq!(hours(TimerKind::Cycle, "R/PT2H/1969-01-01T00:00:00Z"), Ok(vec![]));
        let error = hours(TimerKind::Date, "soon").expect_err("no date");
        assert_eq!(error, "'soon' is no ISO 8601 date and time");
    }

    #[test]
    fn what_fires_once_does_not_ask_for_an_end() {
        let end = Some("1970-01-01T02:30:00Z");
        assert_eq!(hours(TimerKind::Duration, "PT4H", end), Ok(vec![4]));
        assert_eq!(hours(TimerKind::Date, "1970-01-01T04:00:00Z", end), Ok(vec![4]));
        // Nor does it repeat.
        assert_eq!(hours(TimerKind::Duration, "R3/PT1H", None), Ok(vec![1]));
    }

    #[test]
    fn an_end_that_is_no_date_fails_the_start() {
        for end in ["soon", "PT2H"] {
            let error = hours(TimerKind::Cycle, "R5/PT1H", Some(end)).expect_err(end);
            assert_eq!(error, format!("'{end}' is no ISO 8601 date and time"));
        }
    }
}
