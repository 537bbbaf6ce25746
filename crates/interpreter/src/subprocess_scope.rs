//! The inside of a process or subprocess, when it begins.

use orloj_types::ElementInstanceKey;

use crate::events::{self, Ready};
use crate::failure::Ruled;
use crate::turn::Turn;
use crate::variables;

/// Data objects become variables, and event subprocesses wait for their events, where they do not
/// wait until the start event is done.
pub(crate) fn begin(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled {
    let ready = match turn.semantics().catching.after_start {
        true => Vec::new(),
        false => events::prepare_event_subprocesses(turn, key)?,
    };
    open_with(turn, key, ready)
}

/// The start event of the scope is done.
pub(crate) fn started(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled {
    if turn.semantics().catching.after_start {
        let ready = events::prepare_event_subprocesses(turn, key)?;
        events::open_all(turn, key, ready);
    }
    Ok(())
}

/// The same as [`begin`] for a scope in which no start event comes.
pub(crate) fn open(turn: &mut Turn<'_>, key: ElementInstanceKey) -> Ruled {
    let ready = events::prepare_event_subprocesses(turn, key)?;
    open_with(turn, key, ready)
}

fn open_with(turn: &mut Turn<'_>, key: ElementInstanceKey, ready: Vec<Ready<'_>>) -> Ruled {
    let scope = turn.process.scope(turn.model_of(key));
    let owner = turn.process_element();
    let mut values = Vec::with_capacity(scope.data_objects.len());
    for object in &scope.data_objects {
        let value = match &object.value {
            Some(expression) => turn.evaluate(&owner, key, expression)?.to_stored(),
            None => orloj_types::Value::Null.to_stored(),
        };
        values.push((&object.name, value));
    }
    for (name, value) in &values {
        let own = turn.work.record.variables.get(&key);
        // What the instance was started with wins.
        if !own.is_some_and(|own| own.contains_key(*name)) {
            variables::set_local(&mut turn.work.record, key, [(*name, value)]);
        }
    }
    events::open_all(turn, key, ready);
    Ok(())
}
