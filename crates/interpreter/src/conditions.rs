//! Events that watch variables: conditions, and Flowable's variable listeners.
//!
//! Changes are gathered while a step is at work and looked at before an element begins its work,
//! before it ends, and when nothing else is left to do.
//!
//! DIFFERENCE: Flowable asks conditions only when a client wants it, but hears of variables by
//! itself. Zeebe has neither.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_model::{Condition, Element, ElementKind, Trigger, VariableEvent};
use orloj_types::{ElementInstanceKey, SubscriptionKey, Value, Variables};

use crate::command::Command;
use crate::engine_events;
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
    name: Arc<str>,
    event: VariableEvent,
}

/// By scope.
type Changes = BTreeMap<ElementInstanceKey, Vec<Change>>;

/// As [`ask_all`], when nothing else is left to do.
///
/// DIFFERENCE: in Camunda a token hears what it changed when it moves on. What it changes while it
/// comes to rest or ends, as a listener of a created task does, is heard by no event.
pub(crate) fn ask_last(turn: &mut Turn<'_>) -> Ruled {
    let (member, _) = turn.work.at();
    let is_fresh = turn.work.fresh.iter().any(|(of, _)| *of == member);
    let is_moved = !matches!(
        turn.command,
        Command::SetVariables { .. } | Command::Modify { .. } | Command::Migrate(_)
    );
    if turn.semantics().catching.last_changes_unheard && is_moved && !is_fresh {
        turn.work.record.variables.forget_writes();
        turn.work.seen.insert(member, turn.work.record.variables.clone());
        turn.work.pending.remove(&member);
        return Ok(());
    }
    ask_all(turn)
}

/// Every event that watches what has changed is asked; those that hold occur.
pub(crate) fn ask_all(turn: &mut Turn<'_>) -> Ruled {
    let (member, _) = turn.work.at();
    let changes = changes(turn.work.seen.get(&member), &turn.work.record);
    let fresh: BTreeSet<SubscriptionKey> =
        turn.work.fresh.iter().filter(|(of, _)| *of == member).map(|(_, key)| *key).collect();
    // Everything is evaluated first: the step is repeated when a script has to be run.
    let mut occurring = Vec::new();
    let mut ordinal = ORDINAL_FIRST + turn.work.calls;
    for host in concerned(&turn.work.record, &changes, &fresh) {
        // Nothing can happen any more at an element whose end is told already.
        if turn.work.said_end.contains(&host) {
            continue;
        }
        let seen = seen_from(&turn.work.record, host, &changes);
        for subscription in watching(&turn.work.record, host) {
            let element = turn.model(turn.index_of(&subscription.event));
            let is_fresh = fresh.contains(&subscription.key);
            let count = occurrences(turn, host, element, &seen, is_fresh, &mut ordinal)?;
            occurring.extend((0..count).map(|_| (host, subscription.key)));
        }
    }
    turn.work.calls += ordinal - ORDINAL_FIRST - turn.work.calls;
    let told =
        changes.iter().flat_map(|(scope, changes)| changes.iter().map(|c| (*scope, c.event)));
    for (scope, event) in told {
        engine_events::tell_change(turn, scope, event);
    }
    turn.work.record.variables.forget_writes();
    turn.work.seen.insert(member, turn.work.record.variables.clone());
    turn.work.pending.remove(&member);
    turn.work.fresh.retain(|(of, _)| *of != member);
    for (host, key) in occurring.into_iter().rev() {
        occur(turn, host, key)?;
    }
    Ok(())
}

/// How often an event occurs for what its host has seen change.
fn occurrences(
    turn: &Turn<'_>,
    host: ElementInstanceKey,
    element: &Element,
    seen: &[&Change],
    is_fresh: bool,
    ordinal: &mut u32,
) -> Ruled<usize> {
    let condition = match element.trigger() {
        Some(Trigger::Condition(condition)) => condition,
        Some(Trigger::Variable(watched)) => {
            let is_it = |change: &&&Change| {
                change.name == watched.variable && is_listed(&watched.events, change.event)
            };
            return Ok(seen.iter().filter(is_it).count());
        }
        _ => return Ok(0),
    };
    let changed = seen.iter().filter(|change| concerns(condition, change)).count();
    let is_start = matches!(element.kind, ElementKind::StartEvent(_));
    let asked = match (is_fresh, is_start) {
        (false, _) => changed,
        // It waits as long as its scope, which heard every change since it began.
        (true, true) => changed + 1,
        // What has changed before the element began its work is all one to it.
        (true, false) => 1,
    };
    if asked == 0 {
        return Ok(0);
    }
    *ordinal += 1;
    match scripts::value(turn, host, &element.id, *ordinal, &condition.expression) {
        Ok(Value::Bool(true)) => Ok(asked),
        Ok(Value::Bool(false) | Value::Null) => Ok(0),
        Ok(other) => Err(extract::wrong(element, "condition", "a boolean", &other)),
        Err(failure) if failure.needs.is_some() => Err(failure),
        // What cannot be evaluated yet does not hold yet.
        Err(_) => Ok(0),
    }
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

/// Those whose events may have something to ask, oldest first: what has just begun to wait, and
/// what lies in a scope with a change. An instance may have any number of others.
fn concerned(
    record: &Record,
    changes: &Changes,
    fresh: &BTreeSet<SubscriptionKey>,
) -> BTreeSet<ElementInstanceKey> {
    if changes.contains_key(&record.root.key) {
        return record.subscribed().map(|holder| holder.key).collect();
    }
    let hosts = fresh.iter().filter_map(|key| record.subscription(*key));
    let mut hosts: BTreeSet<_> = hosts.map(|(holder, _)| holder.key).collect();
    let mut scopes: Vec<ElementInstanceKey> = changes.keys().copied().collect();
    let mut known: BTreeSet<ElementInstanceKey> = BTreeSet::new();
    while let Some(scope) = scopes.pop() {
        // One change may lie in the scope of another.
        if !known.insert(scope) {
            continue;
        }
        if record.elements.get(scope).is_some_and(|holder| !holder.subscriptions.is_empty()) {
            hosts.insert(scope);
        }
        scopes.extend(record.elements.children(scope).map(|child| child.key));
    }
    hosts
}

fn watching(record: &Record, host: ElementInstanceKey) -> impl Iterator<Item = &Subscription> {
    #[cfg(test)]
    tests::LOOKED_AT.with(|count| count.set(count.get() + 1));
    let watches = |subscription: &&Subscription| {
        matches!(subscription.kind, SubscriptionKind::Condition | SubscriptionKind::Variable { .. })
    };
    record
        .element(host)
        .into_iter()
        .flat_map(move |holder| holder.subscriptions.iter().filter(watches))
}

fn concerns(condition: &Condition, change: &Change) -> bool {
    condition.variable.as_ref().is_none_or(|name| *name == change.name)
        && is_listed(&condition.events, change.event)
}

fn is_listed(events: &[VariableEvent], event: VariableEvent) -> bool {
    events.is_empty() || events.contains(&event)
}

/// The changes of variables that are seen from `host`: not hidden by nearer ones.
fn seen_from<'c>(
    record: &Record,
    host: ElementInstanceKey,
    changes: &'c Changes,
) -> Vec<&'c Change> {
    let mut seen = Vec::new();
    let mut nearer: Vec<&Variables> = Vec::new();
    let mut scope = host;
    loop {
        let here = changes.get(&scope).into_iter().flatten();
        seen.extend(here.filter(|change| !nearer.iter().any(|own| own.contains_key(&change.name))));
        if scope == record.root.key {
            return seen;
        }
        nearer.extend(record.variables.get(&scope));
        let Some(instance) = record.elements.get(scope) else { return seen };
        scope = instance.scope;
    }
}

/// What differs from what was seen last, scope by scope. A variable that was set several times
/// since has changed as often, and also where it got the value it had.
fn changes(seen: Option<&Seen>, record: &Record) -> Changes {
    let (nothing, unseen) = (Variables::new(), Seen::default());
    let seen = seen.unwrap_or(&unseen);
    let mut counts: BTreeMap<(ElementInstanceKey, &Arc<str>), usize> = BTreeMap::new();
    for (scope, name) in record.variables.writes() {
        *counts.entry((*scope, name)).or_default() += 1;
    }
    let mut changes = Changes::new();
    for (scope, now) in record.variables.maybe_changed(seen) {
        let before = seen.get(&scope).unwrap_or(&nothing);
        let mut note = |name: &Arc<str>, event| {
            changes.entry(scope).or_default().push(Change { name: name.clone(), event });
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
    for ((scope, name), count) in counts {
        let Some(own) = record.variables.get(&scope).filter(|own| own.contains_key(name)) else {
            continue;
        };
        let is_equal = seen.get(&scope).and_then(|before| before.get(name)) == own.get(name);
        let again = if is_equal { count } else { count - 1 };
        if again == 0 {
            continue;
        }
        let change = Change { name: name.clone(), event: VariableEvent::Update };
        changes.entry(scope).or_default().extend(std::iter::repeat_n(change, again));
    }
    changes
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use orloj_model::{
        Items, MultiInstance, SubProcessKind, Trigger, VariableChange, VariableEvent,
    };

    use crate::testing::{
        Sketch, Story, condition, delegate, end, on, start, start_on, subprocess,
    };
    use crate::testing::{document, user};
    use crate::{Command, InvokeResult};

    thread_local! {
        /// How many hosts of events were looked at.
        pub(super) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    /// A task with a condition at its boundary, in a subprocess that is done for each item.
    fn watched_items(is_sequential: bool) -> Sketch {
        let sketch = Sketch::camunda();
        let collection = sketch.expression("items");
        let multi = MultiInstance {
            is_sequential,
            items: Items::Collection { collection, variable: Some("item".into()) },
            completion: None,
            output: None,
            aggregations: Vec::new(),
            inner_before: None,
            inner_after: None,
            inner_retry_cycle: None,
            is_watched: false,
            index_variable: None,
        };
        sketch
            .node("start", start())
            .node("each", subprocess(SubProcessKind::Embedded))
            .node("in", start())
            .node("ask", user())
            .inside("each", &["in", "ask"])
            .flows("start -> each")
            .flows("in -> ask")
            .boundary("ask", "enough", on(true, condition("item > 1000000")))
            .with("each", |e| e.multi = Some(multi))
    }

    #[test]
    fn each_of_many_conditions_is_looked_at_a_few_times_only() {
        let looked_at = |items: usize| {
            let process = watched_items(false).build();
            let list: Vec<String> = (0..items).map(|item| item.to_string()).collect();
            LOOKED_AT.with(|count| count.set(0));
            let mut story = Story::of(process);
            story.start(&format!(r#"{{"items":[{}]}}"#, list.join(",")));
            assert_eq!(story.record.as_ref().expect("it lives").elements.len(), 1 + 2 * items);
            LOOKED_AT.with(Cell::get)
        };
        let few = looked_at(100);
        assert!(looked_at(1_000) <= 10 * few, "ten times as many cost ten times as much");
        assert!(few <= 3 * 100, "{few}");
    }

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
