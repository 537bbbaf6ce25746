//! What is ended from outside while somebody has to be asked first.
//!
//! DIFFERENCE: in Zeebe a user task that is cancelled calls its listeners for that, which are jobs.
//! Everything else in what is ended goes at once; the task and the scopes around it stay until the
//! last listener is done, and only then what has ended them goes on ([`After`]).

use std::collections::BTreeSet;

use orloj_model::{Element, ListenerEvent};
use orloj_types::{ElementInstanceKey, Variables};

use crate::agenda::Step;
use crate::element::ad_hoc;
use crate::failure::Ruled;
use crate::listeners::{self, Listened};
use crate::outcome::{EndKind, TaskEnd};
use crate::record::{After, ElementInstance, ElementState};
use crate::stage::{Stage, Went};
use crate::turn::Turn;
use crate::{events, incidents, instance, jobs, scope};

/// Begins to end an element instance of which something has to be asked first; `false`: nothing
/// has, and nothing has changed.
pub(crate) fn hold(turn: &mut Turn<'_>, key: ElementInstanceKey) -> bool {
    if !turn.process.contents.cancel_listeners {
        return false;
    }
    let inside = inside(turn, key);
    let mut kept = BTreeSet::new();
    for &inner in inside.iter().filter(|&&inner| is_asked(turn, turn.element(inner))) {
        let mut around = inner;
        while kept.insert(around) && around != key {
            around = turn.element(around).scope;
        }
    }
    if kept.is_empty() {
        return false;
    }
    // The youngest first, as when nothing is kept.
    for &inner in inside.iter().rev() {
        // What lay in one that has gone has gone with it.
        if turn.work.record.elements.get(inner).is_none() {
            continue;
        }
        match kept.contains(&inner) {
            true => begin(turn, inner),
            false => drop(scope::terminate(turn, inner)),
        }
    }
    true
}

/// As [`hold`], of what lies in a scope; what has nobody to ask is ended.
pub(crate) fn hold_children(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    except: Option<ElementInstanceKey>,
) -> bool {
    if !turn.process.contents.cancel_listeners {
        scope::terminate_children(turn, scope, except);
        return false;
    }
    let children: Vec<_> = turn.work.record.elements.children(scope).map(|e| e.key).rev().collect();
    let mut is_held = false;
    for child in children.into_iter().filter(|child| Some(*child) != except) {
        match hold(turn, child) {
            true => is_held = true,
            false => drop(scope::terminate(turn, child)),
        }
    }
    let (member, _) = turn.work.at();
    turn.work.agenda.forget_tokens(member, scope);
    is_held
}

/// What follows when the last listener is done.
pub(crate) fn then(turn: &mut Turn<'_>, holder: ElementInstanceKey, after: After) {
    turn.element_mut(holder).after = Some(Box::new(after));
}

/// The element instance and everything in it, what lies outside first.
fn inside(turn: &Turn<'_>, key: ElementInstanceKey) -> Vec<ElementInstanceKey> {
    let mut found = vec![key];
    let mut next = 0;
    while let Some(&scope) = found.get(next) {
        found.extend(turn.work.record.elements.children(scope).map(|e| e.key));
        next += 1;
    }
    found
}

fn is_asked(turn: &Turn<'_>, instance: &ElementInstance) -> bool {
    let element = turn.model(turn.index_of(&instance.element));
    is_task(instance)
        && listeners::find(&element.listeners, &ListenerEvent::TaskCancel, 0).is_some()
}

/// Whether there is a task, though clients may still be asked before others see it.
fn is_task(instance: &ElementInstance) -> bool {
    instance.user_task.is_some() || instance.task.is_some()
}

/// One element instance ends when nothing in it has to be asked any more.
pub(crate) fn begin(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    if turn.element(key).state == ElementState::Ending {
        // It was ended before, by something inside of what ends now.
        turn.element_mut(key).after = None;
        return;
    }
    let (member, _) = turn.work.at();
    turn.work.agenda.forget(member, &BTreeSet::from([key]));
    jobs::cancel_all(turn, key);
    events::close_all(turn, key);
    incidents::close_all(turn, key);
    let instance = turn.element_mut(key);
    instance.state = ElementState::Ending;
    instance.held = Variables::new();
    if let Some(task) = &mut instance.task {
        task.now = task.before.clone();
    }
    if is_task(instance) {
        turn.work.push(Step::Go { key, stage: Stage::Cancelling(0) });
    }
}

/// The listeners of a task that is cancelled, from one on; then it is gone.
pub(crate) fn cancelling(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    next: u32,
) -> Ruled<Went> {
    match listeners::next(turn, key, element, &ListenerEvent::TaskCancel, next)? {
        Listened::Go(next) => return Ok(Went::On(Stage::Cancelling(next))),
        Listened::Waits => return Ok(Went::Rests),
        Listened::Over => {}
    }
    if let Some(task) = turn.element_mut(key).user_task.take() {
        turn.work.changes.user_task_gone(task, TaskEnd::Deleted);
    }
    turn.element_mut(key).task = None;
    go_on(turn, key)?;
    Ok(Went::Rests)
}

/// Whether something waits for the scope to be empty that is not its own end.
pub(crate) fn is_waiting(instance: &ElementInstance) -> bool {
    instance.state == ElementState::Ending || instance.after.is_some()
}

/// Nothing is left of an element instance, or in a scope, that has to be asked.
pub(crate) fn go_on(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled {
    match turn.element_mut(key).after.take().map(|after| *after) {
        Some(After::Event { event, with }) => {
            let event = turn.index_of(&event);
            events::occur(turn, key, event, with)
        }
        Some(After::Completed) => {
            ad_hoc::complete(turn, key);
            Ok(())
        }
        Some(After::Cancelled) => {
            instance::finish(turn, EndKind::Cancelled);
            Ok(())
        }
        None => {
            let scope = scope::terminate(turn, key).scope;
            turn.work.push(Step::Close { scope });
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use orloj_model::{ListenerEvent, SubProcessKind, TimerKind};

    use crate::testing::{Sketch, Story, end, on_timer, start, subprocess, user, worker};
    use crate::{Command, Rejection};

    fn asked(sketch: Sketch) -> Sketch {
        sketch.listener_job("ask", ListenerEvent::TaskCancel, "first").listener_job(
            "ask",
            ListenerEvent::TaskCancel,
            "second",
        )
    }

    fn late() -> Story {
        let sketch = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .boundary("ask", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("sorry", user())
            .node("end", end())
            .flows("start -> ask -> end")
            .flows("late -> sorry");
        Story::of(asked(sketch).build())
    }

    #[test]
    fn a_boundary_event_waits_for_the_listeners_of_the_task_that_it_ends() {
        let mut story = late();
        story.start("{}");
        let task = story.token("ask").1.expect("a task");
        story.pass(3_600_000);
        insta::assert_snapshot!(story.job_due("late"), @"
        job1 completed
        job2 created first
        --
        delete job1
        insert job2 first listener 0 of ask, ready, retries 3
        at ask ending job2 task1
        ");
        let variables = crate::testing::document("{}");
        let refused = story.interpret(Command::CompleteUserTask { task, variables });
        assert!(matches!(refused, Err(Rejection::JobState { .. })), "{refused:?}");
        story.complete("ask", "{}");
        insta::assert_snapshot!(story.complete("ask", "{}"), @"
        job3 completed
        terminated ask
        entered late
        left late
        entered sorry
        --
        delete job3
        delete task1
        insert task2 sorry priority 50
        at sorry task2
        ");
    }

    #[test]
    fn a_listener_that_fails_waits_with_an_incident_and_goes_on_when_it_is_resolved() {
        let mut story = late();
        story.start("{}");
        story.pass(3_600_000);
        story.job_due("late");
        assert!(story.fail("ask", 0, 0).contains("TASK_LISTENER_NO_RETRIES"));
        story.play(Command::UpdateRetries { job: story.job_of("ask"), retries: 1 });
        story.resolve();
        story.complete("ask", "{}");
        assert!(story.complete("ask", "{}").contains("entered sorry"));
    }

    #[test]
    fn a_cancelled_instance_ends_when_the_listeners_are_done() {
        let mut story = late();
        story.start(r#"{"a":1}"#);
        insta::assert_snapshot!(story.play(Command::Cancel), @r#"
        job1 cancelled
        job2 created first
        --
        delete job1
        insert job2 first listener 0 of ask, ready, retries 3
        at ask ending job2 task1
        instance: {"a":1}
        "#);
        // Once more changes nothing.
        story.play(Command::Cancel);
        story.complete("ask", "{}");
        insta::assert_snapshot!(story.complete("ask", "{}"), @r#"
        job3 completed
        terminated ask
        ended Cancelled
        --
        delete job3
        delete task1
        end Cancelled {"a":1}
        "#);
        let mut story = late();
        story.start("{}");
        assert!(story.play(Command::Delete).contains("ended Cancelled"), "nobody is asked");
    }

    #[test]
    fn a_moved_token_is_asked_too_and_the_instance_without_any_other_is_cancelled() {
        let mut story = late();
        story.start("{}");
        let cancel = crate::Instruction::CancelAll { element: "ask".into() };
        let told = story.play(Command::Modify { instructions: vec![cancel] });
        assert!(told.contains("at ask ending job2"), "{told}");
        story.complete("ask", "{}");
        assert!(story.complete("ask", "{}").contains("ended Cancelled"));
    }

    #[test]
    fn a_scope_whose_last_token_is_taken_out_ends_with_it_and_leads_nowhere() {
        let sketch = Sketch::zeebe()
            .node("start", start())
            .node("fork", crate::testing::and())
            .node("other", user())
            .node("sub", subprocess(SubProcessKind::Embedded))
            .node("begin", start())
            .node("ask", user())
            .node("again", user())
            .inside("sub", &["begin", "ask", "again"])
            .boundary("sub", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("after", user())
            .flows("start -> fork -> other")
            .flows("fork -> sub -> after")
            .flows("begin -> ask -> again")
            .flows("late -> after");
        let process = asked(sketch).build();
        let cancel = || crate::Instruction::CancelAll { element: "ask".into() };
        let mut story = Story::of(process.clone());
        story.start("{}");
        insta::assert_snapshot!(story.play(Command::Modify { instructions: vec![cancel()] }), @"
        job1 cancelled
        job2 created first
        --
        delete job1
        insert job2 first listener 0 of ask, ready, retries 3
        at sub ending
        at other task1
        at ask ending job2 task2
        ");
        story.complete("ask", "{}");
        let told = story.complete("ask", "{}");
        assert!(told.contains("terminated ask\nterminated sub\n"), "{told}");
        assert!(!told.contains("entered after") && told.ends_with("at other task1\n"), "{told}");

        // With another token in it the scope lives on.
        let place = crate::Place::default();
        let begin = crate::Instruction::StartBefore { element: "again".into(), place };
        let mut story = Story::of(process);
        story.start("{}");
        story.play(Command::Modify { instructions: vec![cancel(), begin] });
        story.complete("ask", "{}");
        story.complete("ask", "{}");
        assert!(story.complete_user_task("again", "{}").contains("entered after"));
    }

    #[test]
    fn other_tokens_taken_out_leave_alone_what_an_event_is_ending() {
        let sketch = Sketch::zeebe()
            .node("start", start())
            .node("fork", crate::testing::and())
            .node("other", user())
            .node("ask", user())
            .boundary("ask", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("sorry", user())
            .node("end", end())
            .flows("start -> fork -> other")
            .flows("fork -> ask")
            .flows("late -> sorry -> end");
        let mut story = Story::of(asked(sketch).build());
        story.start("{}");
        story.pass(3_600_000);
        story.job_due("late");
        let cancel = crate::Instruction::CancelAll { element: "other".into() };
        story.play(Command::Modify { instructions: vec![cancel] });
        story.complete("ask", "{}");
        assert!(story.complete("ask", "{}").contains("entered sorry"));
        assert!(story.complete_user_task("sorry", "{}").contains("ended Completed"));
    }

    #[test]
    fn what_has_nobody_to_ask_goes_at_once_and_the_scope_with_the_last_task() {
        let sketch = Sketch::zeebe()
            .node("start", start())
            .node("sub", subprocess(SubProcessKind::Embedded))
            .node("begin", start())
            .node("fork", crate::testing::and())
            .node("ask", user())
            .node("pay", worker("charge"))
            .inside("sub", &["begin", "fork", "ask", "pay"])
            .boundary("sub", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .node("sorry", user())
            .flows("start -> sub")
            .flows("begin -> fork -> ask")
            .flows("fork -> pay")
            .flows("late -> sorry");
        let mut story = Story::of(asked(sketch).build());
        story.start("{}");
        story.pass(3_600_000);
        insta::assert_snapshot!(story.job_due("late"), @"
        job1 completed
        job2 cancelled
        terminated pay
        job3 created first
        --
        delete job1
        delete job2
        insert job3 first listener 0 of ask, ready, retries 3
        at sub ending
        at ask ending job3 task1
        ");
        story.complete("ask", "{}");
        insta::assert_snapshot!(story.complete("ask", "{}"), @"
        job4 completed
        terminated ask
        terminated sub
        entered late
        left late
        entered sorry
        --
        delete job4
        delete task1
        insert task2 sorry priority 50
        at sorry task2
        ");
    }
}
