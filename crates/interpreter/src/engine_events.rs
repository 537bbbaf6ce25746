//! Listeners to events of the engine: what an instance tells of itself brings something about.
//!
//! Events are told after the stage or step that they belong to. What comes of them is done before
//! anything else goes on, so an event that interrupts the element it is about ends it.
//!
//! DIFFERENCE: only Flowable has them. There code is called in the middle of a step.

use orloj_model::{Code, EngineAction, EngineEvent, VariableEvent};
use orloj_types::{Document, ElementInstanceKey, UserTaskKey, Variables};

use crate::agenda::Step;
use crate::errors::{Source, Throwing};
use crate::failure::Ruled;
use crate::foreign::ThrownByCode;
use crate::outcome::{EndKind, Event, LeaveKind, Signal, TaskEnd};
use crate::record::SubscriptionKind;
use crate::turn::Turn;
use crate::{commands, events, flow, listeners, visits};

/// Calls for events are counted apart from the other calls of their scope.
const ORDINAL_FIRST: u32 = 1 << 26;

/// An event that one listener is told of.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    listener: usize,
    event: EngineEvent,
    /// What it is about, as long as that is there.
    from: ElementInstanceKey,
}

/// Whether something has happened that somebody may want to know.
pub(crate) fn has_news(turn: &Turn<'_>) -> bool {
    if turn.process.engine_listeners.is_empty() {
        return false;
    }
    let (member, _) = turn.work.at();
    turn.work.changes.events.len() > turn.work.told.get(&member).copied().unwrap_or(0)
}

/// What has happened to the instance at work is told next.
pub(crate) fn tell_news(turn: &mut Turn<'_>) {
    // An instance has started when its own events wait.
    if !has_news(turn) || turn.work.agenda.is_beginning() {
        return;
    }
    let (member, _) = turn.work.at();
    let events = turn.work.changes.events.len();
    let before = turn.work.told.insert(member, events).unwrap_or(0);
    let news: Vec<_> =
        turn.work.changes.events[before..].iter().flat_map(|event| meanings(turn, event)).collect();
    turn.work.news_from = None;
    tell(turn, news);
}

/// Variables of a scope have changed.
pub(crate) fn tell_change(turn: &mut Turn<'_>, scope: ElementInstanceKey, change: VariableEvent) {
    if turn.process.engine_listeners.is_empty() {
        return;
    }
    let event = match change {
        VariableEvent::Create => EngineEvent::VariableCreated,
        VariableEvent::Update => EngineEvent::VariableUpdated,
        VariableEvent::Delete => EngineEvent::VariableDeleted,
    };
    tell(turn, vec![(event, scope)]);
}

/// A token goes along a flow.
pub(crate) fn tell_taken(turn: &mut Turn<'_>, scope: ElementInstanceKey) {
    if !turn.process.engine_listeners.is_empty() {
        tell(turn, vec![(EngineEvent::FlowTaken, scope)]);
    }
}

fn tell(turn: &mut Turn<'_>, news: Vec<(EngineEvent, ElementInstanceKey)>) {
    let process = turn.process;
    let listeners = &process.engine_listeners;
    for (event, from) in news.into_iter().rev() {
        for (listener, _) in
            listeners.iter().enumerate().filter(|(_, l)| l.events.contains(&event)).rev()
        {
            turn.work.push_next(Step::Tell(Told { listener, event, from }));
        }
    }
}

/// What history calls by one word has several for listeners, or none.
fn meanings(turn: &Turn<'_>, event: &Event) -> Vec<(EngineEvent, ElementInstanceKey)> {
    let root = turn.work.record.root.key;
    let at_work = turn.work.news_from.unwrap_or(root);
    let of_task = |task: UserTaskKey| {
        let mut elements = turn.work.record.elements.iter();
        let found = elements.find(|element| element.user_task == Some(task));
        found.map_or(at_work, |found| found.key)
    };
    match event {
        Event::InstanceStarted => {
            vec![(EngineEvent::ProcessCreated, root), (EngineEvent::ProcessStarted, root)]
        }
        Event::InstanceEnded { how } => {
            let event = match how {
                EndKind::Completed => EngineEvent::ProcessCompleted,
                EndKind::Cancelled => EngineEvent::ProcessCancelled,
            };
            vec![(event, root)]
        }
        Event::ElementEntered { key, .. } => vec![(EngineEvent::ActivityStarted, *key)],
        Event::ElementLeft { key, how: LeaveKind::Completed } => {
            vec![(EngineEvent::ActivityCompleted, *key)]
        }
        Event::ElementLeft { key, .. } => vec![(EngineEvent::ActivityCancelled, *key)],
        Event::UserTaskCreated { element_instance, .. } => {
            vec![(EngineEvent::TaskCreated, *element_instance)]
        }
        Event::UserTaskAssigned { key, .. } => vec![(EngineEvent::TaskAssigned, of_task(*key))],
        Event::UserTaskEnded { key, how: TaskEnd::Completed } => {
            vec![(EngineEvent::TaskCompleted, of_task(*key))]
        }
        _ => Vec::new(),
    }
}

/// Does what the listener is there for.
pub(crate) fn hear(turn: &mut Turn<'_>, told: &Told) -> Ruled {
    let from = match turn.work.record.element(told.from) {
        Some(element) => element.key,
        None => turn.work.record.root.key,
    };
    let process = turn.process;
    let is_over = turn.work.ended.is_some();
    match &process.engine_listeners[told.listener].does {
        EngineAction::Code(code) => call(turn, from, told.event, code),
        // Nothing waits any more.
        _ if is_over => Ok(()),
        EngineAction::Signal { name, is_global } => {
            let only = (!is_global).then_some(turn.work.record.instance);
            let (name, variables) = (name.clone(), Document::new());
            events::hear(turn, Signal { name, variables, only, heard_by: None, is_async: false })
        }
        EngineAction::Message(name) => {
            let holders = turn.work.record.subscribed();
            let waiting: Vec<_> = holders
                .flat_map(|holder| &holder.subscriptions)
                .filter(|found| {
                    matches!(&found.kind, SubscriptionKind::Message { name: awaited, .. } if awaited == name)
                })
                .map(|found| found.key)
                .collect();
            for key in waiting {
                commands::hear(turn, key, Variables::new())?;
            }
            Ok(())
        }
        // An error comes out of an element.
        EngineAction::Error(_) if from == turn.work.record.root.key => Ok(()),
        EngineAction::Error(code) => {
            let (message, variables) = (Default::default(), Document::new());
            let thrown = ThrownByCode { code: code.clone(), message, variables };
            let throwing = Throwing::error(from, thrown, Source::Code);
            turn.work.push_next(Step::Throw(Box::new(throwing)));
            Ok(())
        }
    }
}

/// Where the call fails, as where nobody has registered the code, the instance goes on.
fn call(turn: &mut Turn<'_>, from: ElementInstanceKey, event: EngineEvent, code: &Code) -> Ruled {
    let owner = match turn.model_of(from) {
        Some(index) => turn.model(index).id.clone(),
        None => turn.process_element(),
    };
    let ordinal = ORDINAL_FIRST + turn.work.calls;
    turn.beans.set_event(event.word());
    match listeners::run(turn, from, &owner, code, &[], ordinal) {
        Err(failure) if failure.needs.is_some() => return Err(failure),
        Ok(_) | Err(_) => {}
    }
    turn.apply_bean_replies();
    turn.work.calls += 1;
    // Code that changes variables because variables have changed may do so for ever.
    let (member, _) = turn.work.at();
    let is_again = is_change(event) && turn.work.pending.contains(&member);
    let visits_max = turn.settings.visits_max();
    if is_again && visits::count_in(turn.work, from) > visits_max {
        return Err(flow::too_many_visits(&owner, visits_max));
    }
    Ok(())
}

fn is_change(event: EngineEvent) -> bool {
    use EngineEvent::{VariableCreated, VariableDeleted, VariableUpdated};
    matches!(event, VariableCreated | VariableUpdated | VariableDeleted)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orloj_expr::Expression;
    use orloj_model::{
        Code, EngineAction, EngineEvent, EngineListener, ErrorCatch, Process, SignalCatch,
        SubProcessKind, Trigger,
    };
    use orloj_types::Value;

    use crate::testing::{Sketch, Story, document, message, start, start_on, subprocess, user};
    use crate::{Command, InvokeResult};

    /// Two tasks after each other, and an event subprocess that waits for something.
    fn told(events: &[EngineEvent], does: EngineAction, trigger: Trigger, stays: bool) -> Story {
        let process = Sketch::flowable()
            .node("start", start())
            .node("first", user())
            .node("second", user())
            .node("watch", subprocess(SubProcessKind::Event))
            .node("heard", start_on(!stays, trigger))
            .node("help", user())
            .inside("watch", &["heard", "help"])
            .flows("start -> first -> second")
            .flows("heard -> help")
            .build();
        let listener = EngineListener { events: events.to_vec(), does };
        let contents = process.contents.watched_by(std::slice::from_ref(&listener));
        let engine_listeners = vec![listener];
        Story::of(Arc::new(Process { engine_listeners, contents, ..Process::clone(&process) }))
    }

    fn on_signal(name: &str) -> Trigger {
        let name = Expression::constant(Value::text(name));
        Trigger::Signal(SignalCatch { name, is_local: false, takes: Vec::new() })
    }

    fn visits(told: &str) -> String {
        let words = ["entered ", "left ", "terminated "];
        let visits = told.lines().filter(|line| words.iter().any(|word| line.starts_with(word)));
        visits.collect::<Vec<_>>().join(", ")
    }

    fn signal() -> EngineAction {
        EngineAction::Signal { name: "s".into(), is_global: false }
    }

    #[test]
    fn a_signal_is_thrown_when_the_event_comes() {
        for event in [EngineEvent::ProcessStarted, EngineEvent::TaskCreated, EngineEvent::FlowTaken]
        {
            let mut story = told(&[event], signal(), on_signal("s"), false);
            let told = visits(&story.start("{}"));
            assert!(told.contains("entered help"), "{event:?}: {told}");
        }
        let mut story = told(&[EngineEvent::TaskCompleted], signal(), on_signal("s"), true);
        assert!(!story.start("{}").contains("entered help"));
        let told = visits(&story.complete_user_task("first", "{}"));
        assert!(told.contains("entered help") && told.contains("entered second"), "{told}");
    }

    #[test]
    fn what_interrupts_the_task_that_is_completed_ends_it() {
        let does = EngineAction::Message("m".into());
        let mut story = told(&[EngineEvent::TaskCompleted], does, message("m"), false);
        story.start("{}");
        let told = visits(&story.complete_user_task("first", "{}"));
        assert_eq!(
            told,
            "terminated first, entered watch, entered heard, left heard, entered help"
        );
    }

    #[test]
    fn an_error_is_thrown_where_the_event_is_from() {
        let catch = ErrorCatch { code: Some("E".into()), ..ErrorCatch::default() };
        let does = EngineAction::Error("E".into());
        let mut story = told(&[EngineEvent::TaskCompleted], does, Trigger::Error(catch), false);
        story.start("{}");
        let told = visits(&story.complete_user_task("first", "{}"));
        assert!(told.contains("entered help") && !told.contains("entered second"), "{told}");
    }

    #[test]
    fn code_is_called_for_its_events_and_fails_nobody() {
        let code = || EngineAction::Code(Code::Delegate("Audit".into()));
        let events = [
            EngineEvent::ProcessStarted,
            EngineEvent::ActivityCompleted,
            EngineEvent::TaskAssigned,
        ];
        let mut story = told(&events, code(), on_signal("s"), true);
        let done = InvokeResult::Done { variables: document(r#"{"seen":true}"#) };
        story = story.delegate("Audit", &[done]);
        let told = story.start("{}");
        assert!(told.contains(r#"instance: {"seen":true}"#), "{told}");
        assert_eq!(story.invoked.len(), 2, "the process, the start event");
        let failed = InvokeResult::Failed { message: "no".into() };
        let mut story = told_failing(code(), failed);
        assert!(story.start("{}").contains("entered first"));
    }

    fn told_failing(does: EngineAction, failed: InvokeResult) -> Story {
        told(&[EngineEvent::TaskCreated], does, on_signal("s"), true).delegate("Audit", &[failed])
    }

    #[test]
    fn changes_of_variables_are_events_too() {
        let mut story = told(&[EngineEvent::VariableUpdated], signal(), on_signal("s"), true);
        assert!(!story.start(r#"{"n":1}"#).contains("entered help"));
        let scope = story.record.as_ref().expect("it lives").root.key;
        let variables = document(r#"{"n":2}"#);
        let told = story.play(Command::SetVariables { scope, variables, local: false });
        assert!(told.contains("entered help"), "{told}");
    }

    #[test]
    fn code_that_changes_what_it_is_called_for_is_refused() {
        let code = EngineAction::Code(Code::Delegate("Count".into()));
        let mut story = told(&[EngineEvent::VariableUpdated], code, on_signal("s"), true);
        let count = |n: i32| InvokeResult::Done { variables: document(&format!(r#"{{"n":{n}}}"#)) };
        let for_ever: Vec<_> = (2..20_000).map(count).collect();
        story = story.delegate("Count", &for_ever);
        story.start(r#"{"n":0}"#);
        let scope = story.record.as_ref().expect("it lives").root.key;
        let set =
            || Command::SetVariables { scope, variables: document(r#"{"n":1}"#), local: false };
        let told = story.play(set());
        assert!(told.contains("elements visited in one command"), "{told}");

        let code = EngineAction::Code(Code::Delegate("Count".into()));
        let mut story = self::told(&[EngineEvent::VariableUpdated], code, on_signal("s"), true)
            .delegate("Count", &[count(2), count(3), count(3)]);
        story.start(r#"{"n":0}"#);
        let told = story.play(set());
        assert!(told.contains(r#"instance: {"n":3}"#), "it comes to rest: {told}");
    }

    #[test]
    fn an_event_that_brings_itself_about_for_ever_is_refused() {
        let mut story = told(&[EngineEvent::ActivityStarted], signal(), on_signal("s"), true);
        assert!(story.start("{}").contains("elements visited in one command"));
    }
}
