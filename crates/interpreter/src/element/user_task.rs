//! The user task (BPMN 10.3.4, 13.3.3): waits until a person completes it.
//!
//! DIFFERENCE: in Zeebe an assignee, candidate or priority that evaluates to null is an incident,
//! a due date that does is none; in UEL null always means "not set". A user task of Zeebe without
//! an implementation of its own is a worker job and no business of this file.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_expr::{Expression, FactChange};
use orloj_model::{
    Element, ElementKind, Listener, ListenerEvent, RESERVED_HEADERS, TaskEvents, UserTask,
};
use orloj_types::{
    Document, ElementId, ElementInstanceKey, StoredValue, Timestamp, UserTaskKey, Value,
};

use super::Begun;
use crate::agenda::Step;
use crate::commands::take_over;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::job_result::Corrections;
use crate::listeners::{self, Listened};
use crate::outcome::{Event, TaskEnd, UserTaskRow};
use crate::record::{ElementInstance, Headers, Task, TaskProperties};
use crate::stage::{Stage, Went};
use crate::turn::Turn;
use crate::{assets, events, extract, jobs, schedule, timers, variables};

/// Of a task that names none, in all three systems.
const PRIORITY_DEFAULT: i64 = 50;
const PRIORITY_MAX: i64 = 100;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &UserTask,
) -> Ruled<Begun> {
    let row = describe(turn, key, element, task)?;
    let key_variable = key_variable(turn, key, element, task)?;
    let boundaries = events::prepare_boundaries(turn, key, element)?;
    let timeouts = timers::prepare_listeners(turn, key, element)?;
    events::open_all(turn, key, boundaries);
    for timeout in timeouts {
        timers::create(turn, key, timeout);
    }
    turn.element_mut(key).is_assigned = row.assignee.is_some();
    if element.listeners.iter().any(hears_of_task) {
        let task = Task {
            key: UserTaskKey::new(turn.next_key()),
            now: properties(&row),
            before: properties(&row),
            own: BTreeSet::new(),
        };
        turn.element_mut(key).task = Some(Box::new(task));
    }
    if !is_awaited(turn, key, element) {
        create(turn, key, row);
    }
    if let (Some(name), Some(task)) = (key_variable, turn.element(key).user_task) {
        let value = StoredValue::text(&task.raw().to_string());
        variables::assign(&mut turn.work.record, key, [(&name, &value)]);
        turn.note_variables();
    }
    let stage = match turn.semantics().task_events {
        TaskEvents::CreatedFirst => Stage::Created(0),
        TaskEvents::AssignedFirst => Stage::Assigned(0),
    };
    turn.work.push_next(Step::Go { key, stage });
    Ok(Begun::Waits)
}

/// The name of the variable that receives the task's key.
fn key_variable(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &UserTask,
) -> Ruled<Option<Arc<str>>> {
    let Some(expression) = &task.task_key_variable else { return Ok(None) };
    match turn.evaluate(&element.id, key, expression)? {
        Value::Text(name) => Ok(Some(name).filter(|name| !name.is_empty())),
        Value::Null => Ok(None),
        other => Err(extract::wrong(element, "variable for the task's key", "a string", &other)),
    }
}

fn create(turn: &mut Turn<'_>, key: ElementInstanceKey, mut row: UserTaskRow) {
    row.key = match &turn.element(key).task {
        Some(task) => task.key,
        None => UserTaskKey::new(turn.next_key()),
    };
    turn.element_mut(key).user_task = Some(row.key);
    turn.event(Event::UserTaskCreated {
        key: row.key,
        element_instance: key,
        element: row.element.clone(),
        name: row.name.clone(),
        priority: row.priority,
        due_at: row.due_at,
    });
    if let Some(assignee) = row.assignee.clone() {
        turn.event(Event::UserTaskAssigned { key: row.key, assignee });
    }
    turn.work.changes.user_task_created(row);
}

/// The task could not be made whole.
pub(crate) fn withdraw(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    if let Some(task) = turn.element_mut(key).user_task.take() {
        turn.work.changes.user_task_gone(task, TaskEnd::Deleted);
    }
    jobs::cancel_all(turn, key);
    events::close_all(turn, key);
}

/// The task is there: its listeners are called.
pub(crate) fn created(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    next: u32,
) -> Ruled<Went> {
    let event = &ListenerEvent::TaskCreate;
    let is_last = listeners::find(&element.listeners, event, next).is_none();
    let made = match is_last && awaits(element, event) && !is_assigned_later(turn, key, element) {
        true => corrected(turn, key, element)?,
        false => None,
    };
    listen(turn, key, element, event, next, Stage::Created, |turn| {
        tell(turn, key, made);
        match turn.semantics().task_events {
            TaskEvents::CreatedFirst => Went::On(Stage::Assigned(0)),
            TaskEvents::AssignedFirst => Went::Rests,
        }
    })
}

/// Whether clients have a say before the task is there for anybody else.
///
/// DIFFERENCE: in Zeebe it can be seen while they have it, but nothing can be done with it.
fn is_awaited(turn: &Turn<'_>, key: ElementInstanceKey, element: &Element) -> bool {
    awaits(element, &ListenerEvent::TaskCreate) || is_assigned_later(turn, key, element)
}

/// Whether clients are asked about the assignee that the model names.
fn is_assigned_later(turn: &Turn<'_>, key: ElementInstanceKey, element: &Element) -> bool {
    turn.element(key).is_assigned && awaits(element, &ListenerEvent::TaskAssign)
}

fn awaits(element: &Element, event: &ListenerEvent) -> bool {
    let found = listeners::find(&element.listeners, event, 0);
    found.is_some_and(|(_, listener)| listeners::is_for_client(listener))
}

fn hears_of_task(listener: &Listener) -> bool {
    !matches!(listener.event, ListenerEvent::Start | ListenerEvent::End)
}

/// The listeners of one event are done: the task is there now, or history is told what they have
/// made of it.
fn tell(turn: &mut Turn<'_>, key: ElementInstanceKey, made: Option<UserTaskRow>) {
    match made {
        Some(row) => create(turn, key, row),
        None if turn.element(key).user_task.is_some() => note_corrections(turn, key),
        None => {}
    }
    settle(turn, key);
}

/// What has happened to the task is done; corrections from here on are of what happens next.
fn settle(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    if let Some(task) = &mut turn.element_mut(key).task {
        task.before = task.now.clone();
    }
}

/// Why a listener of the event may not correct the task so.
pub(crate) fn check_corrections(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    event: &ListenerEvent,
    corrections: &Corrections,
) -> Result<(), &'static str> {
    let dates = [&corrections.due_date, &corrections.follow_up_date];
    for date in dates.into_iter().flatten().filter(|date| !date.is_empty()) {
        schedule::zoned_moment(date, turn.now).map_err(|_| "a date is none")?;
    }
    if corrections.priority.is_some_and(|priority| !(0..=PRIORITY_MAX).contains(&priority)) {
        return Err("the priority is out of bounds");
    }
    let is_creating = *event == ListenerEvent::TaskCreate;
    if is_creating && corrections.assignee.is_some() && turn.element(key).is_assigned {
        return Err("the model says who the assignee is");
    }
    Ok(())
}

/// What a listener has corrected is told to the next; the task has it when the last one is done.
pub(crate) fn correct(turn: &mut Turn<'_>, key: ElementInstanceKey, corrections: &Corrections) {
    let now = turn.now;
    let Some(task) = &mut turn.element_mut(key).task else { return };
    let date = |text: &Arc<str>| schedule::zoned_moment(text, now).ok();
    if let Some(assignee) = &corrections.assignee {
        task.now.assignee = Some(assignee.clone()).filter(|assignee| !assignee.is_empty());
    }
    if let Some(text) = &corrections.due_date {
        task.now.due_at = date(text);
    }
    if let Some(text) = &corrections.follow_up_date {
        task.now.follow_up_at = date(text);
    }
    if let Some(users) = &corrections.candidate_users {
        task.now.candidate_users.clone_from(users);
    }
    if let Some(groups) = &corrections.candidate_groups {
        task.now.candidate_groups.clone_from(groups);
    }
    if let Some(priority) = corrections.priority {
        task.now.priority = priority;
    }
}

/// A listener does not want it: the task is what it was, and whoever comes next finds it so.
pub(crate) fn deny(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    event: &ListenerEvent,
    reason: Option<Arc<str>>,
) {
    let instance = turn.element_mut(key);
    instance.held.clear();
    let Some(task) = &mut instance.task else { return };
    task.now = task.before.clone();
    let denied = task.key;
    if *event == ListenerEvent::TaskAssign {
        task.now.assignee = None;
        task.before.assignee = None;
        instance.is_assigned = false;
        turn.work.push_next(Step::Go { key, stage: Stage::Assigned(0) });
    }
    turn.event(Event::UserTaskDenied { key: denied, reason: reason.unwrap_or_default() });
}

fn properties(row: &UserTaskRow) -> TaskProperties {
    TaskProperties {
        assignee: row.assignee.clone(),
        candidate_groups: row.candidate_groups.clone(),
        candidate_users: row.candidate_users.clone(),
        due_at: row.due_at,
        follow_up_at: row.follow_up_at,
        priority: row.priority,
        form_key: row.form_key.clone(),
        name: row.name.clone(),
        description: row.description.clone(),
        owner: row.owner.clone(),
        category: row.category.clone(),
    }
}

/// A variable is the task's own from now on, or no more. One that the element instance has for
/// another reason stays when the task goes.
pub(crate) fn own(turn: &mut Turn<'_>, key: ElementInstanceKey, name: &Arc<str>, is_own: bool) {
    let variables = turn.work.record.variables.get(&key);
    let is_known = variables.is_some_and(|own| own.contains_key(name));
    let Some(task) = &mut turn.element_mut(key).task else { return };
    match is_own {
        true if !is_known => {
            task.own.insert(name.clone());
        }
        true => {}
        false => {
            task.own.remove(name);
        }
    }
}

/// The task is over, and with it what listeners know of it.
fn forget(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let Some(task) = turn.element_mut(key).task.take() else { return };
    if task.own.is_empty() {
        return;
    }
    if let Some(variables) = turn.work.record.variables.get_mut(&key) {
        variables.retain(|name, _| !task.own.contains(name));
    }
    turn.note_variables();
}

/// What code that listens makes of the task: the row has it if the task is there since this
/// command, history has it when it is completed.
pub(crate) fn change(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &ElementId,
    change: FactChange,
) -> Ruled {
    let wrong =
        |message: &str| Err(Failure::new(element, FailureKind::Foreign, message.to_owned()));
    let is_ending = matches!(turn.beans.event(), Some("complete" | "delete"));
    let instance = turn.element_mut(key);
    let Some(task) = &mut instance.task else {
        return wrong("there is no task that could be changed");
    };
    let (at, now) = (task.key, &mut task.now);
    let add = |names: &mut Vec<Arc<str>>, name: Arc<str>| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    match change {
        FactChange::Name(name) => now.name = name,
        FactChange::Description(description) => now.description = description,
        FactChange::Assignee(assignee) => now.assignee = assignee,
        FactChange::Owner(owner) => now.owner = owner,
        FactChange::Category(category) => now.category = category,
        FactChange::FormKey(form) => now.form_key = form,
        FactChange::Priority(priority) => now.priority = priority,
        FactChange::DueDate(date) => now.due_at = date,
        FactChange::FollowUpDate(date) => now.follow_up_at = date,
        FactChange::AddCandidateUser(name) => add(&mut now.candidate_users, name),
        FactChange::AddCandidateGroup(name) => add(&mut now.candidate_groups, name),
        FactChange::DeleteCandidateUser(name) => now.candidate_users.retain(|n| *n != name),
        FactChange::DeleteCandidateGroup(name) => now.candidate_groups.retain(|n| *n != name),
        FactChange::Completed if is_ending => return wrong("the task is completed already"),
        FactChange::Completed => {
            turn.work.push_next(Step::Go { key, stage: Stage::Completing(0) });
            return Ok(());
        }
        FactChange::BusinessKey(_) => return wrong("a task has no business key"),
    }
    let now = now.clone();
    instance.is_assigned = now.assignee.is_some();
    match turn.work.changes.made_user_task(at) {
        Some(row) => with(row, now),
        None if is_ending => {}
        // Rows of tasks are written once.
        None => return wrong("a task can only be changed when it is created or completed"),
    }
    Ok(())
}

fn with(row: &mut UserTaskRow, now: TaskProperties) {
    row.assignee = now.assignee;
    row.candidate_groups = now.candidate_groups;
    row.candidate_users = now.candidate_users;
    row.due_at = now.due_at;
    row.follow_up_at = now.follow_up_at;
    row.priority = now.priority;
    row.form_key = now.form_key;
    row.name = now.name;
    row.description = now.description;
    row.owner = now.owner;
    row.category = now.category;
}

/// The task's row as the model describes it and listeners have corrected it.
fn corrected(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled<Option<UserTaskRow>> {
    let (ElementKind::UserTask(task), Some(told)) = (&element.kind, &turn.element(key).task) else {
        return Ok(None);
    };
    let mut row = describe(turn, key, element, task)?;
    with(&mut row, told.now.clone());
    Ok(Some(row))
}

/// What the job of a listener says about the task.
pub(crate) fn headers(instance: &ElementInstance, event: &ListenerEvent) -> Option<Headers> {
    let task = instance.task.as_ref()?;
    let mut headers: Vec<(Arc<str>, Arc<str>)> = Vec::new();
    let mut put = |name: &str, value: Arc<str>| {
        headers.push((format!("{RESERVED_HEADERS}{name}").into(), value));
    };
    let list = |names: &[Arc<str>]| -> Arc<str> {
        let texts = names.iter().cloned().map(Value::Text).collect();
        Value::List(Arc::new(texts)).to_json().into()
    };
    let (now, mut changed) = (&task.now, task.changed());
    let action = match event {
        ListenerEvent::Start | ListenerEvent::End | ListenerEvent::Take => return None,
        ListenerEvent::TaskAssign => "assign",
        ListenerEvent::TaskUpdate => "update",
        ListenerEvent::TaskComplete => "complete",
        _ => "",
    };
    if !action.is_empty() {
        put("action", action.into());
    }
    let is_named = *event == ListenerEvent::TaskAssign;
    if is_named && !changed.contains(&ASSIGNEE) {
        changed.insert(0, ASSIGNEE);
    }
    // The assignee that the model names is one only when the task is there.
    let is_early = *event == ListenerEvent::TaskCreate && instance.is_assigned;
    if let Some(assignee) = now.assignee.as_ref().filter(|_| !is_early) {
        put(ASSIGNEE, assignee.clone());
    }
    if !now.candidate_groups.is_empty() {
        put(CANDIDATE_GROUPS, list(&now.candidate_groups));
    }
    if !now.candidate_users.is_empty() {
        put(CANDIDATE_USERS, list(&now.candidate_users));
    }
    if !changed.is_empty() {
        let changed: Vec<Arc<str>> = changed.into_iter().map(Arc::from).collect();
        put("changedAttributes", list(&changed));
    }
    if let Some(due) = now.due_at {
        put(DUE_DATE, due.to_string().into());
    }
    if let Some(follow_up) = now.follow_up_at {
        put(FOLLOW_UP_DATE, follow_up.to_string().into());
    }
    if let Some(form) = &now.form_key {
        put("formKey", form.clone());
    }
    put("userTaskKey", task.key.raw().to_string().into());
    put(PRIORITY, now.priority.to_string().into());
    Some(headers.into())
}

const ASSIGNEE: &str = "assignee";
const CANDIDATE_GROUPS: &str = "candidateGroups";
const CANDIDATE_USERS: &str = "candidateUsers";
const DUE_DATE: &str = "dueDate";
const FOLLOW_UP_DATE: &str = "followUpDate";
const PRIORITY: &str = "priority";

impl Task {
    /// What listeners have corrected of what happens now.
    fn changed(&self) -> Vec<&'static str> {
        let (now, before) = (&self.now, &self.before);
        let all = [
            (ASSIGNEE, now.assignee != before.assignee),
            (CANDIDATE_GROUPS, now.candidate_groups != before.candidate_groups),
            (CANDIDATE_USERS, now.candidate_users != before.candidate_users),
            (DUE_DATE, now.due_at != before.due_at),
            (FOLLOW_UP_DATE, now.follow_up_at != before.follow_up_at),
            (PRIORITY, now.priority != before.priority),
        ];
        all.into_iter().filter(|(_, is_changed)| *is_changed).map(|(name, _)| name).collect()
    }
}

/// What listeners have corrected of a task that is there is told to history.
fn note_corrections(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let Some(task) = &turn.element(key).task else { return };
    let (now, before) = (task.now.clone(), &task.before);
    let (task, is_reassigned) = (task.key, now.assignee != before.assignee);
    if (now.priority, now.due_at) != (before.priority, before.due_at) {
        let (priority, due_at) = (now.priority, now.due_at);
        turn.event(Event::UserTaskCorrected { key: task, priority, due_at });
    }
    if is_reassigned {
        let assignee = now.assignee.unwrap_or_default();
        turn.event(Event::UserTaskAssigned { key: task, assignee });
    }
    settle(turn, key);
}

/// Somebody is to do it: its listeners are called.
pub(crate) fn assigned(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    next: u32,
) -> Ruled<Went> {
    let event = &ListenerEvent::TaskAssign;
    let is_assigned = turn.element(key).is_assigned;
    let is_last = !is_assigned || listeners::find(&element.listeners, event, next).is_none();
    let made = match is_last && turn.element(key).user_task.is_none() {
        true => corrected(turn, key, element)?,
        false => None,
    };
    let after = |turn: &mut Turn<'_>| {
        tell(turn, key, made);
        match turn.semantics().task_events {
            TaskEvents::CreatedFirst => Went::Rests,
            TaskEvents::AssignedFirst => Went::On(Stage::Created(0)),
        }
    };
    if !is_assigned {
        return Ok(after(turn));
    }
    listen(turn, key, element, event, next, Stage::Assigned, after)
}

/// Somebody has done it: its listeners are called, then it is gone.
pub(crate) fn completing(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    next: u32,
) -> Ruled<Went> {
    let completer = match &element.kind {
        ElementKind::UserTask(UserTask { completer_variable: Some(name), .. }) => {
            extract::optional_text(turn, key, element, "completer variable", name)?
        }
        _ => None,
    };
    listen(turn, key, element, &ListenerEvent::TaskComplete, next, Stage::Completing, |turn| {
        note_corrections(turn, key);
        if let Some(task) = turn.element_mut(key).user_task.take() {
            turn.work.changes.user_task_gone(task, TaskEnd::Completed);
        }
        if turn.semantics().task_events == TaskEvents::CreatedFirst {
            forget(turn, key);
        }
        if let Some(name) = completer {
            // Commands do not say who gave them.
            variables::assign(&mut turn.work.record, key, [(&name, &StoredValue::null())]);
            turn.note_variables();
        }
        let held = std::mem::take(&mut turn.element_mut(key).held);
        let how = turn.semantics().completion;
        take_over(turn, key, element, how, &Document(held));
        Went::On(match turn.semantics().task_events {
            TaskEvents::CreatedFirst => Stage::Done,
            TaskEvents::AssignedFirst => Stage::Deleted(0),
        })
    })
}

/// DIFFERENCE: in Flowable a completed task is deleted too, for its listeners.
pub(crate) fn deleted(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    next: u32,
) -> Ruled<Went> {
    listen(turn, key, element, &ListenerEvent::TaskDelete, next, Stage::Deleted, |turn| {
        forget(turn, key);
        Went::On(Stage::Done)
    })
}

/// The moment that one listener waited for has come; nobody else is told.
pub(crate) fn timed_out(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    place: u32,
) -> Ruled<Went> {
    listeners::next(turn, key, element, &ListenerEvent::TaskTimeout, place)?;
    Ok(Went::Rests)
}

fn listen(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    event: &ListenerEvent,
    next: u32,
    stage: fn(u32) -> Stage,
    over: impl FnOnce(&mut Turn<'_>) -> Went,
) -> Ruled<Went> {
    match listeners::next(turn, key, element, event, next)? {
        Listened::Go(next) => Ok(Went::On(stage(next))),
        Listened::Waits => Ok(Went::Rests),
        Listened::Over => Ok(over(turn)),
    }
}

/// The task's row, still without its key.
fn describe(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &UserTask,
) -> Ruled<UserTaskRow> {
    let assignee = match &task.assignee {
        Some(expression) => extract::optional_text(turn, key, element, "assignee", expression)?,
        None => None,
    };
    let text = |expression: Option<&Expression>, what: &str| match expression {
        Some(expression) => extract::optional_text(turn, key, element, what, expression),
        None => Ok(None),
    };
    // DIFFERENCE: in Flowable what is only told to people may fail to be computed.
    let told = |expression: Option<&Expression>, what: &str| match text(expression, what) {
        Err(failure) if failure.needs.is_none() && turn.semantics().values.told_may_fail => {
            Ok(None)
        }
        told => told,
    };
    for link in &task.links {
        turn.evaluate(&element.id, key, link)?;
    }
    let candidate_groups = match &task.candidate_groups {
        Some(expression) => extract::names(turn, key, element, "candidate groups", expression)?,
        None => Vec::new(),
    };
    let candidate_users = match &task.candidate_users {
        Some(expression) => extract::names(turn, key, element, "candidate users", expression)?,
        None => Vec::new(),
    };
    let due_at = moment(turn, key, element, "due date", task.due_date.as_ref())?;
    let follow_up_at = moment(turn, key, element, "follow-up date", task.follow_up_date.as_ref())?;
    let form_key = match (&task.form_name, &task.form) {
        (Some(name), _) => Some(extract::text(turn, key, element, "external form", name)?),
        (None, Some(form)) if form.is_needed => {
            Some(assets::form(turn, key, element, form)?.to_string().into())
        }
        _ => task.form_key.clone(),
    };
    let priority = match &task.priority {
        Some(expression) => priority_of(turn, key, element, expression)?,
        None => None,
    };
    Ok(UserTaskRow {
        key: UserTaskKey::default(),
        element: element.id.clone(),
        element_instance: key,
        name: told(task.name.as_ref(), "name")?.or_else(|| element.name.clone()),
        description: told(task.description.as_ref(), "description")?,
        owner: text(task.owner.as_ref(), "owner")?,
        category: told(task.category.as_ref(), "category")?,
        assignee,
        candidate_groups,
        candidate_users,
        due_at,
        follow_up_at,
        priority: priority.unwrap_or(PRIORITY_DEFAULT),
        form_key,
    })
}

/// DIFFERENCE: in Zeebe it lies within bounds and is whole.
fn priority_of(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    expression: &Expression,
) -> Ruled<Option<i64>> {
    if !turn.semantics().values.task_priority_is_bounded {
        return extract::whole_number(turn, key, element, "priority", expression);
    }
    let value = turn.evaluate(&element.id, key, expression)?;
    let number = match &value {
        Value::Int(number) => Some(*number),
        Value::Decimal(number) if *number == number.trunc() => i64::try_from(number.trunc()).ok(),
        _ => None,
    };
    let number = number.filter(|number| (0..=PRIORITY_MAX).contains(number));
    let wrong = || extract::wrong(element, "priority", "a whole number from 0 to 100", &value);
    number.map(Some).ok_or_else(wrong)
}

fn moment(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    what: &str,
    expression: Option<&Expression>,
) -> Ruled<Option<Timestamp>> {
    let Some(expression) = expression else { return Ok(None) };
    let names_zone = turn.semantics().values.task_dates_name_zone;
    match turn.evaluate_temporal(&element.id, key, expression)? {
        Value::Null => Ok(None),
        Value::Text(text) if text.is_empty() && names_zone => Ok(None),
        Value::Text(text) if names_zone => {
            schedule::zoned_moment(&text, turn.now).map(Some).map_err(|error| {
                Failure::new(&element.id, FailureKind::ExtractValue, error.to_string())
            })
        }
        Value::Text(text) => schedule::moment(&text, turn.now).map(Some).map_err(|error| {
            Failure::new(&element.id, FailureKind::ExtractValue, error.to_string())
        }),
        Value::Temporal(value) if schedule::at(&value).is_some() => Ok(schedule::at(&value)),
        other => Err(extract::wrong(element, what, "a date with time", &other)),
    }
}

#[cfg(test)]
mod tests {
    use orloj_model::{ElementKind, UserTask};

    use crate::testing::{Sketch, Story, end, start, user};
    use crate::{Command, Rejection};

    fn ask(sketch: Sketch, describe: impl FnOnce(&Sketch) -> UserTask) -> Sketch {
        let task = describe(&sketch);
        sketch
            .node("start", start())
            .node("ask", ElementKind::UserTask(task))
            .node("end", end())
            .flows("start -> ask -> end")
    }

    #[test]
    fn the_variable_for_its_key_is_computed() {
        let variables = |json: &str| {
            let process = ask(Sketch::flowable(), |sketch| UserTask {
                task_key_variable: Some(sketch.expression("name")),
                ..UserTask::default()
            });
            let mut story = Story::of(process.build());
            let told = story.start(json);
            let Some(record) = story.record.as_ref() else { return told };
            let task = story.user_tasks[0].raw().to_string();
            let shown = orloj_types::Document(record.visible(record.root.key)).to_json();
            shown.replace(&task, "KEY")
        };
        assert_eq!(variables(r#"{"name":"mine"}"#), r#"{"mine":"KEY","name":"mine"}"#);
        assert_eq!(variables(r#"{"name":null}"#), r#"{"name":null}"#);
        let refused = variables(r#"{"name":7}"#);
        assert!(refused.starts_with("rejected: ask: the variable for the task's key"), "{refused}");
    }

    #[test]
    fn the_row_has_what_the_model_says() {
        let process = ask(Sketch::zeebe(), |sketch| UserTask {
            assignee: Some(sketch.expression("who")),
            candidate_groups: Some(sketch.expression(r#"["a", "b"]"#)),
            candidate_users: Some(sketch.expression(r#"["eva", "adam"]"#)),
            due_date: Some(sketch.expression(r#""2030-01-01T01:00:00+01:00""#)),
            priority: Some(sketch.expression("7")),
            ..UserTask::default()
        });
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start(r#"{"who":"anna"}"#), @r#"
        started
        entered start
        left start
        entered ask
        --
        insert task1 ask for anna groups a+b users eva+adam due +0 s priority 7
        at ask task1
        instance: {"who":"anna"}
        "#);
    }

    #[test]
    fn in_zeebe_null_is_an_incident_but_for_the_due_date() {
        let process = ask(Sketch::zeebe(), |sketch| UserTask {
            assignee: Some(sketch.expression("who")),
            due_date: Some(sketch.expression("when")),
            ..UserTask::default()
        });
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered ask
        incident1 opened EXTRACT_VALUE_ERROR: the assignee should be a string, not null
        --
        insert incident1 EXTRACT_VALUE_ERROR
        at ask entering incident1
        ");
        let scope = story.record.as_ref().expect("it lives").instance.root_scope();
        let variables = crate::testing::document(r#"{"who":"anna"}"#);
        story.play(Command::SetVariables { scope, variables, local: true });
        insta::assert_snapshot!(story.resolve(), @r#"
        incident1 closed
        --
        insert task1 ask for anna priority 50
        delete incident1
        at ask task1
        instance: {"who":"anna"}
        "#);
    }

    #[test]
    fn in_uel_null_is_not_set_and_a_due_date_may_be_a_duration() {
        let process = ask(Sketch::camunda(), |sketch| UserTask {
            assignee: Some(sketch.expression("who")),
            priority: Some(sketch.expression("'70'")),
            due_date: Some(sketch.expression("'PT1H'")),
            ..UserTask::default()
        });
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start(r#"{"who":null}"#), @r#"
        started
        entered start
        left start
        entered ask
        --
        insert task1 ask due +3600 s priority 70
        at ask task1
        instance: {"who":null}
        "#);
    }

    #[test]
    fn in_uel_a_number_is_no_due_date() {
        let process = ask(Sketch::camunda(), |sketch| UserTask {
            due_date: Some(sketch.expression("n")),
            ..UserTask::default()
        });
        let told = Story::of(process.build()).start(r#"{"n":7}"#);
        assert!(told.starts_with("rejected: ask"), "{told}");
    }

    #[test]
    fn whoever_else_is_linked_must_be_computable() {
        let process = |who: &str| {
            let linked = ask(Sketch::flowable(), |sketch| UserTask {
                links: vec![sketch.expression(who)],
                ..UserTask::default()
            });
            linked.build()
        };
        assert!(Story::of(process("'joe'")).start("{}").contains("insert task1 ask"));
        assert!(Story::of(process("nobody")).start("{}").starts_with("rejected: ask"));
    }

    #[test]
    fn completing_sets_variables_and_goes_on_once() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .node("then", user())
            .flows("start -> ask -> then")
            .input("ask", "a", "mine");
        let mut story = Story::of(process.build());
        story.start(r#"{"a":1}"#);
        let task = story.token("ask").1.expect("a task");
        insta::assert_snapshot!(story.complete_user_task("ask", r#"{"a":2,"mine":3,"b":4}"#), @r#"
        left ask
        entered then
        --
        delete task1
        insert task2 then priority 50
        at then task2
        instance: {"a":2,"b":4}
        "#);
        let variables = crate::testing::document("{}");
        let again = story.interpret(Command::CompleteUserTask { task, variables });
        assert_eq!(again.map(|_| ()), Err(Rejection::UserTaskNotFound(task)));
    }
}
