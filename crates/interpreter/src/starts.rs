//! Start events of a definition that something other than a command sets off, and when its timers
//! fire. There is no variable yet that their expressions could see, but for the conditions: they
//! are asked when someone brings variables.

use std::sync::Arc;

use orloj_expr::{Environment, Expression, Language};
use orloj_model::{ElementKind, Process, Program, Script, Timer, Trigger};
use orloj_types::{Document, ElementId, Temporal, Timestamp, Value};

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

/// The firing after the one that has just happened; `None` when that was the last.
pub fn next_start(
    process: &Process,
    repeat: &Repeat,
    now: Timestamp,
) -> Option<(Timestamp, Repeat)> {
    let planned = schedule::next(repeat, now, &process.semantics)?;
    planned.repeat.map(|repeat| (planned.due_at, repeat))
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
        Value::Int(ms) => Some(Planned { due_at: Timestamp::from_ms(ms), repeat: None }),
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
    use orloj_model::{Trigger, VariableEvent};
    use orloj_types::Timestamp;

    use super::{StartCondition, start_conditions};
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
}
