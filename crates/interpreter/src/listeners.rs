//! Listeners: code that is called when an element, a flow, a user task or an instance begins or
//! ends.
//!
//! DIFFERENCE: in Camunda and Flowable they are called within the command. In Zeebe they are jobs:
//! the element waits until a client has done one, then comes the next.

use std::sync::Arc;

use orloj_model::{Code, Element, Field, Listener, ListenerEvent, ListenerMoment, Script};
use orloj_types::{ElementId, ElementInstanceKey, Value};

use crate::element::user_task;
use crate::extract;
use crate::failure::Ruled;
use crate::foreign;
use crate::invoke::Callee;
use crate::jobs::{self, Draft};
use crate::record::JobKind;
use crate::turn::Turn;
use crate::{afterwards, delegates, scripts, variables};

/// Calls of listeners are counted apart from the element's own.
const ORDINAL_FIRST: u32 = 1;
/// Calls of a listener for all events of a user task differ by the event.
const ORDINALS_PER_EVENT: u32 = 1 << 9;

pub(crate) enum Listened {
    /// This one was called; the next has this place.
    Go(u32),
    /// A job for a client was made.
    Waits,
    Over,
}

/// Calls the next listener of the element for this event, `from` on.
pub(crate) fn next(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    event: &ListenerEvent,
    from: u32,
) -> Ruled<Listened> {
    let Some((place, listener)) = find(&element.listeners, event, from) else {
        return Ok(Listened::Over);
    };
    if is_for_client(listener) {
        create_job(turn, key, &element.id, place, listener)?;
        return Ok(Listened::Waits);
    }
    let ordinal = ORDINAL_FIRST + number(event) * ORDINALS_PER_EVENT + place;
    turn.beans.set_event(word(event));
    call(turn, key, &element.id, listener, ordinal)?;
    Ok(Listened::Go(place + 1))
}

/// The first listener for the event at or after a place.
pub(crate) fn find<'l>(
    listeners: &'l [Listener],
    event: &ListenerEvent,
    from: u32,
) -> Option<(u32, &'l Listener)> {
    let is_task = number(event) > 2;
    let fits = |listener: &Listener| {
        listener.event == *event || (is_task && listener.event == ListenerEvent::TaskAll)
    };
    (0..).zip(listeners).skip(from as usize).find(|(_, listener)| fits(listener))
}

pub(crate) fn is_for_client(listener: &Listener) -> bool {
    matches!(listener.code, Code::Worker { .. })
}

/// The job of a listener that a client does.
pub(crate) fn create_job(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    owner: &ElementId,
    place: u32,
    listener: &Listener,
) -> Ruled {
    // The headers that it has in the model are found there when the job is handed out.
    let Code::Worker { job_type, retries, headers: _ } = &listener.code else { return Ok(()) };
    let default = i64::from(turn.semantics().retries_default);
    let job_type = extract::text_of(turn, key, owner, "type of the listener", job_type)?;
    let retries = match retries {
        Some(expression) => extract::whole_number_of(turn, key, owner, "retries", expression)?,
        None => None,
    };
    let retries = i32::try_from(retries.unwrap_or(default)).unwrap_or(i32::MAX);
    let headers = user_task::headers(turn.element(key), &listener.event);
    let kind = JobKind::Listener { index: place };
    let draft = Draft { job_type, headers, ..Draft::new(kind, retries) };
    jobs::create(turn, key, draft);
    Ok(())
}

/// Calls a listener's code as seen from a scope.
pub(crate) fn call(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    listener: &Listener,
    ordinal: u32,
) -> Ruled<Value> {
    if listener.moment != ListenerMoment::AtOnce {
        afterwards::put_off(turn, scope, owner, listener);
        return Ok(Value::Null);
    }
    let value = run(turn, scope, owner, &listener.code, &listener.fields, ordinal)?;
    if let Some(name) = &listener.result_variable {
        variables::assign(&mut turn.work.record, scope, [(name, &value.to_stored())]);
        turn.note_variables();
    }
    Ok(value)
}

/// Runs code that is no element's own work: of a listener, or one that maps variables.
pub(crate) fn run(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    code: &Code,
    fields: &[Field],
    ordinal: u32,
) -> Ruled<Value> {
    match code {
        Code::Delegate(name) => {
            let fields = delegates::injected(turn, scope, owner, fields)?;
            let callee = || Callee::Delegate { name: Arc::clone(name), fields };
            foreign::call(turn, scope, owner, ordinal, callee)
        }
        Code::ComputedDelegate(expression) => {
            let fields = delegates::injected(turn, scope, owner, fields)?;
            let name = delegates::computed(turn, scope, owner, expression)?;
            foreign::call(turn, scope, owner, ordinal, || Callee::Delegate { name, fields })
        }
        Code::Expression(expression) => {
            scripts::run(turn, scope, owner, ordinal, &Script::Expression(expression.clone()), None)
        }
        Code::Script(script) => scripts::run(turn, scope, owner, ordinal, script, None),
        Code::Worker { .. } => Ok(Value::Null),
    }
}

/// As [`run`], but nothing comes of it.
pub(crate) fn ask(
    turn: &Turn<'_>,
    scope: ElementInstanceKey,
    owner: &ElementId,
    code: &Code,
    fields: &[Field],
    ordinal: u32,
) -> Ruled {
    match code {
        Code::Delegate(name) => {
            let fields = delegates::injected(turn, scope, owner, fields)?;
            let callee = || Callee::Delegate { name: Arc::clone(name), fields };
            foreign::ask(turn, scope, owner, ordinal, callee)?;
        }
        Code::ComputedDelegate(expression) => {
            let fields = delegates::injected(turn, scope, owner, fields)?;
            let name = delegates::computed(turn, scope, owner, expression)?;
            foreign::ask(turn, scope, owner, ordinal, || Callee::Delegate { name, fields })?;
        }
        Code::Expression(expression) => {
            turn.evaluate(owner, scope, expression)?;
        }
        Code::Script(script) => {
            scripts::value(turn, scope, owner, ordinal, script)?;
        }
        Code::Worker { .. } => {}
    }
    Ok(())
}

/// Events are numbered so that their calls can be told apart.
fn number(event: &ListenerEvent) -> u32 {
    match event {
        ListenerEvent::Start => 0,
        ListenerEvent::End => 1,
        ListenerEvent::Take => 2,
        ListenerEvent::TaskCreate => 3,
        ListenerEvent::TaskAssign => 4,
        ListenerEvent::TaskUpdate => 5,
        ListenerEvent::TaskComplete => 6,
        ListenerEvent::TaskDelete => 7,
        ListenerEvent::TaskTimeout => 8,
        ListenerEvent::TaskCancel => 9,
        ListenerEvent::TaskAll => 0,
    }
}

/// The word that code is told.
fn word(event: &ListenerEvent) -> &'static str {
    match event {
        ListenerEvent::Start => "start",
        ListenerEvent::End => "end",
        ListenerEvent::Take => "take",
        ListenerEvent::TaskCreate => "create",
        ListenerEvent::TaskAssign => "assignment",
        ListenerEvent::TaskUpdate => "update",
        ListenerEvent::TaskComplete => "complete",
        ListenerEvent::TaskDelete => "delete",
        ListenerEvent::TaskAll => "all",
        ListenerEvent::TaskCancel => "cancel",
        ListenerEvent::TaskTimeout => "timeout",
    }
}

#[cfg(test)]
mod tests {
    use orloj_model::{ListenerEvent, TimerKind};

    use crate::testing::{Sketch, Story, document, on_timer, start, user, worker};
    use crate::{Command, Corrections, JobResult, ThrowError, UserTaskResult};

    /// Writes down that it was called.
    fn note(sketch: Sketch, event: ListenerEvent, letter: char) -> Sketch {
        let text = format!("execution.setVariable('seen', seen.concat('{letter}'))");
        sketch.listener("ask", event, &text)
    }

    fn noted(sketch: Sketch) -> Sketch {
        let mut sketch = sketch
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("then", user())
            .flows("start -> ask -> then")
            .flows("late -> then");
        for (event, letter) in [
            (ListenerEvent::Start, 's'),
            (ListenerEvent::End, 'e'),
            (ListenerEvent::TaskCreate, 'c'),
            (ListenerEvent::TaskAssign, 'a'),
            (ListenerEvent::TaskComplete, 'd'),
            (ListenerEvent::TaskDelete, 'x'),
        ] {
            sketch = note(sketch, event, letter);
        }
        let assignee = sketch.expression("'joe'");
        sketch.with("ask", |e| {
            if let orloj_model::ElementKind::UserTask(task) = &mut e.kind {
                task.assignee = Some(assignee);
            }
        })
    }

    #[test]
    fn a_task_whose_completion_has_stopped_is_not_completed_again() {
        let sketch = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .node("then", user())
            .flows("start -> ask -> then");
        let job_type = sketch.expression("kind");
        let process =
            sketch.listener_job("ask", ListenerEvent::TaskComplete, "x").with("ask", |e| {
                e.listeners[0].code =
                    orloj_model::Code::Worker { job_type, retries: None, headers: Vec::new() };
            });
        let mut story = Story::of(process.build());
        story.start("{}");
        let told = story.complete_user_task("ask", r#"{"a":1}"#);
        assert!(told.contains("incident1 opened EXTRACT_VALUE_ERROR"), "{told}");
        let told = story.complete_user_task("ask", "{}");
        assert_eq!(told, "rejected: ask: its completion has stopped");
        let scope = story.record.as_ref().expect("it lives").root.key;
        let variables = document(r#"{"kind":"bye"}"#);
        story.play(Command::SetVariables { scope, variables, local: false });
        let told = story.resolve();
        assert!(told.contains("created bye"), "{told}");
        let told = story.complete("ask", "{}");
        assert!(told.contains("entered then"), "{told}");
        assert!(told.contains(r#""a":1"#), "{told}");
    }

    fn seen(story: &Story) -> String {
        let record = story.record.as_ref().expect("it lives");
        let value = &record.variables[&record.root.key]["seen"];
        orloj_types::Value::from(value).to_json()
    }

    #[test]
    fn the_listeners_of_a_user_task_are_called_in_each_systems_order() {
        let play = |sketch: Sketch, late: bool| {
            let mut story = Story::of(noted(sketch).build());
            story.start(r#"{"seen":""}"#);
            if late {
                story.pass(3_600_000);
                story.job_due("late");
            } else {
                story.complete_user_task("ask", "{}");
            }
            seen(&story)
        };
        assert_eq!(play(Sketch::camunda(), false), r#""scade""#);
        assert_eq!(play(Sketch::flowable(), false), r#""sacdxe""#);
        // Cancelled from outside: Camunda calls the listeners of the end too.
        assert_eq!(play(Sketch::camunda(), true), r#""scaxe""#);
        assert_eq!(play(Sketch::flowable(), true), r#""sacx""#);
    }

    #[test]
    fn in_zeebe_listeners_are_jobs_one_after_the_other() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("pay", worker("charge"))
            .node("then", user())
            .flows("start -> pay -> then")
            .output("pay", "paid + 1", "next")
            .listener_job("pay", ListenerEvent::Start, "first")
            .listener_job("pay", ListenerEvent::Start, "second")
            .listener_job("pay", ListenerEvent::End, "last");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered pay
        job1 created first
        --
        insert job1 first listener 0 of pay, ready, retries 3
        at pay job1
        ");
        insta::assert_snapshot!(story.complete("pay", r#"{"local":1}"#), @r#"
        job1 completed
        job2 created second
        --
        delete job1
        insert job2 second listener 1 of pay, ready, retries 3
        at pay job2
        pay: {"local":1}
        "#);
        story.complete("pay", "{}");
        insta::assert_snapshot!(story.complete("pay", r#"{"paid":1}"#), @r#"
        job3 completed
        job4 created last
        --
        delete job3
        insert job4 last listener 2 of pay, ready, retries 3
        at pay job4
        instance: {"next":2}
        pay: {"local":1,"paid":1}
        "#);
        insta::assert_snapshot!(story.complete("pay", r#"{"after":1}"#), @r#"
        job4 completed
        left pay
        entered then
        --
        delete job4
        insert task1 then priority 50
        at then task1
        instance: {"after":1,"next":2}
        "#);
    }

    #[test]
    fn the_listeners_of_a_process_come_before_its_first_and_after_its_last_token() {
        let process = Sketch::zeebe()
            .process_listener_job(ListenerEvent::Start, "hello")
            .process_listener_job(ListenerEvent::End, "goodbye")
            .node("start", start())
            .node("ask", user())
            .flows("start -> ask");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        job1 created hello
        --
        insert job1 hello listener 0 of , ready, retries 3
        ");
        insta::assert_snapshot!(story.complete("", r#"{"x":1}"#), @r#"
        job1 completed
        entered start
        left start
        entered ask
        --
        delete job1
        insert task1 ask priority 50
        at ask task1
        instance: {"x":1}
        "#);
        insta::assert_snapshot!(story.complete_user_task("ask", "{}"), @r#"
        left ask
        job2 created goodbye
        --
        insert job2 goodbye listener 1 of , ready, retries 3
        delete task1
        instance: {"x":1}
        "#);
        insta::assert_snapshot!(story.complete("", "{}"), @r#"
        job2 completed
        ended Completed
        --
        delete job2
        end Completed {"x":1}
        "#);
    }

    fn answer(story: &mut Story, element: &str, result: UserTaskResult) -> String {
        let (job, variables) = (story.job_of(element), document("{}"));
        let (result, activations) = (JobResult::UserTask(result), Vec::new());
        story.play(Command::CompleteJob { job, variables, result, activations })
    }

    #[test]
    fn a_listener_corrects_the_task_before_it_is_there() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .flows("start -> ask")
            .listener_job("ask", ListenerEvent::TaskCreate, "first")
            .listener_job("ask", ListenerEvent::TaskCreate, "second");
        let mut story = Story::of(process.build());
        story.start("{}");
        let correct = |corrections| UserTaskResult { corrections, ..UserTaskResult::default() };
        let wrong = correct(Corrections { priority: Some(101), ..Corrections::default() });
        assert!(answer(&mut story, "ask", wrong).contains("the priority is out of bounds"));
        let denied = UserTaskResult { is_denied: true, ..UserTaskResult::default() };
        assert!(answer(&mut story, "ask", denied).contains("cannot be denied"));
        let first = Corrections {
            assignee: Some("joe".into()),
            priority: Some(7),
            candidate_groups: Some(vec!["a".into(), "b".into()]),
            ..Corrections::default()
        };
        answer(&mut story, "ask", correct(first));
        let second = Corrections { assignee: Some("eva".into()), ..Corrections::default() };
        insta::assert_snapshot!(answer(&mut story, "ask", correct(second)), @"
        job2 completed
        --
        delete job2
        insert task1 ask for eva groups a+b priority 7
        at ask task1
        ");
    }

    #[test]
    fn a_completion_that_a_listener_denies_leaves_the_task_as_it_was() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .node("then", user())
            .flows("start -> ask -> then")
            .listener_job("ask", ListenerEvent::TaskComplete, "first")
            .listener_job("ask", ListenerEvent::TaskComplete, "second");
        let mut story = Story::of(process.build());
        story.start("{}");
        story.complete_user_task("ask", r#"{"wrong":true}"#);
        let both = UserTaskResult {
            is_denied: true,
            corrections: Corrections { priority: Some(7), ..Corrections::default() },
            reason: None,
        };
        assert!(answer(&mut story, "ask", both).contains("what is denied cannot be corrected"));
        let denied = UserTaskResult { is_denied: true, ..UserTaskResult::default() };
        insta::assert_snapshot!(answer(&mut story, "ask", denied), @"
        job1 completed
        --
        delete job1
        at ask task1
        ");
        story.complete_user_task("ask", r#"{"right":true}"#);
        answer(&mut story, "ask", UserTaskResult::default());
        let told = answer(&mut story, "ask", UserTaskResult::default());
        assert!(told.trim_end().ends_with(r#"instance: {"right":true}"#), "{told}");
    }

    /// The headers of the job that the element waits for, without what all of them begin with.
    fn headers(story: &Story, element: &str) -> String {
        let headers = story.jobs[&story.job_of(element)].job.headers.clone();
        let headers = headers.iter().flat_map(|headers| headers.iter());
        let told = headers.map(|(name, value)| {
            let name = name.strip_prefix(orloj_model::RESERVED_HEADERS).expect("a reserved name");
            let is_key = name == "userTaskKey";
            format!("{name}={}", if is_key { "key" } else { value })
        });
        told.collect::<Vec<_>>().join(" ")
    }

    fn assigned_to_joe(sketch: Sketch) -> Sketch {
        let assignee = sketch.expression(r#""joe""#);
        sketch.with("ask", |e| {
            if let orloj_model::ElementKind::UserTask(task) = &mut e.kind {
                task.assignee = Some(assignee);
            }
        })
    }

    #[test]
    fn each_listener_is_told_of_the_task_as_those_before_have_corrected_it() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .flows("start -> ask")
            .listener_job("ask", ListenerEvent::TaskCreate, "creating")
            .listener_job("ask", ListenerEvent::TaskComplete, "first")
            .listener_job("ask", ListenerEvent::TaskComplete, "second");
        let mut story = Story::of(process.build());
        story.start("{}");
        assert_eq!(headers(&story, "ask"), "userTaskKey=key priority=50");
        answer(&mut story, "ask", UserTaskResult::default());
        story.complete_user_task("ask", "{}");
        assert_eq!(headers(&story, "ask"), "action=complete userTaskKey=key priority=50");
        let corrections = Corrections {
            assignee: Some("eva".into()),
            due_date: Some("2030-01-02T00:00:00Z".into()),
            candidate_users: Some(vec!["eva".into(), "adam".into()]),
            ..Corrections::default()
        };
        answer(&mut story, "ask", UserTaskResult { corrections, ..UserTaskResult::default() });
        assert_eq!(
            headers(&story, "ask"),
            r#"action=complete assignee=eva candidateUsers=["eva","adam"] "#.to_owned()
                + r#"changedAttributes=["assignee","candidateUsers","dueDate"] "#
                + "dueDate=2030-01-02T00:00:00.000Z userTaskKey=key priority=50"
        );
        let (job, result) = (story.job_of("ask"), JobResult::None);
        let (variables, activations) = (document("{}"), Vec::new());
        let done = story.interpret(Command::CompleteJob { job, variables, result, activations });
        let events = done.expect("done").events;
        let is_told = |event: &crate::Event| match event {
            crate::Event::UserTaskAssigned { assignee, .. } => **assignee == *"eva",
            _ => false,
        };
        assert!(events.iter().any(is_told), "history is told who did it: {events:?}");
    }

    #[test]
    fn an_assignment_that_a_listener_denies_leaves_the_task_to_anybody() {
        let sketch =
            Sketch::zeebe().node("start", start()).node("ask", user()).flows("start -> ask");
        let process =
            assigned_to_joe(sketch).listener_job("ask", ListenerEvent::TaskAssign, "assigning");
        let process = process.build();
        let mut story = Story::of(process.clone());
        assert!(!story.start("{}").contains("insert task1"));
        let told = r#"action=assign assignee=joe changedAttributes=["assignee"] "#;
        assert_eq!(headers(&story, "ask"), told.to_owned() + "userTaskKey=key priority=50");
        let denied = UserTaskResult {
            is_denied: true,
            reason: Some("joe is away".into()),
            ..UserTaskResult::default()
        };
        insta::assert_snapshot!(answer(&mut story, "ask", denied), @"
        job1 completed
        --
        delete job1
        insert task1 ask priority 50
        at ask task1
        ");
        let mut story = Story::of(process);
        story.start("{}");
        let told = answer(&mut story, "ask", UserTaskResult::default());
        assert!(told.contains("insert task1 ask for joe priority 50"), "{told}");
    }

    #[test]
    fn while_a_task_listener_is_at_work_the_task_cannot_be_completed() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .node("then", user())
            .flows("start -> ask -> then")
            .listener_job("ask", ListenerEvent::TaskCreate, "creating")
            .listener_job("ask", ListenerEvent::TaskComplete, "completing");
        let mut story = Story::of(process.build());
        story.start("{}");
        assert_eq!(story.token("ask").1, None, "it is there when the listener has been heard");
        let job = story.job_of("ask");
        let throw = ThrowError {
            job,
            code: "no".into(),
            message: "".into(),
            variables: document("{}"),
            activations: Vec::new(),
        };
        assert!(story.play(Command::ThrowError(throw)).contains("throws no errors"));
        assert!(story.complete("ask", r#"{"x":1}"#).contains("takes no variables"));
        story.complete("ask", "{}");
        story.complete_user_task("ask", r#"{"done":true}"#);
        assert!(story.complete_user_task("ask", "{}").starts_with("rejected: job job2"));
        assert!(story.fail("ask", 0, 0).contains("TASK_LISTENER_NO_RETRIES"));
        story.play(Command::UpdateRetries { job: story.job_of("ask"), retries: 1 });
        story.resolve();
        let told = story.complete("ask", "{}");
        assert!(told.trim_end().ends_with(r#"instance: {"done":true}"#), "{told}");
    }
}
