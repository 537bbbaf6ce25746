//! Multi-instance activities (BPMN 10.3.7, 13.3.6): a body that is the scope of the instances.
//!
//! The body evaluates its items once, makes all instances at once or one after the other, gathers
//! their results and goes on when the last has left or the completion condition holds. Boundary
//! events belong to the body, mappings, listeners and the work itself to the instances.
//!
//! DIFFERENCE: Camunda and Flowable keep the counters as variables of the body and count from 0,
//! Zeebe counts from 1 and tells the numbers to the completion condition only. The condition sees
//! the variables of the body in Flowable, those of the instance that has ended in the others. In
//! Camunda the counter and the item of a sequence belong to the body. Flowable leaves a job behind
//! whenever a parallel instance ends before the last. What is no list stops Zeebe with an incident
//! on the body and undoes the command elsewhere.
//! DIFFERENCE: what the others undo as a whole they also make as a whole. Here instances that
//! begin with a job of their own are made by several commands when they are very many, so that no
//! commit is large; nothing foreign has run by then that could be undone. Of such a body only one
//! job at a time looks after instances that have ended.
//! DIFFERENCE: within one command the items of a sequence are evaluated once. The engines evaluate
//! them again for each, which only a model sees that changes them meanwhile.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_expr::Expression;
use orloj_model::{Element, ElementIndex, ElementKind, Failures, Items, MultiInstance, SavePoint};
use orloj_types::{ElementInstanceKey, StoredValue, Value, Variables};

use crate::agenda::Step;
use crate::element::Begun;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::gathered;
use crate::record::{ElementState, JobKind, Multi, Role};
use crate::turn::Turn;
use crate::variables::View;
use crate::{conditions, ending, events, flow, jobs, mappings, variables};

/// Instances of one body. Each costs about a kilobyte of state, so this many are as much as one
/// instance may sensibly hold.
pub const INSTANCES_MAX: u32 = 1_000_000;

/// What the instances made by one command may add to the store, roughly: half of what a commit
/// holds, as indexes and what follows take their part.
const MADE_AT_ONCE_BYTES_MAX: usize = 128 << 10;
/// An instance with its job, their rows and their history, apart from names and values.
const INSTANCE_BYTES: usize = 320;
/// How often the name of the activity is among these.
const NAME_COPIES: usize = 3;

const TOTAL: &str = "nrOfInstances";
const ACTIVE: &str = "nrOfActiveInstances";
const COMPLETED: &str = "nrOfCompletedInstances";
const COUNTER: &str = "loopCounter";

/// What the instances are made of.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Number(u32),
    List(Arc<Vec<Value>>),
}

impl Found {
    fn total(&self) -> usize {
        match self {
            Self::Number(number) => *number as usize,
            Self::List(items) => items.len(),
        }
    }
}

/// What is known about an instance before it vanishes.
pub(crate) struct Leaving {
    /// Its place among the instances, from zero.
    place: u32,
    results: Vec<(Arc<str>, Value)>,
    is_enough: bool,
    /// It was ended by its own terminate end event, so nothing has to look after the body.
    is_terminated: bool,
    /// Of a sequence: what the next one is made of.
    next: Option<Found>,
}

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    body: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled<Begun> {
    let element = turn.model(index);
    let multi = loop_of(element);
    let found = find_items(turn, body, element, multi)?;
    let total = u32::try_from(found.total()).ok().filter(|total| *total <= INSTANCES_MAX);
    let Some(total) = total else {
        let message = format!("more than {INSTANCES_MAX} instances of one activity");
        return Err(Failure::new(&element.id, FailureKind::ExtractValue, message));
    };
    let boundaries = events::prepare_boundaries(turn, body, element)?;
    events::open_all(turn, body, boundaries);
    turn.element_mut(body).multi = Some(Multi { total, created: 0, completed: 0 });
    if turn.semantics().loops.counters {
        let active = if multi.is_sequential { 1 } else { total };
        set_numbers(turn, body, &[(TOTAL, total), (COMPLETED, 0), (ACTIVE, active)]);
    }
    gathered::begin(turn, body, multi, total);
    if total == 0 {
        return Ok(Begun::Done);
    }
    if is_watched(multi) {
        check_later(turn, body, SavePoint { exclusive: true }, 0);
    }
    match multi.is_sequential {
        true => {
            make(turn, body, index, multi, &found, 0);
        }
        false => make_all(turn, body, index, multi, &found),
    }
    remember(turn, body, found);
    Ok(Begun::Waits)
}

fn is_watched(multi: &MultiInstance) -> bool {
    multi.is_watched && !multi.is_sequential
}

fn loop_of(element: &Element) -> &MultiInstance {
    element.multi.as_ref().expect("only a multi-instance activity has a body")
}

/// Whether there are too many instances for one command.
fn is_cut(turn: &Turn<'_>, element: &Element, multi: &MultiInstance, total: u32) -> bool {
    let may_be = match turn.semantics().failures {
        // What is undone as a whole is also made as a whole.
        Failures::RollBack => multi.inner_before.is_some(),
        Failures::Incident => true,
    };
    let each = INSTANCE_BYTES + NAME_COPIES * element.id.len();
    may_be && !multi.is_sequential && total as usize > MADE_AT_ONCE_BYTES_MAX / each
}

/// As many instances as one command may make; a job of the body makes the rest.
fn make_all(
    turn: &mut Turn<'_>,
    body: ElementInstanceKey,
    index: ElementIndex,
    multi: &MultiInstance,
    found: &Found,
) {
    let Some(Multi { total, created, .. }) = turn.element(body).multi else { return };
    let budget = match turn.semantics().failures {
        Failures::RollBack => u32::MAX,
        Failures::Incident => {
            turn.settings.visits_max().saturating_sub(turn.work.visits.of_command()).max(1)
        }
    };
    let is_cut = is_cut(turn, turn.model(index), multi, total);
    let mut until = total.min(created.saturating_add(budget));
    let mut bytes = 0;
    for place in created..until {
        bytes += make(turn, body, index, multi, found, place);
        if is_cut && bytes >= MADE_AT_ONCE_BYTES_MAX {
            until = place + 1;
            break;
        }
    }
    if until < total {
        check_later(turn, body, SavePoint { exclusive: false }, until);
    }
}

/// Sends the instance at `place` off; the answer is what it takes in the store, roughly.
fn make(
    turn: &mut Turn<'_>,
    body: ElementInstanceKey,
    index: ElementIndex,
    multi: &MultiInstance,
    found: &Found,
    place: u32,
) -> usize {
    let loops = turn.semantics().loops;
    let mut own = Variables::new();
    let counter: Arc<str> = multi.index_variable.clone().unwrap_or_else(|| COUNTER.into());
    own.insert(counter, StoredValue::int(i64::from(place) + i64::from(loops.counted_from)));
    if let (Items::Collection { variable: Some(name), .. }, Found::List(items)) =
        (&multi.items, found)
    {
        let item = items.get(place as usize).map_or_else(StoredValue::null, Value::to_stored);
        own.insert(name.clone(), item);
    }
    if let Some(name) = multi.output.as_ref().and_then(|output| plain_name(&output.element))
        && !own.contains_key(name)
    {
        own.insert(name.into(), StoredValue::null());
    }
    if multi.is_sequential && loops.sequence_on_body {
        write(turn, body, own.iter());
        own = Variables::new();
    }
    if let Some(multi) = &mut turn.element_mut(body).multi {
        multi.created = place + 1;
    }
    let values: usize = own.iter().map(|(name, value)| name.len() + value.bytes.len()).sum();
    let (element, scope, role, with) = (index, body, Role::Inner, own);
    turn.work.push(Step::Arrive { element, scope, role, with });
    INSTANCE_BYTES + NAME_COPIES * turn.model(index).id.len() + values
}

/// The name, if the expression is nothing else.
pub(crate) fn plain_name(expression: &Expression) -> Option<&str> {
    let name = expression.source().trim().trim_start_matches('=').trim();
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !matches!(name, "null" | "true" | "false");
    is_name.then_some(name)
}

fn find_items(
    turn: &Turn<'_>,
    body: ElementInstanceKey,
    element: &Element,
    multi: &MultiInstance,
) -> Ruled<Found> {
    match &multi.items {
        Items::Cardinality(expression) => {
            let number =
                extract::whole_number(turn, body, element, "number of instances", expression)?;
            let number = number.ok_or_else(|| wrong_items(element, "a number", &Value::Null))?;
            let number = u32::try_from(number).map_err(|_| {
                let message = format!("there cannot be {number} instances");
                Failure::new(&element.id, FailureKind::ExtractValue, message)
            })?;
            Ok(Found::Number(number))
        }
        Items::Collection { collection, .. } => {
            match turn.evaluate(&element.id, body, collection)? {
                Value::List(items) => Ok(Found::List(items)),
                Value::Text(name) if turn.semantics().loops.items_by_name => {
                    use orloj_expr::Scope as _;
                    match View::new(&turn.work.record, body).get(&name) {
                        Some(Value::List(items)) => Ok(Found::List(items)),
                        _ => Err(wrong_items(element, "a list", &Value::Text(name))),
                    }
                }
                other => Err(wrong_items(element, "a list", &other)),
            }
        }
    }
}

fn wrong_items(element: &Element, wanted: &str, found: &Value) -> Failure {
    extract::wrong(element, "items of the loop", wanted, found)
}

fn remember(turn: &mut Turn<'_>, body: ElementInstanceKey, found: Found) {
    let (member, _) = turn.work.at();
    turn.work.items.insert((member, body), found);
}

/// The items as this command found them first.
fn items_again(
    turn: &Turn<'_>,
    body: ElementInstanceKey,
    element: &Element,
    multi: &MultiInstance,
) -> Ruled<Found> {
    let (member, _) = turn.work.at();
    match turn.work.items.get(&(member, body)) {
        Some(found) => Ok(found.clone()),
        None => find_items(turn, body, element, multi),
    }
}

/// An instance is done and about to vanish: its result is taken, and everything evaluated that
/// decides how the body goes on. Nothing changes yet.
pub(crate) fn before_inner_leaves(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled<Leaving> {
    let element = turn.model(index);
    let multi = loop_of(element);
    let body = turn.element(key).scope;
    let Some(numbers) = turn.element(body).multi else {
        let message = "the body of the instance is unknown";
        return Err(Failure::new(&element.id, FailureKind::Foreign, message));
    };
    let place = place_of(turn, key, multi);
    // Code may have set the counter to anything.
    let Some(place) = place.filter(|place| *place < numbers.total) else {
        let message = "the counter of the loop does not say which of its instances this is";
        return Err(Failure::new(&element.id, FailureKind::ExtractValue, message));
    };
    let results = gathered::results(turn, key, element, multi)?;
    let is_enough = is_enough(turn, key, body, element, multi, numbers)?;
    let is_last = numbers.completed + 1 >= numbers.total || numbers.created >= numbers.total;
    let next = match multi.is_sequential && !is_enough && !is_last {
        true => Some(items_again(turn, body, element, multi)?),
        false => None,
    };
    if let Some(Found::List(items)) = &next
        && items.len() <= numbers.created as usize
    {
        let message = format!("there is no item {} any more", numbers.created);
        return Err(Failure::new(&element.id, FailureKind::ExtractValue, message));
    }
    let is_terminated =
        turn.element(key).state == ElementState::Leaving && multi.inner_after.is_none();
    Ok(Leaving { place, results, is_enough, is_terminated, next })
}

fn place_of(turn: &Turn<'_>, key: ElementInstanceKey, multi: &MultiInstance) -> Option<u32> {
    use orloj_expr::Scope as _;
    let name = multi.index_variable.as_deref().unwrap_or(COUNTER);
    let from = i64::from(turn.semantics().loops.counted_from);
    match View::new(&turn.work.record, key).get(name) {
        Some(Value::Int(counter)) => u32::try_from(counter.checked_sub(from)?).ok(),
        _ => Some(0),
    }
}

/// Whether the completion condition holds, as if the instance had left.
fn is_enough(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    body: ElementInstanceKey,
    element: &Element,
    multi: &MultiInstance,
    numbers: Multi,
) -> Ruled<bool> {
    let Some(condition) = &multi.completion else { return Ok(false) };
    let loops = turn.semantics().loops;
    let completed = i64::from(numbers.completed) + 1;
    let active = match multi.is_sequential && loops.counters {
        true => 1,
        false => i64::from(numbers.created) - completed,
    };
    let total = i64::from(numbers.total);
    let told: &[(&str, i64)] = match loops.counters {
        true => &[(TOTAL, total), (ACTIVE, active), (COMPLETED, completed)],
        false => &[
            ("numberOfInstances", total),
            ("numberOfActiveInstances", active),
            ("numberOfCompletedInstances", completed),
            ("numberOfTerminatedInstances", 0),
        ],
    };
    let mut told: BTreeMap<Arc<str>, Value> =
        told.iter().map(|&(name, number)| (name.into(), Value::Int(number))).collect();
    let is_scope = matches!(element.kind, ElementKind::SubProcess(_));
    let scope = if loops.condition_sees_item && !is_scope { key } else { body };
    if loops.condition_sees_item && is_scope {
        // What lived in it has gone with it, but what it was made with.
        let own = turn.work.record.variables.get(&key);
        for name in made_with(multi) {
            let value = own.and_then(|own| own.get(name));
            told.extend(value.map(|value| (name.into(), Value::from(value))));
        }
    }
    let view = View::new(&turn.work.record, scope).under(&told);
    match turn.evaluate_in(&element.id, &view, condition)? {
        Value::Bool(holds) => Ok(holds),
        other => Err(extract::wrong(element, "completion condition", "a boolean", &other)),
    }
}

/// The variables that an instance gets from its body.
fn made_with(multi: &MultiInstance) -> impl Iterator<Item = &str> {
    let item = match &multi.items {
        Items::Collection { variable, .. } => variable.as_deref(),
        Items::Cardinality(_) => None,
    };
    item.into_iter().chain([multi.index_variable.as_deref().unwrap_or(COUNTER)])
}

/// An instance has vanished: the body makes the next one or is done.
pub(crate) fn inner_left(
    turn: &mut Turn<'_>,
    body: ElementInstanceKey,
    index: ElementIndex,
    left: Leaving,
) {
    let multi = loop_of(turn.model(index));
    let Some(numbers) = &mut turn.element_mut(body).multi else { return };
    numbers.completed += 1;
    let numbers = *numbers;
    count(turn, body, multi, numbers);
    gathered::put(turn, body, left.place, left.results);
    // The next of a sequence lets it be heard when it begins; the last does only as a scope.
    let is_heard = match multi.is_sequential {
        true => left.next.is_none() && mappings::is_scope_in_loop(turn.model(index)),
        false => true,
    };
    if is_heard {
        conditions::release_body(turn, body);
        if turn.must_ask() {
            turn.work.push_next(Step::Conditions);
        }
    }
    if left.is_enough {
        if ending::hold_children(turn, body, None) {
            // The last of them that is asked ends the body, and no other is made.
            if let Some(numbers) = &mut turn.element_mut(body).multi {
                numbers.total = numbers.created;
            }
        } else {
            flow::complete_in_turn(turn, body);
        }
    } else if let Some(found) = left.next {
        make(turn, body, index, multi, &found, numbers.created);
        remember(turn, body, found);
    } else if is_watched(multi) {
        // The body's job will see it.
    } else if numbers.completed >= numbers.total || multi.is_sequential || is_left(turn, body) {
        flow::complete_in_turn(turn, body);
    } else if turn.semantics().loops.checks_by_job
        && !turn.settings.loops_without_checks
        && !left.is_terminated
    {
        let (member, _) = turn.work.at();
        turn.work.checks.entry((member, body)).or_default().push(left.place);
    }
}

/// Whether no instance is at work any more, and none is to be made.
fn is_left(turn: &Turn<'_>, body: ElementInstanceKey) -> bool {
    let (member, _) = turn.work.at();
    let numbers = turn.element(body).multi.unwrap_or_default();
    numbers.created >= numbers.total
        && !turn.work.record.elements.has_children(body)
        && !turn.work.agenda.has_tokens(member, body)
}

/// The command is over: bodies whose instances have ended before the last are looked after by
/// jobs, one for each of these.
pub(crate) fn leave_checks(turn: &mut Turn<'_>) {
    let (here, _) = turn.work.at();
    while let Some(((member, body), places)) = turn.work.checks.pop_first() {
        turn.switch(member);
        if turn.work.ended.is_some() || turn.work.record.element(body).is_none() {
            continue;
        }
        let element = turn.model(turn.index_of(&turn.element(body).element));
        let total = turn.element(body).multi.unwrap_or_default().total;
        let is_cut = is_cut(turn, element, loop_of(element), total);
        for place in places {
            if is_cut && is_looked_after(turn, body) {
                break;
            }
            check_later(turn, body, SavePoint { exclusive: true }, place);
        }
    }
    turn.switch(here);
}

fn count(turn: &mut Turn<'_>, body: ElementInstanceKey, multi: &MultiInstance, numbers: Multi) {
    if !turn.semantics().loops.counters {
        return;
    }
    set_numbers(turn, body, &[(COMPLETED, numbers.completed)]);
    if !multi.is_sequential {
        let active = numbers.total.saturating_sub(numbers.completed);
        set_numbers(turn, body, &[(ACTIVE, active)]);
    }
}

fn set_numbers(turn: &mut Turn<'_>, body: ElementInstanceKey, numbers: &[(&str, u32)]) {
    for (name, number) in numbers {
        let value = StoredValue::int(i64::from(*number));
        write(turn, body, [(&Arc::from(*name), &value)]);
    }
}

/// Sets variables of the body, which its events hear of when a token in it goes on.
fn write<'v>(
    turn: &mut Turn<'_>,
    body: ElementInstanceKey,
    variables: impl IntoIterator<Item = (&'v Arc<str>, &'v StoredValue)>,
) {
    let noted = turn.work.record.variables.writes().len();
    variables::set_local(&mut turn.work.record, body, variables);
    if turn.semantics().loops.writes_are_held {
        turn.work.record.variables.hold_since(noted, body);
    }
}

/// A job that looks after the body in another command, because of the instance at `place`.
fn check_later(turn: &mut Turn<'_>, body: ElementInstanceKey, point: SavePoint, place: u32) {
    let element = turn.model(turn.index_of(&turn.element(body).element));
    let draft = jobs::Draft {
        // One that is different for each item, or that foreign code computes, is none here: a
        // command that is over asks for nothing more.
        category: jobs::category_of(turn, body, element).unwrap_or_default(),
        job_type: place.to_string().into(),
        exclusive: point.exclusive,
        ..jobs::Draft::new(JobKind::AsyncComplete, jobs::default_retries(turn))
    };
    jobs::create(turn, body, draft);
}

/// Whether a job of the body is to come.
fn is_looked_after(turn: &Turn<'_>, body: ElementInstanceKey) -> bool {
    turn.element(body).jobs.iter().any(|job| job.kind == JobKind::AsyncComplete)
}

/// The body's job has come: the instances that are still missing are made, and a body without any
/// goes on.
pub(crate) fn check(turn: &mut Turn<'_>, body: ElementInstanceKey) -> Ruled {
    let index = turn.index_of(&turn.element(body).element);
    let element = turn.model(index);
    let multi = loop_of(element);
    let Some(numbers) = turn.element(body).multi else { return Ok(()) };
    if numbers.created < numbers.total && !multi.is_sequential {
        let found = items_again(turn, body, element, multi)?;
        make_all(turn, body, index, multi, &found);
        if is_watched(multi) && !is_looked_after(turn, body) {
            check_later(turn, body, SavePoint { exclusive: true }, 0);
        }
    } else if !turn.work.record.elements.has_children(body) {
        flow::complete(turn, body);
    } else if is_watched(multi) {
        check_later(turn, body, SavePoint { exclusive: true }, 0);
    }
    Ok(())
}

/// Of an instance: whether others of its sequence follow.
pub(crate) fn is_more_to_come(turn: &Turn<'_>, key: ElementInstanceKey) -> Option<bool> {
    let instance = turn.element(key);
    if instance.role != Role::Inner {
        return None;
    }
    let numbers = turn.element(instance.scope).multi?;
    let multi = loop_of(turn.model(turn.index_of(&instance.element)));
    Some(multi.is_sequential && numbers.created < numbers.total)
}

/// Nothing is left in the body, though not all instances were completed: the last one was ended
/// by an error that nothing caught.
pub(crate) fn all_left(turn: &mut Turn<'_>, body: ElementInstanceKey) -> Ruled {
    let index = turn.index_of(&turn.element(body).element);
    let element = turn.model(index);
    let multi = loop_of(element);
    let numbers = turn.element(body).multi.unwrap_or_default();
    if is_watched(multi) {
        return Ok(());
    }
    if numbers.created >= numbers.total {
        flow::complete(turn, body);
    } else if multi.is_sequential {
        let found = items_again(turn, body, element, multi)?;
        make(turn, body, index, multi, &found, numbers.created);
        remember(turn, body, found);
    }
    Ok(())
}

/// The body is done: what was gathered goes outward.
pub(crate) fn apply_outputs(
    turn: &mut Turn<'_>,
    body: ElementInstanceKey,
    index: ElementIndex,
) -> Ruled {
    gathered::give(turn, body, loop_of(turn.model(index)))
}
