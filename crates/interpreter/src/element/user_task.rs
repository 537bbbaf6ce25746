//! The user task (BPMN 10.3.4, 13.3.3): waits until a person completes it.
//!
//! DIFFERENCE: in Zeebe an assignee, candidate or priority that evaluates to null is an incident,
//! a due date that does is none; in UEL null always means "not set". A user task of Zeebe without
//! an implementation of its own is a worker job and no business of this file.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_model::{Element, ElementKind, ListenerEvent, TaskEvents, UserTask};
use orloj_types::{Document, ElementInstanceKey, StoredValue, Timestamp, UserTaskKey, Value};

use super::Begun;
use crate::agenda::Step;
use crate::commands::take_over;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::job_result::Corrections;
use crate::listeners::{self, Listened};
use crate::outcome::{Event, TaskEnd, UserTaskRow};
use crate::stage::{Stage, Went};
use crate::turn::Turn;
use crate::{events, extract, jobs, schedule, timers, variables};

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
    let boundaries = events::prepare_boundaries(turn, key, element)?;
    let timeouts = timers::prepare_listeners(turn, key, element)?;
    events::open_all(turn, key, boundaries);
    for timeout in timeouts {
        timers::create(turn, key, timeout);
    }
    turn.element_mut(key).is_assigned = row.assignee.is_some();
    if !is_awaited(element) {
        create(turn, key, task, row);
    }
    let stage = match turn.semantics().task_events {
        TaskEvents::CreatedFirst => Stage::Created(0),
        TaskEvents::AssignedFirst => Stage::Assigned(0),
    };
    turn.work.push_next(Step::Go { key, stage });
    Ok(Begun::Waits)
}

fn create(turn: &mut Turn<'_>, key: ElementInstanceKey, task: &UserTask, mut row: UserTaskRow) {
    row.key = UserTaskKey::new(turn.next_key());
    turn.element_mut(key).user_task = Some(row.key);
    if let Some(name) = &task.task_key_variable {
        let value = StoredValue::text(&row.key.raw().to_string());
        variables::assign(&mut turn.work.record, key, [(name, &value)]);
        turn.note_variables();
    }
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
    let corrected = match (&element.kind, listeners::find(&element.listeners, event, next)) {
        (ElementKind::UserTask(task), None) if is_awaited(element) => {
            Some((task, corrected(turn, key, element, task)?))
        }
        _ => None,
    };
    listen(turn, key, element, event, next, Stage::Created, |turn| {
        if let Some((task, row)) = corrected {
            turn.element_mut(key).held.clear();
            create(turn, key, task, row);
        }
        match turn.semantics().task_events {
            TaskEvents::CreatedFirst => Went::On(Stage::Assigned(0)),
            TaskEvents::AssignedFirst => Went::Rests,
        }
    })
}

/// Whether clients have a say before the task is there for anybody else.
///
/// DIFFERENCE: in Zeebe it can be seen while they have it, but nothing can be done with it.
fn is_awaited(element: &Element) -> bool {
    let found = listeners::find(&element.listeners, &ListenerEvent::TaskCreate, 0);
    found.is_some_and(|(_, listener)| listeners::is_for_client(listener))
}

/// The names under which corrections wait until the last listener is done.
mod held {
    pub(super) const ASSIGNEE: &str = "assignee";
    pub(super) const DUE_DATE: &str = "dueDate";
    pub(super) const FOLLOW_UP_DATE: &str = "followUpDate";
    pub(super) const CANDIDATE_USERS: &str = "candidateUsers";
    pub(super) const CANDIDATE_GROUPS: &str = "candidateGroups";
    pub(super) const PRIORITY: &str = "priority";
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

/// What a listener has corrected is kept until the last one is done.
pub(crate) fn hold_corrections(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    corrections: &Corrections,
) {
    let held = &mut turn.element_mut(key).held;
    let mut hold = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            held.insert(name.into(), value.to_stored());
        }
    };
    let text = |text: &Option<Arc<str>>| text.clone().map(Value::Text);
    let list = |names: &Option<Vec<Arc<str>>>| {
        let texts = |names: &Vec<Arc<str>>| names.iter().cloned().map(Value::Text).collect();
        names.as_ref().map(|names| Value::List(Arc::new(texts(names))))
    };
    hold(held::ASSIGNEE, text(&corrections.assignee));
    hold(held::DUE_DATE, text(&corrections.due_date));
    hold(held::FOLLOW_UP_DATE, text(&corrections.follow_up_date));
    hold(held::CANDIDATE_USERS, list(&corrections.candidate_users));
    hold(held::CANDIDATE_GROUPS, list(&corrections.candidate_groups));
    hold(held::PRIORITY, corrections.priority.map(Value::Int));
}

/// The task's row as the model describes it and listeners have corrected it.
fn corrected(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &UserTask,
) -> Ruled<UserTaskRow> {
    let mut row = describe(turn, key, element, task)?;
    let instance = turn.element(key);
    let held = |name: &str| instance.held.get(name).map(Value::from);
    let names = |value: Value| match value {
        Value::List(names) => names
            .iter()
            .filter_map(|name| match name {
                Value::Text(name) => Some(name.clone()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let date = |value: Value| match value {
        Value::Text(text) => schedule::zoned_moment(&text, turn.now).ok(),
        _ => None,
    };
    if let Some(Value::Text(assignee)) = held(held::ASSIGNEE) {
        row.assignee = Some(assignee).filter(|assignee| !assignee.is_empty());
    }
    if let Some(value) = held(held::DUE_DATE) {
        row.due_at = date(value);
    }
    if let Some(value) = held(held::FOLLOW_UP_DATE) {
        row.follow_up_at = date(value);
    }
    if let Some(value) = held(held::CANDIDATE_USERS) {
        row.candidate_users = names(value);
    }
    if let Some(value) = held(held::CANDIDATE_GROUPS) {
        row.candidate_groups = names(value);
    }
    if let Some(Value::Int(priority)) = held(held::PRIORITY) {
        row.priority = priority;
    }
    Ok(row)
}

/// Somebody is to do it: its listeners are called.
pub(crate) fn assigned(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    next: u32,
) -> Ruled<Went> {
    let after = |turn: &mut Turn<'_>| match turn.semantics().task_events {
        TaskEvents::CreatedFirst => Went::Rests,
        TaskEvents::AssignedFirst => Went::On(Stage::Created(0)),
    };
    if !turn.element(key).is_assigned {
        return Ok(after(turn));
    }
    listen(turn, key, element, &ListenerEvent::TaskAssign, next, Stage::Assigned, after)
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
        if let Some(task) = turn.element_mut(key).user_task.take() {
            turn.work.changes.user_task_gone(task, TaskEnd::Completed);
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
    listen(turn, key, element, &ListenerEvent::TaskDelete, next, Stage::Deleted, |_| {
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
        Err(failure)
            if failure.needs.is_none() && turn.semantics().uel == orloj_expr::Profile::Flowable =>
        {
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
        category: text(task.category.as_ref(), "category")?,
        assignee,
        candidate_groups,
        candidate_users,
        due_at: moment(turn, key, element, "due date", task.due_date.as_ref())?,
        follow_up_at: moment(turn, key, element, "follow-up date", task.follow_up_date.as_ref())?,
        priority: priority.unwrap_or(PRIORITY_DEFAULT),
        form_key: task.form_key.clone(),
    })
}

/// DIFFERENCE: in Zeebe it lies within bounds and is whole.
fn priority_of(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    expression: &Expression,
) -> Ruled<Option<i64>> {
    if extract::is_lenient(turn) {
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
    match turn.evaluate_temporal(&element.id, key, expression)? {
        Value::Null => Ok(None),
        Value::Text(text) if text.is_empty() && !extract::is_lenient(turn) => Ok(None),
        Value::Text(text) if !extract::is_lenient(turn) => {
            schedule::zoned_moment(&text, turn.now).map(Some).map_err(|error| {
                Failure::new(&element.id, FailureKind::ExtractValue, error.to_string())
            })
        }
        Value::Text(text) => schedule::moment(&text, turn.now).map(Some).map_err(|error| {
            Failure::new(&element.id, FailureKind::ExtractValue, error.to_string())
        }),
        Value::Int(ms) if extract::is_lenient(turn) => Ok(Some(Timestamp::from_ms(ms))),
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
