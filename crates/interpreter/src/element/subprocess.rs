//! Subprocesses (BPMN 10.3.5, 13.3.4): a scope of their own.

use orloj_model::{ElementIndex, ElementKind, SubProcess, SubProcessKind, Throw};
use orloj_types::{ElementInstanceKey, Variables};

use super::{Begun, ad_hoc};
use crate::agenda::Step;
use crate::events;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::flow;
use crate::record::Role;
use crate::subprocess_scope;
use crate::transaction;
use crate::turn::Turn;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    index: ElementIndex,
    inner: &SubProcess,
) -> Ruled<Begun> {
    if let SubProcessKind::AdHoc(kind) = &inner.kind {
        return ad_hoc::begin(turn, key, index, inner, kind);
    }
    let boundaries = events::prepare_boundaries(turn, key, turn.model(index))?;
    subprocess_scope::begin(turn, key)?;
    events::open_all(turn, key, boundaries);
    let is_event = turn.model(index).kind.is_event_subprocess();
    let by = turn.element(key).arrived_by.clone();
    let starts = &inner.scope.starts;
    let came_by = |start: &&ElementIndex| by.as_ref() == Some(&turn.model(**start).id);
    let start = match is_event {
        true => starts.iter().find(came_by).or(starts.first()).copied(),
        false => inner.scope.none_start,
    };
    match start {
        Some(element) => {
            let (role, with) = (Role::Triggered, Variables::new());
            turn.work.push_turn(Step::Arrive { element, scope: key, role, with });
            Ok(Begun::Waits)
        }
        None if turn.semantics().choices.subprocesses_need_start => {
            let message = "the subprocess has no start event";
            Err(Failure::new(&turn.model(index).id, FailureKind::Foreign, message))
        }
        None => Ok(Begun::Done),
    }
}

/// Nothing is left inside of a subprocess, of a branch of one, or of an event that undoes.
pub(crate) fn emptied(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled {
    let index = turn.index_of(&turn.element(key).element);
    match &turn.model(index).kind {
        ElementKind::EndEvent(Throw::Cancel) => return transaction::undone(turn, key),
        // Its branches or its users decide when it is done.
        ElementKind::SubProcess(SubProcess { kind: SubProcessKind::AdHoc(_), .. })
            if turn.element(key).role != Role::Branch => {}
        _ => flow::complete(turn, key),
    }
    Ok(())
}
