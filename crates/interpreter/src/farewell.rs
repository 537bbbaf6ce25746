//! What an element instance still does after it was ended from outside.
//!
//! DIFFERENCE: Camunda calls the listeners of its end and makes its output mappings; Camunda and
//! Flowable call the listeners of a user task that is deleted. In Zeebe it is
//! simply gone, or its listeners are asked before ([`crate::ending`]).

use orloj_model::{Cancelling, Element, ElementIndex, ListenerEvent};
use orloj_types::{ElementInstanceKey, Variables};

use crate::agenda::Step;
use crate::failure::Ruled;
use crate::listeners::{self, Listened};
use crate::mappings;
use crate::record::{ElementInstance, ElementState, Role};
use crate::turn::Turn;

/// An element instance that is not in the record any more.
#[derive(Clone, Debug)]
pub(crate) struct Farewell {
    instance: ElementInstance,
    variables: Option<Variables>,
    index: ElementIndex,
    part: Part,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    TaskListeners(u32),
    EndListeners(u32),
    Outputs,
}

/// Notes what is left to do of an element instance that is about to be taken away.
pub(crate) fn note(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    let cancelling = turn.semantics().cancelling;
    let instance = turn.element(key);
    let is_visited = instance.state == ElementState::Active
        && instance.role != Role::Body
        && !turn.work.said_end.contains(&key);
    if cancelling == Cancelling::Silent || !is_visited {
        return;
    }
    let index = turn.index_of(&instance.element);
    let element = turn.model(index);
    let deletes = instance.user_task.is_some() && listens(element, &ListenerEvent::TaskDelete);
    let ends = cancelling == Cancelling::ListenersAndOutputs
        && (listens(element, &ListenerEvent::End) || !element.outputs.is_empty());
    if !deletes && !ends {
        return;
    }
    let part = match deletes {
        true => Part::TaskListeners(0),
        false => Part::EndListeners(0),
    };
    let mut instance = instance.clone();
    instance.jobs.clear();
    instance.subscriptions.clear();
    instance.user_task = None;
    let variables = turn.work.record.variables.get(&key).cloned();
    let farewell = Farewell { instance, variables, index, part };
    let (member, _) = turn.work.at();
    turn.work.farewells.push((member, Box::new(farewell)));
}

fn listens(element: &Element, event: &ListenerEvent) -> bool {
    listeners::find(&element.listeners, event, 0).is_some()
}

/// Does one thing of it. The element instance is back for as long as that takes.
pub(crate) fn say(turn: &mut Turn<'_>, mut farewell: Farewell) -> Ruled {
    let key = farewell.instance.key;
    turn.work.record.elements.insert(farewell.instance.clone());
    if let Some(variables) = farewell.variables.take() {
        turn.work.record.variables.insert(key, variables);
    }
    turn.beans.set_canceled();
    let said = part(turn, key, &farewell);
    farewell.variables = turn.work.record.variables.remove(&key);
    turn.work.record.elements.remove(key);
    if let Some(next) = said? {
        farewell.part = next;
        turn.work.push_next(Step::Farewell(Box::new(farewell)));
    }
    Ok(())
}

fn part(turn: &mut Turn<'_>, key: ElementInstanceKey, farewell: &Farewell) -> Ruled<Option<Part>> {
    let element = turn.model(farewell.index);
    let is_all = turn.semantics().cancelling == Cancelling::ListenersAndOutputs;
    let after = |part: Part| is_all.then_some(part);
    let went = match farewell.part {
        Part::TaskListeners(next) => {
            match listeners::next(turn, key, element, &ListenerEvent::TaskDelete, next)? {
                Listened::Go(next) => Some(Part::TaskListeners(next)),
                Listened::Waits | Listened::Over => after(Part::EndListeners(0)),
            }
        }
        Part::EndListeners(next) => {
            match listeners::next(turn, key, element, &ListenerEvent::End, next)? {
                Listened::Go(next) => Some(Part::EndListeners(next)),
                Listened::Waits | Listened::Over => Some(Part::Outputs),
            }
        }
        Part::Outputs => {
            mappings::apply_outputs(turn, key, element)?;
            None
        }
    };
    turn.apply_bean_replies();
    Ok(went)
}
