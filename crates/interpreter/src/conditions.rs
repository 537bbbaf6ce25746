//! Events that watch variables: conditions here, Flowable's variable listeners in a file of their
//! own.
//!
//! Changes are gathered while a step is at work and looked at before an element begins its work,
//! before it ends, and when nothing else is left to do.
//!
//! DIFFERENCE: Flowable asks conditions only when a client wants it, but hears of variables by
//! itself. Zeebe has neither.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_model::{Condition, Conditions, Element, ElementKind, Trigger, VariableEvent};
use orloj_types::{ElementInstanceKey, SubscriptionKey, Value, Variables};

use crate::agenda::Step;
use crate::command::Command;
use crate::engine_events;
use crate::events;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::mappings;
use crate::record::{ElementInstance, ElementState, Record, Role, Subscription, SubscriptionKind};
use crate::scopes::{Scopes, Write};
use crate::scripts;
use crate::stage::Stage;
use crate::turn::Turn;
use crate::variable_listeners;

/// Calls of conditions are counted apart from the other calls of their holder.
const ORDINAL_FIRST: u32 = 1 << 24;

/// The variables of an instance when they were last looked at.
pub(crate) type Seen = Scopes;

/// One variable that is not as it was.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) name: Arc<str>,
    pub(crate) event: VariableEvent,
}

/// By scope.
pub(crate) type Changes = BTreeMap<ElementInstanceKey, Vec<Change>>;

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
        turn.work.seen.insert(member, turn.work.record.variables.without_notes());
        turn.work.pending.remove(&member);
        return Ok(());
    }
    ask_all(turn)
}

/// Every event that watches what has changed is asked; those that hold occur.
pub(crate) fn ask_all(turn: &mut Turn<'_>) -> Ruled {
    let (member, _) = turn.work.at();
    let are_asked = turn.semantics().conditions == Conditions::OnChange;
    let restores = turn.semantics().catching.set_again_is_update;
    let changes = changes(turn.work.seen.get(&member), &turn.work.record, restores);
    let fresh: BTreeSet<SubscriptionKey> =
        turn.work.fresh.iter().filter(|(of, _)| *of == member).map(|(_, key)| *key).collect();
    // Everything is evaluated first: the step is repeated when a script has to be run.
    let mut occurring = Vec::new();
    let mut ordinal = ORDINAL_FIRST + turn.work.calls;
    let hosts = match are_asked {
        true => concerned(&turn.work.record, &changes, &fresh),
        // Only the listeners of variables hear.
        false => BTreeSet::new(),
    };
    for host in hosts {
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
    // The first that interrupts takes the place of all that its host would still hear.
    let mut interrupted = BTreeSet::new();
    occurring.retain(|&(host, key): &(ElementInstanceKey, SubscriptionKey)| {
        let goes = !interrupted.contains(&host);
        let event = turn.work.record.subscription(key).map(|(_, found)| &found.event);
        let event = event.map(|event| turn.model(turn.index_of(event)));
        // An event subprocess takes the place of one that has just begun.
        let is_start = event.is_some_and(|event| matches!(event.kind, ElementKind::StartEvent(_)));
        if event.is_some_and(|event| !events::stays(event)) && !is_start {
            interrupted.insert(host);
        }
        goes
    });
    turn.work.calls += ordinal - ORDINAL_FIRST - turn.work.calls;
    variable_listeners::note(turn, &changes);
    let told =
        changes.iter().flat_map(|(scope, changes)| changes.iter().map(|c| (*scope, c.event)));
    for (scope, event) in told {
        engine_events::tell_change(turn, scope, event);
    }
    turn.work.record.variables.forget_writes();
    turn.work.seen.insert(member, turn.work.record.variables.without_notes());
    turn.work.pending.remove(&member);
    turn.work.fresh.retain(|(of, _)| *of != member);
    for (host, key, is_later) in in_turn(turn, &occurring).into_iter().rev() {
        match is_later {
            true => occur_later(turn, host, key),
            false => occur(turn, host, key)?,
        }
    }
    Ok(())
}

/// The same, each with whether its event subprocess is not the first of its scope that begins.
fn in_turn(
    turn: &Turn<'_>,
    occurring: &[(ElementInstanceKey, SubscriptionKey)],
) -> Vec<(ElementInstanceKey, SubscriptionKey, bool)> {
    let mut begun = BTreeSet::new();
    let is_start = |key| {
        let event = turn.work.record.subscription(key).map(|(_, found)| &found.event);
        let event = event.map(|event| turn.model(turn.index_of(event)));
        event.is_some_and(|event| matches!(event.kind, ElementKind::StartEvent(_)))
    };
    let each = occurring.iter();
    each.map(|&(host, key)| (host, key, is_start(key) && !begun.insert(host))).collect()
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
    let Some(Trigger::Condition(condition)) = element.trigger() else { return Ok(0) };
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
    match holds(turn, host, element, condition, ordinal) {
        Ok(true) => Ok(asked),
        Ok(false) => Ok(0),
        // What is not there yet may come; anything else is wrong for good.
        Err(failure) if failure.needs.is_none() && is_missing(&failure) => Ok(0),
        Err(failure) => Err(failure),
    }
}

fn holds(
    turn: &Turn<'_>,
    host: ElementInstanceKey,
    element: &Element,
    condition: &Condition,
    ordinal: &mut u32,
) -> Ruled<bool> {
    *ordinal += 1;
    match scripts::value(turn, host, &element.id, *ordinal, &condition.expression)? {
        Value::Bool(holds) => Ok(holds),
        other => Err(extract::wrong(element, "condition", "a boolean", &other)),
    }
}

/// Whether tokens move in it; the body of a loop leaves that to its instances.
fn is_open_scope(turn: &Turn<'_>, holder: &ElementInstance) -> bool {
    let is_subprocess = |index| matches!(turn.model(index).kind, ElementKind::SubProcess(_));
    holder.state == ElementState::Active
        && holder.role != Role::Body
        && turn.model_of(holder.key).is_none_or(is_subprocess)
}

/// Every conditional event is asked once, whatever has changed; those that hold occur. Start events
/// of event subprocesses come last. They do not wait: what hears nothing keeps no scope open.
pub(crate) fn ask_once(turn: &mut Turn<'_>) -> Ruled {
    let mut ordinal = ORDINAL_FIRST + turn.work.calls;
    let (mut waiting, mut starting) = (Vec::new(), Vec::new());
    // Everything is evaluated first: the step is repeated when a script has to be run.
    for holder in turn.work.record.subscribed() {
        for subscription in &holder.subscriptions {
            let element = turn.model(turn.index_of(&subscription.event));
            let Some(Trigger::Condition(condition)) = element.trigger() else { continue };
            if holds(turn, holder.key, element, condition, &mut ordinal)? {
                waiting.push((holder.key, subscription.key));
            }
        }
    }
    for holder in turn.work.record.holders().filter(|holder| is_open_scope(turn, holder)) {
        for start in events::starts_within(turn, holder.key) {
            let element = turn.model(start);
            let Some(Trigger::Condition(condition)) = element.trigger() else { continue };
            if holds(turn, holder.key, element, condition, &mut ordinal)? {
                starting.push((holder.key, start));
            }
        }
    }
    turn.work.calls = ordinal - ORDINAL_FIRST;
    for (host, key) in waiting {
        occur(turn, host, key)?;
    }
    for (host, start) in starting {
        // One that occurred before may have ended it.
        if turn.work.record.element(host).is_some() {
            events::occur(turn, host, start, Variables::new())?;
        }
    }
    Ok(())
}

/// Whether a condition asks for something that is not there. A script tells that by its words only.
fn is_missing(failure: &Failure) -> bool {
    failure.kind == FailureKind::UnknownName
        || failure.kind == FailureKind::Foreign && failure.message.contains(MISSING_IN_SCRIPT)
}

/// What Groovy says, and Camunda looks for.
const MISSING_IN_SCRIPT: &str = "No such property";

/// Those that interrupt come last on the agenda and so first to their turn; what they end does
/// not occur any more.
pub(crate) fn occur(turn: &mut Turn<'_>, host: ElementInstanceKey, key: SubscriptionKey) -> Ruled {
    let Some((_, subscription)) = turn.work.record.subscription(key) else { return Ok(()) };
    let event = turn.index_of(&subscription.event);
    if !events::stays(turn.model(event)) {
        events::close(turn, host, key);
    }
    events::occur(turn, host, event, Variables::new())
}

/// An event subprocess begins when those of its scope that heard the change before it have come to
/// rest. It ends them if it interrupts; that one of them has interrupted does not keep it back.
fn occur_later(turn: &mut Turn<'_>, host: ElementInstanceKey, key: SubscriptionKey) {
    let Some((_, subscription)) = turn.work.record.subscription(key) else { return };
    let event = turn.index_of(&subscription.event);
    if !events::stays(turn.model(event)) {
        events::close(turn, host, key);
    }
    turn.work.push_next(Step::Occur { host, event, with: Variables::new() });
}

/// Those whose events may have something to ask, oldest first: what has just begun to wait, and
/// what lies in a scope with a change.
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
    // An instance may have any number of others, in the scope or elsewhere.
    match watching_below(record, changes, record.elements.condition_count()) {
        Some(found) => hosts.extend(found),
        None => {
            let found = record.elements.watching().into_iter();
            hosts.extend(found.filter(|&holder| is_within(record, changes, holder)));
        }
    }
    hosts
}

/// What waits in the scopes with a change. `None`: more than `most` lie there, so that it is less
/// work to look where those that wait lie.
fn watching_below(
    record: &Record,
    changes: &Changes,
    most: usize,
) -> Option<Vec<ElementInstanceKey>> {
    let mut hosts = Vec::new();
    let mut scopes: Vec<ElementInstanceKey> = changes.keys().copied().collect();
    let mut known: BTreeSet<ElementInstanceKey> = BTreeSet::new();
    let most = most + changes.len();
    while let Some(scope) = scopes.pop() {
        // One change may lie in the scope of another.
        if !known.insert(scope) {
            continue;
        }
        if record.elements.get(scope).is_some_and(|holder| !holder.subscriptions.is_empty()) {
            hosts.push(scope);
        }
        let children = record.elements.children(scope).map(|child| child.key);
        #[cfg(test)]
        let children = children.inspect(|_| tests::PASSED.with(|count| count.set(count.get() + 1)));
        scopes.extend(children.take(most + 1));
        if known.len() + scopes.len() > most {
            return None;
        }
    }
    Some(hosts)
}

fn is_within(record: &Record, changes: &Changes, mut key: ElementInstanceKey) -> bool {
    while !changes.contains_key(&key) {
        #[cfg(test)]
        tests::PASSED.with(|count| count.set(count.get() + 1));
        let Some(instance) = record.elements.get(key) else { return false };
        key = instance.scope;
    }
    true
}

fn watching(record: &Record, host: ElementInstanceKey) -> impl Iterator<Item = &Subscription> {
    #[cfg(test)]
    tests::LOOKED_AT.with(|count| count.set(count.get() + 1));
    let watches = |subscription: &&Subscription| subscription.kind == SubscriptionKind::Condition;
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

/// What was written since variables were seen last, scope by scope, each write for itself: also
/// where it changed nothing, or a later one took it back. What came without a write is found by
/// comparison.
///
/// DIFFERENCE: what is set again after it was taken away has changed in Camunda (`restores`), and
/// is new elsewhere.
fn changes(seen: Option<&Seen>, record: &Record, restores: bool) -> Changes {
    let (nothing, unseen) = (Variables::new(), Seen::default());
    let seen = seen.unwrap_or(&unseen);
    let mut first: BTreeMap<(ElementInstanceKey, &Arc<str>), VariableEvent> = BTreeMap::new();
    for write in record.variables.writes() {
        first.entry((write.scope, &write.name)).or_insert(write.event);
    }
    let is_held = |scope, name: &Arc<str>| record.variables.is_held(scope, name);
    let mut changes = Changes::new();
    let mut note = |scope, name: &Arc<str>, event| {
        changes.entry(scope).or_default().push(Change { name: name.clone(), event });
    };
    for (scope, now) in record.variables.maybe_changed(seen) {
        let before = seen.get(&scope).unwrap_or(&nothing);
        let is_told = |name| first.contains_key(&(scope, name)) || is_held(scope, name);
        for (name, value) in now.iter().filter(|(name, _)| !is_told(name)) {
            match before.get(name) {
                None => note(scope, name, VariableEvent::Create),
                Some(known) if known != value => note(scope, name, VariableEvent::Update),
                Some(_) => {}
            }
        }
        let gone = before.keys().filter(|name| !now.contains_key(*name) && !is_told(name));
        gone.for_each(|name| note(scope, name, VariableEvent::Delete));
    }
    // A variable that an instance or element was made with may be written again at once.
    for (&(scope, name), event) in &first {
        let was_there = seen.get(&scope).is_some_and(|before| before.contains_key(name));
        if *event != VariableEvent::Create && !was_there && !is_held(scope, name) {
            note(scope, name, VariableEvent::Create);
        }
    }
    let mut removed: BTreeSet<(ElementInstanceKey, &Arc<str>)> = BTreeSet::new();
    for Write { scope, name, event } in record.variables.writes() {
        let was_removed = removed.contains(&(*scope, name));
        if *event == VariableEvent::Delete {
            removed.insert((*scope, name));
        }
        match (event, was_removed && restores) {
            (VariableEvent::Create, true) => note(*scope, name, VariableEvent::Update),
            _ => note(*scope, name, *event),
        }
    }
    changes
}

/// A token that is in the body of a loop itself goes on: what the loop wrote there is heard now.
///
/// DIFFERENCE: of Camunda. A parallel instance that is a scope of its own is no such token until
/// it has left; one of a sequence is, but before anything in it waits. One that still waits at its
/// save point is nothing yet but a token in the body.
pub(crate) fn release(turn: &mut Turn<'_>, key: ElementInstanceKey, stage: Stage) {
    let instance = turn.element(key);
    let is_in_body = || {
        let element = turn.model(turn.index_of(&instance.element));
        matches!(stage, Stage::Before(_))
            || !mappings::is_scope_in_loop(element)
            || is_sequence(element)
    };
    if instance.role == Role::Inner && is_in_body() {
        release_body(turn, instance.scope);
    }
}

/// Whether it is an instance of a loop of which none has ended.
///
/// DIFFERENCE: in Camunda nobody hears what is written between one instance and the save point of
/// the next.
pub(crate) fn begins_loop(turn: &Turn<'_>, key: ElementInstanceKey) -> bool {
    let instance = turn.element(key);
    let numbers = || turn.element(instance.scope).multi;
    instance.role == Role::Inner && numbers().is_some_and(|numbers| numbers.completed == 0)
}

/// Whether it is an instance of a sequence and a scope of its own.
pub(crate) fn is_scope_in_sequence(turn: &Turn<'_>, key: ElementInstanceKey) -> bool {
    let instance = turn.element(key);
    instance.role == Role::Inner && {
        let element = turn.model(turn.index_of(&instance.element));
        mappings::is_scope_in_loop(element) && is_sequence(element)
    }
}

fn is_sequence(element: &Element) -> bool {
    element.multi.as_ref().is_some_and(|multi| multi.is_sequential)
}

/// The same, when an instance of the loop has left.
pub(crate) fn release_body(turn: &mut Turn<'_>, body: ElementInstanceKey) {
    if turn.work.record.variables.release(body) {
        turn.note_variables();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use orloj_model::{
        ElementKind, Items, MultiInstance, ReceiveTask, SubProcessKind, Trigger, VariableChange,
        VariableEvent,
    };

    use crate::scopes::tests::HELD_MAX;
    use crate::testing::{
        Sketch, Story, condition, delegate, end, on, start, start_on, subprocess,
    };
    use crate::testing::{document, user};
    use crate::{Command, InvokeResult};

    thread_local! {
        /// How many hosts of events were looked at.
        pub(super) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
        /// How many element instances were passed on the way to them.
        pub(super) static PASSED: Cell<usize> = const { Cell::new(0) };
    }

    fn for_each_item(sketch: &Sketch, is_sequential: bool) -> MultiInstance {
        let collection = sketch.expression("items");
        MultiInstance {
            is_sequential,
            ..MultiInstance::of(Items::Collection { collection, variable: Some("item".into()) })
        }
    }

    /// A task with a condition at its boundary, in a subprocess that is done for each item.
    fn watched_items(is_sequential: bool) -> Sketch {
        let sketch = Sketch::camunda();
        let multi = for_each_item(&sketch, is_sequential);
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

    #[test]
    fn instances_that_leave_a_loop_are_not_looked_through_for_each_other() {
        let passed = |items: usize| {
            let process = watched(condition("n > 3"), true);
            let multi = for_each_item(&process, false);
            let process = process.with("ask", |e| {
                e.kind = ElementKind::ReceiveTask(ReceiveTask { message: None });
                e.multi = Some(multi);
            });
            let list: Vec<String> = (0..items).map(|item| item.to_string()).collect();
            PASSED.with(|count| count.set(0));
            let mut story = Story::of(process.build());
            story.start(&format!(r#"{{"items":[{}]}}"#, list.join(",")));
            let elements = &story.record.as_ref().expect("it lives").elements;
            let waiting = elements.iter().flat_map(|e| &e.subscriptions);
            let waiting: Vec<_> = waiting.map(|subscription| subscription.key).collect();
            assert_eq!(waiting.len(), items);
            for subscription in waiting {
                story.play(Command::Trigger { subscription, variables: document("{}") });
            }
            PASSED.with(Cell::get)
        };
        let (few, many) = (passed(30), passed(300));
        assert!(few <= 10 * 30 && many <= 10 * 300, "{few} and {many}");
    }

    #[test]
    fn a_long_sequence_holds_no_more_back_than_a_short_one() {
        let held_and_looked_at = |items: usize| {
            let process = watched_items(true).with("ask", |e| e.kind = ElementKind::PlainTask);
            let list: Vec<String> = (0..items).map(|item| item.to_string()).collect();
            LOOKED_AT.with(|count| count.set(0));
            HELD_MAX.with(|most| most.set(0));
            let mut story = Story::of(process.build());
            story.start(&format!(r#"{{"items":[{}]}}"#, list.join(",")));
            assert!(story.record.is_none(), "all are done by one command");
            (HELD_MAX.with(Cell::get), LOOKED_AT.with(Cell::get))
        };
        let (few_held, few_looked_at) = held_and_looked_at(30);
        let (held, looked_at) = held_and_looked_at(300);
        assert!(few_held > 0);
        assert_eq!(held, few_held);
        assert!(looked_at <= 10 * few_looked_at, "{looked_at} for ten times {few_looked_at}");
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

    /// Two event subprocesses that hear the same change.
    fn both_hear(interrupting: (bool, bool), first: ElementKind) -> String {
        let process = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .node("then", user())
            .node("one", subprocess(SubProcessKind::Event))
            .node("first", start_on(interrupting.0, condition("n > 3")))
            .node("in-one", first)
            .inside("one", &["first", "in-one"])
            .node("two", subprocess(SubProcessKind::Event))
            .node("second", start_on(interrupting.1, condition("n > 4")))
            .node("in-two", user())
            .inside("two", &["second", "in-two"])
            .flows("start -> ask -> then")
            .flows("first -> in-one")
            .flows("second -> in-two");
        let mut story = Story::of(process.build());
        story.start(r#"{"n":1}"#);
        let told = story.complete_user_task("ask", r#"{"n":5}"#);
        entered(&told).join(", ").replace("terminated", "ended")
    }

    #[test]
    fn an_event_subprocess_is_ended_by_another_that_heard_the_same_change() {
        let one = "entered one, entered first, entered in-one";
        let two = "entered two, entered second, entered in-two";
        let ends = "ended in-one, ended one";
        let both = both_hear((true, true), user());
        assert_eq!(both, format!("ended ask, {one}, {ends}, {two}"));
        let last = both_hear((false, true), user());
        assert!(last.starts_with(one) && last.ends_with(two) && last.contains(ends), "{last}");
        assert_eq!(both_hear((true, false), user()), format!("ended ask, {one}, {two}"));
        let over = both_hear((true, true), ElementKind::PlainTask);
        assert_eq!(over, format!("ended ask, {one}"), "nothing is left for the second");
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
        // A listener beside it changes nothing about that.
        let process = Sketch::flowable()
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "enough", on(true, condition("n > 3")))
            .boundary("ask", "changed", on(false, change(vec![VariableEvent::Update])))
            .flows("start -> ask");
        let mut story = Story::of(process.build());
        story.start(r#"{"n":1}"#);
        let scope = story.record.as_ref().expect("it lives").root.key;
        let variables = document(r#"{"n":4}"#);
        let heard = story.play(Command::SetVariables { scope, variables, local: false });
        assert_eq!(entered(&heard), ["entered changed"]);
        assert!(entered(&told(change(vec![VariableEvent::Create]))).is_empty());
        let update = change(vec![VariableEvent::Update]);
        assert_eq!(entered(&told(update)), ["entered changed", "entered then"]);
    }
}
