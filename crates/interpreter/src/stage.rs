//! The way of an element instance from its beginning to its end.
//!
//! ```text
//! inputs ─▶ start listeners ─▶ watch ─▶ begin ─▶ [call] ─▶ waits, or
//!                     done ─▶ end listeners, outputs ─▶ [save point] ─▶ leave
//! ```
//! A user task has listeners of its own between its beginning and its end.
//! Every stage either does its work whole or changes nothing: where something from outside is
//! needed first, it is repeated from its beginning.

use orloj_model::{
    Element, ElementIndex, ElementKind, EndListeners, Failures, ListenerEvent, SavePoint, Walk,
};
use orloj_types::ElementInstanceKey;

use crate::agenda::Step;
use crate::conditions;
use crate::element::{self, Begun, service_task, user_task};
use crate::ending;
use crate::engine_events;
use crate::errors::{self, Throwing};
use crate::events;
use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::flow;
use crate::invoke::Yield;
use crate::jobs;
use crate::listeners::{self, Listened};
use crate::mappings;
use crate::multi_instance;
use crate::record::{ElementState, JobKind, Role};
use crate::turn::Turn;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A save point before the element.
    Before(SavePoint),
    Inputs,
    /// Listeners of the start, from this one on.
    Start(u32),
    /// Conditions at the boundary begin to wait.
    Watch,
    Begin,
    /// The element's work is foreign code.
    Call,
    /// A worker has done the element's work.
    Worked,
    /// Listeners of a user task that was created, from this one on.
    Created(u32),
    Assigned(u32),
    Completing(u32),
    Deleted(u32),
    /// Listeners of a user task that is cancelled, from this one on.
    Cancelling(u32),
    /// This listener of a user task has waited for its moment, and the task still waits.
    TimedOut(u32),
    /// The element's work is done.
    Done,
    /// Listeners of the end, from this one on.
    End(u32),
    Outputs,
    /// Perhaps a save point after the element.
    Finish,
    Leave,
}

/// How far a stage has come.
pub(crate) enum Went {
    On(Stage),
    /// There is a durable reason to wait, or the instance is gone.
    Rests,
}

/// Goes on until the element instance waits or is gone. What is needed from outside is the
/// answer; the stage is on the agenda again then.
pub(crate) fn go(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    mut stage: Stage,
) -> Ruled<Option<Yield>> {
    let instance = turn.element(key);
    let (index, role) = (turn.index_of(&instance.element), instance.role);
    loop {
        let asks = asks_before(turn, key, stage);
        if asks {
            conditions::release(turn, key, stage);
        }
        if asks && turn.must_ask() {
            if stage == Stage::Outputs {
                turn.work.said_end.insert(key);
            }
            turn.work.push_next(Step::Go { key, stage });
            turn.work.push_next(Step::Conditions);
            return Ok(None);
        }
        turn.beans.reset();
        match run(turn, key, (index, role), stage) {
            Ok(went) => {
                turn.apply_bean_replies();
                turn.end_calls();
                match went {
                    Went::On(next) if engine_events::has_news(turn) => {
                        turn.work.news_from = Some(key);
                        turn.work.push_next(Step::Go { key, stage: next });
                        return Ok(None);
                    }
                    Went::On(next) if takes_turn(turn, index, stage, next) => {
                        turn.work.push(Step::Go { key, stage: next });
                        return Ok(None);
                    }
                    Went::On(next) => stage = next,
                    Went::Rests => {
                        if stage == Stage::Begin && turn.must_ask() {
                            turn.work.push_next(Step::Conditions);
                        }
                        return Ok(None);
                    }
                }
            }
            Err(Failure { needs: Some(needs), .. }) => {
                turn.work.push_next(Step::Go { key, stage });
                return Ok(Some(*needs));
            }
            Err(Failure { thrown: Some(thrown), .. })
                if matches!(stage, Stage::Start(_) | Stage::End(_))
                    && errors::is_of_absent_event(turn, key, &thrown.code) =>
            {
                let element = turn.element(key).element.clone();
                let message = "the event for an error of the element's listeners is not there";
                return Err(Failure::new(&element, FailureKind::Foreign, message));
            }
            Err(Failure { thrown: Some(thrown), .. }) => {
                let throwing = Throwing::error(key, *thrown, errors::Source::Code);
                throw(turn, key, stage, throwing);
                return Ok(None);
            }
            Err(failure) => {
                if calls_code(stage) {
                    match errors::of_failure(turn, key, errors::Source::Code, &failure) {
                        Ok(None) => {}
                        Ok(Some(throwing)) => {
                            throw(turn, key, stage, throwing);
                            return Ok(None);
                        }
                        Err(Failure { needs: Some(needs), .. }) => {
                            turn.work.push_next(Step::Go { key, stage });
                            return Ok(Some(*needs));
                        }
                        Err(failure) => return Err(failure),
                    }
                }
                let mut state = state_before(stage, turn.element(key).state);
                if matches!(stage, Stage::Created(_) | Stage::Assigned(_)) {
                    // The task is made anew when the incident is resolved.
                    user_task::withdraw(turn, key);
                    state = ElementState::Entering;
                }
                flow::settle(turn, key, state, failure)?;
                if is_after_work(stage) && turn.semantics().catching.done_hear_nothing {
                    events::close_all(turn, key);
                    jobs::cancel_timers(turn, key, |_| true);
                }
                return Ok(None);
            }
        }
    }
}

/// What the stage called has thrown something.
fn throw(turn: &mut Turn<'_>, key: ElementInstanceKey, stage: Stage, throwing: Throwing) {
    if matches!(stage, Stage::End(_)) {
        // They are not called a second time.
        turn.work.said_end.insert(key);
    }
    if matches!(stage, Stage::Start(_) | Stage::End(_)) {
        element::note_thrown(turn, key, matches!(stage, Stage::End(_)));
    }
    turn.work.push_next(Step::Throw(Box::new(throwing)));
}

/// Whether an event may catch what the stage fails with: the element's own code and its listeners,
/// but for those that hear of its end by others.
fn calls_code(stage: Stage) -> bool {
    match stage {
        Stage::Call
        | Stage::Start(_)
        | Stage::End(_)
        | Stage::Created(_)
        | Stage::Assigned(_)
        | Stage::Completing(_)
        | Stage::TimedOut(_) => true,
        Stage::Before(_)
        | Stage::Inputs
        | Stage::Watch
        | Stage::Begin
        | Stage::Worked
        | Stage::Deleted(_)
        | Stage::Cancelling(_)
        | Stage::Done
        | Stage::Outputs
        | Stage::Finish
        | Stage::Leave => false,
    }
}

/// Whether the end of an element that has nothing to wait for comes behind the steps of others.
///
/// DIFFERENCE: in Zeebe it is a turn of its own, except of gateways.
fn takes_turn(turn: &Turn<'_>, index: ElementIndex, stage: Stage, next: Stage) -> bool {
    matches!((stage, next), (Stage::Begin | Stage::Call, Stage::Done))
        && turn.semantics().walk == Walk::Halves
        && !turn.model(index).kind.is_gateway()
}

/// Whether the element's own work is done.
///
/// DIFFERENCE: in Zeebe nothing that comes now is heard, though the wait for it is still shown
/// there. Here nothing waits any more, so that a message stays for others.
fn is_after_work(stage: Stage) -> bool {
    matches!(stage, Stage::Done | Stage::End(_) | Stage::Outputs | Stage::Finish | Stage::Leave)
}

/// Whether what watches variables is heard before the stage.
fn asks_before(turn: &Turn<'_>, key: ElementInstanceKey, stage: Stage) -> bool {
    match stage {
        Stage::Before(_) => conditions::begins_loop(turn, key),
        // Nothing inside hears what was written before.
        Stage::Inputs => conditions::is_scope_in_sequence(turn, key),
        Stage::Begin | Stage::Done => true,
        // What the listeners of the end changed can still end the element.
        Stage::Outputs => turn.semantics().end_listeners == EndListeners::BeforeOutputs,
        _ => false,
    }
}

/// From which the stage can be repeated.
fn state_before(stage: Stage, state: ElementState) -> ElementState {
    match stage {
        Stage::Before(_)
        | Stage::Inputs
        | Stage::Start(_)
        | Stage::Watch
        | Stage::Begin
        | Stage::Call => ElementState::Entering,
        Stage::Worked
        | Stage::Created(_)
        | Stage::Assigned(_)
        | Stage::Completing(_)
        | Stage::Deleted(_)
        | Stage::Cancelling(_)
        | Stage::TimedOut(_) => state,
        Stage::Leave if state == ElementState::Leaving => ElementState::Leaving,
        Stage::Done | Stage::End(_) | Stage::Outputs | Stage::Finish | Stage::Leave => {
            ElementState::Active
        }
    }
}

/// Where an element instance goes on after the incident it waits with is resolved.
pub(crate) fn of_state(state: ElementState) -> Stage {
    match state {
        ElementState::Entering => Stage::Inputs,
        ElementState::Active => Stage::Done,
        ElementState::Leaving => Stage::Leave,
        ElementState::Ending => Stage::Cancelling(0),
    }
}

fn run(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    (index, role): (ElementIndex, Role),
    stage: Stage,
) -> Ruled<Went> {
    if let Stage::Before(point) = stage {
        jobs::create_async(turn, key, turn.model(index), JobKind::AsyncBefore, point)?;
        return Ok(Went::Rests);
    }
    if role == Role::Body {
        return run_body(turn, key, index, stage);
    }
    if role == Role::Branch {
        return element::ad_hoc::branch_emptied(turn, key).map(|()| Went::Rests);
    }
    let element = turn.model(index);
    match stage {
        Stage::Inputs => {
            turn.element_mut(key).state = ElementState::Active;
            if !element::is_complete(turn, key, element) {
                return Ok(Went::Rests);
            }
            mappings::apply_inputs(turn, key, element)?;
            Ok(Went::On(Stage::Start(0)))
        }
        Stage::Start(next) => listen(turn, key, element, &ListenerEvent::Start, next, Stage::Watch),
        Stage::Watch => {
            events::open_conditions(turn, key, element);
            Ok(Went::On(Stage::Begin))
        }
        Stage::Begin => {
            if extract::skips(turn, key, &element.id, element.skip.as_ref())? == Some(true) {
                return Ok(Went::On(Stage::Done));
            }
            let begun = element::begin(turn, key, index)?;
            if begun == Begun::Calls || matches!(element.kind, ElementKind::PlainTask) {
                check_boundaries(turn, key, element)?;
            }
            Ok(went(begun))
        }
        Stage::Call => Ok(went(element::call(turn, key, index)?)),
        Stage::Worked => Ok(went(service_task::worked(turn, key, element)?)),
        Stage::Created(next) => user_task::created(turn, key, element, next),
        Stage::Assigned(next) => user_task::assigned(turn, key, element, next),
        Stage::Completing(next) => user_task::completing(turn, key, element, next),
        Stage::Deleted(next) => user_task::deleted(turn, key, element, next),
        Stage::Cancelling(next) => ending::cancelling(turn, key, element, next),
        Stage::TimedOut(place) => user_task::timed_out(turn, key, element, place),
        Stage::Done if flow::ends_later(turn, key, element) => flow::end_later(turn, key, element),
        Stage::Done => Ok(Went::On(match turn.semantics().end_listeners {
            EndListeners::BeforeOutputs => Stage::End(0),
            EndListeners::AfterOutputs => Stage::Outputs,
        })),
        Stage::End(next) => {
            let then = match turn.semantics().end_listeners {
                EndListeners::BeforeOutputs => Stage::Outputs,
                EndListeners::AfterOutputs => Stage::Finish,
            };
            let is_choice = matches!(element.kind, ElementKind::ExclusiveGateway);
            if is_choice && turn.semantics().choices.choice_ends_unheard {
                return Ok(Went::On(then));
            }
            listen(turn, key, element, &ListenerEvent::End, next, then)
        }
        Stage::Outputs => {
            mappings::apply_outputs(turn, key, element)?;
            match turn.semantics().end_listeners {
                EndListeners::BeforeOutputs => Ok(Went::On(Stage::Finish)),
                EndListeners::AfterOutputs => {
                    if listeners::find(&element.listeners, &ListenerEvent::End, 0).is_some() {
                        jobs::cancel_all(turn, key);
                        events::close_all(turn, key);
                    }
                    Ok(Went::On(Stage::End(0)))
                }
            }
        }
        Stage::Before(_) => unreachable!("a save point is the same for a body"),
        Stage::Finish => flow::finish(turn, key, index),
        Stage::Leave => flow::leave_by_flows(turn, key, index),
    }
}

/// Calls the next listener of the start or the end; `then` comes after the last.
fn listen(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    event: &ListenerEvent,
    next: u32,
    then: Stage,
) -> Ruled<Went> {
    let again = match event {
        ListenerEvent::End => Stage::End,
        _ => Stage::Start,
    };
    Ok(match listeners::next(turn, key, element, event, next)? {
        Listened::Go(next) => Went::On(again(next)),
        Listened::Waits => Went::Rests,
        Listened::Over => Went::On(then),
    })
}

/// The events at the boundary of an element where no token rests cannot occur. But what they wait
/// for must be computable.
fn check_boundaries(turn: &Turn<'_>, key: ElementInstanceKey, element: &Element) -> Ruled {
    if turn.semantics().failures == Failures::RollBack {
        events::prepare_boundaries(turn, key, element)?;
    }
    Ok(())
}

/// A body has no work and mappings of its own: its instances have.
///
/// DIFFERENCE: in Flowable the listeners of the activity are called for the body too, that of the
/// end where it had instances.
fn run_body(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    stage: Stage,
) -> Ruled<Went> {
    let listens = turn.semantics().loops.body_listens;
    match stage {
        Stage::Start(next) if listens => {
            listen(turn, key, turn.model(index), &ListenerEvent::Start, next, Stage::Watch)
        }
        Stage::Inputs | Stage::Start(_) | Stage::Watch => {
            turn.element_mut(key).state = ElementState::Active;
            if stage == Stage::Inputs && listens {
                return Ok(Went::On(Stage::Start(0)));
            }
            events::open_conditions(turn, key, turn.model(index));
            Ok(Went::On(Stage::Begin))
        }
        Stage::Begin | Stage::Call => Ok(went(multi_instance::begin(turn, key, index)?)),
        Stage::Created(_)
        | Stage::Assigned(_)
        | Stage::Completing(_)
        | Stage::Deleted(_)
        | Stage::Cancelling(_)
        | Stage::TimedOut(_) => {
            unreachable!("a body is no user task")
        }
        Stage::Worked | Stage::Done
            if listens && turn.element(key).multi.is_some_and(|numbers| numbers.total > 0) =>
        {
            Ok(Went::On(Stage::End(0)))
        }
        Stage::End(next) if listens => {
            listen(turn, key, turn.model(index), &ListenerEvent::End, next, Stage::Outputs)
        }
        Stage::Worked | Stage::Done | Stage::End(_) | Stage::Outputs => {
            multi_instance::apply_outputs(turn, key, index)?;
            Ok(Went::On(Stage::Finish))
        }
        Stage::Before(_) => unreachable!("a save point is the same for a body"),
        Stage::Finish => flow::finish(turn, key, index),
        Stage::Leave => flow::leave_by_flows(turn, key, index),
    }
}

fn went(begun: Begun) -> Went {
    match begun {
        Begun::Done => Went::On(Stage::Done),
        Begun::Calls => Went::On(Stage::Call),
        Begun::Waits => Went::Rests,
    }
}
