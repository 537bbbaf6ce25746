//! The user task (BPMN 10.3.4, 13.3.3): waits until a person completes it.
//!
//! DIFFERENCE: in Zeebe an assignee, candidate or priority that evaluates to null is an incident,
//! a due date that does is none; in UEL null always means "not set". A user task of Zeebe without
//! an implementation of its own is a worker job and no business of this file.

use orloj_model::{Element, UserTask};
use orloj_types::{ElementInstanceKey, Timestamp, UserTaskKey, Value};

use super::Begun;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::outcome::UserTaskRow;
use crate::turn::Turn;
use crate::{extract, mappings, schedule, timers};

/// Of a task that names none, in all three systems.
const PRIORITY_DEFAULT: i64 = 50;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &UserTask,
) -> Ruled<Begun> {
    mappings::apply_inputs(turn, key, element)?;
    let mut row = describe(turn, key, element, task)?;
    for armed in timers::prepare_boundaries(turn, key, element)? {
        timers::create(turn, key, armed);
    }
    row.key = UserTaskKey::new(turn.next_key());
    turn.element_mut(key).user_task = Some(row.key);
    turn.work.changes.user_task_created(row);
    Ok(Begun::Waits)
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
    let candidate_groups = match &task.candidate_groups {
        Some(expression) => extract::names(turn, key, element, "candidate groups", expression)?,
        None => Vec::new(),
    };
    let candidate_users = match &task.candidate_users {
        Some(expression) => extract::names(turn, key, element, "candidate users", expression)?,
        None => Vec::new(),
    };
    let priority = match &task.priority {
        Some(expression) => extract::whole_number(turn, key, element, "priority", expression)?,
        None => None,
    };
    Ok(UserTaskRow {
        key: UserTaskKey::default(),
        element: element.id.clone(),
        element_instance: key,
        name: element.name.clone(),
        assignee,
        candidate_groups,
        candidate_users,
        due_at: due_at(turn, key, element, task)?,
        priority: priority.unwrap_or(PRIORITY_DEFAULT),
        form_key: task.form_key.clone(),
    })
}

fn due_at(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &UserTask,
) -> Ruled<Option<Timestamp>> {
    let Some(expression) = &task.due_date else { return Ok(None) };
    match turn.evaluate(&element.id, key, expression)? {
        Value::Null => Ok(None),
        Value::Text(text) => schedule::moment(&text, turn.now).map(Some).map_err(|error| {
            Failure::new(&element.id, FailureKind::ExtractValue, error.to_string())
        }),
        Value::Int(ms) if extract::is_lenient(turn) => Ok(Some(Timestamp::from_ms(ms))),
        other => Err(extract::wrong(element, "due date", "a string", &other)),
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
            candidate_users: Some(sketch.expression(r#""eva, adam ,""#)),
            due_date: Some(sketch.expression(r#""2030-01-01T01:00:00+01:00""#)),
            priority: Some(sketch.expression("7")),
            form_key: None,
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
