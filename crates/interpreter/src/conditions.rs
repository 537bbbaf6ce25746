//! Events that watch variables: conditions, and Flowable's variable listeners.
//!
//! Changes are gathered while a step is at work and looked at before an element begins its work,
//! before it ends, and when nothing else is left to do.
//!
//! DIFFERENCE: Flowable asks conditions only when a client wants it, but hears of variables by
//! itself. Zeebe has neither.

use std::sync::Arc;

use orloj_model::{Condition, Trigger, VariableEvent};
use orloj_types::{ElementInstanceKey, SubscriptionKey, Value, Variables};

use crate::events;
use crate::extract;
use crate::failure::Ruled;
use crate::record::{Record, Subscription, SubscriptionKind};
use crate::scopes::Scopes;
use crate::scripts;
use crate::turn::Turn;

/// Calls of conditions are counted apart from the other calls of their holder.
const ORDINAL_FIRST: u32 = 1 << 24;

/// The variables of an instance when they were last looked at.
pub(crate) type Seen = Scopes;

/// One variable that is not as it was.
#[derive(Clone, Debug)]
struct Change {
    scope: ElementInstanceKey,
    name: Arc<str>,
    event: VariableEvent,
}

/// Every event that watches what has changed is asked; those that hold occur.
pub(crate) fn ask_all(turn: &mut Turn<'_>) -> Ruled {
    let (member, _) = turn.work.at();
    let changes = changes(turn.work.seen.get(&member), &turn.work.record);
    let fresh: Vec<SubscriptionKey> =
        turn.work.fresh.iter().filter(|(of, _)| *of == member).map(|(_, key)| *key).collect();
    let waiting = waiting(&turn.work.record);
    // Everything is evaluated first: the step is repeated when a script has to be run.
    let mut occurring = Vec::new();
    let mut ordinal = ORDINAL_FIRST + turn.work.calls;
    for (host, subscription) in &waiting {
        let element = turn.model(turn.index_of(&subscription.event));
        let mut count = 0;
        match element.trigger() {
            Some(Trigger::Condition(condition)) => {
                let is_fresh = fresh.contains(&subscription.key);
                let asked = changes
                    .iter()
                    .filter(|change| concerns(turn, *host, condition, change))
                    .count()
                    + usize::from(is_fresh);
                if asked > 0 {
                    ordinal += 1;
                    let value =
                        scripts::value(turn, *host, &element.id, ordinal, &condition.expression);
                    count = match value {
                        Ok(Value::Bool(true)) => asked,
                        Ok(Value::Bool(false) | Value::Null) => 0,
                        Ok(other) => {
                            return Err(extract::wrong(element, "condition", "a boolean", &other));
                        }
                        Err(failure) if failure.needs.is_some() => return Err(failure),
                        // What cannot be evaluated yet does not hold yet.
                        Err(_) => 0,
                    };
                }
            }
            Some(Trigger::Variable(watched)) => {
                count = changes
                    .iter()
                    .filter(|change| {
                        change.name == watched.variable
                            && is_listed(&watched.events, change.event)
                            && sees(&turn.work.record, *host, change)
                    })
                    .count();
            }
            _ => {}
        }
        occurring.extend((0..count).map(|_| (*host, subscription.key)));
    }
    turn.work.calls += ordinal - ORDINAL_FIRST - turn.work.calls;
    turn.work.seen.insert(member, turn.work.record.variables.clone());
    turn.work.pending.remove(&member);
    turn.work.fresh.retain(|(of, _)| *of != member);
    for (host, key) in occurring.into_iter().rev() {
        occur(turn, host, key)?;
    }
    Ok(())
}

/// Those that interrupt come last on the agenda and so first to their turn; what they end does
/// not occur any more.
fn occur(turn: &mut Turn<'_>, host: ElementInstanceKey, key: SubscriptionKey) -> Ruled {
    let Some((_, subscription)) = turn.work.record.subscription(key) else { return Ok(()) };
    let event = turn.index_of(&subscription.event);
    if !events::stays(turn.model(event)) {
        events::close(turn, host, key);
    }
    events::occur(turn, host, event, Variables::new())
}

fn waiting(record: &Record) -> Vec<(ElementInstanceKey, Subscription)> {
    let watches = |subscription: &&Subscription| {
        matches!(subscription.kind, SubscriptionKind::Condition | SubscriptionKind::Variable { .. })
    };
    record
        .subscribed()
        .flat_map(|holder| {
            holder.subscriptions.iter().filter(watches).map(|s| (holder.key, s.clone()))
        })
        .collect()
}

fn concerns(
    turn: &Turn<'_>,
    host: ElementInstanceKey,
    condition: &Condition,
    change: &Change,
) -> bool {
    condition.variable.as_ref().is_none_or(|name| *name == change.name)
        && is_listed(&condition.events, change.event)
        && sees(&turn.work.record, host, change)
}

fn is_listed(events: &[VariableEvent], event: VariableEvent) -> bool {
    events.is_empty() || events.contains(&event)
}

/// Whether the variable that changed is the one seen from `host`.
fn sees(record: &Record, host: ElementInstanceKey, change: &Change) -> bool {
    let mut scope = host;
    loop {
        if scope == change.scope {
            return true;
        }
        let is_hidden =
            record.variables.get(&scope).is_some_and(|own| own.contains_key(&change.name));
        if is_hidden || scope == record.root.key {
            return false;
        }
        let Some(instance) = record.elements.get(scope) else { return false };
        scope = instance.scope;
    }
}

/// What differs from what was seen last, scope by scope.
fn changes(seen: Option<&Seen>, record: &Record) -> Vec<Change> {
    let (nothing, unseen) = (Variables::new(), Seen::default());
    let seen = seen.unwrap_or(&unseen);
    let mut changes = Vec::new();
    for (scope, now) in record.variables.maybe_changed(seen) {
        let before = seen.get(&scope).unwrap_or(&nothing);
        let mut note = |name: &Arc<str>, event| {
            changes.push(Change { scope, name: name.clone(), event });
        };
        for (name, value) in now {
            match before.get(name) {
                None => note(name, VariableEvent::Create),
                Some(known) if known != value => note(name, VariableEvent::Update),
                Some(_) => {}
            }
        }
        for name in before.keys().filter(|name| !now.contains_key(*name)) {
            note(name, VariableEvent::Delete);
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use orloj_model::{SubProcessKind, Trigger, VariableChange, VariableEvent};

    use crate::testing::{
        Sketch, Story, condition, delegate, end, on, start, start_on, subprocess,
    };
    use crate::testing::{document, user};
    use crate::{Command, InvokeResult};

    fn entered(told: &str) -> Vec<&str> {
        let words = ["entered ", "terminated "];
        told.lines().filter(|line| words.iter().any(|word| line.starts_with(word))).collect()
    }

    #[test]
    fn a_condition_that_holds_already_occurs_when_its_element_begins() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "enough", on(true, condition("n > 3")))
            .node("then", user())
            .flows("start -> ask")
            .flows("enough -> then");
        let process = process.build();
        let mut story = Story::of(process.clone());
        assert_eq!(
            entered(&story.start(r#"{"n":5}"#)),
            ["entered start", "entered ask", "terminated ask", "entered enough", "entered then"]
        );
        let mut story = Story::of(process);
        assert_eq!(entered(&story.start(r#"{"n":1}"#)), ["entered start", "entered ask"]);
        let scope = story.record.as_ref().expect("it lives").root.key;
        let set = |json| Command::SetVariables { scope, variables: document(json), local: false };
        assert!(entered(&story.play(set(r#"{"n":2}"#))).is_empty());
        let told = story.play(set(r#"{"n":4}"#));
        assert_eq!(entered(&told), ["terminated ask", "entered enough", "entered then"]);
    }

    #[test]
    fn a_delegate_that_makes_a_condition_true_is_ended_by_it() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("work", delegate("Work"))
            .boundary("work", "enough", on(true, condition("n > 3")))
            .node("then", user())
            .node("other", user())
            .flows("start -> work -> other")
            .flows("enough -> then");
        let done = InvokeResult::Done { variables: document(r#"{"n":4}"#) };
        let mut story = Story::of(process.build()).delegate("Work", &[done]);
        assert_eq!(
            entered(&story.start(r#"{"n":1}"#)),
            ["entered start", "entered work", "terminated work", "entered enough", "entered then"]
        );
    }

    fn watched(trigger: Trigger, interrupting: bool) -> Sketch {
        Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .node("then", user())
            .node("watch", subprocess(SubProcessKind::Event))
            .node("changed", start_on(interrupting, trigger))
            .node("done", end())
            .inside("watch", &["changed", "done"])
            .flows("start -> ask -> then")
            .flows("changed -> done")
    }

    #[test]
    fn an_event_subprocess_occurs_at_every_change_while_its_condition_holds() {
        let mut story = Story::of(watched(condition("n > 3"), false).build());
        story.start("{}");
        let told = story.complete_user_task("ask", r#"{"n":4,"m":1}"#);
        let begun = entered(&told).into_iter().filter(|line| line.starts_with("entered watch"));
        assert_eq!(begun.count(), 2, "once for each variable");
    }

    #[test]
    fn only_the_named_variable_and_kind_of_change_count() {
        let Trigger::Condition(mut only) = condition("n > 3") else { panic!("it is one") };
        only.variable = Some("n".into());
        only.events = vec![VariableEvent::Update];
        let mut story = Story::of(watched(Trigger::Condition(only), true).build());
        story.start("{}");
        let scope = story.record.as_ref().expect("it lives").root.key;
        let set = |json| Command::SetVariables { scope, variables: document(json), local: false };
        assert!(entered(&story.play(set(r#"{"n":4}"#))).is_empty(), "it is created");
        assert!(entered(&story.play(set(r#"{"m":4}"#))).is_empty(), "it is another");
        let told = story.play(set(r#"{"n":5}"#));
        assert_eq!(
            entered(&told),
            ["terminated ask", "entered watch", "entered changed", "entered done"]
        );
        assert!(story.record.is_none());
    }

    #[test]
    fn flowable_asks_no_condition_but_hears_of_variables() {
        let process = |trigger| {
            Sketch::flowable()
                .node("start", start())
                .node("ask", user())
                .boundary("ask", "changed", on(false, trigger))
                .node("then", user())
                .flows("start -> ask")
                .flows("changed -> then")
                .build()
        };
        let change = |events| Trigger::Variable(VariableChange { variable: "n".into(), events });
        let told = |trigger| {
            let mut story = Story::of(process(trigger));
            story.start(r#"{"n":1}"#);
            let scope = story.record.as_ref().expect("it lives").root.key;
            let variables = document(r#"{"n":4}"#);
            story.play(Command::SetVariables { scope, variables, local: false })
        };
        assert!(entered(&told(condition("n > 3"))).is_empty());
        assert!(entered(&told(change(vec![VariableEvent::Create]))).is_empty());
        assert_eq!(entered(&told(change(Vec::new()))), ["entered changed", "entered then"]);
    }
}
