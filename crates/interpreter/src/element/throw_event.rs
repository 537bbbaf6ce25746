//! Events that throw (BPMN 10.5.4, 13.5.3): an intermediate one goes on afterwards, an end event
//! ends its token.

use std::sync::Arc;

use orloj_model::{CompensationThrow, Element, ElementIndex, ErrorThrow, SignalThrow, Throw};
use orloj_types::{Document, ElementInstanceKey, Value};

use super::{Begun, service_task};
use crate::agenda::{MemberIndex, Step};
use crate::errors::{Source, Throwing, Thrown};
use crate::extract;
use crate::failure::Ruled;
use crate::outcome::{EndKind, Event, LeaveKind, Signal};
use crate::record::{ElementState, Role};
use crate::stage::Stage;
use crate::turn::Turn;
use crate::{compensation, ending, events, flow, instance, multi_instance, scope, transaction};

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    element: &Element,
    throw: &Throw,
) -> Ruled<Begun> {
    match throw {
        Throw::None | Throw::Link(_) | Throw::Registry(_) => Ok(Begun::Done),
        Throw::Message(task) => service_task::begin(turn, key, index, element, task),
        Throw::Signal(signal) => throw_signal(turn, key, element, signal),
        Throw::Error(error) => throw_error(turn, key, element, error),
        Throw::Escalation(code) => {
            let code = match code {
                Some(code) => extract::optional_text(turn, key, element, "escalation code", code)?,
                None => None,
            };
            fling(turn, key, Thrown::Escalation { code });
            Ok(Begun::Waits)
        }
        Throw::Compensation(what) => Ok(undo(turn, key, what)),
        Throw::Cancel => transaction::cancel(turn, key),
        Throw::Terminate { all: true, .. } => terminate_all(turn, key),
        Throw::Terminate { multi_instance, .. } => terminate(turn, key, *multi_instance),
    }
}

fn throw_signal(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    signal: &SignalThrow,
) -> Ruled<Begun> {
    let name = extract::text(turn, key, element, "signal name", &signal.name)?;
    let variables = crate::call_mappings::payload(turn, key, element, &signal.payload)?;
    let only = signal.is_local.then_some(turn.work.record.instance);
    let is_async = signal.is_async.is_some();
    let signal = Signal { name, variables, only, heard_by: None, is_async };
    if turn.semantics().catching.signals_come_first && !is_async {
        turn.work.push_next(Step::Go { key, stage: Stage::Done });
        turn.work.push_next(Step::Signal(Box::new(signal)));
        return Ok(Begun::Waits);
    }
    if !turn.semantics().catching.signals_take_turn {
        if is_async {
            turn.work.signals.push(signal);
            return Ok(Begun::Done);
        }
        if events::interrupts_caller(turn, &signal)? {
            turn.work.signals.push(signal);
            return Ok(Begun::Waits);
        }
        events::hear(turn, signal)?;
        return Ok(Begun::Done);
    }
    turn.work.push(Step::Signal(Box::new(signal)));
    turn.work.push(Step::Go { key, stage: Stage::Done });
    Ok(Begun::Waits)
}

fn throw_error(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    error: &ErrorThrow,
) -> Ruled<Begun> {
    let (code, message) = error_texts(turn, key, element, error)?;
    fling(turn, key, Thrown::Error { code, message });
    Ok(Begun::Waits)
}

/// Code and message of an error, evaluated.
pub(crate) fn error_texts(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    error: &ErrorThrow,
) -> Ruled<(Arc<str>, Arc<str>)> {
    let text = |expression: &Option<orloj_expr::Expression>, what: &str| -> Ruled<Arc<str>> {
        let Some(expression) = expression else { return Ok(Arc::default()) };
        match turn.evaluate(&element.id, key, expression)? {
            Value::Text(text) => Ok(text),
            Value::Null if extract::null_is_unset(turn) => Ok(Arc::default()),
            other => Err(extract::wrong(element, what, "a string", &other)),
        }
    };
    Ok((text(&error.code, "error code")?, text(&error.message, "error message")?))
}

fn fling(turn: &mut Turn<'_>, from: ElementInstanceKey, what: Thrown) {
    let throwing = Throwing { from, what, variables: Document::new(), source: Source::Event };
    turn.work.push_next(Step::Throw(Box::new(throwing)));
}

/// Handlers begin for what the event undoes.
fn undo(turn: &mut Turn<'_>, key: ElementInstanceKey, throw: &CompensationThrow) -> Begun {
    let what = compensation::take(turn, key, Some(throw));
    if what.is_empty() {
        return Begun::Done;
    }
    if turn.semantics().undoing.waits && throw.waits {
        compensation::undo(turn, key, what);
        return Begun::Waits;
    }
    let root = turn.work.record.root.key;
    compensation::undo(turn, root, what);
    Begun::Done
}

/// Ends everything else in the scope, or in the multi-instance body around it, which may be one of
/// a call activity.
fn terminate(turn: &mut Turn<'_>, key: ElementInstanceKey, multi_instance: bool) -> Ruled<Begun> {
    let (here, _) = turn.work.at();
    if multi_instance {
        let found = body_around(turn, key);
        turn.switch(here);
        if let Some((member, body)) = found? {
            flow::vanish(turn, key);
            turn.switch(member);
            scope::terminate_children(turn, body, None);
            turn.work.push_next(Step::Go { key: body, stage: Stage::Leave });
            turn.switch(here);
            return Ok(Begun::Waits);
        }
    }
    let around = turn.element(key).scope;
    ending::hold_children(turn, around, Some(key));
    if around == turn.work.record.root.key || !turn.semantics().choices.terminates_scope {
        return Ok(Begun::Done);
    }
    flow::vanish(turn, key);
    let how = match multi_instance::is_more_to_come(turn, around) {
        Some(false) => LeaveKind::Completed,
        Some(true) | None => LeaveKind::Terminated,
    };
    turn.event(Event::ElementLeft { key: around, how });
    turn.element_mut(around).state = ElementState::Leaving;
    turn.work.push_next(Step::Go { key: around, stage: Stage::Leave });
    Ok(Begun::Waits)
}

/// Looked for outward, from instance to caller.
fn body_around(
    turn: &mut Turn<'_>,
    mut key: ElementInstanceKey,
) -> Ruled<Option<(MemberIndex, ElementInstanceKey)>> {
    loop {
        let root = turn.work.record.root.key;
        while key != root {
            if turn.element(key).role == Role::Body {
                return Ok(Some((turn.work.at().0, key)));
            }
            key = turn.element(key).scope;
        }
        let Some(caller) = turn.work.record.caller else { return Ok(None) };
        let Some(member) = turn.member(caller.instance)? else { return Ok(None) };
        turn.switch(member);
        if turn.work.record.element(caller.element_instance).is_none() {
            return Ok(None);
        }
        key = caller.element_instance;
    }
}

/// Ends the outermost instance of the hierarchy, and all others with it.
fn terminate_all(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled<Begun> {
    let outermost = turn.work.record.hierarchy();
    let Some(member) = turn.member(outermost)? else { return Ok(Begun::Done) };
    let (here, _) = turn.work.at();
    flow::vanish(turn, key);
    turn.switch(member);
    let root = turn.work.record.root.key;
    scope::terminate_children(turn, root, None);
    instance::finish(turn, EndKind::Completed);
    turn.switch(here);
    Ok(Begun::Waits)
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sketch, Story, and, end, start, user};

    #[test]
    fn the_instance_ends_with_its_last_token() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("fork", and())
            .node("a", user())
            .node("b", user())
            .node("end", end())
            .flows("start -> fork -> a -> end")
            .flows("fork -> b -> end");
        let mut story = Story::of(process.build());
        story.start(r#"{"x":1}"#);
        insta::assert_snapshot!(story.complete_user_task("a", "{}"), @r#"
        left a
        entered end
        left end
        --
        delete task2
        at b task1
        instance: {"x":1}
        "#);
        insta::assert_snapshot!(story.complete_user_task("b", r#"{"y":2}"#), @r#"
        left b
        entered end#2
        left end#2
        ended Completed
        --
        delete task1
        end Completed {"x":1,"y":2}
        "#);
    }

    #[test]
    fn mappings_of_an_end_event_are_applied() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("end", end())
            .flows("start -> end")
            .input("end", "x + 1", "y")
            .output("end", "y * 2", "z");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start(r#"{"x":1}"#), @r#"
        started
        entered start
        left start
        entered end
        left end
        ended Completed
        --
        end Completed {"x":1,"z":4}
        "#);
    }

    #[test]
    fn an_element_without_outgoing_flows_ends_its_token_too() {
        let process =
            Sketch::camunda().node("start", start()).node("a", user()).flows("start -> a");
        let mut story = Story::of(process.build());
        story.start("{}");
        insta::assert_snapshot!(story.complete_user_task("a", "{}"), @"
        left a
        ended Completed
        --
        delete task1
        end Completed {}
        ");
    }
}
